"""The kernel that regroups siblings: native ≡ Python, and every grouping it returns recounted by brute force.

Covers: kernels/search/siblings/grouping.py.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Hierarchy, Transactions
from shoal.hierarchies.refine import without_chains
from shoal.kernels.choice import no_progress
from shoal.kernels.search.siblings.regroup import RegroupTwin
from shoal.testing import persons
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.search.cuts.test_threats import ANY, LONGEST, Case, cases

FAR = 2**40  # work, or moves, that are never reached


def search(case: Case, kernel: ModuleType, m: int, seed: int = 0, start: list[int] | None = None) -> Any:
    """From everything in one block, which is safe if anything is."""
    return kernel.Regroup(*arguments(case, m, seed, start))


def arguments(case: Case, m: int, seed: int = 0, start: list[int] | None = None) -> tuple[Any, ...]:
    h = case.hierarchy
    return (
        case.items.indptr,
        case.items.items,
        case.items.repeaters,
        without_chains(h),
        case.items.supports,
        np.ones(h.n_leaves, dtype=np.int32),
        np.array([0, 0, *range(2, h.n_leaves + 1)], dtype=np.int64),
        np.array(start or [0] * h.n_leaves, dtype=np.int32),
        case.k,
        m,
        600,
        seed,
    )


def blocks(found: Any) -> list[set[int]]:
    of: dict[int, set[int]] = defaultdict(set)
    for unit, block in enumerate(found.block_of().tolist()):
        of[block].add(unit)
    return list(of.values())


def is_grouping(hierarchy: Hierarchy, partition: list[set[int]]) -> bool:
    """Whether each block is a node, or some children of one node with all that is below them."""

    def fits(block: set[int]) -> bool:
        for node in range(len(hierarchy)):
            below = [set(range(*hierarchy.span[child])) for child in hierarchy.children[node]]
            if block == set(range(*hierarchy.span[node])) or block == set().union(*(b for b in below if b <= block)):
                return True
        return False

    return all(map(fits, partition))


def cost(items: Transactions, partition: list[set[int]]) -> int:
    return sum(len(block) * int(items.supports[list(block)].sum()) for block in partition if len(block) > 1)


def solvable(case: Case) -> bool:
    return case.hierarchy.n_leaves > 1 and case.items.count_persons(case.items.sizes > 0) >= case.k


def of_persons(case: Case) -> st.SearchStrategy[Case]:
    """The case with some persons, or none."""
    return persons(len(case.items)).map(lambda whose: replace(case, items=case.items.of_persons(whose)))


def supports(items: Transactions, block_of: list[int], size: int) -> dict[tuple[int, ...], int]:
    """The persons with a row that holds each set of up to so many blocks, by the definition."""
    people = range(len(items)) if items.persons is None else items.persons.of.tolist()
    held: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for row, person in zip(rows_of(items), people, strict=True):
        labels = sorted({block_of[unit] for unit in row})
        for number in range(1, size + 1):
            for itemset in combinations(labels, number):
                held[itemset].add(person)
    return {itemset: len(whose) for itemset, whose in held.items()}


def is_safe(case: Case, block_of: list[int], m: int) -> bool:
    return all(support >= case.k for support in supports(case.items, block_of, min(m, LONGEST)).values())


@examples(80)
@given(
    cases(7).flatmap(of_persons), st.sampled_from([1, 2, 3, 4, ANY]), st.integers(0, 3), st.sampled_from([1, 30, 300])
)
def test_what_is_found_is_a_safe_grouping_of_siblings_at_the_cost_that_is_told(
    case: Case, m: int, seed: int, heat: int
) -> None:
    if not solvable(case):
        return
    for kernel in implementations():
        found = search(case, kernel, m, seed)
        for temperature in (heat, heat / 10):
            found.run(temperature, FAR, 60, no_progress)
            partition = blocks(found)
            assert is_grouping(case.hierarchy, partition)
            assert found.cost() == cost(case.items, partition)
            assert is_safe(case, found.block_of().tolist(), m)


def rows_of(items: Transactions) -> list[list[int]]:
    return [items.items[a:b].tolist() for a, b in zip(items.indptr[:-1], items.indptr[1:], strict=True)]


@examples(80)
@given(cases(9).flatmap(of_persons), st.sampled_from([1, 2, 3, 4, ANY]), st.integers(0, 2**64 - 1))
def test_both_kernels_make_the_same_moves(case: Case, m: int, seed: int) -> None:
    kernels = list(implementations())
    if len(kernels) < 2 or not solvable(case):
        return
    both = [search(case, kernel, m, seed) for kernel in kernels]
    for temperature, work in ((50.0, 400), (5.0, 3000), (0.5, FAR)):
        for found in both:
            found.run(temperature, work, 150, no_progress)
        assert both[0].cost() == both[1].cost()
        assert both[0].block_of().tolist() == both[1].block_of().tolist()


def long_histories(seed: int, k: int = 3) -> Case:
    """A few persons with many rows each, more than a word has bits, and some with one."""
    rng = np.random.default_rng(seed)
    h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"], "D": ["d1", "d2"]}})
    rows = [[item for item in h.items if rng.random() < 0.3] for _ in range(400)]
    return Case(h, h.encode(Transactions.from_sets(rows)).of_persons(rng.integers(0, 5, 400) ** 2), k)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_persons_with_more_rows_than_a_word_has_bits(m: int) -> None:
    case = long_histories(m)
    both = [search(case, kernel, m, 7) for kernel in implementations()]
    for found in both:
        found.run(300.0, FAR, 40, no_progress)
        assert is_safe(case, found.block_of().tolist(), m)
        assert found.block_of().tolist() == both[0].block_of().tolist()


@pytest.mark.parametrize("m", [2, 3])
def test_neither_the_numbers_of_persons_nor_the_order_of_rows_matter(m: int) -> None:
    rng, names = np.random.default_rng(m), [f"i{i}" for i in range(16)]
    h = Hierarchy.from_tree({"ALL": names})
    rows = h.encode(Transactions.from_sets([[item for item in names if rng.random() < 0.2] for _ in range(80)]))
    whose = rng.integers(0, 20, 80)
    for kernel in implementations():
        expected = None
        for seed in range(4):
            order = np.random.default_rng(seed).permutation(80) if seed else np.arange(80)
            people = (np.random.default_rng(seed).permutation(20) if seed else np.arange(20))[whose]
            given = list(arguments(Case(h, rows.take(order).of_persons(people[order]), 4), m, 5))
            given[2] = number_by_code(people[order])
            found = kernel.Regroup(*given)
            for temperature in (300.0, 30.0):
                found.run(temperature, FAR, 150, no_progress)
            expected = expected or found.block_of().tolist()
            assert found.block_of().tolist() == expected


def number_by_code(people: Any) -> Any:
    """What the kernel is given, in the order of the persons' own numbers."""
    several = np.bincount(people) > 1
    return np.where(several, np.cumsum(several) - 1, -1).astype(np.int32)[people]


def test_persons_with_more_labels_than_a_word_has_bits() -> None:
    rng, names = np.random.default_rng(0), [f"i{i}" for i in range(90)]
    h = Hierarchy.from_tree({"ALL": {"A": names[:40], "B": names[40:]}})
    rows = [[item for item in h.items if rng.random() < 0.4] for _ in range(240)]
    case = Case(h, h.encode(Transactions.from_sets(rows)).of_persons(rng.integers(0, 4, 240)), 3)
    given = list(arguments(case, 2, 3, start=list(range(90))))
    given[6] = np.maximum(0, 5 - np.arange(91))  # to be alone is dear, so that groups are made one by one
    both = [kernel.Regroup(*given) for kernel in implementations()]
    for temperature in (1000.0, 100.0):
        for found in both:
            found.run(temperature, FAR, 25, no_progress)
        partition = blocks(both[0])
        assert len(partition) < 90
        assert is_safe(case, both[0].block_of().tolist(), 2)
        assert both[0].block_of().tolist() == both[-1].block_of().tolist()


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("whose", [[0, 1, 2, 3], [0, 0, 1, 1]])
def test_a_start_that_is_not_safe_is_refused(m: int, whose: list[int]) -> None:
    h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    items = h.encode(Transactions.from_sets([["a1"], ["a2", "b1"], ["a1", "b2"], ["a2"]])).of_persons(whose)
    for kernel in implementations():
        with pytest.raises(ValueError, match="not safe"):
            search(Case(h, items, 5), kernel, m)


@pytest.mark.parametrize(
    ("start", "why"),
    [([0, 1, 1, 2], "siblings"), ([0, 0, 0, 4], "two units"), ([0], "two units"), ([-1] * 4, "two units")],
)
def test_a_start_that_is_no_grouping_is_refused(start: list[int], why: str) -> None:
    h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    items = h.encode(Transactions.from_sets([["a1"], ["a1", "a2", "b1"]]))
    for kernel in implementations():
        with pytest.raises(ValueError, match=why):
            search(Case(h, items, 1), kernel, 2, start=start)


@examples(30)
@given(cases(7).flatmap(of_persons), st.sampled_from([2, 3]), st.integers(0, 3))
def test_every_support_is_that_by_the_definition_after_each_move(case: Case, m: int, seed: int) -> None:
    if not solvable(case):
        return
    found = RegroupTwin(*arguments(case, m, seed))
    for _ in range(30):
        found.run(100.0, FAR, 1, no_progress)
        blocks, counted = found.g.block_of(), found.g.support
        wanted = supports(case.items, blocks, max(2, found.g.counted) if m > 1 else 1)
        kept = {itemset: support for itemset, support in counted.items() if support and len(itemset) <= m}
        assert kept == {itemset: support for itemset, support in wanted.items() if len(itemset) <= m}
        assert not found.g.rare


@examples(30)
@given(cases(7), st.sampled_from([1, 2, 3, 4]), st.integers(0, 3))
def test_persons_with_one_row_each_change_nothing(case: Case, m: int, seed: int) -> None:
    alone = replace(case, items=case.items.of_persons(range(len(case.items))[::-1]))
    if not solvable(case):
        return
    for kernel in implementations():
        one, other = search(case, kernel, m, seed), search(alone, kernel, m, seed)
        for found in (one, other):
            found.run(30.0, FAR, 100, no_progress)
        assert one.block_of().tolist() == other.block_of().tolist()


def test_a_start_with_groups_is_kept_if_nothing_is_tried() -> None:
    h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"]}})
    items = h.encode(Transactions.from_sets([["a1", "b1"], ["a2", "b1"], ["a3", "b2"], ["a3", "b2"]]))
    for kernel in implementations():
        found = search(Case(h, items, 2), kernel, 2, start=[0, 0, 1, 2, 3])
        assert blocks(found) == [{0, 1}, {2}, {3}, {4}]
        assert found.cost() == 4


def test_it_can_be_interrupted() -> None:
    def enough(share: float) -> None:
        raise KeyboardInterrupt

    h = Hierarchy.from_tree({"ALL": [f"i{i}" for i in range(20)]})
    items = h.encode(Transactions.from_sets([[f"i{i}", f"i{j}"] for i in range(20) for j in range(i)]))
    for kernel in implementations():
        found = search(Case(h, items, 3), kernel, 2)
        with pytest.raises(KeyboardInterrupt):
            found.run(10.0, FAR, FAR, enough)
