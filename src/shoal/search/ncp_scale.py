"""NCP of clusters in whole numbers, so that a search compares costs exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.relational import Relational
from shoal.data.scales import Scale

FINEST = 2**40  # the largest unit; and the costs of all rows must fit 63 bits
COARSE = 2**20  # the same where costs are squared, and the squares weighted


@dataclass(frozen=True, eq=False)
class NcpScale:
    """The quasi-identifiers in dense codes, and what it costs to publish some codes together.

    ``unit`` is the cost of a record whose NCP is 1. It is the least common denominator of all penalties, so that costs
    are exact; where that is beyond ``FINEST``, costs are rounded, by less than ``slack`` for a record.

    >>> from shoal.data.ordered import OrderedAttribute
    >>> ages = np.array([19, 22, 70])
    >>> ncp = NcpScale.of(Relational((OrderedAttribute("age", 19, 70),), (ages,), (ages,)))
    >>> ncp.unit, ncp.codes[0].tolist(), ncp.scales[0].costs.tolist(), ncp.slack
    (51, [0, 1, 2], [0, 3, 51], 0)
    """

    codes: list[Codes]  # for each attribute, the code of each row
    scales: list[Scale]
    unit: int
    slack: int

    @classmethod
    def of(cls, raw: Relational) -> NcpScale:
        """For the original values."""
        return cls._scaled(raw, raw.weights, FINEST)

    @classmethod
    def unweighted(cls, raw: Relational) -> NcpScale:
        """What each column costs by itself, all of them in the same unit; a column of weight 0 costs nothing.

        Units are near ``COARSE``: such that squares fit, and that roots of their sums are precise.
        """
        scale = cls._scaled(raw, [Fraction(bool(weight)) for weight in raw.weights], COARSE, least=COARSE)
        off = math.ceil(max(1, sum(raw.weights)))  # no norm of the columns is off by more, if none of them is by 1
        return replace(scale, slack=off if scale.slack else 0)

    @classmethod
    def _scaled(cls, raw: Relational, weights: Sequence[Fraction], finest: int, least: int = 1) -> NcpScale:
        """With the exact unit, or with a multiple of it up to ``least``; none is above the finest."""
        shares = [weight / attribute.denominator for attribute, weight in zip(raw.attributes, weights, strict=True)]
        exact = math.lcm(*(share.denominator for share in shares))
        exact *= max(1, least // exact)
        most = max(1, math.ceil(sum(weights))) * max(1, len(raw))  # records that lose all that they can
        unit = min(exact, finest, 2**61 // most)
        points, codes = zip(*(np.unique(low, return_inverse=True) for low in raw.low), strict=True)
        scales = [
            attribute.cost_scale(places, share * unit)
            for attribute, places, share in zip(raw.attributes, points, shares, strict=True)
        ]
        slack = 0 if exact == unit else len(scales)
        return cls([code.astype(np.int32) for code in codes], scales, unit, slack)

    def total(self, cluster_of: Counts) -> int:
        """What all rows cost in these clusters."""
        sizes = np.bincount(cluster_of).tolist()
        return sum(
            size * cost
            for scale, codes in zip(self.scales, self.codes, strict=True)
            for size, cost in zip(sizes, scale.costs_of(codes, cluster_of), strict=True)
        )

    def most(self, share: float, rows: int) -> int:
        """The greatest sum of costs over so many rows that is certainly not above a mean NCP."""
        return math.floor(Fraction(str(share)) * rows * self.unit) - self.slack * rows
