"""The optimal k^m cut by lazy threats, and a proved bound when time runs out first (optimum.md, 4).

1. All threats from one or two labels, at once. For m <= 2 they are all there is.
2. Descent: the greedy cut above depth 1, 2, .. of the hierarchy, each made safe by the threats that it runs into.
   Threats near the root are found while there is little to count, and hold below too. It ends in a safe cut, the
   first result: no time limit holds before.
3. Rounds: solve the relaxed problem, which knows the threats found so far; its bound holds for every safe cut. The
   threats that its cut runs into are added, and the cut is repaired. None: it is safe, and the best there is.

A round's solver gets a limited effort: a proof on a weak relaxation is of no use. The effort grows only when its best
cut is safe but not proved best.

The descent ends sooner than AA, and in a cut that was no worse on all data we tried. To be sure, AA is asked too: at
half-time, or else after the limit, for as long as there is time. At the end every node that can be expanded is
(:mod:`shoal.search.polish`), which matters where it gains nothing.

Cost: a few countings of the label sets at a cut, and the solver; memory proportional to the expanded rows.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Iterable, Sequence

from shoal.engines import Engine
from shoal.kernels.search.cuts.threats import Threats
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Ended
from shoal.search import solver
from shoal.search.bounded import FIRST_EFFORT, MORE_EFFORT, BoundedSearch
from shoal.search.clock import Clock
from shoal.search.direct import CutInput, level_by_level
from shoal.search.expansion import Threat
from shoal.search.polish import respecialise
from shoal.search.threats import counter_of

AA_SHARE, BOUND_SHARE = 1 / 2, 1 / 2  # of the time left after the search, one after the other; the rest: the polish


class ExactSearch(BoundedSearch):
    """One search."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine, clock: Clock) -> None:
        super().__init__(problem, engine, clock)
        self.paired = False  # whether the threats of up to two labels are known
        self.threats: list[list[int]] = []
        self.lifted_before = 0.0  # seconds that the counter has spent for an earlier search
        self.descended = self.solved = False  # whether there is a first safe cut; whether the solver had a bound
        self.aa: set[int] | None = None  # the cut of AA; kept apart: rounds must not depend on the clock
        self.aa_seconds = 0.0  # how long AA was given at most

    @functools.cached_property
    def counter(self) -> Threats:
        """What counts; set up when it is needed, as that takes time."""
        self.clock.check()
        with self._timed("counting"):
            return counter_of(self.problem.items, self.problem.hierarchy, self.demand.k, self.engine)

    def run(self, *, needs_proof: bool) -> CutSolution:
        """Search; without the solver installed either fail or go without a proof."""
        if needs_proof:
            with self._timed("solving"):
                solver.load()  # missing, it is missed before any work
        ended = self._run_steps(self.begin, self._prove)
        ended = self._concluded(ended, self._conclude)
        return self._solution("proven" if self.bound == self.tree.cost(self.best) else ended)

    def begin(self) -> None:
        """Find the first safe cut, whatever the limit."""
        if not self.descended:
            self._count_pairs()
            self._descend()
            self.clock.start()

    def offer(self, cut: GlobalCut) -> None:
        """Start from a safe cut; nothing worse will be returned."""
        self._offer(self.tree.expanded(cut))

    def follow(self, weaker: Iterable[ExactSearch]) -> None:
        """Start from what searches have found on the same rows and hierarchy whose k and m are no larger.

        A set of labels that is too rare for them is too rare here: their threats hold, and so do their bounds. With the
        same k, counting is not done again.
        """
        for search in weaker:
            self.threats += search.threats
            self.bound = max(self.bound, search.bound)
            if search.demand.k == self.demand.k and search.paired and "counter" in search.__dict__:
                self.counter, self.lifted_before = search.counter, search.counter.lifting_seconds
                self.paired |= min(2, search.demand.known) == min(2, self.demand.known)

    def forget_counter(self) -> None:
        """Free the memory of what counts, if no further search will start from this one with the same k."""
        self.__dict__.pop("counter", None)

    def _ready(self) -> bool:
        """After the descent."""
        return self.descended

    def _count_pairs(self) -> None:
        """Find the threats of up to two labels: nothing can be said or done without."""
        counter, tick = self.counter, self._within_time().tick("counting pairs")
        self.clock.check()
        followed = bool(self.threats)
        with self._timed("counting"):
            if not self.paired and self.demand.known:
                self.threats += counter.small(min(2, self.demand.known), tick=tick)
            if followed:
                self.threats = counter.minimal(self.threats)
        self.paired = True
        self.bound = max(self.bound, self.tree.lower_bound(self.threats))

    def _descend(self) -> None:
        """Greedy cuts from the root down, each safe before the next."""
        first = 1 if self.demand.known > 2 else self.tree.height  # without larger sets the greedy cut is safe as it is
        for depth in range(first, self.tree.height + 1):
            expanded = self.tree.fill(self.threats, depth=depth)
            while self._separate(expanded, depth / max(1, self.tree.height)):
                expanded = self.tree.fill(self.threats, depth=depth)
            self._offer(expanded)
        self.descended = True

    def _prove(self) -> None:
        """Rounds until the bound meets the best cut."""
        effort = FIRST_EFFORT
        while self.bound < self.tree.cost(self.best):
            self._check_time(0.0)
            if time.monotonic() > self.clock.half_time:
                self._ask_aa()
            relaxed = self._solve(effort)
            expanded, settled = relaxed.expanded, len(self.threats)
            if self._separate(expanded, 0.0):
                for other in relaxed.before:  # worse than the best, but their threats spare rounds
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
        """What is due after the search: a bound, AA's cut to compare with, the polish."""
        if not self.paired:  # there was time for nothing
            return
        if ended in ("time limit", "no solver") and self.bound < self.tree.cost(self.best):
            with self.clock.share(AA_SHARE):
                self._ask_aa()
        if ended in ("time limit", "interrupted") and not self.solved:
            with contextlib.suppress(solver.SolverMissing), self.clock.share(BOUND_SHARE):
                self._solve(FIRST_EFFORT)
        if ended != "proven" and self.aa is not None:
            self._offer(self.aa)
        with self._timed("polishing"):
            respecialise(
                self.tree, self.counter, self.best, self.demand.known, known=self.threats, tick=self._check_time
            )

    def _solve(self, effort: float) -> solver.Relaxed:
        """Solve the relaxed problem and take its bound."""
        self.clock.check()
        self.threats = self.counter.minimal(self.threats)
        with self._timed("solving"):
            args = (self.tree, self.threats, self.best, effort, self.clock.until, self._solving)
            relaxed = solver.solve(*args)
        self.rounds += 1
        self.bound = max(self.bound, relaxed.bound)
        self.solved |= relaxed.bound > 0
        return relaxed

    def _separate(self, expanded: set[int], share: float, known: Sequence[Threat] = ()) -> bool:
        """Add the threats that a cut runs into; whether there are any. Known: those that it may run into."""
        if self.demand.known <= 2 or expanded == self.best:  # known to be safe
            return False
        self._check_time(share)
        with self._timed("counting"):
            raised = self.tree.raised(expanded)
            threats = self.counter.at(raised, 3, self.demand.known, known=known, tick=self._check_time)
            self.threats += threats
        return bool(threats)

    def _ask_aa(self) -> None:
        """Take the cut of AA, once, unless AA was too slow for the same time before."""
        if self.aa is None and self.clock.left() > self.aa_seconds:
            self.aa_seconds = self.clock.left()
            with self._timed("AA"):
                repaired = level_by_level(CutInput.of(self.problem), self.problem.model, self._within_time())
            self.aa = self.tree.expanded(GlobalCut.raising(self.problem.hierarchy, repaired.raised))

    def _solution(self, ended: Ended) -> CutSolution:
        """The result in the user's terms."""
        if self.paired:
            self.threats = self.counter.minimal(self.threats)
            self.seconds["lifting"] = self.counter.lifting_seconds - self.lifted_before
            self.seconds["counting"] -= self.seconds["lifting"]
        return self._proved(ended, len(self.threats))

    def _check_time(self, share: float) -> None:
        """As for any search, but the descent is told of, too."""
        self.clock.check()
        if self.descended:
            self._progress()
        else:
            self.engine.progress("descending", share)
