"""The sets of one cluster, generalized by themselves: P2's transaction generalization function T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shoal.data.arrays import Codes, Counts, part_of
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.kernels.search.clusters.merge_until_safe import merge_until_safe
from shoal.metrics.comparison import Comparison
from shoal.metrics.ul import record_losses
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import GlobalCut, LocalCuts, LocalSets, Recoding
from shoal.search.clock import Clock
from shoal.search.direct import CutInput, level_by_level
from shoal.search.grouped_sets import GroupedSets
from shoal.search.optimum import best_cut

STEPS = 2**40  # that a UL of 1 is counted in
Method = Literal["best", "sets", "sets-ul", "aa", "optimal"]
METHODS: tuple[Method, ...] = ("best", "sets", "sets-ul", "aa", "optimal")
EFFORT, MOST_WORK = 5_000, 2_000_000_000  # for each item of a record, and for all; some 100 million take a second


@dataclass(frozen=True, eq=False)
class SetGeneralizer:
    """T for one problem: a cut of the hierarchy by AA, the best cut, or sets without a hierarchy.

    Sets are joined where that adds least to the loss of the problem; with "sets-ul", as in P2, least to UL. With "best"
    the best of such sets, of groups of siblings and of groups by frequency is regrouped
    (:mod:`shoal.search.grouped_sets`).
    """

    problem: Prepared[ItemsetModel]
    method: Method
    unchanged_weight: float = 0.0  # with "best", what an item costs that is not published as itself, beside its loss
    effort: int = EFFORT  # with "best", the work of regrouping for each item of a record

    def __post_init__(self) -> None:
        """Refuse what cannot be done, before any work."""
        model = self.problem.model
        if self.method == "optimal" and not model.demand(self.problem.items).monotone:
            raise OptionError(f"--within optimal is for the model k-km, not for {model.name}: choose aa or sets.")
        hierarchy = self.problem.hierarchy
        if self.uses_hierarchy and hierarchy.is_flat and hierarchy.n_leaves > 1 and hierarchy.name == NO_HIERARCHY:
            raise OptionError(
                f"--within {self.method} needs the hierarchy of the items: give --hierarchy FILE, or choose sets."
            )

    @property
    def uses_hierarchy(self) -> bool:
        """Whether labels are nodes of the hierarchy."""
        return self.method in ("aa", "optimal")

    @property
    def quick(self) -> SetGeneralizer:
        """One that tells about as much of clusters, sooner."""
        return replace(self, effort=0)

    def share(self, recoding: Recoding) -> float:
        """What the sets lose, in the loss that is minimised."""
        problem = self.problem
        compared = Comparison(Published.plain(problem.items), recoding.apply(problem.items))
        total, scale = problem.loss.total(compared, problem.item_weights)
        return total / scale

    def recoding(self, clusters: Sequence[Counts], engine: Engine) -> LocalCuts | LocalSets:
        """All clusters, each by itself, in parallel."""
        cluster_of = part_of(clusters, len(self.problem.items))
        if not self.uses_hierarchy:
            return LocalSets(tuple(engine.map("generalizing sets", self._sets, clusters)), cluster_of)
        return LocalCuts(tuple(engine.map("generalizing sets", self._cut, clusters)), cluster_of)

    def loss(self, rows: Counts, engine: Engine) -> int:
        """The sum of UL over the records of a cluster, once generalized, in steps: so that equal losses are equal."""
        recoding: Recoding
        if not self.uses_hierarchy:
            recoding = LocalSets((self._sets(rows, engine),), np.zeros(len(rows), dtype=np.int64))
        else:
            recoding = self._cut(rows, engine)
        return int(np.rint(record_losses(recoding.apply(self.problem.items.take(rows))) * STEPS).sum())

    def _cut(self, rows: Counts, engine: Engine) -> GlobalCut:
        """The cut that the sets of a cluster are published at."""
        if self.method == "optimal":
            return self._best(rows, engine)
        repaired = level_by_level(self._cut_input(rows), self.problem.model, engine)
        return GlobalCut.raising(self.problem.hierarchy, repaired.raised)

    def _cut_input(self, rows: Counts) -> CutInput:
        """The rows, with what each node of the hierarchy costs for them."""
        part = self.problem.take(rows)
        return CutInput(part.items, part.sensitive, part.hierarchy, part.costs)

    def _best(self, rows: Counts, engine: Engine) -> GlobalCut:
        """The cut that loses least."""
        demand = self.problem.model.demand(self.problem.items)
        part = self.problem.take(rows).under(Km(k=demand.k, m=max(1, demand.known)))
        solution = best_cut(part, engine, Clock.of("none"), needs_proof=True)
        if solution.optimality is not None and solution.optimality.ended == "interrupted":
            raise KeyboardInterrupt  # one cluster's best so far is of no use
        return solution.recoding

    def _sets(self, rows: Counts, engine: Engine) -> Codes:
        """For each item the smallest one of its set; -1 for items that do not occur."""
        part = self.problem.take(rows)
        several = np.count_nonzero(part.items.supports) > 1
        if self.method != "best" or not several or not part.model.demand(part.items).monotone:
            return self._merged(part, engine)
        grouped = GroupedSets(part, self.unchanged_weight, engine)
        if not self.effort:
            return grouped.quick()
        share = min(1.0, MOST_WORK / max(1, self.effort * len(self.problem.items.items)))
        return grouped.best(self._merged(part, engine), int(share * self.effort * len(part.items.items)))

    def _merged(self, part: Prepared[ItemsetModel], engine: Engine) -> Codes:
        """Sets that are joined where that adds least loss."""
        items, hidden, model = part.items, part.sensitive, part.model
        demand = model.demand(items)
        cost = {}
        if self.method != "sets-ul":
            n = len(items.labels)
            penalties = part.loss.penalty(np.maximum(1, np.arange(n + 1)), n)
            cost = {"occurrences": part.occurrences[:n], "penalties": penalties.astype(np.int64)}
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
            persons=items.repeaters,
            **cost,
            tick=engine.tick("generalizing sets"),
        )
        if first_of is None:
            raise Infeasible(
                f"{model.short} cannot be reached in a cluster of {len(items):,} records, even with all items in one "
                f"set: among those with any item that is not sensitive, a sensitive value is too frequent: choose a "
                f"smaller l, or do not declare it sensitive."
            )
        return first_of
