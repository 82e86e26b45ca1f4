"""NCP, the normalized certainty penalty of items (P0 s.3.3, P3, P4): which share of the domain an item hides among."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison


class NCP(AdditiveLoss):
    """Mean over the items of all records of leaves(u)/|I|, 0 where the item is unchanged, 1 where it is suppressed."""

    name = "ncp"
    meanings = {  # noqa: RUF012
        "ncp": (
            "Normalized certainty penalty (NCP)",
            "The share of all items that an item of a record can no longer be told from, averaged over all "
            "items of all records. 0 %: every item is published as it was. 100 %: each could be any item. A removed "
            "item counts as 100 %.",
        )
    }
    paper = "P0 s.3.3"

    def of(self, compared: Comparison) -> dict[str, float]:
        """``ncp``, in 0..1."""
        total, scale = self.total(compared)
        return {"ncp": total / scale}

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """The items of the label; 0 where it is one item, all items where it is suppressed."""
        return np.where(sizes == 0, items, np.where(sizes == 1, 0, sizes))

    def worst(self, items: int) -> int:
        """|I|."""
        return items
