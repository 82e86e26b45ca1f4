"""The common part of searches with a proved bound: the best cut so far, the bound, the time limit, and the result."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Ended, Optimality
from shoal.search.clock import Clock, OutOfTime
from shoal.search.direct import cheaper_aa
from shoal.search.expansion import Expansion
from shoal.search.solver import SolverMissing

FIRST_EFFORT = 1.0  # in the deterministic time of the solver, roughly seconds
MORE_EFFORT = 4.0


class BoundedSearch:
    """A search in progress. The clock limits it as soon as there is a first safe result."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine, clock: Clock) -> None:
        self.problem, self.engine, self.clock = problem, engine, clock
        self.demand = problem.model.demand(problem.items)
        self.tree = Expansion(problem.hierarchy, problem.costs)
        self.best: set[int] = set()  # the expanded nodes of the best cut so far; at first everything is the root
        self.aside: set[int] | None = None  # the best of the safe cuts that count only without a proof
        self.beats_aa = False  # whether the best cut and those aside are known to be no worse than the cut of AA
        self.aa_seconds = 0.0  # that AA has taken without an end
        self.bound = 0
        self.rounds = 0
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def _offer(self, expanded: set[int]) -> None:
        """Keep a cut that satisfies the model if it is the best so far."""
        if self.tree.cost(expanded) < self.tree.cost(self.best):
            self.best = expanded

    def _set_aside(self, expanded: set[int]) -> None:
        """Keep a safe cut for the end of a search without a proof.

        A proof must not depend on such cuts: whether there is time for them depends on the machine.
        """
        best = self.aside if self.aside is not None else self.best if self._ready() else None
        if best is None or self.tree.cost(expanded) < self.tree.cost(best):
            self.aside = expanded

    def _take_aside(self) -> None:
        """Offer the cut that was set aside, because there is no proof."""
        if self.aside is not None:
            self._offer(self.aside)

    def _ask_aa(self, part: float) -> None:
        """Find out whether the cut of AA is better, in the time it needs. A strict clock gives a part of its time.

        AA runs once. It is not tried again in less time than it has taken without an end.
        """
        if self.beats_aa or self.bound >= self._cost():
            return
        with self.clock.as_needed(part):
            if self.clock.left() <= self.aa_seconds:
                return
            began = time.monotonic()
            try:
                with self._timed("AA"):
                    cut = cheaper_aa(self.problem, self._cost(), self._within_time())
            except BaseException:
                self.aa_seconds = time.monotonic() - began
                raise
            self.beats_aa = True
            if cut is not None:
                self._set_aside(self.tree.expanded(cut))

    def _ready(self) -> bool:
        """Whether there is a result to return if the user interrupts."""
        return True

    def _run_steps(self, *steps: Callable[[], None]) -> Ended:
        """Run the steps of the search one after the other, and return how it ended."""
        try:
            for step in steps:
                step()
        except OutOfTime:
            return "time limit"
        except KeyboardInterrupt:
            if not self._ready():
                raise
            return "interrupted"
        except SolverMissing:
            return "no solver"
        return "proven"

    def _concluded(self, ended: Ended, conclude: Callable[[Ended], None]) -> Ended:
        """Run the work that follows the search. If that is interrupted too, the best so far is returned."""
        self.clock.conclude(interrupted=ended == "interrupted")
        if ended != "proven":
            self._take_aside()
        try:
            conclude(ended)
        except OutOfTime:
            pass
        except KeyboardInterrupt:
            if not self._ready() or ended == "interrupted":  # the second interrupt: give up
                raise
            return "interrupted"
        return ended

    def _cost(self) -> int:
        """The cost of the best cut so far."""
        return self.tree.cost(self.best)

    def cut(self) -> GlobalCut:
        """The best cut so far."""
        return self.tree.cut(self.best)

    def _proved(self, ended: Ended, clauses: int, **statistics: float) -> CutSolution:
        """Return the solution with its proved bound."""
        scale, cost = self.problem.scale, self._cost()
        assert self.bound <= cost, "a bound above the loss of a cut that satisfies the model"
        optimality = Optimality(
            loss=cost / scale,
            lower_bound=self.bound / scale,
            ended=ended,
            rounds=self.rounds,
            clauses=clauses,
        )
        times = {f"seconds_{name}": round(seconds, 6) for name, seconds in sorted(self.seconds.items())}
        beats_aa = self.beats_aa or self.bound == cost
        return CutSolution(self.cut(), optimality, {**statistics, **times}, beats_aa=beats_aa)

    def _check_time(self, share: float) -> None:
        """Raise an error if time is up, else report progress. Called between steps and from inside the kernels."""
        self.clock.check()
        self._progress()

    def _solving(self, share: float) -> None:
        """Report progress while the solver runs. The solver checks the clock itself, to return a bound."""
        self._progress()

    def _within_time(self) -> Engine:
        """Return an engine for other algorithms, which stops them when time is up."""
        return self.clock.limited(self.engine)

    def _progress(self) -> None:
        """Report how much of the best cost is proved to be unavoidable."""
        self.engine.progress("proving", self.bound / max(1, self._cost()))

    @contextlib.contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Add up the seconds that a kind of work takes."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] += time.perf_counter() - start
