"""Groups of siblings: never worse than cuts, the best of all where proved, with right names, by any algorithm.

Covers: algorithms/auto.py, search/optimum.py, hierarchies/refine.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import Hierarchy
from shoal.hierarchies import refine
from shoal.hierarchies.names import named
from shoal.recoding import GlobalCut
from shoal.report import explanations
from shoal.search import sibling_trees, siblings
from shoal.search.clock import Clock
from tests import oracles
from tests.budget import examples
from tests.kernels.search.cuts.test_threats import Case, cases

Block = frozenset[int]
WIDE = {  # one record is the only one with a drink and a tool: no cut is safe but the root
    "*": {"food": ["bread", "milk", "rice"], "drinks": ["beer", "wine", "gin"], "tools": ["saw", "axe", "nails"]}
}
BASKETS = [
    ["bread", "milk"],
    ["bread", "beer"],
    ["milk", "wine"],
    ["rice", "gin"],
    ["saw", "axe"],
    ["nails", "saw"],
] * 4
BASKETS += [["gin", "nails"]]


def wide(m: int = 2, k: int = 2) -> shoal.Problem:
    return shoal.Problem(shoal.read(BASKETS), Hierarchy.from_tree(WIDE), shoal.Km(k=k, m=m))


def partitions(some: list[int]) -> Iterator[list[list[int]]]:
    """All set partitions."""
    if not some:
        yield []
        return
    first, *others = some
    for size in range(len(others) + 1):
        for more in itertools.combinations(others, size):
            for rest in partitions([one for one in others if one not in more]):
                yield [[first, *more], *rest]


def groupings(tree: Hierarchy, node: int) -> Iterator[list[Block]]:
    """All sibling groupings of the items below a node."""
    if node < tree.n_leaves:
        yield [frozenset([node])]
        return
    for blocks in partitions(list(tree.children[node])):
        choices = []
        for block in blocks:
            whole = frozenset(leaf for child in block for leaf in range(*tree.span[child]))
            finer = list(groupings(tree, block[0])) if len(block) == 1 else []
            choices.append(finer if [whole] in finer else [*finer, [whole]])
        for chosen in itertools.product(*choices):
            yield [block for part in chosen for block in part]


def problem_of(case: Case, m: int, loss: str = "ncp") -> shoal.Problem | None:
    if case.items.non_empty < case.k or case.k < 2:
        return None
    measure = shoal.metrics.LM() if loss == "lm" else shoal.metrics.NCP()
    return shoal.Problem(shoal.read(case.sets), case.hierarchy, shoal.Km(k=case.k, m=m), measure)


def least_cost(problem: shoal.Problem, m: int, k: int) -> int:
    """By brute force."""
    tree, items = problem.hierarchy, problem.prepared.items
    rows = [items.items[a:b].tolist() for a, b in itertools.pairwise(items.indptr)]
    best = None
    for blocks in groupings(tree, tree.root):
        sizes = np.array([len(block) for block in blocks])
        penalty = problem.loss.penalty(sizes, tree.n_leaves)
        cost = sum(
            int(p) * int(problem.prepared.occurrences[list(b)].sum()) for p, b in zip(penalty, blocks, strict=True)
        )
        if best is not None and cost >= best:
            continue
        labels = [frozenset(str(at) for at, block in enumerate(blocks) if block & set(row)) for row in rows]
        if oracles.is_km_anonymous(labels, k, m):
            best = cost
    assert best is not None
    return best


@examples(50)
@given(cases(6), st.sampled_from([1, 2, 3]), st.sampled_from(["ncp", "lm"]))
def test_the_best_grouping_is_never_worse_than_the_best_cut_and_the_best_of_all_where_proved(
    case: Case, m: int, loss: str
) -> None:
    problem = problem_of(case, m, loss)
    if problem is None:
        return
    release = shoal.anonymize(problem)
    least, scale = least_cost(problem, m, case.k), problem.prepared.scale
    assert release.losses[loss] * scale >= least - 1e-6  # nothing impossible
    assert release.losses[loss] <= shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal()).losses[loss] + 1e-12
    assert release.optimality is not None
    assert release.optimality.loss == pytest.approx(release.losses[loss])
    if release.optimality.groupings_bound is not None:
        assert release.optimality.groupings_bound * scale <= least + 1e-6
    if release.optimality.best_grouping:
        assert release.losses[loss] * scale == pytest.approx(least)


@examples(15)
@given(cases(6), st.sampled_from([1, 2, 3]))
def test_splitting_a_group_as_it_is_built_creates_the_rare_set_that_is_named(case: Case, m: int) -> None:
    problem = problem_of(case, m)
    if problem is None:
        return
    release = shoal.anonymize(problem)
    tree, cut = release.problem.hierarchy, release.recoding
    assert isinstance(cut, GlobalCut)
    for one in explanations.of_release(release):
        node = tree.code_of[one.group]
        assert one.witness is not None
        finer = [other for other in cut.raised if other != node]
        finer += [child for child in tree.children[node] if child >= tree.n_leaves]
        rows = GlobalCut.raising(tree, finer).apply(release.problem.items).rows.sets()
        held = sum(row.issuperset(one.witness.labels) for row in rows)
        assert held == one.witness.support
        assert 0 < held < case.k


def test_where_cuts_end_at_the_root_groups_keep_most() -> None:
    cut, grouped = shoal.anonymize(wide(), algorithm=shoal.algorithms.Optimal()), shoal.anonymize(wide())
    assert cut.losses["ncp"] == 1.0
    assert grouped.losses["ncp"] < 0.5
    assert grouped.verdict.holds


def test_groups_do_not_depend_on_the_number_of_workers() -> None:
    rng = np.random.default_rng(1)
    rows = [[f"i{i}" for i in np.unique(rng.integers(0, 25, 4) ** 2 // 25)] for _ in range(150)]
    problem = shoal.Problem(shoal.read(rows), Hierarchy.flat({i for row in rows for i in row}), shoal.Km(k=4))
    one, two = (
        shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(), engine=shoal.Engine(workers)) for workers in (1, 2)
    )
    assert one.data == two.data
    assert one.optimality == two.optimality


def test_a_clock_that_ends_the_runs_leaves_time_for_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs stop when the time for the proof begins. The proof then holds for the groups found so far."""
    monkeypatch.setattr(siblings, "PROOF_TIME", 1e9)
    monkeypatch.setattr(siblings, "RESERVED", 1.0)
    release = shoal.anonymize(wide(), algorithm=shoal.algorithms.Auto(time_limit=60.0))
    assert release.optimality is not None
    assert release.optimality.ended == "time limit"
    assert release.optimality.proven
    assert release.optimality.gap == 0


@pytest.mark.parametrize("where", ["ExactSearch", "refine.around", "grouping_bound"])
def test_ctrl_c_after_the_first_groups_leaves_a_release(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the search of the original hierarchy, while the tree around the groups is built, or in the bound."""
    owner, name = (siblings, where) if "." not in where else (refine, where.partition(".")[2])
    real, calls = getattr(owner, name), itertools.count()

    def interrupted(*args: Any, **options: Any) -> Any:
        if next(calls) == (1 if where == "ExactSearch" else 0):
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(owner, name, interrupted)
    release = shoal.anonymize(wide(), algorithm=shoal.algorithms.Auto())
    assert release.optimality is not None
    assert release.optimality.ended == "interrupted"
    assert release.losses["ncp"] < 0.5
    assert next(calls) > 1 - (where == "grouping_bound")


def test_no_round_is_begun_that_the_clock_would_end() -> None:
    search = siblings.SiblingSearch(wide().prepared, shoal.Engine(), Clock(100.0))
    search.clock.start()
    assert search._has_time(1.0, 0)
    assert search.ended is None
    assert not search._has_time(1000.0, 1)
    assert search.ended is None  # the last round was the last one anyway
    assert not search._has_time(1000.0, 0)
    assert search.ended == "time limit"


@pytest.mark.parametrize("how", ["label", "frequency", "best"])
@pytest.mark.parametrize(
    "algorithm",
    [
        shoal.algorithms.AA,
        shoal.algorithms.DA,
        shoal.algorithms.OA,
        shoal.algorithms.Optimal,
        shoal.algorithms.LRA,
        shoal.algorithms.VPA,
        shoal.algorithms.MHgHs,
        shoal.algorithms.HgHs,
        shoal.algorithms.OptimalSuppress,
    ],
)
def test_every_algorithm_that_uses_a_hierarchy_can_group_siblings(
    algorithm: type[shoal.algorithms.Algorithm], how: str
) -> None:
    release = shoal.anonymize(wide(), algorithm=algorithm(siblings=how))  # type: ignore[call-arg]
    plain = shoal.anonymize(wide(), algorithm=algorithm())
    assert release.verdict.holds
    if how == "best":
        assert release.losses["ncp"] <= plain.losses["ncp"]


@pytest.mark.parametrize(
    "model",
    [shoal.models.KmNegative(k=2, m=2), shoal.Lm(l=2, m=2, sensitive=("rice",)), shoal.models.TransactionalK(k=2)],
)
def test_other_models_group_siblings_too(model: shoal.models.PrivacyModel) -> None:
    problem = replace(wide(), model=model)
    algorithm = (
        shoal.algorithms.Partition(siblings="frequency") if isinstance(model, shoal.models.TransactionalK) else None
    )
    plain = shoal.algorithms.Partition() if algorithm else shoal.algorithms.Optimal()
    release = shoal.anonymize(problem, algorithm=algorithm)
    assert release.verdict.holds
    if algorithm is None:
        assert release.losses["ncp"] < shoal.anonymize(problem, algorithm=plain).losses["ncp"]


def test_without_a_hierarchy_all_items_are_siblings() -> None:
    data = shoal.read(BASKETS)
    problem = shoal.Problem(data, Hierarchy.flat(data.transactions.labels), shoal.Km(k=2, m=2))
    release = shoal.anonymize(problem)
    assert release.losses["ncp"] < 0.3
    labels = {label for row in release.data for label in row}
    assert any(" or " in label for label in labels)


def test_nothing_is_grouped_where_nothing_has_to_be() -> None:
    problem = shoal.Problem(shoal.read([["a"], ["a"]]), Hierarchy.flat(["a", "b"]), shoal.Km(k=2))
    release = shoal.anonymize(problem)
    assert release.problem.hierarchy.refines is None
    assert release.losses["ncp"] == 0


@pytest.mark.parametrize("tree", [{"a": []}, {"x": {"y": {"a": []}}}, {"x": {"y": ["a", "b"]}}])
def test_tiny_hierarchies_and_chains(tree: dict[str, object]) -> None:
    release = shoal.anonymize(
        shoal.Problem(shoal.read([["a"]] * 2), Hierarchy.from_tree(tree), shoal.Km(k=2)),
        algorithm=shoal.algorithms.Auto(),
    )
    assert release.losses["ncp"] == 0


# ---- trees and names


@examples(60)
@given(cases(9), st.sampled_from(["label", "frequency"]))
def test_a_refined_tree_keeps_the_owners_nodes_and_adds_unions_of_siblings(case: Case, how: str) -> None:
    problem = shoal.Problem(shoal.read(case.sets), case.hierarchy, shoal.Km(k=2))
    owner, tree = problem.hierarchy, sibling_trees.tree_of(problem.prepared, how)
    assert set(tree.items) == set(owner.items)

    def items(hierarchy: Hierarchy, node: int) -> set[str]:
        return set(hierarchy.items[slice(*hierarchy.span[node])])

    for node, label in enumerate(tree.labels):
        if label in owner.code_of:
            assert items(tree, node) == items(owner, owner.code_of[label])
            continue
        members = members_of(tree, node)
        assert len({int(owner.parent[member]) for member in members}) == 1
        assert items(tree, node) == set().union(*(items(owner, member) for member in members))
    assert problem.prepared.on(tree).items.sets() == problem.prepared.items.sets()
    assert problem.prepared.on(tree).occurrences[-1] == problem.prepared.occurrences[-1]


def members_of(tree: Hierarchy, group: int) -> list[int]:
    """The siblings that a group is made of."""
    assert tree.refines is not None
    own = tree.refines.code_of.get(tree.labels[group])
    return [own] if own is not None else [one for child in tree.children[group] for one in members_of(tree, child)]


def test_names_list_few_members_and_number_large_groups() -> None:
    owner = Hierarchy.from_tree({"ALL": {"DAIRY": [f"d{i}" for i in range(9)], "X": ["beer", "wine", "gin"]}})
    codes = owner.code_of
    parts = [[codes[f"d{i}"] for i in range(4)], [codes[f"d{i}"] for i in range(4, 9)]]
    shapes: dict[int, list[Any]] = {codes["DAIRY"]: parts, codes["X"]: [[codes["beer"], codes["wine"]], codes["gin"]]}
    tree = refine.refined(owner, shapes)
    groups = [node for node, label in enumerate(tree.labels) if label not in codes]
    assert [named(tree, groups).labels[node] for node in groups] == [
        "DAIRY, group 1 of 2 (4 items)",
        "DAIRY, group 2 of 2 (5 items)",
        "beer | wine",
    ]


def test_names_avoid_what_is_there_already_and_what_separates_items() -> None:
    owner = Hierarchy.from_tree({"ALL": ["a b", "c", "a b | c", "d"]})
    tree = refine.refined(owner, {4: [[owner.code_of["a b"], owner.code_of["c"]], 1, 3]})
    group = next(node for node, label in enumerate(tree.labels) if label not in owner.code_of)
    assert named(tree, [group]).labels[group] == "a b | c (2)"
    assert named(tree, [group], marks="|,").labels[group] == "a b | c (2)"  # the file must cope with | anyway
    plain = Hierarchy.from_tree({"ALL": ["a", "c", "d"]})
    tree = refine.refined(plain, {3: [[0, 1], 2]})
    assert named(tree, [3], marks="|,").labels[3] == "a or c"
    assert named(tree, [3], marks=" ").labels[3] == "a|c"


def test_a_group_of_ten_thousand_items_has_a_short_name() -> None:
    owner = Hierarchy.flat([f"i{i}" for i in range(10_000)])
    tree = refine.around(owner, (np.arange(10_000) // 5_000).astype(np.int32), np.arange(10_001))
    nodes = [node for node in range(10_000, len(tree)) if tree.leaves[node] == 5_000]
    assert [named(tree, nodes).labels[node] for node in nodes] == [
        "group 2 of 2 (5,000 items)",
        "group 1 of 2 (5,000 items)",
    ]
