"""LM, the loss metric (P4): which share of the *other* items an item hides among."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison


class LM(AdditiveLoss):
    """Per original item of a record (leaves(u)-1)/(|I|-1), 1 where it is suppressed; mean, and sum (P4's cost)."""

    name = "lm"
    meanings = {  # noqa: RUF012
        "lm": (
            "Loss metric (LM)",
            "The share of all other items that an item of a record can no longer be told from, averaged over all "
            "items of all records. A removed item counts as 100 %.",
        ),
        "lm_sum": ("Loss metric, sum", "LM added up over all items of all records instead of averaged."),
    }
    paper = "P4"

    def of(self, compared: Comparison) -> dict[str, float]:
        """``lm``, in 0..1, and ``lm_sum``."""
        total, scale = self.total(compared)
        return {"lm": total / scale, "lm_sum": total / self.worst(compared.published.n_items)}

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """The other items of the label; all others where it is suppressed."""
        return np.where(sizes == 0, self.worst(items), sizes - 1)

    def worst(self, items: int) -> int:
        """|I| - 1."""
        return max(1, items - 1)
