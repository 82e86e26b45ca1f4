"""mHgHs (P4 s.4): HgHs in rounds, for sets of 1 label, then 2, .. up to m.

A round goes no deeper than the cut of the round before, so that most of what it would have to count does not exist any
more; what is suppressed is decided anew in each. Rounds end as soon as no set of any size is too rare, unless all are
asked for. See :mod:`shoal.search.suppression`.

Cost: as that of HgHs, on a hierarchy that shrinks from round to round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import SuppressingAlgorithm, TreeAlgorithm
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.suppression import mhghs


@dataclass(frozen=True)
class MHgHs(SuppressingAlgorithm, TreeAlgorithm):
    """Greedy, top-down: generalization and total suppression of items, level by level."""

    name = "mhghs"
    title = "Multi-round generalization with suppression"
    paper = "P4 s.4"
    solves = (Km,)
    reveals = "certainty"

    rounds: Literal["needed", "all"] = option(
        "needed", words=("needed", "all"), help="end once no set of any size is too rare, or go on up to m as the paper"
    )

    def search(self, problem: Prepared[Km], engine: Engine) -> Solution:
        """Walk down from the root, once for each size of sets."""
        return mhghs(problem, self.limits(problem), engine, rounds=self.rounds)
