"""LM, the loss metric: the share of the *other* items that an item hides among (Liu and Wang 2010)."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison


class LM(AdditiveLoss):
    """Loss metric: the share of all other items that an item of a record can no longer be told from.

    For each item of a record it is (leaves(u) - 1) / (|I| - 1), where u is its published label, or 1 if the item is
    suppressed. ``lm`` is the mean, ``lm_sum`` the sum.

    References
    ----------
    J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> from shoal.published import Published
    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> LM().of(Comparison(data, data))
    {'lm': 0.0, 'lm_sum': 0.0}
    """

    name = "lm"
    meanings = {  # noqa: RUF012
        "lm": (
            "Loss metric (LM)",
            "The share of all other items that an item of a record can no longer be told from, on average over all "
            "items of all records. A removed item counts as 100 %.",
        ),
        "lm_sum": ("Loss metric, sum", "The sum of LM over all items of all records, instead of the average."),
    }
    paper = "Liu and Wang 2010"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``lm`` (0 to 1) and ``lm_sum``."""
        total, scale = self.total(compared)
        return {"lm": total / scale, "lm_sum": total / self.worst(compared.published.n_items)}

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """Return the number of other items of the label, or of all other items if it is suppressed."""
        return np.where(sizes == 0, self.worst(items), sizes - 1)

    def worst(self, items: int) -> int:
        """Return the number of all other items."""
        return max(1, items - 1)
