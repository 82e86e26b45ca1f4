"""The kernels of measures: they share no counting with those of the searches and of the verifiers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, capped, kernels, still

MOST_ITEMSETS = 20_000_000  # with their labels and supports, around 1 GB


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Sets of labels: set s is ``items[indptr[s]:indptr[s + 1]]``, ascending."""

    indptr: Offsets
    items: Codes
    support: Counts  # rows that hold the set
    other: Counts  # rows of the other list that do

    def __len__(self) -> int:
        """How many."""
        return len(self.support)


def frequent_itemsets(
    rows: tuple[Offsets, Codes],
    other: tuple[Offsets, Codes],
    labels: int,
    least: int,
    *,
    most: int = MOST_ITEMSETS,
    threads: int = 1,
    tick: Tick = still,
) -> Itemsets | None:
    """All sets of labels that at least ``least`` (and one) of the rows hold, with how many of the other rows hold them.

    Depth-first, labels by rising support. None, if there are more than ``most``.

    >>> rows = np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], dtype=np.int32)
    >>> found = frequent_itemsets(rows, (np.array([0, 1]), np.array([0], dtype=np.int32)), 3, 2)
    >>> found.indptr.tolist(), found.items.tolist(), found.support.tolist(), found.other.tolist()
    ([0, 1, 3, 4], [1, 0, 1, 0], [2, 2, 3], [0, 0, 1])
    """
    found = kernels().frequent_itemsets(*rows, *other, labels, capped(least, rows[0]), most, threads, tick)
    if found is None:
        return None
    sizes, items, support, others = (
        np.frombuffer(part, dtype=kind)
        for part, kind in zip(found, (np.int32, np.int32, np.int64, np.int64), strict=True)
    )
    return Itemsets(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), items, support, others)


def least_supports(
    indptr: Offsets, items: Codes, labels: int, m: int, *, threads: int = 1, tick: Tick = still
) -> Counts:
    """[size - 1, row] the least number of rows that hold some set of at most ``size`` labels of the row, for 1..m.

    The empty set is one of them, so a row without labels has all rows.

    >>> rows = np.array([0, 2, 4, 5, 5]), np.array([0, 1, 0, 1, 0], dtype=np.int32)
    >>> least_supports(*rows, 2, 2).tolist()
    [[2, 2, 3, 4], [2, 2, 3, 4]]
    """
    least = kernels().least_supports(indptr, items, labels, m, threads, tick)
    return np.frombuffer(least, dtype=np.int64).reshape(m, len(indptr) - 1)
