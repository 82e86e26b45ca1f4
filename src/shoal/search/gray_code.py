"""Rows in the order of the Gray codes of their items (P1 s.4.2).

P1 *encodes*: a row is read as a binary number, its first item the most significant bit, and turned into its Gray code
b XOR (b >> 1). P3, for LRA, *decodes* (``kernels.gray_order``): the two orders have little in common but the name.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.arrays import Counts, counted, row_ids
from shoal.data.transactions import Transactions


def gray_coded_order(items: Transactions) -> Counts:
    """Row numbers by ascending Gray code, equal rows in their order. Time and memory are about those of the items.

    >>> rows = Transactions.from_sets([["b", "d"], ["a", "b", "c"], ["c", "d", "e"], []], ["a", "b", "c", "d", "e"])
    >>> gray_coded_order(rows).tolist()  # codes 01111, 10010, 00100, 00000
    [3, 2, 0, 1]
    """
    width = np.int64(max(1, len(items.labels)))
    ones = row_ids(items.indptr) * width + items.items
    shifted = ones[items.items + 1 < width] + 1  # the last bit falls off
    both, times = counted(np.concatenate([ones, shifted]))
    rows, places = np.divmod(both[times == 1], width)
    # Of two codes the one with a bit further ahead is larger; so is the one that goes on where the other ends.
    text = (np.iinfo(np.uint32).max - places).astype(">u4").tobytes()
    bounds = (4 * np.searchsorted(rows, np.arange(len(items) + 1))).tolist()
    keys = [text[start:stop] for start, stop in pairwise(bounds)]
    return np.array(sorted(range(len(items)), key=keys.__getitem__), dtype=np.int64)
