"""P0 (VLDB'08) and P3 (VLDBJ'11): the running example, E1 of the spec.

Covers: metrics/ncp.py, metrics/lm.py.
"""

from __future__ import annotations

import pytest

import shoal
from shoal.algorithms.oa import count_cuts
from shoal.search.count_tree import CountTree, expand
from shoal.testing import all_cuts, check_privacy_model

H = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
DATA = shoal.Dataset(shoal.data.Transactions.from_sets(ROWS))
PROBLEM = shoal.Problem(DATA, H, shoal.Km(k=2, m=2))


def names(*nodes: int) -> frozenset[str]:
    return frozenset(H.labels[node] for node in nodes)


def test_there_are_five_cuts() -> None:
    assert count_cuts(H) == len(all_cuts(H)) == 5


@pytest.mark.parametrize(
    "algorithm",
    [shoal.algorithms.DA(), shoal.algorithms.AA(), shoal.algorithms.OA()],
    ids=lambda algorithm: str(algorithm.name),
)
def test_all_algorithms_generalize_a(algorithm: shoal.algorithms.Algorithm) -> None:
    release = shoal.anonymize(PROBLEM, algorithm=algorithm)
    assert release.published.rows.sets() == [{"A", "b1", "b2"}, {"A", "b1"}, {"A", "b1", "b2"}, {"A", "b2"}]
    assert release.losses["ncp"] == pytest.approx(2.5 / 11, abs=1e-12)


def test_the_raw_data_are_not_anonymous() -> None:
    verdict = shoal.Km(k=2, m=2).verify(shoal.published.Published.plain(DATA.transactions))
    assert not verdict.holds
    found = {(witness.labels, witness.support) for witness in verdict.witnesses}
    assert {(("a1", "b1"), 1), (("a1", "a2"), 1)} <= found


def test_the_model_tells_the_papers_release_from_the_raw_data() -> None:
    check_privacy_model(shoal.Km(k=2, m=2), [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]], ROWS)


def test_supports_in_the_count_tree() -> None:
    tree = CountTree(H, PROBLEM.prepared.items, 2)
    expected = {"A": 4, "B": 4, "a2": 3, "b1": 3, "b2": 3, "a1": 2}
    assert {label: tree.support([H.code_of[label]]) for label in expected} == expected
    assert tree.support([H.code_of["A"], H.code_of["b2"]]) == 3
    assert tree.support([H.code_of["A"], H.code_of["B"]]) == 4
    assert [H.labels[node] for node in tree.order] == ["A", "B", "a2", "b1", "b2", "a1"]  # Fig. 5


def test_expanded_t2_yields_exactly_eight_itemsets() -> None:
    tree = CountTree(H, PROBLEM.prepared.items, 2)
    itemsets = {names(*path) for path in tree.itemsets(expand(H, tuple(PROBLEM.prepared.items.items[3:5].tolist())))}
    expected = [["a2"], ["b1"], ["A"], ["B"], ["a2", "b1"], ["a2", "B"], ["b1", "A"], ["A", "B"]]
    assert itemsets == {frozenset(labels) for labels in expected}


def test_at_least_k_not_more_than_k() -> None:
    """P0's Definition 1 says "more than k"; its own example has sets with support exactly k."""
    verdict = shoal.Km(k=2, m=2).verify(shoal.anonymize(PROBLEM, algorithm=shoal.algorithms.AA()).published)
    assert verdict.holds  # {b1, b2} has support 2
