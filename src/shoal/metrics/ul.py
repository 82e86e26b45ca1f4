"""UL, the utility loss of generalized items: how many sets of items a published record may represent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, row_ids
from shoal.engines import current
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.metrics.exact_sum import exact_sum, rounded
from shoal.published import Published

Losses = npt.NDArray[np.float64]
DEEPEST = -2000  # exponents of 2 below this are 0 in floating point


class UL(Measure):
    """Utility loss: how many sets of items the generalized labels of a record may represent.

    A label u over n items may represent any of 2^n - 1 sets: UL(u) = (2^n - 1) w(u), with w = 0 if n = 1. The loss of a
    record is the sum over its labels, divided by 2^s - 1, where s is the sum of their sizes. ``ul`` is the mean over
    records.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013, section 2.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"*": {"drink": ["tea", "rum"], "food": ["rye", "bun"]}})
    >>> before, after = [["tea", "rye"], ["rum", "rye"]], [["drink", "rye"], ["drink", "rye"]]
    >>> round(shoal.measure(before, after, hierarchy=tree).losses["ul"], 4)  # 3/7
    0.4286
    """

    name = "ul"
    meanings = {  # noqa: RUF012
        "ul": (
            "Utility loss (UL)",
            "How many sets of items the generalized labels of a record may represent, as a share of the number for one "
            "label over all of its items. This is the average over all records. 0 %: every label is an item. Removed "
            "items do not count.",
        )
    }
    paper = "Poulis et al. 2013, s.2"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``ul`` (0 to 1), or nothing for sets without columns and without generalized labels."""
        published = compared.published
        return {"ul": _mean(published)} if _matters(published) else {}

    def weighted(self, compared: Comparison, weights: Counts) -> dict[str, float]:
        """Return ``weighted_ul``, with w(u) = mean weight of the items that u covers / the largest weight."""
        published = compared.published
        return {"weighted_ul": _mean(published, weights)} if _matters(published) else {}


def record_losses(published: Published, weights: Counts | None = None) -> Losses:
    """Return UL of each record (0 to 1; 0 for an empty record). Weights are those of the original items.

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
    shares = _power(sizes[labels] - totals[rows])
    shares -= least[rows]  # in place: there are very many
    shares *= worth[labels]
    lost = np.bincount(rows, shares, len(totals))
    return lost / np.where(totals, 1 - least, 1.0)


def _power(exponents: Counts) -> Losses:
    """Return 2 to the power of these exponents, which are not above 0. The array of exponents is written over."""
    return np.ldexp(1.0, np.maximum(exponents, DEEPEST, out=exponents).astype(np.int32))


def _matters(published: Published) -> bool:
    """Whether the measure applies: there are columns, or generalized labels."""
    return published.relational is not None or published.generalized


def _mean(published: Published, weights: Counts | None = None) -> float:
    """Return the mean over all records. The sum is exact, so it does not depend on the parts."""
    parts = current().over("measuring", lambda part, _: exact_sum(record_losses(part, weights)), published)
    return rounded(sum(parts)) / max(1, len(published.rows))
