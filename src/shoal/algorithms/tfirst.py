"""Tfirst (P2 s.3): the sets first. LRA's groups of similar sets, and the values of each generalized.

Loses little in the sets and much in the columns: groups are large, and nobody asked which values their records share.
Groups that cannot be published by themselves join the next one, as LRA's do.

Cost: sorting, and that of AA in each group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms import ClusteringAlgorithm
from shoal.engines import Engine
from shoal.options import option
from shoal.privacy.k_km import KKmAnonymity
from shoal.privacy.k_lm import KLmDiversity
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clusters import Needs
from shoal.search.gray import gray_chunks, joined


@dataclass(frozen=True)
class Tfirst(ClusteringAlgorithm):
    """The sets first: groups of similar sets, however much their values lose."""

    name = "tfirst"
    title = "Tfirst"
    paper = "P2 s.3"
    reveals = "certainty"

    chunks: int = option(3, low=1, help="parts that the records are split into")
    flexibility: int = option(10, low=0, help="records that a border between chunks may move by")

    def search(self, problem: Prepared[KKmAnonymity | KLmDiversity], engine: Engine) -> Solution:
        """Split the rows in Gray order, generalize values and sets of each part."""
        privacy, items = problem.privacy, problem.items
        keep = bool(privacy.demand(items).one_in)
        split = gray_chunks(items, privacy.m, self.chunks, self.flexibility, keep_persons=keep)
        chunks = joined(split, Needs(problem).is_feasible)
        statistics: dict[str, float] = {"chunks_joined": len(split) - len(chunks)}
        return self.finished(problem, [np.sort(rows) for rows in chunks], engine, statistics)
