"""The best cut and the best suppression together, with a proof or a proved bound.

To suppress a label is to suppress all items below it. So a recoding is a cut, some of whose leaves are suppressed: one
yes or no for every internal node (is it expanded?) and every item (is it suppressed?). A rare set of labels gives one
clause for each of its few rows (``shoal.kernels.search.cuts.conflicts``). The rest is as in the search for the best cut
alone:

1. Starts: a greedy cut without suppression, which is the first safe result, whatever the time limit. Then mHgHs, the
   best cut without suppression, and HgHs, each if it is quick. Nothing worse is ever returned.
2. Descent: greedy cuts above depth 1, 2, .. of the hierarchy, without suppression. Each is made safe by the conflicts
   that it violates. They are found near the root, where there is little to count, and also hold below.
3. Rounds: solve the relaxed problem, which knows the conflicts found so far. Its bound holds for every safe recoding.
   The conflicts that its solution violates are added, and the solution is repaired. If there are none, it is optimal.

At the end, suppressed items are restored and nodes are expanded wherever that is safe.

Cost: a few counts of the label sets at a cut, and the solver. Memory is proportional to the expanded rows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from shoal.caching import cached_property
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.cuts.conflicts import Conflict, Conflicts
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Ended
from shoal.search import solver
from shoal.search.bounded import MORE_EFFORT, BoundedSearch
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.limits import Limits
from shoal.search.polish import respecialise
from shoal.search.solver import Candidate
from shoal.search.suppression import hghs, mhghs
from shoal.search.threats import conflicts_of, counter_of

FIRST_EFFORT = 4.0  # in the deterministic time of the solver; rounds are fewer and larger than for cuts alone
MHGHS_SHARE = 1 / 2  # share of all the time for mHgHs, which is usually the best start
CUT_SHARE = 1 / 2  # share of the remaining time limit for the best cut alone
HGHS_SHARE, HGHS_SECONDS = 0.2, 30.0  # share of the remaining time and limit for HgHs, which may take very long
DESCENT_SHARE, BOUND_SHARE, IMPROVE_SHARE = 1 / 3, 1 / 2, 2 / 3  # of the time left after the search, in this order


class CutSuppressionSearch(BoundedSearch):
    """One search."""

    def __init__(self, problem: Prepared[ItemsetModel], limits: Limits, engine: Engine, clock: Clock) -> None:
        super().__init__(problem, engine, clock)
        self.limits = limits
        leaves = problem.hierarchy.n_leaves
        worst = problem.loss.worst(leaves)
        self.prices = {
            leaf: worst * int(problem.occurrences[leaf]) - self.tree.costs[leaf]
            for leaf in range(leaves)
            if limits.occurrences[leaf] and not limits.protected[leaf]
        }
        self.model: solver.Joint | None = None  # made when there is something to solve
        self.added = 0  # number of conflicts that the model has
        self.depth = 1  # depth that the descent has reached
        self.candidate = Candidate(frozenset(), frozenset())  # the best so far: at first everything is the root
        self.spare: Candidate | None = None  # the first safe result, kept separately: among equals the other starts win
        self.conflicts: dict[Conflict, None] = {}  # all known conflicts, in the order in which they were found

    @cached_property
    def kernel(self) -> Conflicts:
        """The kernel that finds conflicts. It is created when needed, because that takes time."""
        self.clock.check()
        with self._timed("counting"):
            tick = self._check_time
            return conflicts_of(self.problem.items, self.problem.hierarchy, self.demand.k, self.engine, tick=tick)

    def run(self) -> CutSolution:
        """Run the search."""
        with self._timed("solving"):
            solver.load()  # report a missing solver before any work
        items = self.problem.items
        if 0 < items.count_persons(items.sizes > 0) < self.demand.k:
            return self._nothing()
        ended = self._run_steps(self._start, self._descend, self._prove)
        ended = self._concluded(ended, self._conclude)
        return self._proved("proven" if self.bound == self._cost() else ended, len(self.conflicts))

    def _ready(self) -> bool:
        """Whether the first start has ended."""
        return self.spare is not None

    # ---- the best so far

    def _cost(self) -> int:
        """The cost of the best so far."""
        return self._cost_of(self.candidate)

    def cut(self) -> GlobalCut:
        """The best cut so far."""
        raised = self.tree.raised(set(self.candidate.expanded))
        return GlobalCut.raising(self.problem.hierarchy, raised, self.candidate.suppressed)

    def _cost_of(self, candidate: Candidate) -> int:
        """The cost of a candidate."""
        return self.tree.cost(set(candidate.expanded)) + sum(self.prices[leaf] for leaf in candidate.suppressed)

    def _better(self, candidate: Candidate) -> None:
        """Keep a safe candidate within the limits if it is the best so far."""
        if self._cost_of(candidate) < self._cost():
            self.candidate = candidate

    def _within_budget(self, suppressed: Iterable[int]) -> bool:
        """Whether the limits allow to suppress these leaves."""
        return self.limits.suppressed(suppressed) <= self.limits.budget

    def _candidate_of(self, cut: GlobalCut) -> Candidate:
        """Convert a cut with suppressed labels to a candidate with suppressed leaves."""
        hierarchy, expanded = self.problem.hierarchy, self.tree.expanded(cut)
        gone: set[int] = set()
        for node in map(int, cut.suppressed):
            first, stop = map(int, hierarchy.span[node])
            expanded |= {inner for inner in self.tree.inner if hierarchy.covers(node, inner)}
            gone |= {leaf for leaf in range(first, stop) if self.limits.occurrences[leaf]}
        return Candidate(frozenset(expanded), frozenset(gone))

    # ---- the steps

    def _nothing(self) -> CutSolution:
        """Return the solution for fewer than k records, which publishes no items."""
        leaves = [leaf for leaf in range(self.problem.hierarchy.n_leaves) if self.limits.occurrences[leaf]]
        if not self._within_budget(leaves) or not all(leaf in self.prices for leaf in leaves):
            raise self.limits.impossible(self.problem)
        self.candidate = Candidate(frozenset(self.tree.inner), frozenset(leaves))
        self.bound = self._cost()
        return self._proved("proven", 0)

    def _start(self) -> None:
        """Find a greedy cut, whatever the limit. Then try mHgHs, the best cut alone, and HgHs, for a while."""
        alone = ExactSearch(self.problem, self.engine, self.clock)
        with self._timed("starting"):
            alone.begin()
        self.spare = Candidate(frozenset(alone.best), frozenset())
        self.clock.conclude()  # use all the time: mHgHs is worth more than the work at the end
        # Infeasible: it needs too much memory, or finds no solution.
        with self._timed("starting"), contextlib.suppress(Infeasible), self.clock.share(MHGHS_SHARE):
            self.clock.check()
            self._offer_cut(mhghs(self.problem, self.limits, self._within_time()))
        self.clock.start()
        self.clock.check()
        with self._timed("starting"):
            alone.clock = self.clock.part(CUT_SHARE)
            best_cut = alone.run(needs_proof=True)
            self._offer_cut(best_cut)
        if best_cut.optimality is not None and best_cut.optimality.ended == "interrupted":
            raise KeyboardInterrupt
        with (
            self._timed("starting"),
            contextlib.suppress(Infeasible),
            self.clock.share(HGHS_SHARE, most=HGHS_SECONDS),
        ):
            self.clock.check()
            self._offer_cut(hghs(self.problem, self.limits, self._within_time()))

    def _offer_cut(self, solution: CutSolution) -> None:
        """Keep the result of another search if it is the best so far."""
        self._better(self._candidate_of(solution.recoding))

    def _descend(self) -> None:
        """Find greedy cuts from the root down, and collect the conflicts that they violate."""
        while self.depth < self.tree.height:
            threats = [parents for parents, _ in self.conflicts]
            expanded = frozenset(self.tree.fill(threats, depth=self.depth))
            if not self._separate(Candidate(expanded, frozenset())):
                self.depth += 1

    def _prove(self) -> None:
        """Run rounds until the bound meets the best cost."""
        effort = FIRST_EFFORT
        while self.bound < self._cost():
            self._check_time(0.0)
            candidate, proven = self._relaxed(effort)
            if self._separate(candidate):
                self._better(self._repaired(candidate))
                continue
            self._better(candidate)
            if not proven:
                effort *= MORE_EFFORT

    def _relaxed(self, effort: float) -> tuple[Candidate, bool]:
        """Solve the relaxed problem and update the bound. Return the candidate, and whether it is optimal here."""
        self.clock.check()
        with self._timed("solving"):
            if self.model is None:
                counts = {leaf: int(self.limits.occurrences[leaf]) for leaf in self.prices}
                tight = self.limits.budget < sum(counts.values())
                self.model = solver.Joint(self.tree, self.prices, (counts, self.limits.budget) if tight else None)
            self.model.add(list(self.conflicts)[self.added :], self._cost())
            self.added = len(self.conflicts)
            candidate, bound, proven = self.model.solve(self.candidate, effort, self.clock.until, self._solving)
        self.rounds += 1
        self.bound = max(self.bound, bound)
        return candidate, proven

    def _conclude(self, ended: Ended) -> None:
        """Run the work that follows the search: a bound, and a local improvement of the best recoding."""
        if self.spare is not None:
            self._better(self.spare)
        if ended != "proven" and not self.bound:
            with self.clock.share(DESCENT_SHARE):
                self._descend()
            with self.clock.share(BOUND_SHARE):
                self._relaxed(FIRST_EFFORT)
        if self.bound < self._cost():
            with self._timed("improving"), self.clock.share(IMPROVE_SHARE):
                self._improve()
        with self._timed("polishing"):
            gone = set(self.candidate.suppressed)
            for leaf in sorted(gone, key=lambda leaf: (-self.prices[leaf], leaf)):
                self._check_time(0.0)
                kept = Candidate(self.candidate.expanded, frozenset(gone - {leaf}))
                if not self._broken(kept, self.conflicts) and not self._separate(kept):
                    gone.discard(leaf)
                    self.candidate = kept
            self._check_time(0.0)
            left = self.cut().left(self.problem.items)
            expanded = set(self.candidate.expanded)
            counter = counter_of(left, self.problem.hierarchy, self.demand.k, self.engine, tick=self._check_time)
            known = counter.small(min(2, self.demand.known), tick=self._check_time) if self.demand.known else []
            try:
                respecialise(self.tree, counter, expanded, self.demand.known, known=known, tick=self._check_time)
            finally:  # if interrupted, the candidate is still safe
                self.candidate = Candidate(frozenset(expanded), frozenset(gone))

    def _improve(self) -> None:
        """Local search: expand a node of the best candidate, then suppress or collapse others to stay safe."""
        tried: set[int] = set()
        while open_ := [node for node in self.tree.raised(set(self.candidate.expanded)) if node not in tried]:
            node = min(open_, key=lambda node: (-self.tree.gain[node], node))
            tried.add(node)
            candidate = Candidate(self.candidate.expanded | {node}, self.candidate.suppressed)
            self._separate(candidate)
            candidate = self._repaired(candidate, held=node)
            if self._cost_of(candidate) < self._cost():
                self.candidate = candidate
                tried.clear()

    def _separate(self, candidate: Candidate) -> list[Conflict]:
        """Return the conflicts that a candidate violates, and remember them."""
        self._check_time(0.0)
        if candidate == self.candidate:  # known to be safe
            return []
        kernel = self.kernel
        with self._timed("counting"):
            raised = self.tree.raised(set(candidate.expanded))
            conflicts = kernel.at(raised, sorted(candidate.suppressed), self.demand.known, tick=self._check_time)
        self.conflicts.update(dict.fromkeys(conflicts))
        return conflicts

    def _broken(self, candidate: Candidate, conflicts: Iterable[Conflict]) -> list[Conflict]:
        """Return the conflicts that a candidate violates."""
        return [
            (parents, groups)
            for parents, groups in conflicts
            if candidate.expanded.issuperset(parents)
            and not any(candidate.suppressed.issuperset(group) for group in groups)
        ]

    def _repaired(self, candidate: Candidate, held: int | None = None) -> Candidate:
        """Return a safe candidate near an unsafe one: resolve each conflict in the cheapest way until none is left.

        ``held``: a node that stays expanded, unless there is no other way.
        """
        known: Iterable[Conflict] = self.conflicts
        while broken := self._broken(candidate, known):
            expanded, gone = set(candidate.expanded), set(candidate.suppressed)
            for conflict in broken:
                self.clock.check()
                if self._broken(Candidate(frozenset(expanded), frozenset(gone)), [conflict]):
                    self._settle(conflict, expanded, gone, held)
            candidate = Candidate(frozenset(expanded), frozenset(gone))
            known = [*self.conflicts, *self._separate(candidate)]
        return candidate

    def _settle(self, conflict: Conflict, expanded: set[int], gone: set[int], held: int | None) -> None:
        """Suppress a group or collapse a parent, whichever costs less."""
        parents, groups = conflict
        ways: list[tuple[bool, int, int, set[int]]] = []  # whether the held node collapses, cost, kind, changed nodes
        for at, node in enumerate(parents):
            below = self.tree.subtree(node, expanded)
            back = sum(self.prices[leaf] for leaf in gone if self.problem.hierarchy.covers(node, leaf))
            ways.append((held in below, self.tree.gains(below) - back, at, below))
        for at, group in enumerate(groups, len(parents)):
            more = set(group) - gone
            can = all(leaf in self.prices and self.tree.parent[leaf] in expanded for leaf in more)
            if can and self._within_budget(gone | more):
                ways.append((False, sum(self.prices[leaf] for leaf in more), at, more))
        _, _, at, change = min(ways, key=lambda way: way[:3])
        if at >= len(parents):
            gone |= change
        else:
            expanded -= change
            gone -= {leaf for leaf in gone if self.problem.hierarchy.covers(parents[at], leaf)}
