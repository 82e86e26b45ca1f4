"""Scales: what it costs to publish some values of a column together, in whole numbers, so that searches are exact.

Values are dense codes. A single one costs nothing.
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
    """What codes of one attribute cost together."""

    kind: ClassVar[int]  # for kernels

    costs: Counts
    whole: int  # the cost of everything together
    missing: int = -1  # the code for "missing", if that is the last one; it costs the whole with any other

    @property
    @abstractmethod
    def codes(self) -> int:
        """How many codes there are."""

    @abstractmethod
    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """What each group of codes costs (groups are 0, 1, ..)."""

    def cost(self, codes: Codes | Counts) -> int:
        """What some codes cost together."""
        return self.costs_of(codes, np.zeros(len(codes), dtype=np.int64))[0]

    def borders(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """After which of the codes from the first up to the last these may be parted."""
        return np.ones(last - first, dtype=np.bool_)


class Line(Scale):
    """Codes on a line cost the difference of the outer positions; ``costs`` has the position of each, ascending.

    >>> Line(np.array([0, 10, 11]), 11).cost(np.array([2, 1]))
    1
    """

    kind = 0

    @property
    def codes(self) -> int:
        """One for each position."""
        return len(self.costs)

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """From the least to the greatest."""
        low, high = spans(codes, group_of)
        mixed = (high == self.missing) & (low < high)
        costs: list[int] = np.where(mixed, self.whole, self.costs[high] - self.costs[low]).tolist()
        return costs


class Tree(Scale):
    """Leaves of a tree cost as much as their lowest common ancestor is high.

    That is the highest rise between two neighbours among them; ``costs`` has the rise between each leaf and the next.

    >>> Tree(np.array([2, 3, 2]), 3).cost(np.array([0, 1])), Tree(np.array([2, 3, 2]), 3).cost(np.array([3, 1]))
    (2, 3)
    """

    kind = 1

    @property
    def codes(self) -> int:
        """One more than rises."""
        return len(self.costs) + 1

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """The highest rise."""
        low, high = spans(codes, group_of)
        return [
            int(self.costs[first:last].max(initial=0)) for first, last in zip(low.tolist(), high.tolist(), strict=True)
        ]

    def borders(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Only between the children of what all have in common."""
        rises = self.costs[first:last]
        at_top: npt.NDArray[np.bool_] = rises == rises.max(initial=0)
        return at_top


class Values(Scale):
    """Codes that can be published in any collection cost by how many different ones there are.

    ``costs`` has the cost of 0, 1, 2, .. different codes.

    >>> Values(np.array([0, 0, 2, 3]), 3).cost(np.array([2, 0, 2]))
    2
    """

    kind = 2

    @property
    def codes(self) -> int:
        """As many as there may be different ones."""
        return len(self.costs) - 1

    def costs_of(self, codes: Codes | Counts, group_of: Counts) -> list[int]:
        """By the number of different codes."""
        group, code = np.divmod(np.unique(group_of * self.codes + codes), self.codes)
        different = np.bincount(group)
        lacking = np.bincount(group[code == self.missing], minlength=len(different)) > 0
        costs: list[int] = np.where(lacking & (different > 1), self.whole, self.costs[different]).tolist()
        return costs
