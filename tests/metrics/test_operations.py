"""Measures of added and deleted items: by hand on P1's example, and against a slow oracle on random data.

Covers: metrics/change.py, metrics/kl.py, metrics/privacy_value.py.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import Hierarchy, discovery
from shoal.data import Transactions
from shoal.data.arrays import csr_from_pairs
from shoal.data.sensitive import Sensitive
from shoal.errors import DataError
from shoal.metrics.base import Measure
from shoal.metrics.change import Change
from shoal.metrics.comparison import Comparison
from shoal.metrics.kl import divergence
from shoal.published import Grouping, Published
from shoal.release.pipeline import measure_all
from shoal.report import sentences
from tests.budget import examples

QID, SI = ("e1", "e2", "e3", "e4", "e5"), ("e6", "e7")
BEFORE = [
    *("e2 e4 e6", "e1 e2 e3 e7", "e3 e4 e5 e6 e7", "e1 e3 e4 e5", "e1 e2 e4", "e2 e4 e5", "e1 e3", "e4 e5"),
    *("e1 e5", "e2 e4", "e2 e4"),
]
AFTER = list(BEFORE)
for _members, _row in (((1, 5, 11), "e2 e4 e6"), ((2, 7, 10), "e1 e2 e3 e7"), ((3, 4, 8), "e3 e4 e5 e6 e7")):
    for _member in _members:
        AFTER[_member - 1] = _row
GROUPS = (0, 1, 2, 2, 0, -1, 1, 2, -1, 1, 0)


def table(
    rows: Sequence[Collection[str]],
    qid: Sequence[str],
    si: Sequence[str] = (),
    groups: Sequence[int] | None = None,
    least: int = 1,
) -> Published:
    """Rows as published, their labels as they are named, each standing for itself."""
    known = Transactions.from_sets([[item for item in row if item in qid] for row in rows], qid)
    hidden = Transactions.from_sets([[item for item in row if item in si] for row in rows], si)
    grouping = None if groups is None else Grouping(np.array(groups, dtype=np.int64), least)
    return replace(Published.plain(known, Sensitive(hidden, hidden, frozenset(si), frozenset())), grouping=grouping)


def relabelled(published: Published) -> Published:
    """The same data, with the labels of the rows, and of the sensitive items, in the opposite order."""
    flipped = np.arange(len(published.rows.labels), dtype=np.int32)[::-1]
    rows = published.rows.recode(flipped, published.rows.labels[::-1])
    hidden = published.sensitive
    assert hidden is not None
    turned = np.arange(len(hidden.items.labels), dtype=np.int32)[::-1]
    items = hidden.items.recode(turned, hidden.items.labels[::-1])
    covers = np.arange(len(flipped) + 1), flipped
    return Published(rows, *covers, published.items, replace(hidden, items=items, values=items), published.grouping)


def measured(original: Published, published: Published) -> dict[str, float]:
    """The three measures together."""
    three: list[Measure] = [shoal.metrics.Operations(), shoal.metrics.KLDivergence(), shoal.metrics.PrivacyValue()]
    return {name: value for measure in three for name, value in measure.of(Comparison(original, published)).items()}


RAW = table([row.split() for row in BEFORE], QID, SI)
FLIPPED = table([row.split() for row in AFTER], QID, SI, GROUPS, 3)


@pytest.mark.parametrize("published", [FLIPPED, relabelled(FLIPPED)], ids=["in order", "labels in another order"])
def test_the_papers_example(published: Published) -> None:
    """By hand. Group 1 {T1,T5,T11} -> e2 e4 e6:          T5 -e1 +e6, T11 +e6.
    Group 2 {T2,T7,T10} -> e1 e2 e3 e7:    T7 +e2 +e7, T10 +e1 +e3 -e4 +e7.
    Group 3 {T3,T4,T8} -> e3 e4 e5 e6 e7:  T4 -e1 +e6 +e7, T8 +e3 +e6 +e7.
    """
    values = measured(RAW, published)
    # QID: e2, e1, e3 in group 2, e3 in group 3; sensitive: 2 + 2 + 4
    assert (values["qid_additions"], values["sensitive_additions"]) == (4, 8)
    assert (values["qid_deletions"], values["sensitive_deletions"]) == (3, 0)
    assert values["operations"] == 12 + 3
    # Every share goes from 1/3 to 0 (e1, e4, e1) or from 2/3 to 1 (e1, e2, e3, e3): ln(3/2) each, 7 in all;
    # or from 1/3 to 1 (e6, e7, e6, e7): ln 3 each, 4 in all.
    assert values["kl"] == pytest.approx(7 * math.log(1.5) + 4 * math.log(3), abs=1e-12)
    assert values["kl_mean"] == pytest.approx((7 * math.log(1.5) + 4 * math.log(3)) / 3, abs=1e-12)
    # Modified: e1 e6 | e1 e2 e3 e4 e7 | e1 e3 e6 e7, so I' = (2 + 5 + 4) / 3 of 7 items; k = 3.
    assert values["modified_items"] == pytest.approx(11 / 3, abs=1e-12)
    assert values["privacy_value"] == pytest.approx(3 * 2 ** (-10 / 3), abs=1e-12)
    assert values["privacy_value_log2"] == pytest.approx(math.log2(3) - 10 / 3, abs=1e-12)


def test_what_a_report_may_ask() -> None:
    made = Change.of(RAW, FLIPPED)
    assert made is not None
    assert (made.labels, made.n_qid) == (QID + SI, 5)
    assert made.before.tolist() == [5, 6, 4, 8, 5, 2, 2]
    assert made.after.tolist() == [4, 7, 6, 7, 5, 6, 6]  # e6: groups 1 and 3; e7: groups 2 and 3
    assert sorted(zip(made.deleted.rows.tolist(), made.deleted.items.tolist(), strict=True)) == [(3, 0), (4, 0), (9, 3)]
    assert made.added.rows.tolist() == [3, 3, 4, 6, 6, 7, 7, 7, 9, 9, 9, 10]


def test_without_groups_there_is_nothing_to_say() -> None:
    assert measured(RAW, replace(FLIPPED, grouping=None)) == {}
    assert set(measure_all(Comparison(RAW, replace(FLIPPED, grouping=None)))) == {"ncp", "lm", "lm_sum"}
    assert set(measure_all(Comparison(RAW, FLIPPED))) > {"ncp", "kl", "operations", "privacy_value"}


def test_generalized_labels_say_nothing() -> None:
    tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}})
    original = Published.plain(tree.encode(Transactions.from_sets([["a1"], ["b1"]])))
    for rows, silent in (([["A"], ["b1"]], True), ([["a1"], ["B"]], False)):  # B is b1 by another name
        groups = Grouping(np.zeros(2, dtype=np.int64), 2)
        published = replace(Published.resolve(Transactions.from_sets(rows), tree), grouping=groups)
        assert published.generalized is silent
        assert (Change.of(original, published) is None) is silent
        assert measured(original, published).get("operations") == (None if silent else 0)


def test_a_label_of_a_group_that_no_row_holds_is_not_published() -> None:
    tree = Hierarchy.from_tree({"ALL": ["a", "b"]})
    rows = Transactions.from_sets([["a"]], ["a", "ALL"])
    assert not Published.resolve(rows, tree).generalized


def test_two_labels_of_one_item_are_that_item_once() -> None:
    original = Published.plain(Transactions.from_sets([["a"], []], ["a"]))
    rows = Transactions.from_sets([["a", "also a"], ["a", "also a"]], ["also a", "a"])
    made = Change.of(original, Published(rows, np.arange(3), np.zeros(2, dtype=np.int32), ("a",)))
    assert made is not None
    assert (made.qid_additions, made.qid_deletions, made.added.rows.tolist()) == (1, 0, [1])


def test_a_permutation_inside_a_group_moves_no_share() -> None:
    before = [["a", "x"], ["a", "y"], ["b"], ["b", "x"]]
    after = [["a", "y"], ["a", "x"], ["b", "x"], ["b"]]
    values = measured(table(before, "ab", "xy"), table(after, "ab", "xy", [0, 0, 1, 1], 2))
    assert values["kl"] == values["kl_mean"] == 0.0
    assert (values["sensitive_additions"], values["sensitive_deletions"], values["operations"]) == (3, 3, 6)
    assert values["modified_items"] == 1.5  # x and y in the first group, x in the second
    assert values["privacy_value"] == 2 * 2 ** (1.5 - 4)


@pytest.mark.parametrize(
    ("before", "after"),
    [([[], []], [["a"], []]), ([["a"], ["a"]], [["a"], []]), ([["a"], ["a"]], [[], []])],
    ids=["none had it", "all had it", "all lost it"],
)
def test_infinite(before: list[list[str]], after: list[list[str]]) -> None:
    values = measured(table(before, "ab"), table(after, "ab", "", [0, 0], 2))
    assert values["kl"] == values["kl_mean"] == math.inf
    assert values["privacy_value"] == 2 * 2.0 ** (1 - 2)


def test_rows_in_no_group() -> None:
    """Their operations count; for the groups they do not exist."""
    before, after = [["a"], ["a"], ["b"], ["a"]], [["a"], ["b"], ["b"], ["b"]]
    values = measured(table(before, "ab"), table(after, "ab", "", [-1, 0, 0, -1], 2))
    assert (values["qid_additions"], values["qid_deletions"]) == (2, 2)
    assert values["kl"] == pytest.approx(2 * math.log(2), abs=1e-12)  # a: 1/2 -> 0, b: 1/2 -> 1
    assert values["modified_items"] == 2
    none = measured(table(before, "ab"), table(after, "ab", "", [-1] * 4, 2))
    assert (none["kl"], none["kl_mean"], none["modified_items"], none["operations"]) == (0, 0, 0, 4)
    assert none["privacy_value"] == 2 * 2**-2


def test_no_rows_at_all() -> None:
    values = measured(table([], "a"), table([], "a", "", [], 0))
    assert set(values.values()) == {0, 0.5, -1}


def test_the_privacy_value_of_many_items() -> None:
    items = [f"i{at:04}" for at in range(5000)]
    values = measured(table([["i0000"], []], items), table([[], []], items, "", [0, 0], 2))
    assert values["privacy_value"] == 0.0  # below all that floating point can say
    assert values["privacy_value_log2"] == 1 + 1 - 5000


def test_rows_and_labels_must_fit() -> None:
    for measure in (shoal.metrics.Operations(), shoal.metrics.KLDivergence(), shoal.metrics.PrivacyValue()):
        with pytest.raises(DataError, match="The original data have 1 rows and the published data 2"):
            measure.of(Comparison(table([["a"]], "ab"), table([["a"], []], "ab", "", [0, 0])))
        with pytest.raises(DataError, match="do not have the item codes of the published data"):
            measure.of(Comparison(table([["a"]], "abc"), table([["a"]], "ab", "", [0])))


def test_sensitive_items_that_only_one_side_knows() -> None:
    values = measured(table([["a", "x"], ["a"]], "a", "x"), table([["a"], ["a", "y"]], "a", "y", [0, 0], 2))
    assert (values["sensitive_additions"], values["sensitive_deletions"]) == (1, 1)
    assert values["privacy_value_log2"] == 1 + 2 - 3  # of a, x, y the latter two were changed
    bare = replace(table([["a"], ["a"]], "a", "", [0, 0], 2), sensitive=None)
    assert measured(table([["a", "x"], ["a"]], "a", "x"), bare)["sensitive_deletions"] == 1


def test_every_value_is_explained_once() -> None:
    names = [name for cls in discovery.find("shoal.metrics", Measure).values() for name in cls.meanings]
    assert len(set(names)) == len(names)
    assert set(measured(RAW, FLIPPED)) <= set(names)
    meaning = shoal.metrics.PrivacyValue.meanings["privacy_value"][1]
    assert "more items were changed" in meaning
    assert "is no guarantee" in meaning


def test_the_report_words_them() -> None:
    shown = sentences.loss_rows(measured(RAW, FLIPPED) | {"kl": None})  # facts have null for infinite
    assert all(title and meaning for title, _, meaning in shown)
    values = {title: value for title, value, _ in shown}
    assert values["Items added or deleted"] == "15"
    assert (values["KL divergence"], values["KL divergence, per group"]) == ("infinite", "2.411")
    assert (values["Privacy value"], values["Items changed per group"]) == ("2.98e-01", "3.667")


def test_flat_hierarchies_resolve_plain_labels() -> None:
    tree = Hierarchy.flat(["b", "(a,b)", "*"])
    made = Published.resolve(Transactions.from_sets([["(a,b)", "*"], ["b"]]), tree)
    assert not made.generalized
    assert [tree.items[made.cover(code)[0]] for code in range(3)] == list(made.rows.labels)


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[frozenset[str]], list[frozenset[str]], list[int], int]:
    """Rows before and after, the group of each row, and k; often with little or nothing changed."""
    rows = draw(st.integers(0, 10))
    sets = st.frozensets(st.sampled_from("abcxyz"), max_size=5)
    before = draw(st.lists(sets, min_size=rows, max_size=rows))
    after = [draw(st.one_of(st.just(row), sets, sets.map(row.union))) for row in before]
    marks = draw(st.lists(st.integers(-1, 2), min_size=rows, max_size=rows))
    groups = Grouping.numbered(np.array(marks, dtype=np.int64), 1).of.tolist()
    return before, after, groups, draw(st.integers(1, 6))


def log_ratio(one: Fraction, other: Fraction) -> float:
    """Its share times ln(one / other); 0 ln 0 = 0."""
    return 0.0 if one == 0 else math.inf if other == 0 else float(one) * math.log(one / other)


@examples(400)
@given(made=changes())
def test_against_sets_and_fractions(
    made: tuple[list[frozenset[str]], list[frozenset[str]], list[int], int],
) -> None:
    before, after, groups, k = made
    pairs = list(zip(before, after, strict=True))
    kl, modified = [], []
    for group in range(max(groups, default=-1) + 1):
        members = [pair for pair, of in zip(pairs, groups, strict=True) if of == group]
        for item in "abcxyz":
            r, s = (Fraction(sum(item in pair[at] for pair in members), len(members)) for at in (0, 1))
            kl.append(log_ratio(s, r) + log_ratio(1 - s, 1 - r))
        modified.append(len(frozenset().union(*(was ^ now for was, now in members))))
    original, published = table(before, "abc", "xyz"), table(after, "abc", "xyz", groups, k)
    values = measured(original, published)
    assert measured(original, relabelled(published)) == values
    count = len(modified)
    assert values["kl"] == pytest.approx(math.fsum(kl), abs=1e-12)
    assert values["kl_mean"] == pytest.approx(math.fsum(kl) / max(1, count), abs=1e-12)
    assert values["modified_items"] == pytest.approx(sum(modified) / max(1, count), abs=1e-12)
    assert values["privacy_value"] == pytest.approx(k * 2 ** (values["modified_items"] - 6), abs=1e-12)
    assert values["privacy_value_log2"] == pytest.approx(math.log2(values["privacy_value"]), abs=1e-12)
    for name, some in (("qid", set("abc")), ("sensitive", set("xyz"))):
        assert values[f"{name}_additions"] == sum(len((now - was) & some) for was, now in pairs)
        assert values[f"{name}_deletions"] == sum(len((was - now) & some) for was, now in pairs)
    assert values["operations"] == sum(len(was ^ now) for was, now in pairs)


@given(size=st.integers(1, 10**6), data=st.data())
def test_one_share_to_twelve_digits(size: int, data: st.DataObject) -> None:
    """Never below nothing, and the same seen from the rows that do not have the item."""
    before, after = data.draw(st.integers(0, size)), data.draw(st.integers(0, size))
    value = divergence(size, before, after)
    r, s = Fraction(before, size), Fraction(after, size)
    assert value == pytest.approx(log_ratio(s, r) + log_ratio(1 - s, 1 - r), abs=1e-12)
    assert value >= -1e-18
    assert value == divergence(size, size - before, size - after)


@pytest.mark.slow
def test_half_a_million_rows() -> None:
    """No step of it goes row by row: that would take minutes. Every row loses one of its ten items."""
    rows, width, each = 500_000, 1000, 10
    start = np.arange(rows, dtype=np.int64) * 7 % (width - each)
    codes = (start[:, None] + np.arange(each)).ravel()
    labels = tuple(f"i{at:03}" for at in range(width))
    full = Transactions(*csr_from_pairs(np.repeat(np.arange(rows), each), codes, rows), labels)
    fewer = Transactions(np.arange(rows + 1) * (each - 1), full.items[np.arange(rows * each) % each > 0], labels)
    published = replace(Published.plain(fewer), grouping=Grouping(np.arange(rows, dtype=np.int64) // 5, 5))
    values = measured(Published.plain(full), published)
    assert (values["qid_deletions"], values["qid_additions"]) == (rows, 0)
    # each row loses its first item, and those of the five rows of a group differ
    assert values["modified_items"] == 5
