"""Groups of a seed and the nearest rows in a window of a sorted list (GSC)."""

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
    seeds: npt.NDArray[np.bool_],
    deferred: npt.NDArray[np.bool_],
    take: int,
    reach: int,
    *,
    widen: bool = True,
    tick: Tick = no_progress,
) -> Counts:
    """Let each seed in turn take the ``take`` nearest unused rows in a window. Return a line for each group.

    Rows are given in the order of the list, and are numbered by their places in it. The window extends ``reach`` places
    up and down. Rows that are not deferred are taken first. With ``widen``, the window is doubled until it holds enough
    of them; if all data hold too few, all of them are taken, and then deferred rows in the same way. Otherwise the
    window is doubled only until it holds enough rows of both kinds together. Ties go to the lower ``number``. A seed
    that was taken forms no group. The first seed with too few rows left ends the search.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 1, 0, 0], dtype=np.int32)
    >>> seeds = np.array([False, False, True, False])
    >>> windowed_groups(*rows, 2, np.array([0, 1, 2, 3]), seeds, seeds, 1, 2).tolist()
    [[2, 0]]
    >>> windowed_groups(*rows, 2, np.array([3, 2, 1, 0]), seeds, seeds, 1, 2).tolist()
    [[2, 3]]
    """
    if take < 1 or reach < 1:
        raise ValueError(f"a seed must take at least one row from a window of at least one, not {take} from {reach}")
    at_most, called = min(take, len(indptr)), np.ascontiguousarray(number, dtype=np.int64)
    groups = compiled_or(windowed_groups_twin)(
        indptr,
        items,
        labels,
        called,
        seeds.astype(np.uint8),
        deferred.astype(np.uint8),
        at_most,
        min(reach, len(indptr)),
        widen,
        tick,
    )
    return groups.reshape(-1, take + 1)


def windowed_groups_twin(
    indptr: Offsets,
    items: Codes,
    labels: int,
    number: Counts,
    seeds: npt.NDArray[np.uint8],
    deferred: npt.NDArray[np.uint8],
    take: int,
    reach: int,
    widen: bool,
    tick: Tick,
) -> Counts:
    """Form groups of a seed and the nearest unused rows in a window, one after the other."""
    rows, called = [frozenset(row) for row in rows_of(indptr, items)], number.tolist()
    unused = [set(np.flatnonzero(deferred == kind).tolist()) for kind in (0, 1)]
    groups: list[int] = []
    for seed in np.flatnonzero(seeds).tolist():
        tick(seed / len(rows))
        if not any(seed in free for free in unused):
            continue
        if sum(map(len, unused)) <= take:
            break
        unused[deferred[seed]].remove(seed)
        groups.append(seed)
        missing, window = take, reach
        while not widen and sum(len(_near(free, seed, window)) for free in unused) < take:
            window *= 2
        for free in unused:
            wanted, wider = min(missing, len(free)), window
            while len(near := _near(free, seed, wider)) < wanted and widen:
                wider *= 2
            ranked = sorted(near, key=lambda place: (len(rows[place] ^ rows[seed]), called[place]))[:missing]
            groups.extend(ranked)
            free.difference_update(ranked)
            missing -= len(ranked)
    return np.array(groups, dtype=np.int64)


def _near(free: set[int], place: int, reach: int) -> set[int]:
    """Return the unused places in a window."""
    return free.intersection(range(place - reach, place + reach + 1))
