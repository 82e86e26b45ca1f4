"""Searches with a list of all violations: the answers, and so the cuts, are those of the rows.

Covers: kernels/search/repair/combination_key.py kernels/search/repair/listed.py kernels/search/repair/node_sets.py.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.kernels.choice import no_progress
from shoal.kernels.search.repair.combination_key import key_of
from shoal.kernels.search.repair.repair import MOST
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.release.pipeline import make_release
from shoal.search import listing, thinning
from shoal.search.clock import Clock, OutOfTime
from shoal.search.direct import CutInput
from shoal.search.expansion import Expansion
from shoal.search.non_monotone import NonMonotoneSearch
from shoal.testing import all_cuts, problems
from tests.budget import examples
from tests.conftest import implementations
from tests.search.test_non_monotone import clean

lm = st.builds(shoal.Lm, l=st.integers(2, 4), m=st.integers(1, 3), sensitive=st.just(("s0", "s1")))
negative = st.builds(shoal.models.KmNegative, k=st.integers(2, 4), m=st.integers(1, 2))
hkp = st.builds(
    shoal.models.Hkp,
    h=st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    k=st.integers(2, 4),
    p=st.integers(1, 3),
    sensitive=st.just(("s0", "s1")),
)
either = st.one_of(lm, negative)


def always(patch: pytest.MonkeyPatch) -> None:
    """List the violations of small data, too."""
    for module in (thinning, listing):
        for name in ("LARGE", "PAYS"):
            patch.setattr(module, name, 0)


def listed(problem: Prepared[PrivacyModel], engine: Engine) -> list[tuple[Counts, Counts, Counts]]:
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        found = listing.list_violations(problem, engine)
    return [] if found is None else list(found.units)


def brute_force(problem: Prepared[PrivacyModel], by_person: bool) -> set[int]:
    """The keys of all combinations of nodes that violate the model, no node above another."""
    tree, items, demand = problem.hierarchy, problem.items, problem.model.demand(problem.items)
    assert demand is not None
    rows = [{u for u in range(len(tree)) if any(tree.covers(u, leaf) for leaf in row)} for row in items]
    values = [set(row.tolist()) for row in problem.sensitive]
    people = list(range(len(rows))) if items.persons is None or not by_person else items.persons.of.tolist()
    units = [{people[r] for r in range(len(rows)) if u in rows[r]} for u in range(len(tree))]

    def violates(present: tuple[int, ...], absent: tuple[int, ...]) -> bool:
        fit = [r for r, row in enumerate(rows) if row.issuperset(present) and row.isdisjoint(absent)]
        have = len({people[r] for r in fit})
        highest = max((len({people[r] for r in fit if v in values[r]}) for v in set().union(*values)), default=0)
        return have > 0 and (have < demand.k or highest > demand.max_share * have)

    found, occurring = set(), [u for u in range(len(tree)) if units[u]]
    for size in range(1, demand.known + 1):
        for nodes in itertools.combinations(occurring, size):
            if any(tree.covers(a, b) or tree.covers(b, a) for a, b in itertools.combinations(nodes, 2)):
                continue
            for signs in itertools.product([True, False], repeat=size) if demand.absent else [(True,) * size]:
                present = tuple(u for u, sign in zip(nodes, signs, strict=True) if sign)
                absent = tuple(u for u, sign in zip(nodes, signs, strict=True) if not sign)
                if violates(present, absent):
                    found.add(key_of(present, absent))
    return found


@examples(250)
@given(problem=problems(st.one_of(lm, negative, hkp), max_leaves=5, max_rows=10), data=st.data())
def test_all_violations_are_listed(problem: shoal.Problem, data: st.DataObject) -> None:
    prepared, engines = (
        problem.prepared,
        st.builds(
            Engine,
            workers=st.integers(1, 3),
            memory=st.sampled_from([100, 1000, 10**6]),
            part_rows=st.sampled_from([1, 2, 7]),
        ),
    )
    for by_person, (support, keys, counts) in enumerate(listed(prepared, data.draw(engines))):
        assert set(keys.tolist()) == brute_force(prepared, bool(by_person))
        assert keys.tolist() == sorted(keys.tolist())
        assert len(counts) in (0, len(keys))
        people = prepared.items.persons.of if by_person and prepared.items.persons else np.arange(len(prepared.items))
        for leaf in range(prepared.hierarchy.n_leaves):
            assert support[leaf] == len({*people[[leaf in row for row in prepared.items]].tolist()})


@pytest.mark.parametrize("algorithm", ["aa", "da"])
@examples(250)
@given(problem=problems(either))
def test_the_cut_is_the_same(problem: shoal.Problem, algorithm: str) -> None:
    def released() -> shoal.Release | str:
        try:
            return shoal.anonymize(problem, algorithm=algorithm)
        except Infeasible as error:
            return str(error)

    whole = released()
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        few = released()
    if isinstance(whole, str) or isinstance(few, str):
        assert few == whole
        return
    assert few.recoding.published_nodes.tolist() == whole.recoding.published_nodes.tolist()
    assert few.losses == whole.losses
    assert few.solution.statistics["repairs"] == whole.solution.statistics["repairs"]


@examples(150)
@given(problem=problems(either, max_rows=25), siblings=st.sampled_from(["none", "frequency"]))
def test_the_optimum_is_the_same(problem: shoal.Problem, siblings: str) -> None:
    method = shoal.algorithms.Optimal(siblings=siblings)
    try:
        whole = make_release(problem, method)
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        few = make_release(problem, method)
    assert few.loss == whole.loss
    assert few.optimality is not None
    assert few.optimality.proven


@examples(150)
@given(problem=problems(hkp, max_rows=20))
def test_mm_suppresses_the_same(problem: shoal.Problem) -> None:
    whole = make_release(problem, shoal.algorithms.MM())
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        few = make_release(problem, shoal.algorithms.MM())
    assert few.recoding.published_nodes.tolist() == whole.recoding.published_nodes.tolist()
    assert few.losses == whole.losses
    assert few.solution.statistics == whole.solution.statistics


@examples(150)
@given(problem=problems(either, max_leaves=6, max_rows=10), data=st.data())
def test_constraints_are_sound_and_complete(problem: shoal.Problem, data: st.DataObject) -> None:
    """No clean cut breaks one; a cut that is not clean breaks one of its own; both kernels say the same."""
    prepared = problem.prepared
    units = listed(prepared, Engine())
    if not units:
        return
    tree = prepared.hierarchy
    arrays: Any = (units, tree.parent, np.ascontiguousarray(tree.span).reshape(-1), tree.n_leaves, no_progress)
    cuts = all_cuts(tree)
    at, m = data.draw(st.integers(0, len(cuts) - 1)), problem.model.values()["m"]
    told = [
        kernel.ListedBreaches(*arrays).at(cuts[at].raised, m, MOST, data.draw(st.integers(1, 3)), no_progress)
        for kernel in implementations()
    ]
    assert all(other == told[0] for other in told)
    threats, together = told[0]
    expansion = Expansion(tree, prepared.costs)
    for cut in cuts:
        expanded, nodes = expansion.expanded(cut), set(cut.nodes.tolist())
        breaks = any(expanded.issuperset(threat) for threat in threats)
        breaks |= any(nodes.issuperset(labels) for labels in together)
        good = clean(problem, cut)
        assert not (good and breaks)
        if cut is cuts[at]:
            assert breaks == (not good)


@examples(150)
@given(
    problem=problems(either, max_leaves=6, max_rows=10),
    data=st.data(),
    bounded=st.booleans(),
    most=st.sampled_from([1, 3, MOST]),
)
def test_the_twins_repair_alike(problem: shoal.Problem, data: st.DataObject, bounded: bool, most: int) -> None:
    prepared = problem.prepared
    units, tree = listed(prepared, Engine()), prepared.hierarchy
    raised = np.array(sorted(data.draw(st.sampled_from(all_cuts(tree))).raised), dtype=np.int32)
    last = data.draw(st.integers(1, 3))
    arrays: Any = (tree.parent, np.ascontiguousarray(tree.span).reshape(-1), prepared.costs, tree.n_leaves)
    told = [
        kernel.repair_listed(units, *arrays, 1, last, raised, bounded, most, no_progress)
        for kernel in implementations()
    ]
    assert all([*map(str, other)] == [*map(str, told[0])] for other in told)


def test_lists_are_for_much_data_only(monkeypatch: pytest.MonkeyPatch) -> None:
    data = shoal.read([["a", "b", "s"], ["a", "b"], ["b"], ["a"]] * 3)
    tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b", "s"]})
    model = shoal.Lm(l=3, m=2, sensitive=("s",))
    prepared = shoal.Problem(data, tree, model).prepared
    assert not listing.can_list(prepared)
    monkeypatch.setattr(listing, "LARGE", 10)
    assert not listing.can_list(prepared)  # 4 times 6 sets are possible, and there are 9 pairs
    monkeypatch.setattr(listing, "PAYS", 1)
    assert listing.can_list(prepared)
    assert not listing.can_list(shoal.Problem(data, tree, shoal.Km(k=2, m=2)).prepared)
    monkeypatch.setattr(listing, "MOST_LISTED", 1)
    assert listing.list_violations(prepared, Engine()) is None  # too many


@pytest.mark.parametrize("model", [shoal.Lm(l=4, m=2, sensitive=("s",)), shoal.models.KmNegative(k=2, m=2)])
def test_rows_that_are_needed_all_the_same_must_fit(model: PrivacyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many violations for a list, or if thinning does not pay for the k^m-anonymous part."""
    rows = [[f"i{row % 7}", f"i{row % 5}", "s"] for row in range(60)] + [[]] * 200
    data = shoal.read(rows)
    problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model)
    monkeypatch.setattr(listing, "LARGE", 0)
    monkeypatch.setattr(listing, "PAYS", 0)
    monkeypatch.setattr(listing, "MOST_LISTED", 1 if model.sensitive_labels else 10**6)
    monkeypatch.setattr("shoal.search.memory.LARGE", 1)
    with pytest.raises(OptionError, match="The search needs about"):
        CutInput.needed(problem.prepared, Engine(workers=1, memory=5_000))
    CutInput.needed(problem.prepared, Engine(workers=1, memory=10**6))


@pytest.mark.parametrize("huge", [2**32, 2**63, 10**20])
def test_any_k(huge: int) -> None:
    """Larger than any support. The model hkp is always feasible, because everything can be suppressed."""
    model = shoal.models.Hkp(h=0.5, k=huge, p=2, sensitive=("s",))
    data = shoal.read([["a", "b", "s"], ["a", "b"], ["a"]] * 3)
    problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), model)
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        release = make_release(problem, shoal.algorithms.MM())
    assert not len(release.published.rows.items)


def test_a_list_for_a_further_tree_is_made_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first list is made whatever the limit. Where a safe result is known, the clock counts from the beginning."""
    monkeypatch.setattr(listing, "LARGE", 0)
    monkeypatch.setattr(listing, "PAYS", 0)
    data = shoal.read([["a1", "b1", "s"], ["a2", "b1"], ["a1", "b2"], ["a2", "b2"]] * 3)
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    problem = shoal.Problem(data, tree, shoal.Lm(l=2, m=2, sensitive=("s",))).prepared
    clock = Clock(0.0)
    assert NonMonotoneSearch(problem, shoal.Engine(), clock).cut_input.listing is not None
    clock.start()
    with pytest.raises(OutOfTime):
        NonMonotoneSearch(problem, shoal.Engine(workers=1), clock.part(1.0))
