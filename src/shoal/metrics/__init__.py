"""Measures: one file each, functions of the original data and the published data.

So that any two algorithms can be compared, ours or a foreign tool's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from shoal.data.arrays import Codes, Counts, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.published import Published


class Measure(ABC):
    """Something to say about a release as numbers."""

    name: ClassVar[str]
    meanings: ClassVar[dict[str, tuple[str, str]]]  # for each value: its title and what it says, for people
    paper: ClassVar[str]

    @abstractmethod
    def of(self, original: Published, published: Published) -> dict[str, float]:
        """The values, by name; the first is the measure's own. Nothing, where the measure says nothing."""

    def weighted(self, original: Published, published: Published, weights: Counts) -> dict[str, float]:
        """The values in which each item counts as its weight says, named ``weighted_..``; most measures have none."""
        return {}


class AdditiveLoss(Measure):
    """An information loss that is a sum over occurrences, so that a search can work with exact integer costs."""

    @abstractmethod
    def penalty(self, sizes: Counts, items: int) -> Counts:
        """The whole-number penalty of an occurrence published as a label over so many of the items; 0: suppressed."""

    @abstractmethod
    def worst(self, items: int) -> int:
        """The penalty that counts as a loss of 1."""

    def weighted(self, original: Published, published: Published, weights: Counts) -> dict[str, float]:
        """The weighted mean over occurrences."""
        total, scale = self.total(original.rows, published, weights)
        return {f"weighted_{self.name}": total / scale}

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """For each node, the cost of publishing all its occurrences as that node."""
        return occurrences * self.penalty(hierarchy.leaves, hierarchy.n_leaves)

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """What to divide a total cost by to get the loss."""
        return max(1, self.worst(hierarchy.n_leaves) * occurrences)

    def total(self, original: Transactions, published: Published, weights: Counts | None = None) -> tuple[int, int]:
        """The penalties of all occurrences, weighted by item, and what a loss of 1 would be."""
        penalties = self.penalty(covered_sizes(original, published), published.n_items)
        counted = np.ones(len(penalties), dtype=np.int64) if weights is None else weights[original.items]
        return int((penalties * counted).sum()), max(1, self.worst(published.n_items) * int(counted.sum()))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of the original occurrences, in counts.

    >>> from shoal.data.transactions import Transactions
    >>> before = Transactions.from_sets([["a", "b"], ["b"]])
    >>> after = Published(before.recode(np.array([0, -1]), ["a"]), np.array([0, 1]), np.array([0]), before.labels)
    >>> made = Outcome.of(before, after)
    >>> made.occurrences, made.intact, made.suppressed, made.suppressed_items.tolist(), made.emptied
    (3, 1, 2, [1], 1)
    """

    occurrences: int
    intact: int  # published as the item itself
    suppressed_items: Codes  # that some record lost
    suppressed_counts: Counts  # how many
    emptied: int  # records that lost all they had

    @classmethod
    def of(cls, original: Transactions, published: Published) -> Outcome:
        """Count."""
        sizes = covered_sizes(original, published)
        items, counts = np.unique(original.items[sizes == 0], return_counts=True)
        emptied = (original.sizes > 0) & (published.rows.sizes == 0)
        return cls(len(sizes), int((sizes == 1).sum()), items, counts, int(emptied.sum()))

    @property
    def suppressed(self) -> int:
        """Occurrences that no label of their record covers."""
        return int(self.suppressed_counts.sum())


def check_fit(original: Transactions, published: Published) -> None:
    """Refuse rows that are not those that were published, or that are in other item codes."""
    if len(original) != len(published.rows):
        raise DataError(
            f"The original has {len(original)} rows, the published data {len(published.rows)}: "
            f"measures need the same rows in the same order."
        )
    if original.labels != published.items:
        raise DataError(
            "The original rows are not in the item codes of the published data: encode them with its hierarchy "
            "(Hierarchy.encode, or Problem.items)."
        )


def covered_sizes(original: Transactions, published: Published) -> Counts:
    """For each original occurrence, the size of the smallest label of its published row that covers it; 0: none.

    Most are found among the few smallest labels that cover their item, all at once. Where an item is covered by very
    many labels (every cluster has its own), the rest is looked up among the labels of its row.
    """
    check_fit(original, published)
    rows = row_ids(original.indptr)
    width = len(published.rows.labels)
    present = row_ids(published.rows.indptr) * width + published.rows.items  # ascending
    sizes = np.zeros(len(original.items), dtype=np.int64)
    open_ = np.arange(len(original.items))
    for best in islice(published.covering(), _TURNS):
        if not len(open_) or not len(present):
            break
        label = best[original.items[open_]].astype(np.int64)
        key = rows[open_] * width + label
        at = np.minimum(np.searchsorted(present, key), len(present) - 1)
        found = (label >= 0) & (present[at] == key)
        sizes[open_[found]] = published.cover_sizes[label[found]]
        open_ = open_[~found & (label >= 0)]
    if len(open_):
        covers = np.sort(published.cover_items * np.int64(width) + row_ids(published.cover_indptr))
        held = published.rows.sizes[rows[open_]]  # labels of the row of each
        for part in np.split(open_, np.searchsorted(np.cumsum(held), np.arange(_AT_ONCE, held.sum(), _AT_ONCE))):
            sizes[part] = _smallest_of_row(original.items[part], rows[part], published, covers)
    return sizes


_TURNS = 8  # labels of each item that are tried on all rows, before rows are looked at one by one
_AT_ONCE = 2_000_000  # pairs of an item and a label of its row


def _smallest_of_row(items: Codes, rows: Counts, published: Published, covers: Counts) -> Counts:
    """The size of the smallest label of the row that covers the item; 0: none. ``covers``: all items with labels."""
    width, sizes = len(published.rows.labels), published.cover_sizes
    starts = published.rows.indptr[rows]
    counts = published.rows.indptr[rows + 1] - starts
    first = np.concatenate([[0], np.cumsum(counts)])
    of = row_ids(first)  # which item each pair is about
    label = published.rows.items[np.arange(first[-1]) - (first[:-1] - starts)[of]]
    key = items[of] * np.int64(width) + label
    at = np.minimum(np.searchsorted(covers, key), len(covers) - 1)
    fits = covers[at] == key
    smallest = np.full(len(items), np.iinfo(np.int64).max)
    np.minimum.at(smallest, of[fits], sizes[label[fits]])
    return np.where(smallest < np.iinfo(np.int64).max, smallest, 0)
