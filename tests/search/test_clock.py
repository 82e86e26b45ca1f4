"""Time limits: what is found whatever the limit, and what is done after it. The clock is ours."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms.base import Algorithm
from shoal.errors import Infeasible
from shoal.kernels.search.cuts.conflicts import Conflicts
from shoal.kernels.search.cuts.threats import Threats
from shoal.kernels.search.repair.breaches import Breaches
from shoal.kernels.search.suppress.suppression import Suppression
from shoal.search import direct, solver
from shoal.search.clock import AFTER, AFTER_CTRL_C, CONCLUDING, Clock, OutOfTime
from shoal.search.siblings import SiblingSearch
from shoal.testing import problems
from tests.algorithms.test_optimal import QUIET, km, medium
from tests.budget import examples
from tests.search.test_cut_suppression import outliers
from tests.search.test_non_monotone import dense, either


class Watch:
    """A clock that moves on by ``step`` seconds whenever somebody looks at it."""

    def __init__(self, patch: pytest.MonkeyPatch, step: float) -> None:
        self.now, self.step = 0.0, step
        patch.setattr(time, "monotonic", self.look)

    def look(self) -> float:
        self.now += self.step
        return self.now


def negative(problem: shoal.Problem) -> shoal.Problem:
    values = problem.model.values()
    return shoal.Problem(problem.data, problem.hierarchy, shoal.models.KmNegative(k=values["k"], m=values["m"]))


def cost(problem: shoal.Problem, algorithm: Algorithm) -> int:
    solution = algorithm.solve(problem.prepared, QUIET)
    cut, prepared = solution.recoding, problem.prepared.on(solution.hierarchy or problem.prepared.hierarchy)
    assert isinstance(cut, shoal.recoding.GlobalCut)
    gone = int(prepared.occurrences[cut.suppressed].sum())
    return int(prepared.costs[cut.kept].sum()) + gone * prepared.loss.worst(prepared.hierarchy.n_leaves)


CASES: dict[str, tuple[Callable[[], shoal.Problem], type[shoal.algorithms.Auto | shoal.algorithms.OptimalSuppress]]] = {
    "km, m=2": (lambda: medium(m=2, fanout=2, rows=1000), shoal.algorithms.Auto),
    "km, m=4": (lambda: medium(m=4, fanout=2, rows=1000), shoal.algorithms.Auto),
    "lm": (lambda: dense(600, 60, 0), shoal.algorithms.Auto),
    "km-negative": (lambda: negative(medium(m=2, fanout=2, rows=1000)), shoal.algorithms.Auto),
    "suppression": (lambda: medium(m=3, k=20, rows=1000), shoal.algorithms.OptimalSuppress),
    "outliers": (outliers, shoal.algorithms.OptimalSuppress),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("step", [0.01, 1000.0])
def test_without_time_the_result_is_no_worse_than_aas(case: str, step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if there is not even time for the work after the limit."""
    make, algorithm = CASES[case]
    problem = make()
    aa = cost(problem, shoal.algorithms.AA())
    Watch(monkeypatch, step)
    assert cost(problem, algorithm(time_limit=0)) <= aa < int(problem.prepared.costs[problem.hierarchy.root])


@examples(80)
@given(problem=problems(st.one_of(km, either), max_rows=30))
def test_without_time_nothing_is_worse_than_aa(problem: shoal.Problem) -> None:
    """Where AA ends in the time after the limit, whatever the problem."""
    try:
        problem.model.feasible(problem.prepared.original)
        aa = cost(problem, shoal.algorithms.AA())
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        Watch(patch, 1e-6)
        assert cost(problem, shoal.algorithms.Auto(time_limit=0)) <= aa


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("limit", "step"), [(0, 0.25), (3, 0.25), (40, 0.5)])
@pytest.mark.parametrize("siblings", ["none", "best"])
def test_no_work_is_started_after_the_end(
    case: str, limit: float, step: float, siblings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is two seconds after the limit, the first safe result or the comparison with AA, whichever is last."""
    make, algorithm = CASES[case]
    problem = make()
    watch = Watch(monkeypatch, step)
    clock = Clock(limit)
    first: list[float] = []
    compared: list[float] = []
    comparing = False

    def start(self: Clock) -> None:
        begin(self)
        if self is clock and not first:
            first.append(watch.now)

    @contextlib.contextmanager
    def as_needed(self: Clock, part: float) -> Iterator[None]:
        nonlocal comparing
        with compare(self, part):
            comparing = self is clock
            yield
        comparing = False
        compared.append(watch.now)

    def guarded(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            assert comparing or watch.now <= clock.end, f"{name} after the end"
            return call(*args, **kwargs)

        return wrapped

    begin, compare = Clock.start, Clock.as_needed
    monkeypatch.setattr(Clock, "as_needed", as_needed)
    monkeypatch.setattr(Clock, "start", start)
    monkeypatch.setattr(Clock, "of", lambda limit: clock)
    for owner, name in [
        (Threats, "at"),
        (Threats, "small"),
        (Threats, "witness"),
        (Conflicts, "at"),
        (Breaches, "at"),
        (Suppression, "run"),
        (direct, "direct_pass"),
        (solver, "solve"),
        (solver.Joint, "solve"),
    ]:
        monkeypatch.setattr(owner, name, guarded(name, getattr(owner, name)))
    solution = algorithm(time_limit=limit, siblings=siblings).solve(problem.prepared, QUIET)
    assert solution.optimality is not None
    assert clock.end <= max(first[0], limit + step, *compared) + AFTER
    assert watch.now <= clock.end + 40 * step  # a few looks until all notice


@pytest.mark.parametrize(("limit", "step"), [(0, 0.25), (3, 0.25), (40, 0.5)])
def test_grouping_siblings_ends_in_time_too(limit: float, step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = medium(m=3, fanout=4, rows=500)
    aa = cost(problem, shoal.algorithms.AA())
    watch = Watch(monkeypatch, step)
    search = SiblingSearch(problem.prepared, QUIET, Clock(limit))
    solution = search.run(needs_proof=True)
    assert watch.now <= search.clock.end + 40 * step  # a few looks until all notice
    assert solution.optimality is not None
    assert solution.optimality.loss * problem.prepared.scale <= aa + 1e-6


def test_the_clock_holds_after_the_first_result_only(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(5)
    watch.now = 100
    clock.check()
    clock.start()
    with pytest.raises(OutOfTime):
        clock.check()
    clock.conclude()
    watch.now = 100 + AFTER - 0.1
    clock.check()
    watch.now += 1
    clock.start()  # of a second part of the search: the end stays
    clock.conclude()
    with pytest.raises(OutOfTime):
        clock.check()


def test_shares_and_parts_end_within_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(60)
    clock.start()
    steps = ["before"]
    with clock.share(0.5, most=20):
        assert clock.left() == 20
        watch.now = 30
        clock.check()
        steps.append("after time was up")
    assert steps == ["before"]
    assert clock.left() == 60 * (1 - CONCLUDING) - 30
    clock.conclude()
    assert clock.left() == 30 + AFTER
    part = clock.part(0.5)
    assert part.deadline < part.end == 30 + (30 + AFTER) / 2
    part.conclude()
    assert part.left() == (30 + AFTER) / 2


def test_the_first_search_within_another_starts_both(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(9)
    inner = clock.first(1 / 3)
    watch.now = 2
    inner.check()
    inner.start()
    assert inner.end == 3 + AFTER
    assert clock.end == 9 + AFTER
    late = Clock(0)
    inner = late.first(1 / 3)
    watch.now = 4
    inner.start()
    assert inner.end == late.end == 4 + AFTER


def test_a_search_for_something_not_safe_yet_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Watch(monkeypatch, 0)
    clock = Clock(8)
    inner = clock.before(1 / 4)
    inner.start()
    assert inner.end == 2 + AFTER
    assert clock.until == math.inf
    clock.start()
    assert clock.before(1 / 2).end == clock.left() / 2


def test_needed_work_has_the_time_it_needs_and_two_seconds_remain_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(10)
    clock.start()
    watch.now = 6
    with clock.as_needed(0.5):
        watch.now = 100
        clock.check()
    assert clock.end == 100 + AFTER
    with pytest.raises(OutOfTime):  # the search itself is over
        clock.check()
    clock.conclude()
    with clock.as_needed(0.5):
        watch.now = 200
    assert clock.left() == AFTER


@pytest.mark.parametrize("which", ["part", "before", "first of a strict one", "first"])
def test_needed_work_of_a_strict_clock_has_a_part_of_its_time(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    whole = Clock(10, strict=which == "first of a strict one")
    whole.start()
    whole.conclude()
    clock = {"part": whole.part, "before": whole.before}.get(which, whole.first)(1.0)
    clock.start()
    steps = ["before"]
    with clock.as_needed(0.5):
        watch.now = 100
        clock.check()
        steps.append("beyond the limit")
    assert steps == (["before", "beyond the limit"] if which == "first" else ["before"])


def test_a_search_without_a_safe_result_elsewhere_finds_one_first(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    whole = Clock(8)
    whole.start()
    clock = whole.part(0.5, safe=False)
    watch.now = 100
    clock.check()
    clock.start()
    with pytest.raises(OutOfTime):
        clock.check()
    assert not clock.left()


def test_ctrl_c_in_a_part_ends_the_whole_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(math.inf)
    clock.start()
    clock.part(0.5).conclude(interrupted=True)
    assert clock.left() == math.inf  # until the search around it hears of it
    watch.now = 2
    clock.conclude(interrupted=True)
    assert clock.left() == AFTER_CTRL_C - 2
    with clock.as_needed(0.5):
        assert clock.left() == (AFTER_CTRL_C - 2) / 2


def test_ctrl_c_ends_an_unlimited_search_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch, 0)
    clock = Clock(math.inf)
    clock.start()
    watch.now = 1e6
    clock.check()
    with clock.share(0.5):
        assert clock.left() == math.inf
    clock.conclude()
    assert clock.left() == math.inf
    clock.conclude(interrupted=True)
    assert clock.left() == AFTER_CTRL_C


def test_a_proof_of_small_data_has_time_on_a_slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little time was spent before it: loading the solver alone may take longer."""
    rows = [["i0", "i1", "i2"], ["i0", "i4"], *[["i0", "i1", "i2", "i3", "i4"]] * 5, ["i0", "i3", "i4"], ["i1", "i4"]]
    rows += [["i3"], ["i0"], [], [], []]
    tree = shoal.Hierarchy.from_tree({"g3": {"g1": ["i3", "i4"], "g2": {"g0": ["i0", "i1", "i2"]}}})
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=6, m="all"))
    watch, prove = Watch(monkeypatch, 1e-6), SiblingSearch._proved

    def slowly(self: SiblingSearch, *given: Any) -> Any:
        watch.step = 0.02
        return prove(self, *given)

    monkeypatch.setattr(SiblingSearch, "_proved", slowly)
    found = shoal.algorithms.Auto().solve(problem.prepared, QUIET)
    assert found.optimality is not None
    assert found.optimality.ended == "proven"
