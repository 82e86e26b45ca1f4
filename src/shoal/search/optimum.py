"""The best cut within a time limit, by the exact search that fits the model."""

from __future__ import annotations

from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding.solution import CutSolution
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.non_monotone import NonMonotoneSearch


def best_cut(problem: Prepared[ItemsetModel], engine: Engine, clock: Clock, *, needs_proof: bool) -> CutSolution:
    """Search until the cut is proved optimal or time is up.

    ``needs_proof``: fail if the solver is not installed. Otherwise go on without a proof.
    """
    search = ExactSearch if problem.model.demand(problem.items).monotone else NonMonotoneSearch
    return search(problem, engine, clock).run(needs_proof=needs_proof)
