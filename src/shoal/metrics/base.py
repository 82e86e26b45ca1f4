"""Base classes of measures, with one file for each measure.

A measure is a function of a :class:`Comparison` of original and published data. So the output of any tool can be
measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.metrics.comparison import Comparison, Outcome
from shoal.metrics.coverage import check_fit, covered_sizes

__all__ = ["AdditiveLoss", "Comparison", "Measure", "Outcome", "check_fit", "covered_sizes"]


class Measure(ABC):
    """Base class of measures: numbers about published data, compared with the original.

    Subclasses define :meth:`of`, and a title and a meaning for each of their values.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> from shoal.metrics.ncp import NCP
    >>> from shoal.published import Published
    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> NCP().of(Comparison(data, data))
    {'ncp': 0.0}
    """

    name: ClassVar[str]
    meanings: ClassVar[dict[str, tuple[str, str]]]  # for each value: its title and what it means, for people
    paper: ClassVar[str]

    @abstractmethod
    def of(self, compared: Comparison) -> dict[str, float]:
        """Return the values by name. The first has the name of the measure. Empty if the measure does not apply."""

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """Return the values with weighted items, named ``weighted_..``. Most measures have none."""
        return {}


class AdditiveLoss(Measure):
    """Base class of losses that are sums over the items of all records, so that searches can use exact integers."""

    @abstractmethod
    def penalty(self, sizes: Counts, items: int) -> Counts:
        """Return the integer penalty of an item under labels of these sizes, of so many items. Size 0: suppressed."""

    @abstractmethod
    def worst(self, items: int) -> int:
        """Return the penalty that counts as a loss of 1."""

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """Return the weighted mean over the items of all records."""
        total, scale = self.total(compared, weights)
        return {f"weighted_{self.name}": total / scale}

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """Return for each node the cost of publishing all its items as that node."""
        return occurrences * self.penalty(hierarchy.leaves, hierarchy.n_leaves)

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """Return the number that a total cost is divided by to get the loss."""
        return max(1, self.worst(hierarchy.n_leaves) * occurrences)

    def total(self, compared: Comparison, weights: Counts | None = None) -> tuple[int, int]:
        """Return the sum of the penalties of all items, weighted by item, and the sum that means a loss of 1."""
        items = compared.published.n_items
        covered = compared.covered
        counted = covered.counts if weights is None else covered.counts * weights[covered.items]
        total = int((self.penalty(covered.sizes, items) * counted).sum())
        return total, max(1, self.worst(items) * int(counted.sum()))
