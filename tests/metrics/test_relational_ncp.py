"""Relational NCP, UL, sizes of classes and ARE against exact oracles.

Covers: metrics/are.py, metrics/classes.py, metrics/ul.py, metrics/workload.py.
"""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.attributes import MISSING
from shoal.data.categories import CategoricalAttribute
from shoal.data.ordered import OrderedAttribute
from shoal.data.relational import Relational
from shoal.errors import DataError, OptionError
from shoal.metrics import coverage
from shoal.metrics.are import ARE, are, expected_counts, true_counts
from shoal.metrics.comparison import Comparison
from shoal.metrics.coverage import covered_sizes
from shoal.metrics.ul import record_losses
from shoal.metrics.workload import Query, Workload
from shoal.release.pipeline import measure_all
from shoal.report import sentences
from tests.budget import examples

ITEMS = tuple("abcde")
TREE = shoal.Hierarchy.from_tree({"All": {"S": ["p", "q"], "r": []}})


def published(
    covers: list[list[int]], rows: list[list[int]], relational: Relational | None = None
) -> shoal.published.Published:
    """Labels by the items that they cover, rows by their labels."""
    names = [f"u{at}" for at in range(len(covers))]
    sets = shoal.data.Transactions.from_sets([[names[at] for at in row] for row in rows], names)
    indptr = np.cumsum([0, *map(len, covers)])
    flat = np.array([item for cover in covers for item in cover], dtype=np.int32)
    return shoal.published.Published(sets, indptr, flat, ITEMS, relational=relational)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Any labels, overlapping or not, and rows of them."""
    cover = st.lists(st.integers(0, len(ITEMS) - 1), min_size=1, unique=True).map(sorted)
    covers = draw(st.lists(cover, min_size=1, max_size=6))
    row = st.lists(st.integers(0, len(covers) - 1), unique=True, max_size=4)
    return covers, draw(st.lists(row, max_size=5))


@examples(300)
@given(given_=labelled(), data=st.data(), turns=st.integers(0, 2), at_once=st.integers(1, 5))
def test_covered_sizes_are_those_of_the_smallest_label(
    given_: tuple[list[list[int]], list[list[int]]], data: st.DataObject, turns: int, at_once: int
) -> None:
    """However few labels are tried on all rows, and however few pairs are looked at at once."""
    covers, rows = given_
    original = [data.draw(st.lists(st.integers(0, len(ITEMS) - 1), unique=True).map(sorted)) for _ in rows]
    raw = shoal.data.Transactions.from_sets([[ITEMS[item] for item in row] for row in original], ITEMS)
    wanted = [
        min((len(covers[at]) for at in labels if item in covers[at]), default=0)
        for row, labels in zip(original, rows, strict=True)
        for item in row
    ]
    with pytest.MonkeyPatch.context() as patch:
        assert covered_sizes(raw, published(covers, rows)).tolist() == wanted
        patch.setattr(coverage, "_TURNS", turns)
        patch.setattr(coverage, "_AT_ONCE", at_once)
        assert covered_sizes(raw, published(covers, rows)).tolist() == wanted


def exact_ul(covers: list[list[int]], row: list[int], weights: list[int]) -> Fraction:
    size = sum(len(covers[at]) for at in row)
    lost = Fraction(0)
    for at in row:
        n = len(covers[at])
        worth = Fraction(sum(weights[item] for item in covers[at]), n * max(1, *weights)) if n > 1 else Fraction(0)
        lost += (2**n - 1) * worth
    return lost / (2**size - 1) if size else lost


@examples(200)
@given(given_=labelled(), weights=st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_ul(given_: tuple[list[list[int]], list[list[int]]], weights: list[int]) -> None:
    covers, rows = given_
    made = published(covers, rows)
    for ours, theirs in ((None, [1] * 5), (np.array(weights), weights)):
        exact = [exact_ul(covers, row, theirs) for row in rows]
        assert record_losses(made, ours).tolist() == pytest.approx([float(one) for one in exact], abs=1e-12)
        mean = float(sum(exact) / max(1, len(rows)))
        pair = Comparison(made, made)
        found = shoal.metrics.UL().of(pair) if ours is None else shoal.metrics.UL().weighted(pair, ours)
        assert list(found.values()) == ([pytest.approx(mean, abs=1e-12)] if made.generalized else [])


@pytest.mark.parametrize("size", [900, 936, 1_100, 5_000])
def test_ul_does_not_overflow(size: int) -> None:
    h = shoal.Hierarchy.from_tree({"ALL": {"A": [f"a{at}" for at in range(size)], "B": ["b1", "b2"], "c": []}})
    made = shoal.published.Published.resolve(shoal.data.Transactions.from_sets([["A", "B", "c"], ["A"], ["ALL"]]), h)
    exact = Fraction(2**size - 1 + 3, 2 ** (size + 3) - 1)
    assert record_losses(made).tolist() == pytest.approx([float(exact), 1, 1], abs=1e-12)


def test_ul_says_nothing_of_plain_sets_and_0_beside_columns() -> None:
    rows = published([[0], [1]], [[0, 1], []])
    assert shoal.metrics.UL().of(Comparison(rows, rows)) == {}
    ages = np.array([3, 4])
    columns = replace(rows, relational=Relational.of_rows((OrderedAttribute("age", 3, 4),), [ages]))
    assert shoal.metrics.UL().of(Comparison(rows, columns)) == {"ul": 0}


def test_weighted_ul_is_measured_with_the_others() -> None:
    rows = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a", "b"]], list("abcde")))
    made = published([[0, 1]], [[0]])
    found = measure_all(Comparison(rows, made), np.array([4, 2, 1, 1, 1]))
    assert {"ul", "weighted_ul", "ncp", "weighted_ncp", "weighted_lm"} <= set(found)
    assert (found["ul"], found["weighted_ul"]) == (1, 0.75)


def relational(ages: list[tuple[int, int]], kinds: list[tuple[int, int]], *weights: Fraction) -> Relational:
    axes = (OrderedAttribute("age", 10, 15), CategoricalAttribute("kind", TREE, optional=True))
    low, high = (tuple(np.array([pair[side] for pair in column]) for column in (ages, kinds)) for side in (0, 1))
    return Relational.of_rows(axes, low, high, weights)


GONE = int(MISSING)
AGES = [(at, to) for at in range(10, 16) for to in range(at, 16)] + [(GONE, GONE), (10, GONE)]
KINDS = [(0, 0), (1, 1), (2, 2), (0, 1), (0, GONE), (GONE, GONE)]


def test_relational_ncp() -> None:
    was = relational([(10, 10), (12, 12), (15, 15), (GONE, GONE)], [(0, 0), (1, 1), (2, 2), (GONE, GONE)])
    now = relational([(10, 12), (10, 12), (10, GONE), (GONE, GONE)], [(0, 1), (0, 1), (GONE, GONE), (0, GONE)])
    rows = shoal.published.Published.plain(shoal.data.Transactions.nothing(4))
    found = shoal.metrics.RelationalNCP().of(Comparison(replace(rows, relational=was), replace(rows, relational=now)))
    age, kind = Fraction(2 + 2 + 5 + 0, 5 * 4), Fraction(2 + 2 + 3 + 3, 3 * 4)  # the third kind was removed
    assert found == pytest.approx(
        {
            "relational_ncp": float((age + kind) / 2),
            "relational_ncp:age": float(age),
            "relational_ncp:kind": float(kind),
        },
        abs=1e-15,
    )
    heavy = replace(now, weights=(Fraction(1), Fraction(1, 4)))
    found = shoal.metrics.RelationalNCP().of(Comparison(replace(rows, relational=was), replace(rows, relational=heavy)))
    assert found["relational_ncp"] == pytest.approx(float(age + kind / 4), abs=1e-15)


def test_without_columns_nothing_is_said_of_them() -> None:
    rows = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a"]]))
    assert shoal.metrics.RelationalNCP().of(Comparison(rows, rows)) == {}
    assert shoal.metrics.ClassSizes().of(Comparison(rows, rows)) == {}
    none = shoal.published.Published.plain(shoal.data.Transactions.nothing(0))
    empty = replace(none, relational=relational([], []))
    found = measure_all(Comparison(empty, empty))
    assert (found["relational_ncp"], found["ul"]) == (0, 0)
    assert "discernibility" not in found


def test_classes_of_a_file_come_first() -> None:
    columns = relational([(10, 10)] * 3, [(0, 0), (1, 1), (0, 0)])
    rows = replace(shoal.published.Published.plain(shoal.data.Transactions.nothing(3)), relational=columns)
    assert shoal.metrics.ClassSizes().of(Comparison(rows, rows))["discernibility"] == 5
    seen = replace(rows, classes=shoal.published.Grouping(np.array([0, 0, 0]), 1))
    assert list(shoal.metrics.ClassSizes().of(Comparison(rows, seen)).values()) == [9, 3, 3, 3]


def test_the_report_words_them() -> None:
    columns = relational([(10, 12)] * 2, [(0, 1)] * 2)
    was = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a"], []], ITEMS))
    found = measure_all(Comparison(was, replace(published([[0, 1]], [[0], []]), relational=columns)))
    shown = {title: (value, meaning) for title, value, meaning in sentences.loss_rows(found)}
    assert all(meaning for _, meaning in shown.values())
    assert shown["Normalized certainty penalty of column 'age'"][0] == "40 %"
    assert shown["Utility loss (UL)"][0] == "50 %"
    assert shown["Records per class"][0] == "2"


# ARE: the oracle lists every original that a record may come from.


def held(covers: list[list[int]], row: list[int], asked: list[int]) -> Fraction:
    """The share of the sets that a row's labels may stand for in which each asked item is in the label meant for it."""
    meant: dict[int, set[int]] = {}
    for item in asked:
        fitting = sorted((len(covers[at]), at) for at in row if item in covers[at])
        if not fitting:
            return Fraction(0)
        meant.setdefault(fitting[0][1], set()).add(item)
    chance = Fraction(1)
    for at, needed in meant.items():
        cover = covers[at]
        subsets = [set(one) for n in range(1, len(cover) + 1) for one in itertools.combinations(cover, n)]
        chance *= Fraction(sum(needed <= one for one in subsets), len(subsets))
    return chance


def values_of(at: int, ends: tuple[int, int]) -> set[int]:
    """Every value that an interval stands for."""
    low, high = ends
    last = (15, 2)[at]
    if high == GONE:
        return {GONE} if low == GONE else {*range(low, last + 1), GONE}
    return set(range(low, high + 1))


QUERIES: dict[str, list[tuple[str | None, tuple[int, int]]]] = {
    "age": [("12", (12, 12)), ("[11:14]", (11, 14)), ("[0:99]", (10, 15)), (None, (GONE, GONE)), ("*", (10, GONE))],
    "kind": [("p", (0, 0)), ("S", (0, 1)), (None, (GONE, GONE)), ("All", (0, GONE))],
}


@examples(200)
@given(data=st.data(), given_=labelled())
def test_expected_counts(data: st.DataObject, given_: tuple[list[list[int]], list[list[int]]]) -> None:
    covers, rows = given_
    ages, kinds = (
        data.draw(st.lists(st.sampled_from(some), min_size=len(rows), max_size=len(rows))) for some in (AGES, KINDS)
    )
    made = published(covers, rows, relational(ages, kinds))
    asked = data.draw(st.lists(st.integers(0, 4), unique=True, max_size=3))
    chosen = {name: data.draw(st.sampled_from(some)) for name, some in QUERIES.items() if data.draw(st.booleans())}
    if not asked and not chosen:
        return
    query = Query({name: text for name, (text, _) in chosen.items()}, tuple(ITEMS[item] for item in asked))
    want = Fraction(0)
    for row, age, kind in zip(rows, ages, kinds, strict=True):
        chance = held(covers, row, asked)
        for at, (name, ends) in enumerate((("age", age), ("kind", kind))):
            if name in chosen:
                stands = values_of(at, ends)
                chance *= Fraction(len(stands & values_of(at, chosen[name][1])), len(stands))
        want += chance
    assert expected_counts(made, Workload((query,))).tolist() == pytest.approx([float(want)], abs=1e-12)


@examples(50)
@given(data=st.data(), seed=st.integers(0, 9))
def test_are_of_the_original_is_exactly_0(data: st.DataObject, seed: int) -> None:
    rows = data.draw(st.lists(st.lists(st.integers(0, 4), unique=True), min_size=1, max_size=8))
    single = [[pair for pair in some if pair[0] == pair[1]] for some in (AGES, KINDS)]
    ages, kinds = (
        data.draw(st.lists(st.sampled_from(some), min_size=len(rows), max_size=len(rows))) for some in single
    )
    original = published([[at] for at in range(5)], rows, relational(ages, kinds))
    original = replace(original, rows=replace(original.rows, labels=ITEMS))
    longest = max(map(len, rows))
    workload = Workload.generated(original, 5, items=min(2, longest), seed=seed)
    assert [query.items for query in workload] == [
        query.items for query in Workload.generated(original, 5, items=min(2, longest), seed=seed)
    ]
    found = are(original, original, workload)
    assert found.mean == 0
    assert (found.errors == 0).all()
    assert (found.true > 0).all()
    assert original.relational is not None
    records = list(zip(original.rows.sets(), *original.relational.columns(), strict=True))
    for query, count in zip(workload, true_counts(original, workload).tolist(), strict=True):
        wanted = [query.values["age"], query.values["kind"]]
        assert count == sum(set(query.items) <= items and wanted == values for items, *values in records)


def test_relative_errors_and_the_sanity_bound() -> None:
    was = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a"], ["b"], ["a", "b"]], ITEMS))
    now = published([[0, 1]], [[0], [0], [0]])  # each with a, b or both: a in 2 of 3
    workload = Workload((Query(items=("a",)), Query(items=("a", "b")), Query(items=("c",))))
    found = are(was, now, workload, sanity=4)
    assert (found.true.tolist(), found.expected.tolist()) == ([2, 1, 0], pytest.approx([2, 1, 0]))
    assert found.mean == pytest.approx(0)
    found = are(was, published([[0, 1]], [[0], [], []]), workload, sanity=4)
    assert found.errors.tolist() == pytest.approx([(2 - 2 / 3) / 4, (1 - 1 / 3) / 4, 0])
    assert ARE(workload, 4).of(Comparison(was, published([[0, 1]], [[0], [], []]))) == {"are": found.mean}
    assert ARE().of(Comparison(was, now)) == {}
    assert "are" not in measure_all(Comparison(was, now))
    for wrong in (0, -1, math.nan):
        with pytest.raises(OptionError, match="sanity bound must be above 0"):
            are(was, now, workload, wrong)
    with pytest.raises(DataError, match="The original data have 3 rows and the published data 1"):
        are(was, published([[0]], [[0]]), workload)


def test_errors_by_size_of_query() -> None:
    """By hand: a is in 2 of 3 records and expected in 2/3, b likewise, both in 1 and expected in 1/3."""
    was = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a"], ["b"], ["a", "b"]], ITEMS))
    now = published([[0, 1]], [[0], [], []])
    found = are(was, now, Workload((Query(items=("a", "b")), Query(items=("a",)), Query(items=("b",)))))
    assert list(found.by_size) == ["2 items", "1 item"]
    assert found.by_size == pytest.approx({"2 items": 2 / 3, "1 item": 2 / 3})
    assert found.mean == pytest.approx(2 / 3)
    found = are(was, now, Workload((Query(items=("a",)), Query(items=("c",)))))
    assert found.by_size == pytest.approx({"1 item": (2 / 3 + 0) / 2})


def test_so_many_queries_of_each_size() -> None:
    rows = shoal.published.Published.plain(shoal.data.Transactions.from_sets([["a"], ["a", "b"], ["a", "b", "c"]]))
    drawn = Workload.generated(rows, 4, items=(1, 3, 2), seed=3)
    assert [len(query.items) for query in drawn] == [1] * 4 + [3] * 4 + [2] * 4
    assert [query.place for query in drawn][::11] == ["query 1", "query 12"]
    assert [query.items for query in drawn][:4] == [
        query.items for query in Workload.generated(rows, 4, items=1, seed=3)
    ]
    assert set(are(rows, rows, drawn).by_size.values()) == {0}
    for wrong in ((), (1, 1)):
        with pytest.raises(OptionError, match="items must be a number or several different numbers"):
            Workload.generated(rows, 4, items=wrong)
    with pytest.raises(OptionError, match="got 0 of both"):
        Workload.generated(rows, 4, items=(1, 0))
    with pytest.raises(OptionError, match="cannot ask for 4 items"):
        Workload.generated(rows, 4, items=(1, 4))


def test_workloads_are_files(tmp_path: Path) -> None:
    made = Workload((Query({"age": "[11:14]", "kind": None}, ("a", "é")), Query(items=("b",)), Query({"age": "12"})))
    made.save(tmp_path / "w.jsonl")
    text = (tmp_path / "w.jsonl").read_text(encoding="utf-8")
    assert json.loads(text.splitlines()[0]) == {"age": "[11:14]", "kind": None, "items": ["a", "é"]}
    again = Workload.load(tmp_path / "w.jsonl")
    assert [(query.values, query.items) for query in again] == [(query.values, query.items) for query in made]
    (tmp_path / "w.jsonl").write_text('\n{"age": 12, "items": [7]}\n', encoding="utf-8")
    [query] = Workload.load(tmp_path / "w.jsonl")
    assert (query.values, query.items) == ({"age": "12"}, ("7",))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "has no queries"),
        ("{", "line 1 is not JSON"),
        ("[1]", "line 1 is not an object: write a query such as"),
        ("{}", "line 1 asks for nothing"),
        ('{"items": "a"}', "'items' must be a list of items"),
        ('{"items": ["a", "a"]}', "asks for item 'a' twice"),
        ('{"age": "1", "age": "2"}', "line 1 names 'age' twice: remove one"),
        ('{"age": ["1"]}', "column 'age' must have one value"),
        ('{"aeg": "1"}', "line 1 asks for column 'aeg' (did you mean 'age'?), which is not a quasi-identifier"),
        ('{"age": "old"}', "line 1: Column 'age': 'old' is neither a number nor a range"),
        ('{"kind": "P"}', "line 1: Column 'kind': 'P' is neither a value nor a group"),
        ('{"items": ["x"]}', "line 1 asks for 'x', which is not an item of the data"),
    ],
)
def test_bad_workloads(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "w.jsonl").write_text(line + "\n", encoding="utf-8")
    made = published([[0]], [[0]], relational([(12, 12)], [(0, 0)]))
    with pytest.raises(DataError) as error:
        expected_counts(made, Workload.load(tmp_path / "w.jsonl"))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"queries": 0}, "queries must be at least 1, got 0"),
        ({"items": -1}, "items must be at least 0, got -1"),
        ({"items": 0, "values": 0}, "must ask for a value or an item"),
        ({"items": 4}, "cannot ask for 4 items, because no record has as many: ask for at most 3"),
        ({"values": 3}, "cannot ask for 3 values, because there are 2 quasi-identifiers: ask for at most 2"),
    ],
)
def test_workloads_that_cannot_be_drawn(options: dict[str, int], said: str) -> None:
    made = published([[0], [1], [2]], [[0, 1, 2], []], relational([(12, 12)] * 2, [(0, 0)] * 2))
    with pytest.raises(OptionError) as error:
        Workload.generated(made, **options)
    assert said in str(error.value)
    assert len(Workload.generated(made, 3, items=0)) == 3
    bare = published([[0]], [[], []], made.relational)  # a table without sets
    assert {query.items for query in Workload.generated(bare, 3)} == {()}


def test_a_column_called_items_cannot_be_asked_for(tmp_path: Path) -> None:
    ages = np.array([3])
    made = replace(published([[0]], [[0]]), relational=Relational.of_rows((OrderedAttribute("items", 3, 4),), [ages]))
    with pytest.raises(OptionError, match="queries cannot ask for a column called 'items'"):
        Workload.generated(made, items=1)
    with pytest.raises(OptionError, match="queries cannot ask for a column called 'items'"):
        Workload((Query({"items": "3"}),)).save(tmp_path / "w.jsonl")
    assert len(Workload.generated(made, 2, values=0, items=1)) == 2


def test_queries_of_a_size_do_not_depend_on_others() -> None:
    raw = shoal.published.Published.plain(
        shoal.data.Transactions.from_sets([["a", "b", "c"], ["b", "c"], ["a", "c", "d"], ["d"]] * 5)
    )
    alone = shoal.metrics.Workload.generated(raw, 10, 0, 2, seed=3)
    for sizes in ((1, 2), (2, 1), (2, 3)):
        both = shoal.metrics.Workload.generated(raw, 10, 0, sizes, seed=3)
        assert [query.items for query in both if len(query.items) == 2] == [query.items for query in alone]
