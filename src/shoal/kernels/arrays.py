"""Array formats of the kernels, and rows for their readable twins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Offsets

Row = tuple[int, ...]

NOBODY = np.zeros(0, dtype=np.int32)  # as persons: nobody has several rows


def capped(k: int, indptr: Offsets) -> int:
    """Limit k to one more than the number of rows, so that it fits 64 bits. No support is higher."""
    return min(k, len(indptr))


def flat(pairs: Codes) -> Codes:
    """Return the lines one after the other."""
    return np.ascontiguousarray(pairs).reshape(-1)


def rows_of(indptr: Offsets, items: Codes) -> list[Row]:
    """The rows as tuples of codes.

    >>> rows_of(np.array([0, 2, 2, 3]), np.array([0, 1, 4], dtype=np.int32))
    [(0, 1), (), (4,)]
    """
    codes = items.tolist()
    return [tuple(codes[start:stop]) for start, stop in pairwise(indptr.tolist())]


def people_of(indptr: Offsets, persons: Codes) -> list[int]:
    """Return the person of each row. The row of a person without others gets a number of its own.

    >>> people_of(np.array([0, 2, 2, 3]), np.array([0, -1, 0], dtype=np.int32))
    [0, -2, 0]
    """
    given = persons.tolist() or [-1] * (len(indptr) - 1)
    return [person if person >= 0 else -1 - row for row, person in enumerate(given)]


def grouped_people(rows: Sequence[Row], people: Sequence[int]) -> dict[Row, set[int]]:
    """Map each distinct non-empty row to its persons.

    >>> grouped_people([(0, 1), (), (0, 1)], [7, 8, 9])
    {(0, 1): {9, 7}}
    """
    found: dict[Row, set[int]] = {}
    for row, person in zip(rows, people, strict=True):
        if row:
            found.setdefault(row, set()).add(person)
    return found
