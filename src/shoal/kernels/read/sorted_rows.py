"""Turns rows of codes into sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.choice import compiled_or


def sorted_rows(sizes: Codes, codes: Codes, rank: Codes) -> tuple[Offsets, Codes]:
    """Replace each code by its rank, sort it within its row and remove duplicates.

    Parameters
    ----------
    sizes
        Number of codes of each row.
    codes
        The codes of all rows, one after the other.
    rank
        Code c becomes ``rank[c]``.

    Returns
    -------
    tuple
        The start of each row, and its items: the arrays of :class:`~shoal.data.Transactions`.

    Examples
    --------
    >>> indptr, items = sorted_rows(*(np.array(part, np.int32) for part in ([3, 0], [1, 0, 1], [5, 2])))
    >>> indptr.tolist(), items.tolist()
    ([0, 2, 2], [2, 5])
    """
    return compiled_or(sorted_rows_twin)(sizes, codes, rank)


def sorted_rows_twin(sizes: Codes, codes: Codes, rank: Codes) -> tuple[Offsets, Codes]:
    """Sort row by row."""
    if (len(sizes) and sizes.min() < 0) or int(sizes.sum()) != len(codes):
        raise ValueError("the sizes of rows do not fit the codes")
    if len(codes) and (codes.min() < 0 or codes.max() >= len(rank)):
        raise ValueError("a code has no rank")
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    rows = [np.unique(rank[codes[start:end]]) for start, end in pairwise(ends.tolist())]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    return indptr, np.concatenate([np.empty(0, np.int32), *rows]).astype(np.int32)
