"""Privacy degree: the verifier against counting, GraySort against a slow one, and that dealing hides holders.

Covers: algorithms/graysort.py, recoding/flips.py.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, Infeasible, OptionError
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from tests.budget import examples

Row = frozenset[str]
SECRET = ("s0", "s1", "s2")
QID = tuple(f"q{item}" for item in range(5))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], int]:
    """Rows, some with sensitive items, and p."""
    known = st.frozensets(st.sampled_from(QID), max_size=3)
    secret = st.one_of(
        *([st.just(frozenset[str]())] * 3), st.frozensets(st.sampled_from(SECRET), min_size=1, max_size=2)
    )
    rows = [draw(known) | draw(secret) for _ in range(draw(st.integers(2, 18)))]
    rows[0] |= {QID[0], SECRET[0]}
    return rows, draw(st.integers(2, 4))


def problem_of(rows: Sequence[Row], p: int, seed: int = 0) -> shoal.Problem:
    data = shoal.read([sorted(row) for row in rows])
    secret = tuple(label for label in SECRET if label in data.transactions.labels)
    flat = shoal.Hierarchy.flat([*QID, *data.transactions.labels])
    return shoal.Problem(data, flat, shoal.models.PrivacyDegree(p=p, sensitive=secret), seed=seed)


def groups_of(release: shoal.Release) -> list[list[int]]:
    """The rows of each group, by the column that is published."""
    table = release.dataset.table
    assert table is not None
    found: dict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(table.arrow.column("group").to_pylist()):
        found[group].append(row)
    assert list(found) == list(range(1, len(found) + 1))  # numbered by first rows: tells nothing of the search
    return list(found.values())


def gray_grouped(rows: Sequence[Row], p: int, alpha: int) -> list[list[int]]:
    """CAHD in the order of Gray codes, slowly."""
    known, secret = [row - set(SECRET) for row in rows], [row & set(SECRET) for row in rows]
    numbers = [sum(1 << (len(QID) - 1 - QID.index(item)) for item in row) for row in known]
    order = sorted(range(len(rows)), key=lambda row: (numbers[row] ^ numbers[row] >> 1, row))
    used: set[int] = set()
    groups = []
    for seed in [row for row in order if secret[row]]:
        if seed in used:
            continue
        near = [
            row
            for row in order
            if row not in used and row != seed and abs(order.index(row) - order.index(seed)) <= alpha * p
        ]
        group = [seed]
        for row in sorted(near, key=lambda row: (-len(known[row] & known[seed]), row)):
            if len(group) < p and not any(secret[row] & secret[member] for member in group):
                group.append(row)
        rest = [row for row in range(len(rows)) if row not in used | set(group)]
        left = Counter(item for row in rest for item in secret[row])
        if len(group) == p and all(count * p <= len(rest) for count in left.values()):
            groups.append(group)
            used |= set(group)
    last = [row for row in range(len(rows)) if row not in used]
    return sorted(sorted(group) for group in [*groups, last] if group)


@examples(300)
@given(tables(), st.integers(1, 2))
def test_against_a_slow_one(case: tuple[list[Row], int], alpha: int) -> None:
    rows, p = case
    problem = problem_of(rows, p)
    counts = Counter(item for row in rows for item in row & set(SECRET))
    if any(count * p > len(rows) for count in counts.values()):
        with pytest.raises(Infeasible, match=rf"allows a sensitive item in at most 1 of {p} records, but 's\d' is in"):
            shoal.anonymize(problem)
        return
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.GraySort(alpha))
    groups = groups_of(release)
    assert sorted(groups) == gray_grouped(rows, p, alpha)
    shown = release.published.as_written.sets()
    for group in groups:
        held = Counter(item for row in group for item in rows[row] & set(SECRET))
        assert Counter(item for row in group for item in shown[row] & set(SECRET)) == held
        assert all(count * p <= len(group) for count in held.values())
    assert [row - set(SECRET) for row in shown] == [row - set(SECRET) for row in rows]


@examples(200)
@given(tables(), st.data())
def test_the_verifier_counts(case: tuple[list[Row], int], data: st.DataObject) -> None:
    rows, p = case
    of = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    problem = problem_of(rows, p)
    seen = replace(problem.prepared.original, grouping=shoal.published.Grouping.numbered(np.array(of), p))
    wrong = [
        (group, item)
        for group, item in itertools.product(set(of), SECRET)
        if (members := [row for row, one in zip(rows, of, strict=True) if one == group])
        and sum(item in row for row in members) * p > len(members)
    ]
    verdict = problem.model.verify(seen)
    assert verdict.holds == (not wrong)
    assert verdict.violations == len(wrong)
    assert (problem.model.risk(seen).degrees["likely"][1][0] > 0) == bool(wrong)


@examples(100)
@given(tables(), st.integers(0, 5), st.randoms(use_true_random=False))
def test_nobody_can_tell_who_held_what(case: tuple[list[Row], int], seed: int, rng: object) -> None:
    """Whoever of a group held its sensitive items, the same is published: there is nothing to turn back."""
    rows, p = case
    problem = problem_of(rows, p, seed)
    grouping = shoal.published.Grouping.numbered(np.arange(len(rows)) % 2, p)
    once = shoal.recoding.Reshuffled(grouping, seed).apply(problem.prepared.items, problem.prepared.sensitive_part)
    swapped = list(rows)
    for group in range(2):
        members = np.flatnonzero(grouping.of == group).tolist()
        for item in SECRET:
            holders = sum(item in rows[row] for row in members)
            for row in members:
                swapped[row] -= {item}
            for row in rng.sample(members, holders):  # type: ignore[attr-defined]
                swapped[row] |= {item}
    other = problem_of(swapped, p, seed)
    again = shoal.recoding.Reshuffled(grouping, seed).apply(problem.prepared.items, other.prepared.sensitive_part)
    assert again.as_written.sets() == once.as_written.sets()


def test_dealing_favours_no_row() -> None:
    """Over many seeds each row of a group gets an item about equally often."""
    rows = [frozenset({"q0", "s0"}), *[frozenset({"q0"})] * 4]
    problem = problem_of(rows, 5)
    grouping = shoal.published.Grouping(np.zeros(5, dtype=np.int64), 5)
    counts = np.zeros(5)
    for seed in range(1000):
        published = shoal.recoding.Reshuffled(grouping, seed).apply(
            problem.prepared.items, problem.prepared.sensitive_part
        )
        assert published.sensitive is not None
        counts += published.sensitive.values.sizes
    assert 150 < counts.min() <= counts.max() < 250


def test_without_groups_there_is_nothing_to_verify() -> None:
    problem = problem_of([frozenset({"q0", "s0"}), frozenset({"q1"})], 2)
    with pytest.raises(OptionError, match="these rows have no groups"):
        problem.model.verify(problem.prepared.original)
    with pytest.raises(OptionError, match=r"has no column 'group' with the group .*none.*group_column="):
        problem.model.validated_view(problem.data)
    partial = replace(problem.prepared.original, grouping=shoal.published.Grouping(np.array([0, -1]), 2))
    with pytest.raises(DataError, match="record 2 is in no group"):
        problem.model.verify(partial)


def test_a_frame_gets_a_column_and_a_taken_name_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"group": ["x"] * 4, "items": [["a", "HIV"], ["b"], ["c"], ["d"]]})
    data = shoal.read(frame, sets="items")
    flat = shoal.Hierarchy.flat(data.transactions.labels)
    with pytest.raises(OptionError, match="has a column 'group' already, which privacy degree p adds: choose another"):
        shoal.anonymize(shoal.Problem(data, flat, shoal.models.PrivacyDegree(p=2, sensitive=("HIV",))))
    model = shoal.models.PrivacyDegree(p=2, sensitive=("HIV",), group_column="bundle")
    release = shoal.anonymize(shoal.Problem(data, flat, model))
    assert set(release.data.columns) == {"group", "items", "bundle"}
    assert model.verify(model.validated_view(shoal.read(release.data, sets="items"))).holds


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_dropped_column_does_not_come_back_as_the_groups(kind: str) -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind]
    rows = [["a", "HIV"], ["b"], ["c"], ["d"]]
    data = shoal.read(make({"items": rows, "group": ["w", "x", "y", "z"]}), sets="items").keep_columns([])
    model = shoal.models.PrivacyDegree(p=2, sensitive=("HIV",))
    release = shoal.anonymize(shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model))
    assert model.verify(model.validated_view(shoal.read(release.data, sets="items"))).holds
    assert sorted(map(str, release.data["group"])) == ["1", "1", "2", "2"]
    data = shoal.read(make({"group": rows}))
    with pytest.raises(OptionError, match="has a column 'group' already"):
        shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model)


def test_groups_of_a_column() -> None:
    """Equal values are a group, whatever their type; nothing, blanks and NaN are none."""
    pa = pytest.importorskip("pyarrow")
    for values, wanted in (
        (["b", "a", "b", " ", None], [0, 1, 0, -1, -1]),
        ([1.5, float("nan"), 1.5, None, 2.0], [0, -1, 0, -1, 1]),
        (pa.array([1, 2, 1, None, 2], pa.time64("ns")), [0, 1, 0, -1, 1]),
        ([True, False, True, None, None], [0, 1, 0, -1, -1]),
        (["1", "1 ", "01", "1", "1.0"], [0, 1, 2, 0, 3]),
    ):
        data = shoal.read(pa.table({"items": [["a"]] * 5, "g": values}), sets="items")
        made = shoal.published.Grouping.of_column(data, "g", 2)
        assert made.of.tolist() == wanted
        assert len(made.names) == len(made)
    for values in ([[1], [2]], [{"a": 1}, {"a": 2}]):
        data = shoal.read(pa.table({"items": [["a"]] * 2, "g": values}), sets="items")
        with pytest.raises(DataError, match="must hold plain values"):
            shoal.published.Grouping.of_column(data, "g", 2)


@pytest.mark.parametrize("kind", ["list", "series", "polars", "polars series", "arrow", "arrow column"])
def test_no_kind_of_data_loses_its_groups(kind: str) -> None:
    """Without them the sensitive items would look like facts about records."""
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    rows = [["a", "HIV"], ["b"], ["c"], ["d"]]
    source = {
        "list": rows,
        "series": pd.Series(rows),
        "polars": pl.DataFrame({"items": rows}),
        "polars series": pl.Series("items", rows),
        "arrow": pa.table({"items": rows}),
        "arrow column": pa.array(rows),
    }[kind]
    data = shoal.read(source)
    model = shoal.models.PrivacyDegree(p=2, sensitive=("HIV",))
    release = shoal.anonymize(shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model))
    groups = release.data["group"]
    assert (groups.to_pylist() if isinstance(release.data, pa.Table) else groups.to_list()) == [1, 1, 2, 2]
    assert model.verify(model.validated_view(shoal.read(release.data))).holds


def test_real_data(real_data: Path) -> None:
    """Whole groceries: checked by counting, and the same with any number of workers."""
    data = shoal.read(real_data / "groceries/transactions.basket")
    secret = ("liquor", "prosecco", "male cosmetics", "baby food")
    problem = shoal.Problem(
        data, shoal.Hierarchy.flat(data.transactions.labels), shoal.models.PrivacyDegree(p=10, sensitive=secret)
    )
    made = [shoal.anonymize(problem, engine=shoal.Engine(workers=workers)) for workers in (1, 4)]
    rows = made[0].published.as_written.sets()
    assert rows == made[1].published.as_written.sets()
    for group in groups_of(made[0]):
        held = Counter(item for row in group for item in rows[row] & set(secret))
        assert all(10 * count <= len(group) for count in held.values())


def replayed(release: shoal.Release, p: int, alpha: int) -> list[tuple[list[int], list[int]]]:
    """Guesses from what is published alone: for each group of p records, who may be the one it was formed around.

    That is the record from which the others look most like the nearest: in the order of Gray codes, which anybody can
    work out, the fewest records around it would have been preferred to them.
    """
    items = shoal.data.Transactions.from_sets(release.published.rows.sets(), release.published.rows.labels)
    known, order = items.sets(), gray_coded_order(items.indptr, items.items)
    place = np.argsort(order)
    guesses = []
    for group in groups_of(release):
        if len(group) != p:
            continue
        passed = []
        for centre in group:
            around = order[max(0, place[centre] - alpha * p) : place[centre] + alpha * p + 1].tolist()
            shared = {row: len(known[centre] & known[row]) for row in around}
            rank = sorted(around, key=lambda row: (-shared[row], row))
            far = [rank.index(row) if row in around else len(order) for row in group if row != centre]
            passed.append(max(far))
        guesses.append((group, [row for row, worst in zip(group, passed, strict=True) if worst == min(passed)]))
    return guesses


def test_groups_can_be_replayed(real_data: Path) -> None:
    """A weakness of the method, not of the dealing: the counts promise 1 in p, the way groups are formed tells more."""
    data = shoal.read(real_data / "groceries/transactions.basket")
    model = shoal.models.PrivacyDegree(p=5, sensitive=("liquor",))
    flat = shoal.Hierarchy.flat(data.transactions.labels)
    release = shoal.anonymize(shoal.Problem(data, flat, model), algorithm=shoal.algorithms.GraySort(alpha=2))
    truth = data.transactions.sets()
    guesses = replayed(release, 5, 2)
    right = sum(sum("liquor" in truth[row] for row in likely) / len(likely) for _, likely in guesses)
    blind = sum(sum("liquor" in truth[row] for row in group) / len(group) for group, _ in guesses)
    assert len(guesses) > 50
    assert blind == pytest.approx(len(guesses) / 5)
    assert right > 3 * blind  # see docs/models/privacy-degree.md
