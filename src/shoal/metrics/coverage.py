"""Finds the published label that covers each original item. All losses of sets are computed from this."""

from __future__ import annotations

from itertools import islice

import numpy as np

from shoal.data.arrays import Codes, Counts, row_ids
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.published import Published

_TURNS = 8  # labels of each item that are tried on all rows, before each row is searched
_AT_ONCE = 2_000_000  # pairs of an item and a label of its row that are compared at once


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


def covered_sizes(original: Transactions, published: Published) -> Counts:
    """Return the size of the smallest label that covers each item of each original row; 0: none does.

    Most are found at once among the few smallest labels that cover an item. If very many labels cover an item (each
    cluster may have its own), the rest is looked up among the labels of its row.
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
        covered = (label >= 0) & (present[at] == key)
        sizes[open_[covered]] = published.cover_sizes[label[covered]]
        open_ = open_[~covered & (label >= 0)]
    if len(open_):
        covers = np.sort(published.cover_items * np.int64(width) + row_ids(published.cover_indptr))
        held = published.rows.sizes[rows[open_]]  # labels of the row of each
        for part in np.split(open_, np.searchsorted(np.cumsum(held), np.arange(_AT_ONCE, held.sum(), _AT_ONCE))):
            sizes[part] = _smallest_of_row(original.items[part], rows[part], published, covers)
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
