"""Random scales and columns, and what rows cost on them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.data.scales import Line, Scale, Tree, Values

KINDS: list[type[Line | Tree | Values]] = [Line, Tree, Values]


@st.composite
def scale_lists(draw: st.DrawFn, most: int = 6) -> list[Scale]:
    scales: list[Scale] = []
    for _ in range(draw(st.integers(1, 3))):
        codes, kind = draw(st.integers(1, most)), draw(st.sampled_from(KINDS))
        costs = draw(st.lists(st.integers(0, 9), min_size=codes, max_size=codes))
        missing = codes - 1 if kind is not Tree and draw(st.booleans()) else -1
        told = {Line: sorted(costs), Tree: costs[1:], Values: [0, 0, *sorted(costs[1:])]}[kind]
        scales.append(kind(np.array(told, dtype=np.int64), 10, missing))
    return scales


def columns(rng: random.Random, scales: list[Scale], rows: int) -> list[Any]:
    return [np.array([rng.randrange(scale.codes) for _ in range(rows)], dtype=np.int32) for scale in scales]


def costs_of(codes: list[Any], scales: list[Scale], rows: list[int]) -> list[int]:
    costs = []
    for column, scale in zip(codes, scales, strict=True):
        values = {int(column[row]) for row in rows}
        if len(values) == 1:
            costs.append(0)
        elif isinstance(scale, Tree):
            costs.append(int(max(scale.costs[min(values) : max(values)])))
        elif scale.missing in values:
            costs.append(scale.whole)
        elif isinstance(scale, Line):
            costs.append(int(scale.costs[max(values)] - scale.costs[min(values)]))
        else:
            costs.append(int(scale.costs[len(values)]))
    return costs


def cost_of(codes: list[Any], scales: list[Scale], rows: list[int]) -> int:
    return sum(costs_of(codes, scales, rows))
