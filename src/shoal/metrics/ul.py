"""UL, the utility loss of generalized items (P2): how many sets of items a published record may represent."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, row_ids
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.published import Published

Losses = npt.NDArray[np.float64]
DEEPEST = -2000  # exponents of 2 below this are 0 in floating point


class UL(Measure):
    """A label u over n items may represent any of 2^n - 1 sets: UL(u) = (2^n - 1) w(u), with w = 0 if n = 1. A record
    loses the sum over its labels, divided by 2^s - 1, where s is the sum of their sizes. Mean over records.
    """

    name = "ul"
    meanings = {  # noqa: RUF012
        "ul": (
            "Utility loss (UL)",
            "How many sets of items the generalized labels of a record may represent, as a share of what one label "
            "over all of its items would allow, averaged over records. 0 %: every label is an item. Removed items do "
            "not count.",
        )
    }
    paper = "P2 s.2"

    def of(self, compared: Comparison) -> dict[str, float]:
        """``ul``, in 0..1; nothing, for sets alone that hold no generalized label."""
        published = compared.published
        return {"ul": _mean(record_losses(published))} if _matters(published) else {}

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """With w(u) = mean weight of the items that u covers / the largest weight."""
        published = compared.published
        return {"weighted_ul": _mean(record_losses(published, weights))} if _matters(published) else {}


def record_losses(published: Published, weights: Counts | None = None) -> Losses:
    """UL of each record, in 0..1; of an empty record 0. Weights are those of the original items.

    >>> from shoal.data.hierarchy import Hierarchy
    >>> from shoal.data.transactions import Transactions
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b": []}})
    >>> published = Published.resolve(Transactions.from_sets([["A", "b"], ["A"], ["b"], []]), h)
    >>> (record_losses(published) * 7).tolist()  # 2^3 - 1
    [3.0, 7.0, 0.0, 0.0]
    >>> record_losses(published, np.array([4, 0, 1])).tolist()[1]
    0.5
    """
    sizes = published.cover_sizes
    worth = (sizes > 1).astype(np.float64)
    if weights is not None and len(sizes):
        sums = np.add.reduceat(weights[published.cover_items], published.cover_indptr[:-1])
        worth *= sums / (sizes * max(1, int(weights.max(initial=1))))
    rows, labels = row_ids(published.rows.indptr), published.rows.items
    totals = np.bincount(rows, sizes[labels], len(published.rows)).astype(np.int64)
    # (2^n - 1) / (2^s - 1) = (2^(n-s) - 2^-s) / (1 - 2^-s): no exponent is above 0
    least = _power(-totals)
    lost = np.bincount(rows, (_power(sizes[labels] - totals[rows]) - least[rows]) * worth[labels], len(totals))
    return lost / np.where(totals, 1 - least, 1.0)


def _power(exponents: Counts) -> Losses:
    """2 to these, which are not above 0."""
    return np.ldexp(1.0, np.maximum(exponents, DEEPEST).astype(np.int32))


def _matters(published: Published) -> bool:
    """Whether there is something to tell: sets beside columns, or generalized ones."""
    return published.relational is not None or published.generalized


def _mean(losses: Losses) -> float:
    return math.fsum(losses.tolist()) / max(1, len(losses))
