"""Counts one or two labels, present or absent, in dense tables, part by part."""

from __future__ import annotations

from collections import Counter

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY
from shoal.kernels.merging import MergeableCounts
from shoal.kernels.verify.set_counts import SetHolders


class FactCounts(MergeableCounts):
    """The counts of one or two labels, present or absent.

    The arguments are those of :class:`~shoal.kernels.verify.set_counts.SetCounts`.
    """

    def __init__(self, rank: Codes, m: int, *, within: range | None = None) -> None:
        within = range(len(rank)) if within is None else within
        self._made_by(FactCountsTwin, rank, m, within.start, within.stop)

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items, NOBODY)

    def result(self, k: int, total: int, support: Counts) -> tuple[int, int]:
        """Return how many combinations were looked at, and how many fit 1..k-1 of the ``total`` rows.

        ``support``: the rows with each label, by rank.
        """
        checked, rare = self._kernel.result(k, total, support)
        return checked, rare


class FactCountsTwin:
    """Count every label and every pair, and so all combinations with absent labels."""

    def __init__(self, rank: Codes, m: int, first: int, stop: int) -> None:
        self._own, self._m, self._range = SetHolders(rank, m, first, stop), m, range(first, stop)
        self._others: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count more rows."""
        self._own.add(indptr, items, persons)

    def merge_cells(self, cells: Counter[tuple[int, ...]]) -> None:
        """Add counts of other rows."""
        self._others += cells

    def cells(self) -> Counter[tuple[int, ...]]:
        """Return all counts."""
        return self._own.counts() + self._others

    def result(self, k: int, total: int, support: Counts) -> tuple[int, int]:
        """Look at every combination."""
        counts, fitting, checked = self.cells(), list[int](), 0
        for b in self._range:
            n = int(support[b])
            fitting += [n, total - n]
            checked += 2 * (n > 0)
            for a in range(b) if self._m > 1 else ():
                both, other = counts[a, b], int(support[a])
                fitting += [both, n - both, other - both, total - n - other + both]
                checked += 3 * (both > 0) + (0 < n < total and 0 < other < total and total - n - other < k)
        return checked, sum(0 < count < k for count in fitting)
