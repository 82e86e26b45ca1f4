"""Counts sets of at most three labels in dense tables, part by part, for verifying large data."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import Self

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, people_of, rows_of
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
        self._kernel = compiled_or(SetCountsTwin if k < WIDE else WideSetCountsTwin)(
            rank, k, m, within.start, within.stop, persons
        )

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows. The rows of a person must be consecutive."""
        self._kernel.add(indptr, items, persons)

    def merge(self, other: SetCounts) -> None:
        """Add what was counted in rows of other persons."""
        self._kernel.merge(other._kernel)

    def result(self) -> tuple[int, int]:
        """Return how many sets occur, and how many of them fewer than k rows hold."""
        occurring, rare = self._kernel.result()
        return occurring, rare


class ShareCounts:
    """The counts of sets in all rows, in those with any sensitive value, and in those with each.

    Add all rows, then those with a sensitive value, then those with each value, ended by :meth:`close_value`. The
    arguments are those of :class:`SetCounts`.
    """

    def __init__(self, rank: Codes, m: int, *, within: range | None = None, persons: bool = False) -> None:
        within = range(len(rank)) if within is None else within
        self._kernel = compiled_or(ShareCountsTwin)(rank, m, within.start, within.stop, persons)

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items, persons)

    def add_sensitive(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows with a sensitive value."""
        self._kernel.add_sensitive(indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows with the current sensitive value."""
        self._kernel.add_with_value(indptr, items, persons)

    def close_value(self) -> None:
        """Go on to the next sensitive value."""
        self._kernel.close_value()

    def result(self, share: tuple[int, int], least: int) -> tuple[int, int]:
        """Return how many sets are in ``least`` rows with a value, and in how many a value has more than the share."""
        checked, violations = self._kernel.result(*share, least)
        return checked, violations


class FactCounts:
    """The counts of one or two labels, present or absent. The arguments are those of :class:`SetCounts`."""

    def __init__(self, rank: Codes, m: int, *, within: range | None = None) -> None:
        within = range(len(rank)) if within is None else within
        self._kernel = compiled_or(FactCountsTwin)(rank, m, within.start, within.stop)

    def add(self, indptr: Offsets, items: Codes) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items, NOBODY)

    def merge(self, other: FactCounts) -> None:
        """Add what was counted in other rows."""
        self._kernel.merge(other._kernel)

    def result(self, k: int, total: int, support: Counts) -> tuple[int, int]:
        """Return how many combinations were looked at, and how many fit 1..k-1 of the ``total`` rows.

        ``support``: the rows with each label, by rank.
        """
        checked, rare = self._kernel.result(k, total, support)
        return checked, rare


class _Holders:
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
        self._own, self._k = _Holders(rank, m, first, stop), k
        self._others: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count more rows."""
        self._own.add(indptr, items, persons)

    def merge(self, other: Self) -> None:
        """Add up the counts."""
        self._others += other._counts()

    def result(self) -> tuple[int, int]:
        """Count the sets."""
        counts = self._counts()
        return len(counts), sum(count < self._k for count in counts.values())

    def _counts(self) -> Counter[tuple[int, ...]]:
        return self._own.counts() + self._others


class WideSetCountsTwin(SetCountsTwin):
    """The same for large k."""


class ShareCountsTwin:
    """Keep the rows of every set, and of every set and value."""

    def __init__(self, rank: Codes, m: int, first: int, stop: int, persons: bool) -> None:
        self._all, self._sensitive, self._value = (_Holders(rank, m, first, stop) for _ in range(3))
        self._highest: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows."""
        self._all.add(indptr, items, persons)

    def add_sensitive(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows with a sensitive value."""
        self._sensitive.add(indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows with the current value."""
        self._value.add(indptr, items, persons)

    def close_value(self) -> None:
        """Keep the higher counts."""
        self._highest |= self._value.counts()
        self._value.of.clear()

    def result(self, part: int, whole: int, least: int) -> tuple[int, int]:
        """Compare the shares."""
        counts = self._all.counts()
        sets = [labels for labels, count in self._sensitive.counts().items() if count >= least]
        return len(sets), sum(self._highest[labels] * whole > counts[labels] * part for labels in sets)


class FactCountsTwin:
    """Count every label and every pair, and so all combinations with absent labels."""

    def __init__(self, rank: Codes, m: int, first: int, stop: int) -> None:
        self._own, self._m, self._range = _Holders(rank, m, first, stop), m, range(first, stop)
        self._others: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count more rows."""
        self._own.add(indptr, items, persons)

    def merge(self, other: Self) -> None:
        """Add up the counts."""
        self._others += other._own.counts() + other._others

    def result(self, k: int, total: int, support: Counts) -> tuple[int, int]:
        """Look at every combination."""
        counts, fitting, checked = self._own.counts() + self._others, list[int](), 0
        for b in self._range:
            n = int(support[b])
            fitting += [n, total - n]
            checked += 2 * (n > 0)
            for a in range(b) if self._m > 1 else ():
                both, other = counts[a, b], int(support[a])
                fitting += [both, n - both, other - both, total - n - other + both]
                checked += 3 * (both > 0) + (0 < n < total and 0 < other < total and total - n - other < k)
        return checked, sum(0 < count < k for count in fitting)
