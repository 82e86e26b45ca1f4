"""Partition: the compiled kernel does what its twin does. What that must be is tested in tests/algorithms.

Covers: kernels/search/local/partition.py.
"""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchies import balanced
from shoal.kernels.choice import no_progress
from shoal.kernels.search.local.partition import partition
from shoal.testing import problems
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import interrupt, plain

models = st.builds(shoal.models.TransactionalK, k=st.integers(2, 5))


def arrays(rows: list[list[str]], tree: shoal.Hierarchy, weights: list[int] | None = None) -> tuple[Any, ...]:
    """What the kernel is given, up to k."""
    items = tree.encode(shoal.data.Transactions.from_sets(rows))
    penalty = shoal.metrics.NCP().penalty(tree.leaves, tree.n_leaves)
    counts = np.array(weights or [1] * tree.n_leaves, dtype=np.int64)
    return items.indptr, items.items, tree.parent, tree.span.reshape(-1), tree.n_leaves, penalty, counts


def check(given: tuple[Any, ...], k: int) -> Any:
    """What all kernels find."""
    results = [plain(module.partition(*given, k, no_progress)) for module in implementations()]
    assert all(result == results[0] for result in results)
    return results[0]


@examples(300)
@given(problem=problems(models, max_leaves=12, max_rows=20), data=st.data(), k=st.integers(1, 7))
def test_twins_agree(problem: shoal.Problem, data: st.DataObject, k: int) -> None:
    """Any tree, chains and leaves at any depth among them; k may be above the number of rows."""
    tree = problem.hierarchy
    weights = data.draw(st.lists(st.integers(0, 3), min_size=tree.n_leaves, max_size=tree.n_leaves))
    check(arrays([sorted(row) for row in problem.prepared.items.sets()], tree, weights), k)


def basket(rng: random.Random, kinds: list[list[str]], items: tuple[str, ...]) -> list[str]:
    """A variation on one of a few rows."""
    row = [item for item in rng.choice(kinds) if rng.random() < 0.9]
    return sorted({*row, *([rng.choice(items)] if rng.random() < 0.3 else [])})


@pytest.mark.parametrize("seed", range(12))
def test_twins_agree_on_larger_data(seed: int) -> None:
    """Many splits one after the other, with groups that give rows and groups that stay behind."""
    rng = random.Random(seed)
    tree = balanced(map(str, range(rng.choice([9, 40, 150]))), fanout=rng.choice([2, 3, 5, 150]))
    kinds = [rng.sample(tree.items, rng.randint(1, 8)) for _ in range(25)]
    rows = [basket(rng, kinds, tree.items) for _ in range(700)]
    k = rng.choice([2, 3, 5, 20])
    assert check(arrays(rows, tree), k)[2] > 5  # buckets


def test_a_deep_tree() -> None:
    """Every second node of a long spine has an item beside it."""
    below: dict[str, Any] = {"last": []}
    for depth in range(400):
        below = {f"n{depth}": {**below, **({f"i{depth}": []} if depth % 2 else {})}}
    tree = shoal.Hierarchy.from_tree({"ALL": below})
    rng = random.Random(1)
    check(arrays([rng.sample(tree.items[:4] + tree.items[-4:], 3) for _ in range(60)], tree), 3)


def test_nothing_to_split(kernel: ModuleType) -> None:
    tree = shoal.Hierarchy.from_tree({"TOP": {"ALL": ["a"]}})
    for rows, expected in (([], ([0], [], 0, 0, 0)), ([[], ["a"], ["a"]], ([0, 0, 1, 2], [0, 0], 1, 0, 0))):
        assert plain(kernel.partition(*arrays(rows, tree), 2, no_progress)) == expected


def test_any_k_is_taken() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b"]})
    indptr, items, parent, span, leaves, penalty, weights = arrays([["a"], ["b"]], tree)
    found = partition(indptr, items, parent, span.reshape(-1, 2), leaves, penalty, weights, 10**30)
    assert found.labels.tolist() == [2, 2]


def test_it_can_be_interrupted(kernel: ModuleType) -> None:
    with pytest.raises(KeyboardInterrupt):
        kernel.partition(*arrays([["0"]] * 4, balanced(map(str, range(4)), fanout=2)), 2, interrupt)


def test_progress_rises(kernel: ModuleType) -> None:
    told: list[float] = []
    rng = random.Random(3)
    tree = balanced(map(str, range(300)), fanout=5)
    rows = [rng.sample(tree.items, 6) for _ in range(60_000 if kernel is not TWINS else 300)]
    kernel.partition(*arrays(rows, tree), 3, told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] <= 1
