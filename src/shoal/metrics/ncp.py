"""NCP, the normalized certainty penalty of items (P0 s.3.3, P3, P4): which share of the domain an item hides among."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.metrics import AdditiveLoss, covered_sizes
from shoal.published import Published


class NCP(AdditiveLoss):
    """Mean over original occurrences of leaves(u)/|I|, 0 where the item is intact, 1 where it is suppressed."""

    name = "ncp"
    meanings = {  # noqa: RUF012
        "ncp": (
            "Normalized certainty penalty (NCP)",
            "The share of all items that an item of a record can no longer be told from, averaged over all "
            "occurrences. 0 %: every item is published as it was. 100 %: each could be any item.",
        )
    }
    paper = "P0 s.3.3"

    def of(self, original: Transactions, published: Published) -> dict[str, float]:
        """``ncp``, in 0..1."""
        sizes = covered_sizes(original, published)
        if not len(sizes):
            return {"ncp": 0.0}
        penalty = np.where(sizes == 0, published.n_items, np.where(sizes == 1, 0, sizes))
        return {"ncp": int(penalty.sum()) / (published.n_items * len(sizes))}

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """Occurrences times leaves, 0 for single leaves."""
        return np.where(hierarchy.leaves == 1, 0, occurrences * hierarchy.leaves)

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """|I| times occurrences."""
        return max(1, hierarchy.n_leaves * occurrences)
