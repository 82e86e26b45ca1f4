"""Groups of a seed and the nearest rows."""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


def nearest_groups(
    indptr: Offsets,
    items: Codes,
    labels: int,
    seeds: Counts,
    deferred: npt.NDArray[np.bool_],
    take: int,
    *,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Let each seed in turn take the ``take`` nearest unused rows. Return one line for each group, with the seed first.

    The distance is the number of items that only one of the two rows has. Ties go to the lower row number. ``deferred``
    rows are taken only after the others have run out. A seed that was taken forms no group. The first seed with too few
    rows left ends the search.

    >>> rows = np.array([0, 2, 3, 5, 6]), np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    >>> nearest_groups(*rows, 3, np.array([0, 1, 2]), np.array([False, False, False, True]), 1).tolist()
    [[0, 2], [1, 3]]
    """
    if take < 1:
        raise ValueError(f"a seed must take at least one row, not {take}")
    at_most, order = min(take, len(indptr)), np.ascontiguousarray(seeds, dtype=np.int64)
    groups = compiled_or(nearest_groups_twin)(
        indptr, items, labels, order, deferred.astype(np.uint8), at_most, 0, threads, tick
    )
    return groups.reshape(-1, take + 1)


def nearest_groups_twin(
    indptr: Offsets,
    items: Codes,
    labels: int,
    seeds: Counts,
    deferred: npt.NDArray[np.uint8],
    take: int,
    way: int,
    threads: int,
    tick: Tick,
) -> Counts:
    """Form groups of a seed and the nearest unused rows, one after the other. ``way`` only matters for speed."""
    rows, last = [frozenset(row) for row in rows_of(indptr, items)], deferred.tolist()
    unused, groups = dict.fromkeys(range(len(rows))), list[int]()
    for at, seed in enumerate(seeds.tolist()):
        tick(at / len(seeds))
        if seed not in unused:
            continue
        if len(unused) <= take:
            break
        del unused[seed]
        keys = ((last[row], len(rows[row] ^ rows[seed]), row) for row in unused)
        chosen = [row for _, _, row in heapq.nsmallest(take, keys)]
        groups.extend([seed, *chosen])
        for row in chosen:
            del unused[row]
    return np.array(groups, dtype=np.int64)
