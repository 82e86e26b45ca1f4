"""Direct anonymization as a step: a cut that grows by passes over the itemsets of a size."""

from __future__ import annotations

from shoal import kernels
from shoal.problem import Problem
from shoal.recoding import GlobalCut


class Direct:
    """A cut on its way up. Starts at the items themselves."""

    def __init__(self, problem: Problem, k: int) -> None:
        self.problem, self.k = problem, k
        self.raised: list[int] = []
        self.visited = 0  # labels that the walk has counted behind a path, over all passes

    def repair(self, sizes: range, tick: kernels.Tick, *, until_safe: bool = False) -> None:
        """One pass for each size; the last one leaves all sets of up to so many labels safe."""
        items, hierarchy = self.problem.items, self.problem.hierarchy
        longest = int(items.sizes.max(initial=0))  # no row holds a larger set
        sizes = range(min(sizes.start, longest), min(sizes.stop, longest + 1))
        if not longest:
            return
        done = kernels.direct_pass(
            items.indptr,
            items.items,
            hierarchy.parent,
            hierarchy.span,
            self.problem.costs,
            hierarchy.n_leaves,
            self.k,
            sizes,
            self.raised,
            until_safe=until_safe,
            tick=tick,
        )
        self.raised = done.raised
        self.visited += done.visited

    def cut(self) -> GlobalCut:
        """The cut so far."""
        return GlobalCut.raising(self.problem.hierarchy, self.raised)
