"""Groups of consecutive rows at the least cost (APX Cover)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


def consecutive_groups(
    indptr: Offsets, items: Codes, labels: int, k: int, *, threads: int = 1, tick: Tick = no_progress
) -> tuple[int, Counts]:
    """Split the rows into consecutive groups of k to 2k - 1 at the least cost. Return the cost, and where groups end.

    A group of g rows costs min(c, g - c) for every item that c of its rows have: the flips that make the rows equal.
    Among groups that end at the same row with equal total costs, the shortest is chosen.

    >>> rows = np.array([0, 1, 2, 3, 5, 7]), np.array([0, 0, 0, 1, 2, 1, 2], dtype=np.int32)
    >>> cost, ends = consecutive_groups(*rows, 3, 2)
    >>> cost, ends.tolist()
    (0, [3, 5])
    """
    rows = len(indptr) - 1
    if not 1 <= k <= rows:
        raise ValueError(f"{rows} rows cannot be split into groups of at least {k}")
    return compiled_or(consecutive_groups_twin)(indptr, items, labels, k, threads, tick)


def consecutive_groups_twin(
    indptr: Offsets, items: Codes, labels: int, k: int, threads: int, tick: Tick
) -> tuple[int, Counts]:
    """Return the least cost and where the groups end. From each start, groups grow row by row."""
    rows = rows_of(indptr, items)
    best: list[tuple[int, int] | None] = [(0, 0)] + [None] * len(rows)  # up to each row: cost, rows of the last group
    for start, before in enumerate(best):
        tick(start / len(best))
        if before is None:
            continue
        count = Counter[int]()
        for size, row in enumerate(rows[start : start + 2 * k - 1], 1):
            count.update(row)
            if size < k:
                continue
            cost = before[0] + sum(min(having, size - having) for having in count.values())
            best[start + size] = min((cost, size), best[start + size] or (cost, size))
    total, size = best[-1] or (0, 0)
    ends, end = list[int](), len(rows)
    while size:
        ends.append(end)
        end -= size
        size = (best[end] or (0, 0))[1]
    return total, np.array(ends[::-1], dtype=np.int64)
