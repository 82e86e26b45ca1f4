"""Sets of items that an intruder may know of records: every one, or one drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, row_ids

NO_LABEL = -1


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of labels: set s holds ``items[indptr[s]:indptr[s + 1]]``, in any order.

    >>> sets = Sets.of_lists([[3, 1], []])
    >>> more = sets.adding(np.array([7, NO_LABEL]))
    >>> more.indptr.tolist(), more.items.tolist()
    ([0, 3, 3], [3, 1, 7])
    """

    indptr: Offsets
    items: Codes

    @classmethod
    def of_lists(cls, lists: Iterable[Iterable[int]]) -> Sets:
        """Build it from lists of labels."""
        rows = [list(row) for row in lists]
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
        return cls(indptr.astype(np.int64), np.array([code for row in rows for code in row], dtype=np.int32))

    @classmethod
    def empty(cls, number: int) -> Sets:
        """Return a number of sets without labels."""
        return cls(np.zeros(number + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))

    @classmethod
    def joined(cls, parts: Iterable[Sets]) -> Sets:
        """Return the sets of several lists, one after the other."""
        several = list(parts)
        sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(part.sizes for part in several)])
        items = np.concatenate([np.zeros(0, dtype=np.int32), *(part.items for part in several)])
        return cls(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), items)

    def __len__(self) -> int:
        """Return the number of sets."""
        return len(self.indptr) - 1

    @property
    def sizes(self) -> Counts:
        """The number of labels of each set."""
        return np.diff(self.indptr)

    def take(self, which: Counts) -> Sets:
        """Return some of the sets."""
        sizes = self.indptr[which + 1] - self.indptr[which]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[which] - indptr[:-1], sizes)
        return Sets(indptr, self.items[at])

    def blocks(self, most: int) -> Iterator[Sets]:
        """Yield the sets in blocks."""
        for start in range(0, len(self), most):
            indptr = self.indptr[start : start + most + 1]
            yield Sets(indptr - indptr[0], self.items[indptr[0] : indptr[-1]])

    def adding(self, labels: Counts) -> Sets:
        """Return the sets with one more label each, or none where it is negative."""
        there = labels >= 0
        indptr = np.concatenate([[0], np.cumsum(there)]).astype(np.int64)
        return self.beside(Sets(indptr, labels[there].astype(np.int32)))

    def beside(self, other: Sets) -> Sets:
        """Return the sets with the labels of other sets after their own."""
        indptr = self.indptr + other.indptr
        items = np.empty(indptr[-1], dtype=np.int32)
        for part, starts in ((self, indptr[:-1]), (other, indptr[:-1] + self.sizes)):
            items[np.arange(len(part.items)) + np.repeat(starts - part.indptr[:-1], part.sizes)] = part.items
        return Sets(indptr, items)


def numbers_of_sets(lengths: Counts, size: int) -> Counts:
    """Return how many sets of this many labels rows of these lengths have. A shorter row counts as one set.

    >>> numbers_of_sets(np.array([0, 2, 4]), 2).tolist()
    [1, 1, 6]
    """
    most = np.iinfo(np.int64).max
    table = [min(most, comb(length, min(size, length))) for length in range(int(lengths.max(initial=0)) + 1)]
    return np.array(table, dtype=np.int64)[lengths]


def every_set(rows: Sets, size: int) -> tuple[Sets, Counts]:
    """Return all sets of this many labels of each row, and the row of each. A shorter row is a set itself.

    >>> sets, owners = every_set(Sets.of_lists([[4, 5, 6], [7]]), 2)
    >>> [part.tolist() for part in np.split(sets.items, sets.indptr[1:-1])], owners.tolist()
    ([[7], [4, 5], [4, 6], [5, 6]], [1, 0, 0, 0])
    """
    lengths, parts, owners = rows.sizes, list[Sets](), [np.zeros(0, dtype=np.int64)]
    for length in np.unique(lengths).tolist():
        own, number = np.flatnonzero(lengths == length), min(size, length)
        places = np.array(list(combinations(range(length), number)), dtype=np.int64)
        places = places.reshape(comb(length, number), number)
        codes = rows.items[rows.indptr[own][:, None, None] + places[None]]
        total = len(own) * len(places)
        parts.append(Sets(np.arange(total + 1, dtype=np.int64) * number, codes.reshape(-1)))
        owners.append(np.repeat(own, len(places)))
    return Sets.joined(parts), np.concatenate(owners)


def drawn_sets(rows: Sets, size: int, rng: np.random.Generator) -> Sets:
    """Return for each row this many of its labels, drawn at random. A shorter row is taken as a whole.

    >>> drawn_sets(Sets.of_lists([[4, 5, 6], [7]]), 2, np.random.default_rng(1)).sizes.tolist()
    [2, 1]
    """
    lengths = rows.sizes
    long = np.flatnonzero(lengths > size)
    chosen = np.zeros((len(long), 0), dtype=np.int64)  # different places in each row, ascending
    for turn in range(size):
        place = rng.integers(0, lengths[long] - turn)  # among those that are not chosen
        for before in range(turn):
            place += place >= chosen[:, before]
        chosen = np.sort(np.column_stack([chosen, place]), axis=1)
    taken = rows.items[rows.indptr[long][:, None] + chosen]
    sizes = np.minimum(lengths, size)
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    items = np.empty(indptr[-1], dtype=np.int32)
    items[indptr[long][:, None] + np.arange(size)] = taken
    short = np.flatnonzero(lengths <= size)
    own = rows.take(short)
    items[indptr[short][row_ids(own.indptr)] + np.arange(len(own.items)) - own.indptr[row_ids(own.indptr)]] = own.items
    return Sets(indptr, items)
