"""NCP of clusters in whole numbers, so that searches compare costs exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.axis_values import AxisValues
from shoal.data.relational import Relational
from shoal.data.scales import Scale

FINEST = 2**40  # the largest unit; the costs of all rows must also fit 63 bits
COARSE = 2**20  # the largest unit if costs are squared and weighted


@dataclass(frozen=True, eq=False)
class NcpScale:
    """The quasi-identifiers as dense codes, and the cost of publishing some codes together.

    ``unit`` is the cost of a record whose NCP is 1. It is the least common denominator of all penalties, so costs are
    exact. If that is above ``FINEST``, costs are rounded by less than ``slack`` for a record.

    >>> from shoal.data.ordered import OrderedAttribute
    >>> ages = np.array([19, 22, 70])
    >>> ncp = NcpScale.of(Relational.of_rows((OrderedAttribute("age", 19, 70),), [ages]))
    >>> ncp.unit, ncp.codes[0].tolist(), ncp.scales[0].costs.tolist(), ncp.slack
    (51, [0, 1, 2], [0, 3, 51], 0)
    """

    codes: list[Codes]  # for each attribute, the code of each row
    scales: list[Scale]
    unit: int
    slack: int

    @classmethod
    def of(cls, raw: Relational) -> NcpScale:
        """Return the scale for the original values."""
        return cls._scaled(raw, raw.weights, FINEST)

    @classmethod
    def unweighted(cls, raw: Relational) -> NcpScale:
        """Return the cost of each column by itself, all in the same unit. A column of weight 0 costs nothing.

        Units are near ``COARSE``, so that squares fit and roots of their sums are precise.
        """
        scale = cls._scaled(raw, [Fraction(bool(weight)) for weight in raw.weights], COARSE, least=COARSE)
        off = math.ceil(max(1, sum(raw.weights)))  # the largest error of a norm, if each column has an error below 1
        return replace(scale, slack=off if scale.slack else 0)

    @classmethod
    def _scaled(cls, raw: Relational, weights: Sequence[Fraction], finest: int, least: int = 1) -> NcpScale:
        """Return the scale with the exact unit, or a multiple of it up to ``least``. No unit is above ``finest``."""
        shares = [weight / attribute.denominator for attribute, weight in zip(raw.attributes, weights, strict=True)]
        exact = math.lcm(*(share.denominator for share in shares))
        exact *= max(1, least // exact)
        most = max(1, math.ceil(sum(weights))) * max(1, len(raw))  # the cost of all records if each loses everything
        unit = min(exact, finest, 2**61 // most)
        points, codes = zip(*map(_dense, raw.values), strict=True)
        scales = [
            attribute.cost_scale(places, share * unit)
            for attribute, places, share in zip(raw.attributes, points, shares, strict=True)
        ]
        slack = 0 if exact == unit else len(scales)
        return cls(list(codes), scales, unit, slack)

    def total(self, cluster_of: Counts) -> int:
        """The cost of all rows in these clusters."""
        sizes = np.bincount(cluster_of).tolist()
        return sum(
            size * cost
            for scale, codes in zip(self.scales, self.codes, strict=True)
            for size, cost in zip(sizes, scale.costs_of(codes, cluster_of), strict=True)
        )

    def most(self, share: float, rows: int) -> int:
        """Return the largest total cost of this many rows that is certainly not above a mean NCP."""
        return math.floor(Fraction(str(share)) * rows * self.unit) - self.slack * rows


def _dense(values: AxisValues) -> tuple[Counts, Codes]:
    """Return the different places that occur, ascending, and the rank of each row's place among them."""
    used = values.used
    points, rank = np.unique(values.low[used], return_inverse=True)
    code_of = np.zeros(len(values.low), dtype=np.int32)
    code_of[used] = rank
    return points, code_of[values.of]
