"""Raise a cut until no set of labels is in breach: the step that DA, AA, LRA and VPA share.

For k^m-anonymity this is direct anonymization (P0 Alg. 3). The other models of the family are not monotone (models.md):
a coarser cut can break what a finer one kept. There a round looks at all sets of labels of the cut, mends the breaches
and looks again, until a round finds none (``shoal.kernels.search.repair``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.cuts.direct_pass import direct_pass
from shoal.kernels.search.repair import repair as kernel
from shoal.kernels.search.repair.repair_diversity import repair_diversity
from shoal.kernels.search.repair.repair_negative import repair_negative
from shoal.privacy import ItemsetModel, PrivacyModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution


@dataclass(frozen=True, eq=False)
class CutInput:
    """What is repaired: rows over the leaves of a hierarchy whose nodes have costs, and their sensitive values."""

    items: Transactions
    sensitive: Transactions
    hierarchy: Hierarchy
    costs: Counts

    @classmethod
    def of(cls, problem: Prepared[PrivacyModel]) -> CutInput:
        """The whole problem."""
        return cls(problem.items, problem.sensitive, problem.hierarchy, problem.costs)


@dataclass(frozen=True, eq=False)
class Repaired:
    """The cut that a repair ended in."""

    raised: list[int]  # its nodes that are not leaves
    counted: int  # count-tree nodes counted in the largest pass: the papers' measure of memory
    repairs: int  # sets that had to be repaired

    def then(self, more: kernel.Repaired, cut_input: CutInput, privacy: ItemsetModel) -> Repaired:
        """With what was repaired from there on, only upwards: so what was repaired before stays so."""
        if more.unrepairable is not None:
            raise Infeasible(privacy.unreachable(cut_input.items, cut_input.sensitive))
        return Repaired(more.raised, max(self.counted, more.counted), self.repairs + more.repairs)

    def solution(self, hierarchy: Hierarchy) -> CutSolution:
        """As the result of an algorithm."""
        return CutSolution(GlobalCut.raising(hierarchy, self.raised), statistics=self.statistics)

    @property
    def statistics(self) -> dict[str, float]:
        """Figures of the search."""
        return {"count_tree_nodes": self.counted, "repairs": self.repairs}


def level_by_level(
    cut_input: CutInput, privacy: ItemsetModel, engine: Engine, *, raised: Sequence[int] = (), bounded: bool = False
) -> Repaired:
    """AA (P0 Alg. 4): sets of 1 label, then 2, .. up to as many as an attacker can know."""
    known = privacy.demand(cut_input.items).known
    return repair(cut_input, privacy, range(1, known + 1), engine, raised=raised, bounded=bounded)


def all_at_once(cut_input: CutInput, privacy: ItemsetModel, engine: Engine) -> Repaired:
    """DA (P0 Alg. 3): sets of up to as many labels as an attacker can know, in one walk."""
    known = privacy.demand(cut_input.items).known
    return repair(cut_input, privacy, range(known, known + 1), engine)


def repair(
    cut_input: CutInput,
    privacy: ItemsetModel,
    sizes: range,
    engine: Engine,
    *,
    raised: Sequence[int] = (),
    bounded: bool = False,
) -> Repaired:
    """Passes for sets of up to each of the sizes, from the cut ``raised``.

    ``bounded``: the root is not to be used, and what only it could repair stays as it is.
    """
    items, hierarchy, tick = cut_input.items, cut_input.hierarchy, engine.tick("repairing")
    if not sizes or not sizes[-1] or not len(items.items):
        return Repaired(list(raised), 0, 0)
    demand, tree = privacy.demand(items), (hierarchy.parent, hierarchy.span, cut_input.costs, hierarchy.n_leaves)
    done = Repaired(list(raised), 0, 0)
    if demand.k > 1:
        direct = direct_pass(
            items.indptr,
            items.items,
            *tree,
            demand.k,
            # Beyond three labels: once whole rows are safe, nothing is left to repair.
            range(min(sizes[0], _longest(items)), min(sizes[-1], _longest(items)) + 1),
            raised,
            persons=items.repeaters,
            until_safe=sizes[-1] > 3,
            bounded=bounded,
            tick=tick,
        )
        done = Repaired(direct.raised, direct.counted, direct.repairs)
    if demand.absent:
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
        done = done.then(more, cut_input, privacy)
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
        done = done.then(more, cut_input, privacy)
    return done


def _longest(items: Transactions) -> int:
    """The size of the largest row."""
    return int(items.sizes.max(initial=0))
