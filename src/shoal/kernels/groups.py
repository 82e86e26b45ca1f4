"""The kernels behind methods that put similar rows into groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, kernels, still


def claim(
    indptr: Offsets,
    items: Codes,
    labels: int,
    seeds: Counts,
    late: npt.NDArray[np.bool_],
    take: int,
    *,
    threads: int = 1,
    tick: Tick = still,
) -> Counts:
    """Each seed in turn takes the ``take`` unused rows nearest to it: one line a group, the seed first.

    Near: few items that only one of the two rows has; ties go to the lower row number. Rows that are ``late`` are taken
    only once the others have run out. A seed that was taken makes no group, and the first one for which too few rows
    are left ends it all.

    >>> rows = np.array([0, 2, 3, 5, 6]), np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    >>> claim(*rows, 3, np.array([0, 1, 2]), np.array([False, False, False, True]), 1).tolist()
    [[0, 2], [1, 3]]
    """
    if take < 1:
        raise ValueError(f"a seed must take at least one row, not {take}")
    at_most, order = min(take, len(indptr)), np.ascontiguousarray(seeds, dtype=np.int64)
    found = kernels().claim(indptr, items, labels, order, late.astype(np.uint8), at_most, 0, threads, tick)
    return np.frombuffer(found, dtype=np.int64).reshape(-1, take + 1)


def sweep(
    indptr: Offsets,
    items: Codes,
    labels: int,
    number: Counts,
    late: npt.NDArray[np.bool_],
    take: int,
    reach: int,
    *,
    tick: Tick = still,
) -> Counts:
    """Each late row in turn takes the ``take`` unused rows nearest to it in a window: one line a group, it comes first.

    Rows are given in the order of a list and are called by their places in it. The window reaches that many places up
    and down, and is doubled where it holds too few rows that are not late. Where all data hold too few, all of them are
    taken, and late ones in the same way. Ties go to the lower ``number``. It ends where too few rows are left.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 1, 0, 0], dtype=np.int32)
    >>> late = np.array([False, False, True, False])
    >>> [sweep(*rows, 2, np.array(number), late, 1, 2).tolist() for number in ([0, 1, 2, 3], [3, 2, 1, 0])]
    [[[2, 0]], [[2, 3]]]
    """
    if take < 1 or reach < 1:
        raise ValueError(f"a seed must take at least one row from a window of at least one, not {take} from {reach}")
    at_most, called = min(take, len(indptr)), np.ascontiguousarray(number, dtype=np.int64)
    found = kernels().sweep(
        indptr, items, labels, called, late.astype(np.uint8), at_most, min(reach, len(indptr)), tick
    )
    return np.frombuffer(found, dtype=np.int64).reshape(-1, take + 1)


def cover(
    indptr: Offsets, items: Codes, labels: int, k: int, *, threads: int = 1, tick: Tick = still
) -> tuple[int, Counts]:
    """Split the rows, in the order given, into groups of k to 2k - 1 at the least cost: (cost, where groups end).

    A group of g rows costs min(c, g - c) for every item, where c of its rows have it: the flips that make them equal.
    Among groups that end at the same row, and equal total costs up to there, the shortest is chosen.

    >>> rows = np.array([0, 1, 2, 3, 5, 7]), np.array([0, 0, 0, 1, 2, 1, 2], dtype=np.int32)
    >>> cost, ends = cover(*rows, 3, 2)
    >>> cost, ends.tolist()
    (0, [3, 5])
    """
    rows = len(indptr) - 1
    if not 1 <= k <= rows:
        raise ValueError(f"{rows} rows cannot be split into groups of at least {k}")
    cost, ends = kernels().cover(indptr, items, labels, k, threads, tick)
    return cost, np.frombuffer(ends, dtype=np.int64)
