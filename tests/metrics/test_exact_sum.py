"""Exact sums: those of math.fsum, in any parts."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.exact_sum import exact_sum, rounded

numbers = st.lists(st.floats(0, 1e300) | st.floats(0, 1) | st.floats(0, 1e-300), max_size=20)


@given(values=numbers, split=st.integers(0, 20))
def test_the_sum_is_exact(values: list[float], split: int) -> None:
    parts = (np.array(values[:split], dtype=np.float64), np.array(values[split:], dtype=np.float64))
    assert rounded(sum(map(exact_sum, parts))) == math.fsum(values)


def test_many_numbers_stay_exact() -> None:
    values = np.random.default_rng(1).random(200_000) ** 9
    assert rounded(exact_sum(values)) == math.fsum(values.tolist())
    largest = np.full(1 << 17, np.nextafter(1.0, 0))  # all bits are set
    assert rounded(exact_sum(largest)) == math.fsum(largest.tolist())
