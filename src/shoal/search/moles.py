"""Which items to suppress so that no mole is left: greedily, by moles destroyed for what is lost.

A mole vanishes as soon as one of its items is suppressed, and no suppression makes a new one: what is left of the rows
keeps all supports. A set that contains a minimal mole contains the item that destroys it. So the minimal moles of the
data as they were are all that has to be destroyed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes


def choose_suppressed(moles: Sequence[Codes], lost: Sequence[int], barred: npt.NDArray[np.bool_]) -> list[int] | None:
    """Items that destroy all moles, in the order they are chosen; none, if a mole has barred items only.

    ``moles``: for 1, 2, .. items the moles of so many, a line each. ``lost``: what suppressing each item loses, below
    2^63. Items that are moles alone come first; then each time the one with the most remaining moles for what it loses
    (ties: the lower loss, then the lower id). What loses nothing comes before all else. Ratios are compared exactly.

    >>> pairs = np.array([[0, 1], [0, 2], [1, 3]], dtype=np.int32)
    >>> choose_suppressed([np.array([[4]]), pairs], [3, 1, 1, 1, 9], np.zeros(5, dtype=bool))
    [4, 1, 2]
    """
    incidence = _Incidence(moles, len(lost))
    chosen: list[int] = []
    for item in sorted(moles[0].ravel().tolist()) if moles else []:
        if barred[item]:
            return None
        incidence.suppress(item)
        chosen.append(item)

    def rank(item: int) -> tuple[float, int, int, int]:
        # Ratios of numbers below 2^63 that differ do so by more than 2^-126: whole parts of 2^128 times them differ.
        count = int(incidence.remaining[item])
        ratio: float = -(count << 128) // lost[item] if lost[item] else -np.inf
        return ratio, lost[item], item, count

    heap = [rank(item) for item in np.flatnonzero((incidence.remaining > 0) & ~barred).tolist()]
    heapq.heapify(heap)
    while heap:
        _, _, item, count = heapq.heappop(heap)
        left = int(incidence.remaining[item])
        if left != count:  # counts only fall, so what is fresh and in front is the best
            if left:
                heapq.heappush(heap, rank(item))
            continue
        incidence.suppress(item)
        chosen.append(item)
    return None if incidence.remaining.any() else chosen


class _Incidence:
    """Which moles each item is in, and how many of them remain."""

    def __init__(self, moles: Sequence[Codes], items: int) -> None:
        self.moles = moles
        self.first = np.cumsum([0, *map(len, moles)])  # number of the first mole of each size
        codes = np.concatenate([np.zeros(0, dtype=np.int32), *(some.ravel() for some in moles)])
        sizes = np.repeat(np.arange(1, len(moles) + 1), [len(some) for some in moles])
        order = np.argsort(codes, kind="stable")
        self.mole_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[order]
        self.remaining = np.bincount(codes, minlength=items)
        self.start = np.concatenate([[0], np.cumsum(self.remaining)])
        self.alive = np.ones(len(sizes), dtype=bool)

    def suppress(self, item: int) -> None:
        """All moles that hold the item are gone."""
        numbers = self.mole_of[self.start[item] : self.start[item + 1]]
        numbers = numbers[self.alive[numbers]]
        self.alive[numbers] = False
        ends = np.searchsorted(numbers, self.first)
        for size, some in enumerate(self.moles):
            held = some[numbers[ends[size] : ends[size + 1]] - self.first[size]]
            codes, counts = np.unique(held, return_counts=True)
            self.remaining[codes] -= counts
