"""Counts how often each original item is covered, if at most one published label covers it."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import compiled_or


def covered_items(
    indptr: Offsets,
    items: Codes,
    published_indptr: Offsets,
    published_items: Codes,
    label_of: Codes,
    labels: int,
) -> Counts:
    """Return for each item how many original rows hold it and are published with its label.

    ``label_of``: the label that covers each item, or -1.

    >>> codes, same_label = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    >>> covered_items(np.array([0, 2, 3]), codes, np.array([0, 1, 1]), codes[:1], same_label, 1).tolist()
    [1, 1]
    """
    return compiled_or(covered_items_twin)(indptr, items, published_indptr, published_items, label_of, labels)


def covered_items_twin(
    indptr: Offsets,
    items: Codes,
    published_indptr: Offsets,
    published_items: Codes,
    label_of: Codes,
    labels: int,
) -> Counts:
    """Look up the label of each item in its row."""
    covered = np.zeros(len(label_of), dtype=np.int64)
    for before, after in zip(rows_of(indptr, items), rows_of(published_indptr, published_items), strict=True):
        for item in before:
            covered[item] += int(label_of[item]) in after
    return covered
