"""Counts sets of at most three labels in dense tables, part by part, for verifying large data."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, people_of, rows_of
from shoal.kernels.merging import MergeableCounts

WIDE = 1 << 8  # from this k on, a count takes four bytes


class SetCounts(MergeableCounts):
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
    persons
        Whether some persons have several rows.

    Examples
    --------
    >>> import numpy as np
    >>> counts = SetCounts(np.array([0, 1], dtype=np.int32), k=2, m=2)
    >>> counts.add(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32))
    >>> counts.result()  # {0}, {1} and {0, 1} occur; two of them are in one row only
    (3, 2)
    """

    def __init__(self, rank: Codes, k: int, m: int, *, within: range | None = None, persons: bool = False) -> None:
        within = range(len(rank)) if within is None else within
        twin = SetCountsTwin if k < WIDE else WideSetCountsTwin
        self._made_by(twin, rank, k, m, within.start, within.stop, persons)

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows. The rows of a person must be consecutive."""
        self._kernel.add(indptr, items, persons)

    def result(self) -> tuple[int, int]:
        """Return how many sets occur, and how many of them fewer than k rows hold."""
        occurring, rare = self._kernel.result()
        return occurring, rare


class SetHolders:
    """The rows, or the persons, of every set."""

    def __init__(self, rank: Codes, m: int, first: int, stop: int) -> None:
        self._rank, self._m, self._range, self._rows = rank.tolist(), m, range(first, stop), 0
        self.of: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Look at every set of every row."""
        for row, person in zip(rows_of(indptr, items), people_of(indptr, persons), strict=True):
            ranks = sorted(self._rank[label] for label in row)
            for size in range(1, self._m + 1):
                for labels in combinations(ranks, size):
                    if labels[-1] in self._range:
                        self.of[labels].add(person if person >= 0 else person - self._rows)
        self._rows += len(indptr) - 1

    def counts(self) -> Counter[tuple[int, ...]]:
        """Count them."""
        return Counter({labels: len(holders) for labels, holders in self.of.items()})


class SetCountsTwin:
    """Count every set of every row."""

    def __init__(self, rank: Codes, k: int, m: int, first: int, stop: int, persons: bool) -> None:
        self._own, self._k = SetHolders(rank, m, first, stop), k
        self._others: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count more rows."""
        self._own.add(indptr, items, persons)

    def merge_cells(self, cells: Counter[tuple[int, ...]]) -> None:
        """Add counts of other rows."""
        self._others += cells

    def result(self) -> tuple[int, int]:
        """Count the sets."""
        counts = self.cells()
        return len(counts), sum(count < self._k for count in counts.values())

    def cells(self) -> Counter[tuple[int, ...]]:
        """Return all counts."""
        return self._own.counts() + self._others


class WideSetCountsTwin(SetCountsTwin):
    """The same for large k."""
