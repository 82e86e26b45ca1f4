"""HgHs (P4 s.3): generalize by a cut of the hierarchy, and suppress what is still too rare.

A greedy walk from the root towards the leaves, see :mod:`shoal.search.suppression`. It weighs up, label by label, what
generalization costs against what suppression costs; either can win.

Cost: time that of counting the sets of up to m labels at the cuts next to the walk; memory the sets found to be too
rare. Both grow fast with m: for large m take mHgHs.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import SuppressingAlgorithm, TreeAlgorithm
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.suppression import hghs


@dataclass(frozen=True)
class HgHs(SuppressingAlgorithm, TreeAlgorithm):
    """Greedy, top-down: generalization and total suppression of items, all sizes of sets at once."""

    name = "hghs"
    title = "Heuristic generalization with heuristic suppression"
    paper = "P4 s.3"
    solves = (Km,)
    reveals = "certainty"

    def search(self, problem: Prepared[Km], engine: Engine) -> Solution:
        """Walk down from the root."""
        return hghs(problem, self.limits(problem), engine)
