"""Unused rows near a place in a sorted list, and how similar rows are."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.transactions import Transactions


class Places:
    """Some places of a list, from which places are taken for good. Finding the next one takes almost no time.

    >>> places = Places(np.array([True, False, True, True]))
    >>> places.near(1, 1), places.near(1, 5)
    ([0, 2], [0, 2, 3])
    >>> places.take(2); places.near(1, 1), len(places)
    ([0], 2)
    """

    def __init__(self, free: np.typing.NDArray[np.bool_]) -> None:
        """Those that are free."""
        n = len(free)
        self._left = int(free.sum())
        self._up = np.where(free, np.arange(n), np.arange(1, n + 1)).tolist()  # itself, or one further up
        self._up.append(n)
        self._down = [0, *np.where(free, np.arange(1, n + 1), np.arange(n)).tolist()]  # the same down; shifted by one

    def __len__(self) -> int:
        """Number of places that are left."""
        return self._left

    def __contains__(self, place: int) -> bool:
        """Whether it is left."""
        return bool(self._up[place] == place)

    def take(self, place: int) -> None:
        """It is left no longer."""
        assert place in self
        self._up[place] = place + 1
        self._down[place + 1] = place
        self._left -= 1

    def near(self, place: int, reach: int) -> list[int]:
        """All that are left within so many places above and below, ascending."""
        found: list[int] = []
        at = _end(self._down, place)  # the free place below, plus one
        while at > 0 and at - 1 >= place - reach:
            found.append(at - 1)
            at = _end(self._down, at - 1)
        found.reverse()
        at = _end(self._up, min(place + 1, len(self._up) - 1))
        while at < len(self._up) - 1 and at <= place + reach:
            found.append(at)
            at = _end(self._up, at + 1)
        return found


def _end(links: list[int], place: int) -> int:
    """Where the links from a place lead; they are shortened on the way."""
    end = place
    while links[end] != end:
        end = links[end]
    while links[place] != end:
        links[place], place = end, links[place]
    return end


class Overlaps:
    """How many items rows share."""

    def __init__(self, rows: Transactions) -> None:
        """Of these rows."""
        self.rows, self.sizes = rows, rows.sizes
        self._mark = np.zeros(len(rows.labels), dtype=bool)

    def shared(self, own: Codes, others: Counts) -> Counts:
        """How many of the given items each of the rows has."""
        indptr, items = self.rows.indptr, self.rows.items
        sizes = self.sizes[others]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(indptr[others] - ends + sizes, sizes)
        self._mark[own] = True
        sums = np.concatenate([[0], np.cumsum(self._mark[items[at]])])
        self._mark[own] = False
        found: Counts = sums[ends] - sums[ends - sizes]
        return found

    def distances(self, own: Codes, others: Counts) -> Counts:
        """The Hamming distance from the given items to each of the rows."""
        found: Counts = len(own) + self.sizes[others] - 2 * self.shared(own, others)
        return found
