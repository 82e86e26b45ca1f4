"""The base classes of algorithms that form clusters of records, and the options that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from shoal.algorithms.base import Algorithm, TreeAlgorithm
from shoal.data.arrays import Counts, part_of
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.models.base import ItemsetModel
from shoal.models.k import K
from shoal.models.k_km import KKm
from shoal.models.k_lm import KLm
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding import Clustered
from shoal.recoding.solution import ClusteredSolution, Solution
from shoal.search.block_clusters import FirstClusters
from shoal.search.blocks import Block, block_rows_option, formed_in_blocks, split_into_blocks
from shoal.search.clusters import By, Clusters
from shoal.search.formation import FORMATIONS, united, whole_persons
from shoal.search.memory import fits
from shoal.search.ncp_scale import NcpScale
from shoal.search.needs import Needs
from shoal.search.parted import must_part, safe_clusters
from shoal.search.rum import Rum
from shoal.search.set_generalizer import SetGeneralizer, within_option


class ColumnAlgorithm(Algorithm):
    """An algorithm for columns alone. Its name is that of a way to form clusters (:mod:`shoal.search.formation`)."""

    solves = (K,)
    generalizes = False  # sets are not changed
    needs_hierarchy = False

    def solve(self, problem: Prepared[K], engine: Engine) -> Solution:
        """Form clusters. The values of each cluster become the smallest that cover them."""
        assert problem.relational is not None
        blocks = self.blocks(problem)
        cluster_of = formed_in_blocks(blocks, self.name, problem.model.k, engine)
        recoding = Clustered(problem.relational.generalized(cluster_of))
        return Solution(recoding, statistics={"blocks": len(blocks), "clusters": int(cluster_of.max()) + 1})

    def blocks(self, problem: Prepared[K]) -> list[Block[K]]:
        """Return the blocks that clusters are formed in: all records."""
        return [Block.only(problem)]


@dataclass(frozen=True)
class ClusteringAlgorithm(TreeAlgorithm):
    """An algorithm that publishes clusters of records with equal values. The sets of each cluster are generalized."""

    solves = (KKm, KLm)

    within: Literal["best", "sets", "sets-ul", "aa", "optimal"] = within_option("best")
    unchanged_weight: float = option(
        0.01,
        low=0,
        high=1,
        help="Extra cost of each item that changes, as a share of the worst loss. Only used if sets are generalized by "
        "'best'.",
    )

    def generalizer(self, problem: Prepared[ItemsetModel]) -> SetGeneralizer:
        """Return the object that generalizes the sets of a cluster."""
        return SetGeneralizer(problem, self.within, self.unchanged_weight)

    @property
    def needs_hierarchy(self) -> bool:  # type: ignore[override]
        """Whether it needs a hierarchy. Sets of items are published without one."""
        return self.within in ("aa", "optimal") and self.siblings == "none"

    def solve(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Search on the hierarchy with the requested groups of siblings."""
        if self.siblings != "none" and self.within not in ("aa", "optimal"):
            raise OptionError(
                f"siblings={self.siblings!r} groups nodes of a hierarchy, but within={self.within!r} does not use one: "
                f"choose within='aa' or within='optimal', or leave out siblings=."
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
    """An algorithm that forms its first clusters from records with similar columns."""

    formation: Literal["auto", "cluster", "mondrian"] = option(
        "auto",
        words=tuple(FORMATIONS),
        help="How the first clusters are formed. auto tries both ways and takes the one that loses less.",
    )

    block_rows: int = block_rows_option()
    by: ClassVar[By] = "r"

    @property
    def comparison(self) -> tuple[Rum, bool]:
        """How clusters are compared: the loss of their columns, and whether sets are compared by their exact loss."""
        return "ncp", False

    def items_at_once(self, problem: Prepared[Any], engine: Engine) -> int:
        """Return the number of items of the largest blocks, as many as are worked on at the same time.

        Blocks may be larger than ``block_rows``: equal columns cannot be split, nor may the rows of some persons.
        """
        rows = problem.items
        if fits(rows.total_items, engine):  # then the blocks need not be known
            return rows.total_items
        sizes = sorted(int(rows.sizes[block.rows].sum()) for block in self.blocks(problem))
        return sum(sizes[-engine.threads :])

    def blocks(self, problem: Prepared[ItemsetModel]) -> list[Block[ItemsetModel]]:
        """Split many records into blocks that can be made safe by themselves."""
        if len(problem.items) <= self.block_rows or must_part(problem):
            return [Block.only(problem)]
        demand = problem.model.demand(problem.items)
        feasible, keep = Needs(problem).is_feasible, bool(demand.one_in)
        return split_into_blocks(problem, self.block_rows, demand.k, fits=feasible, keep_persons=keep)

    def first_clusters(self, block: Block[ItemsetModel], engine: Engine, *, exact: bool = False) -> FirstClusters:
        """Form clusters that can be made safe by themselves. ``exact``: compute their loss without rounding errors."""
        problem = block.problem
        demand, persons, parted = problem.model.demand(problem.items), problem.items.repeaters, must_part(problem)
        cluster_of = block.formed(self.formation, demand.k, engine)
        assert problem.relational is not None
        if parted:
            quick, first = self.generalizer(problem).quick, int(cluster_of.max()) + 1
            clusters = safe_clusters(
                cluster_of, quick, engine, self.title, lambda own: self._clusters(problem, own, engine, parted=True)
            )
            joined = max(0, first - len(clusters))
        else:
            if demand.one_in and len(persons):
                cluster_of = united(problem.relational, whole_persons(cluster_of, persons))
            clusters = self._clusters(problem, cluster_of, engine)
            first, joined = len(clusters), clusters.merge_infeasible()
        loss = clusters.exact_loss if exact or block.of > 1 else Fraction(clusters.loss)
        statistics: dict[str, float] = {"clusters_formed": first, "clusters_joined": joined}
        return FirstClusters(block, clusters.members(), parted, loss, clusters.worst, statistics)

    def clusters(self, first: FirstClusters, engine: Engine) -> Clusters:
        """Return the first clusters of a block, to be merged."""
        cluster_of = part_of(first.members, len(first.block.rows))
        return self._clusters(first.block.problem, cluster_of, engine, parted=first.parted)

    def _clusters(
        self, problem: Prepared[ItemsetModel], cluster_of: Counts, engine: Engine, *, parted: bool = False
    ) -> Clusters:
        """Return clusters that are compared as this method does."""
        assert problem.relational is not None
        rum, exact = self.comparison
        within, ncp = self.generalizer(problem).quick if exact else None, NcpScale.of(problem.relational)
        return Clusters(problem, ncp, cluster_of, engine, by=self.by, rum=rum, within=within, parted=parted)
