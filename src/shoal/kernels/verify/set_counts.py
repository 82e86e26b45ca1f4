"""Counts every set of at most three labels in dense tables, part by part, for verifying k^m-anonymity of large data."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Self

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import compiled_or

WIDE = 1 << 8  # from this k on, a count takes four bytes


class SetCounts:
    """The counts of sets in the rows that were added. They stop at k.

    Parameters
    ----------
    rank
        The place of each label in the tables. The most frequent first is fastest.
    k
        Rows that make a set frequent.
    m
        The size of the largest sets: 1, 2 or 3.
    within
        Count only sets whose highest rank is in this range.

    Examples
    --------
    >>> import numpy as np
    >>> counts = SetCounts(np.array([0, 1], dtype=np.int32), k=2, m=2)
    >>> counts.add(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32))
    >>> counts.result()  # {0}, {1} and {0, 1} occur; two of them are in one row only
    (3, 2)
    """

    def __init__(self, rank: Codes, k: int, m: int, *, within: range | None = None) -> None:
        within = range(len(rank)) if within is None else within
        self._kernel = compiled_or(SetCountsTwin if k < WIDE else WideSetCountsTwin)(
            rank, k, m, within.start, within.stop
        )

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items)

    def merge(self, other: SetCounts) -> None:
        """Add what was counted in other rows."""
        self._kernel.merge(other._kernel)

    def result(self) -> tuple[int, int]:
        """Return how many sets occur, and how many of them fewer than k rows hold."""
        occurring, rare = self._kernel.result()
        return occurring, rare


class SetCountsTwin:
    """Count every set of every row."""

    def __init__(self, rank: Codes, k: int, m: int, first: int, stop: int) -> None:
        self._rank, self._k, self._m, self._range = rank.tolist(), k, m, range(first, stop)
        self._counts: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        for row in rows_of(indptr, items):
            ranks = sorted(self._rank[label] for label in row)
            for size in range(1, self._m + 1):
                self._counts.update(labels for labels in combinations(ranks, size) if labels[-1] in self._range)

    def merge(self, other: Self) -> None:
        """Add up the counts."""
        self._counts += other._counts

    def result(self) -> tuple[int, int]:
        """Count the sets."""
        return len(self._counts), sum(count < self._k for count in self._counts.values())


class WideSetCountsTwin(SetCountsTwin):
    """The same for large k."""
