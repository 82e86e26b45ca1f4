"""Counts the persons who have an item below each node of a hierarchy, part by part."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, people_of, rows_of
from shoal.kernels.merging import MergeableCounts


class NodeSupports(MergeableCounts):
    """The supports of all nodes in the rows that were added.

    Parameters
    ----------
    code_of
        The leaf of each item of the rows.
    parent
        The parent of each node. The root comes last.

    Examples
    --------
    >>> counter = NodeSupports(np.array([0, 1], dtype=np.int32), np.array([2, 2, -1], dtype=np.int32))
    >>> counter.add(np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32))
    >>> counter.supports.tolist()
    [1, 2, 2]
    """

    def __init__(self, code_of: Codes, parent: Codes) -> None:
        self._made_by(NodeSupportsTwin, code_of, parent)

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows. The rows of a person must be consecutive."""
        self._kernel.add(indptr, items, persons)

    @property
    def supports(self) -> Counts:
        """The support of each node."""
        supports: Counts = self._kernel.cells()
        return supports


class NodeSupportsTwin:
    """Keep the persons of every node."""

    def __init__(self, code_of: Codes, parent: Codes) -> None:
        self._code_of, self._parent = code_of.tolist(), parent.tolist()
        self._holders: list[set[int]] = [set() for _ in self._parent]
        self._others = np.zeros(len(self._parent), dtype=np.int64)
        self._rows = 0

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Go up from every item."""
        for row, person in zip(rows_of(indptr, items), people_of(indptr, persons), strict=True):
            for item in row:
                node = self._code_of[item]
                while node >= 0:
                    self._holders[node].add(person if person >= 0 else person - self._rows)
                    node = self._parent[node]
        self._rows += len(indptr) - 1

    def merge_cells(self, cells: Counts) -> None:
        """Add counts of other rows."""
        self._others = self._others + cells

    def cells(self) -> Counts:
        """Return the number of persons of each node."""
        return np.array([len(holders) for holders in self._holders], dtype=np.int64) + self._others
