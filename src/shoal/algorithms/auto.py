"""The default: the exact search within a time limit (:mod:`shoal.algorithms.optimal`).

Where OR-Tools is not installed it takes the better of the greedy descent and AA, polished, and a bound that knows of
single nodes only: almost never a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms import Algorithm
from shoal.engines import Engine
from shoal.options import option
from shoal.privacy.km import KmAnonymity
from shoal.privacy.km_negative import KmNegative
from shoal.privacy.lm import LmDiversity
from shoal.problem import Problem
from shoal.search.optimum import best_cut
from shoal.solution import Solution


@dataclass(frozen=True)
class Auto(Algorithm):
    """The best cut that can be found in a given time, with a certified bound on what any cut must lose."""

    name = "auto"
    title = "Exact within a time limit"
    paper = "ours; the problem is that of P0, P3"
    solves = (KmAnonymity, LmDiversity, KmNegative)

    time_limit: float | Literal["none"] = option(
        60.0, low=0, words=("none",), help="seconds after which the search for a better cut and bound ends"
    )

    def solve(self, problem: Problem, engine: Engine) -> Solution:
        """Search until it is proved, or time is up."""
        return best_cut(problem, engine, self.time_limit, needs_proof=False)
