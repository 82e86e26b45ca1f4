"""A right proof passes, and a wrong one does not: by hand, and on random problems against all cuts.

Covers: evidence/proof/steps.py, evidence/proof/supports.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.errors import OptionError
from shoal.evidence.proof import rc2, steps
from shoal.evidence.proof.check import check_proof
from shoal.evidence.proof.document import Proof, RareSet
from shoal.evidence.proof.make import proof_of
from shoal.evidence.proof.supports import Supports
from shoal.testing import all_cuts, problems
from tests import oracles
from tests.algorithms.test_optimal import QUIET, feasible, finite, km, safe, weighted, weights
from tests.budget import examples
from tests.evidence.proof.golden import PROOF, ROWS, TREE


def test_a_proof_by_hand_holds_in_every_step() -> None:
    check = check_proof(PROOF, ROWS, hierarchy=TREE)
    assert check
    assert [step.holds for step in check.steps] == [True] * 6
    assert check.conclusion.startswith("No k^m-anonymous cut")


def changed(**changes: Any) -> tuple[Proof, list[list[str]]]:
    return replace(PROOF, **changes), ROWS


WRONG: dict[str, tuple[str, tuple[Proof, list[list[str]]]]] = {
    "lower support": ("rare sets", changed(rare_sets=(RareSet((0, 1), 0),))),
    "higher support": ("rare sets", changed(rare_sets=(RareSet((0, 1), 2),))),
    "a frequent set": ("rare sets", changed(rare_sets=(*PROOF.rare_sets, RareSet((2, 3), 2)))),
    "a set that does not occur": ("rare sets", (replace(PROOF, rare_sets=(RareSet((0, 1), 0),)), ROWS[:3])),
    "a false set": ("rare sets", changed(rare_sets=(*PROOF.rare_sets, RareSet((5,), 1)))),
    "a set that is too large": ("rare sets", changed(m=1)),
    "a node above another": ("rare sets", changed(k=3, rare_sets=(RareSet((0, 4), 2),))),
    "a node twice": ("rare sets", changed(k=3, rare_sets=(RareSet((0, 0), 2),))),
    "an empty set": ("rare sets", changed(rare_sets=(RareSet((), 1),))),
    "the root": ("rare sets", changed(rare_sets=(RareSet((6,), 1),))),
    "no node": ("rare sets", changed(rare_sets=(RareSet((-1,), 1),))),
    "a changed cost": ("costs", changed(costs=(0, 0, 0, 0, 10, 13, 44))),
    "a cost of an item": ("costs", changed(costs=(1, 0, 0, 0, 10, 12, 44))),
    "other weights": ("costs", changed(weights=(1, 2, 1, 1))),
    "another scale": ("costs", changed(scale=43)),
    "another loss": ("costs", changed(loss="lm")),
    "a raised bound": ("cut", changed(lower_bound=11)),
    "a raised bound and cost": ("cut", changed(lower_bound=11, cut_cost=11)),
    "a lower cost": ("cut", changed(cut_cost=9, lower_bound=9)),
    "an unsafe cut": ("cut", changed(cut=(0, 1, 5), cut_cost=12, lower_bound=0)),
    "an unsafe cut without its set": ("cut", changed(cut=(0, 1, 2, 3), cut_cost=0, lower_bound=0, rare_sets=())),
    "half a cut": ("cut", changed(cut=(4, 2))),
    "overlapping nodes": ("cut", changed(cut=(4, 5, 3))),
    "a cut of no nodes": ("cut", changed(cut=())),
    "a cut with no node": ("cut", changed(cut=(4, 2, 99))),
    "a dropped set": ("bound", changed(rare_sets=())),
    "a bound of another cut": ("bound", changed(cut=(6,), cut_cost=44, lower_bound=44)),
    "another k": ("rare sets", changed(k=1 + 2, rare_sets=(RareSet((2, 3), 3),))),
    "k of 1": ("hierarchy", changed(k=1)),
    "m of 0": ("hierarchy", changed(m=0)),
    "too few costs": ("hierarchy", changed(costs=(0, 0, 0, 0, 10, 12))),
    "too few parents": ("hierarchy", changed(parents=(4, 4, 5, 5, 6, 6))),
    "a cycle": ("hierarchy", changed(parents=(4, 4, 5, 5, 5, 4, -1))),
    "two roots": ("hierarchy", changed(parents=(4, 4, 5, 5, -1, 6, -1))),
    "a parent that is no node": ("hierarchy", changed(parents=(4, 4, 5, 5, 6, 2**40, -1))),
    "a label twice": ("hierarchy", changed(labels=("a1", "a1", "b1", "b2", "A", "B", "ALL"))),
    "no nodes": ("hierarchy", changed(labels=(), parents=(), costs=())),
    "too few weights": ("hierarchy", changed(weights=(1, 1, 1))),
    "a negative weight": ("hierarchy", changed(weights=(1, 1, 1, -1))),
    "other data": ("rare sets", (PROOF, [*ROWS, ["a1", "a2"]])),
    "other data, the same supports": ("costs", (PROOF, [*ROWS, ["b1"]])),
    "other items": ("data", (PROOF, [*ROWS, ["c1"]])),
    "a group as an item": ("data", (PROOF, [*ROWS, ["A"]])),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_change_is_noticed_in_its_step(name: str) -> None:
    step, (proof, rows) = WRONG[name]
    check = check_proof(proof, rows)
    assert check.holds is False
    assert not check
    (wrong,) = (one.name for one in check.steps if one.holds is False)
    assert wrong == step, check.conclusion
    assert check.conclusion.startswith(f"Wrong: {step}: ")
    assert [one.name for one in check.steps] == ["hierarchy", "data", "rare sets", "costs", "cut", "bound"]


def test_a_weaker_bound_holds_and_says_so() -> None:
    check = check_proof(replace(PROOF, lower_bound=9), ROWS)
    assert check.holds
    assert "loses at least 0.204545 (NCP); the release loses 0.227273" in check.conclusion
    assert check_proof(replace(PROOF, lower_bound=0, rare_sets=()), ROWS, solver_time=0).holds  # needs no solver


def test_another_hierarchy_is_noticed() -> None:
    for tree, missing in (
        ({"ALL": {"A": ["a1", "b1"], "B": ["a2", "b2"]}}, "the group 'A'"),
        ({"ALL": {"A": ["a1", "a2", "c"], "B": ["b1", "b2"]}}, "an item below 'c'"),
    ):
        check = check_proof(PROOF, ROWS, hierarchy=shoal.Hierarchy.from_tree(tree), solver=False)
        assert check.holds is False
        assert missing in check.conclusion
    assert (
        check_proof(PROOF, ROWS, hierarchy=shoal.Hierarchy.flat(["a1", "a2", "b1", "b2"]), solver=False).holds is None
    )


def test_no_time_is_not_a_verdict() -> None:
    for options in ({"solver_time": 0}, {"solver": False}):
        check = check_proof(PROOF, ROWS, **options)
        assert check.holds is None
        assert not check
        assert [step.holds for step in check.steps] == [True] * 5 + [None]
        assert check.conclusion.startswith("Not checked: bound: ")


def test_an_interrupt_is_not_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, "costs", interrupted)
    check = check_proof(PROOF, ROWS)
    assert [step.holds for step in check.steps] == [True, True, True, None, None, None]
    assert check.holds is None


def test_a_solver_that_fails_is_not_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> rc2.Bounded:
        raise rc2.SolverFailed("the solver ended with code 1")

    monkeypatch.setattr(rc2, "minimum", failing)
    assert check_proof(PROOF, ROWS).conclusion == "Not checked: bound: the solver ended with code 1."


def test_persons_must_be_counted_as_the_proof_does() -> None:
    people = shoal.Dataset(shoal.read(ROWS).transactions.of_persons([0, 1, 1, 2]))
    with pytest.raises(OptionError, match="counts records, not persons: leave out person="):
        check_proof(PROOF, people)
    with pytest.raises(OptionError, match="counts persons: name their column with person="):
        check_proof(replace(PROOF, persons=True), ROWS)


@pytest.mark.parametrize("limit", [-1, True, "soon", float("nan")])
def test_a_time_limit_is_a_number(limit: Any) -> None:
    with pytest.raises(OptionError, match="solver_time= must be a number of seconds"):
        check_proof(PROOF, ROWS, solver_time=limit)


def test_outputs_are_not_inputs(tmp_path: Path) -> None:
    PROOF.save(tmp_path / "proof.json")
    for opb, wcnf in (("proof.json", None), ("x", "x")):
        with pytest.raises(OptionError, match="must be different files"):
            check_proof(tmp_path / "proof.json", ROWS, opb=tmp_path / opb, wcnf=wcnf and tmp_path / wcnf)


def test_problems_are_written_only_for_proofs_that_hold_so_far(tmp_path: Path) -> None:
    check_proof(replace(PROOF, scale=1), ROWS, wcnf=tmp_path / "p.wcnf")
    assert not list(tmp_path.iterdir())
    check_proof(PROOF, ROWS, wcnf=tmp_path / "p.wcnf", opb=tmp_path / "p.opb", solver=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.opb", "p.wcnf"]


algorithms = st.sampled_from([shoal.algorithms.Optimal(), shoal.algorithms.Auto(), shoal.algorithms.Auto("label")])


def least(problem: shoal.Problem, hierarchy: shoal.Hierarchy) -> int:
    """The least cost of all safe cuts, by trying them."""
    own = problem.prepared.on(hierarchy)
    return min(int(own.costs[cut.nodes].sum()) for cut in all_cuts(hierarchy) if _is_safe(problem, own, cut))


def _is_safe(problem: shoal.Problem, own: Any, cut: Any) -> bool:
    values = problem.model.values()
    longest = int(own.items.sizes.max(initial=1))
    m = longest if values["m"] == "all" else min(int(values["m"]), longest)
    people = oracles.people_of(own.persons)
    return oracles.is_km_anonymous(cut.apply(own.items).rows.sets(), int(values["k"]), m, people)


@examples(100)
@given(problems(km, max_leaves=6), algorithms, weights, st.data())
def test_proofs_of_random_problems_hold_and_higher_bounds_do_not(
    problem: shoal.Problem, algorithm: Any, given_weights: dict[str, float], data: st.DataObject
) -> None:
    assume(feasible(problem))
    if data.draw(st.booleans()):
        problem = weighted(problem, given_weights)
    release = shoal.anonymize(problem, algorithm=algorithm, engine=QUIET)
    proof = proof_of(release, QUIET)
    best = least(problem, release.problem.hierarchy)
    assert proof.lower_bound == best == proof.cut_cost
    check = check_proof(proof, problem.data)
    assert check.holds, check.conclusion
    worst = max(proof.costs)
    if best < worst:
        root = replace(proof, cut=(len(proof.labels) - 1,), cut_cost=worst, lower_bound=best + 1)
        assert check_proof(root, problem.data).steps[-1].holds is False


@examples(300)
@given(problems(finite, max_leaves=6), st.data())
def test_any_listed_set_must_be_rare(problem: shoal.Problem, data: st.DataObject) -> None:
    tree, items = problem.prepared.hierarchy, problem.prepared.items
    nodes = data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=1, max_size=3))
    rows = [{label for item in row for label in above(tree, item)} for row in items.sets()]
    support = oracles.support([frozenset(row) for row in rows], {tree.labels[node] for node in nodes}, items.persons)
    assert Supports(items, tree).support(nodes) == support


def above(tree: shoal.Hierarchy, item: str) -> list[str]:
    return [tree.labels[node] for node in tree.ancestors(tree.code_of[item])]


@pytest.mark.parametrize("make", [lambda tree: tree, lambda tree: "tree.csv"], ids=["object", "file"])
def test_the_hierarchy_may_be_a_file(
    make: Callable[[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shoal.hierarchies.save(TREE, "tree.csv")
    assert "they contain all groups" in check_proof(PROOF, ROWS, hierarchy=make(TREE), solver=False).steps[0].finding


def test_groceries_holds_with_and_without_groups_of_siblings(real_data: Path) -> None:
    rows = shoal.read(real_data / "groceries" / "transactions.basket")
    tree = shoal.hierarchies.load(real_data / "groceries" / "hierarchy.csv")
    problem = shoal.Problem(rows, tree, shoal.Km(k=5, m=2))
    for algorithm, cost, groups in (
        (shoal.algorithms.Optimal(), 557_110, 66),
        (shoal.algorithms.Optimal("label"), None, 183),
    ):
        proof = proof_of(shoal.anonymize(problem, algorithm=algorithm))
        check = check_proof(proof, rows, hierarchy=tree)
        assert check.holds
        assert proof.proven
        assert cost in (None, proof.cut_cost)
        assert check.steps[0].finding.startswith(f"{groups} groups over 169 items")
        fewer = replace(proof, rare_sets=proof.rare_sets[: len(proof.rare_sets) // 2])
        assert check_proof(fewer, rows).holds is False


def test_the_safe_cut_oracle_is_that_of_the_search() -> None:
    problem = shoal.Problem(shoal.read(ROWS), TREE, shoal.Km(k=2, m=2))
    assert [safe(problem, cut) for cut in all_cuts(TREE)] == [
        _is_safe(problem, problem.prepared, cut) for cut in all_cuts(TREE)
    ]
