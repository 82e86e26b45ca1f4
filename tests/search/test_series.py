"""Solutions for several pairs (k, m): each the best of all, none better than that of a weaker pair.

Covers: search/exact.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.search import series
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.series import Pair, solve_all
from shoal.testing import all_cuts
from tests import oracles
from tests.budget import examples
from tests.kernels.search.cuts.test_threats import Case, cases
from tests.search.test_siblings import BASKETS, WIDE, groupings

KS, MS = (2, 3, 4), (1, 2, 3)


def problems_of(sets: Sequence[Collection[str]], tree: shoal.Hierarchy) -> dict[Pair, shoal.problem.Prepared]:
    data = shoal.read(list(map(sorted, sets)))
    filled = data.transactions.non_empty
    return {
        Pair(k, m): shoal.Problem(data, tree, shoal.Km(k=k, m=m)).prepared
        for k, m in itertools.product(KS, MS)
        if filled >= k
    }


def solved(
    problems: dict[Pair, shoal.problem.Prepared], siblings: str, seconds: float = 600.0
) -> dict[Pair, shoal.recoding.solution.Solution]:
    return dict(solve_all(problems, siblings, shoal.Engine(workers=1), Clock(seconds)))


def proof_of(solution: shoal.recoding.solution.Solution) -> shoal.recoding.solution.Optimality:
    assert solution.optimality is not None
    return solution.optimality


def check_monotone(solutions: dict[Pair, shoal.recoding.solution.Solution]) -> None:
    for one, other in itertools.permutations(solutions, 2):
        if one.covers(other):
            assert proof_of(solutions[one]).loss >= proof_of(solutions[other]).loss


@given(cases(max_leaves=6))
@examples(25)
def test_each_cut_is_the_best_of_all(case: Case) -> None:
    problems = problems_of(case.sets, case.hierarchy)
    solutions = solved(problems, "none")
    assert solutions.keys() == problems.keys()
    for pair, solution in solutions.items():
        problem, proof = problems[pair], proof_of(solution)
        safe = []
        for cut in all_cuts(problem.hierarchy):
            rows = list(map(frozenset, cut.apply(problem.items).rows.sets()))
            if oracles.is_km_anonymous(rows, pair.k, pair.m):
                safe.append(int(problem.costs[cut.nodes].sum()) / problem.scale)
        assert proof.proven
        assert proof.loss == proof.lower_bound == min(safe)


@given(cases(max_leaves=6), st.sampled_from(["best", "frequency"]))
@examples(10)
def test_groupings_are_safe_within_their_bounds_and_monotone(case: Case, siblings: str) -> None:
    problems = problems_of(case.sets, case.hierarchy)
    solutions = solved(problems, siblings)
    check_monotone(solutions)
    cuts = solved(problems, "none")
    for pair, solution in solutions.items():
        tree = solution.hierarchy or case.hierarchy
        problem = problems[pair] if solution.hierarchy is None else problems[pair].on(tree)
        rows = solution.recoding.apply(problem.items).rows
        assert oracles.is_km_anonymous(list(map(frozenset, rows.sets())), pair.k, pair.m)
        proof = proof_of(solution)
        assert proof.loss <= proof_of(cuts[pair]).loss
        assert (proof.groupings_bound or 0) <= proof.loss


def test_groupings_are_the_best_of_all_where_it_is_said() -> None:
    tree = shoal.Hierarchy.from_tree(WIDE)
    problems = problems_of(BASKETS, tree)
    for pair, solution in solved(problems, "best").items():
        problem, proof = problems[pair], proof_of(solution)
        costs = []
        for blocks in groupings(tree, tree.root):
            of = {tree.items[leaf]: at for at, block in enumerate(blocks) for leaf in block}
            rows = [frozenset(str(of[item]) for item in row) for row in BASKETS]
            if oracles.is_km_anonymous(rows, pair.k, pair.m):
                sizes = {at: len(block) for at, block in enumerate(blocks)}
                items = [of[item] for row in BASKETS for item in row]
                costs.append(sum(sizes[at] for at in items if sizes[at] > 1) / problem.scale)
        least = min(costs)
        assert (proof.groupings_bound or 0.0) <= least + 1e-12
        assert proof.loss == pytest.approx(least) or not proof.best_grouping


def test_without_time_there_is_a_safe_result_for_each_pair() -> None:
    problems = problems_of(BASKETS, shoal.Hierarchy.from_tree(WIDE))
    for siblings in ("best", "none"):
        solutions = solved(problems, siblings, 0.0)
        assert solutions.keys() == problems.keys()
        check_monotone(solutions)


def test_equal_input_gives_equal_losses() -> None:
    problems = problems_of(BASKETS, shoal.Hierarchy.from_tree(WIDE))
    one, other = (
        {pair: proof_of(solution).loss for pair, solution in solved(problems, "best").items()} for _ in range(2)
    )
    assert one == other


def test_an_interrupted_search_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, run = itertools.count(), ExactSearch.run

    def interrupted(self: ExactSearch, *, needs_proof: bool) -> shoal.recoding.solution.Solution:
        solution = run(self, needs_proof=needs_proof)
        if next(calls) < 2:
            return solution
        return replace(solution, optimality=replace(proof_of(solution), ended="interrupted"))

    monkeypatch.setattr(ExactSearch, "run", interrupted)
    problems = problems_of(BASKETS, shoal.Hierarchy.from_tree(WIDE))
    assert len(solved(problems, "none")) == 3


@given(cases(max_leaves=6))
@examples(25)
def test_threats_of_a_weaker_pair_hold(case: Case) -> None:
    """What follows from a weaker search changes no result."""
    problems = problems_of(case.sets, case.hierarchy)
    for strict, weak in itertools.permutations(problems, 2):
        if strict.covers(weak):
            first, second, alone = (
                ExactSearch(problems[pair], shoal.Engine(workers=1), Clock(600.0)) for pair in (weak, strict, strict)
            )
            first.run(needs_proof=False)
            second.follow([first])
            one, other = (proof_of(search.run(needs_proof=False)) for search in (second, alone))
            assert one.loss == other.loss


def test_time_is_shared_so_that_the_last_pair_has_some() -> None:
    left, order = 1.0, [6.0, *[1.2] * 4, 4.0, *[1.2] * 9]
    for at, weight in enumerate(order[:-1]):
        left *= 1 - min(1.0, series.SPARE * weight / sum(order[at:]))
    assert left > 0.01
