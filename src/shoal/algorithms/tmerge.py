"""Tum-bound (P2 s.4) with TmergeR, TmergeT, TmergeRT: as little loss in the columns as a bound on the sets allows.

Clusters of similar values are formed and merged until the loss of the sets (UL, each cluster generalized by itself) is
within delta; merging mostly lowers it. Seeds and partners are chosen as in Rum-bound, by the same choice of Rum, but
every merge is accepted. If not even one cluster meets the bound, that is an error which tells the best that was met;
unless delta is given, the best state is taken instead.

Cost: as Rum-bound, and the sets of every union are generalized on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.algorithms.base import FormingAlgorithm, rum_option, within_option
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clusters import By
from shoal.search.tum_bound import merge_until_bound

DELTA = 0.65  # unless given: P2's


@dataclass(frozen=True)
class Tmerge(FormingAlgorithm):
    """The three ways to choose a partner, in one."""

    by: ClassVar[By]

    delta: float | Literal["auto"] = option(
        "auto",
        low=0,
        high=1,
        words=("auto",),
        help="the most that may be lost in the sets (UL); auto: 0.65, or the least",
    )
    within: Literal["best", "sets", "sets-ul", "aa", "optimal"] = within_option("sets")
    distance: Literal["btd", "ul"] = option(
        "btd", words=("btd", "ul"), help="how sets are compared: by bits, or by the loss of their union (slow)"
    )
    rum: Literal["ncp", "l2", "max", "discernibility", "class-size"] = rum_option()

    def search(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Form clusters, merge them until the bound is met, generalize their sets."""
        within = self.generalizer(problem)
        exact = within.quick if self.distance == "ul" else None
        clusters, statistics = self.formed(problem, engine, by=self.by, rum=self.rum, within=exact)
        before = len(clusters)
        auto = self.delta == "auto"
        rows = merge_until_bound(clusters, within, DELTA if auto else float(self.delta), engine, nearest=auto)
        return self.finished(problem, rows, engine, {**statistics, "merges": before - len(rows)})


@dataclass(frozen=True)
class TmergeR(Tmerge):
    """Bounded loss in the sets: merges clusters with similar values."""

    name = "tmerge-r"
    title = "TmergeR"
    paper = "P2 s.4"
    by = "r"


@dataclass(frozen=True)
class TmergeT(Tmerge):
    """Bounded loss in the sets: merges clusters with similar sets."""

    name = "tmerge-t"
    title = "TmergeT"
    paper = "P2 s.4"
    by = "t"


@dataclass(frozen=True)
class TmergeRT(Tmerge):
    """Bounded loss in the sets: merges clusters with similar values and sets."""

    name = "tmerge-rt"
    title = "TmergeRT"
    paper = "P2 s.4"
    by = "rt"
