"""Counts the small label sets of very many rows, for the verifier of k^m-anonymity.

The rows are gone through in parts, with a table that has a cell for every possible set. So the verifier needs memory
for the table, not for the rows. If the table is too large, it is split, with a pass over the rows for each part of it.
"""

from __future__ import annotations

from math import comb

import numpy as np

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.verify.set_counts import WIDE, SetCounts

LARGE = 2_000_000  # items of records: below this, depth-first counting is fast
LARGEST_SETS = 3
QUICK = 1 << 24  # cells of a table that is faster than depth-first counting, even if all rows fit into memory
BYTES_OF_ITEM = 32  # that depth-first counting takes
TABLE_SHARE = 4  # the tables of all threads may take this part of the memory


def counts_by_table(rows: Transactions, m: int, engine: Engine) -> bool:
    """Whether a table is the better way to count these rows."""
    if len(rows.items) < LARGE or m > LARGEST_SETS or len(rows.repeaters):
        return False
    fits = BYTES_OF_ITEM * len(rows.items) <= engine.memory_limit
    return not fits or _cells(len(rows.labels), m) <= QUICK


def count_sets(rows: Transactions, k: int, m: int, engine: Engine) -> tuple[int, int]:
    """Return how many sets of at most m labels occur, and how many of them fewer than k rows hold.

    >>> from shoal.engines import LOCAL
    >>> count_sets(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2, LOCAL)
    (5, 2)
    """
    k = min(k, len(rows) + 1)  # no support is higher
    rank = np.empty(len(rows.labels), dtype=np.int32)
    rank[np.argsort(-rows.supports, kind="stable")] = np.arange(len(rank))
    cells = engine.memory_limit // TABLE_SHARE // engine.threads // (1 if k < WIDE else 4)
    occurring = rare = 0
    for within in _ranges(len(rank), m, cells):
        first, *others = engine.accumulate(
            "verifying",
            lambda within=within: SetCounts(rank, k, m, within=within),  # type: ignore[misc]
            lambda own, part: own.add(part.indptr, part.items),
            rows,
        )
        for other in others:
            first.merge(other)
        of_range = first.result()
        occurring, rare = occurring + of_range[0], rare + of_range[1]
    return occurring, rare


def _cells(labels: int, m: int) -> int:
    """Return the number of sets of 1..m labels."""
    return sum(comb(labels, size) for size in range(1, m + 1))


def _ranges(labels: int, m: int, cells: int) -> list[range]:
    """Split the ranks so that the sets with their highest rank in a range fit into so many cells, if any can."""
    bounds = [0]
    for rank in range(1, labels):
        if _cells(rank + 1, m) - _cells(bounds[-1], m) > cells:
            bounds.append(rank)
    return [range(first, stop) for first, stop in zip(bounds, [*bounds[1:], labels], strict=True)]
