"""Measures: one file each, functions of a :class:`Comparison` of the original data and the published data.

So that any two algorithms can be compared, ours or a foreign tool's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.metrics.comparison import Comparison, Outcome
from shoal.metrics.coverage import check_fit, covered_sizes

__all__ = ["AdditiveLoss", "Comparison", "Measure", "Outcome", "check_fit", "covered_sizes"]


class Measure(ABC):
    """Something to say about a release as numbers."""

    name: ClassVar[str]
    meanings: ClassVar[dict[str, tuple[str, str]]]  # for each value: its title and what it says, for people
    paper: ClassVar[str]

    @abstractmethod
    def of(self, compared: Comparison) -> dict[str, float]:
        """The values, by name; the first is the measure's own. Nothing, where the measure says nothing."""

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """The values in which each item counts as its weight says, named ``weighted_..``; most measures have none."""
        return {}


class AdditiveLoss(Measure):
    """An information loss that is a sum over occurrences, so that a search can work with exact integer costs."""

    @abstractmethod
    def penalty(self, sizes: Counts, items: int) -> Counts:
        """The whole-number penalty of an occurrence published as a label over so many of the items; 0: suppressed."""

    @abstractmethod
    def worst(self, items: int) -> int:
        """The penalty that counts as a loss of 1."""

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """The weighted mean over occurrences."""
        total, scale = self.total(compared, weights)
        return {f"weighted_{self.name}": total / scale}

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """For each node, the cost of publishing all its occurrences as that node."""
        return occurrences * self.penalty(hierarchy.leaves, hierarchy.n_leaves)

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """What to divide a total cost by to get the loss."""
        return max(1, self.worst(hierarchy.n_leaves) * occurrences)

    def total(self, compared: Comparison, weights: Counts | None = None) -> tuple[int, int]:
        """The penalties of all occurrences, weighted by item, and what a loss of 1 would be."""
        items = compared.published.n_items
        penalties = self.penalty(compared.covered_sizes, items)
        counted = np.ones(len(penalties), dtype=np.int64) if weights is None else weights[compared.original.rows.items]
        return int((penalties * counted).sum()), max(1, self.worst(items) * int(counted.sum()))
