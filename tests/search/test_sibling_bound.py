"""The bound over all sibling groupings, against all of them.

Covers: search/chain_bound.py, search/covering.py, kernels/search/siblings/merge_chains.py,
kernels/search/siblings/merge_clauses.py, kernels/search/siblings/flow.py.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import shoal
from shoal import kernels
from shoal.data.arrays import Codes
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL
from shoal.hierarchies.weights import Weights
from shoal.kernels.search.siblings.flow import Flow, FlowTwin
from shoal.kernels.search.siblings.merge_chains import MergeChains, MergeChainsTwin
from shoal.kernels.search.siblings.merge_clauses import Clauses, MergeClauses, MergeClausesTwin, Variables
from shoal.metrics.lm import LM
from shoal.metrics.ncp import NCP
from shoal.problem import Problem
from shoal.search import chain_bound, sibling_bound
from shoal.search.covering import Covering
from shoal.search.sibling_bound import grouping_bound

Block = frozenset[int]


def partitions(nodes: list[int]) -> Iterator[list[list[int]]]:
    """All partitions of a list."""
    if not nodes:
        yield []
        return
    for rest in partitions(nodes[1:]):
        yield [[nodes[0]], *rest]
        for at in range(len(rest)):
            yield [*rest[:at], [nodes[0], *rest[at]], *rest[at + 1 :]]


def groupings(hierarchy: Hierarchy, node: int) -> set[frozenset[Block]]:
    """All sibling groupings of the items below a node, by the definition."""
    if not hierarchy.children[node]:
        return {frozenset([frozenset([node])])}
    below = {child: groupings(hierarchy, child) for child in hierarchy.children[node]}
    found = set()
    for blocks in partitions(list(hierarchy.children[node])):
        choices = [
            [frozenset([frozenset(itertools.chain(*(range(*hierarchy.span[child]) for child in block)))])]
            if len(block) > 1
            else list(below[block[0]])
            for block in blocks
        ]
        found |= {frozenset().union(*choice) for choice in itertools.product(*choices)}
    return found


def best(problem: Problem) -> int:
    """The least cost of a safe grouping, by trying all."""
    assert isinstance(problem.model, shoal.Km)
    people = range(len(problem.prepared.items)) if (of := problem.prepared.persons) is None else of.of.tolist()
    rows, k, m = (
        [set(row.tolist()) for row in problem.prepared.items],
        problem.model.k,
        problem.model.demand(problem.prepared.items).known,
    )
    n, costs = problem.prepared.hierarchy.n_leaves, []
    for grouping in groupings(problem.prepared.hierarchy, problem.prepared.hierarchy.root):
        published = [frozenset(block for block in grouping if block & row) for row in rows]
        sets = {
            frozenset(some)
            for row in published
            for size in range(1, m + 1)
            for some in itertools.combinations(row, size)
        }
        whose = list(zip(published, people, strict=True))
        if all(len({person for row, person in whose if some <= row}) >= k for some in sets):
            penalty = {block: int(problem.loss.penalty(np.array([len(block)]), n)[0]) for block in grouping}
            costs.append(
                sum(penalty[block] * int(problem.prepared.occurrences[u]) for block in grouping for u in block)
            )
    return min(costs)


def random_tree(draw: random.Random, items: list[str]) -> dict[str, object]:
    """A tree of any shape over the items: flat, deep or mixed, sometimes with nodes of a single child."""
    if len(items) == 1:
        return {f"({items[0]})": {items[0]: []}} if draw.random() < 0.15 else {items[0]: []}
    if draw.random() < 0.3:
        return {f"[{items[0]}{len(items)}]": items}
    parts = sorted(draw.sample(range(1, len(items)), draw.randint(1, min(3, len(items) - 1))))
    below: dict[str, object] = {}
    for a, b in itertools.pairwise([0, *parts, len(items)]):
        below |= random_tree(draw, items[a:b])
    return {f"<{items[0]}{len(items)}>": below}


def random_problem(draw: random.Random, people: bool = False) -> Problem:
    items = list("abcdefg")[: draw.randint(2, 7)]
    hierarchy = Hierarchy.from_tree({"ALL": random_tree(draw, items)} if draw.random() < 0.7 else {"ALL": items})
    density = draw.choice([0.15, 0.3, 0.5, 0.7])
    used = items[: draw.randint(1, len(items))] if draw.random() < 0.2 else items
    rows = [[item for item in used if draw.random() < density] for _ in range(draw.randint(4, 24))]
    k, singles = draw.randint(2, 4), len(rows)
    rows += [[draw.choice(items)] for _ in range(k)]
    if draw.random() < 0.3:
        rows += rows[: draw.randint(1, len(rows))]
    weights = Weights({item: draw.choice([0, 1, 2, 5]) for item in items}) if draw.random() < 0.25 else None
    model = shoal.Km(k=k, m=draw.choice([1, 2, 2, 2, 3, "all"]))
    loss = draw.choice([NCP(), LM()])
    records = Transactions.from_sets(rows)
    if people:
        number = draw.choice([k + 1, 2 * k, len(rows)])
        whose = [draw.randrange(number) for _ in rows]
        whose[singles : singles + k] = range(k)  # at least k persons, so the root is safe
        records = records.of_persons(whose)
    return Problem(Dataset(records), hierarchy, model, loss, weights=weights)


def count_equal(seeds: range, people: bool = False) -> tuple[int, int]:
    """How often the bound is the best cost, and how often that is not 0; fails where it is above it."""
    equal = positive = 0
    for seed in seeds:
        problem = random_problem(random.Random(seed), people)
        bound, least = grouping_bound(problem.prepared, LOCAL), best(problem)
        assert 0 <= bound <= least, f"seed {seed}: bound {bound}, best {least}"
        equal, positive = equal + (bound == least > 0), positive + (least > 0)
    return equal, positive


def chains_of(problem: Problem) -> chain_bound.Chains | None:
    """The relaxation by chains alone; None, where it does not apply."""
    model = problem.model
    assert isinstance(model, shoal.Km)
    tree = sibling_bound.Tree.of(problem.prepared.hierarchy, problem.prepared.occurrences)
    if problem.prepared.items.non_empty < model.k or len(tree.parent) < 3:
        return None
    return chain_bound.Chains(
        problem.prepared.items, tree, model.k, model.demand(problem.prepared.items).known, 1.0, math.inf
    )


def check_chains(seeds: range, people: bool = False) -> tuple[int, int]:
    """How often the bound by chains alone is positive, and the best cost is; fails where it is above it."""
    some = positive = 0
    for seed in seeds:
        problem = random_problem(random.Random(seed), people)
        if (chains := chains_of(problem)) is not None:
            bound = chains.bound(*sibling_bound._linear(problem.loss, problem.prepared.hierarchy.n_leaves))
            least = best(problem)
            assert 0 <= bound <= least, f"seed {seed}: bound {bound}, best {least}"
            some, positive = some + (bound > 0), positive + (least > 0)
    return some, positive


@pytest.mark.parametrize("share", [0, 3, 8])
def test_no_safe_grouping_of_tiny_data_costs_less_than_a_cut(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_bound, "SHARES", (share,))
    monkeypatch.setattr(chain_bound, "FACTORS", (0.5, 1.0, 2.0, 4.0))
    monkeypatch.setattr(chain_bound, "GRID", 2)
    some, positive = check_chains(range(20_000 + 100 * share, 20_060 + 100 * share))
    assert some > positive / 2


def test_no_grouping_that_is_safe_by_persons_costs_less_than_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_bound, "FACTORS", (0.5, 1.0, 2.0, 4.0))
    monkeypatch.setattr(chain_bound, "GRID", 2)
    some, positive = check_chains(range(40_000, 40_060), people=True)
    assert some > positive / 2


@pytest.mark.slow
def test_no_safe_grouping_of_much_tiny_data_costs_less_than_a_cut() -> None:
    check_chains(range(30_000, 33_000))
    check_chains(range(50_000, 53_000), people=True)


@pytest.mark.skipif(kernels.KIND == "python", reason="there is nothing to compare")
def test_the_kernels_find_the_same_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_bound, "FACTORS", (0.5, 1.0, 2.0, 4.0))
    monkeypatch.setattr(chain_bound, "GRID", 2)
    compared = 0
    for seed in range(90):
        problem = random_problem(random.Random(seed), seed >= 60)
        if (chains := chains_of(problem)) is None:
            continue
        rows, tree, k = problem.prepared.items, chains.tree, problem.model.k
        bases = chains._bases(2)
        shape = (tree.parent, np.ascontiguousarray(tree.span).reshape(-1), tree.start, tree.children)
        readable = MergeChainsTwin(rows.indptr, rows.items, rows.repeaters, *shape, k).around(*bases, 99, 0)[0]
        kernel = MergeChains(rows.indptr, rows.items, *shape, k, persons=rows.repeaters)
        native = kernel.around(*bases, each=99, work=10**9)[0]
        assert native.ravel().tolist() == readable.tolist()
        compared += len(native)
    assert compared > 200


@pytest.mark.parametrize("flow", [Flow, FlowTwin])
def test_the_largest_flow(flow: Any) -> None:
    tails, heads = np.array([0, 0, 2, 2, 3], dtype=np.int32), np.array([2, 3, 3, 1, 1], dtype=np.int32)
    assert flow(4, tails, heads, np.array([5, 2, 2, 2, 9])).grow(10**6) == (6, True)


def test_no_safe_grouping_of_tiny_data_costs_less() -> None:
    equal, positive = count_equal(range(100))
    assert equal > positive / 3


def test_no_grouping_of_tiny_data_that_is_safe_by_persons_costs_less() -> None:
    equal, positive = count_equal(range(60_000, 60_100), people=True)
    assert equal > positive / 3


@pytest.mark.slow
def test_no_safe_grouping_of_much_tiny_data_costs_less() -> None:
    count_equal(range(1000, 6000))
    count_equal(range(70_000, 75_000), people=True)


def test_persons_with_one_record_each_change_no_bound() -> None:
    for seed in range(20):
        problem = random_problem(random.Random(seed))
        items = problem.data.transactions
        alone = replace(problem, data=Dataset(items.of_persons(range(len(items))[::-1])))
        assert grouping_bound(alone.prepared, LOCAL) == grouping_bound(problem.prepared, LOCAL)


def test_two_rows_of_one_person_are_one_person() -> None:
    problem = made(["a", "a", *"bb", *"ccc"], {"ALL": ["a", "b", "c"]}, k=2, m=1)
    assert grouping_bound(problem.prepared, LOCAL) == 0
    whose = Dataset(problem.data.transactions.of_persons([0, 0, 1, 2, 3, 4, 5]))
    problem = replace(problem, data=whose)
    assert grouping_bound(problem.prepared, LOCAL) == 2 * (2 + 2) == best(problem)


def test_no_safe_grouping_costs_less_where_few_pairs_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sibling_bound, "LISTED", 0)
    monkeypatch.setattr(sibling_bound, "FEW_LISTED", 0)
    monkeypatch.setattr(sibling_bound, "LEAST_REACH", 1)
    count_equal(range(10_000, 10_080))


def made(rows: list[str], tree: dict[str, object], **model: int) -> Problem:
    return Problem(Dataset(Transactions.from_sets(rows)), Hierarchy.from_tree(tree), shoal.Km(**model))


def test_a_rare_item_must_be_merged_with_its_cheapest_sibling() -> None:
    problem = made(["a", *"bb", *"ccc"], {"ALL": ["a", "b", "c"]}, k=2, m=1)
    assert grouping_bound(problem.prepared, LOCAL) == 2 * (1 + 2) == best(problem)


def test_a_rare_pair_of_siblings_may_be_merged_with_each_other() -> None:
    problem = made(["ab", *"aab", *"ccccccc", *"ddddddd"], {"ALL": ["a", "b", "c", "d"]}, k=2, m=2)
    assert 0 < grouping_bound(problem.prepared, LOCAL) <= 2 * (3 + 2) == best(problem)


def test_a_rare_pair_across_parents_may_be_settled_on_either_side() -> None:
    rows = ["ac", "bc", "bc", *["a"] * 4, *["b"] * 9, *["c"] * 50, *["d"] * 50]
    problem = made(rows, {"ALL": {"A": ["a", "b"], "C": ["c", "d"]}}, k=3, m=2)
    assert 0 < grouping_bound(problem.prepared, LOCAL) <= best(problem) == 2 * (5 + 11)


def test_several_siblings_are_needed_where_each_brings_one_row() -> None:
    rows = ["ax", "bx", "cx", "dx", *["a"] * 9, *["b"] * 9, *["c"] * 9, *["d"] * 9, *["x"] * 90, *["y"] * 90]
    problem = made(rows, {"ALL": {"A": ["a", "b", "c", "d"], "X": ["x", "y"]}}, k=4, m=2)
    assert grouping_bound(problem.prepared, LOCAL) == best(problem) == 4 * 40


def test_safe_data_have_bound_zero() -> None:
    problem = made(["ab", "ab", "c", "c"], {"ALL": ["a", "b", "c"]}, k=2, m=2)
    assert grouping_bound(problem.prepared, LOCAL) == 0


def test_data_without_a_safe_grouping_have_bound_zero() -> None:
    assert grouping_bound(made(["ab", "a"], {"ALL": ["a", "b"]}, k=3, m=2).prepared, LOCAL) == 0


def test_a_lone_item_has_bound_zero() -> None:
    assert grouping_bound(made(["a", "a"], {"ALL": ["a"]}, k=2, m=2).prepared, LOCAL) == 0


def test_equal_input_gives_equal_bounds() -> None:
    problem = random_problem(random.Random(5))
    assert grouping_bound(problem.prepared, LOCAL) == grouping_bound(problem.prepared, LOCAL)


def test_a_deadline_that_has_passed_gives_zero() -> None:
    problem = made(["a", *"bb", *"ccc"], {"ALL": ["a", "b", "c"]}, k=2, m=1)
    assert grouping_bound(problem.prepared, LOCAL, deadline=0.0) == 0


@pytest.mark.skipif(kernels.KIND == "python", reason="there is nothing to compare")
def test_the_kernels_find_the_same_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    native = MergeClauses.broken
    compared = 0

    def both(self: MergeClauses, *args: Any, **options: Any) -> Clauses:
        nonlocal compared
        found = native(self, *args, **options)
        other = MergeClauses.__new__(MergeClauses)
        other._kernel = MergeClausesTwin(*made_of[id(self)])
        readable = native(other, *args, **options)
        for part in ("sizes", "variables", "weights", "lacks", "states"):
            assert getattr(found, part).tolist() == getattr(readable, part).tolist()
        compared += len(found.sizes)
        return found

    made_of: dict[int, tuple[Any, ...]] = {}
    begin = MergeClauses.__init__

    def remember(self: MergeClauses, *args: Any, persons: Codes) -> None:
        indptr, items, parent, span, start, children, k = args
        made_of[id(self)] = (indptr, items, persons, parent, np.asarray(span).reshape(-1), start, children, k)
        begin(self, *args, persons=persons)

    monkeypatch.setattr(MergeClauses, "__init__", remember)
    monkeypatch.setattr(MergeClauses, "broken", both)
    for seed in range(90):
        grouping_bound(random_problem(random.Random(seed), seed >= 60).prepared, LOCAL)
    assert compared > 200


def test_three_leaves_make_clauses_too() -> None:
    rows = Transactions.from_sets(["abc", *["ab"] * 3, *["ac"] * 3, *["bc"] * 3, *"ddd"])
    parent, span = np.array([4, 4, 4, 4, -1], dtype=np.int32), np.array([[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]])
    start, children = np.array([0, 0, 0, 0, 0, 4]), np.arange(4, dtype=np.int32)
    tree = (parent, span.astype(np.int32), start, children)
    near, pairs = np.zeros(6, dtype=np.int64), np.zeros(0, dtype=np.int32)
    found = MergeClauses(rows.indptr, rows.items, *tree, 3).broken(
        np.array([[0, 1, 2]], dtype=np.int32),
        Variables(near, pairs, pairs, 0, 5),
        np.zeros(10),
        slack=0.1,
        most=9,
        each=9,
        work=10**9,
    )
    assert found.lacks.tolist() == [2, 2, 2]
    assert found.variables.tolist() == [5, 6, 7, 6, 5, 7, 7, 5, 6]


def test_any_multipliers_bound_a_covering() -> None:
    covering = Covering(np.array([3, 5]), np.array([1, 1]), np.array([3.0, 5.0]))
    covering.add(np.array([2]), np.array([0, 1], dtype=np.int32), np.array([1, 1]), np.array([1]))
    covering.improve(200)
    assert covering.bound == 3
    assert covering._exact(np.array([1000.0])) == 0  # far too much, which costs more than it gains
