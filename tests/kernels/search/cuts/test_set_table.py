"""Tables of small sets: native ≡ Python ≡ oracle, by any number of threads and parts, and so is the walk by them."""

from __future__ import annotations

from itertools import combinations, pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.data.arrays import Codes
from shoal.engines import Engine
from shoal.kernels import choice
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.search.set_tables import CutLabels
from shoal.search.thinning import RowsByPerson, count_nodes
from shoal.testing import problems
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import interrupt

km = st.builds(Km, k=st.integers(2, 5), m=st.integers(1, 3))


def holders(items: Transactions, spans: list[list[int]]) -> int:
    """Count the persons with a row that holds an item of every range of leaves."""
    people = range(len(items)) if items.persons is None else items.persons.of.tolist()
    rows = [row.tolist() for row in items]
    there = [all(any(first <= item < stop for item in row) for first, stop in spans) for row in rows]
    return len({one for one, row, all_there in zip(people, rows, there, strict=True) if row and all_there})


@examples(150)
@given(problem=problems(km), data=st.data())
def test_supports_and_walks(problem: Problem, data: st.DataObject) -> None:
    """At any cut, with persons and without, in two parts. The twin walks over the rows."""
    model, items, tree = problem.model, problem.prepared.items, problem.hierarchy
    assert isinstance(model, Km)
    assert isinstance(model.m, int)
    inner = list(range(tree.n_leaves, len(tree)))
    raised = np.array(sorted(data.draw(st.sets(st.sampled_from(inner)))) if inner else [], dtype=np.int32)
    leaves = np.arange(tree.n_leaves, dtype=np.int32)
    supports = count_nodes(items, leaves, tree.parent, Engine(workers=1))
    labels, rows = CutLabels.of(tree, raised.tolist(), supports), RowsByPerson.of(items)
    order = labels.order(supports, by_leaves=data.draw(st.booleans()))
    nodes = (tree.parent, np.ascontiguousarray(tree.span).reshape(-1), problem.prepared.costs, tree.n_leaves)
    split, feasible = data.draw(st.integers(0, len(items))), items.count_persons(items.sizes > 0) >= model.k
    walked = []
    for kernel in implementations():
        for threads in (1, 2, 3):
            table = kernel.SetTable(labels.label_of, labels.parent, model.k, model.m, len(rows.persons) > 0)
            for part in (rows.part(0, split), rows.part(split, len(items))):
                table.add(*part.arrays, threads, no_progress)
            for size in range(1, model.m + 1):
                for some in combinations(range(len(labels)), size):
                    spans = [tree.span[labels.node_of[label]].tolist() for label in some]
                    if all(a[1] <= b[0] for a, b in pairwise(spans)):  # none above another
                        found = table.support(np.array(some, dtype=np.int32))
                        assert found == min(model.k, holders(items, spans))
            if feasible:
                walked.append(table.repair(labels.node_of, order, *nodes, 1, model.m, raised, no_progress))
    assert all(result == walked[0] for result in walked)


def chains(groups: int, items: int) -> tuple[Codes, Codes]:
    """Labels of groups of items, two levels: the label of each leaf, and the parent of each label."""
    label_of = [group * (items + 1) + item + 1 for group in range(groups) for item in range(items)]
    parent = [
        -1 if label % (items + 1) == 0 else label // (items + 1) * (items + 1) for label in range(groups * (items + 1))
    ]
    return np.array(label_of, dtype=np.int32), np.array(parent, dtype=np.int32)


@pytest.mark.parametrize("size", [2, 3])
def test_threads_count_the_same(size: int) -> None:
    """Enough rows for several threads, which meet at the same sets."""
    if choice.native is None:
        pytest.skip("the twin has no threads")
    label_of, parent = chains(6, 5)
    skewed = np.random.default_rng(1).random((6_000, 6)) ** 4 * 5
    items = (skewed.astype(np.int32) + 5 * np.arange(6, dtype=np.int32)).reshape(-1)
    indptr = np.arange(0, len(items) + 1, 6)
    sets = [np.array(some, dtype=np.int32) for some in combinations(range(36), size)]
    found = []
    for threads in (1, 2, 4):
        table = choice.native.SetTable(label_of, parent, 200, size, False)
        table.add(indptr, items, NOBODY, threads, no_progress)
        found.append([table.support(some) for some in sets])
    assert found[0] == found[1] == found[2]
    assert 200 in found[0]
    assert len({*found[0]}) > 50


def test_an_interruption_ends_it(kernel: ModuleType) -> None:
    label_of, parent = chains(1, 100)
    table = kernel.SetTable(label_of, parent, 2, 3, False)
    rows = 3_000  # of 100 items: more than a moment
    items = np.tile(np.arange(100, dtype=np.int32), rows)
    with pytest.raises(KeyboardInterrupt):
        table.add(np.arange(rows + 1) * 100, items, NOBODY, 2, interrupt)


@pytest.mark.parametrize(
    ("label_of", "parent", "k", "size"),
    [([0], [-1], 256, 2), ([0], [-1], 0, 2), ([0], [-1], 2, 4), ([1], [-1], 2, 2), ([0], [0], 2, 2)],
)
def test_nonsense_is_refused(label_of: list[int], parent: list[int], k: int, size: int) -> None:
    if choice.native is None:
        pytest.skip("only the compiled kernel checks")
    with pytest.raises(ValueError, match=r"wanted|from 1 to 255|label"):
        choice.native.SetTable(np.array(label_of, dtype=np.int32), np.array(parent, dtype=np.int32), k, size, False)


def test_rows_without_labels_are_refused() -> None:
    if choice.native is None:
        pytest.skip("only the compiled kernel checks")
    table = choice.native.SetTable(np.array([0, 1], dtype=np.int32), np.array([-1, -1], dtype=np.int32), 2, 2, False)
    for items in ([1, 0], [0, 2]):
        with pytest.raises(ValueError, match="label"):
            table.add(np.array([0, 2]), np.array(items, dtype=np.int32), NOBODY, 1, no_progress)
