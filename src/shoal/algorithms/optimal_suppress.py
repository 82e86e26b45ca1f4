"""The best cut and the best suppression of labels together, proved (optimum.md s.5): HgHs's space, searched exactly.

Outliers need not blur everybody: suppressing a few rare items can spare many others from being generalized. Which ones
is one problem with the cut, and :mod:`shoal.search.joint` solves it. Given time, never worse than mHgHs nor
than the best cut alone in the loss that is minimised.

Cost: exponential at worst, as the problem is; on real data a few countings at a cut and some rounds of the solver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from shoal.algorithms import SuppressingAlgorithm, TreeAlgorithm
from shoal.engines import Engine
from shoal.options import option
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem
from shoal.search.clock import Clock
from shoal.search.joint import JointSearch
from shoal.solution import Solution


@dataclass(frozen=True)
class OptimalSuppress(SuppressingAlgorithm, TreeAlgorithm):
    """Exact: generalizes and suppresses so that nothing within the limits can lose less; with a lower bound."""

    name = "optimal-suppress"
    title = "Provable optimum with suppression"
    paper = "ours; the problem is that of P4"
    solves = (KmAnonymity,)

    time_limit: float | Literal["none"] = option(
        120.0,
        low=0,
        words=("none",),
        help="Seconds to search for a better result and bound. The first safe result may take longer.",
    )

    def search(self, problem: Problem, engine: Engine) -> Solution:
        """Search until it is proved, or time is up."""
        seconds = math.inf if self.time_limit == "none" else float(self.time_limit)
        return JointSearch(problem, self.limits(problem), engine, Clock(seconds)).run()
