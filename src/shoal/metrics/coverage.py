"""Finds the published label that covers each original item. All losses of sets are computed from this.

Rows are compared part by part, so that the data may be larger than memory. What is kept are counts for each item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Self

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, counted, row_ids
from shoal.data.transactions import Transactions
from shoal.engines import Engine, current
from shoal.errors import DataError
from shoal.kernels.measure.covered_items import covered_items
from shoal.published import Published

_TURNS = 8  # labels of each item that are tried on all rows, before each row is searched
_ROWS = 1 << 14  # rows that are compared at once
_AT_ONCE = 1 << 18  # pairs of an item and a label of its row that are compared at once


def check_fit(original: Transactions, published: Published) -> None:
    """Raise an error if the rows do not belong together, or have different item codes."""
    if len(original) != len(published.rows):
        raise DataError(
            f"The original data have {len(original)} rows and the published data {len(published.rows)}: "
            f"measures need the same rows in the same order."
        )
    if original.labels != published.items:
        raise DataError(
            "The original rows do not have the item codes of the published data: encode them with its hierarchy "
            "(Hierarchy.encode, or Problem.items)."
        )


@dataclass(frozen=True, eq=False)
class Covered:
    """How many items of records are covered by labels of which size.

    ``counts[i]`` is how often item ``items[i]`` occurs in an original record whose smallest label that covers it
    represents ``sizes[i]`` items. Size 0: no label of its record does. Each pair of item and size is there once.

    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> covered = Covered.of(data.rows, data)
    >>> covered.items.tolist(), covered.sizes.tolist(), covered.counts.tolist(), covered.total, covered.emptied
    ([0, 1], [1, 1], [1, 2], 3, 0)
    """

    items: Codes
    sizes: Counts
    counts: Counts
    emptied: int  # records that had items and are published without any

    @classmethod
    def of(cls, original: Transactions, published: Published, engine: Engine | None = None) -> Self:
        """Compare all rows."""
        check_fit(original, published)
        work = _by_label if published.exclusive else partial(_by_row, covers=_Covers(published))
        both = _Both(original, published)
        parts = list((engine or current()).over("measuring", lambda part, _: (*work(part), part.emptied), both))
        keys, counts = _added([(keys, counts) for keys, counts, _ in parts])
        items, sizes = np.divmod(keys, published.n_items + 1)
        return cls(items.astype(np.int32), sizes, counts, sum(emptied for _, _, emptied in parts))

    @property
    def total(self) -> int:
        """The number of items of all original records."""
        return int(self.counts.sum())

    def number(self, sizes: npt.NDArray[np.bool_]) -> int:
        """Count the items of records with some of the sizes: a mask of :attr:`sizes`."""
        return int(self.counts[sizes].sum())


@dataclass(frozen=True, eq=False)
class _Both:
    """Original and published rows that correspond."""

    original: Transactions
    published: Published

    def __len__(self) -> int:
        return len(self.original)

    @property
    def bounds(self) -> Sequence[int] | None:
        return self.original.bounds

    def part(self, start: int, stop: int) -> Self:
        return type(self)(self.original.part(start, stop), self.published.part(start, stop))

    def release(self) -> None:
        self.original.release()
        self.published.release()

    @property
    def emptied(self) -> int:
        """How many records lost all their items."""
        return int(np.count_nonzero((self.original.sizes > 0) & (self.published.rows.sizes == 0)))


Counted = tuple[Counts, Counts]  # item * (all items + 1) + size of its label, and how often; ascending


def _added(parts: Sequence[Counted]) -> Counted:
    """Add up counts of the same keys."""
    keys, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return keys[order][first], np.add.reduceat(counts[order], first) if len(first) else counts


class _Covers:
    """The labels that cover each item, prepared once for all parts of the rows."""

    def __init__(self, published: Published) -> None:
        self._items, self._indptr = published.cover_items, published.cover_indptr
        self._labels = len(published.rows.labels)
        self.smallest = list(islice(published.covering(), _TURNS))

    @cached_property
    def keys(self) -> Counts:
        """All pairs of an item and a label that covers it, as item * labels + label, ascending."""
        keys: Counts = self._items * np.int64(self._labels) + row_ids(self._indptr)
        keys.sort()
        return keys


def _by_label(both: _Both) -> Counted:
    """Count if at most one label covers an item."""
    original, published = both.original, both.published
    label_of = np.full(published.n_items, -1, dtype=np.int32)
    label_of[published.cover_items] = row_ids(published.cover_indptr)
    rows = (original.indptr, original.items, published.rows.indptr, published.rows.items)
    covered = covered_items(*rows, label_of, len(published.rows.labels))
    missed = original.supports - covered
    some, none = np.flatnonzero(covered), np.flatnonzero(missed)
    sizes = np.concatenate([published.cover_sizes[label_of[some]], np.zeros(len(none), dtype=np.int64)])
    keys = np.concatenate([some, none]) * np.int64(published.n_items + 1) + sizes
    return _added([(keys, np.concatenate([covered[some], missed[none]]))])


def _by_row(both: _Both, covers: _Covers) -> Counted:
    """Count if several labels may cover an item."""
    width, found = both.published.n_items + 1, []
    for start in range(0, max(1, len(both)), _ROWS):
        part = both.part(start, min(start + _ROWS, len(both)))
        sizes = covered_sizes(part.original, part.published, covers)
        found.append(counted(part.original.items * np.int64(width) + sizes))
    return _added(found)


def covered_sizes(original: Transactions, published: Published, covers: _Covers | None = None) -> Counts:
    """Return the size of the smallest label that covers each item of each original row; 0: none does.

    Most are found at once among the few smallest labels that cover an item. If very many labels cover an item (each
    cluster may have its own), the rest is looked up among the labels of its row.
    """
    check_fit(original, published)
    covers = covers or _Covers(published)
    rows = row_ids(original.indptr)
    width = len(published.rows.labels)
    present = row_ids(published.rows.indptr) * width + published.rows.items  # ascending
    sizes = np.zeros(len(original.items), dtype=np.int64)
    open_ = np.arange(len(original.items))
    for best in covers.smallest:
        if not len(open_) or not len(present):
            break
        label = best[original.items[open_]].astype(np.int64)
        key = rows[open_] * width + label
        at = np.minimum(np.searchsorted(present, key), len(present) - 1)
        covered = (label >= 0) & (present[at] == key)
        sizes[open_[covered]] = published.cover_sizes[label[covered]]
        open_ = open_[~covered & (label >= 0)]
    if len(open_):
        held = published.rows.sizes[rows[open_]]  # labels of the row of each
        for part in np.split(open_, np.searchsorted(np.cumsum(held), np.arange(_AT_ONCE, held.sum(), _AT_ONCE))):
            sizes[part] = _smallest_of_row(original.items[part], rows[part], published, covers.keys)
    return sizes


def _smallest_of_row(items: Codes, rows: Counts, published: Published, covers: Counts) -> Counts:
    """Return the size of the smallest label of the row that covers the item; 0: none does."""
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
