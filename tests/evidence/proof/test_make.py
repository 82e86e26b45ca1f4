"""Proofs of releases: of all searches that end in threats, whenever they end; others are refused.

Covers: evidence/proof/rare_sets.py.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.errors import OptionError
from shoal.evidence.proof.check import check_proof
from shoal.evidence.proof.make import proof_of
from shoal.evidence.proof.rare_sets import RareSetFinder
from shoal.generators.quest import Quest
from shoal.search import solver
from shoal.testing import problems
from tests.algorithms.test_optimal import QUIET, feasible, km
from tests.budget import examples
from tests.evidence.proof.golden import PROOF, ROWS, TREE


def test_the_proof_of_a_release_by_hand() -> None:
    release = shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, algorithm="optimal")
    assert proof_of(release) == PROOF


def quest(m: int) -> shoal.Problem:
    generator = Quest(rows=800, items=60, mean_size=5, seed=3)
    return shoal.Problem(shoal.Dataset(generator.transactions()), generator.hierarchy(2), shoal.Km(k=5, m=m))


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("limit", [0, 0.02, "none"])
def test_the_bound_follows_from_the_rare_sets_whenever_the_search_ends(m: int, limit: Any) -> None:
    problem = quest(m)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal(time_limit=limit))
    proof, known = proof_of(release), release.optimality
    assert known is not None
    assert proof.lower_bound / proof.scale == known.lower_bound
    assert proof.proven == known.proven
    check = check_proof(proof, problem.data)
    assert check.holds, check.conclusion


def test_without_the_first_solver_there_is_a_weaker_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise solver.SolverMissing("not installed")

    monkeypatch.setattr(solver, "load", missing)
    release = shoal.anonymize(quest(3), algorithm=shoal.algorithms.Auto(siblings="none"))
    proof = proof_of(release)
    assert 0 < proof.lower_bound < proof.cut_cost
    assert check_proof(proof, quest(3).data).holds


def test_groups_of_siblings_are_nodes_of_the_proof() -> None:
    problem = quest(2)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(time_limit=2))
    check = check_proof(proof_of(release), problem.data, hierarchy=problem.hierarchy)
    assert check.holds, check.conclusion
    assert release.problem.hierarchy.refines is not None


def test_deep_hierarchies_have_proofs_too() -> None:
    parents: dict[str, str | None] = {}
    for label, top in {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"}.items():
        parents.update(itertools.pairwise([label, *(f"{label} {level}" for level in range(40)), top]))
    release = shoal.anonymize(ROWS, k=2, m=2, hierarchy=Hierarchy.from_parents(parents), algorithm="optimal")
    proof = proof_of(release)
    assert proof.cut_cost == 10
    assert check_proof(proof, ROWS).holds


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"algorithm": "aa"}, "not for aa"),
        ({"algorithm": "optimal-suppress"}, "not for optimal-suppress"),
        ({"model": "lm", "l": 2, "sensitive": ["a1"], "algorithm": "optimal"}, "not for the model lm"),
        ({"model": "km-negative", "algorithm": "optimal"}, "not for the model km-negative"),
    ],
)
def test_other_releases_are_refused(options: dict[str, Any], why: str) -> None:
    rows = [["a1", "b1"], ["a2", "b1"], ["a2", "b1"], ["b2"]] * 3
    if "model" not in options:
        options = {"k": 2, "m": 2, **options}
    release = shoal.anonymize(rows, hierarchy=TREE, **options)
    with pytest.raises(OptionError, match=f"the model km with the algorithms optimal and auto, {why}"):
        proof_of(release)


@examples(150)
@given(problems(km, max_leaves=6))
def test_the_verifier_finds_a_rare_set_behind_every_threat(problem: shoal.Problem) -> None:
    assume(feasible(problem))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal(), engine=QUIET)
    assert release.solution.bound is not None  # type: ignore[attr-defined]
    own, model = release.problem, problem.model
    assert isinstance(model, shoal.Km)
    finder = RareSetFinder(own.items, own.hierarchy, model.k, model.m, QUIET)
    for threat in release.solution.bound.threats:  # type: ignore[attr-defined]
        split = {above for node in threat for above in own.hierarchy.ancestors(node)}
        labels = [child for node in sorted(split) for child in own.hierarchy.children[node] if child not in split]
        for nodes in (finder.behind(threat), finder._by_verifier(labels)):
            assert 0 < finder.supports.support(nodes) < model.k
            assert model.m == "all" or len(nodes) <= model.m
            assert split.issuperset(own.hierarchy.parent[list(nodes)].tolist())
