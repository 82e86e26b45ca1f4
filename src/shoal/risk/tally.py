"""The crowd sizes of records, and the figures that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.risk.assessment import Band
from shoal.risk.figure import Figure
from shoal.risk.intervals import mean_bounds, quantile_ranks, share_bounds

QUANTILES = (0.01, 0.05, 0.25, 0.5)
BANDS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
_EQUAL = 1e-12  # shares that differ by less are the same


@dataclass(frozen=True, eq=False)
class Tally:
    """Crowd sizes, and how many records have each.

    A size may be known only within bounds: it is between ``low`` and ``high``. Then figures state the higher risk, that
    of ``low``.

    >>> tally = Tally.of(np.array([1, 4, 4]))
    >>> tally.smallest().value, tally.mean_risk().value, tally.share_above(0.25).value
    (1, 0.5, 0.333...)
    """

    low: Counts
    high: Counts
    weights: npt.NDArray[np.float64]  # the number of records, or of draws
    draws: int = 0  # 0: all records are counted

    @classmethod
    def of(
        cls,
        low: Counts,
        high: Counts | None = None,
        times: npt.NDArray[np.generic] | None = None,
        *,
        draws: int = 0,
    ) -> Tally:
        """Return the tally of the crowds of some records. ``times``: how many records are like each."""
        high = low if high is None else high
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        first = np.flatnonzero(np.diff(low, prepend=low[:1] - 1) | np.diff(high, prepend=high[:1] - 1))
        weights = np.ones(len(low)) if times is None else times[order].astype(np.float64)
        summed = np.add.reduceat(weights, first) if len(first) else weights
        return cls(low[first], high[first], summed, draws)

    @property
    def total(self) -> float:
        """The number of records, or of draws."""
        return math.fsum(self.weights.tolist())

    def smallest(self, least: int = 1) -> Figure:
        """Return the size of the smallest crowd. ``least``: no crowd can be smaller."""
        if not len(self.low):
            return Figure.of(0)
        low, high = int(self.low.min()), int(self.high.min())
        return Figure.within(low, min(least, high) if self.draws else low, high)

    def share_above(self, threshold: float) -> Figure:
        """Return the share of records whose risk is above a threshold."""
        surely, maybe = (1 / sizes > threshold for sizes in (self.high, self.low))
        return self._figure(surely, maybe, maybe)

    def histogram(self) -> tuple[Band, ...]:
        """Return the shares of records by the size of their crowd."""
        return tuple(Band(least, most, self._band(least, most or np.iinfo(np.int64).max)) for least, most in BANDS)

    def quantiles(self, most: int) -> tuple[tuple[float, Figure], ...]:
        """Return for each share the size that the crowds of this share of the records do not exceed.

        ``most``: no crowd is larger.
        """
        return tuple((share, self._quantile(share, most)) for share in QUANTILES)

    def mean_risk(self, most: float = 1.0) -> Figure:
        """Return the mean of 1/size. ``most``: the largest that 1/size can be."""
        if not len(self.low):
            return Figure.of(0.0)
        total = self.total
        low, high = (math.fsum((self.weights / sizes).tolist()) / total for sizes in (self.high, self.low))
        if not self.draws:
            return Figure.within(high, low, high)
        times = self.weights.astype(np.int64)
        least, largest = (np.repeat(1 / sizes, times) for sizes in (self.high, self.low))
        return Figure.within(high, *mean_bounds(least, largest, most))

    def _band(self, least: int, most: int) -> Figure:
        """Return the share of records with a crowd in a band."""
        inside = (self.low >= least) & (self.high <= most)
        partly = (self.high >= least) & (self.low <= most)
        return self._figure(inside, partly, (self.low >= least) & (self.low <= most))

    def _figure(
        self, surely: npt.NDArray[np.bool_], maybe: npt.NDArray[np.bool_], probably: npt.NDArray[np.bool_]
    ) -> Figure:
        """Return a share, from the sizes that have a property for sure, may have it, and are said to have it."""
        total = self.total
        if not total:
            return Figure.of(0.0)
        low, high, value = (math.fsum(self.weights[some].tolist()) for some in (surely, maybe, probably))
        if not self.draws:
            return Figure.within(value / total, low / total, high / total)
        return Figure.within(value / total, *share_bounds(round(low), round(high), self.draws))

    def _quantile(self, share: float, most: int) -> Figure:
        """Return the size that the crowds of a share of the records do not exceed."""
        if not len(self.low):
            return Figure.of(0)
        if not self.draws:
            low, high = (self._at(sizes, share * self.total) for sizes in (self.low, self.high))
            return Figure.within(low, low, high)
        first, last = quantile_ranks(share, self.draws)
        value = self._at(self.low, share * self.total)
        low = self._at(self.low, first) if first else 1
        high = self._at(self.high, last) if last <= self.draws else most
        return Figure.within(value, low, high)

    def _at(self, sizes: Counts, rank: float) -> int:
        """Return the lowest size that this many records do not exceed."""
        order = np.argsort(sizes, kind="stable")
        reached = np.cumsum(self.weights[order])
        return int(sizes[order[min(len(order) - 1, int(np.searchsorted(reached, rank * (1 - _EQUAL))))]])
