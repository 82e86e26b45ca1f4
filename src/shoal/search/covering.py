"""Bounds on covering problems: the least cost of numbers between 0 and their limits that satisfy linear inequalities.

Inequalities (rows) come in batches. Each says that a weighted sum, in whole numbers, is at least a whole number. A
first-order method (primal-dual hybrid gradient with steps scaled by cost) improves the multipliers of the rows,
starting from the last ones. By weak duality, *any* multipliers give a bound: the multipliers times the right-hand
sides, plus the limit of each variable times its reduced cost where that is negative. So rounding cannot make the bound
wrong. The multipliers are first rounded to multiples of 1/256. Then the bound is computed in exact integers.

Cost: each step makes a few passes over the non-zero entries.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts

Floats = npt.NDArray[np.float64]

UNIT = 256  # multipliers are multiples of 1 / UNIT
EXACT = 2.0**61  # sums below this fit 64 bits
RESTART = 50  # steps after which the search restarts from the better of the last point and the average


class Covering:
    """Rows over variables with whole-number costs and limits. ``scale`` is the typical cost of using each variable."""

    def __init__(self, costs: Counts, limits: Counts, scale: Floats) -> None:
        self.costs, self.limits, self.scale = costs, limits, scale
        self.values: Floats = np.zeros(len(costs))  # the point that the last steps reached
        self.bound = 0
        self.sizes = np.zeros(0, dtype=np.int64)
        self.columns = np.zeros(0, dtype=np.int32)
        self.weights = np.zeros(0, dtype=np.int64)
        self.least = np.zeros(0, dtype=np.int64)
        self.multipliers: Floats = np.zeros(0)
        self.idle = np.zeros(0, dtype=np.int64)  # number of batches for which each row has had no multiplier

    @property
    def entries(self) -> int:
        """The number of non-zero entries."""
        return len(self.columns)

    def add(self, sizes: Counts, columns: npt.NDArray[np.int32], weights: Counts, least: Counts) -> None:
        """Add rows."""
        self.sizes = np.concatenate([self.sizes, sizes])
        self.columns = np.concatenate([self.columns, columns])
        self.weights = np.concatenate([self.weights, weights])
        self.least = np.concatenate([self.least, least])
        self.multipliers = np.concatenate([self.multipliers, np.zeros(len(sizes))])
        self.idle = np.concatenate([self.idle, np.zeros(len(sizes), dtype=np.int64)])

    def forget(self, after: int) -> None:
        """Drop rows with a positive right-hand side that have had no multiplier for this many batches."""
        self.idle = np.where(self.multipliers > 0, 0, self.idle + 1)
        keep = (self.idle < after) | (self.least == 0)
        entries = np.repeat(keep, self.sizes)
        self.columns, self.weights = self.columns[entries], self.weights[entries]
        self.sizes, self.least, self.idle = self.sizes[keep], self.least[keep], self.idle[keep]
        self.multipliers = self.multipliers[keep]

    def improve(self, steps: int) -> None:
        """Run this many steps, and keep the best bound found."""
        if not len(self.sizes):
            return
        used, column = np.unique(self.columns, return_inverse=True)
        starts = np.cumsum(self.sizes) - self.sizes
        row = np.repeat(np.arange(len(self.sizes)), self.sizes)
        by_column = np.argsort(column, kind="stable")
        firsts = np.searchsorted(column[by_column], np.arange(len(used)))
        largest = np.maximum.reduceat(np.abs(self.weights), starts).astype(np.float64)
        share, right = self.weights / largest[row], self.least / largest
        row_cost = np.minimum.reduceat(self.scale[used][column] / np.abs(share), starts)
        costs, limits = self.costs[used].astype(np.float64), self.limits[used].astype(np.float64)
        column_share, column_row = share[by_column], row[by_column]
        tau = 1 / np.add.reduceat(np.abs(column_share) * row_cost[column_row], firsts)
        sigma = row_cost / np.add.reduceat(np.abs(share), starts)

        def reduced(multipliers: Floats) -> Floats:
            return costs - np.add.reduceat(column_share * multipliers[column_row], firsts)

        def value(multipliers: Floats) -> float:
            return float(multipliers @ right + np.minimum(reduced(multipliers), 0) @ limits)

        x, y = self.values[used], self.multipliers * largest
        best, best_value = y, value(y)
        sum_x, sum_y, count = np.zeros_like(x), np.zeros_like(y), 0
        for step in range(1, steps + 1):
            moved = np.clip(x - tau * reduced(y), 0, limits)
            y = np.maximum(0, y + sigma * (right - np.add.reduceat(share * (2 * moved - x)[column], starts)))
            x = moved
            sum_x, sum_y, count = sum_x + x, sum_y + y, count + 1
            if step % RESTART == 0 or step == steps:
                here, average = value(y), value(sum_y / count)
                if average > here:
                    x, y, here = sum_x / count, sum_y / count, average
                if here > best_value:
                    best, best_value = y, here
                sum_x, sum_y, count = np.zeros_like(x), np.zeros_like(y), 0
        self.values = np.zeros(len(self.costs))
        self.values[used] = x
        self.multipliers = y / largest
        self.bound = max(self.bound, self._exact(best / largest))

    def _exact(self, multipliers: Floats) -> int:
        """Return the bound that these multipliers prove, in exact integers, or 0 if they are too large."""
        most = float(multipliers @ self.sizes) * float(np.abs(self.weights).max()) * float(self.limits.max())
        if not max(most, float(self.costs.max()), float(multipliers @ self.least)) * UNIT < EXACT:
            return 0
        whole = np.floor(multipliers * UNIT).astype(np.int64)
        reduced = self.costs * UNIT
        np.subtract.at(reduced, self.columns, self.weights * np.repeat(whole, self.sizes))
        total = int((whole * self.least).sum()) + int((np.minimum(reduced, 0) * self.limits).sum())
        return max(0, -(-total // UNIT))
