"""Recoding by clusters: the records of a cluster share their published quasi-identifiers (Poulis et al. 2013)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.data.relational import Relational
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.published import Published
from shoal.recoding.base import Recoding, RecodingSummary


@dataclass(frozen=True, eq=False)
class Clustered(Recoding):
    """The rows of each cluster get the same values. Their sets are recoded as well, or not changed."""

    relational: Relational  # generalized: the rows of a cluster have equal values
    sets: Recoding | None = None

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"Clustered({len(self._sizes):,} classes of {len(self.relational):,} rows, {self.sets!r})"

    @property
    def _sizes(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """The number of rows of each class of equal values."""
        return np.bincount(self.relational.classes).astype(np.int64)

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Return the recoded sets with the values of their clusters."""
        published = Published.plain(items, hidden) if self.sets is None else self.sets.apply(items, hidden)
        return replace(published, relational=self.relational)

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether the sets are generalized without the hierarchy."""
        return self.sets is not None and self.sets.ignores_hierarchy

    @property
    def published_nodes(self) -> Codes:
        """Return the nodes that the sets are published as."""
        return np.zeros(0, dtype=np.int32) if self.sets is None else self.sets.published_nodes

    def on(self, hierarchy: Hierarchy) -> Clustered:
        """Return the same clusters, with the sets labelled by another hierarchy."""
        return self if self.sets is None else replace(self, sets=self.sets.on(hierarchy))

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> Clustered:
        """Return the same clusters, with the sets on a hierarchy with more nodes."""
        return self if self.sets is None else replace(self, sets=self.sets.moved(hierarchy, node_of))

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the classes and the sets."""
        sizes = self._sizes
        sets = None if self.sets is None else self.sets.summary(items)
        return replace(
            sets or RecodingSummary(""),
            kind="clusters",
            chunks=None,
            sets=None if sets is None else sets.kind,
            clusters=len(sizes) if sets is None or sets.chunks is None else sets.chunks,
            classes=len(sizes),
            smallest_class=int(sizes.min(initial=len(self.relational))),
            largest_class=int(sizes.max(initial=0)),
        )
