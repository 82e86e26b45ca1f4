"""Rfirst (P2 s.3): the columns first. Clusters with similar values, and the sets of each generalized by itself.

Loses little in the columns and much in the sets: clusters are small, and nobody asked which items their records share.
A cluster whose sets cannot be made safe by themselves, such as one with 1 to k - 1 sets that are not empty, is merged
with the one that costs least.

Cost: that of forming the clusters (:mod:`shoal.search.formation`) and of AA in each.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import FormingAlgorithm
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding.solution import Solution


@dataclass(frozen=True)
class Rfirst(FormingAlgorithm):
    """The columns first: clusters of similar values, however much their sets lose."""

    name = "rfirst"
    title = "Rfirst"
    paper = "P2 s.3"

    def search(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Form clusters, generalize their sets."""
        clusters, statistics = self.formed(problem, engine, by="r")
        return self.finished(problem, clusters.members(), engine, statistics)
