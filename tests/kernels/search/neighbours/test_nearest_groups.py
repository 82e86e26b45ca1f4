"""Nearest rows taken by seeds, against brute force.

Covers: kernels/arrays.py.
"""

from __future__ import annotations

import itertools
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from shoal.kernels.choice import no_progress
from shoal.kernels.search.neighbours.nearest_groups import nearest_groups
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import Sets, csr, interrupt, random_rows, row_lists, wide_rows

WAYS = (0, 1, 2)  # choose, count bits, go along lists


def slow_groups(rows: Sets, seeds: list[int], deferred: list[bool], take: int) -> list[list[int]]:
    used = set[int]()
    groups = []
    for seed in seeds:
        if seed in used:
            continue
        free = [row for row in range(len(rows)) if row not in used and row != seed]
        if len(free) < take:
            break
        chosen = sorted(free, key=lambda row: (deferred[row], len(rows[row] ^ rows[seed]), row))[:take]
        used |= {seed, *chosen}
        groups.append([seed, *chosen])
    return groups


def grouped(
    module: ModuleType, rows: Sets, seeds: list[int], deferred: list[bool], take: int, way: int = 0, threads: int = 1
) -> list[list[int]]:
    order, last = np.array(seeds, dtype=np.int64), np.array(deferred, dtype=np.uint8)
    found = module.nearest_groups(*csr(rows), order, last, take, way, threads, no_progress)
    groups: list[list[int]] = found.reshape(-1, take + 1).tolist()
    return groups


def check(rows: Sets, seeds: list[int], deferred: list[bool], take: int) -> list[list[int]]:
    """What brute force finds, after all kernels, ways and numbers of threads were seen to find it, too."""
    expected = slow_groups(rows, seeds, deferred, take)
    assert grouped(TWINS, rows, seeds, deferred, take) == expected
    for module in implementations()[:-1]:
        for way, threads in itertools.product(WAYS, (1, 2, 4)):
            assert grouped(module, rows, seeds, deferred, take, way, threads) == expected
    return expected


@examples(300)
@given(rows=row_lists, data=st.data(), take=st.integers(1, 6), way=st.sampled_from(WAYS), threads=st.integers(1, 4))
def test_nearest_groups(kernel: ModuleType, rows: Sets, data: st.DataObject, take: int, way: int, threads: int) -> None:
    seeds = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True)) if rows else []
    deferred = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    assert grouped(kernel, rows, seeds, deferred, take, way, threads) == slow_groups(rows, seeds, deferred, take)


@pytest.mark.parametrize("labels", [3, 12, 64, 65, 130, 400])
@pytest.mark.parametrize("take", [1, 4, 60])
def test_nearest_groups_of_larger_data(labels: int, take: int) -> None:
    rows = random_rows(300, labels, min(8, labels / 2), labels)
    rng = random.Random(take)
    seeds = rng.sample(range(300), 60)
    deferred = [row in seeds or rng.random() < 0.2 for row in range(300)]
    assert len(check(rows, seeds, deferred, take)) >= 4


@pytest.mark.parametrize("take", [1, 3])
def test_all_rows_are_deferred_and_seeds(take: int) -> None:
    rows = random_rows(250, 30, 5, take)
    seeds = random.Random(take).sample(range(250), 250)
    assert len(check(rows, seeds, [True] * 250, take)) == 250 // (take + 1)


def test_deferred_rows_fill_up_what_the_others_leave() -> None:
    rows: Sets = [{0}, {0}, {5, 6, 7}, {0}, {0, 1}]
    assert check(rows, [0], [True, True, False, True, True], 3) == [[0, 2, 1, 3]]


def test_seeds_that_are_not_deferred_are_taken() -> None:
    rows: Sets = [{0}, {1}, {0}, {1}, {0}]
    assert check(rows, [2, 0, 1], [False] * 5, 1) == [[2, 0], [1, 3]]


@pytest.mark.parametrize("rows", [[], [{1}], [{0}, {1}, set()]])
def test_too_few_rows_to_take(rows: Sets) -> None:
    assert check(rows, list(range(len(rows))), [False] * len(rows), 3) == []


def test_no_seeds_make_no_groups() -> None:
    assert check([{0}, {1}], [], [False, True], 1) == []


def test_rows_without_items() -> None:
    assert check([set() for _ in range(9)], [4, 0, 8], [False] * 9, 2) == [[4, 0, 1], [8, 2, 3]]


def test_empty_rows_among_many_items() -> None:
    """A chunk of sets none of which has an item, and more items than there are sets."""
    rows: Sets = [set(), set(), *({3 * row, 3 * row + 1} for row in range(40)), {200}]
    deferred = [row < 2 for row in range(len(rows))]
    check(rows, [42, 0, 7, 1], deferred, 5)
    check(rows, [5, 42, 0], [not last for last in deferred], 5)


def test_equal_seeds_compete_for_few_rows() -> None:
    """Lists are far too short: one seed after the other takes what those behind it have on theirs."""
    rows: Sets = [{0, 1}] * 150 + [{0, 1, 2 + row % 7} for row in range(150)] + [{9, 10, row % 3} for row in range(300)]
    seeds = [*range(140), *range(590, 400, -1)]
    assert len(check(rows, seeds, [row in set(seeds) for row in range(600)], 2)) > 150


def test_sets_that_are_used_up_leave_the_index() -> None:
    """Seeds take nearly everything, so the index is rebuilt again and again."""
    rows = random_rows(400, 60, 6, 5)
    seeds = random.Random(5).sample(range(400), 400)
    assert len(check(rows, seeds, [row % 5 == 0 for row in range(400)], 4)) == 80


@pytest.mark.parametrize("longest", [41, 10001])
def test_long_rows(longest: int) -> None:
    """Distances that need more than a byte, and more than two."""
    rng = random.Random(longest)
    whole = set(range(longest))
    rows = [whole - set(rng.sample(range(longest), rng.randrange(4))) for _ in range(20)]
    rows += [set(rng.sample(range(longest), rng.randrange(1, 6))) for _ in range(20)]
    rows += [{item for item in whole if item % 2 == row % 2} for row in range(6)]
    check([whole, set(), *rows], [1, 0, 45, 20], [row % 7 == 0 for row in range(48)], 9)


def fast_oracle(has: Any, seeds: Any, deferred: Any, take: int) -> list[list[int]]:
    """As :func:`slow_groups`, for a table of bits."""
    groups, used = [], np.zeros(len(has), dtype=bool)
    for seed in seeds:
        if used[seed] or (~used).sum() <= take:
            assert used[seed]
            continue
        far = (has ^ has[seed]).sum(axis=1) + 1000 * deferred
        far[used] = 10**6
        far[seed] = 10**6
        chosen = np.argsort(far, kind="stable")[:take]
        used[[seed, *chosen]] = True
        groups.append([int(seed), *chosen.tolist()])
    return groups


@pytest.mark.skipif(kernels.KIND == "python", reason="too slow for the readable kernel")
@pytest.mark.parametrize("density", [0.03, 0.3])
@pytest.mark.parametrize("most", [20_000, 800])
def test_nearest_groups_of_many_chunks(density: float, most: int) -> None:
    """More sets than a chunk holds, so that sizes out of reach are passed over, and enough for threads to start."""
    rng = np.random.default_rng(7)
    has = rng.random((20_000, 100)) < density * rng.gamma(2, 0.5, size=100)
    deferred = rng.random(20_000) < (0.1 if most > 1000 else 0.99)
    seeds = rng.permutation(20_000)[:150]
    indptr = np.concatenate([[0], has.sum(axis=1).cumsum()]).astype(np.int64)
    arrays = indptr, np.nonzero(has)[1].astype(np.int32), 100
    expected = fast_oracle(has, seeds, deferred, 6)
    native = implementations()[0]
    for way, threads in itertools.product(WAYS, (1, 2, 4)):
        found = native.nearest_groups(*arrays, seeds, deferred.astype(np.uint8), 6, way, threads, no_progress)
        assert found.reshape(-1, 7).tolist() == expected
    assert nearest_groups(*arrays, seeds, deferred, 6, threads=2).tolist() == expected


def test_the_row_number_decides_between_chunks(kernel: ModuleType) -> None:
    """The nearest that a second chunk may contain is as far as all on the list from the first one, which it fills."""
    pairs = itertools.islice(itertools.combinations(range(2, 200), 2), 2**14 - 1)
    rows: Sets = [{0, 1, 2}, {0, 1}, *[{0}] * 30, *map(set, pairs)]
    assert grouped(kernel, rows, [1], [row == 1 for row in range(len(rows))], 1) == [[1, 0]]


def test_a_seed_takes_at_least_one_row() -> None:
    with pytest.raises(ValueError, match="at least one"):
        nearest_groups(*csr([{0}, {1}]), np.array([0]), np.array([False, False]), 0)


@pytest.mark.parametrize("take", [2, 2**40])
def test_more_rows_wanted_than_there_are(take: int) -> None:
    found = nearest_groups(*csr([{0}, {1}]), np.array([0]), np.array([False, False]), take)
    assert found.shape == (0, take + 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_it_can_be_interrupted(kernel: ModuleType, threads: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        kernel.nearest_groups(
            *wide_rows(300, 3), np.arange(300), np.ones(300, dtype=np.uint8), 2, 0, threads, interrupt
        )


def test_progress_rises(kernel: ModuleType) -> None:
    rows, told = 40_000 if kernel is not TWINS else 300, list[float]()
    kernel.nearest_groups(*wide_rows(rows, 4), np.arange(rows), np.ones(rows, dtype=np.uint8), 2, 0, 2, told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] <= 1
