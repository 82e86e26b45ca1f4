"""The cost of publishing codes of an attribute together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.scales import Line, Scale, Tree
from shoal.kernels.arrays import Row

ScaleTuple = tuple[int, Counts, int, int]  # kind, costs, cost of everything, code for missing values or -1


def as_tuples(scales: Sequence[Scale]) -> list[ScaleTuple]:
    """Convert scales to the tuples that kernels take."""
    return [
        (scale.kind, np.ascontiguousarray(scale.costs, dtype=np.int64), scale.whole, scale.missing) for scale in scales
    ]


class Cost:
    """The cost of codes together, on one scale."""

    def __init__(self, kind: int, costs: Counts, whole: int, missing: int) -> None:
        self.kind, self.costs, self.whole, self.missing = kind, costs.tolist(), whole, missing

    def __call__(self, codes: Collection[int]) -> int:
        """Return the cost of the codes; 0 for a single code."""
        lo, hi = min(codes), max(codes)
        if lo == hi:
            return 0
        if self.kind == Tree.kind:
            return int(max(self.costs[lo:hi]))
        if hi == self.missing:
            return self.whole
        return int(self.costs[hi] - self.costs[lo] if self.kind == Line.kind else self.costs[len(set(codes))])


def costs_of(costs: Sequence[Cost], rows: Iterable[Row]) -> list[int]:
    """Return the cost of rows of codes together, on each scale."""
    return [cost(codes) for cost, codes in zip(costs, zip(*rows, strict=True), strict=True)]


def cost_of(costs: Sequence[Cost], rows: Iterable[Row]) -> int:
    """Return the total cost of rows of codes together."""
    return sum(costs_of(costs, rows))
