"""The optimal cut for models that are not monotone, by exclusion, or a proved bound if time runs out.

1. A first cut that satisfies the model, by AA's repair: of the leaves, or of the best k^m-anonymous cut.
2. A descent, as for k^m-anonymity: greedy cuts above depth 1, 2, .. of the hierarchy. Violations near the root are
   found while there is little to count.
3. Rounds: solve the relaxed problem, which knows the constraints found so far. Its bound holds for every cut that
   satisfies the model. The violations at its cut are excluded. The cut is then repaired to one that satisfies the
   model, which may be the best so far. If there are no violations, the cut is optimal. If no cut satisfies the
   constraints, none satisfies the model.
4. If there is no proof, the result is compared with the cut of AA, unless the first cut was AA's.

In general, a violating combination excludes only cuts that have all its labels, because specialising them may help.
Some sets are closed: whatever their labels are specialised to, some set violates the model. Then no safe cut expands
all parents of these labels. For l^m-diversity, a set is closed if too few rows without the sensitive value remain even
when each counts as often as it could hold specialisations (native/search/repair/repair_diversity.hpp has the argument).

Cost: a few listings of the violations at a cut, and the solver. Memory is proportional to the expanded rows.
"""

from __future__ import annotations

import numpy as np

from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.repair.breaches import Breaches
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Ended
from shoal.search import solver
from shoal.search.bounded import FIRST_EFFORT, MORE_EFFORT, BoundedSearch
from shoal.search.clock import Clock
from shoal.search.direct import CutInput, cheaper_aa, level_by_level
from shoal.search.exact import ExactSearch
from shoal.search.listing import Listing
from shoal.search.thinning import thinned_problem

LISTED = 200_000  # about how many violations a round lists
KM_SHARE = 3 / 4  # share of the limit for the best k^m-anonymous cut
AA_SHARE = 1 / 2  # share of the time left after the search, if the clock is strict


class NonMonotoneSearch(BoundedSearch):
    """One search for the best cut."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine, clock: Clock) -> None:
        super().__init__(problem, engine, clock)
        self.model = problem.model
        with self._timed("counting"):
            # If there is a safe result elsewhere, the limit counts from the beginning.
            self.cut_input = CutInput.needed(problem, self._within_time() if clock.safe else engine)
            self.breaches = breaches_of(problem, self._within_time(), self.cut_input.listing)
        self.threats: dict[tuple[int, ...], None] = {}  # in the order found: the solver's answers depend on it
        self.together: dict[tuple[int, ...], None] = {}
        self.satisfied = self.clean = False  # whether a cut satisfies the model; whether the last cut did
        self.refused: Infeasible | None = None  # why no cut was found
        self.counted = self.settled = 0  # most sets counted; constraints of the search for k^m
        leaves = np.concatenate([[0], np.cumsum(problem.items.supports)])
        self.used = leaves[problem.hierarchy.span[:, 1]] > leaves[problem.hierarchy.span[:, 0]]  # by node

    def run(self, *, needs_proof: bool) -> CutSolution:
        """Run the search. If the solver is missing, either fail or go on without a proof."""
        if needs_proof:
            with self._timed("solving"):
                solver.load()  # report a missing solver before any work
        interrupted = self._start(needs_proof)
        if interrupted and not self.satisfied:
            raise KeyboardInterrupt
        self.clock.start()
        try:
            ended: Ended = "interrupted" if interrupted else self._run_steps(self._descend, self._prove)
        except solver.Impossible:
            raise Infeasible(
                f"It is proved that no cut of the hierarchy satisfies {self.model.title} with these options: weaken "
                f"the guarantee, or use algorithm='lra', which can generalize parts of the data differently."
            ) from self.refused
        if self.refused:
            self._find_any()
        ended = self._concluded(ended, self._conclude)
        done = self.bound == self.tree.cost(self.best)
        clauses = self.settled + len(self.threats) + len(self.together)
        return self._proved("proven" if done else ended, clauses, count_tree_nodes=self.counted)

    def _ready(self) -> bool:
        """Whether a cut satisfies the model."""
        return self.satisfied

    def _start(self, needs_proof: bool) -> bool:
        """Find a first cut with AA, whatever the limit. Return whether the user has interrupted.

        Negative knowledge includes k^m-anonymity. For that model, the first cut is the best k^m-anonymous cut,
        repaired, and its bound holds too. Most often no repair is needed, so the cut is proved optimal.
        """
        if not self.demand.absent:
            self._repair(set(self.tree.inner), self._within_time())
            self.beats_aa = True
            return False
        with self._timed("k^m"):
            every = self.problem.under(Km(k=self.demand.k, m=max(1, self.demand.known)))
            search = ExactSearch(thinned_problem(every, self.engine), self.engine, self.clock.before(KM_SHARE))
            solution = search.run(needs_proof=needs_proof)
        self.bound, self.rounds, self.settled = search.bound, search.rounds, len(search.threats)
        self._repair(search.best, self._within_time())
        same = self.satisfied and self.tree.cost(self.best) == self.tree.cost(search.best)
        self.beats_aa = same and solution.beats_aa  # AA repairs its own k^m cut, which costs no less
        return solution.optimality is not None and solution.optimality.ended == "interrupted"

    def _descend(self) -> None:
        """Find greedy cuts from the root down, to collect the threats that they violate."""
        for depth in range(1, self.tree.height + 1):
            if self.satisfied and self.bound == self.tree.cost(self.best):
                return
            while self._exclude(expanded := self.tree.fill(list(self.threats), depth=depth)):
                pass
            if self.clean:
                self._set_aside(expanded)

    def _exclude(self, expanded: set[int]) -> bool:
        """Add the violations of a cut to the constraints. Return whether there is a new threat."""
        self._check_time(0.0)
        before = len(self.threats)
        with self._timed("counting"):
            raised = self.tree.raised(expanded)
            threats, together = self.breaches.at(raised, self.demand.known, most=LISTED, tick=self._check_time)
        self.threats.update(dict.fromkeys(map(tuple, threats)))
        self.together.update(dict.fromkeys(map(tuple, together)))
        self.clean = not threats and not together
        return len(self.threats) > before

    def _prove(self) -> None:
        """Run rounds until the bound meets the cost of the best cut."""
        effort = FIRST_EFFORT
        while not self.satisfied or self.bound < self.tree.cost(self.best):
            self._check_time(0.0)
            with self._timed("solving"):
                args = (self.tree, list(self.threats), self.best, effort, self.clock.until, self._solving)
                relaxed = solver.solve(*args, together=list(self.together))
            self.rounds += 1
            self.bound = max(self.bound, relaxed.bound)
            before = len(self.threats) + len(self.together)
            self._exclude(relaxed.expanded)
            if self.clean:
                self._keep(relaxed.expanded)
            if len(self.threats) + len(self.together) > before:
                self._repair(relaxed.expanded, self._within_time())
            elif not relaxed.proven:
                effort *= MORE_EFFORT

    def _repair(self, expanded: set[int], engine: Engine) -> None:
        """Raise a cut until it satisfies the model, if possible."""
        self.clock.check()
        with self._timed("repairing"):
            try:
                done = level_by_level(self.cut_input, self.model, engine, raised=self.tree.raised(expanded))
            except Infeasible as refused:
                self.refused = self.refused if self.satisfied else refused
                return
        self.counted = max(self.counted, done.counted)
        self._keep(self.tree.expanded(GlobalCut.raising(self.problem.hierarchy, done.raised)))

    def _find_any(self) -> None:
        """Find a cut after a search without any: one from the descent, or that of AA. If there is none, raise an error.

        AA has the time that it needs, unless there is a safe result outside of this search.
        """
        if self.aside is not None:
            self._keep(self.aside)
        elif not self.beats_aa and not self.clock.safe:
            cut = cheaper_aa(self.problem, self.tree.costs[self.tree.root] + 1, self.engine)
            if cut is not None:
                self._keep(self.tree.expanded(cut))
                self.beats_aa = True
        if self.refused:
            raise self.refused

    def _conclude(self, ended: Ended) -> None:
        """Run the work that follows the search: compare with AA, and expand groups that cost nothing."""
        if ended != "proven":
            self._ask_aa(AA_SHARE)
            self._take_aside()
        self._expand_for_nothing()

    def _expand_for_nothing(self) -> None:
        """Expand nodes in use that cost nothing either way, such as groups of a single item, where that is safe."""
        free = [node for node in self.tree.raised(self.best) if not self.tree.gain[node] and self.used[node]]
        for node in free:
            self._check_time(0.0)
            finer = {*self.best, node}
            if not any(self.breaches.at(self.tree.raised(finer), self.demand.known, most=1, tick=self._check_time)):
                self.best = finer
                free += [below for below in self.tree.below[node] if not self.tree.gain[below]]

    def _keep(self, expanded: set[int]) -> None:
        """Keep a cut that satisfies the model if it is the best so far."""
        if not self.satisfied:
            self.best, self.satisfied, self.refused = expanded, True, None
        self._offer(expanded)


def breaches_of(problem: Prepared[ItemsetModel], engine: Engine, listing: Listing | None = None) -> Breaches:
    """Return the kernel that lists the violations at a cut, for a model that is not monotone."""
    if listing is not None:
        return listing.breaches(engine.threads, engine.tick("counting"))
    demand = problem.model.demand(problem.items)
    hierarchy, items, values = problem.hierarchy, problem.items, problem.sensitive
    tree, tick = (hierarchy.parent, hierarchy.span, hierarchy.n_leaves), engine.tick("counting")
    persons, threads = items.repeaters, engine.threads
    if demand.absent:
        of_negative, k = Breaches.of_negative, demand.k
        return of_negative(items.indptr, items.items, *tree, k, persons=persons, threads=threads, tick=tick)
    rows = (items.indptr, items.items, values.indptr, values.items)
    return Breaches.of_diversity(*rows, *tree, demand.one_in, persons=persons, threads=threads, tick=tick)
