"""Direct anonymization: native ≡ Python."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.aa import AA
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.engines import Engine
from shoal.kernels.choice import no_progress
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.testing import problems
from tests.conftest import implementations

km = st.builds(Km, k=st.integers(2, 5), m=st.integers(1, 4))


@given(problem=problems(km), data=st.data())
def test_direct_pass_twins(problem: Problem, data: st.DataObject) -> None:
    """From any cut, to any size, with and without the early stop."""
    model, items, h = problem.model, problem.prepared.items, problem.hierarchy
    assert isinstance(model, Km)
    assert isinstance(model.m, int)
    if items.count_persons(items.sizes > 0) < model.k:
        return
    inner = list(range(h.n_leaves, len(h)))
    raised = np.array(sorted(data.draw(st.sets(st.sampled_from(inner)))) if inner else [], dtype=np.int32)
    sizes = (data.draw(st.integers(1, model.m)), model.m, data.draw(st.booleans()))
    bounded, by_leaves = data.draw(st.booleans()), data.draw(st.booleans())
    tree = (h.parent, np.ascontiguousarray(h.span).reshape(-1), problem.prepared.costs, h.n_leaves)
    given_supports = data.draw(st.booleans())  # of other rows, so that the order of labels is another one
    number = st.integers(1, 9)
    supports = np.array([data.draw(number) for _ in h.parent] if given_supports else [], dtype=np.int64)
    results = [
        kernel.direct_pass(
            items.indptr,
            items.items,
            items.repeaters,
            *tree,
            model.k,
            *sizes,
            raised,
            bounded,
            by_leaves,
            supports,
            0,
            no_progress,
        )
        for kernel in implementations()
    ]
    assert all(result == results[0] for result in results)
    if bounded:
        assert h.root not in results[0][0] or h.root in raised


def test_a_repair_that_only_the_root_can_make_is_quick() -> None:
    """Each of 7 deep items is missing in some rows: nothing below the root lifts the full set."""
    items = [f"i{n}" for n in range(7)]
    parents: dict[str, str | None] = {"root": None}
    for item in items:
        path = [item, *(f"{item}-{level}" for level in range(8)), "root"]
        parents.update(itertools.pairwise(path))
    rows = [items, *([other for other in items if other != item] for item in items for _ in range(5))]
    h = Hierarchy.from_parents(parents)
    problem = Problem(Dataset(Transactions.from_sets(rows)), h, Km(k=5, m=7))
    assert AA().search(problem.prepared, Engine()).recoding.apply(problem.prepared.items).rows.labels == ("root",)
