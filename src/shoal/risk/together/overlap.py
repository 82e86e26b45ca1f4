"""Which labels of two releases can mean the same item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids


@dataclass(frozen=True, eq=False)
class Covers:
    """The items that each label represents: label u those of ``items[indptr[u]:indptr[u + 1]]``."""

    indptr: Offsets
    items: Codes

    @classmethod
    def of_lists(cls, lists: Sequence[Codes]) -> Covers:
        """Build it from an array of items for each label."""
        indptr = np.concatenate([[0], np.cumsum([len(some) for some in lists], dtype=np.int64)])
        return cls(indptr, np.concatenate([np.zeros(0, dtype=np.int32), *lists]))

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.indptr) - 1

    @property
    def sizes(self) -> Counts:
        """Return the number of items of each label."""
        return np.diff(self.indptr)

    @classmethod
    def joined(cls, one: Covers, other: Covers) -> Covers:
        """Return the labels of both, the first ones first."""
        indptr = np.concatenate([one.indptr, other.indptr[1:] + len(one.items)])
        return cls(indptr, np.concatenate([one.items, other.items]))

    def adding(self, items: Codes) -> Covers:
        """Return the same with one more label, for these items."""
        return Covers.joined(self, Covers.of_lists([items]))


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The pairs of a label of one release and a label of another that share an item.

    Parameters
    ----------
    first, second : array
        The two labels of each pair. Pairs are in ascending order.
    covers : Covers
        The items that both labels of each pair represent.
    width : int
        The number of labels of the second release.

    Examples
    --------
    >>> one = Covers(np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32))
    >>> other = Covers(np.array([0, 1, 3]), np.array([0, 1, 2], dtype=np.int32))
    >>> both = Overlaps.of(one, other)
    >>> list(zip(both.first.tolist(), both.second.tolist(), both.covers.sizes.tolist()))
    [(0, 0, 1), (0, 1, 1), (1, 1, 1)]
    """

    first: Codes
    second: Codes
    covers: Covers
    width: int

    @classmethod
    def of(cls, one: Covers, other: Covers) -> Overlaps:
        """Find the pairs."""
        n_items = int(max(one.items.max(initial=-1), other.items.max(initial=-1))) + 1
        labels_of_items = row_ids(other.indptr).astype(np.int32)
        starts, labels = csr_from_pairs(other.items.astype(np.int64), labels_of_items, n_items)
        left, right = places_below(one.items, starts)
        width = max(1, len(other))
        keys = row_ids(one.indptr)[left] * width + labels[right]
        different = np.unique(keys)
        items = csr_from_pairs(np.searchsorted(different, keys), one.items[left], len(different))
        first, second = np.divmod(different, width)
        return cls(first.astype(np.int32), second.astype(np.int32), Covers(*items), width)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    def number(self, first: Codes, second: Codes) -> Counts:
        """Return the number of each pair of labels, or -1 if they share no item."""
        known = self.first * np.int64(self.width) + self.second
        keys = first * np.int64(self.width) + second
        at = np.searchsorted(known, keys)
        found = np.zeros(len(keys), dtype=np.bool_)
        inside = at < len(known)
        found[inside] = known[at[inside]] == keys[inside]
        return np.where(found, at, -1)


def places_below(rows: Codes | Counts, indptr: Offsets) -> tuple[Counts, Counts]:
    """Return every entry with each place of the row of a CSR that it names: two arrays of equal length.

    >>> left, right = places_below(np.array([1, 0, 1]), np.array([0, 1, 3]))
    >>> left.tolist(), right.tolist()
    ([0, 0, 1, 2, 2], [1, 2, 0, 1, 2])
    """
    times = np.diff(indptr)[rows]
    left = np.repeat(np.arange(len(rows)), times)
    right = np.arange(len(left)) - np.repeat(np.cumsum(times) - times - indptr[:-1][rows], times)
    return left, right
