"""Sorts records by their content, if a person has several.

Records of one person are often next to each other in a file, so the order of the input could reveal which records
belong together. Sorting by what everyone sees reveals nothing more, and the same input gives the same file.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.columns import coded_texts
from shoal.data.dataset import Dataset
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions


def by_content(data: Dataset) -> Counts:
    """Return the rows sorted by their columns and then by their sets. Equal rows keep their order.

    >>> by_content(Dataset(Transactions.from_sets([["b"], ["a", "b"], [], ["a"], ["b"]]))).tolist()
    [2, 3, 1, 0, 4]
    """
    names = () if data.table is None else data.table.names
    keys = [*(_column_ranks(data, name) for name in names), _set_ranks(data.transactions)]
    order: Counts = np.lexsort(keys[::-1])  # the last key counts first
    return order


def _column_ranks(data: Dataset, name: str) -> Counts:
    """Return the rank of each row's value in a column, nulls first."""
    texts, codes = coded_texts(data, name)
    order = sorted(range(len(texts)), key=lambda at: (texts[at] is not None, texts[at] or ""))
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order] = np.arange(len(texts))
    of_rows: Counts = ranks[codes]
    return of_rows


def _set_ranks(rows: Transactions) -> Counts:
    """Return the rank of each row's set. Sets are compared label by label."""
    labels = canonical_order(rows.labels)
    place = {label: code for code, label in enumerate(labels)}
    rows = rows.recode(np.array([place[label] for label in rows.labels], dtype=np.int32), labels)
    codes = rows.items.astype(">u4").tobytes()  # bytes compare as the codes do
    starts = (4 * rows.indptr).tolist()
    sets = [codes[start:stop] for start, stop in pairwise(starts)]
    rank = {one: at for at, one in enumerate(sorted(set(sets)))}
    return np.array([rank[one] for one in sets], dtype=np.int64)
