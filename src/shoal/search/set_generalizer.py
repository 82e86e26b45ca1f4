"""The sets of one cluster, generalized by themselves: P2's transaction generalization function T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.data.arrays import Codes, Counts, part_of
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.kernels.search.clusters.merge_until_safe import merge_until_safe
from shoal.metrics.ul import record_losses
from shoal.privacy import ItemsetModel
from shoal.privacy.km import KmAnonymity
from shoal.problem import Prepared
from shoal.recoding import GlobalCut, LocalCuts, LocalSets, Recoding
from shoal.search.clock import Clock
from shoal.search.direct import CutInput, level_by_level
from shoal.search.optimum import best_cut

STEPS = 2**40  # that a UL of 1 is counted in
Method = Literal["aa", "optimal", "sets"]


@dataclass(frozen=True, eq=False)
class SetGeneralizer:
    """T for one problem: a cut of the hierarchy by AA, the best cut, or sets without a hierarchy."""

    problem: Prepared[ItemsetModel]
    method: Method

    def __post_init__(self) -> None:
        """Refuse what cannot be done, before any work."""
        privacy = self.problem.privacy
        if self.method == "optimal" and not privacy.demand(self.problem.items).monotone:
            raise OptionError(f"--within optimal is for the model k-km, not for {privacy.name}: choose aa or sets.")
        hierarchy = self.problem.hierarchy
        if self.method != "sets" and hierarchy.is_flat and hierarchy.n_leaves > 1 and hierarchy.name == NO_HIERARCHY:
            raise OptionError(
                f"--within {self.method} needs the hierarchy of the items: give --hierarchy FILE, or choose sets."
            )

    def recoding(self, clusters: Sequence[Counts], engine: Engine) -> LocalCuts | LocalSets:
        """All clusters, each by itself, in parallel."""
        cluster_of = part_of(clusters, len(self.problem.items))
        if self.method == "sets":
            return LocalSets(tuple(engine.map("generalizing sets", self._sets, clusters)), cluster_of)
        return LocalCuts(tuple(engine.map("generalizing sets", self._cut, clusters)), cluster_of)

    def loss(self, rows: Counts, engine: Engine) -> int:
        """The sum of UL over the records of a cluster, once generalized, in steps: so that equal losses are equal."""
        recoding: Recoding
        if self.method == "sets":
            recoding = LocalSets((self._sets(rows, engine),), np.zeros(len(rows), dtype=np.int64))
        else:
            recoding = self._cut(rows, engine)
        return int(np.rint(record_losses(recoding.apply(self.problem.items.take(rows))) * STEPS).sum())

    def _cut(self, rows: Counts, engine: Engine) -> GlobalCut:
        """The cut that the sets of a cluster are published at."""
        if self.method == "optimal":
            return self._best(rows, engine)
        repaired = level_by_level(self._cut_input(rows), self.problem.privacy, engine)
        return GlobalCut.raising(self.problem.hierarchy, repaired.raised)

    def _cut_input(self, rows: Counts) -> CutInput:
        """The rows, with what each node of the hierarchy costs for them."""
        problem = self.problem
        items = problem.items.take(rows)
        supports = items.supports if problem.item_weights is None else items.supports * problem.item_weights
        sums = np.concatenate([[0], np.cumsum(supports)])
        span = problem.hierarchy.span
        costs = problem.loss.node_costs(problem.hierarchy, sums[span[:, 1]] - sums[span[:, 0]])
        return CutInput(items, problem.sensitive.take(rows), problem.hierarchy, costs)

    def _best(self, rows: Counts, engine: Engine) -> GlobalCut:
        """The cut that loses least."""
        demand = self.problem.privacy.demand(self.problem.items)
        part = self.problem.take(rows).under(KmAnonymity(k=demand.k, m=max(1, demand.known)))
        solution = best_cut(part, engine, Clock.of("none"), needs_proof=True)
        if solution.optimality is not None and solution.optimality.ended == "interrupted":
            raise KeyboardInterrupt  # one cluster's best so far is of no use
        return solution.recoding

    def _sets(self, rows: Counts, engine: Engine) -> Codes:
        """For each item the smallest one of its set; sets are joined where that raises UL least."""
        items, hidden = self.problem.items.take(rows), self.problem.sensitive.take(rows)
        privacy = self.problem.privacy
        demand = privacy.demand(items)
        first_of = merge_until_safe(
            items.indptr,
            items.items,
            len(items.labels),
            hidden.indptr,
            hidden.items,
            len(hidden.labels),
            demand.k,
            demand.one_in,
            demand.known,
            tick=engine.tick("generalizing sets"),
        )
        if first_of is None:
            raise Infeasible(
                f"{privacy.short} cannot be reached in a cluster of {len(rows):,} records, even with all items in one "
                f"set: among those with any item that is not sensitive, a sensitive value is too frequent: choose a "
                f"smaller l, or do not declare it sensitive."
            )
        return first_of
