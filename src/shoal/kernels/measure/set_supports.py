"""Counts the support of given sets, part by part."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, people_of, rows_of
from shoal.kernels.choice import compiled_or


class SetSupports:
    """The number of persons who have a row with all labels of a set, for each of some given sets.

    ``rank`` is the place of each label in the tree that holds the sets. The rarest first is fastest.

    >>> sets = np.array([0, 0, 1, 3]), np.array([0, 0, 1], dtype=np.int32)
    >>> supports = SetSupports(*sets, np.array([1, 0], dtype=np.int32))
    >>> supports.count(np.array([0, 2, 3, 3]), np.array([0, 1, 0], dtype=np.int32)).tolist()
    [3, 2, 1]
    """

    def __init__(self, indptr: Offsets, items: Codes, rank: Codes) -> None:
        self._kernel: Any = compiled_or(SetSupportsTwin)(indptr, items, rank)

    def count(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> Counts:
        """Count these rows. Rows of one person must be consecutive (``persons``: -1 for one without other rows)."""
        supports: Counts = self._kernel.count(indptr, items, persons)
        return supports


class SetSupportsTwin:
    """Look for every set in every row."""

    def __init__(self, indptr: Offsets, items: Codes, rank: Codes) -> None:
        self._sets = [frozenset(codes) for codes in rows_of(indptr, items)]

    def count(self, indptr: Offsets, items: Codes, persons: Codes) -> Counts:
        """Collect the persons of each set."""
        rows = [frozenset(row) for row in rows_of(indptr, items)]
        people = people_of(indptr, persons)
        found = [
            len({person for row, person in zip(rows, people, strict=True) if codes <= row}) for codes in self._sets
        ]
        return np.array(found, dtype=np.int64)
