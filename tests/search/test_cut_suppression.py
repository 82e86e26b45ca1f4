"""The best cut and the best suppression together: against exhaustive enumeration, within limits, when stopped early.

Covers: algorithms/optimal_suppress.py.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.algorithms.base import SuppressingAlgorithm
from shoal.algorithms.optimal_suppress import OptimalSuppress
from shoal.errors import Infeasible
from shoal.recoding.solution import Solution
from shoal.report.explanations import explain_cut
from shoal.search import cut_suppression
from shoal.search.clock import OutOfTime
from shoal.testing import problems
from tests import oracles
from tests.algorithms.test_optimal import QUIET, feasible, km, medium, safe, weighted, weights
from tests.budget import examples
from tests.kernels.search.cuts.test_conflicts import suppressing_cuts


def cost(problem: shoal.Problem, cut: shoal.recoding.GlobalCut) -> int:
    """What is published costs as its nodes do; what is not, the worst."""
    gone = int(problem.prepared.occurrences[cut.suppressed].sum())
    return int(problem.prepared.costs[cut.kept].sum()) + gone * problem.loss.worst(problem.hierarchy.n_leaves)


def solved(problem: shoal.Problem, algorithm: OptimalSuppress) -> tuple[Solution, shoal.recoding.GlobalCut]:
    solution = algorithm.solve(problem.prepared, QUIET)
    assert isinstance(solution.recoding, shoal.recoding.GlobalCut)
    return solution, solution.recoding


def check_optimal(problem: shoal.Problem, algorithm: OptimalSuppress) -> None:
    """No recoding within the limits is safe and costs less; if none is safe, that is told."""
    allowed = algorithm.limits(problem.prepared)
    supports = problem.prepared.items.supports
    costs = [
        cost(problem, cut)
        for cut in suppressing_cuts(problem.hierarchy)
        if not allowed.protected[cut.suppressed].any()
        and supports[cut.suppressed].sum() * 100 <= algorithm.max_suppressed * len(problem.prepared.items.items)
        and safe(problem, cut)
    ]
    if not costs:
        with pytest.raises(Infeasible, match="limits on suppression"):
            algorithm.solve(problem.prepared, QUIET)
        return
    solution, cut = solved(problem, algorithm)
    assert cost(problem, cut) == min(costs)
    assert safe(problem, cut)
    assert not allowed.protected[cut.suppressed].any()
    assert supports[cut.suppressed].sum() * 100 <= algorithm.max_suppressed * len(problem.prepared.items.items)
    assert supports[cut.suppressed].all(), "what does not occur cannot be suppressed"
    assert solution.optimality is not None
    assert solution.optimality.proven
    assert solution.optimality.lower_bound == pytest.approx(min(costs) / problem.prepared.scale, abs=1e-15)


@examples(300)
@given(problem=problems(km, max_leaves=6), given_weights=st.none() | weights)
def test_no_cut_with_suppression_is_better(problem: shoal.Problem, given_weights: dict[str, float] | None) -> None:
    check_optimal(weighted(problem, given_weights) if given_weights else problem, OptimalSuppress())


@examples(200)
@given(problem=problems(km, max_leaves=6), percent=st.sampled_from([0, 5, 20, 33.3, 50, 100]), data=st.data())
def test_limits_are_kept_and_the_best_within_them_is_found(
    problem: shoal.Problem, percent: float, data: st.DataObject
) -> None:
    never = data.draw(st.sets(st.sampled_from(problem.hierarchy.labels), max_size=2))
    check_optimal(problem, OptimalSuppress(max_suppressed=percent, never_suppress=tuple(sorted(never))))


@examples(60)
@given(problem=problems(km))
def test_without_suppression_it_is_the_best_cut(problem: shoal.Problem) -> None:
    if not feasible(problem):
        return
    _, cut = solved(problem, OptimalSuppress(max_suppressed=0))
    best = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    assert best is not None
    assert cost(problem, cut) / problem.prepared.scale == pytest.approx(best.loss, abs=1e-15)


@examples(100)
@given(problem=problems(km))
def test_nothing_that_is_suppressed_could_stay(problem: shoal.Problem) -> None:
    _, cut = solved(problem, OptimalSuppress())
    for leaf in cut.suppressed:
        more = shoal.recoding.GlobalCut(cut.hierarchy, cut.nodes, cut.suppressed[cut.suppressed != leaf])
        assert not safe(problem, more)


@examples(150)
@given(
    problem=problems(km),
    algorithm=st.sampled_from([OptimalSuppress(), shoal.algorithms.MHgHs(), shoal.algorithms.MM()]),
)
def test_explanations_of_what_is_suppressed_are_true(problem: shoal.Problem, algorithm: SuppressingAlgorithm) -> None:
    """A witness is a rare set of labels that would be published; where there is none, the label could be."""
    cut = algorithm.solve(problem.prepared, QUIET).recoding
    assert isinstance(cut, shoal.recoding.GlobalCut)
    k, m = (problem.model.values()[name] for name in ("k", "m"))
    for one in explain_cut(problem.prepared, cut):
        if not one.suppressed:
            continue
        node = problem.hierarchy.code_of[one.group]
        more = shoal.recoding.GlobalCut(cut.hierarchy, cut.nodes, cut.suppressed[cut.suppressed != node])
        assert safe(problem, more) == (one.witness is None)
        if one.witness is not None:
            rows = more.apply(problem.prepared.items).rows.sets()
            count = oracles.support(rows, one.witness.labels, problem.prepared.persons)
            assert one.witness.support == count < int(k)
            assert one.group in one.witness.labels
            assert m == "all" or len(one.witness.labels) <= int(m)


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_stopped_early_the_bound_is_honest_and_the_starts_are_kept(seconds: float) -> None:
    problem = medium(m=3, k=20)
    proved, _ = solved(problem, OptimalSuppress())
    stopped, cut = solved(problem, OptimalSuppress(time_limit=seconds))
    assert proved.optimality is not None
    assert stopped.optimality is not None
    assert proved.optimality.proven
    assert stopped.optimality.lower_bound <= proved.optimality.loss <= stopped.optimality.loss
    plain = shoal.algorithms.Optimal(time_limit=seconds).solve(problem.prepared, QUIET).optimality
    assert plain is not None
    assert stopped.optimality.loss <= plain.loss
    assert shoal.Km(k=20, m=3).verify(cut.apply(problem.prepared.items)).holds


def outliers() -> shoal.Problem:
    """Every group of five has an item that is in one or two records."""
    random = Random(1)
    rows = [{f"i{5 * random.randrange(8) + random.randrange(4)}" for _ in range(4)} for _ in range(900)]
    for group in range(8):
        rows[group].add(f"i{5 * group + 4}")
        rows[random.randrange(900)].add(f"i{5 * group + 4}")
    labels = sorted({label for row in rows for label in row}, key=lambda label: int(label[1:]))
    return shoal.Problem(shoal.read(rows), hierarchies.balanced(labels, fanout=5), shoal.Km(k=5, m=2))


def test_outliers_are_suppressed_and_the_result_repeats() -> None:
    problem = outliers()
    first, cut = solved(problem, OptimalSuppress())
    again, same = solved(problem, OptimalSuppress())
    plain = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    assert first.optimality is not None
    assert plain is not None
    assert first.optimality.loss < plain.loss * 2 / 3
    assert 1 <= len(cut.suppressed) <= 8
    assert np.array_equal(cut.nodes, same.nodes)
    assert np.array_equal(cut.suppressed, same.suppressed)
    assert first.optimality == again.optimality


def test_interrupted_it_returns_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: cut_suppression.CutSuppressionSearch) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cut_suppression.CutSuppressionSearch, "_prove", interrupt)
    solution, cut = solved(outliers(), OptimalSuppress())
    assert solution.optimality is not None
    assert solution.optimality.ended == "interrupted"
    assert len(cut.nodes) > 1


@pytest.mark.parametrize("start", ["mhghs", "hghs"])
def test_a_start_that_takes_too_long_is_done_without(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> Solution:
        raise OutOfTime

    best, _ = solved(outliers(), OptimalSuppress())
    monkeypatch.setattr(cut_suppression, start, slow)
    without, _ = solved(outliers(), OptimalSuppress())
    assert best.optimality is not None
    assert without.optimality is not None
    assert without.optimality.proven
    assert without.optimality.loss == best.optimality.loss


def test_interrupted_in_a_start_it_returns_the_first_safe_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> Solution:
        raise KeyboardInterrupt

    monkeypatch.setattr(cut_suppression, "mhghs", interrupt)
    problem = outliers()
    solution, cut = solved(problem, OptimalSuppress())
    assert solution.optimality is not None
    assert solution.optimality.ended == "interrupted"
    assert safe(problem, cut)
    aa = shoal.algorithms.AA().solve(problem.prepared, QUIET).recoding
    assert isinstance(aa, shoal.recoding.GlobalCut)
    assert cost(problem, cut) <= cost(problem, aa)


def test_few_records_lose_everything_unless_that_is_forbidden() -> None:
    tree = hierarchies.balanced("abcd", fanout=2)
    problem = shoal.Problem(shoal.read([["a", "b"], [], ["c"]]), tree, shoal.Km(k=3))
    release = shoal.anonymize(problem, algorithm=OptimalSuppress())
    assert release.published.rows.sets() == [frozenset()] * 3
    assert release.losses["ncp"] == 1
    with pytest.raises(Infeasible, match="limits on suppression"):
        shoal.anonymize(problem, algorithm=OptimalSuppress(max_suppressed=90))
    with pytest.raises(Infeasible, match="limits on suppression"):
        shoal.anonymize(problem, algorithm=OptimalSuppress(never_suppress=("c",)))
