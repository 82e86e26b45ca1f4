"""Counts the support of every small set in a table, and looks up the least of each row; part by part."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.merging import MergeableCounts


class SupportTable(MergeableCounts):
    """The support of every set of at most m labels (m up to 3) in the rows that were added.

    ``rank`` is the place of each label in the table. The most frequent first is fastest.

    >>> table = SupportTable(np.array([0, 1], dtype=np.int32), 2)
    >>> rows = np.array([0, 2, 3, 3]), np.array([0, 1, 0], dtype=np.int32)
    >>> table.add(*rows)
    >>> table.least(*rows, nothing=3).tolist()  # {0} is in two rows, {1} and {0, 1} are in one
    [[1, 2, 3], [1, 2, 3]]
    """

    def __init__(self, rank: Codes, m: int) -> None:
        self._m = m
        self._made_by(SupportTableTwin, rank, m)

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items)

    def least(self, indptr: Offsets, items: Codes, nothing: int) -> Counts:
        """Return for 1, 2, .. m labels and each row the least support of some labels of it, or ``nothing``."""
        least: Counts = self._kernel.least(indptr, items, nothing)
        return least.reshape(self._m, -1)


class SupportTableTwin:
    """Count every set of every row."""

    def __init__(self, rank: Codes, m: int) -> None:
        self._m = m
        self._supports: Counter[tuple[int, ...]] = Counter()

    def _sets(self, row: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
        return [labels for length in range(1, size + 1) for labels in combinations(row, length)]

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        for row in rows_of(indptr, items):
            self._supports.update(self._sets(row, self._m))

    def merge_cells(self, cells: Counter[tuple[int, ...]]) -> None:
        """Add counts of other rows."""
        self._supports += cells

    def cells(self) -> Counter[tuple[int, ...]]:
        """Return all counts."""
        return self._supports

    def least(self, indptr: Offsets, items: Codes, nothing: int) -> Counts:
        """Look at every set of every row."""
        found = [
            min((self._supports[labels] for labels in self._sets(row, size)), default=nothing)
            for size in range(1, self._m + 1)
            for row in rows_of(indptr, items)
        ]
        return np.array(found, dtype=np.int64)
