"""The kernel behind GSC, which looks for near rows in windows of a sorted list: against a slow obvious one."""

from __future__ import annotations

import random
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Case:
    """All that the kernel is given."""

    rows: Sets
    number: list[int]
    seeds: list[bool]
    deferred: list[bool]
    take: int
    reach: int
    widen: bool


def slow_groups(case: Case) -> list[list[int]]:
    rows, used, groups = case.rows, set[int](), []
    for seed in range(len(rows)):
        if not case.seeds[seed] or seed in used:
            continue
        if len(rows) - len(used) <= case.take:
            break
        group = [seed]
        free = [place for place in range(len(rows)) if place not in {*used, seed}]
        window = case.reach
        while not case.widen and sum(abs(place - seed) <= window for place in free) < case.take:
            window *= 2
        for kind in (False, True):
            some = [place for place in free if case.deferred[place] == kind]
            wanted, wider = min(case.take + 1 - len(group), len(some)), window
            while len(near := [place for place in some if abs(place - seed) <= wider]) < wanted and case.widen:
                wider *= 2
            group += sorted(near, key=lambda place: (len(rows[place] ^ rows[seed]), case.number[place]))[:wanted]
        used |= set(group)
        groups.append(group)
    return groups


def grouped(module: ModuleType, case: Case) -> list[list[int]]:
    called = np.array(case.number, dtype=np.int64)
    flags = (np.array(some, dtype=np.uint8) for some in (case.seeds, case.deferred))
    found = module.windowed_groups(*csr(case.rows), called, *flags, case.take, case.reach, case.widen, no_progress)
    groups: list[list[int]] = found.reshape(-1, case.take + 1).tolist()
    return groups


@examples(300)
@given(row_lists, st.data(), st.integers(1, 6), st.integers(1, 8), st.booleans())
def test_windowed_groups(
    kernel: ModuleType, rows: Sets, data: st.DataObject, take: int, reach: int, widen: bool
) -> None:
    """Which rows are seeds and which are deferred need not be the same."""
    flags = st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))
    number = data.draw(st.permutations(range(len(rows))))
    case = Case(rows, number, data.draw(flags), data.draw(flags), take, reach, widen)
    assert grouped(kernel, case) == slow_groups(case)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.9, 1])
def test_larger_data(share: float) -> None:
    """Windows that are doubled many times, up to all of the data, and deferred rows that have to do."""
    rng = random.Random(int(100 * share))
    rows = [{rng.randrange(80) for _ in range(rng.randrange(9))} for _ in range(600)]
    seeds, number = [rng.random() < share for _ in rows], rng.sample(range(600), 600)
    for take, reach, deferred, widen in (
        (1, 1, seeds, True),
        (4, 10, [False] * 600, True),
        (19, 40, seeds, False),
        (40, 3, seeds, True),
    ):
        case = Case(rows, number, seeds, deferred, take, reach, widen)
        expected = slow_groups(case)
        assert expected
        for module in implementations():
            assert grouped(module, case) == expected


def test_wrong_arguments_and_interruption(kernel: ModuleType) -> None:
    rows, every = [{0}, {1}, {0}] * 20, np.ones(60, dtype=bool)
    for take, reach in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one"):
            windowed_groups(*csr(rows), np.arange(60), every, every, take, reach)
    assert len(windowed_groups(*csr(rows), np.arange(60), every, every, 60, 1)) == 0
    flags = every.astype(np.uint8)
    with pytest.raises(KeyboardInterrupt):
        kernel.windowed_groups(*csr(rows), np.arange(60), flags, flags, 2, 3, True, interrupt)
    assert grouped(TWINS, Case([], [], [], [], 1, 1, True)) == []
