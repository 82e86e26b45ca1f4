"""The best cut and the best suppression of labels together, proved (optimum.md s.5): HgHs's space, searched exactly.

Outliers need not blur everybody: suppressing a few rare items can spare many others from being generalized. Which ones
is one problem with the cut, and :mod:`shoal.search.cut_suppression` solves it. Given time, never worse than mHgHs nor
than the best cut alone in the loss that is minimised.

Cost: exponential at worst, as the problem is; on real data a few countings at a cut and some rounds of the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import SuppressingAlgorithm, TimedAlgorithm, time_limit_option
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clock import Clock
from shoal.search.cut_suppression import CutSuppressionSearch


@dataclass(frozen=True)
class OptimalSuppress(SuppressingAlgorithm, TimedAlgorithm):
    """Exact: generalizes and suppresses so that nothing within the limits can lose less; with a lower bound."""

    name = "optimal-suppress"
    title = "Provable optimum with suppression"
    paper = "ours; the problem is that of P4"
    solves = (Km,)
    reveals = "certainty"

    time_limit: float | Literal["none"] = time_limit_option(120.0)

    def timed(self, problem: Prepared[Km], engine: Engine, clock: Clock) -> Solution:
        """Search for the best cut and suppression."""
        return CutSuppressionSearch(problem, self.limits(problem), engine, clock).run()
