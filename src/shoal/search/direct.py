"""Raise a cut until no set of labels violates the model: the step that DA, AA, LRA and VPA share.

For k^m-anonymity this is direct anonymization (Terrovitis et al. 2008, Alg. 3). The other models of the family are not
monotone: a more general cut can violate what a more specific one satisfied. For these models a round lists all sets of
labels of the cut that violate the model and repairs them. Rounds end when none is left
(``shoal.kernels.search.repair``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible, OptionError
from shoal.kernels.choice import Tick
from shoal.kernels.search.cuts.built_tree import TreeSize, built_tree
from shoal.kernels.search.cuts.direct_pass import COUNT, Pass, direct_pass
from shoal.kernels.search.repair import repair as kernel
from shoal.kernels.search.repair.repair_diversity import repair_diversity
from shoal.kernels.search.repair.repair_negative import repair_negative
from shoal.models.base import ItemsetModel, PrivacyModel
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution
from shoal.search import set_tables
from shoal.search.listing import Listing, list_violations
from shoal.search.memory import refuse_too_many
from shoal.search.thinning import LARGE, count_nodes, node_supports, thinned

COUNTED = "count_tree_nodes"  # statistic: nodes counted in the largest pass
BUILT = "count_tree_nodes_built"  # statistic: nodes of the largest tree that the paper's algorithm would build

FEW = 2  # labels of the sets that need few of many rows
LABEL_ORDERS = ("support", "leaves")


def label_order_option() -> Any:
    """Declare the option of algorithms that walk the count-tree themselves."""
    return option(
        "support",
        words=LABEL_ORDERS,
        help="Order of the labels in the count-tree: by falling support, or by the number of items below them.",
    )


def is_by_leaves(label_order: str, model: ItemsetModel, items: Transactions) -> bool:
    """Whether labels are ordered by the number of leaves. Raise an error for models without a count-tree walk."""
    if label_order != "support" and model.demand(items).k < 2:
        raise OptionError(f"label_order= is for the models km and km-negative, not for {model.name}: leave it out.")
    return label_order == "leaves"


@dataclass(frozen=True, eq=False)
class CutInput:
    """The input of a repair: rows over the leaves of a hierarchy, their sensitive values, and the cost of each node."""

    items: Transactions
    sensitive: Transactions
    hierarchy: Hierarchy
    costs: Counts
    supports: Counts = field(default_factory=lambda: COUNT)  # of the nodes in all rows, if these are not all
    listing: Listing | None = None  # all violations of a model that is not monotone, if they were listed
    few: Transactions | None = None  # what k^m-anonymity needs of the rows, if violations were listed

    @classmethod
    def of(cls, problem: Prepared[PrivacyModel], engine: Engine = LOCAL) -> CutInput:
        """Return the input for all rows of a problem, or for what a search needs of them."""
        supports = node_supports(problem, engine)
        return cls(problem.items, problem.sensitive, problem.hierarchy, problem.costs, supports)

    @classmethod
    def needed(cls, problem: Prepared[PrivacyModel], engine: Engine) -> CutInput:
        """Return what a search for one cut of all rows needs: rows, or a list of all violations."""
        every, listing = cls.of(problem, engine), list_violations(problem, engine)
        demand = problem.model.demand(problem.items)
        if listing is None or demand is None:
            return every
        if demand.k < 2:
            return replace(every, listing=listing)
        few = thinned(problem.items, demand.k, demand.known, engine)
        refuse_too_many(few.total_items, engine)  # the walk of k^m-anonymity holds them
        return replace(every, listing=listing, few=few, supports=listing.units[0][0])


@dataclass(frozen=True)
class Built:
    """The number of nodes of the count-trees that the paper's algorithm would build.

    AA builds one tree for each size i, from the rows reduced by the cut at that time. The nodes are counted as in Alg.
    1 for m = i: the sets of up to i labels. Alg. 4 says "all i-subsets"; then only the prefixes of these sets are
    nodes.
    """

    largest: int  # the paper's measure of memory
    at_m: int  # in the m-th iteration (Terrovitis et al. 2008, s.5.2)
    of_subsets: int  # the largest if only i-subsets are added

    def then(self, tree: TreeSize | None) -> Built | None:
        """Return the size with another iteration, or None if its tree was too large to be counted."""
        if tree is None:
            return None
        return Built(max(self.largest, tree.up_to_size), tree.up_to_size, max(self.of_subsets, tree.of_size))

    @property
    def statistics(self) -> dict[str, float]:
        """Statistics for the solution."""
        return {BUILT: self.largest, f"{BUILT}_at_m": self.at_m, f"{BUILT}_of_subsets": self.of_subsets}


@dataclass(frozen=True, eq=False)
class Repaired:
    """The cut that a repair ended in."""

    raised: list[int]  # nodes of the cut that are not leaves
    counted: int  # count-tree nodes counted in the largest pass: the papers' measure of memory
    repairs: int  # sets that were repaired
    built: Built | None = None  # size of the trees that the paper would build, if it was counted

    def then(self, more: kernel.Repaired, cut_input: CutInput, model: ItemsetModel) -> Repaired:
        """Add a further repair. It only raises nodes, so earlier repairs remain valid."""
        if more.unrepairable is not None:
            raise Infeasible(model.unreachable(cut_input.items, cut_input.sensitive))
        return Repaired(more.raised, max(self.counted, more.counted), self.repairs + more.repairs)

    def solution(self, hierarchy: Hierarchy) -> CutSolution:
        """Return the solution of an algorithm."""
        return CutSolution(GlobalCut.raising(hierarchy, self.raised), statistics=self.statistics)

    @property
    def statistics(self) -> dict[str, float]:
        """Statistics for the solution."""
        built = {} if self.built is None else self.built.statistics
        return {COUNTED: self.counted, "repairs": self.repairs, **built}


def level_by_level(
    cut_input: CutInput,
    model: ItemsetModel,
    engine: Engine,
    *,
    raised: Sequence[int] = (),
    bounded: bool = False,
    by_leaves: bool = False,
) -> Repaired:
    """Run AA (Terrovitis et al. 2008, Alg. 4): sets of 1 label, then 2, up to as many as an attacker can know."""
    known = model.demand(cut_input.items).known
    if not _counts_trees(engine, model, cut_input):
        done = Repaired(list(raised), 0, 0)
        for sizes in _stages(cut_input, model, known):
            more = None if bounded else _by_table(cut_input, model, sizes, done.raised, engine, by_leaves=by_leaves)
            if more is None:
                part = _needed(cut_input, model, known and sizes[-1], done.raised, engine)
                if part.listing is None:
                    refuse_too_many(part.items.total_items, engine)
                options: Any = {"raised": done.raised, "bounded": bounded, "by_leaves": by_leaves, "smaller_safe": True}
                more = repair(part, model, sizes, engine, **options)
            done = Repaired(more.raised, max(done.counted, more.counted), done.repairs + more.repairs)
        return done
    done = Repaired(list(raised), 0, 0, Built(0, 0, 0))
    for size in range(1, known + 1):
        tree = _built_tree(cut_input, done.raised, size, engine, by_leaves=by_leaves)
        built = None if done.built is None else done.built.then(tree)
        sizes = range(size, size + 1)
        more = repair(cut_input, model, sizes, engine, raised=done.raised, bounded=bounded, by_leaves=by_leaves)
        done = Repaired(more.raised, max(done.counted, more.counted), done.repairs + more.repairs, built)
    return done


def _stages(cut_input: CutInput, model: ItemsetModel, known: int) -> list[range]:
    """Return the sizes of sets, split where another way to count may be better.

    Sets of up to two labels need few of many rows, or a small table. There are many more sets of three.
    """
    large = cut_input.items.total_items >= LARGE and not len(cut_input.supports)
    if (large or known == FEW + 1) and known > FEW and model.demand(cut_input.items).monotone:
        return [range(1, FEW + 1), range(FEW + 1, known + 1)]
    return [range(1, known + 1)]


def walks_by_table(problem: Prepared[ItemsetModel], engine: Engine) -> bool:
    """Whether AA starts with a table of small sets. The data alone decide.

    Whether sets of three labels have a table, too, depends on the cut that is safe for sets of two.
    """
    demand, items, tree = problem.model.demand(problem.items), problem.items, problem.hierarchy
    sizes = range(1, min(demand.known, FEW) + 1)
    if not _may_use_table(problem.model, items, sizes) or demand.known > FEW + 1 or engine.built_trees:
        return False
    there = np.concatenate([[0], np.cumsum(items.supports > 0)])[tree.span]
    labels = int(np.count_nonzero(there[:-1, 0] < there[:-1, 1]))  # without the root
    return set_tables.fits(labels, sizes[-1], items)


def _may_use_table(model: ItemsetModel, items: Transactions, sizes: range) -> bool:
    """Whether a table can hold the sets of these sizes, if it is not too large."""
    demand = model.demand(items)
    possible = demand.monotone and bool(sizes) and items.longest >= sizes[-1]
    return possible and set_tables.may_fit(sizes[-1], demand.k, items)


def _by_table(
    cut_input: CutInput, model: ItemsetModel, sizes: range, raised: list[int], engine: Engine, *, by_leaves: bool
) -> Repaired | None:
    """Repair sets by a table of their supports, or return None if there is no good one. Smaller sets must be safe."""
    items, costs = cut_input.items, cut_input.costs
    if not _may_use_table(model, items, sizes):
        return None
    supports = cut_input.supports if len(cut_input.supports) else _node_supports(cut_input, engine)
    labels = set_tables.CutLabels.of(cut_input.hierarchy, raised, supports)
    if not set_tables.fits(len(labels), sizes[-1], items):
        return None
    k = model.demand(items).k
    done = set_tables.repair(items, labels, costs, supports, k, sizes, raised, engine, by_leaves=by_leaves)
    return Repaired(done.raised, done.counted, done.repairs)


def _node_supports(cut_input: CutInput, engine: Engine) -> Counts:
    """Count the nodes in all rows."""
    items, hierarchy = cut_input.items, cut_input.hierarchy
    return count_nodes(items, np.arange(hierarchy.n_leaves, dtype=np.int32), hierarchy.parent, engine)


def _needed(cut_input: CutInput, model: ItemsetModel, size: int, raised: Sequence[int], engine: Engine) -> CutInput:
    """Return what a repair of sets of up to ``size`` labels needs of the rows at a cut."""
    items, demand, hierarchy = cut_input.items, model.demand(cut_input.items), cut_input.hierarchy
    if not demand.monotone or len(cut_input.supports):
        return cut_input
    cut = GlobalCut.raising(hierarchy, raised)
    labels = np.repeat(np.arange(len(cut.nodes), dtype=np.int32), hierarchy.leaves[cut.nodes])
    few = thinned(items, demand.k, size, engine, labels)
    if few is items:
        return cut_input
    return replace(cut_input, items=few, supports=_node_supports(cut_input, engine))


def cheaper_aa(problem: Prepared[ItemsetModel], most: int, engine: Engine) -> GlobalCut | None:
    """Return the cut of AA if there is one and it costs less than ``most``, or None.

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> problem = shoal.Problem(shoal.read([["a1", "b1"], ["a2", "b1"], ["b2"]]), h, shoal.Km(k=2, m=1)).prepared
    >>> cut = cheaper_aa(problem, 1000, Engine())
    >>> cut.labels, cheaper_aa(problem, int(problem.costs[cut.nodes].sum()), Engine())
    (('A', 'B'), None)
    """
    comparing = replace(engine, progress=lambda _, share: engine.progress("comparing with AA", share))
    try:
        done = level_by_level(CutInput.needed(problem, engine), problem.model, comparing)
    except Infeasible:
        return None
    cut = GlobalCut.raising(problem.hierarchy, done.raised)
    return cut if int(problem.costs[cut.nodes].sum()) < most else None


def all_at_once(cut_input: CutInput, model: ItemsetModel, engine: Engine, *, by_leaves: bool = False) -> Repaired:
    """Run DA (Terrovitis et al. 2008, Alg. 3): sets of up to as many labels as an attacker can know, in one walk."""
    known = model.demand(cut_input.items).known
    done = repair(cut_input, model, range(known, known + 1), engine, by_leaves=by_leaves)
    if _counts_trees(engine, model, cut_input):
        tree = _built_tree(cut_input, (), known, engine, by_leaves=by_leaves)
        done = replace(done, built=Built(0, 0, 0).then(tree))
    return done


def _counts_trees(engine: Engine, model: ItemsetModel, cut_input: CutInput) -> bool:
    """Whether to count the trees that the papers build. They exist for k^m-anonymity only."""
    return engine.built_trees and model.demand(cut_input.items).monotone


def _built_tree(
    cut_input: CutInput, raised: Sequence[int], size: int, engine: Engine, *, by_leaves: bool
) -> TreeSize | None:
    """Return the size of the tree of an iteration that starts from the cut ``raised``, or None if it is too large."""
    items, hierarchy = cut_input.items, cut_input.hierarchy
    return built_tree(
        items.indptr,
        items.items,
        hierarchy.parent,
        hierarchy.span,
        cut_input.costs,
        hierarchy.n_leaves,
        raised,
        size,
        persons=items.repeaters,
        by_leaves=by_leaves,
        tick=engine.tick("counting the nodes of count-trees"),
    )


def repair(
    cut_input: CutInput,
    model: ItemsetModel,
    sizes: range,
    engine: Engine,
    *,
    raised: Sequence[int] = (),
    bounded: bool = False,
    by_leaves: bool = False,
    smaller_safe: bool = False,
) -> Repaired:
    """Run a pass for sets of up to each of the sizes, starting from the cut ``raised``.

    ``smaller_safe``: sets of fewer labels than the first size are known to be safe.
    ``bounded``: do not use the root. Sets that only the root could repair stay as they are.
    ``by_leaves``: order labels by the number of leaves below them, not by support (Terrovitis et al. 2008, s.4.1).
    """
    items, hierarchy, tick = cut_input.items, cut_input.hierarchy, engine.tick("repairing")
    if not sizes or not sizes[-1] or not items.total_items:
        return Repaired(list(raised), 0, 0)
    demand, tree = model.demand(items), (hierarchy.parent, hierarchy.span, cut_input.costs, hierarchy.n_leaves)
    done = Repaired(list(raised), 0, 0)
    if demand.k > 1:
        direct = _direct(cut_input, demand.k, sizes, raised, bounded, by_leaves, smaller_safe, tick)
        done = Repaired(direct.raised, direct.counted, direct.repairs)
    if cut_input.listing is not None:
        listed = cut_input.listing.repair(cut_input.costs, sizes, done.raised, bounded=bounded, tick=tick)
        return done.then(listed, cut_input, model)
    if demand.absent and not bounded:  # parts repair only sets of present labels; the last pass repairs the rest
        more = repair_negative(
            items.indptr,
            items.items,
            *tree,
            demand.k,
            sizes,
            done.raised,
            persons=items.repeaters,
            threads=engine.threads,
            tick=tick,
        )
        done = done.then(more, cut_input, model)
    if demand.one_in:
        more = repair_diversity(
            items.indptr,
            items.items,
            cut_input.sensitive.indptr,
            cut_input.sensitive.items,
            *tree,
            demand.one_in,
            sizes,
            done.raised,
            persons=items.repeaters,
            bounded=bounded,
            threads=engine.threads,
            tick=tick,
        )
        done = done.then(more, cut_input, model)
    return done


def _direct(
    cut_input: CutInput,
    k: int,
    sizes: range,
    raised: Sequence[int],
    bounded: bool,
    by_leaves: bool,
    smaller_safe: bool,
    tick: Tick,
) -> Pass:
    """Run direct anonymization for sets of up to each of the sizes."""
    items, hierarchy = cut_input.items if cut_input.few is None else cut_input.few, cut_input.hierarchy
    return direct_pass(
        items.indptr,
        items.items,
        hierarchy.parent,
        hierarchy.span,
        cut_input.costs,
        hierarchy.n_leaves,
        k,
        # Beyond three labels: if whole rows are safe, nothing is left to repair.
        range(min(sizes[0], items.longest), min(sizes[-1], items.longest) + 1),
        raised,
        persons=items.repeaters,
        until_safe=sizes[-1] > 3,
        bounded=bounded,
        by_leaves=by_leaves,
        supports=cut_input.supports,
        safe_size=sizes[0] - 1 if smaller_safe else 0,
        tick=tick,
    )
