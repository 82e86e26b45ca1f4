"""The optimal k^m-anonymous cut by lazy threats, or a proved bound if time runs out.

A threat is a set of internal nodes that no safe cut expands together (``shoal.kernels.search.cuts.threats``).

1. Find all threats from one or two labels at once. For m <= 2 there are no others: the greedy cut is safe.
2. Descent, for m > 2: find the greedy cut above depth 1, 2, .. of the hierarchy. Each is made safe by the threats that
   it violates. Threats near the root are found while there is little to count, and also hold below. The descent ends in
   a safe cut, the first result. The time limit starts then.
3. Rounds: solve the relaxed problem, which knows the threats found so far. Its bound holds for every safe cut. The
   threats that its cut violates are added, and the cut is repaired. If there are none, the cut is optimal.

Each round gives the solver a limited effort, because a proof on a weak relaxation is useless. The effort grows only if
the best cut is safe but not proved to be optimal.

A cut that is known to be safe is offered before any clock is read, so the search never falls back to the root.

The descent takes less time than AA, and its cut was no worse on all real data we tried. To be sure, AA also runs if
there is no proof: after half of the time limit, or else after the limit, for as long as it takes. At the end, nodes are
expanded wherever that is safe (:mod:`shoal.search.polish`), even if it gains nothing.

Cost: a few counts of the label sets at a cut, and the solver. Memory is proportional to the expanded rows.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from shoal.caching import cached_property
from shoal.engines import Engine
from shoal.kernels.choice import Tick
from shoal.kernels.search.cuts.threats import Threats
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutBound, CutSolution, Ended
from shoal.search import solver
from shoal.search.bounded import FIRST_EFFORT, MORE_EFFORT, BoundedSearch
from shoal.search.clock import Clock
from shoal.search.expansion import Threat
from shoal.search.polish import respecialise
from shoal.search.threats import counter_of

# Of the time left after the search, in this order; the rest is for the polish. Only a strict clock limits AA.
BOUND_SHARE, AA_SHARE = 1 / 2, 1 / 2


class ExactSearch(BoundedSearch):
    """One search for the best cut."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine, clock: Clock) -> None:
        super().__init__(problem, engine, clock)
        self.paired = False  # whether the threats of up to two labels are known
        self.threats: list[list[int]] = []
        self.reduced = 0  # the number of threats when redundant ones were left out
        self.lifted_before = 0.0  # seconds that the counter has spent on an earlier search
        self.descended = self.solved = False  # whether there is a first safe cut; whether the solver gave a bound
        self.offered = False  # whether the search started from a safe cut

    @cached_property
    def counter(self) -> Threats:
        """The kernel that counts. It is created when needed, because that takes time."""
        with self._timed("counting"):
            tick = self._pairs_tick()
            return counter_of(self.problem.items, self.problem.hierarchy, self.demand.k, self.engine, tick=tick)

    def run(self, *, needs_proof: bool) -> CutSolution:
        """Run the search. If the solver is missing, either fail or go on without a proof."""
        if needs_proof:
            with self._timed("solving"):
                solver.load()  # report a missing solver before any work
        ended = self._run_steps(self.begin, self._prove)
        ended = self._concluded(ended, self._conclude)
        return self._solution("proven" if self.bound == self.tree.cost(self.best) else ended)

    def begin(self) -> None:
        """Find the first safe cut, whatever the limit."""
        if not self.descended:
            self._count_pairs()
            if self.demand.known > 2:
                self._descend()
            else:
                self._offer(self.tree.fill(self.threats))  # safe, because all threats are known
            self.descended = True
            self.clock.start()

    def offer(self, cut: GlobalCut) -> None:
        """Start from a safe cut. The search returns nothing worse."""
        self.offered = True
        self._offer(self.tree.expanded(cut))

    def follow(self, weaker: Iterable[ExactSearch]) -> None:
        """Start from the results of searches on the same rows and hierarchy whose k and m are no larger.

        A set of labels that is too rare for them is too rare here, so their threats and bounds hold. With the same k,
        the counts are reused.
        """
        for search in weaker:
            self.threats += search.threats
            self.bound = max(self.bound, search.bound)
            if search.demand.k == self.demand.k and search.paired and "counter" in search.__dict__:
                self.counter, self.lifted_before = search.counter, search.counter.lifting_seconds
                self.paired |= min(2, search.demand.known) == min(2, self.demand.known)

    def forget_counter(self) -> None:
        """Free the memory of the counter, if no later search with the same k starts from this one."""
        self.__dict__.pop("counter", None)

    def _ready(self) -> bool:
        """Whether the descent has ended, or the search started from a safe cut."""
        return self.descended or self.offered

    def _pairs_tick(self) -> Tick:
        """Return what reports progress on counting pairs.

        The clock counts only if there is a safe result elsewhere. Otherwise there would be nothing but the root.
        """
        return (self._within_time() if self.clock.safe else self.engine).tick("counting pairs")

    def _count_pairs(self) -> None:
        """Find the threats of up to two labels, which every later step needs."""
        tick = self._pairs_tick()
        tick(0.0)
        counter = self.counter
        tick(0.0)
        followed = bool(self.threats)
        with self._timed("counting"):
            if not self.paired and self.demand.known:
                self.threats += counter.small(min(2, self.demand.known), tick=tick)
            self.reduced = 0 if followed else len(self.threats)
            self._reduce_threats()
        self.paired = True
        self.bound = max(self.bound, self.tree.lower_bound(self.threats))

    def _descend(self) -> None:
        """Find greedy cuts from the root down. Each is made safe and offered before the next."""
        for depth in range(1, self.tree.height + 1):
            expanded = self.tree.fill(self.threats, depth=depth)
            while self._separate(expanded, depth / max(1, self.tree.height)):
                expanded = self.tree.fill(self.threats, depth=depth)
            self._offer(expanded)

    def _prove(self) -> None:
        """Run rounds until the bound meets the cost of the best cut."""
        effort = FIRST_EFFORT
        while self.bound < self.tree.cost(self.best):
            self._check_time(0.0)
            if time.monotonic() > self.clock.half_time:
                self._ask_aa(1.0)
            relaxed = self._solve(effort)
            expanded, settled = relaxed.expanded, len(self.threats)
            if self._separate(expanded, 0.0):
                for other in relaxed.before:  # worse than the best, but their threats save rounds
                    self._separate(other, 0.0, known=self.threats[settled:])
                expanded = self.tree.repaired(expanded, self.threats)
                while self._separate(expanded, 0.0):
                    expanded = self.tree.repaired(expanded, self.threats)
                self._offer(expanded)
                continue
            self._offer(expanded)
            if not relaxed.proven:
                effort *= MORE_EFFORT

    def _conclude(self, ended: Ended) -> None:
        """Run the work that follows the search: a bound, a comparison with AA, and the polish."""
        if not self.paired:  # there was no time for anything but the safe cut that the search started from
            return
        if ended in ("time limit", "interrupted") and not self.solved:
            with contextlib.suppress(solver.SolverMissing), self.clock.share(BOUND_SHARE):
                relaxed = self._solve(FIRST_EFFORT)
                if self.demand.known <= 2:  # safe, because all threats are known
                    self._offer(relaxed.expanded)
        if ended != "proven":
            self._ask_aa(AA_SHARE)
            self._take_aside()
        with self._timed("polishing"):
            respecialise(
                self.tree, self.counter, self.best, self.demand.known, known=self.threats, tick=self._check_time
            )

    def _solve(self, effort: float) -> solver.Relaxed:
        """Solve the relaxed problem and update the bound."""
        self.clock.check()
        self._reduce_threats()
        with self._timed("solving"):
            args = (self.tree, self.threats, self.best, effort, self.clock.until, self._solving)
            relaxed = solver.solve(*args)
        self.rounds += 1
        self.bound = max(self.bound, relaxed.bound)
        self.solved |= relaxed.bound > 0
        return relaxed

    def _reduce_threats(self) -> None:
        """Leave out redundant threats, if any were added since the last time."""
        if len(self.threats) != self.reduced:
            self.threats = self.counter.minimal(self.threats)
            self.reduced = len(self.threats)

    def _separate(self, expanded: set[int], share: float, known: Sequence[Threat] = ()) -> bool:
        """Add the threats that a cut violates. Return whether there are any. ``known``: threats to try first."""
        if self.demand.known <= 2 or expanded == self.best:  # known to be safe
            return False
        self._check_time(share)
        with self._timed("counting"):
            raised = self.tree.raised(expanded)
            threats = self.counter.at(raised, 3, self.demand.known, known=known, tick=self._check_time)
            self.threats += threats
        return bool(threats)

    def _solution(self, ended: Ended) -> CutSolution:
        """Return the solution with its proved bound."""
        if self.paired:
            self._reduce_threats()
            self.seconds["lifting"] = self.counter.lifting_seconds - self.lifted_before
            self.seconds["counting"] -= self.seconds["lifting"]
        bound = CutBound(self.bound, tuple(map(tuple, self.threats)))
        return replace(self._proved(ended, len(self.threats)), bound=bound)

    def _check_time(self, share: float) -> None:
        """As for any search, but also report the progress of the descent."""
        self.clock.check()
        if self.descended:
            self._progress()
        else:
            self.engine.progress("descending", share)
