"""Random scales and columns, and what rows cost on them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.data.attributes import Scale


@st.composite
def scale_lists(draw: st.DrawFn, most: int = 6) -> list[Scale]:
    scales = []
    for _ in range(draw(st.integers(1, 3))):
        codes, along = draw(st.integers(1, most)), draw(st.booleans())
        costs = draw(st.lists(st.integers(0, 9), min_size=codes, max_size=codes))
        missing = codes - 1 if along and draw(st.booleans()) else -1
        scales.append(Scale(along, np.array(sorted(costs) if along else costs[1:], dtype=np.int64), 10, missing))
    return scales


def codes_of(scale: Scale) -> int:
    return len(scale.costs) + (not scale.along)


def columns(rng: random.Random, scales: list[Scale], rows: int) -> list[Any]:
    return [np.array([rng.randrange(codes_of(scale)) for _ in range(rows)], dtype=np.int32) for scale in scales]


def cost_of(codes: list[Any], scales: list[Scale], rows: list[int]) -> int:
    total = 0
    for column, scale in zip(codes, scales, strict=True):
        values = {int(column[row]) for row in rows}
        if len(values) == 1:
            continue
        if not scale.along:
            total += int(max(scale.costs[min(values) : max(values)]))
        elif scale.missing in values:
            total += scale.whole
        else:
            total += int(scale.costs[max(values)] - scale.costs[min(values)])
    return total
