"""OA, optimal anonymization (Terrovitis et al. 2008, Alg. 2; Terrovitis et al. 2011, s.4.2).

OA searches the lattice of cuts breadth-first, from the most specific cut. A cut that is k^m-anonymous becomes a
candidate, and its ancestors are skipped, because they lose more. A cut that is not puts its immediate ancestors into
the queue, each cut once. The number of cuts is exponential in the number of items, so OA refuses large domains.

The count-tree tells whether a cut is k^m-anonymous: a path with a count in 1..k-1 rules out every cut at or below all
its labels. These are the cuts whose expanded nodes include the parents of all labels of the path.

The other models are not monotone: an ancestor of a safe cut may be unsafe, and so may the root. The search only needs
that ancestors lose no less. A chain of cuts leads from the bottom to every cut. If all cuts on it are unsafe, the
search gets there. Otherwise the first safe one, or one below it, is a candidate that loses no more. Here each cut is
counted from scratch.

Cost: time and memory proportional to the number of cuts times the number of distinct sets of parents.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from shoal.algorithms.base import CutAlgorithm
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution
from shoal.search.count_tree import CountTree, expand
from shoal.search.direct import BUILT, COUNTED
from shoal.search.non_monotone import breaches_of

LISTED = 100  # about how many violations of a cut are listed; they rule out other cuts
MAX_ITEMSETS = 20_000_000  # limit for the count-tree, counted before equal rows are merged


@dataclass(frozen=True)
class OA(CutAlgorithm):
    """Search all cuts of a small hierarchy for the one that loses least.

    The search starts from the original items and goes to more general cuts. It stops wherever a cut is safe. The
    number of cuts is exponential in the number of items, so OA is for small domains, tests and teaching.
    :class:`Optimal` finds the same optimum on large ones.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    polish : bool, default False
        Split groups of the result again wherever the guarantee still holds. Only for the model ``km``.
    max_cuts : int, default 200000
        Largest number of cuts to search. A hierarchy with more cuts is an error.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008.

    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. VLDB
    Journal 20(1), 2011.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.OA())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    name = "oa"
    title = "Optimal anonymization"
    paper = "Terrovitis et al. 2008, Alg. 2; Terrovitis et al. 2011, s.4.2"
    solves = (Km, Lm, KmNegative)

    max_cuts: int = option(200_000, low=1, help="Largest number of cuts to search. A hierarchy with more is an error.")

    def cut(self, problem: Prepared[ItemsetModel], engine: Engine) -> CutSolution:
        """Search the lattice of cuts."""
        hierarchy = problem.hierarchy
        cuts = count_cuts(hierarchy)
        if cuts > self.max_cuts:
            number = f"{cuts:,}" if cuts < 10**15 else f"about 10^{len(str(cuts)) - 1}"
            raise Infeasible(
                f"OA would have to search {number} cuts of {hierarchy.name} ({hierarchy.n_leaves} items), more than "
                f"max_cuts={self.max_cuts}: use algorithm='aa', or raise the limit."
            )
        if problem.model.demand(problem.items).monotone:
            tree = self._count_tree(problem)
            threats = _threats(hierarchy, tree, problem.model.demand(problem.items).k)
            statistics: dict[str, float] = {COUNTED: len(tree.counts)}
            if engine.built_trees:
                statistics[BUILT] = len(tree.counts)
            violated = _Threatened(threats)
        else:
            statistics, violated = {}, _Counted(problem, engine)
        expanded, seen = self._lattice(problem, engine, cuts, violated)
        cut = GlobalCut.raising(hierarchy, _inner(hierarchy, ~expanded))
        return CutSolution(cut, statistics={**statistics, "cuts": seen})

    @staticmethod
    def _count_tree(problem: Prepared[ItemsetModel]) -> CountTree:
        """Build the count-tree (Alg. 1), unless it is too large."""
        hierarchy, known = problem.hierarchy, problem.model.demand(problem.items).known
        itemsets = sum(
            math.comb(len(expand(hierarchy, tuple(row.tolist()))), size)
            for row in problem.items
            for size in range(1, known + 1)
        )
        if itemsets > MAX_ITEMSETS:
            raise Infeasible(
                f"OA would have to count up to {itemsets:,} itemsets of up to {known} labels, more than "
                f"{MAX_ITEMSETS:,}: use algorithm='aa', or a smaller m."
            )
        return CountTree(hierarchy, problem.items, known)

    def _lattice(
        self, problem: Prepared[ItemsetModel], engine: Engine, cuts: int, violated: Callable[[int], bool]
    ) -> tuple[int, int]:
        """Return the best cut (Alg. 2) and how many were queued. A cut is a bit mask of the nodes strictly above it."""
        hierarchy, costs = problem.hierarchy, [int(cost) for cost in problem.costs]
        inner_children = [[c for c in below if c >= hierarchy.n_leaves] for below in hierarchy.children]
        gain = [costs[node] - sum(costs[child] for child in hierarchy.children[node]) for node in range(len(hierarchy))]
        bottom = sum(1 << node for node in range(hierarchy.n_leaves, len(hierarchy)))
        tick = engine.tick("OA")

        def cost(expanded: int) -> int:
            return costs[hierarchy.root] - sum(gain[u] for u in _inner(hierarchy, expanded))

        best: tuple[int, int, list[int], int] | None = None  # loss, leaves, raised nodes: compared in this order
        queue = deque([bottom])  # Q
        queued = {bottom}
        beaten: set[int] = set()  # H, ancestors of anonymous cuts
        while queue:
            expanded = queue.popleft()
            if len(queued) % 1024 == 0:
                tick(len(queued) / cuts)
            if expanded in beaten:  # lines 12-13: deleted from Q
                continue
            ancestors = [
                expanded & ~(1 << node)
                for node in range(hierarchy.n_leaves, len(hierarchy))
                if expanded >> node & 1 and not any(expanded >> child & 1 for child in inner_children[node])
            ]
            if violated(expanded):
                for cut in ancestors:
                    if cut not in beaten and cut not in queued:
                        queued.add(cut)
                        queue.append(cut)
            else:
                beaten.update(ancestors)
                loss = cost(expanded)
                if best is None or loss <= best[0]:
                    raised = GlobalCut.raising(hierarchy, _inner(hierarchy, ~expanded)).raised
                    way = (loss, int(hierarchy.leaves[raised].sum()), raised, expanded)
                    best = way if best is None else min(best, way)
        if best is None:
            raise Infeasible(problem.model.unreachable(problem.items, problem.sensitive))
        return best[-1], len(queued)


class _Threatened:
    """Tells whether a cut expands all nodes of a threat."""

    def __init__(self, threats: list[int]) -> None:
        self.threats = threats

    def __call__(self, expanded: int) -> bool:
        return any(expanded & threat == threat for threat in self.threats)


class _Counted(_Threatened):
    """Tells whether a cut is unsafe: by the known threats, or else by counting the sets of its labels."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine) -> None:
        super().__init__([])
        self.problem, self.breaches = problem, breaches_of(problem, engine)
        self.known = problem.model.demand(problem.items).known

    def __call__(self, expanded: int) -> bool:
        if super().__call__(expanded):
            return True
        hierarchy = self.problem.hierarchy
        raised = GlobalCut.raising(hierarchy, _inner(hierarchy, ~expanded)).raised
        threats, together = self.breaches.at(raised, self.known, most=LISTED)
        self.threats += [sum(1 << node for node in threat) for threat in threats]
        return bool(threats or together)


def count_cuts(hierarchy: Hierarchy) -> int:
    """Return the number of cuts: 1 for a leaf, else 1 (the node itself) plus the product over its children.

    >>> count_cuts(Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}))
    5
    """
    counts = [1] * len(hierarchy)
    for node in range(hierarchy.n_leaves, len(hierarchy)):
        product = 1
        for child in hierarchy.children[node]:
            product *= counts[child]
        counts[node] = 1 + product
    return counts[-1]


def _inner(hierarchy: Hierarchy, mask: int) -> list[int]:
    """Return the internal nodes in a bit mask."""
    return [node for node in range(hierarchy.n_leaves, len(hierarchy)) if mask >> node & 1]


def _threats(hierarchy: Hierarchy, tree: CountTree, k: int) -> list[int]:
    """Return the minimal sets of nodes that must not all be expanded, as bit masks."""
    masks = set()
    for path, count in tree.counts.items():
        if count < k:
            mask = 0
            for node in path:
                mask |= 1 << int(hierarchy.parent[node])
            masks.add(mask)
    minimal: list[int] = []
    for mask in sorted(masks, key=lambda mask: (mask.bit_count(), mask)):
        if not any(mask & other == other for other in minimal):
            minimal.append(mask)
    return minimal
