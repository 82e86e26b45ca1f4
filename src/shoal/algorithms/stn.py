"""STN, Sensitive Transaction Neighbors (P1 s.4.1), for sensitive k-anonymity.

Sensitive rows in ascending number of sensitive items (ties: input order) each take their k - 1 nearest unused rows
without sensitive items, by Hamming distance on what may be known (ties: input order); flips make each such group the
same. When rows without sensitive items run out, the next seed takes what is left of them, then the nearest unused
sensitive rows; with fewer than k rows left, the remaining sensitive ones join the most similar finished group. With
``shortage="merge"``, P1's own rule, all seeds that are left join when rows without sensitive items run out. Data that
satisfy the model as they are stay as they are.

Cost: for each sensitive row, one look at all others, either 64 items at a time or along the lists of rows that hold its
items, whichever is cheaper; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import FlippingAlgorithm
from shoal.engines import Engine
from shoal.models.sensitive_k import SensitiveK
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.neighbours import SHORTAGE_HELP, SHORTAGES, fewest_sensitive_first, nearest_first


@dataclass(frozen=True)
class STN(FlippingAlgorithm):
    """Each record with sensitive items, those with the fewest first, takes its nearest records without any."""

    name = "stn"
    title = "Sensitive transaction neighbors (STN)"
    paper = "P1 s.4.1"
    solves = (SensitiveK,)

    shortage: Literal["fill", "merge"] = option("fill", words=SHORTAGES, help=SHORTAGE_HELP)

    def solve(self, problem: Prepared[SensitiveK], engine: Engine) -> Solution:
        """Group, nearest first."""
        seeds = fewest_sensitive_first(problem)
        return nearest_first(problem, seeds, engine, candidates="nonsensitive", shortage=self.shortage)
