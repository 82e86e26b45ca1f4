"""Chooses the items to suppress so that no mole is left: greedily, by moles removed for the information lost.

A mole (a minimal set that violates the model) is removed as soon as one of its items is suppressed. Suppression creates
no new moles, because the remaining items keep their supports. A set that contains a minimal mole contains the item that
removes it. So it is enough to remove the minimal moles of the original data.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts
from shoal.kernels.choice import Tick, compiled_or, no_progress


def choose_suppressed(
    moles: Sequence[Codes], lost: Counts, barred: npt.NDArray[np.bool_], *, tick: Tick = no_progress
) -> list[int] | None:
    """Return items that remove all moles, in the order chosen, or None if a mole has barred items only.

    ``moles``: for 1, 2, .. items, the moles of that size, one on each line. ``lost``: the loss of suppressing each
    item. Items that are moles by themselves come first. Then comes the item with the most remaining moles for its loss
    (ties: the lower loss, then the lower id). Items that lose nothing come before all others. Ratios are compared
    exactly.

    >>> pairs = np.array([[0, 1], [0, 2], [1, 3]], dtype=np.int32)
    >>> choose_suppressed([np.array([[4]]), pairs], np.array([3, 1, 1, 1, 9]), np.zeros(5, dtype=bool))
    [4, 1, 2]
    """
    codes = np.concatenate([np.zeros(0, dtype=np.int32), *(some.ravel() for some in moles)], dtype=np.int32)
    counts = [len(some) for some in moles]
    chosen = compiled_or(choose_suppressed_twin)(counts, codes, lost, barred.astype(np.uint8), tick)
    return None if chosen is None else chosen.tolist()


def choose_suppressed_twin(
    counts: list[int], codes: Codes, lost: Counts, barred: npt.NDArray[np.uint8], tick: Tick
) -> Codes | None:
    """Choose one item after the other."""
    incidence = _Incidence(counts, codes, len(lost))
    chosen: list[int] = []
    for item in sorted(codes[: counts[0]].tolist()) if counts else []:
        if barred[item]:
            return None
        incidence.suppress(item)
        chosen.append(item)
    losses: list[int] = lost.tolist()

    def rank(item: int) -> tuple[float, int, int, int]:
        # Ratios of numbers below 2^63 differ by more than 2^-126, so integer parts of 2^128 times them differ.
        count = int(incidence.remaining[item])
        ratio: float = -(count << 128) // losses[item] if losses[item] else -np.inf
        return ratio, losses[item], item, count

    heap = [rank(item) for item in np.flatnonzero((incidence.remaining > 0) & (barred == 0)).tolist()]
    heapq.heapify(heap)
    tick(0.0)
    while heap:
        tick(0.0)
        _, _, item, count = heapq.heappop(heap)
        left = int(incidence.remaining[item])
        if left != count:  # counts only fall, so an up-to-date entry in front is the best
            if left:
                heapq.heappush(heap, rank(item))
            continue
        incidence.suppress(item)
        chosen.append(item)
    return None if incidence.remaining.any() else np.array(chosen, dtype=np.int32)


class _Incidence:
    """The moles of each item, and how many of them remain."""

    def __init__(self, counts: Sequence[int], codes: Codes, items: int) -> None:
        sizes = np.repeat(np.arange(1, len(counts) + 1), counts)
        self.codes, self.ends = codes, np.cumsum(sizes)
        self.first = self.ends - sizes  # start of the codes of each mole
        self.mole_of = np.repeat(np.arange(len(sizes)), sizes)[np.argsort(codes, kind="stable")]
        self.remaining = np.bincount(codes, minlength=items)
        self.start = np.concatenate([[0], np.cumsum(self.remaining)])
        self.alive = np.ones(len(sizes), dtype=bool)

    def suppress(self, item: int) -> None:
        """Remove all moles that contain the item."""
        for mole in self.mole_of[self.start[item] : self.start[item + 1]].tolist():
            if self.alive[mole]:
                self.alive[mole] = False
                self.remaining[self.codes[self.first[mole] : self.ends[mole]]] -= 1  # no item is in a mole twice
