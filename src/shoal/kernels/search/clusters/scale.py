"""What intervals of an attribute's codes cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.attributes import Scale
from shoal.kernels.arrays import Row


def as_tuples(scales: Sequence[Scale]) -> list[ScaleTuple]:
    """Scales as kernels want them."""
    return [
        (scale.along, np.ascontiguousarray(scale.costs, dtype=np.int64), scale.whole, scale.missing) for scale in scales
    ]


ScaleTuple = tuple[bool, Counts, int, int]  # along a line, costs, the cost of everything, the code for missing or -1


class Cost:
    """What an interval of codes costs, on one scale."""

    def __init__(self, along: bool, costs: Counts, whole: int, missing: int) -> None:
        self.along, self.costs, self.whole, self.missing = along, costs.tolist(), whole, missing

    def __call__(self, lo: int, hi: int) -> int:
        """Nothing for a single code."""
        if lo == hi:
            return 0
        if not self.along:
            return int(max(self.costs[lo:hi]))
        return self.whole if hi == self.missing else int(self.costs[hi] - self.costs[lo])


def cost_of(costs: list[Cost], rows: Sequence[Row]) -> int:
    """What rows of codes cost together."""
    lo, hi = ends_of(rows)
    return sum(cost(*ends) for cost, *ends in zip(costs, lo, hi, strict=True))


def ends_of(rows: Sequence[Row]) -> list[Row]:
    """The lowest and the highest code of each attribute."""
    return [tuple(map(least, zip(*rows, strict=True))) for least in (min, max)]
