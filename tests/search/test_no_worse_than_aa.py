"""Safe cuts are never lost, also without any time. The clock is ours.

Covers: search/bounded.py, search/exact.py.
"""

from __future__ import annotations

import pytest

import shoal
from shoal.search import clock
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.expansion import Expansion
from shoal.search.series import Pair, solve_all
from shoal.search.threats import counter_of
from tests.algorithms.test_optimal import QUIET, medium
from tests.search.test_clock import Watch


def over() -> Clock:
    """A clock whose time is up before the search begins."""
    ended = Clock(0)
    ended.start()
    ended.conclude()
    return ended


# ---- safe cuts are offered before the clock is read


@pytest.mark.parametrize("m", [1, 2])
def test_the_greedy_cut_over_the_pairs_is_found_without_any_time(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = medium(m=m, k=20, fanout=2, rows=600).prepared
    tree = Expansion(problem.hierarchy, problem.costs)
    threats = counter_of(problem.items, problem.hierarchy, 20, QUIET).small(m)
    monkeypatch.setattr(clock, "AFTER", 0.0)
    search = ExactSearch(problem, QUIET, over())
    search.run(needs_proof=False)
    assert tree.cost(search.best) <= tree.cost(tree.fill(threats)) < tree.cost(set())


@pytest.mark.parametrize("m", [3, 4])
def test_a_descent_that_is_stopped_keeps_its_last_safe_cut(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = medium(m=m, fanout=2, rows=600).prepared
    search = ExactSearch(problem, QUIET, Clock(60).part(1.0))
    offered: list[int] = []
    offer = search._offer

    def offer_and_stop(expanded: set[int]) -> None:
        offer(expanded)
        offered.append(search.tree.cost(expanded))
        if len(offered) == 3:
            search.clock.until = search.clock.end = 0.0

    monkeypatch.setattr(search, "_offer", offer_and_stop)
    solution = search.run(needs_proof=False)
    assert solution.optimality is not None
    assert solution.optimality.ended == "time limit"
    assert search.tree.cost(search.best) == min(offered) < search.tree.cost(set())


@pytest.mark.parametrize("how", ["none", "frequency", "best"])
def test_every_pair_of_a_frontier_has_a_safe_cut_without_any_time(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = medium(m=2, fanout=2, rows=600)
    pairs = [Pair(k, m) for k in (2, 5) for m in (1, 2, 3)]
    prepared = {
        pair: shoal.Problem(given.data, given.hierarchy, shoal.Km(k=pair.k, m=pair.m)).prepared for pair in pairs
    }
    Watch(monkeypatch, 1000.0)
    monkeypatch.setattr(clock, "AFTER", 0.0)
    for _, solution in solve_all(prepared, how, QUIET, Clock(0)):
        assert solution.optimality is not None
        assert solution.optimality.loss < 0.5
