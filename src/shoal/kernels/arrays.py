"""Arrays as kernels want them, and rows as their readable twins do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Offsets

Row = tuple[int, ...]


def capped(k: int, indptr: Offsets) -> int:
    """No support is above the number of rows, so a larger k means the same; it must fit 64 bits."""
    return min(k, len(indptr))


def flat(pairs: Codes) -> Codes:
    """One line after the other."""
    return np.ascontiguousarray(pairs).reshape(-1)


def rows_of(indptr: Offsets, items: Codes) -> list[Row]:
    """The rows as tuples of codes.

    >>> rows_of(np.array([0, 2, 2, 3]), np.array([0, 1, 4], dtype=np.int32))
    [(0, 1), (), (4,)]
    """
    codes = items.tolist()
    return [tuple(codes[start:stop]) for start, stop in pairwise(indptr.tolist())]
