"""Adds rows to finished groups (Wang et al. 2014). Each joins the group whose published row is most similar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from shoal.data.arrays import Counts, row_ids
from shoal.data.transactions import Transactions


class PublishedItems:
    """An index from each item to the groups that publish it."""

    def __init__(self, rows: Transactions) -> None:
        """Create the index from the published row of each group."""
        order = np.argsort(rows.items, kind="stable")
        ends = np.searchsorted(rows.items[order], np.arange(1, len(rows.labels)))
        self._groups = np.split(row_ids(rows.indptr)[order], ends)  # by item
        self.sizes: Counts = rows.sizes.astype(np.int64)

    def shared(self, items: Iterable[int]) -> Counts:
        """Count for each group how many of the items it publishes."""
        counts = np.zeros(len(self.sizes), dtype=np.int64)
        for item in items:
            counts[self._groups[item]] += 1
        return counts

    def replace(self, group: int, before: set[int], after: set[int]) -> None:
        """Update the items that a group publishes."""
        for item in after - before:
            self._groups[item] = np.append(self._groups[item], group)
        for item in before - after:
            self._groups[item] = self._groups[item][self._groups[item] != group]
        self.sizes[group] = len(after)


class Joining:
    """Groups that rows join one after the other. A group publishes known items by majority, and all hidden items.

    Counts are updated with each row, so adding a row only examines the groups that share its items.
    """

    def __init__(
        self, rows: tuple[Transactions, Transactions], groups: list[list[int]], shown: tuple[Transactions, Transactions]
    ) -> None:
        """Take all rows, the groups (each with its seed first), and the known and hidden items that they publish."""
        self._known, self._hidden = rows
        self._groups, self._shown = groups, shown
        self._items, self._secrets = (PublishedItems(some) for some in shown)
        self._counts: dict[int, Counter[int]] = {}  # counts of known items in groups that were joined
        self._now: dict[int, tuple[set[int], set[int]]] = {}  # published items of these groups

    def join(self, row: int) -> None:
        """Join the group with the nearest published row. Ties: most hidden items in common, then the first group."""
        own, secret = self._known.row(row).tolist(), self._hidden.row(row).tolist()
        distances = len(own) + self._items.sizes - 2 * self._items.shared(own)
        near = np.flatnonzero(distances == distances.min())
        best = int(near[np.argmax(self._secrets.shared(secret)[near])])
        if best not in self._counts:
            self._counts[best] = Counter(item for one in self._groups[best] for item in self._known.row(one).tolist())
            self._now[best] = (set(self._shown[0].row(best).tolist()), set(self._shown[1].row(best).tolist()))
        self._groups[best].append(row)
        self._counts[best].update(own)
        shown, hidden = self._now[best]
        self._now[best] = (self._majority(best), hidden | set(secret))
        self._items.replace(best, shown, self._now[best][0])
        self._secrets.replace(best, hidden, self._now[best][1])

    def _majority(self, group: int) -> set[int]:
        """Return the items of more than half of the rows. The seed decides ties."""
        size, seed = len(self._groups[group]), set(self._known.row(self._groups[group][0]).tolist())
        return {
            item
            for item, count in self._counts[group].items()
            if 2 * count > size or (2 * count == size and item in seed)
        }
