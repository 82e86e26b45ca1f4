"""The readable twins of the kernels that put similar rows into groups."""

from __future__ import annotations

import heapq
import itertools
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

Tick = Callable[[float], None]


def claim(
    indptr: Any, items: Any, labels: int, seeds: Any, late: Any, take: int, way: int, threads: int, tick: Tick
) -> bytes:
    """Groups of a seed and the unused rows nearest to it, one after the other; which way is a matter of speed."""
    rows, last = [frozenset(row) for row in _rows(indptr, items)], late.tolist()
    unused, groups = dict.fromkeys(range(len(rows))), array("q")
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
    return groups.tobytes()


def sweep(indptr: Any, items: Any, labels: int, number: Any, late: Any, take: int, reach: int, tick: Tick) -> bytes:
    """Groups of a late row and the unused rows nearest to it in a window, one after the other."""
    rows, last, called = [frozenset(row) for row in _rows(indptr, items)], late.tolist(), number.tolist()
    unused = {False: set[int](), True: set[int]()}
    for place in range(len(rows)):
        unused[bool(last[place])].add(place)
    groups = array("q")
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
    return groups.tobytes()


def cover(indptr: Any, items: Any, labels: int, k: int, threads: int, tick: Tick) -> tuple[int, bytes]:
    """The least cost, and where the groups end: from each start on, groups grow row by row."""
    rows = _rows(indptr, items)
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
    ends, end = array("q"), len(rows)
    while size:
        ends.append(end)
        end -= size
        size = (best[end] or (0, 0))[1]
    return total, ends[::-1].tobytes()


def _rows(indptr: Any, items: Any) -> list[tuple[int, ...]]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
