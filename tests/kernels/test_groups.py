"""Groups of similar rows: nearest rows claimed by seeds, and consecutive groups of least cost, against brute force.

Covers: algorithms/apx_cover.py, kernels/choice.py.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import kernels
from shoal.kernels import _python
from tests.budget import examples
from tests.conftest import implementations, still

Sets = list[set[int]]
WAYS = (0, 1, 2)  # choose, count bits, go along lists
row_lists = st.lists(st.tuples(st.sets(st.integers(0, 7), max_size=6), st.integers(1, 3)), max_size=12).map(
    lambda groups: [row for row, copies in groups for _ in range(copies)]
)


def interrupt(share: float) -> None:
    raise KeyboardInterrupt


def csr(rows: Sets) -> tuple[Any, Any, int]:
    indptr = np.array([0, *itertools.accumulate(map(len, rows))], dtype=np.int64)
    items = np.array([item for row in rows for item in sorted(row)], dtype=np.int32)
    return indptr, items, max((item + 1 for row in rows for item in row), default=0)


def slow_claim(rows: Sets, seeds: list[int], late: list[bool], take: int) -> list[list[int]]:
    used = set[int]()
    groups = []
    for seed in seeds:
        if seed in used:
            continue
        free = [row for row in range(len(rows)) if row not in used and row != seed]
        if len(free) < take:
            break
        chosen = sorted(free, key=lambda row: (late[row], len(rows[row] ^ rows[seed]), row))[:take]
        used |= {seed, *chosen}
        groups.append([seed, *chosen])
    return groups


def claimed(
    module: ModuleType, rows: Sets, seeds: list[int], late: list[bool], take: int, way: int = 0, threads: int = 1
) -> list[list[int]]:
    order, last = np.array(seeds, dtype=np.int64), np.array(late, dtype=np.uint8)
    found = module.claim(*csr(rows), order, last, take, way, threads, still)
    groups: list[list[int]] = np.frombuffer(found, dtype=np.int64).reshape(-1, take + 1).tolist()
    return groups


def check(rows: Sets, seeds: list[int], late: list[bool], take: int) -> list[list[int]]:
    """What brute force finds, after all kernels, ways and numbers of threads were seen to find it, too."""
    expected = slow_claim(rows, seeds, late, take)
    assert claimed(_python, rows, seeds, late, take) == expected
    for module in implementations()[:-1]:
        for way, threads in itertools.product(WAYS, (1, 2, 4)):
            assert claimed(module, rows, seeds, late, take, way, threads) == expected
    return expected


def random_rows(count: int, labels: int, mean: float, seed: int) -> Sets:
    """Rows some of which are equal, or nearly so, or empty."""
    rng = random.Random(seed)
    kinds = [{item for item in range(labels) if rng.random() < mean / labels} for _ in range(max(1, count // 3))]
    return [rng.choice(kinds) ^ {item for item in range(labels) if rng.random() < 0.3 / labels} for _ in range(count)]


# Claiming


@examples(300)
@given(rows=row_lists, data=st.data(), take=st.integers(1, 6), way=st.sampled_from(WAYS), threads=st.integers(1, 4))
def test_claim(kernel: ModuleType, rows: Sets, data: st.DataObject, take: int, way: int, threads: int) -> None:
    seeds = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True)) if rows else []
    late = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    assert claimed(kernel, rows, seeds, late, take, way, threads) == slow_claim(rows, seeds, late, take)


@pytest.mark.parametrize("labels", [3, 12, 64, 65, 130, 400])
@pytest.mark.parametrize("take", [1, 4, 60])
def test_claim_of_larger_data(labels: int, take: int) -> None:
    rows = random_rows(300, labels, min(8, labels / 2), labels)
    rng = random.Random(take)
    seeds = rng.sample(range(300), 60)
    late = [row in seeds or rng.random() < 0.2 for row in range(300)]
    assert len(check(rows, seeds, late, take)) >= 4


@pytest.mark.parametrize("take", [1, 3])
def test_all_rows_are_late_and_seeds(take: int) -> None:
    rows = random_rows(250, 30, 5, take)
    seeds = random.Random(take).sample(range(250), 250)
    assert len(check(rows, seeds, [True] * 250, take)) == 250 // (take + 1)


def test_late_rows_fill_up_what_the_others_leave() -> None:
    rows: Sets = [{0}, {0}, {5, 6, 7}, {0}, {0, 1}]
    assert check(rows, [0], [True, True, False, True, True], 3) == [[0, 2, 1, 3]]


def test_seeds_that_are_not_late_are_taken() -> None:
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
    late = [row < 2 for row in range(len(rows))]
    check(rows, [42, 0, 7, 1], late, 5)
    check(rows, [5, 42, 0], [not last for last in late], 5)


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


def fast_oracle(has: Any, seeds: Any, late: Any, take: int) -> list[list[int]]:
    """As :func:`slow_claim`, for a table of bits."""
    groups, used = [], np.zeros(len(has), dtype=bool)
    for seed in seeds:
        if used[seed] or (~used).sum() <= take:
            assert used[seed]
            continue
        far = (has ^ has[seed]).sum(axis=1) + 1000 * late
        far[used] = 10**6
        far[seed] = 10**6
        chosen = np.argsort(far, kind="stable")[:take]
        used[[seed, *chosen]] = True
        groups.append([int(seed), *chosen.tolist()])
    return groups


@pytest.mark.skipif(kernels.KIND == "python", reason="too slow for the readable kernel")
@pytest.mark.parametrize("density", [0.03, 0.3])
@pytest.mark.parametrize("most", [20_000, 800])
def test_claim_of_many_chunks(density: float, most: int) -> None:
    """More sets than a chunk holds, so that sizes out of reach are passed over, and enough for threads to start."""
    rng = np.random.default_rng(7)
    has = rng.random((20_000, 100)) < density * rng.gamma(2, 0.5, size=100)
    late = rng.random(20_000) < (0.1 if most > 1000 else 0.99)
    seeds = rng.permutation(20_000)[:150]
    indptr = np.concatenate([[0], has.sum(axis=1).cumsum()]).astype(np.int64)
    arrays = indptr, np.nonzero(has)[1].astype(np.int32), 100
    expected = fast_oracle(has, seeds, late, 6)
    native = implementations()[0]
    for way, threads in itertools.product(WAYS, (1, 2, 4)):
        found = native.claim(*arrays, seeds, late.astype(np.uint8), 6, way, threads, still)
        assert np.frombuffer(found, dtype=np.int64).reshape(-1, 7).tolist() == expected
    assert kernels.claim(*arrays, seeds, late, 6, threads=2).tolist() == expected


def test_the_row_number_decides_between_chunks(kernel: ModuleType) -> None:
    """The nearest that a second chunk may contain is as far as all on the list from the first one, which it fills."""
    pairs = itertools.islice(itertools.combinations(range(2, 200), 2), 2**14 - 1)
    rows: Sets = [{0, 1, 2}, {0, 1}, *[{0}] * 30, *map(set, pairs)]
    assert claimed(kernel, rows, [1], [row == 1 for row in range(len(rows))], 1) == [[1, 0]]


def test_a_seed_takes_at_least_one_row() -> None:
    with pytest.raises(ValueError, match="at least one"):
        kernels.claim(*csr([{0}, {1}]), np.array([0]), np.array([False, False]), 0)


@pytest.mark.parametrize("take", [2, 2**40])
def test_more_rows_wanted_than_there_are(take: int) -> None:
    found = kernels.claim(*csr([{0}, {1}]), np.array([0]), np.array([False, False]), take)
    assert found.shape == (0, take + 1)


# Covering


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


def covered(module: ModuleType, rows: Sets, k: int, threads: int = 1) -> tuple[int, list[int]]:
    cost, ends = module.cover(*csr(rows), k, threads, still)
    return cost, np.frombuffer(ends, dtype=np.int64).tolist()


@examples(300)
@given(rows=row_lists.filter(bool), data=st.data(), threads=st.integers(1, 4))
@example(rows=[set()], data=None, threads=1)
def test_cover(kernel: ModuleType, rows: Sets, data: st.DataObject | None, threads: int) -> None:
    """The least cost; among splits of that cost, the last group is as short as can be, then the one before it."""
    rows = rows[:14]
    k = data.draw(st.integers(1, len(rows))) if data else 1
    best = min((flips(rows, ends), [-end for end in reversed(ends)]) for ends in splits(len(rows), k))
    assert covered(kernel, rows, k, threads) == (best[0], [-end for end in reversed(best[1])])


@pytest.mark.parametrize("k", [1, 2, 7, 40, 150, 151, 299, 300])
def test_twins_find_the_same_groups(k: int) -> None:
    rows = sorted(random_rows(300, 90, 9, k), key=sorted)
    results = [covered(module, rows, k, threads) for module in implementations() for threads in (1, 2, 4)]
    assert all(result == results[0] for result in results)
    cost, ends = results[0]
    assert cost == flips(rows, ends)
    assert all(k <= end - start < 2 * k for start, end in itertools.pairwise([0, *ends]))
    assert ends[-1] == 300


@pytest.mark.skipif(kernels.KIND == "python", reason="too slow for the readable kernel")
def test_threads_cover_larger_data_alike() -> None:
    """More starts than a block has."""
    rows = sorted(random_rows(9_000, 40, 5, 1), key=sorted)
    results = [kernels.cover(*csr(rows), 300, threads=threads) for threads in (1, 2, 4)]
    assert all(cost == results[0][0] and ends.tolist() == results[0][1].tolist() for cost, ends in results)
    assert results[0][0] == flips(rows, results[0][1].tolist())
    assert results[0][0] < flips(rows, [*range(300, 9_001, 300)])


@pytest.mark.parametrize("k", [0, 3])
def test_no_groups_of_so_few_rows(k: int) -> None:
    with pytest.raises(ValueError, match="2 rows cannot"):
        kernels.cover(*csr([{0}, {1}]), k)


# Interruption


@pytest.mark.parametrize("threads", [1, 3])
def test_both_can_be_interrupted(kernel: ModuleType, threads: int) -> None:
    rows = 300
    rng = np.random.default_rng(3)
    items = rng.integers(0, 90, size=(rows, 10), dtype=np.int32) + np.arange(10, dtype=np.int32) * 90
    arrays = np.arange(rows + 1, dtype=np.int64) * 10, items.reshape(-1), 900
    everything = np.arange(rows), np.ones(rows, dtype=np.uint8)
    with pytest.raises(KeyboardInterrupt):
        kernel.claim(*arrays, *everything, 2, 0, threads, interrupt)
    with pytest.raises(KeyboardInterrupt):
        kernel.cover(*arrays, 5, threads, interrupt)


def test_progress_rises(kernel: ModuleType) -> None:
    rows = 40_000 if kernel is not _python else 300
    items = np.random.default_rng(4).integers(0, 90, size=(rows, 10), dtype=np.int32)
    items += np.arange(10, dtype=np.int32) * 90
    arrays = np.arange(rows + 1, dtype=np.int64) * 10, items.reshape(-1), 900
    shares: dict[str, list[float]] = {"claim": [], "cover": []}
    kernel.claim(*arrays, np.arange(rows), np.ones(rows, dtype=np.uint8), 2, 0, 2, shares["claim"].append)
    kernel.cover(*arrays, rows // 100, 2, shares["cover"].append)
    for told in shares.values():
        assert told == sorted(told)
        assert told[0] == 0
        assert told[-1] <= 1
