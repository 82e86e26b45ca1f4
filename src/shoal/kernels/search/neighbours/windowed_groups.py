"""Groups of a deferred row and the rows nearest to it in a window of a list (GSC)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


def windowed_groups(
    indptr: Offsets,
    items: Codes,
    labels: int,
    number: Counts,
    deferred: npt.NDArray[np.bool_],
    take: int,
    reach: int,
    *,
    tick: Tick = no_progress,
) -> Counts:
    """Each deferred row in turn takes the ``take`` unused rows nearest to it in a window: a line each, it comes first.

    Rows are given in the order of a list and are called by their places in it. The window reaches that many places up
    and down, and is doubled where it holds too few rows that are not deferred. Where all data hold too few, all of them
    are taken, and deferred ones in the same way. Ties go to the lower ``number``. It ends where too few rows are left.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 1, 0, 0], dtype=np.int32)
    >>> deferred = np.array([False, False, True, False])
    >>> windowed_groups(*rows, 2, np.array([0, 1, 2, 3]), deferred, 1, 2).tolist()
    [[2, 0]]
    >>> windowed_groups(*rows, 2, np.array([3, 2, 1, 0]), deferred, 1, 2).tolist()
    [[2, 3]]
    """
    if take < 1 or reach < 1:
        raise ValueError(f"a seed must take at least one row from a window of at least one, not {take} from {reach}")
    at_most, called = min(take, len(indptr)), np.ascontiguousarray(number, dtype=np.int64)
    groups = compiled_or(windowed_groups_twin)(
        indptr, items, labels, called, deferred.astype(np.uint8), at_most, min(reach, len(indptr)), tick
    )
    return groups.reshape(-1, take + 1)


def windowed_groups_twin(
    indptr: Offsets,
    items: Codes,
    labels: int,
    number: Counts,
    deferred: npt.NDArray[np.uint8],
    take: int,
    reach: int,
    tick: Tick,
) -> Counts:
    """Groups of a deferred row and the unused rows nearest to it in a window, one after the other."""
    rows, last, called = [frozenset(row) for row in rows_of(indptr, items)], deferred.tolist(), number.tolist()
    unused = {False: set[int](), True: set[int]()}
    for place in range(len(rows)):
        unused[bool(last[place])].add(place)
    groups: list[int] = []
    for seed in sorted(unused[True]):
        tick(seed / len(rows))
        if seed not in unused[True]:
            continue
        if len(unused[False]) + len(unused[True]) <= take:
            break
        unused[True].remove(seed)
        groups.append(seed)
        missing = take
        for free in unused.values():
            wanted, window, near = min(missing, len(free)), reach, set[int]()
            while len(near) < wanted:
                near = free.intersection(range(seed - window, seed + window + 1))
                window *= 2
            ranked = sorted(near, key=lambda place: (len(rows[place] ^ rows[seed]), called[place]))
            groups.extend(ranked[:wanted])
            free.difference_update(ranked[:wanted])
            missing -= wanted
    return np.array(groups, dtype=np.int64)
