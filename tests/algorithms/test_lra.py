"""LRA: Gray order, borders, chunks that join, and that whoever asks for original items gains nothing.

Covers: search/gray.py, kernels/search/neighbours/gray_order.py.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchies.balance import balanced
from shoal.kernels.search.neighbours.gray_order import gray_order
from shoal.models.people import with_items
from shoal.search.gray import Splitting, borders, gray_chunks, joined
from shoal.testing import check_algorithm, persons, problems
from tests import oracles
from tests.budget import examples
from tests.conftest import TWINS

rows_of_codes = st.lists(st.sets(st.integers(0, 9), max_size=6), max_size=25)
km = st.builds(shoal.Km, k=st.integers(2, 4), m=st.integers(1, 3))


def coded(rows: list[set[int]]) -> shoal.data.Transactions:
    return shoal.data.Transactions.from_sets([map(str, row) for row in rows], [str(item) for item in range(10)])


def decoded(row: set[int]) -> int:
    """The number that a bit string stands for as a Gray code, bit by bit from the highest."""
    number = bit = 0
    for item in range(9, -1, -1):
        bit ^= item in row
        number = 2 * number + bit
    return number


@given(rows=rows_of_codes)
def test_gray_order(rows: list[set[int]]) -> None:
    items = coded(rows)
    order = gray_order(items.indptr, items.items).tolist()
    assert order == sorted(range(len(rows)), key=lambda at: (decoded(rows[at]), at))
    assert order == TWINS.gray_order(items.indptr, items.items).tolist()


def test_gray_order_of_many_items_makes_no_bit_strings() -> None:
    """Rows over 2 billion items."""
    indptr, items = np.array([0, 2, 3, 5, 5]), np.array([0, 2**31 - 2, 2**31 - 2, 5, 2**31 - 2], dtype=np.int32)
    assert gray_order(indptr, items).tolist() == [3, 2, 0, 1]


@given(rows=rows_of_codes, m=st.integers(1, 3), chunks=st.integers(1, 30), flexibility=st.integers(0, 5))
def test_chunks_hold_every_row_once(rows: list[set[int]], m: int, chunks: int, flexibility: int) -> None:
    items = coded(rows)
    found = gray_chunks(items, m, chunks, flexibility)
    assert np.concatenate(found).tolist() == gray_order(items.indptr, items.items).tolist()
    assert len(found) == min(chunks, max(1, len(rows)))
    assert all(len(chunk) for chunk in found) or not rows


def test_borders_by_combinations_and_by_distance() -> None:
    items = coded([{0, 1}, {0, 1}, {0, 1}, {5, 6, 7, 8}, {5, 6, 7, 8}, {5, 6, 7, 9}])  # 1 1 1 6 6 6 pairs
    order = np.arange(6)
    assert borders(items, order, 2, 3, 0) == [3, 4]  # 1/3 of 21 is reached by the fourth row
    assert borders(items, order, 2, 3, 1) == [2, 4]  # rows differ most behind the third
    assert borders(items, order, 5, 3, 0) == [1, 3]  # no combinations: equal rows
    assert borders(items, order, 2, 6, 9) == [0, 1, 2, 3, 4]


def test_borders_as_printed_do_not_reach_the_end_of_the_window() -> None:
    """[t-f, t+f): a border at row 3 may move to rows 2 and 3 with f=1, not to row 4 (P3 s.4.5.2)."""
    items = coded([{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {5, 6, 7, 8}, {5, 6, 7, 9}])
    order, printed = np.arange(7), Splitting(borders="half-open")
    equal = Splitting(balance="records")
    assert borders(items, order, 1, 2, 0) == borders(items, order, 1, 2, 0, printed) == [4]
    assert borders(items, order, 1, 2, 0, equal) == [3]
    assert borders(items, order, 1, 2, 1, equal) == [4]
    assert borders(items, order, 1, 2, 1, replace(equal, borders="half-open")) == [2]
    assert borders(items, order, 1, 2, 2, replace(equal, borders="half-open")) == [4]


@given(rows=rows_of_codes, bit_order=st.sampled_from(["frequent-first", "rare-first"]))
def test_bits_by_frequency(rows: list[set[int]], bit_order: str) -> None:
    """The order of rows whose items were renumbered by hand."""
    supports = Counter(item for row in rows for item in row)
    sign = -1 if bit_order == "frequent-first" else 1
    number = {item: at for at, item in enumerate(sorted(range(10), key=lambda item: (sign * supports[item], item)))}
    chunks = gray_chunks(coded(rows), 2, 1, 0, splitting=Splitting(bit_order=bit_order))
    wanted = sorted(range(len(rows)), key=lambda at: (decoded({number[item] for item in rows[at]}), at))
    assert chunks[0].tolist() == wanted


def test_a_sample_estimates_all_combinations() -> None:
    """Of 40 rows with one pair and 4 with 28, three are drawn: 44 pairs in all are estimated, or 440 and more."""
    items, order = coded([{0, 1}] * 40 + [set(range(8))] * 4), np.arange(44)

    def border(sample: int = 0, seed: int = 0) -> int:
        return borders(items, order, 2, 2, 0, Splitting(estimate_from=sample, seed=seed))[0]

    assert border() == border(sample=44) == border(sample=1000) == 41  # where 76 of the 152 pairs are reached
    found = [border(sample=3, seed=seed) for seed in range(30)]
    assert set(found) == {21, 42}  # where 22 are reached; nowhere: a row is left for the last chunk
    assert found == [border(sample=3, seed=seed) for seed in range(30)]


@examples(80)
@given(
    problem=problems(st.one_of(km, st.builds(shoal.models.KmNegative, k=st.integers(2, 4), m=st.integers(1, 3)))),
    method=st.builds(
        shoal.algorithms.LRA,
        chunks=st.integers(1, 6),
        bit_order=st.sampled_from(["hierarchy", "frequent-first", "rare-first"]),
        borders=st.sampled_from(["closed", "half-open"]),
        balance=st.sampled_from(["combinations", "records"]),
        estimate_from=st.integers(0, 5),
    ),
)
def test_every_splitting_is_safe(problem: shoal.Problem, method: shoal.algorithms.LRA) -> None:
    check_algorithm(method, problem)


def test_a_chunk_of_few_long_records_has_the_largest_tree(real_data: Path) -> None:
    """P3 s.6.2.1 on BMS-WebView-1: with items numbered by frequency, 20 long records need 13 times AA's tree."""
    data = shoal.read(real_data / "bms-webview-1" / "transactions.dat")
    supports = dict(zip(data.transactions.labels, data.transactions.supports.tolist(), strict=True))
    tree = balanced(data.transactions.labels, fanout=5, supports=supports)
    problem = shoal.Problem(data, tree, shoal.Km(k=5, m=3)).prepared
    engine = shoal.Engine(built_trees=True)
    nodes = "count_tree_nodes_built"
    aa = shoal.algorithms.AA().solve(problem, engine).statistics[nodes]
    by_frequency = shoal.algorithms.LRA(bit_order="frequent-first").solve(problem, engine).statistics
    assert by_frequency[f"{nodes}_records"] == 20
    assert by_frequency[nodes] / aa == pytest.approx(13.2, abs=0.1)
    assert shoal.algorithms.LRA().solve(problem, engine).statistics[nodes] < aa


def test_chunks_that_cannot_stand_alone_join() -> None:
    def sizes(lengths: list[int], least: int) -> list[int]:
        chunks = np.split(np.arange(sum(lengths)), np.cumsum(lengths)[:-1])
        return [len(chunk) for chunk in joined(chunks, lambda rows: len(rows) >= least)]

    assert sizes([1, 5, 1, 2, 6, 1], 3) == [6, 3, 7]
    assert sizes([1, 1], 3) == [2]
    assert sizes([3, 3], 3) == [3, 3]


@examples(150)
@given(problem=problems(km), chunks=st.integers(1, 6), within=st.sampled_from(["aa", "optimal"]))
def test_asking_for_original_items_gains_nothing(problem: shoal.Problem, chunks: int, within: Any) -> None:
    """A row fits an item if one of its labels covers it: any m items fit no row or at least k (models.md)."""
    k, m = problem.model.values()["k"], problem.model.values()["m"]
    if 0 < with_items(problem.prepared.items) < k:
        return
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=chunks, flexibility=1, within=within))
    published = release.published
    people = oracles.people_of(problem.prepared.persons) or range(len(published.rows))
    covered = [{int(item) for label in row for item in published.cover(int(label))} for row in published.rows]
    for size in range(1, m + 1):
        for known in itertools.combinations(range(published.n_items), size):
            fitting = len({person for items, person in zip(covered, people, strict=True) if items.issuperset(known)})
            assert fitting == 0 or fitting >= k
    assert oracles.is_km_anonymous(published.rows.sets(), k, m, people)  # the union of the chunks


@pytest.mark.parametrize("chunks", [1, 2, 3, 7, 50])
def test_degenerate_data(chunks: int) -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    cases: dict[str, list[list[str]]] = {
        "all equal": [["a1", "b1"]] * 9,
        "all empty": [[]] * 4,
        "no rows": [],
        "a few": [["a1"], ["a2"], ["b1", "a1"], [], []],
    }
    for rows in cases.values():
        problem = shoal.Problem(shoal.Dataset(shoal.data.Transactions.from_sets(rows)), tree, shoal.Km(k=3, m=2))
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=chunks))
        assert len(release.published.rows) == len(rows)
        if rows == cases["all equal"]:
            assert release.losses["ncp"] == 0


def test_one_chunk_is_aa() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    problem = shoal.Problem(shoal.Dataset(shoal.data.Transactions.from_sets(rows)), tree, shoal.Km(k=2, m=2))
    one, aa = (
        shoal.anonymize(problem, algorithm=method) for method in (shoal.algorithms.LRA(chunks=1), shoal.algorithms.AA())
    )
    assert one.published.rows.sets() == aa.published.rows.sets()
    assert one.provenance["search"]["count_tree_nodes"] == aa.provenance["search"]["count_tree_nodes"]


def test_labels_of_different_chunks_coexist_and_it_is_said() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [["a1"], ["a2"], ["a1"], *[["a1", "b2"]] * 3]
    problem = shoal.Problem(shoal.Dataset(shoal.data.Transactions.from_sets(rows)), tree, shoal.Km(k=2, m=2))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=2))
    assert release.published.rows.sets() == [{"A"}, {"A"}, {"A"}, *[{"a1", "b2"}] * 3]
    assert not release.published.exclusive
    summary = release.recoding.summary()
    assert (summary.chunks, summary.rows_of_chunks, summary.different_unchanged_items) == (2, (3, 3), 2)


def test_optimal_within_chunks_of_lm() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b"]})
    data = shoal.Dataset(shoal.data.Transactions.from_sets([["a", "s"], ["b"], ["a"], ["b"]]))
    problem = shoal.Problem(data, tree, shoal.Lm(l=2, m=1, sensitive=("s",)))
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(within="optimal")).losses["ncp"] == 0


@pytest.mark.parametrize("chunks", [1, 2, 3, 4])
def test_shares_of_persons_hold_across_chunks(chunks: int) -> None:
    """Of two persons with a, one has s beside it in a chunk and the other one in the next: together both have."""
    rows = [*[["a", "s"], ["a"]] * 2, ["a", "b"], ["a", "b", "s"], *[["c"]] * 4]
    people = [1, 2, 1, 2, 1, 2, 3, 4, 5, 6]
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a", "b"], "C": ["c", "d"]}})
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows).of_persons(people))
    problem = shoal.Problem(data, tree, shoal.Lm(l=2, m=1, sensitive=("s",))).prepared
    made = (
        shoal.algorithms.LRA(chunks=chunks, flexibility=0).solve(problem, shoal.Engine()).recoding.apply(problem.items)
    )
    for label in made.rows.labels:
        holders = {person for person, row in zip(people, made.rows.sets(), strict=True) if label in row}
        told = {p for p, row, raw in zip(people, made.rows.sets(), rows, strict=True) if label in row and "s" in raw}
        assert 2 * len(told) <= len(holders)


@given(rows=rows_of_codes.filter(len), chunks=st.integers(1, 6), data=st.data())
def test_persons_are_kept_together(rows: list[set[int]], chunks: int, data: st.DataObject) -> None:
    people = data.draw(persons(len(rows))) or list(range(len(rows)))
    found = gray_chunks(coded(rows).of_persons(people), 2, chunks, 0, keep_persons=True)
    assert sorted(np.concatenate(found).tolist()) == list(range(len(rows)))
    assert all(len(chunk) for chunk in found)
    assert sum(len({people[row] for row in chunk.tolist()}) for chunk in found) == len(set(people))
