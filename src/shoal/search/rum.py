"""Rum: the loss of the columns of clusters (Poulis et al. 2013, s.2), as the mean over the records.

What a record costs depends on the measure:

- ``ncp``, the choice of the paper: the weighted sum of the NCP of its columns, which is the Minkowski norm with p = 1;
- ``l2`` and ``max``: the Minkowski norms of the same NCPs with p = 2 (the root of the weighted sum of squares) and
  p = infinity (the column that loses most);
- ``discernibility`` and ``class-size``: the number of records of the class, as a share of all. The first is the mean
  over the records, the second the mean over the classes.

None of them falls when clusters are merged (Property 2 of the paper), so a bound that is exceeded stays exceeded.

The first three are means over the records. So their mean over blocks of records (:mod:`shoal.search.blocks`) is the
loss of all records. The others are shares of all records, and classes of two blocks may be one class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from shoal.data.arrays import Counts, part_of
from shoal.data.relational import Relational
from shoal.data.transactions import Transactions
from shoal.kernels.search.clusters.merging import ClusterCost, Merging
from shoal.options import option
from shoal.search.ncp_scale import NcpScale

BY_CLASS = ("discernibility", "class-size")
Rum = Literal["ncp", "l2", "max", "discernibility", "class-size"]
RUMS: tuple[Rum, ...] = ("ncp", "l2", "max", "discernibility", "class-size")
NAMES: dict[Rum, str] = {
    "ncp": "NCP",
    "l2": "the L2 norm of NCP",
    "max": "the largest NCP",
    "discernibility": "discernibility",
    "class-size": "class size",
}
UNBOUNDED = 2**62
HEAVIEST = 2**16  # the largest integer that represents a weight of 1
ROUNDED = 1e-12  # the largest rounding error of a sum of roots


def rum_option() -> Any:
    """Declare the option for the measure of the loss of the columns."""
    return option(
        "ncp",
        words=RUMS,
        help="Measure of the loss of the columns: the mean NCP, another norm of the NCPs (l2, max), or the sizes of "
        "the classes.",
    )


class ColumnLoss:
    """One measure of the loss of the columns, in whole numbers for the kernel and exactly for bounds."""

    def __init__(self, rum: Rum, raw: Relational, ncp: NcpScale) -> None:
        self.rum, self.raw, self.n = rum, raw, len(raw)
        self.scale = NcpScale.unweighted(raw) if rum in ("l2", "max") else ncp
        self.by_class = rum in BY_CLASS

    def merging(self, items: Transactions, cluster_of: Counts, threads: int) -> Merging:
        """Return the clusters, to be merged by this loss."""
        scale, cost = self.scale, _COSTS[self.rum]
        weights = whole(self.raw.weights) if cost == "l2" else ((), 1)
        rows = items.indptr, items.items, len(items.labels)
        return Merging(scale.codes, scale.scales, *rows, cluster_of, cost=cost, weights=weights, threads=threads)

    def share(self, total: int, clusters: int) -> float:
        """Return Rum for a total cost: between 0 and 1, unless the weights sum up to more."""
        if self.rum == "class-size":
            return 1 / clusters
        return total / (self.n * (self.n if self.by_class else self.scale.unit))

    @property
    def worst(self) -> float:
        """The largest possible Rum: all records in one cluster of different values."""
        heavy = float(sum(self.raw.weights))
        return {"ncp": heavy, "l2": math.sqrt(heavy)}.get(self.rum, 1.0)

    def most(self, delta: float) -> int:
        """Return the largest total cost that is certainly within a bound."""
        bound = Fraction(str(delta))
        if self.rum == "class-size":
            return UNBOUNDED
        if self.rum == "discernibility":
            return math.floor(bound * self.n * self.n)
        reached = bound * bound if self.rum == "l2" else bound
        if reached >= (1 if self.rum == "max" else sum(self.raw.weights)):
            return UNBOUNDED  # nothing can lose more
        return self.scale.most(delta, self.n)

    def fewest(self, delta: float) -> int:
        """Return how many clusters must be left."""
        return math.ceil(1 / Fraction(str(delta))) if self.rum == "class-size" and delta > 0 else 1

    def beyond(self, delta: float, total: int, members: Sequence[Counts]) -> bool:
        """Whether clusters of this total cost exceed a bound."""
        return is_beyond(self.rum, self.exact(total, members), delta)

    def exact(self, total: int, members: Sequence[Counts]) -> Fraction:
        """Return Rum of clusters of this total cost; for l2, as exactly as roots allow."""
        if self.rum == "class-size":
            return Fraction(1, len(members))
        if self.rum == "l2" or (not self.by_class and self.scale.slack):  # costs are rounded
            return self._defined(members)
        return Fraction(total, self.n * (self.n if self.by_class else self.scale.unit))

    def _defined(self, members: Sequence[Counts]) -> Fraction:
        """Compute Rum by its definition."""
        published, total = self.raw.generalized(part_of(members, self.n)), Fraction(0)
        parts = zip(published.attributes, published.weights, published.values, strict=True)  # one value a cluster
        penalties = [
            (weight, [Fraction(one, attribute.denominator) for one in attribute.numerators(own.low, own.high).tolist()])
            for attribute, weight, own in parts
        ]
        for at, rows in enumerate(members):
            total += len(rows) * self._norm([(weight, ncps[at]) for weight, ncps in penalties])
        return total / self.n

    def _norm(self, penalties: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
        """Return the cost of a record from the weight and NCP of each column."""
        if self.rum == "max":
            return max((ncp for weight, ncp in penalties if weight), default=Fraction(0))
        if self.rum == "l2":
            return Fraction(math.sqrt(sum(weight * ncp * ncp for weight, ncp in penalties)))
        return sum((weight * ncp for weight, ncp in penalties), Fraction(0))


def is_beyond(rum: Rum, loss: Fraction, delta: float) -> bool:
    """Whether an exact Rum exceeds a bound."""
    return float(loss) > delta + ROUNDED if rum == "l2" else loss > Fraction(str(delta))


_COSTS: dict[Rum, ClusterCost] = {
    "ncp": "sum",
    "l2": "l2",
    "max": "max",
    "discernibility": "size",
    "class-size": "size",
}


def whole(weights: Sequence[Fraction]) -> tuple[tuple[int, ...], int]:
    """Return the weights as whole numbers, and the number for a weight of 1. Round up above ``HEAVIEST``.

    >>> whole([Fraction(1, 2), Fraction(1, 3)]), whole([Fraction(1, 100_003)])
    (((3, 2), 6), ((1,), 65536))
    """
    one = min(HEAVIEST, math.lcm(*(weight.denominator for weight in weights)))
    return tuple(math.ceil(weight * one) for weight in weights), one
