"""The kernel that regroups siblings: native ≡ Python, and every grouping it returns recounted by brute force.

Covers: kernels/search/siblings/grouping.py.
"""

from __future__ import annotations

from collections import defaultdict
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Hierarchy, Transactions
from shoal.hierarchies.refine import without_chains
from shoal.kernels.choice import no_progress
from tests import oracles
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.search.cuts.test_threats import ANY, LONGEST, Case, cases

FAR = 2**40  # work, or moves, that are never reached


def search(case: Case, kernel: ModuleType, m: int, seed: int = 0, start: list[int] | None = None) -> Any:
    """From everything in one block, which is safe if anything is."""
    h = case.hierarchy
    return kernel.Regroup(
        case.items.indptr,
        case.items.items,
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
    return case.hierarchy.n_leaves > 1 and case.items.non_empty >= case.k


@examples(80)
@given(cases(7), st.sampled_from([1, 2, 3, 4, ANY]), st.integers(0, 3), st.sampled_from([1, 30, 300]))
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
            published = [{at for at, block in enumerate(partition) if block & set(row)} for row in rows_of(case.items)]
            labels = [frozenset(map(str, row)) for row in published]
            assert oracles.is_km_anonymous(labels, case.k, min(m, LONGEST))


def rows_of(items: Transactions) -> list[list[int]]:
    return [items.items[a:b].tolist() for a, b in zip(items.indptr[:-1], items.indptr[1:], strict=True)]


@examples(80)
@given(cases(9), st.sampled_from([1, 2, 3, 4, ANY]), st.integers(0, 2**64 - 1))
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
