"""Re-specialise: expand the nodes of a safe cut again wherever k^m-anonymity still holds (optimum.md, 2).

For k^m a failed expansion never needs to be tried again: whatever else is expanded meanwhile, some specialisation of
the set that was rare still occurs, in no more rows. So one pass is enough, and afterwards every node of the cut that
is not a leaf has a witness.

Cost: for each node of the cut, the counting of the sets of up to m labels in the rows that hold it.
"""

from __future__ import annotations

import heapq

from shoal import kernels
from shoal.engines import Engine
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem
from shoal.recoding import GlobalCut
from shoal.search.expansion import Expansion


def threats_of(problem: Problem, engine: Engine) -> kernels.Threats:
    """The counting kernel for the k^m problem."""
    privacy, hierarchy, items = problem.privacy, problem.hierarchy, problem.items
    assert isinstance(privacy, KmAnonymity)
    return kernels.Threats(
        items.indptr,
        items.items,
        hierarchy.parent,
        hierarchy.span,
        hierarchy.n_leaves,
        privacy.k,
        threads=engine.threads,
    )


def largest_set(problem: Problem) -> int:
    """The most items that an adversary can know of any record."""
    privacy = problem.privacy
    assert isinstance(privacy, KmAnonymity)
    longest = int(problem.items.sizes.max(initial=0))
    return longest if privacy.m == "all" else min(privacy.m, longest)


def respecialise(tree: Expansion, threats: kernels.Threats, expanded: set[int], m: int, tick: kernels.Tick) -> set[int]:
    """The expanded nodes of a cut that no node can be expanded in; those that gain most are tried first."""
    expanded = set(expanded)
    open_ = [(-tree.gain[node], node) for node in tree.raised(expanded)]
    heapq.heapify(open_)
    while open_:
        _, node = heapq.heappop(open_)
        if threats.witness(tree.raised(expanded), node, m, tick=tick) is None:
            expanded.add(node)
            for child in tree.below[node]:
                heapq.heappush(open_, (-tree.gain[child], child))
    return expanded


def polished(problem: Problem, cut: GlobalCut, engine: Engine) -> GlobalCut:
    """A safe cut, re-specialised."""
    tree = Expansion(problem.hierarchy, problem.costs)
    threats, tick = threats_of(problem, engine), engine.tick("polishing")
    return tree.cut(respecialise(tree, threats, tree.expanded(cut), largest_set(problem), tick))
