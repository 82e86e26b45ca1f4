"""What searches with a proved bound share: the best cut so far, the bound, the time limit, and the result."""

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
from shoal.search.expansion import Expansion
from shoal.search.solver import SolverMissing

FIRST_EFFORT = 1.0  # in the solver's deterministic time, roughly seconds
MORE_EFFORT = 4.0


class BoundedSearch:
    """A search on its way; the clock limits it once there is a first safe result."""

    def __init__(self, problem: Prepared[ItemsetModel], engine: Engine, clock: Clock) -> None:
        self.problem, self.engine, self.clock = problem, engine, clock
        self.demand = problem.model.demand(problem.items)
        self.tree = Expansion(problem.hierarchy, problem.costs)
        self.best: set[int] = set()  # the expanded nodes of the best cut so far; at first everything is the root
        self.bound = 0
        self.rounds = 0
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def _offer(self, expanded: set[int]) -> None:
        """Keep a cut that satisfies the model if it is the best so far."""
        if self.tree.cost(expanded) < self.tree.cost(self.best):
            self.best = expanded

    def _ready(self) -> bool:
        """Whether there is something to return, should the user have had enough."""
        return True

    def _run_steps(self, *steps: Callable[[], None]) -> Ended:
        """How the steps of the search ended, one after the other."""
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
        """Do what is due after the search; if that is cut short, too, what there is must do."""
        self.clock.conclude(interrupted=ended == "interrupted")
        try:
            conclude(ended)
        except OutOfTime:
            pass
        except KeyboardInterrupt:
            if not self._ready() or ended == "interrupted":  # the second time: give up
                raise
            return "interrupted"
        return ended

    def _cost(self) -> int:
        """What the best so far costs."""
        return self.tree.cost(self.best)

    def cut(self) -> GlobalCut:
        """The best so far."""
        return self.tree.cut(self.best)

    def _proved(self, ended: Ended, clauses: int, **statistics: float) -> CutSolution:
        """The result in the user's terms."""
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
        return CutSolution(self.cut(), optimality, {**statistics, **times})

    def _check_time(self, share: float) -> None:
        """Between steps, and from inside the kernels: fail if time is up, else tell how far it is."""
        self.clock.check()
        self._progress()

    def _solving(self, share: float) -> None:
        """While the solver runs: it looks at the clock itself, and when time is up it has a bound to tell."""
        self._progress()

    def _within_time(self) -> Engine:
        """The engine for other algorithms, which end when time is up."""

        def progress(stage: str, share: float) -> None:
            self.clock.check()
            self.engine.progress(stage, share)

        return Engine(self.engine.workers, progress)

    def _progress(self) -> None:
        """Tell how much of the best cost is proved unavoidable."""
        self.engine.progress("proving", self.bound / max(1, self._cost()))

    @contextlib.contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Add up the seconds of a kind of work."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] += time.perf_counter() - start
