"""Consecutive groups of least cost, against brute force.

Covers: algorithms/apx_cover.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import kernels
from shoal.kernels.choice import no_progress
from shoal.kernels.search.neighbours.consecutive_groups import consecutive_groups
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import Sets, csr, interrupt, random_rows, row_lists, wide_rows


def splits(rows: int, k: int) -> Iterator[list[int]]:
    """The ends of the groups of every way to split so many rows into groups of k to 2k - 1."""
    if not rows:
        yield []
    for size in range(k, min(rows, 2 * k - 1) + 1):
        yield from ([*ends, rows] for ends in splits(rows - size, k))


def flips(rows: Sets, ends: list[int]) -> int:
    cost = 0
    for start, end in itertools.pairwise([0, *ends]):
        for item in set[int]().union(*rows[start:end]):
            having = sum(item in row for row in rows[start:end])
            cost += min(having, end - start - having)
    return cost


def split(module: ModuleType, rows: Sets, k: int, threads: int = 1) -> tuple[int, list[int]]:
    cost, ends = module.consecutive_groups(*csr(rows), k, threads, no_progress)
    return cost, ends.tolist()


@examples(300)
@given(rows=row_lists.filter(bool), data=st.data(), threads=st.integers(1, 4))
@example(rows=[set()], data=None, threads=1)
def test_consecutive_groups(kernel: ModuleType, rows: Sets, data: st.DataObject | None, threads: int) -> None:
    """The least cost; among splits of that cost, the last group is as short as can be, then the one before it."""
    rows = rows[:14]
    k = data.draw(st.integers(1, len(rows))) if data else 1
    best = min((flips(rows, ends), [-end for end in reversed(ends)]) for ends in splits(len(rows), k))
    assert split(kernel, rows, k, threads) == (best[0], [-end for end in reversed(best[1])])


@pytest.mark.parametrize("k", [1, 2, 7, 40, 150, 151, 299, 300])
def test_twins_find_the_same_groups(k: int) -> None:
    rows = sorted(random_rows(300, 90, 9, k), key=sorted)
    results = [split(module, rows, k, threads) for module in implementations() for threads in (1, 2, 4)]
    assert all(result == results[0] for result in results)
    cost, ends = results[0]
    assert cost == flips(rows, ends)
    assert all(k <= end - start < 2 * k for start, end in itertools.pairwise([0, *ends]))
    assert ends[-1] == 300


@pytest.mark.skipif(kernels.KIND == "python", reason="too slow for the readable kernel")
def test_threads_split_larger_data_alike() -> None:
    """More starts than a block has."""
    rows = sorted(random_rows(9_000, 40, 5, 1), key=sorted)
    results = [consecutive_groups(*csr(rows), 300, threads=threads) for threads in (1, 2, 4)]
    assert all(cost == results[0][0] and ends.tolist() == results[0][1].tolist() for cost, ends in results)
    assert results[0][0] == flips(rows, results[0][1].tolist())
    assert results[0][0] < flips(rows, [*range(300, 9_001, 300)])


@pytest.mark.parametrize("k", [0, 3])
def test_no_groups_of_so_few_rows(k: int) -> None:
    with pytest.raises(ValueError, match="2 rows cannot"):
        consecutive_groups(*csr([{0}, {1}]), k)


@pytest.mark.parametrize("threads", [1, 3])
def test_it_can_be_interrupted(kernel: ModuleType, threads: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        kernel.consecutive_groups(*wide_rows(300, 3), 5, threads, interrupt)


def test_progress_rises(kernel: ModuleType) -> None:
    rows, told = 40_000 if kernel is not TWINS else 300, list[float]()
    kernel.consecutive_groups(*wide_rows(rows, 4), rows // 100, 2, told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] <= 1
