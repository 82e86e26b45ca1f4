"""Scales: the cost of publishing some values of a column together, in whole numbers, so that searches are exact.

Values are dense codes. A single value costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, spans


@dataclass(frozen=True)
class Scale(ABC):
    """The cost of publishing codes of one attribute together."""

    kind: ClassVar[int]  # for kernels

    costs: Counts
    whole: int  # the cost of everything together
    missing: int = -1  # the code of missing values (the last code); together with any other it costs ``whole``

    @property
    @abstractmethod
    def codes(self) -> int:
        """Return the number of codes."""

    @abstractmethod
    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """Return the cost of each group of codes (groups are 0, 1, ..)."""

    def cost(self, codes: Codes | Counts) -> int:
        """Return the cost of publishing some codes together."""
        return self.costs_of(codes, np.zeros(len(codes), dtype=np.int64))[0]

    def borders(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Return after which codes from ``first`` to ``last`` a group may be split."""
        return np.ones(last - first, dtype=np.bool_)


class Line(Scale):
    """Codes on a line. They cost the difference of their outer positions. ``costs`` holds the positions, ascending.

    >>> Line(np.array([0, 10, 11]), 11).cost(np.array([2, 1]))
    1
    """

    kind = 0

    @property
    def codes(self) -> int:
        """Return the number of positions."""
        return len(self.costs)

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """Return the distance from the first to the last code of each group."""
        low, high = spans(codes, group_of)
        mixed = (high == self.missing) & (low < high)
        costs: list[int] = np.where(mixed, self.whole, self.costs[high] - self.costs[low]).tolist()
        return costs


class Tree(Scale):
    """Leaves of a tree. They cost the height of their lowest common ancestor.

    This is the largest rise between two neighbours among them. ``costs`` holds the rise between each leaf and the next.

    >>> Tree(np.array([2, 3, 2]), 3).cost(np.array([0, 1])), Tree(np.array([2, 3, 2]), 3).cost(np.array([3, 1]))
    (2, 3)
    """

    kind = 1

    @property
    def codes(self) -> int:
        """Return the number of leaves, one more than rises."""
        return len(self.costs) + 1

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """Return the largest rise in each group."""
        low, high = spans(codes, group_of)
        return [
            int(self.costs[first:last].max(initial=0)) for first, last in zip(low.tolist(), high.tolist(), strict=True)
        ]

    def borders(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Allow splits only between the children of the lowest common ancestor."""
        rises = self.costs[first:last]
        at_top: npt.NDArray[np.bool_] = rises == rises.max(initial=0)
        return at_top


class Values(Scale):
    """Codes that can be published in any collection. They cost by the number of different codes.

    ``costs`` holds the cost of 0, 1, 2, .. different codes.

    >>> Values(np.array([0, 0, 2, 3]), 3).cost(np.array([2, 0, 2]))
    2
    """

    kind = 2

    @property
    def codes(self) -> int:
        """Return the number of codes."""
        return len(self.costs) - 1

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """Return the cost of the number of different codes in each group."""
        group, code = np.divmod(np.unique(group_of * self.codes + codes), self.codes)
        different = np.bincount(group)
        lacking = np.bincount(group[code == self.missing], minlength=len(different)) > 0
        costs: list[int] = np.where(lacking & (different > 1), self.whole, self.costs[different]).tolist()
        return costs
