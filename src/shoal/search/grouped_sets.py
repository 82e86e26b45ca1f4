"""Groups of the items of one cluster that lose little under k^m-anonymity.

The cheapest of several groupings is regrouped by simulated annealing, with all items as siblings. NCP alone prefers
many groups of medium size, and hardly any item stays unchanged. So an item that is not published as itself costs a
little more than its loss (docs/internals/decisions/0024 has figures).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.sibling_trees import tree_of
from shoal.search.siblings import regrouped


class UnchangedFirst(AdditiveLoss):
    """A loss with an extra cost for every item that is not published as itself.

    >>> from shoal.metrics.ncp import NCP
    >>> UnchangedFirst(NCP(), 3).penalty(np.array([1, 2, 5]), 10).tolist()
    [0, 5, 8]
    """

    name = "unchanged-first"

    def __init__(self, loss: AdditiveLoss, added: int) -> None:
        self.loss, self.added = loss, added

    def of(self, compared: Comparison) -> dict[str, float]:
        """The loss itself, without the extra cost."""
        return self.loss.of(compared)

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """The penalty of the loss, plus the extra cost unless the label is a single item."""
        return self.loss.penalty(sizes, items) + np.where(sizes == 1, 0, self.added)

    def worst(self, items: int) -> int:
        """The worst penalty, with the extra cost."""
        return self.loss.worst(items) + self.added


class GroupedSets:
    """Groupings of the items of one cluster. Each grouping is an array: the group number of each item that occurs."""

    def __init__(self, part: Prepared[ItemsetModel], unchanged_weight: float, engine: Engine) -> None:
        demand = part.model.demand(part.items)
        part = part.under(Km(k=demand.k, m=max(1, demand.known)))
        added = round(unchanged_weight * part.loss.worst(part.hierarchy.n_leaves))
        self.part, self.engine = replace(part, loss=UnchangedFirst(part.loss, added)), engine
        self.present = np.flatnonzero(part.items.supports)
        labels = [part.items.labels[code] for code in self.present.tolist()]
        flat = Hierarchy.flat(labels)
        self.order = np.array([flat.code_of[label] for label in labels])  # code in ``flat`` of each item that occurs
        codes = np.full(len(part.items.labels), -1, dtype=np.int32)
        codes[self.present] = self.order
        weights = part.item_weights
        if weights is not None:
            weights = weights[self.present[np.argsort(self.order)]]
        items = part.items.recode(codes, flat.items)
        self.flat = replace(self.part, hierarchy=flat, items=items, item_weights=weights)

    def quick(self) -> Codes:
        """Return groups by frequency, as the smallest item of the group of each item."""
        return self._first_of(self._by_frequency())

    def best(self, free: Codes, work: int) -> Codes:
        """Return the cheapest of several groupings, including ``free``, regrouped if that costs less.

        Groups of siblings come first, so they win ties.
        """
        candidates = [] if self.part.hierarchy.is_flat else [_cut_groups(self.part, self.engine)[self.present]]
        start = min([*candidates, self._by_frequency(), free[self.present]], key=self._cost)
        found = regrouped(self.flat, start[np.argsort(self.order)], work, self.engine)[self.order]
        return self._first_of(found if self._cost(found) < self._cost(start) else start)

    def _by_frequency(self) -> Codes:
        """Return the groups of a hierarchy that is built by frequency."""
        groups: Codes = _cut_groups(self.flat, self.engine)[self.order]
        return groups

    def _first_of(self, blocks: Codes) -> Codes:
        """Return the smallest item of the group of each item, or -1 for items that do not occur."""
        _, first, group_of = np.unique(blocks, return_index=True, return_inverse=True)
        first_of = np.full(len(self.part.items.labels), -1, dtype=np.int32)
        first_of[self.present] = self.present[first[group_of]]
        return first_of

    def _cost(self, blocks: Codes) -> int:
        """The cost of a grouping."""
        _, group_of, sizes = np.unique(blocks, return_inverse=True, return_counts=True)
        penalties = self.part.loss.penalty(sizes, self.part.hierarchy.n_leaves)
        return int((self.part.occurrences[self.present] * penalties[group_of]).sum())


def _cut_groups(problem: Prepared[ItemsetModel], engine: Engine) -> Codes:
    """Return the group of each item in a safe cut, after siblings are halved by frequency."""
    refined = problem.on(tree_of(problem, "frequency"))
    search = ExactSearch(refined, engine, Clock.of("none"))
    search.begin()
    cut, tree = search.cut(), refined.hierarchy
    blocks = np.repeat(np.arange(len(cut.nodes), dtype=np.int32), tree.leaves[cut.nodes])
    groups: Codes = blocks[[tree.code_of[label] for label in problem.hierarchy.items]]
    return groups
