"""Every algorithm × every model that it claims, on random data; and the fast ones against the count-tree reference.

Covers: algorithms/base.py, algorithms/aa.py, algorithms/da.py, algorithms/oa.py, search/count_tree.py, testing.py,
discovery.py, engines/local.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import Infeasible
from shoal.metrics.comparison import Comparison
from shoal.models.base import PrivacyModel
from shoal.models.people import with_items
from shoal.search import count_tree
from shoal.testing import all_cuts, check_algorithm, models, problems
from tests import oracles
from tests.budget import examples

ALGORITHMS = discovery.find("shoal.algorithms", Algorithm)
PAIRS = [(algorithm, model) for algorithm in ALGORITHMS.values() for model in algorithm.solves]
km = st.builds(shoal.Km, k=st.integers(2, 6), m=st.integers(1, 3))


@pytest.mark.parametrize(("algorithm", "model"), PAIRS, ids=[f"{a.name}-{m.name}" for a, m in PAIRS])
@examples(60)
@given(data=st.data())
def test_conformance(algorithm: type[Algorithm], model: type[PrivacyModel], data: st.DataObject) -> None:
    check_algorithm(algorithm(), data.draw(problems(models(model))))


@examples(300)
@given(problem=problems(km), label_order=st.sampled_from(["support", "leaves"]))
def test_aa_and_da_are_the_papers(problem: shoal.Problem, label_order: Any) -> None:
    """The lazy walk finds the same cuts as the materialised count-tree, in both orders of labels."""
    k, m = problem.model.values()["k"], problem.model.values()["m"]
    assert isinstance(k, int)
    assert isinstance(m, int)
    if with_items(problem.prepared.items) < k:
        return
    h, items, costs = problem.hierarchy, problem.prepared.items, problem.prepared.costs.tolist()
    by_leaves = label_order == "leaves"
    aa = shoal.algorithms.AA(label_order=label_order).search(problem.prepared, shoal.Engine()).recoding
    assert isinstance(aa, shoal.recoding.GlobalCut)
    assert frozenset(aa.raised) == count_tree.apriori_anonymization(h, items, costs, k, m, by_leaves=by_leaves)
    da = shoal.algorithms.DA(label_order=label_order).search(problem.prepared, shoal.Engine()).recoding
    assert isinstance(da, shoal.recoding.GlobalCut)
    tree = count_tree.CountTree(h, items, m, by_leaves=by_leaves)
    assert frozenset(da.raised) == count_tree.direct_anonymization(tree, costs, k, frozenset())


@examples(200)
@given(problem=problems(km))
def test_oa_is_optimal_and_the_verifier_exact(problem: shoal.Problem) -> None:
    """Against brute force over all cuts: anonymity by the oracle, loss by the oracle."""
    k, m = problem.model.values()["k"], problem.model.values()["m"]
    assert isinstance(k, int)
    assert isinstance(m, int)
    if 0 < with_items(problem.prepared.items) < k:
        return
    h, people = problem.hierarchy, oracles.people_of(problem.prepared.persons)
    leaves = {label: int(n) for label, n in zip(h.labels, h.leaves, strict=True)}
    raw = problem.prepared.items.sets()
    cheapest = []
    for cut in all_cuts(h):
        node_of = {h.labels[leaf]: h.labels[node] for node in cut.nodes for leaf in range(*h.span[node])}
        rows = oracles.generalize(raw, node_of)
        published = cut.apply(problem.prepared.items)
        assert published.rows.sets() == rows
        holds = oracles.is_km_anonymous(rows, k, m, people)
        assert problem.model.verify(published.of_persons(problem.prepared.persons)).holds == holds
        ncp = oracles.ncp(raw, node_of, leaves, h.n_leaves)
        assert shoal.metrics.NCP().of(Comparison(problem.prepared.original, published))["ncp"] == pytest.approx(
            ncp, abs=1e-12
        )
        lm = shoal.metrics.LM().of(Comparison(problem.prepared.original, published))
        assert lm["lm_sum"] == pytest.approx(oracles.lm_sum(raw, node_of, leaves, h.n_leaves), abs=1e-12)
        cost = int(problem.prepared.costs[cut.nodes].sum())
        measured = problem.loss.of(Comparison(problem.prepared.original, published))[problem.loss.name]
        scale = problem.loss.scale(h, len(problem.prepared.items.items))
        assert cost / scale == pytest.approx(measured, abs=1e-12)  # what a search minimises is what is measured
        if holds:
            cheapest.append((cost, int(h.leaves[cut.raised].sum()), cut.raised))
    best = min(cheapest)
    methods: list[Algorithm] = [shoal.algorithms.OA(), shoal.algorithms.AA(), shoal.algorithms.DA()]
    found = {method.name: method.solve(problem.prepared, shoal.Engine()).recoding for method in methods}
    cuts = {name: cut for name, cut in found.items() if isinstance(cut, shoal.recoding.GlobalCut)}
    costs = {name: int(problem.prepared.costs[cut.nodes].sum()) for name, cut in cuts.items()}
    assert (costs["oa"], cuts["oa"].raised) == (best[0], best[2])  # ties too
    assert min(costs["aa"], costs["da"]) >= best[0]


@pytest.mark.parametrize("model", [shoal.Lm, shoal.models.KmNegative])
@examples(60)
@given(data=st.data())
def test_oa_is_optimal_where_the_model_is_not_monotone(model: type[PrivacyModel], data: st.DataObject) -> None:
    """Against the verifier on all cuts."""
    problem = data.draw(problems(models(model))).prepared
    safe = []
    for cut in all_cuts(problem.hierarchy):
        published = cut.apply(problem.items, problem.sensitive_part).of_persons(problem.persons)
        if problem.model.verify(published).holds:
            leaves = int(problem.hierarchy.leaves[cut.raised].sum())
            safe.append((int(problem.costs[cut.nodes].sum()), leaves, list(cut.raised)))
    try:
        shoal.algorithms.OA().feasible(problem)
        found = shoal.algorithms.OA().solve(problem, shoal.Engine()).recoding
    except Infeasible:
        assert not safe
        return
    assert isinstance(found, shoal.recoding.GlobalCut)
    assert (int(problem.costs[found.nodes].sum()), list(found.raised)) == (min(safe)[0], min(safe)[2])


@examples(100)
@given(problem=problems(km))
def test_the_order_of_rows_changes_nothing(problem: shoal.Problem) -> None:
    if with_items(problem.prepared.items) < int(problem.model.values()["k"]):
        return
    rows = problem.data.transactions
    turned = replace(problem, data=shoal.Dataset(rows.take(np.arange(len(rows))[::-1])))
    one, other = (
        shoal.anonymize(problem, algorithm=shoal.algorithms.AA()),
        shoal.anonymize(turned, algorithm=shoal.algorithms.AA()),
    )
    assert one.published.rows.sets() == other.published.rows.sets()[::-1]
