"""Array aliases that state the dtype, and small array functions that many modules need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]  # item, label or node ids
Offsets = npt.NDArray[np.int64]  # CSR row starts, one more than rows
Counts = npt.NDArray[np.int64]  # supports, occurrences, costs


def frozen(values: Any, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return a contiguous read-only array of the dtype. It is a copy, unless the array is read-only already."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def row_ids(indptr: Offsets) -> Offsets:
    """Return the row number of every entry of a CSR structure.

    >>> row_ids(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))


def counted(keys: Counts) -> tuple[Counts, Counts]:
    """Return the different numbers, ascending, and how often each occurs.

    This sorts. ``np.unique`` would hash, which is slower here.

    >>> [part.tolist() for part in counted(np.array([7, 3, 7]))]
    [[3, 7], [1, 2]]
    """
    keys = np.sort(keys)
    first = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    return keys[first], np.diff(first, append=len(keys))


def csr_from_pairs(rows: Offsets, codes: npt.NDArray[Any], n_rows: int) -> tuple[Offsets, Codes]:
    """Build a CSR from (row, code) pairs in any order. Codes rise strictly within each row, and duplicates collapse.

    >>> indptr, items = csr_from_pairs(np.array([1, 0, 1, 1]), np.array([5, 3, 2, 5]), 3)
    >>> indptr.tolist(), items.tolist()
    ([0, 1, 3, 3], [3, 2, 5])
    """
    if len(codes) == 0:
        return np.zeros(n_rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    width = int(codes.max()) + 1
    kind: Any = np.int32 if n_rows * width < 1 << 31 else np.int64  # small numbers are sorted in half the time
    keys = rows.astype(kind) * kind(width) + codes.astype(kind)
    if not bool(np.all(keys[1:] > keys[:-1])):
        keys.sort()  # np.unique would hash, which is slower here
        keys = keys[np.diff(keys, prepend=-1) > 0]
    rows, items = np.divmod(keys, kind(width))
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
    return indptr, items.astype(np.int32, copy=False)


def part_of(parts: Sequence[Counts], rows: int) -> Counts:
    """Return which of the parts each row is in. Every row is in exactly one part.

    >>> part_of([np.array([2, 0]), np.array([1])], 3).tolist()
    [0, 1, 0]
    """
    part_of_row = np.empty(rows, dtype=np.int64)
    for at, part in enumerate(parts):
        part_of_row[part] = at
    return part_of_row


def spans(places: Any, group_of: Counts) -> tuple[Counts, Counts]:
    """Return the smallest and the largest position of each group (groups are 0, 1, ..).

    >>> [ends.tolist() for ends in spans(np.array([5, 3, 7]), np.array([0, 0, 1]))]
    [[3, 7], [5, 7]]
    """
    groups = int(group_of.max(initial=-1)) + 1
    if groups == 1:  # much faster than by group
        return np.array([places.min()], dtype=np.int64), np.array([places.max()], dtype=np.int64)
    low = np.full(groups, np.iinfo(np.int64).max)
    high = np.full(groups, np.iinfo(np.int64).min)
    np.minimum.at(low, group_of, places)
    np.maximum.at(high, group_of, places)
    return low, high
