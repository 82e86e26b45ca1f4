"""What a search needs of the rows: no answer that a search asks for changes, whatever the parts and the passes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms.base import Algorithm
from shoal.data import Transactions
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.recoding import GlobalCut
from shoal.release.pipeline import make_release
from shoal.search import thinning
from shoal.testing import problems
from tests.budget import examples

km = st.builds(shoal.Km, k=st.integers(2, 5), m=st.integers(1, 3))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thin small data, too."""
    for name in ("LARGE", "PAYS"):
        monkeypatch.setattr(thinning, name, 0)
    monkeypatch.setattr("shoal.search.direct.LARGE", 0)


def holders(rows: Transactions, groups: tuple[frozenset[int], ...]) -> int:
    """Count the persons with a row that holds an item of each group."""
    people = range(len(rows)) if rows.persons is None else rows.persons.of.tolist()
    own = [set(row.tolist()) for row in rows]
    return len({person for person, row in zip(people, own, strict=True) if all(row & group for group in groups)})


@pytest.mark.usefixtures("always")
@examples(300)
@given(problem=problems(km), data=st.data())
def test_supports_below_k_stay_the_same(problem: shoal.Problem, data: st.DataObject) -> None:
    """For any disjoint groups of items, whether a hierarchy has them or not."""
    model, items = problem.model, problem.prepared.items
    assert isinstance(model, shoal.Km)
    assert isinstance(model.m, int)
    part_rows, workers = data.draw(st.sampled_from([1, 2, 7])), data.draw(st.integers(1, 3))
    memory = data.draw(st.sampled_from([100, 1000, 10**6]))
    thin = thinning.thinned(items, model.k, model.m, Engine(workers=workers, memory=memory, part_rows=part_rows))
    group_of = data.draw(st.lists(st.integers(0, 3), min_size=len(items.labels), max_size=len(items.labels)))
    groups = [frozenset(np.flatnonzero(np.array(group_of) == group).tolist()) for group in range(4)]
    for size in range(1, model.m + 1):
        for some in combinations([group for group in groups if group], size):
            before, after = holders(items, some), holders(thin, some)
            assert min(before, model.k) == min(after, model.k)
    again = thinning.thinned(items, model.k, model.m, Engine(workers=1))
    assert thin.sets() == again.sets(), "parts, workers or memory change the result"
    assert thinning.thinned(thin, model.k, model.m, Engine()).sets() == thin.sets()


@pytest.mark.usefixtures("always")
@examples(200)
@given(problem=problems(km), data=st.data())
def test_at_a_cut_and_above_it(problem: shoal.Problem, data: st.DataObject) -> None:
    """Each label of a row keeps an item, if it is needed. Groups that join labels have the same supports."""
    model, items, tree = problem.model, problem.prepared.items, problem.hierarchy
    assert isinstance(model, shoal.Km)
    assert isinstance(model.m, int)
    inner = list(range(tree.n_leaves, len(tree)))
    cut = GlobalCut.raising(tree, data.draw(st.sets(st.sampled_from(inner))) if inner else ())
    label_of = np.repeat(np.arange(len(cut.nodes), dtype=np.int32), tree.leaves[cut.nodes])
    thin = thinning.thinned(items, model.k, model.m, Engine(part_rows=2), label_of)
    before, after = cut.apply(items).rows, cut.apply(thin).rows
    for size in range(1, model.m + 1):
        for labels in combinations(range(len(cut.nodes)), size):
            groups = tuple(frozenset({label}) for label in labels)
            assert min(holders(before, groups), model.k) == min(holders(after, groups), model.k)


@examples(200)
@given(problem=problems(km), algorithm=st.sampled_from(["aa", "da"]))
def test_the_cut_is_the_same(problem: shoal.Problem, algorithm: str) -> None:
    """Of AA and DA, with their statistics: the walk over the count-tree is that over all rows."""
    try:
        whole = shoal.anonymize(problem, algorithm=algorithm)
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LARGE", "PAYS"):
            patch.setattr(thinning, name, 0)
        patch.setattr("shoal.search.direct.LARGE", 0)
        thin = shoal.anonymize(problem, algorithm=algorithm)
    assert thin.recoding.published_nodes.tolist() == whole.recoding.published_nodes.tolist()
    assert thin.losses == whole.losses
    assert thin.solution.statistics == whole.solution.statistics


METHODS = [
    shoal.algorithms.Optimal(),
    shoal.algorithms.Optimal(siblings="frequency"),
    shoal.algorithms.HgHs(),
    shoal.algorithms.MHgHs(max_suppressed=20),
    shoal.algorithms.OptimalSuppress(),
]


@examples(100)
@given(problem=problems(km, max_rows=40), method=st.sampled_from(METHODS))
def test_the_loss_is_the_same(problem: shoal.Problem, method: Algorithm) -> None:
    """Of the optimum with its proof, and of methods that suppress."""
    try:
        whole = make_release(problem, method)
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LARGE", "PAYS"):
            patch.setattr(thinning, name, 0)
        thin = make_release(problem, method)
    assert thin.loss == whole.loss
    proofs = [release.optimality and release.optimality.proven for release in (thin, whole)]
    assert proofs[0] == proofs[1]


def test_it_is_left_alone_if_it_does_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Transactions.from_sets([["a", "b"]] * 9)
    assert thinning.thinned(rows, 2, 2, Engine()) is rows
    monkeypatch.setattr(thinning, "LARGE", 10)
    assert thinning.thinned(rows, 2, 2, Engine()) is rows  # 4 times 6 sets may be needed, and there are 9
    monkeypatch.setattr(thinning, "PAYS", 1)
    assert thinning.thinned(rows, 2, 2, Engine()).sets() == [{"a", "b"}] * 2
    assert thinning.thinned(rows, 2, 4, Engine()) is rows
    monkeypatch.setattr(thinning, "MOST_PASSES", 0)
    assert thinning.thinned(rows, 2, 2, Engine()) is rows
