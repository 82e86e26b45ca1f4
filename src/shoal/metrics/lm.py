"""LM, the loss metric (P4): which share of the *other* items an item hides among."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.metrics import AdditiveLoss, covered_sizes
from shoal.published import Published


class LM(AdditiveLoss):
    """Per original occurrence (leaves(u)-1)/(|I|-1), 1 where it is suppressed; mean, and sum (P4's cost)."""

    name = "lm"
    meanings = {  # noqa: RUF012
        "lm": (
            "Loss metric (LM)",
            "The share of all other items that an item of a record can no longer be told from, averaged over all "
            "occurrences.",
        ),
        "lm_sum": ("Loss metric, sum", "LM added up over all occurrences instead of averaged."),
    }
    paper = "P4"

    def of(self, original: Transactions, published: Published) -> dict[str, float]:
        """``lm``, in 0..1, and ``lm_sum``."""
        sizes = covered_sizes(original, published)
        if not len(sizes):
            return {"lm": 0.0, "lm_sum": 0.0}
        others = max(1, published.n_items - 1)
        total = int(np.where(sizes == 0, others, sizes - 1).sum())
        return {"lm": total / (others * len(sizes)), "lm_sum": total / others}

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """Occurrences times (leaves - 1)."""
        return occurrences * (hierarchy.leaves - 1)

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """(|I| - 1) times occurrences."""
        return max(1, (hierarchy.n_leaves - 1) * occurrences)
