"""Finds the items that were added to records and deleted from them, in total and in groups of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Counts, counted, row_ids
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions
from shoal.metrics.coverage import check_fit
from shoal.published import Grouping, Published


class Entries(NamedTuple):
    """Items of rows: row ``rows[i]`` has item ``items[i]``. Sorted by row, then by item."""

    rows: Counts
    items: Counts


class Touched(NamedTuple):
    """Pairs of a group and an item that some row of the group gained or lost, as parallel arrays."""

    groups: Counts
    items: Counts
    sizes: Counts  # rows of the group
    before: Counts  # of them, those that had the item
    after: Counts  # and those that have it now


@dataclass(frozen=True, eq=False)
class Change:
    """The items that were added and deleted: first those an attacker may know (QID), then the sensitive ones.

    >>> was = Published.plain(Transactions.from_sets([["a", "b"], ["a"]]))
    >>> now = Published.plain(Transactions.from_sets([["a"], ["a", "b"]]))
    >>> change = Change.of(was, now)
    >>> change.added.rows.tolist(), change.deleted.rows.tolist(), change.qid_additions, change.qid_deletions
    ([1], [0], 1, 1)
    """

    labels: tuple[str, ...]  # of all items
    n_qid: int  # how many of them an attacker may know; the others are sensitive
    was: Entries  # all items that the records had
    added: Entries
    deleted: Entries
    grouping: Grouping | None  # which rows were changed together

    @classmethod
    def of(cls, original: Published, published: Published) -> Change | None:
        """Compare two data sets. Return None if a label represents several items: then changes cannot be seen."""
        check_fit(original.rows, published)
        if published.generalized:
            return None
        before, after = _sensitive(original), _sensitive(published)
        n_qid = published.n_items
        labels = (*published.items, *canonical_order({*before.labels, *after.labels}))
        width = len(labels)  # pairs of a row and an item are written as one number
        code_of = {label: n_qid + at for at, label in enumerate(labels[n_qid:])}
        item_of = published.cover_items[published.cover_indptr[:-1]].astype(np.int64)  # of each label
        had = _keys(original.rows, np.arange(n_qid), before, code_of, width)
        has = _keys(published.rows, item_of, after, code_of, width)
        was, added, deleted = (
            Entries(*np.divmod(keys, max(1, width))) for keys in (had, _without(has, had), _without(had, has))
        )
        return cls(labels, n_qid, was, added, deleted, published.grouping)

    @property
    def before(self) -> Counts:
        """How many records had each item."""
        return self.per_item(self.was)

    @property
    def after(self) -> Counts:
        """How many records have each item now."""
        return self.before + self.per_item(self.added) - self.per_item(self.deleted)

    @property
    def qid_additions(self) -> int:
        """How many items that are not sensitive were added."""
        return int(np.count_nonzero(self.added.items < self.n_qid))

    @property
    def qid_deletions(self) -> int:
        """How many items that are not sensitive were deleted."""
        return int(np.count_nonzero(self.deleted.items < self.n_qid))

    @property
    def sensitive_additions(self) -> int:
        """How many sensitive items were added."""
        return len(self.added.items) - self.qid_additions

    @property
    def sensitive_deletions(self) -> int:
        """How many sensitive items were deleted."""
        return len(self.deleted.items) - self.qid_deletions

    @cached_property
    def touched(self) -> Touched:
        """The changes inside the groups. Rows in no group are left out."""
        assert self.grouping is not None, "only for rows that were changed in groups"
        added, deleted, was = (self._in_groups(entries) for entries in (self.added, self.deleted, self.was))
        pairs, _ = counted(np.concatenate([added, deleted]))
        before = _occurrences(was, pairs)
        after = before + _occurrences(added, pairs) - _occurrences(deleted, pairs)
        groups, items = np.divmod(pairs, max(1, len(self.labels)))
        return Touched(groups, items, self.grouping.sizes[groups], before, after)

    @property
    def records_changed(self) -> int:
        """How many records were changed."""
        return len(np.union1d(self.added.rows, self.deleted.rows))

    def with_sensitive(self, entries: Entries) -> Counts:
        """Return the rows that have a sensitive item among the entries, ascending."""
        return np.unique(entries.rows[entries.items >= self.n_qid])

    def per_item(self, entries: Entries) -> Counts:
        """Count how often each item is among the entries."""
        return np.bincount(entries.items, minlength=len(self.labels)).astype(np.int64)

    def _in_groups(self, entries: Entries) -> Counts:
        """Return the group and item of each entry, as one number."""
        assert self.grouping is not None
        groups = self.grouping.of[entries.rows]
        inside = groups >= 0
        return groups[inside] * len(self.labels) + entries.items[inside]


def _sensitive(published: Published) -> Transactions:
    """Return the sensitive items of each row."""
    return Transactions.nothing(len(published.rows)) if published.sensitive is None else published.sensitive.items


def _keys(rows: Transactions, item_of: Counts, hidden: Transactions, code_of: dict[str, int], width: int) -> Counts:
    """Return all items of the rows as ascending numbers ``row * width + item`` without repetition."""
    theirs = np.array([code_of[label] for label in hidden.labels], dtype=np.int64)
    keys = np.concatenate(
        [
            row_ids(rows.indptr) * width + item_of[rows.items],
            row_ids(hidden.indptr) * width + theirs[hidden.items],
        ]
    )
    return keys if bool(np.all(keys[1:] > keys[:-1])) else counted(keys)[0]  # two labels may represent one item


def _without(keys: Counts, others: Counts) -> Counts:
    """Return the numbers that are not among the others. All are ascending."""
    if not len(others):
        return keys
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    missing: Counts = keys[others[at] != keys]
    return missing


def _occurrences(keys: Counts, wanted: Counts) -> Counts:
    """Count how often each of the wanted numbers, which ascend, is among the keys."""
    keys = np.sort(keys)  # looking up in order is far faster
    first, stop = (np.searchsorted(keys, wanted, side=side) for side in ("left", "right"))
    return (stop - first).astype(np.int64)
