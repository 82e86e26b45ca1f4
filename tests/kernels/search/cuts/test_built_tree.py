"""The nodes of count-trees that the papers build: native ≡ Python ≡ a tree that is built.

Covers: kernels/search/label_order.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms.base import CutAlgorithm
from shoal.hierarchies.balance import balanced
from shoal.kernels.choice import no_progress
from shoal.kernels.search.cuts.built_tree import TreeSize, built_tree
from shoal.models.people import with_items
from shoal.search.count_tree import CountTree, strictly_below
from shoal.search.direct import BUILT, CutInput, level_by_level
from shoal.testing import problems
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import csr, interrupt, random_rows

km = st.builds(shoal.Km, k=st.integers(2, 5), m=st.integers(1, 4))


def oracle(problem: shoal.Problem, raised: frozenset[int], size: int, by_leaves: bool = False) -> tuple[int, int]:
    """The paths of a tree that is built, and the beginnings of those of full length."""
    h, items = problem.hierarchy, problem.prepared.items
    below = frozenset(node for node in range(len(h)) if strictly_below(h, node, raised))
    paths = set(CountTree(h, items, size, below, by_leaves=by_leaves).counts)
    return len(paths), len({path[:length] for path in paths if len(path) == size for length in range(1, size + 1)})


@examples(150)
@given(problem=problems(km), data=st.data())
def test_as_many_nodes_as_a_tree_that_is_built(problem: shoal.Problem, data: st.DataObject) -> None:
    items, h = problem.prepared.items, problem.hierarchy
    size, by_leaves = int(problem.model.values()["m"]), data.draw(st.booleans())
    inner = list(range(h.n_leaves, len(h)))
    raised = np.array(sorted(data.draw(st.sets(st.sampled_from(inner)))) if inner else [], dtype=np.int32)
    tree = (h.parent, np.ascontiguousarray(h.span).reshape(-1), problem.prepared.costs, h.n_leaves)
    wanted = oracle(problem, frozenset(raised.tolist()), size, by_leaves)
    for kernel in implementations():
        arguments = (items.indptr, items.items, items.repeaters, *tree, raised, size, by_leaves)
        assert tuple(kernel.built_tree(*arguments, 1e12, no_progress)) == wanted
        if wanted[1]:
            assert tuple(kernel.built_tree(*arguments, 0.0, no_progress)) == (-1, -1)


def wide(rows: int) -> shoal.Problem:
    """Rows over 150 items, some of them long: pairs need several words of bits, set one by one and all at once."""
    indptr, items, _ = csr(random_rows(rows, 150, 4, seed=rows) + random_rows(6, 150, 20, seed=rows))
    rows_ = shoal.data.Transactions(indptr, items, tuple(f"{item:03}" for item in range(150)))
    hierarchy = balanced(rows_.labels, fanout=5)
    return shoal.Problem(shoal.Dataset(rows_), hierarchy, shoal.Km(k=2, m=3))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_many_labels(size: int) -> None:
    problem = wide(12)
    h, items = problem.hierarchy, problem.prepared.items
    tree = (h.parent, h.span, problem.prepared.costs, h.n_leaves)
    assert built_tree(items.indptr, items.items, *tree, [], size) == TreeSize(*oracle(problem, frozenset(), size))


def test_it_can_be_interrupted() -> None:
    problem = wide(1500)  # a second of work
    h, items = problem.hierarchy, problem.prepared.items
    tree = (h.parent, h.span, problem.prepared.costs, h.n_leaves)
    with pytest.raises(KeyboardInterrupt):
        built_tree(items.indptr, items.items, *tree, [], 7, tick=interrupt)


@examples(60)
@given(problem=problems(km))
def test_solutions_tell_the_nodes_if_asked(problem: shoal.Problem) -> None:
    """The same cuts as ever, and the trees of the papers' algorithms, replayed here from a tree that is built."""
    k, items = int(problem.model.values()["k"]), problem.prepared.items
    if with_items(items) < k:
        return
    known = problem.model.demand(items).known
    engine = shoal.Engine(built_trees=True)
    trees, raised = [], frozenset[int]()
    for size in range(1, known + 1):
        trees.append(oracle(problem, raised, size))
        done = level_by_level(CutInput.of(problem.prepared), shoal.Km(k=k, m=size), shoal.Engine())
        raised = frozenset(done.raised)
    full, largest = oracle(problem, frozenset(), known)[0], max(tree[0] for tree in trees)
    methods: list[tuple[CutAlgorithm, int]] = [
        (shoal.algorithms.OA(), full),
        (shoal.algorithms.DA(), full),
        (shoal.algorithms.AA(), largest),
    ]
    for method, wanted in methods:
        plain = method.solve(problem.prepared, shoal.Engine())
        solution = method.solve(problem.prepared, engine)
        assert plain.recoding.apply(items).rows.sets() == solution.recoding.apply(items).rows.sets()
        assert BUILT not in plain.statistics
        assert solution.statistics[BUILT] == wanted
    assert solution.statistics[f"{BUILT}_at_m"] == trees[-1][0]
    assert solution.statistics[f"{BUILT}_of_subsets"] == max(tree[1] for tree in trees)
    alone = shoal.algorithms.LRA(chunks=1).solve(problem.prepared, engine).statistics
    assert (alone[BUILT], alone[f"{BUILT}_in_all"], alone[f"{BUILT}_records"]) == (largest, largest, len(items))
    for local in (shoal.algorithms.LRA(chunks=3), shoal.algorithms.VPA(parts=3)):
        figures = local.solve(problem.prepared, engine).statistics
        assert figures[BUILT] <= figures[f"{BUILT}_in_all"]
        assert BUILT not in local.solve(problem.prepared, shoal.Engine()).statistics
