"""Numbered values: they are the values of the rows, whatever is taken of them and wherever they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.attributes import MISSING
from shoal.data.axis_values import AxisValues, collected, narrow
from shoal.engines import Engine

PLACES = st.sampled_from([-3, 0, 1, 7, 300, int(MISSING)])
ENDS = st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=12)


@given(ends=ENDS, rows=st.lists(st.integers(0, 11)))
def test_rows_keep_their_ends(ends: list[tuple[int, int]], rows: list[int]) -> None:
    low, high = np.array(ends, dtype=np.int64).T
    values = AxisValues.of_rows(low, high)
    assert (values.lows.tolist(), values.highs.tolist()) == (low.tolist(), high.tolist())
    assert values.counts.sum() == len(values) == len(ends)
    assert {(int(values.low[at]), int(values.high[at])) for at in values.used} == set(ends)
    chosen = np.array([row % len(ends) for row in rows], dtype=np.int64)
    taken = values.take(chosen)
    assert (taken.lows.tolist(), taken.highs.tolist()) == (low[chosen].tolist(), high[chosen].tolist())
    assert {(int(taken.low[at]), int(taken.high[at])) for at in taken.used} == {ends[row] for row in chosen}
    assert values.part(slice(1, 3)).lows.tolist() == low[1:3].tolist()


@pytest.mark.parametrize(("different", "size"), [(0, 1), (1, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 4)])
def test_the_smallest_type_holds_all_numbers(different: int, size: int) -> None:
    numbers = np.array([0, max(0, different - 1)])
    assert narrow(numbers, different).tolist() == numbers.tolist()
    assert narrow(numbers, different).itemsize == size


@pytest.mark.parametrize("memory", [64, 10**6])
def test_pieces_become_one_array_in_memory_or_in_a_file(memory: int) -> None:
    with Engine(memory=memory).in_use():
        numbers = collected((np.array([at, 1]) for at in range(300)), 300, 600)
    assert numbers.tolist() == [number for at in range(300) for number in (at, 1)]
    assert numbers.dtype == np.uint16
