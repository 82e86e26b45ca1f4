"""The optimal global cut, proved (optimum.md): what OA finds on 60 items, on tens of thousands.

A cut is a set of expanded nodes; rare sets of labels are clauses on it, found lazily and made as strong as they can be;
OR-Tools CP-SAT solves the clauses known so far, whose optimum bounds every cut (:mod:`shoal.search.exact`). For models
that are not monotone clauses say less, but enough (:mod:`shoal.search.non_monotone`).

Cost: exponential at worst, as the problem is; on real data a few countings at a cut. Memory: proportional to the rows
with all their generalizations.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import ExactAlgorithm
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm


@dataclass(frozen=True)
class Optimal(ExactAlgorithm):
    """Exact: searches until no cut of the hierarchy can lose less; keeps a lower bound on the way."""

    name = "optimal"
    title = "Provable optimum"
    paper = "ours; the problem is that of P0, P3"
    solves = (Km, Lm, KmNegative)
    needs_proof = True
