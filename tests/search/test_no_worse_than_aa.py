"""Safe cuts are never lost, and no result without a proof is worse than AA's: also without any time. The clock is ours.

Covers: search/bounded.py, search/direct.py, search/exact.py, search/non_monotone.py, search/sibling_trees.py,
search/siblings.py.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.algorithms.auto import Auto
from shoal.algorithms.optimal import Optimal
from shoal.errors import Infeasible
from shoal.models.base import ItemsetModel
from shoal.search import bounded, clock, sibling_trees, siblings
from shoal.search.clock import AFTER_CTRL_C, Clock, OutOfTime
from shoal.search.direct import cheaper_aa
from shoal.search.exact import ExactSearch
from shoal.search.expansion import Expansion
from shoal.search.non_monotone import NonMonotoneSearch
from shoal.search.series import Pair, solve_all
from shoal.search.threats import counter_of
from shoal.testing import problems
from tests.algorithms.test_optimal import QUIET, medium
from tests.budget import examples
from tests.search.test_clock import Watch, cost, negative

SIBLINGS = ("none", "best", "frequency")
MODELS: dict[str, Callable[[int, int], ItemsetModel]] = {
    "km": lambda k, m: shoal.Km(k=k, m=m),
    "km-negative": lambda k, m: shoal.models.KmNegative(k=2, m=m),
    "lm": lambda k, m: shoal.Lm(l=2, m=m, sensitive=("s0", "s1")),
}


def skewed(seed: int, model: str) -> shoal.Problem:
    """Items of very different frequency: for some seeds, greedy cuts are worse than AA's."""
    random = Random(seed)
    items = [f"i{i}" for i in range(random.choice([8, 12, 16, 24, 32]))]
    weights = [1 / (i + 1) ** random.choice([0.5, 1, 1.5]) for i in range(len(items))]
    random.shuffle(weights)
    rows = [sorted(set(random.choices(items, weights, k=random.randint(1, 6)))) for _ in range(random.randint(20, 120))]
    tree = hierarchies.balanced(items, fanout=random.choice([2, 3, 4, 5]))
    m = random.randint(1, 3)
    secrets = [[value for value in ("s0", "s1") if random.random() < 0.2] for _ in rows]
    if model == "lm":
        rows = [row + values for row, values in zip(rows, [["s0", "s1"], *secrets[1:]], strict=True)]
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows))
    return shoal.Problem(data, tree, MODELS[model](random.randint(2, 4), m))


def aa_cost(problem: shoal.Problem, how: str) -> int | None:
    """The cost of AA on the hierarchy that is searched; with the best groups of siblings, on the original one."""
    try:
        problem.model.feasible(problem.prepared.original)
        return cost(problem, shoal.algorithms.AA(siblings="none" if how == "best" else how))
    except Infeasible:
        return None


def cost_without_time(problem: shoal.Problem, algorithm: type[Auto | Optimal], how: str) -> int:
    """Every look at the clock finds that time is up, and no time is allowed after that."""
    with pytest.MonkeyPatch.context() as patch:
        Watch(patch, 1000.0)
        patch.setattr(clock, "AFTER", 0.0)
        return cost(problem, algorithm(time_limit=0, siblings=how))


def over() -> Clock:
    """A clock whose time is up before the search begins."""
    ended = Clock(0)
    ended.start()
    ended.conclude()
    return ended


# ---- safe cuts are offered before the clock is read


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("strict", [False, True])
def test_the_greedy_cut_over_the_pairs_is_found_without_any_time(
    m: int, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = medium(m=m, k=20, fanout=2, rows=600).prepared
    tree = Expansion(problem.hierarchy, problem.costs)
    threats = counter_of(problem.items, problem.hierarchy, 20, QUIET).small(m)
    monkeypatch.setattr(clock, "AFTER", 0.0)
    ended = over()
    ended.strict = strict
    search = ExactSearch(problem, QUIET, ended)
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
    for _, solution in solve_all(prepared, how, QUIET, Clock(0, strict=True)):
        assert solution.optimality is not None
        assert solution.optimality.loss < 0.5


# ---- never worse than AA


@pytest.mark.parametrize("algorithm", [Auto, Optimal])
@pytest.mark.parametrize(
    ("model", "seed", "how"),
    [
        ("km", 1238, "none"),
        ("km", 908, "none"),
        ("km", 269, "best"),
        ("km", 2335, "best"),
        ("km", 269, "frequency"),
        ("km-negative", 2977, "none"),
        ("km-negative", 1888, "best"),
        ("km-negative", 2144, "frequency"),
    ],
)
def test_where_greedy_cuts_are_worse_than_aas_the_cut_of_aa_is_taken(
    model: str, seed: int, how: str, algorithm: type[Auto | Optimal], monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = skewed(seed, model)
    aa = aa_cost(problem, how)
    assert aa is not None
    assert cost_without_time(problem, algorithm, how) <= aa
    for module in (bounded, sibling_trees):
        monkeypatch.setattr(module, "cheaper_aa", lambda *_: None)
    assert cost_without_time(problem, algorithm, how) > aa  # without the comparison


@examples(300)
@given(data=st.data(), model=st.sampled_from(sorted(MODELS)), m=st.integers(1, 3), how=st.sampled_from(SIBLINGS))
def test_no_result_without_time_is_worse_than_aas(data: st.DataObject, model: str, m: int, how: str) -> None:
    models = st.integers(2, 4).map(lambda k: MODELS[model](k, m))
    problem = data.draw(problems(models, max_rows=25))
    aa = aa_cost(problem, how)
    if aa is not None:
        assert cost_without_time(problem, Auto, how) <= aa


@pytest.mark.parametrize("how", SIBLINGS)
@pytest.mark.parametrize("model", MODELS)
def test_no_result_on_skewed_data_is_worse_than_aas(model: str, how: str) -> None:
    for seed in range(20):
        problem = skewed(seed, model)
        aa = aa_cost(problem, how)
        if aa is not None:
            assert cost_without_time(problem, Auto, how) <= aa, seed


@pytest.mark.parametrize("how", ["none", "best"])
@pytest.mark.parametrize("clean", [False, True])
def test_where_no_repair_succeeds_in_time_there_is_still_a_result(
    how: str, clean: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of AA, or that of the descent if that is better."""

    def refused(self: NonMonotoneSearch, *_: Any) -> None:
        if not self.satisfied:
            self.refused = Infeasible("The repair failed.")

    def stopped(self: NonMonotoneSearch) -> None:
        raise OutOfTime

    monkeypatch.setattr(NonMonotoneSearch, "_repair", refused)
    monkeypatch.setattr(NonMonotoneSearch, "_prove" if clean else "_descend", stopped)
    problem = negative(medium(m=2, fanout=2, rows=600))
    aa = aa_cost(problem, how)
    assert aa is not None
    assert cost(problem, Auto(siblings=how)) <= aa


@examples(150)
@given(data=st.data(), model=st.sampled_from(sorted(MODELS)), share=st.floats(0, 1.2))
def test_aa_is_stopped_only_where_its_cut_is_not_cheaper(data: st.DataObject, model: str, share: float) -> None:
    problem = data.draw(problems(st.integers(2, 4).map(lambda k: MODELS[model](k, 2))))
    aa = aa_cost(problem, "none")
    most = round(share * int(problem.prepared.costs[-1]))
    if aa is None:
        return
    prepared: Any = problem.prepared
    cut = cheaper_aa(prepared, most, QUIET)
    assert (cut is not None) == (aa < most)
    if cut is not None:
        assert int(prepared.costs[cut.nodes].sum()) == aa


def test_with_a_proof_aa_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("AA runs")

    for module in (bounded, sibling_trees):
        monkeypatch.setattr(module, "cheaper_aa", asked)
    monkeypatch.setattr(siblings, "WORK", 1_000_000)
    problem = medium(m=2, rows=600)
    for one in (problem, negative(problem)):
        for how in SIBLINGS:
            found = Auto(siblings=how).solve(one.prepared, QUIET).optimality
            assert found is not None
            assert found.proven


# ---- Ctrl-C


@pytest.mark.parametrize("how", ["none", "best"])
def test_ctrl_c_ends_the_comparison_and_keeps_the_best_so_far(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    for module in (bounded, sibling_trees):
        monkeypatch.setattr(module, "cheaper_aa", stopped)
    monkeypatch.setattr(clock, "AFTER", 0.0)
    problem = medium(m=2, fanout=2, rows=600)
    found = Auto(time_limit=0, siblings=how).solve(problem.prepared, QUIET).optimality
    assert found is not None
    assert found.ended == "interrupted"
    assert found.loss < 0.5


def test_ctrl_c_after_the_comparison_does_not_lose_the_cut_of_aa(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare_and_stop(self: ExactSearch) -> None:
        self._ask_aa(1.0)
        raise OutOfTime

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    problem = skewed(1238, "km")
    monkeypatch.setattr(ExactSearch, "_prove", compare_and_stop)
    monkeypatch.setattr(ExactSearch, "_solve", interrupted)
    assert cost(problem, Auto(siblings="none")) <= (aa_cost(problem, "none") or 0)


@pytest.mark.parametrize("how", ["none", "best"])
def test_after_ctrl_c_aa_has_no_more_than_seconds(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """AA would take forever: every report of its progress takes a second."""
    watch = Watch(monkeypatch, 0.0)
    stopped: list[float] = []

    def progress(stage: str, share: float) -> None:
        if stage == "proving" and not stopped:
            stopped.append(watch.now)
            raise KeyboardInterrupt

    def forever(problem: Any, most: int, engine: shoal.Engine) -> None:
        while True:
            watch.now += 1.0
            engine.progress("comparing with AA", 0.0)

    for module in (bounded, sibling_trees):
        monkeypatch.setattr(module, "cheaper_aa", forever)
    problem = medium(fanout=2, rows=1000)
    algorithm = Optimal(siblings=how)
    found = algorithm.solve(problem.prepared, shoal.Engine(1, progress)).optimality
    assert found is not None
    assert found.ended == "interrupted"
    assert stopped[0] < watch.now <= stopped[0] + AFTER_CTRL_C + 1.0  # one report late
