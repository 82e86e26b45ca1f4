"""Chains of groups with a single child: left out of the search of deep hierarchies; the same labels are published."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms.base import Algorithm
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError, Infeasible
from shoal.hierarchies.check import check
from shoal.hierarchies.show import show
from shoal.hierarchies.weights import Weights
from shoal.search import chains
from shoal.testing import problems
from tests.algorithms.test_optimal import QUIET, km
from tests.search.test_non_monotone import either

ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]


def deep(levels: int) -> Hierarchy:
    """A1 and a2 below A, b1 and b2 below B, with chains above all of them."""
    parents: dict[str, str | None] = {}
    tops = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"}
    for label, top in tops.items():
        path = [label, *(f"{label} {level}" for level in range(levels)), top]
        parents.update(itertools.pairwise(path))
    return Hierarchy.from_parents(parents)


def released(hierarchy: Hierarchy, method: Algorithm, **options: Any) -> shoal.Release:
    problem = shoal.Problem(shoal.read(ROWS), hierarchy, shoal.Km(k=2, m=2), **options)
    return shoal.anonymize(problem, algorithm=method, engine=QUIET)


@pytest.mark.parametrize(
    "method",
    [
        shoal.algorithms.AA(),
        shoal.algorithms.DA(),
        shoal.algorithms.Auto(),
        shoal.algorithms.Auto(siblings="none"),
        shoal.algorithms.Optimal(),
        shoal.algorithms.MHgHs(),
        shoal.algorithms.LRA(),
    ],
    ids=lambda method: method.name,
)
def test_thousands_of_levels_change_nothing(method: Algorithm) -> None:
    plain, long = released(deep(0), method), released(deep(1500), method)
    assert long.losses == plain.losses
    assert [set(row) for row in long.published.rows.sets()] == [set(row) for row in plain.published.rows.sets()]
    assert long.problem.hierarchy.refines is None or long.problem.hierarchy.refines.height == 3_002


def test_groups_of_siblings_refine_the_owners_hierarchy() -> None:
    parents = {f"i{n}": "ALL" for n in range(9)} | {f"c{n}": f"c{n + 1}" for n in range(50)} | {"c50": "ALL"}
    tree = Hierarchy.from_parents(parents)
    rows = [[f"i{n}", f"i{(n + step) % 9}"] for n in range(9) for step in (1, 1, 2)] + [["c0", "i0"]]
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=2, m=2))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(siblings="best"), engine=QUIET)
    assert release.problem.hierarchy.refines is tree
    assert release.provenance["hierarchy"]["sha256"] == tree.sha256


def test_groups_of_a_chain_can_be_named_in_weights_and_limits() -> None:
    tree = deep(40)
    weighted = released(tree, shoal.algorithms.AA(), weights=Weights({"A 7": 3, "b1 3": 2}))
    plain = released(deep(0), shoal.algorithms.AA(), weights=Weights({"A": 3, "b1": 2}))
    assert weighted.losses == plain.losses
    kept = released(tree, shoal.algorithms.OptimalSuppress(never_suppress=("A 7", "b1 0")))
    assert kept.losses == released(deep(0), shoal.algorithms.OptimalSuppress(never_suppress=("A", "b1"))).losses


def published(problem: shoal.Problem, method: Algorithm) -> object:
    try:
        release = shoal.anonymize(problem, algorithm=method, engine=QUIET)
    except Infeasible:
        return None
    return [set(row) for row in release.published.rows.sets()]


@settings(max_examples=60)
@given(
    problem=problems(st.one_of(km, either), max_rows=15),
    method=st.sampled_from([shoal.algorithms.AA(), shoal.algorithms.DA(), shoal.algorithms.LRA()]),
)
def test_the_same_is_published_with_chains_and_without(problem: shoal.Problem, method: Algorithm) -> None:
    if not isinstance(problem.model, method.solves):
        return
    with pytest.MonkeyPatch.context() as patch:
        before = published(problem, method)
        patch.setattr(chains, "DEEP", 0)
        assert published(problem, method) == before


@settings(max_examples=40)
@given(
    problem=problems(km, max_rows=15),
    method=st.sampled_from([shoal.algorithms.Optimal(), shoal.algorithms.MHgHs(), shoal.algorithms.OptimalSuppress()]),
)
def test_nothing_more_is_lost_without_chains(problem: shoal.Problem, method: Algorithm) -> None:
    with pytest.MonkeyPatch.context() as patch:
        try:
            before = shoal.anonymize(problem, algorithm=method, engine=QUIET)
        except Infeasible:
            return
        patch.setattr(chains, "DEEP", 0)
        assert shoal.anonymize(problem, algorithm=method, engine=QUIET).loss == before.loss


def test_trees_of_any_depth_can_be_made_shown_and_checked() -> None:
    tree: dict[str, Any] = {"leaf": []}
    for level in range(3000):
        tree = {f"g{level}": {**tree, f"x{level}": []}}
    made = Hierarchy.from_tree(tree)
    assert made.height == 3000
    assert check(made).max_depth == 3000
    assert show(made, depth=2).count("\n") == 4
    assert len(made.without_chains()[0]) == len(made)
    with pytest.raises(HierarchyError, match="'x' occurs twice"):
        Hierarchy.from_tree({"r": {"x": [], "y": ["x"]}})


def test_a_chain_below_the_root_and_above_a_lone_item() -> None:
    short, node_of = Hierarchy.from_tree({"r": {"s": {"t": {"a": ["i"]}}}}).without_chains()
    assert short.labels == ("i", "r")
    assert node_of.tolist() == [0, 4]
    lone, node_of = Hierarchy.from_tree({"i": []}).without_chains()
    assert (lone.labels, node_of.tolist()) == (("i",), [0])
