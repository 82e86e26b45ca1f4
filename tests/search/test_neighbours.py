"""STN, GSC and K-NN against slow obvious ones; shortages; sets that need no change.

Covers: algorithms/stn.py, algorithms/gsc.py, algorithms/knn.py, search/overlaps.py, search/joining.py,
models/sensitive_k.py.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import notes
from shoal.errors import Infeasible
from shoal.report import wording
from shoal.search.overlaps import Overlaps
from tests.budget import examples

Row = frozenset[str]
SECRET = ("s0", "s1", "s2")
QID = tuple(f"q{item}" for item in range(6))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], int]:
    """Rows with and without sensitive items, and a k that they allow."""
    known = st.frozensets(st.sampled_from(QID), max_size=4)
    secret = st.one_of(st.just(frozenset[str]()), st.frozensets(st.sampled_from(SECRET), max_size=2))
    rows = [draw(known) | draw(secret) for _ in range(draw(st.integers(1, 16)))]
    rows[0] |= {QID[0], SECRET[0]}
    return rows, draw(st.integers(2, max(2, min(6, len(rows)))))


def problem_of(rows: Sequence[Row], k: int, seed: int = 0) -> shoal.Problem:
    data = shoal.read([sorted(row) for row in rows])
    secret = tuple(label for label in SECRET if label in data.transactions.labels)
    flat = shoal.Hierarchy.flat([*QID, *data.transactions.labels])
    return shoal.Problem(data, flat, shoal.models.SensitiveK(k=k, sensitive=secret), seed=seed)


def parts(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    return [row - set(SECRET) for row in rows], [row & set(SECRET) for row in rows]


def flipped(known: Sequence[Row], secret: Sequence[Row], group: Sequence[int]) -> tuple[Row, Row]:
    """P1's procedure for one group, its seed first."""
    kept = set()
    for item in QID:
        votes = sum(item in known[row] for row in group)
        if 2 * votes > len(group) or (2 * votes == len(group) and item in known[group[0]]):
            kept.add(item)
    return frozenset(kept), frozenset().union(*(secret[row] for row in group))


def published(rows: Sequence[Row], groups: list[list[int]], seeds: Sequence[int]) -> list[Row]:
    """Let the seeds that are left join the most similar group, then flip."""
    known, secret = parts(rows)
    used = {row for group in groups for row in group}
    for row in [seed for seed in seeds if seed not in used]:
        ranks = []
        for number, group in enumerate(groups):
            shown, hidden = flipped(known, secret, group)
            ranks.append((len(known[row] ^ shown), -len(secret[row] & hidden), number))
        groups[min(ranks)[2]].append(row)
    made = list(rows)
    for group in groups:
        shown, hidden = flipped(known, secret, group)
        for row in group:
            made[row] = shown | hidden
    return made


def nearest_first(
    rows: Sequence[Row], k: int, seeds: Sequence[int], candidates: str = "nonsensitive", shortage: str = "fill"
) -> list[Row]:
    known, secret = parts(rows)
    used: set[int] = set()
    groups: list[list[int]] = []
    for seed in seeds:
        free = [row for row in range(len(rows)) if row not in used and row != seed]
        if seed in used:
            continue
        if len(free) < k - 1:
            break
        last = [bool(hidden) and candidates == "nonsensitive" for hidden in secret]
        if shortage == "merge" and groups and sum(not last[row] for row in free) < k - 1:
            break
        near = sorted(free, key=lambda row: (last[row], len(known[row] ^ known[seed]), row))
        groups.append([seed, *near[: k - 1]])
        used |= set(groups[-1])
    return published(rows, groups, seeds)


def gray_sorted(known: Sequence[Row]) -> list[int]:
    """By Gray code, with whole numbers."""
    numbers = [sum(1 << (len(QID) - 1 - QID.index(item)) for item in row) for row in known]
    return sorted(range(len(known)), key=lambda row: (numbers[row] ^ numbers[row] >> 1, row))


def gray_clustered(rows: Sequence[Row], k: int, alpha: int, candidates: str) -> list[Row]:
    known, secret = parts(rows)
    order = gray_sorted(known)
    seeds = [row for row in order if secret[row]]
    used: set[int] = set()
    groups: list[list[int]] = []
    for seed in seeds:
        if seed in used:
            continue
        if len(rows) - len(used) < k:
            break
        at, free = order.index(seed), [row for row in range(len(rows)) if row not in {*used, seed}]
        reach = alpha * k
        while True:  # how far it looks: until there are enough, of any kind or without sensitive items
            near = [row for row in free if abs(order.index(row) - at) <= reach]
            plain = [row for row in near if not secret[row]]
            enough = min(k - 1, sum(not secret[row] for row in free))
            if len(plain) >= enough if candidates == "nonsensitive" else len(near) >= k - 1:
                break
            reach *= 2
        ranked = sorted(near, key=lambda row: (len(known[row] ^ known[seed]), row))
        if candidates != "all":
            ranked.sort(key=lambda row: bool(secret[row]))
        group = [seed, *ranked[: k - 1]]
        if candidates == "nonsensitive":  # those with sensitive items come from a window of their own
            group, reach = [seed, *sorted(plain, key=ranked.index)[: k - 1]], alpha * k
            others = [row for row in free if secret[row]]
            while len(some := [row for row in others if abs(order.index(row) - at) <= reach]) < k - len(group):
                reach *= 2
            group += sorted(some, key=lambda row: (len(known[row] ^ known[seed]), row))[: k - len(group)]
        groups.append(group)
        used |= set(group)
    return published(rows, groups, seeds)


def safe(rows: Sequence[Row], k: int) -> bool:
    counts = Counter(rows)
    return all(counts[row] >= k for row in rows if row & set(SECRET))


@examples(300)
@given(tables(), st.integers(1, 2), st.integers(0, 3))
def test_against_slow_ones(case: tuple[list[Row], int], alpha: int, seed: int) -> None:
    rows, k = case
    problem = problem_of(rows, k, seed)
    if len(rows) < k:
        with pytest.raises(Infeasible):
            shoal.anonymize(problem)
        return
    known, secret = parts(rows)
    private = [row for row in range(len(rows)) if secret[row]]
    by_count = sorted(private, key=lambda row: (len(secret[row]), row))
    by_code = [row for row in gray_sorted(known) if secret[row]]
    shuffled = list(private)
    random.Random(seed).shuffle(shuffled)
    for algorithm, wanted in (
        (shoal.algorithms.STN(), nearest_first(rows, k, by_count)),
        (shoal.algorithms.STN("merge"), nearest_first(rows, k, by_count, shortage="merge")),
        (shoal.algorithms.KNN("stn", "nonsensitive"), nearest_first(rows, k, by_count)),
        (shoal.algorithms.KNN("gsc", "nonsensitive", "merge"), nearest_first(rows, k, by_code, shortage="merge")),
        (shoal.algorithms.KNN(candidates="nonsensitive"), nearest_first(rows, k, shuffled)),
        (shoal.algorithms.KNN(), nearest_first(rows, k, shuffled, "all")),
        (shoal.algorithms.KNN("gsc", shortage="merge"), nearest_first(rows, k, by_code, "all")),
        (shoal.algorithms.GSC(alpha), gray_clustered(rows, k, alpha, "all")),
        (shoal.algorithms.GSC(alpha, "pool"), gray_clustered(rows, k, alpha, "pool")),
        (shoal.algorithms.GSC(alpha, "nonsensitive"), gray_clustered(rows, k, alpha, "nonsensitive")),
    ):
        release = shoal.anonymize(problem, algorithm=algorithm)
        found = release.published.as_written.sets()
        assert found == (rows if safe(rows, k) else wanted), algorithm
        assert safe(found, k)
        assert release.losses["operations"] == sum(len(was ^ now) for was, now in zip(rows, found, strict=True))


@examples(200)
@given(tables())
def test_what_was_published_stays_as_it_is(case: tuple[list[Row], int]) -> None:
    rows, k = case
    if len(rows) < k:
        return
    once = shoal.anonymize(problem_of(rows, k)).published.as_written.sets()
    again = shoal.anonymize(problem_of(once, k))
    assert again.published.as_written.sets() == once
    assert again.solution.statistics == {"groups": 0, "joined_rows": 0}


@examples(200)
@given(st.lists(st.frozensets(st.integers(0, 70), max_size=8), max_size=12), st.integers(71, 80))
def test_gray_order(kernel: ModuleType, rows: list[frozenset[int]], width: int) -> None:
    """Wider than a machine word; items that nobody has, at the end, change nothing."""
    labels = [f"{item:03}" for item in range(width)]
    items = shoal.data.Transactions.from_sets([[f"{item:03}" for item in row] for row in rows], labels)
    numbers = [sum(1 << (width - 1 - item) for item in row) for row in rows]
    wanted = sorted(range(len(rows)), key=lambda row: (numbers[row] ^ numbers[row] >> 1, row))
    assert kernel.gray_coded_order(items.indptr, items.items).tolist() == wanted


def test_overlaps() -> None:
    rows = [["a", "b"], [], ["b", "c", "d"], ["a", "b"]]
    items = shoal.data.Transactions.from_sets(rows)
    overlaps = Overlaps(items)
    others = np.array([1, 2, 3, 0])
    assert overlaps.shared(items.row(0), others).tolist() == [0, 1, 2, 2]
    assert overlaps.distances(items.row(0), others).tolist() == [2, 3, 0, 0]
    assert overlaps.distances(items.row(1), others).tolist() == [0, 3, 2, 2]
    assert overlaps.shared(items.row(0), others[:0]).tolist() == []


ALGORITHMS = [
    shoal.algorithms.STN(),
    shoal.algorithms.GSC(),
    shoal.algorithms.GSC(candidates="pool"),
    shoal.algorithms.GSC(candidates="nonsensitive"),
    shoal.algorithms.KNN(),
    shoal.algorithms.KNN("gsc", "nonsensitive"),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_no_sensitive_record_at_all(algorithm: shoal.algorithms.Algorithm) -> None:
    data = shoal.read([["a"], ["b"], []])
    flat = shoal.Hierarchy.flat([*data.transactions.labels, "HIV"])
    model = shoal.models.SensitiveK(k=5, sensitive=("HIV",))
    release = shoal.anonymize(shoal.Problem(data, flat, model, allow_missing=True), algorithm=algorithm)
    assert release.published.as_written.sets() == data.transactions.sets()
    assert release.verdict.checked == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("rows", [10, 11, 14])
def test_all_records_sensitive(algorithm: shoal.algorithms.Algorithm, rows: int) -> None:
    table = [frozenset({QID[row % 6], SECRET[row % 3]}) for row in range(rows)]
    release = shoal.anonymize(problem_of(table, 5), algorithm=algorithm)
    assert release.solution.statistics == {"groups": rows // 5, "joined_rows": rows % 5}
    assert safe(release.published.as_written.sets(), 5)


def test_a_shortage_merges_into_finished_groups() -> None:
    """P1's rule for STN and K-NN. Where not even one group has its own others, the first one is filled up."""
    table = [frozenset({QID[row % 6], *SECRET[: row < 6]}) for row in range(11)]  # 6 of 11 with sensitive items, k = 3
    for how, groups in (("fill", 3), ("merge", 2)):
        release = shoal.anonymize(problem_of(table, 3), algorithm=shoal.algorithms.STN(how))  # type: ignore[arg-type]
        assert release.solution.statistics == {"groups": groups, "joined_rows": {"fill": 2, "merge": 4}[how]}
        assert safe(release.published.as_written.sets(), 3)
    few = [frozenset({QID[row % 6], *SECRET[: row < 9]}) for row in range(10)]
    release = shoal.anonymize(problem_of(few, 3), algorithm=shoal.algorithms.STN("merge"))
    assert release.solution.statistics == {"groups": 1, "joined_rows": 7}
    assert safe(release.published.as_written.sets(), 3)


@examples(100)
@given(tables())
def test_groups_whose_records_all_held_an_item_are_told(case: tuple[list[Row], int]) -> None:
    """Counted again with sets. STN has none as long as others suffice."""
    rows, k = case
    if len(rows) < k or safe(rows, k):
        return
    for algorithm in (shoal.algorithms.STN(), shoal.algorithms.KNN()):
        release = shoal.anonymize(problem_of(rows, k), algorithm=algorithm)
        of = release.published.grouping
        assert of is not None
        groups = [[rows[row] for row in np.flatnonzero(of.of == group)] for group in range(len(of))]
        certain = [group for group in groups if frozenset.intersection(*group) & set(SECRET)]
        told = [note for note in release.note_values if isinstance(note, notes.GroupsOfHolders)]
        changed = release.losses["operations"] > 0
        assert told == ([notes.GroupsOfHolders(len(certain), sum(map(len, certain)))] if certain and changed else [])


def test_groups_of_holders_in_words() -> None:
    alike = [frozenset({"q0", "s0"}), frozenset({"q0", "q1", "s0"}), frozenset({"q0", "s0"})]
    rows = [*alike, *[frozenset({"q5"})] * 6]
    said = "In 1 group with 3 records, every record really held the same sensitive item"
    for algorithm, expected in (
        (shoal.algorithms.STN(), False),
        (shoal.algorithms.KNN("stn", "nonsensitive"), False),
        (shoal.algorithms.GSC(), True),
    ):
        release = shoal.anonymize(problem_of(rows, 3), algorithm=algorithm)
        assert any(said in text for text in wording.falsehoods(release)) == expected


def test_too_few_records() -> None:
    with pytest.raises(
        Infeasible, match=r"k=5 needs no records with sensitive items, or at least 5 records in all, got 2"
    ):
        shoal.anonymize(problem_of([frozenset({"q0", "s0"}), frozenset({"q1"})], 5))


def test_all_items_sensitive() -> None:
    """Nothing may be known: records go in the order of the input, and all of a group are united."""
    data = shoal.read([["s0"], ["s1"], ["s0", "s1"], ["s2"], []])
    flat = shoal.Hierarchy.flat(data.transactions.labels)
    problem = shoal.Problem(data, flat, shoal.models.SensitiveK(k=2, sensitive=("s0", "s1", "s2")))
    for algorithm in ALGORITHMS:
        release = shoal.anonymize(problem, algorithm=algorithm)
        assert safe(release.published.as_written.sets(), 2)
        assert release.losses["privacy_value"] == 2 * 2 ** (release.losses["modified_items"] - 3)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.STN())
    first, second = {"s0", "s2"}, {"s0", "s1"}  # the last record that is left joins the first of equal groups
    assert release.published.as_written.sets() == [first, second, second, first, first]


def test_equal_records() -> None:
    """Nothing but a sensitive item has to be added to records that are the same otherwise."""
    rows = [frozenset({"q0", "q1"})] * 9 + [frozenset({"q0", "q1", "s0"})]
    for algorithm in ALGORITHMS:
        release = shoal.anonymize(problem_of(rows, 4), algorithm=algorithm)
        found = release.published.as_written.sets()
        assert Counter(found) == {frozenset({"q0", "q1"}): 6, frozenset({"q0", "q1", "s0"}): 4}


@pytest.mark.parametrize("algorithm", [shoal.algorithms.STN(), shoal.algorithms.GSC(), shoal.algorithms.KNN()], ids=str)
def test_real_data(algorithm: shoal.algorithms.Algorithm, real_data: Path) -> None:
    """Whole groceries: verified by the oracle, and the same with one worker as with four."""
    data = shoal.read(real_data / "groceries/transactions.basket")
    model = shoal.models.SensitiveK(k=7, sensitive=("liquor", "prosecco", "male cosmetics", "baby food", "soda"))
    problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model)
    made = [shoal.anonymize(problem, algorithm=algorithm, engine=shoal.Engine(workers=workers)) for workers in (1, 4)]
    rows = made[0].published.as_written.sets()
    assert rows == made[1].published.as_written.sets()
    counts = Counter(rows)
    secret = set(model.sensitive)
    assert all(counts[row] >= 7 for row in rows if row & secret)
    assert all(row & secret >= was & secret for row, was in zip(rows, data.transactions.sets(), strict=True))
