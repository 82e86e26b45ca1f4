"""The kernel behind GSC, which looks for near rows in windows of a sorted list: against a slow obvious one."""

from __future__ import annotations

import random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from shoal.kernels import _python
from tests.budget import examples
from tests.conftest import implementations, still
from tests.kernels.test_groups import Sets, csr, interrupt, row_lists


def slow_sweep(rows: Sets, number: list[int], late: list[bool], take: int, reach: int) -> list[list[int]]:
    used = set[int]()
    groups = []
    for seed in range(len(rows)):
        if not late[seed] or seed in used:
            continue
        if len(rows) - len(used) <= take:
            break
        group = [seed]
        for kind in (False, True):
            free = [place for place in range(len(rows)) if place not in {*used, *group} and late[place] == kind]
            wanted, window = min(take + 1 - len(group), len(free)), reach
            while len(near := [place for place in free if abs(place - seed) <= window]) < wanted:
                window *= 2
            group += sorted(near, key=lambda place: (len(rows[place] ^ rows[seed]), number[place]))[:wanted]
        used |= set(group)
        groups.append(group)
    return groups


def swept(
    module: ModuleType, rows: Sets, number: list[int], late: list[bool], take: int, reach: int
) -> list[list[int]]:
    called, last = np.array(number, dtype=np.int64), np.array(late, dtype=np.uint8)
    found = np.frombuffer(module.sweep(*csr(rows), called, last, take, reach, still), dtype=np.int64)
    groups: list[list[int]] = found.reshape(-1, take + 1).tolist()
    return groups


@examples(300)
@given(rows=row_lists, data=st.data(), take=st.integers(1, 6), reach=st.integers(1, 8))
def test_sweep(kernel: ModuleType, rows: Sets, data: st.DataObject, take: int, reach: int) -> None:
    late = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    number = data.draw(st.permutations(range(len(rows))))
    assert swept(kernel, rows, number, late, take, reach) == slow_sweep(rows, number, late, take, reach)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.9, 1])
def test_larger_data(share: float) -> None:
    """Windows that are doubled many times, up to all of the data, and late rows that have to do."""
    rng = random.Random(int(100 * share))
    rows = [{rng.randrange(80) for _ in range(rng.randrange(9))} for _ in range(600)]
    late, number = [rng.random() < share for _ in rows], rng.sample(range(600), 600)
    for take, reach in ((1, 1), (4, 10), (19, 40), (40, 3)):
        expected = slow_sweep(rows, number, late, take, reach)
        assert expected
        for module in implementations():
            assert swept(module, rows, number, late, take, reach) == expected


def test_wrong_arguments_and_interruption(kernel: ModuleType) -> None:
    rows = [{0}, {1}, {0}] * 20
    for take, reach in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one"):
            kernels.sweep(*csr(rows), np.arange(60), np.ones(60, dtype=bool), take, reach)
    assert len(kernels.sweep(*csr(rows), np.arange(60), np.ones(60, dtype=bool), 60, 1)) == 0
    with pytest.raises(KeyboardInterrupt):
        kernel.sweep(*csr(rows), np.arange(60), np.ones(60, dtype=np.uint8), 2, 3, interrupt)
    assert swept(_python, [], [], [], 1, 1) == []
