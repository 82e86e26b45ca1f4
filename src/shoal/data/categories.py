"""Categories with a hierarchy: values are its leaves, published unchanged or as its groups."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.data.attributes import MISSING, IntervalAttribute, Kind
from shoal.data.hierarchy import Hierarchy
from shoal.errors import DataError, did_you_mean, shorten


@dataclass(frozen=True, eq=False)
class CategoricalAttribute(IntervalAttribute):
    """Categories that are published unchanged or as groups of a hierarchy.

    >>> countries = Hierarchy.from_tree({"All": {"Africa": ["Algeria", "Nigeria"], "Asia": ["Iran"]}})
    >>> origin = CategoricalAttribute("origin", countries)
    >>> low, high = origin.generalize(np.array([0, 0, 1]), np.array([1, 0, 2]))
    >>> origin.texts(low, high), origin.penalties(low, high).tolist()
    (['Africa', 'Algeria', 'All'], [0.666..., 0.0, 1.0])
    """

    hierarchy: Hierarchy = field(default_factory=lambda: Hierarchy.flat(["?"]))
    optional: bool = False  # whether values may be missing; the root then covers missing values too

    @property
    def kind(self) -> Kind:
        """Return "category"."""
        return "category"

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the labels of the leaves."""
        return self.hierarchy.items

    @property
    def first(self) -> int:
        """Return the position of the first leaf."""
        return 0

    @property
    def last(self) -> int:
        """Return the position of the last leaf."""
        return self.hierarchy.n_leaves - 1

    @property
    def denominator(self) -> int:
        """Return the number of leaves."""
        return self.hierarchy.n_leaves

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """Return the number of leaves of each group, and 0 for a leaf."""
        return np.where(low == high, 0, np.where(high == MISSING, self.denominator, high - low + 1))

    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """Return the leaves of the lowest common ancestors."""
        span, parent = self.hierarchy.span, self.hierarchy.parent
        mixed = (high == MISSING) & (low < high)
        nodes = np.where(low == MISSING, 0, low)
        inside = np.where(high == MISSING, nodes, high)
        while len(short := np.flatnonzero(inside >= span[nodes, 1])):
            nodes[short] = parent[nodes[short]]
        wide_low = np.where(low == MISSING, low, np.where(mixed, 0, span[nodes, 0]))
        whole = (high == MISSING) | (self.optional & (nodes == self.hierarchy.root))
        return wide_low, np.where(whole, MISSING, span[nodes, 1] - 1)

    @cached_property
    def _node_of(self) -> dict[tuple[int, int], int]:
        """Map first and last leaf to the lowest node that covers exactly these leaves."""
        spans = self.hierarchy.span.tolist()
        return {(first, stop - 1): node for node, (first, stop) in reversed(list(enumerate(spans)))}

    def text(self, low: int, high: int) -> str | None:
        """Return the label of a leaf or a group."""
        if low == MISSING:
            return None
        if high == MISSING:
            return self.hierarchy.labels[-1]
        return self.hierarchy.labels[self._node_of[low, high]]

    def parse(self, text: str) -> tuple[int, int]:
        """Return the first and last leaf of a label of the hierarchy."""
        node = self.hierarchy.code_of.get(text)
        if node is None:
            near = did_you_mean(text, self.hierarchy.labels)
            raise DataError(
                f"Column '{self.name}': '{shorten(text)}' is neither a value nor a group of the hierarchy "
                f"{self.hierarchy.name}{near}."
            )
        first, stop = self.hierarchy.span[node].tolist()
        if self.optional and node == self.hierarchy.root:
            return first, int(MISSING)
        return first, stop - 1
