"""The kernel behind GSC, which looks for near rows in windows of a sorted list: against a slow obvious one."""

from __future__ import annotations

import random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.choice import no_progress
from shoal.kernels.search.neighbours.windowed_groups import windowed_groups
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import Sets, csr, interrupt, row_lists


def slow_groups(rows: Sets, number: list[int], deferred: list[bool], take: int, reach: int) -> list[list[int]]:
    used = set[int]()
    groups = []
    for seed in range(len(rows)):
        if not deferred[seed] or seed in used:
            continue
        if len(rows) - len(used) <= take:
            break
        group = [seed]
        for kind in (False, True):
            free = [place for place in range(len(rows)) if place not in {*used, *group} and deferred[place] == kind]
            wanted, window = min(take + 1 - len(group), len(free)), reach
            while len(near := [place for place in free if abs(place - seed) <= window]) < wanted:
                window *= 2
            group += sorted(near, key=lambda place: (len(rows[place] ^ rows[seed]), number[place]))[:wanted]
        used |= set(group)
        groups.append(group)
    return groups


def grouped(
    module: ModuleType, rows: Sets, number: list[int], deferred: list[bool], take: int, reach: int
) -> list[list[int]]:
    called, last = np.array(number, dtype=np.int64), np.array(deferred, dtype=np.uint8)
    found = module.windowed_groups(*csr(rows), called, last, take, reach, no_progress)
    groups: list[list[int]] = found.reshape(-1, take + 1).tolist()
    return groups


@examples(300)
@given(rows=row_lists, data=st.data(), take=st.integers(1, 6), reach=st.integers(1, 8))
def test_windowed_groups(kernel: ModuleType, rows: Sets, data: st.DataObject, take: int, reach: int) -> None:
    deferred = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    number = data.draw(st.permutations(range(len(rows))))
    assert grouped(kernel, rows, number, deferred, take, reach) == slow_groups(rows, number, deferred, take, reach)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.9, 1])
def test_larger_data(share: float) -> None:
    """Windows that are doubled many times, up to all of the data, and deferred rows that have to do."""
    rng = random.Random(int(100 * share))
    rows = [{rng.randrange(80) for _ in range(rng.randrange(9))} for _ in range(600)]
    deferred, number = [rng.random() < share for _ in rows], rng.sample(range(600), 600)
    for take, reach in ((1, 1), (4, 10), (19, 40), (40, 3)):
        expected = slow_groups(rows, number, deferred, take, reach)
        assert expected
        for module in implementations():
            assert grouped(module, rows, number, deferred, take, reach) == expected


def test_wrong_arguments_and_interruption(kernel: ModuleType) -> None:
    rows = [{0}, {1}, {0}] * 20
    for take, reach in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one"):
            windowed_groups(*csr(rows), np.arange(60), np.ones(60, dtype=bool), take, reach)
    assert len(windowed_groups(*csr(rows), np.arange(60), np.ones(60, dtype=bool), 60, 1)) == 0
    with pytest.raises(KeyboardInterrupt):
        kernel.windowed_groups(*csr(rows), np.arange(60), np.ones(60, dtype=np.uint8), 2, 3, interrupt)
    assert grouped(TWINS, [], [], [], 1, 1) == []
