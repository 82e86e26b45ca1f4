"""Generalizes the sets of one cluster: the transaction generalization function T of Poulis et al. 2013."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

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
from shoal.options import option
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import GlobalCut, LocalCuts, LocalSets, Recoding
from shoal.recoding.sets import ChunkSets, present
from shoal.search.clock import Clock
from shoal.search.direct import CutInput, level_by_level
from shoal.search.grouped_sets import GroupedSets
from shoal.search.optimum import best_cut

STEPS = 2**40  # number of steps in which a UL of 1 is counted
Method = Literal["best", "sets", "sets-ul", "aa", "optimal"]
METHODS: tuple[Method, ...] = ("best", "sets", "sets-ul", "aa", "optimal")
EFFORT, MOST_WORK = 5_000, 2_000_000_000  # work for each item of a record, and in total; some 100 million take a second


def within_option(default: Method) -> Any:
    """Declare the option for how the sets of clusters are generalized."""
    return option(
        default,
        words=METHODS,
        help="How the sets of a cluster are generalized: to sets of items such as (A,B) (best, sets, sets-ul), or by "
        "the hierarchy (aa, optimal).",
    )


@dataclass(frozen=True, eq=False)
class SetGeneralizer:
    """Generalizes sets by a cut of the hierarchy from AA, by the best cut, or to sets of items without a hierarchy.

    Sets of items are merged where that adds least to the loss of the problem; with "sets-ul", as in the paper, where it
    adds least to UL. With "best", the best of such sets, of groups of siblings and of groups by frequency is regrouped
    (:mod:`shoal.search.grouped_sets`).
    """

    problem: Prepared[ItemsetModel]
    method: Method
    unchanged_weight: float = 0.0  # with "best", the extra cost of an item that is not published as itself
    effort: int = EFFORT  # with "best", the annealing work for each item of a record

    def __post_init__(self) -> None:
        """Refuse impossible combinations before the search starts."""
        model = self.problem.model
        if self.method == "optimal" and not model.demand(self.problem.items).monotone:
            raise OptionError(f"within='optimal' is for the model k-km, not for {model.name}: choose 'aa' or 'sets'.")
        hierarchy = self.problem.hierarchy
        if self.uses_hierarchy and hierarchy.is_flat and hierarchy.n_leaves > 1 and hierarchy.name == NO_HIERARCHY:
            raise OptionError(
                f"within={self.method!r} needs a hierarchy of the items: pass hierarchy=, or choose within='sets'."
            )

    @property
    def uses_hierarchy(self) -> bool:
        """Whether labels are nodes of the hierarchy."""
        return self.method in ("aa", "optimal")

    @property
    def quick(self) -> SetGeneralizer:
        """Return a faster generalizer with similar results, to compare clusters."""
        return replace(self, effort=0)

    def lost(self, recoding: Recoding) -> tuple[int, int]:
        """Return the loss of the sets, in the loss that is minimised, and what it is a share of."""
        problem = self.problem
        compared = Comparison(Published.plain(problem.items), recoding.apply(problem.items))
        return problem.loss.total(compared, problem.item_weights)

    def recoding(self, clusters: Sequence[Counts], engine: Engine) -> LocalCuts | LocalSets:
        """Generalize all clusters, each by itself, in parallel."""
        cluster_of = part_of(clusters, len(self.problem.items))
        if not self.uses_hierarchy:
            return LocalSets.of_chunks(engine.map("generalizing sets", self._sets, clusters), cluster_of)
        return LocalCuts(tuple(engine.map("generalizing sets", self._cut, clusters)), cluster_of)

    def loss(self, rows: Counts, engine: Engine) -> int:
        """Return the sum of UL over the records of a generalized cluster, in steps, so that equal losses are equal."""
        recoding: Recoding
        if not self.uses_hierarchy:
            recoding = LocalSets.of_chunks([self._sets(rows, engine)], np.zeros(len(rows), dtype=np.int64))
        else:
            recoding = self._cut(rows, engine)
        return int(np.rint(record_losses(recoding.apply(self.problem.items.take(rows))) * STEPS).sum())

    def _cut(self, rows: Counts, engine: Engine) -> GlobalCut:
        """Return the cut for the sets of a cluster."""
        if self.method == "optimal":
            return self._best(rows, engine)
        repaired = level_by_level(self._cut_input(rows), self.problem.model, engine)
        return GlobalCut.raising(self.problem.hierarchy, repaired.raised)

    def _cut_input(self, rows: Counts) -> CutInput:
        """Return the rows, with the cost of each node of the hierarchy for them."""
        part = self.problem.take(rows)
        return CutInput(part.items, part.sensitive, part.hierarchy, part.costs)

    def _best(self, rows: Counts, engine: Engine) -> GlobalCut:
        """Return the cut that loses least."""
        demand = self.problem.model.demand(self.problem.items)
        part = self.problem.take(rows).under(Km(k=demand.k, m=max(1, demand.known)))
        solution = best_cut(part, engine, Clock.of("none"), needs_proof=True)
        if solution.optimality is not None and solution.optimality.ended == "interrupted":
            raise KeyboardInterrupt  # the best so far of a single cluster is useless
        return solution.recoding

    def _sets(self, rows: Counts, engine: Engine) -> ChunkSets:
        """Return the items that occur, and the smallest item of the set of each."""
        return present(self._first_of(rows, engine))

    def _first_of(self, rows: Counts, engine: Engine) -> Codes:
        """Return the smallest item of the set of each item, or -1 for items that do not occur."""
        part = self.problem.take(rows)
        several = np.count_nonzero(part.items.supports) > 1
        if self.method != "best" or not several or not part.model.demand(part.items).monotone:
            return self._merged(part, engine)
        grouped = GroupedSets(part, self.unchanged_weight, engine)
        if not self.effort:
            return grouped.quick()
        share = min(1.0, MOST_WORK / max(1, self.effort * self.problem.items.total_items))
        return grouped.best(self._merged(part, engine), int(share * self.effort * part.items.total_items))

    def _merged(self, part: Prepared[ItemsetModel], engine: Engine) -> Codes:
        """Merge items into sets where that adds least loss."""
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
                f"set: a sensitive value is too frequent among the records with any other item. Choose a smaller l, or "
                f"do not declare the value sensitive."
            )
        return first_of
