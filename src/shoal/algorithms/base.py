"""Algorithms: one file each (or a small family), named as its paper names it. They turn a Problem into a Solution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from shoal.data.arrays import Counts, part_of
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.models.base import ItemsetModel, PrivacyModel
from shoal.models.k import K
from shoal.models.k_km import KKm
from shoal.models.k_lm import KLm
from shoal.options import Spec, option
from shoal.problem import Prepared
from shoal.recoding import Clustered
from shoal.recoding.solution import ClusteredSolution, CutSolution, Solution
from shoal.search.clock import Clock
from shoal.search.clusters import By, Clusters
from shoal.search.formation import FORMATIONS, united, whole_persons
from shoal.search.limits import Limits
from shoal.search.ncp_scale import NcpScale
from shoal.search.optimum import best_cut
from shoal.search.parted import must_part, safe_clusters
from shoal.search.polish import polished
from shoal.search.rum import RUMS, Rum
from shoal.search.set_generalizer import METHODS, Method, SetGeneralizer
from shoal.search.siblings import WORDS, best_grouping, with_siblings


class Algorithm(Spec, ABC):
    """A method that finds a recoding which satisfies a privacy model."""

    title: ClassVar[str]
    paper: ClassVar[str]
    solves: ClassVar[tuple[type[PrivacyModel], ...]]
    suppresses: ClassVar[bool] = False  # may remove items from every record
    cuts: ClassVar[bool] = False  # one cut of the hierarchy for all records: it can be compared with the best cut
    truthful: ClassVar[bool] = True  # publishes nothing that is not in the data; else it adds or moves items
    generalizes: ClassVar[bool] = True  # replaces items by groups
    needs_hierarchy: ClassVar[bool] = True  # of the items
    # How surely an attacker who knows the method found a record where all originals of a tiny domain were tried
    # (docs/concepts/minimality.md): "certainty", "a probability of 2/3"; empty: no surer than 1/k, or it was not tried.
    reveals: ClassVar[str] = ""
    keeps_more: ClassVar[tuple[str, ...]] = ()  # options with which more items stay unchanged, in words

    @property
    def groups_siblings(self) -> bool:
        """Whether it may publish groups of siblings of the hierarchy."""
        return False

    @property
    def regroups_siblings(self) -> bool:
        """Whether it looks for the best groups of siblings."""
        return False

    @property
    def suppression_limits(self) -> tuple[float, frozenset[str]]:
        """The percentage of items that it may remove, and what it may not; as far as it removes any."""
        return 100.0, frozenset()

    def feasible(self, problem: Prepared[Any]) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if there is no solution of this kind, before any work."""
        problem.model.feasible(problem.original)

    @abstractmethod
    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the recoding. Only :func:`shoal.anonymize` applies and publishes it."""


@dataclass(frozen=True)
class TreeAlgorithm(Algorithm):
    """An algorithm that publishes nodes of a hierarchy. With groups between siblings it can publish those, too."""

    siblings: str = option(
        "none",
        words=WORDS,
        file=True,
        help="groups of siblings that may be published together: none, halved by label or by frequency, the best of "
        "these, or those of a FILE (a code book, or one group a line)",
    )

    @property
    def needs_hierarchy(self) -> bool:  # type: ignore[override]
        """Without one, all items are siblings below one root: of use only if siblings can be grouped."""
        return self.siblings == "none"

    @property
    def groups_siblings(self) -> bool:
        """If that is asked for."""
        return self.siblings != "none"

    @abstractmethod
    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the recoding on the hierarchy of the problem, which may have groups between siblings."""

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search with the groups that are asked for."""
        return with_siblings(problem, self.siblings, lambda part, _: self.search(part, engine), Clock.of("none"))


def time_limit_option(default: float | Literal["none"]) -> Any:
    """The option of algorithms that have a time limit."""
    return option(
        default,
        low=0,
        words=("none",),
        help="Seconds for the search. It ends at most 2 seconds later, unless the first safe result takes longer.",
    )


class TimedAlgorithm(TreeAlgorithm):
    """An algorithm with a time limit, which it declares as an option."""

    time_limit: float | Literal["none"]

    @abstractmethod
    def timed(self, problem: Prepared[Any], engine: Engine, clock: Clock) -> Solution:
        """Search until it is proved, or time is up."""

    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search, with all the time there is."""
        return self.timed(problem, engine, Clock.of(self.time_limit))

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search with the groups that are asked for; all searches share the time."""
        clock = Clock.of(self.time_limit)
        return with_siblings(problem, self.siblings, lambda part, left: self.timed(part, engine, left), clock)


@dataclass(frozen=True)
class ExactAlgorithm(TimedAlgorithm):
    """An algorithm that searches for the least loss, and regroups siblings for it where "best" is asked for."""

    needs_proof: ClassVar[bool]  # fails if the solver is not installed

    time_limit: float | Literal["none"] = time_limit_option("none")

    @property
    def regroups_siblings(self) -> bool:
        """If the best groups are asked for."""
        return self.siblings == "best"

    def timed(self, problem: Prepared[Any], engine: Engine, clock: Clock) -> Solution:
        """Search for the best cut."""
        return best_cut(problem, engine, clock, needs_proof=self.needs_proof)

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """The best grouping, or the best cut with the groups that are asked for."""
        if self.regroups_siblings:
            return best_grouping(problem, engine, Clock.of(self.time_limit), needs_proof=self.needs_proof)
        return super().solve(problem, engine)


@dataclass(frozen=True)
class SuppressingAlgorithm(Algorithm):
    """An algorithm that may remove items from every record, within the limits of the publisher."""

    suppresses = True

    max_suppressed: float = option(
        100.0, low=0, high=100, help="percent of the items of all records that may be suppressed"
    )
    never_suppress: tuple[str, ...] = option(
        (), help="items, or groups of them, never to be suppressed: a file, one a line, or a,b,c"
    )

    @property
    def suppression_limits(self) -> tuple[float, frozenset[str]]:
        """As given."""
        return self.max_suppressed, frozenset(self.never_suppress)

    def feasible(self, problem: Prepared[Any]) -> None:
        """Even data that no generalization saves can be published."""

    def limits(self, problem: Prepared[PrivacyModel]) -> Limits:
        """What the publisher allows."""
        return Limits.of(problem, self.max_suppressed, self.never_suppress)


class FlippingAlgorithm(Algorithm):
    """An algorithm that adds and deletes items: it needs no hierarchy, and what it publishes is not all true."""

    truthful = False
    generalizes = False
    needs_hierarchy = False


@dataclass(frozen=True)
class CutAlgorithm(TreeAlgorithm):
    """An algorithm whose recoding is a global cut: it can be polished."""

    cuts = True
    polish: bool = option(False, help="split groups of the found cut again wherever the guarantee still holds")

    @abstractmethod
    def cut(self, problem: Prepared[Any], engine: Engine) -> CutSolution:
        """Find the cut."""

    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """The cut, re-specialised if asked for."""
        if self.polish and not problem.model.demand(problem.items).monotone:
            raise OptionError(f"--polish is for the model km, not for {problem.model.name}: leave it out.")
        solution = self.cut(problem, engine)
        if not self.polish:
            return solution
        return replace(solution, recoding=polished(problem, solution.recoding, engine))


class ColumnAlgorithm(Algorithm):
    """An algorithm for columns alone: the way of its name to form clusters of similar records."""

    solves = (K,)
    generalizes = False  # no items
    needs_hierarchy = False

    def solve(self, problem: Prepared[K], engine: Engine) -> Solution:
        """Form clusters; the values of each become the smallest that cover them."""
        raw = problem.relational
        assert raw is not None
        form, persons = FORMATIONS[self.name], problem.items.repeaters
        cluster_of = form(raw, NcpScale.of(raw), problem.model.k, problem.seed, engine, persons)
        return Solution(Clustered(raw.generalized(cluster_of)), statistics={"clusters": int(cluster_of.max()) + 1})


def within_option(default: Method) -> Any:
    """The option of algorithms that generalize the sets of clusters."""
    return option(
        default,
        words=METHODS,
        help="how the sets of each cluster are generalized: to sets of items such as (A,B), greedily (sets), regrouped "
        "with less loss (best) or, as in P2, with little UL (sets-ul); or by a hierarchy, greedily (aa) or with the "
        "least loss (optimal)",
    )


def rum_option() -> Any:
    """The option of algorithms that merge clusters by what their columns lose."""
    return option(
        "ncp",
        words=RUMS,
        help="the loss of the columns: mean NCP, another Minkowski norm of the NCPs of the columns (l2, max), or sizes "
        "of classes as a share of all records",
    )


@dataclass(frozen=True)
class ClusteringAlgorithm(TreeAlgorithm):
    """An algorithm that publishes clusters of records with equal values, and generalizes the sets of each by itself."""

    solves = (KKm, KLm)

    within: Literal["best", "sets", "sets-ul", "aa", "optimal"] = within_option("best")
    unchanged_weight: float = option(
        0.01,
        low=0,
        high=1,
        help="for --within best: what an item that changes costs on top of its loss, as a share of the worst loss",
    )

    def generalizer(self, problem: Prepared[ItemsetModel]) -> SetGeneralizer:
        """What generalizes the sets of a cluster."""
        return SetGeneralizer(problem, self.within, self.unchanged_weight)

    @property
    def needs_hierarchy(self) -> bool:  # type: ignore[override]
        """Sets of items need none."""
        return False

    def solve(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Search with the groups that are asked for."""
        if self.siblings != "none" and self.within not in ("aa", "optimal"):
            raise OptionError(
                "--siblings is for groups of a hierarchy: choose --within aa or optimal, or leave it out."
            )
        return super().solve(problem, engine)

    def finished(
        self, problem: Prepared[ItemsetModel], clusters: Sequence[Counts], engine: Engine, statistics: dict[str, float]
    ) -> ClusteredSolution:
        """Generalize the values and the sets of each cluster."""
        assert problem.relational is not None
        cluster_of = part_of(clusters, len(problem.items))
        sets = self.generalizer(problem).recoding(clusters, engine)
        recoding = Clustered(problem.relational.generalized(cluster_of), sets)
        return ClusteredSolution(recoding, statistics={**statistics, "clusters": len(clusters)})


@dataclass(frozen=True)
class FormingAlgorithm(ClusteringAlgorithm):
    """An algorithm that forms its first clusters by the likeness of their columns."""

    formation: Literal["auto", "cluster", "mondrian"] = option(
        "auto", words=tuple(FORMATIONS), help="how the first clusters are formed; auto: in the way that loses less"
    )

    def formed(
        self,
        problem: Prepared[ItemsetModel],
        engine: Engine,
        *,
        by: By,
        rum: Rum = "ncp",
        within: SetGeneralizer | None = None,
    ) -> tuple[Clusters, dict[str, float]]:
        """The first clusters, those merged that cannot be made safe by themselves; and how many there were."""
        demand, raw = problem.model.demand(problem.items), problem.relational
        assert raw is not None
        ncp = NcpScale.of(raw)
        persons = problem.items.repeaters
        cluster_of = FORMATIONS[self.formation](raw, ncp, demand.k, problem.seed, engine, persons)
        if must_part(problem):
            clusters = safe_clusters(
                cluster_of,
                self.generalizer(problem).quick,
                engine,
                self.title,
                lambda own: Clusters(problem, ncp, own, engine, by=by, rum=rum, within=within, parted=True),
            )
            first = int(cluster_of.max()) + 1
            return clusters, {"clusters_formed": first, "clusters_joined": max(0, first - len(clusters))}
        if demand.one_in and len(persons):
            cluster_of = united(raw, whole_persons(cluster_of, persons))
        clusters = Clusters(problem, ncp, cluster_of, engine, by=by, rum=rum, within=within)
        first = len(clusters)
        return clusters, {"clusters_formed": first, "clusters_joined": clusters.merge_infeasible()}
