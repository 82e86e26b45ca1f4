"""Similarity of rows."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.transactions import Transactions


class Overlaps:
    """Counts the items that rows share."""

    def __init__(self, rows: Transactions) -> None:
        """Index these rows."""
        self.rows, self.sizes = rows, rows.sizes
        self._mark = np.zeros(len(rows.labels), dtype=bool)

    def shared(self, own: Codes, others: Counts) -> Counts:
        """Count for each of the rows how many of the given items it has."""
        indptr, items = self.rows.indptr, self.rows.items
        sizes = self.sizes[others]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(indptr[others] - ends + sizes, sizes)
        self._mark[own] = True
        sums = np.concatenate([[0], np.cumsum(self._mark[items[at]])])
        self._mark[own] = False
        counts: Counts = sums[ends] - sums[ends - sizes]
        return counts

    def distances(self, own: Codes, others: Counts) -> Counts:
        """Return the Hamming distance from the given items to each of the rows."""
        distances: Counts = len(own) + self.sizes[others] - 2 * self.shared(own, others)
        return distances
