"""The optimum for models that are not monotone: against brute force over all cuts, and each constraint for itself."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.errors import Infeasible
from shoal.kernels.choice import no_progress
from shoal.kernels.search.repair.repair import MOST
from shoal.search import solver
from shoal.search.expansion import Expansion
from shoal.testing import all_cuts, persons, problems
from tests.budget import examples
from tests.conftest import implementations

lm = st.builds(shoal.Lm, l=st.integers(2, 4), m=st.integers(1, 3), sensitive=st.just(("s0", "s1")))
negative = st.builds(shoal.models.KmNegative, k=st.integers(2, 4), m=st.integers(1, 3))
either = st.one_of(lm, negative)


def clean(problem: shoal.Problem, cut: shoal.recoding.GlobalCut) -> bool:
    """By brute force; for l^m without the empty set, which no cut changes."""
    items, values = problem.prepared.items, problem.model.values()
    rows, hidden = cut.apply(items).rows.sets(), problem.prepared.sensitive.sets()
    people = list(range(len(rows))) if items.persons is None else items.persons.of.tolist()
    labels = frozenset[str]().union(*rows)

    def persons(some: list[int]) -> int:
        return len({people[r] for r in some})

    for known in (set(c) for size in range(1, values["m"] + 1) for c in itertools.combinations(labels, size)):
        if isinstance(problem.model, shoal.Lm):
            holders = [r for r, row in enumerate(rows) if known <= row]
            for value in ("s0", "s1", "s"):
                told = [r for r in holders if value in hidden[r]]
                if len(told) * values["l"] > len(holders) or persons(told) * values["l"] > persons(holders):
                    return False
        else:
            for present in {row & known for row in rows}:
                if persons([r for r, row in enumerate(rows) if row & known == present]) < values["k"]:
                    return False
    return True


@st.composite
def of_persons(draw: st.DrawFn, given: st.SearchStrategy[shoal.Problem]) -> shoal.Problem:
    """Problems some of which have several rows of a person."""
    problem = draw(given)
    rows = problem.data.transactions.of_persons(draw(persons(len(problem.data))))
    return replace(problem, data=problem.data.with_transactions(rows))


def lister(kernel: Any, problem: shoal.Problem) -> Any:
    h, items, values = problem.prepared.hierarchy, problem.prepared.items, problem.model.values()
    tree = (h.parent, np.ascontiguousarray(h.span).reshape(-1), h.n_leaves)
    if isinstance(problem.model, shoal.Lm):
        hidden = problem.prepared.sensitive
        return kernel.DiversityBreaches(
            items.indptr, items.items, items.repeaters, hidden.indptr, hidden.items, *tree, values["l"], no_progress
        )
    return kernel.NegativeBreaches(items.indptr, items.items, items.repeaters, *tree, values["k"], no_progress)


@examples(250)
@given(problem=of_persons(problems(either, max_leaves=6, max_rows=10)), data=st.data())
def test_constraints_are_sound_and_complete(problem: shoal.Problem, data: st.DataObject) -> None:
    """No clean cut breaks one; a cut that is not clean breaks one of its own; both kernels say the same."""
    cuts = all_cuts(problem.prepared.hierarchy)
    tree = Expansion(problem.prepared.hierarchy, problem.prepared.costs)
    is_clean = [clean(problem, cut) for cut in cuts]
    at = data.draw(st.integers(0, len(cuts) - 1))
    m, threads = problem.model.values()["m"], data.draw(st.integers(1, 3))
    listed = [
        lister(kernel, problem).at(cuts[at].raised, m, MOST, threads, no_progress) for kernel in implementations()
    ]
    assert all(other == listed[0] for other in listed)
    threats, together = listed[0]
    assert (not threats and not together) == is_clean[at]
    broken = False
    for cut, good in zip(cuts, is_clean, strict=True):
        expanded, nodes = tree.expanded(cut), set(cut.nodes.tolist())
        breaks = any(expanded.issuperset(threat) for threat in threats)
        breaks |= any(nodes.issuperset(labels) for labels in together)
        assert not (good and breaks)
        broken |= breaks and cut is cuts[at]
    assert broken == (not is_clean[at])


@examples(250)
@given(problem=problems(either, max_leaves=7, max_rows=12))
def test_the_optimum_is_that_of_all_cuts(problem: shoal.Problem) -> None:
    fine = [
        int(problem.prepared.costs[cut.nodes].sum())
        for cut in all_cuts(problem.prepared.hierarchy)
        if clean(problem, cut)
    ]
    try:
        problem.model.feasible(problem.prepared.original)
    except Infeasible:
        return
    if not fine:
        with pytest.raises(Infeasible, match="It is proved that no cut"):
            shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
        return
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    assert isinstance(release.recoding, shoal.recoding.GlobalCut)
    assert release.optimality is not None
    assert release.optimality.proven
    assert int(problem.prepared.costs[release.recoding.nodes].sum()) == min(fine)
    assert (
        release.optimality.loss == release.optimality.lower_bound == pytest.approx(min(fine) / problem.prepared.scale)
    )
    auto = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(siblings="none"), engine=shoal.Engine(workers=3))
    assert auto.published.rows.sha256 == release.published.rows.sha256
    assert shoal.anonymize(problem).losses[problem.loss.name] <= release.losses[problem.loss.name] + 1e-12


@examples(100)
@given(problem=of_persons(problems(lm, max_leaves=6, max_rows=10)))
def test_the_optimum_by_persons(problem: shoal.Problem) -> None:
    fine = [
        int(problem.prepared.costs[cut.nodes].sum())
        for cut in all_cuts(problem.prepared.hierarchy)
        if clean(problem, cut)
    ]
    try:
        found = shoal.algorithms.Optimal().solve(problem.prepared, shoal.Engine()).recoding
    except Infeasible:
        assert not fine
        return
    assert isinstance(found, shoal.recoding.GlobalCut)
    assert clean(problem, found)
    assert int(problem.prepared.costs[found.nodes].sum()) == min(fine)


@examples(60)
@given(problem=problems(either, max_leaves=7, max_rows=12), stop=st.integers(0, 12))
def test_stopped_at_any_tick_the_bound_holds(problem: shoal.Problem, stop: int) -> None:
    """As if the user pressed Ctrl-C: a satisfying cut with a true bound, or nothing."""
    fine = [
        int(problem.prepared.costs[cut.nodes].sum())
        for cut in all_cuts(problem.prepared.hierarchy)
        if clean(problem, cut)
    ]
    ticks = 0

    def progress(stage: str, share: float) -> None:
        nonlocal ticks
        ticks += 1
        if ticks == stop:
            raise KeyboardInterrupt

    try:
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal(), engine=shoal.Engine(1, progress))
    except (Infeasible, KeyboardInterrupt):
        return
    found = release.optimality
    assert found is not None
    assert found.lower_bound <= min(fine) / problem.prepared.scale + 1e-12
    assert found.loss >= min(fine) / problem.prepared.scale - 1e-12


def dense(rows: int, items: int, seed: int) -> shoal.Problem:
    """Data whose optimum takes a while."""
    rng = np.random.default_rng(seed)
    sets = [[f"i{item:03}" for item in rng.choice(items, rng.integers(2, 9), replace=False)] for _ in range(rows)]
    for row in sets:
        row += [value for value in ("s0", "s1") if rng.random() < 0.15]
    tree = hierarchies.balanced([f"i{item:03}" for item in range(items)], fanout=2)
    data = shoal.Dataset(shoal.data.Transactions.from_sets(sets))
    return shoal.Problem(data, tree, shoal.Lm(l=3, m=2, sensitive=("s0", "s1")))


def test_a_time_limit_leaves_a_cut_and_a_bound() -> None:
    problem = dense(3000, 120, 0)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(time_limit=0.05))
    assert release.optimality is not None
    assert release.verdict.holds
    assert release.optimality.ended in ("time limit", "proven")
    assert 0 <= release.optimality.lower_bound <= release.optimality.loss
    assert (
        release.optimality.loss <= shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).losses["ncp"] + 1e-12
    )  # AA is its start


def test_without_the_solver_auto_is_aa(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise solver.SolverMissing("not installed")

    monkeypatch.setattr(solver, "load", missing)
    monkeypatch.setattr(Expansion, "sole_best", lambda *_: False)  # nor is it a problem that needs none
    problem = dense(200, 20, 1)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto())
    assert release.optimality is not None
    assert release.optimality.ended == "no solver"
    assert release.losses == shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).losses
    with pytest.raises(shoal.errors.OptionError):
        shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())


def test_where_the_root_fails_a_finer_cut_is_found() -> None:
    """models.md: with rows that hold nothing the root can fail while a finer cut holds."""
    rows = [["a1", "s"]] * 4 + [["a2", "s"]] * 4 + [["a1", "a2"]] * 6 + [["b1", "s"]] + [["b2"]] * 2
    rows = [*rows, *[[] for _ in range(4)]]
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows))
    problem = shoal.Problem(data, tree, shoal.Lm(l=2, m=1, sensitive=("s",)))
    assert not clean(problem, shoal.recoding.GlobalCut.raising(tree, [tree.root]))  # 9 of 17
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    assert release.published.rows.labels == ("a1", "a2", "B")


def test_a_group_of_one_is_opened_where_that_is_fine() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": {"only": ["a"]}, "B": ["b1", "b2"]}})
    rows = [["a", "b1"]] * 3 + [["a", "b2"]] * 3
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows))
    problem = shoal.Problem(data, tree, shoal.models.KmNegative(k=2, m=2))
    assert shoal.anonymize(problem).published.rows.labels[:3] == ("a", "b1", "b2")
