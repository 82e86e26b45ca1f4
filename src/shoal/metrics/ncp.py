"""NCP, the normalized certainty penalty of items: the share of all items that an item hides among."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison


class NCP(AdditiveLoss):
    """Normalized certainty penalty: the share of all items that an item of a record can no longer be told from.

    For each item of a record it is leaves(u) / |I|, where u is its published label, 0 if the item is unchanged, or 1 if
    it is suppressed. ``ncp`` is the mean.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008,
    section 3.3.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> from shoal.published import Published
    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> NCP().of(Comparison(data, data))
    {'ncp': 0.0}
    """

    name = "ncp"
    meanings = {  # noqa: RUF012
        "ncp": (
            "Normalized certainty penalty (NCP)",
            "The share of all items that an item of a record can no longer be told from, on average over all items of "
            "all records. 0 %: every item is published unchanged. 100 %: every item could be any item. A removed item "
            "counts as 100 %.",
        )
    }
    paper = "Terrovitis et al. 2008, s.3.3"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``ncp`` (0 to 1)."""
        total, scale = self.total(compared)
        return {"ncp": total / scale}

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """Return the number of items of the label: 0 if it is one item, all items if it is suppressed."""
        return np.where(sizes == 0, items, np.where(sizes == 1, 0, sizes))

    def worst(self, items: int) -> int:
        """Return the number of all items."""
        return items
