"""P4 (generalization and suppression): the running example, E5 of the spec.

The paper's transactions are lost. These were found by CP-SAT (``benchmarks/papers/p4_search.py``): everything that its
text states is true of them.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import shoal
from benchmarks.papers import p4_example, p4_search
from shoal.algorithms.base import SuppressingAlgorithm
from shoal.kernels.search.suppress.suppression import SuppressionTwin
from tests import oracles

H = p4_example.hierarchy()
ROWS = [list(row) for row in p4_example.ROWS]
PROBLEM = shoal.Problem(shoal.read(ROWS), H, shoal.Km(k=2, m="all"), shoal.metrics.LM())
LIMITS = shoal.algorithms.HgHs().limits(PROBLEM.prepared)
UNIT = 10  # LM counts the other items of a label; all ten of them are a loss of 1


def nodes(labels: str) -> list[int]:
    return [H.code_of[label] for label in labels]


def cost(labels: str, suppressed: str = "") -> Fraction:
    """P4's cost of a cut, as a sum over occurrences."""
    gone = int(PROBLEM.prepared.occurrences[nodes(suppressed)].sum()) * UNIT
    return Fraction(int(PROBLEM.prepared.costs[nodes("".join(set(labels) - set(suppressed)))].sum()) + gone, UNIT)


def kernel() -> SuppressionTwin:
    """The readable one, which can be asked about any cut."""
    gone = PROBLEM.prepared.occurrences * UNIT
    order = np.lexsort((H.leaves, PROBLEM.prepared.costs - gone))
    rows, span = PROBLEM.prepared.items, H.span.reshape(-1)
    limits = (LIMITS.occurrences, LIMITS.barred(H).astype(np.int32), np.argsort(order).astype(np.int32), LIMITS.budget)
    return SuppressionTwin(
        rows.indptr, rows.items, rows.repeaters, H.parent, span, H.n_leaves, PROBLEM.prepared.costs, gone, *limits, 2
    )


def scenario(cut: str, size: int = 11) -> tuple[Fraction, str]:
    """The cost of a cut with what its scenario suppresses, and that."""
    forbidden, total, suppressed = kernel().price(frozenset(nodes(cut)), size)
    assert not forbidden
    return Fraction(total, UNIT), "".join(H.labels[node] for node in suppressed)


@pytest.mark.parametrize("check", p4_example.checks(), ids=lambda check: check.says)
def test_the_text_is_true_of_the_rows(check: p4_example.Check) -> None:
    assert check.holds, check.seen


def test_a_statement_fails_on_other_rows() -> None:
    """Each of them, on some rows: on those that stood here before, or with a row changed."""
    others = ("abd ag bdgyz cdef cefi dgix f", "bd cdfg dfg ei i e agxz abcgy", "cdf abcdeigx a")
    failed = {check.says for rows in others for check in p4_example.checks(rows.split()) if not check.holds}
    assert failed >= {check.says for check in p4_example.checks()} - {
        "2^infinity-anonymity by cuts alone: all at the top"
    }


def test_the_search_finds_such_rows_and_refuses_others() -> None:
    """Without the count of minimal threats, which takes seconds: the model itself, not its solver, is under test."""
    facts = [fact for fact in p4_example.FACTS if fact != "minimal"]
    search = p4_search.Search(len(ROWS), facts)
    search.fix(p4_example.ROWS)
    assert search.solve(20) == ("OPTIMAL", list(p4_example.ROWS))
    before = p4_search.Search(7, ["costs", "cut3", "only"])
    before.fix(("cdef", "abd", "ag", "bdgyz", "cefi", "dgix", "f"))
    assert before.solve(20) == ("INFEASIBLE", [])


def test_the_occurrences_are_the_papers() -> None:
    assert {u: int(PROBLEM.prepared.occurrences[H.code_of[u]]) for u in "HKJMeixyzT"} == {
        **{"H": 4, "K": 6, "J": 6, "M": 3, "e": 2, "i": 2, "T": 23},
        **dict.fromkeys("xyz", 1),
    }
    assert H.n_leaves == UNIT + 1


@pytest.mark.parametrize(
    ("cut", "suppressed", "expected"),
    [
        ("T", "", "23"),
        ("PQei", "", "6.6"),
        ("PQei", "i", "8.6"),
        ("HKQei", "Hi", "10.2"),
        ("PJMei", "i", "6.2"),
        ("PfgMei", "i", "5.6"),
    ],
)
def test_the_costs_are_the_papers(cut: str, suppressed: str, expected: str) -> None:
    assert cost(cut, suppressed) == Fraction(expected)


def test_minimal_threats_and_the_labels_kept() -> None:
    """{H,K,Q} and {e,i}; Q and K tie exactly, so they are compared as whole numbers."""
    node_of = {H.labels[leaf]: H.labels[u] for u in nodes("HKQei") for leaf in range(*H.span[u])}
    supports = oracles.supports(oracles.generalize([frozenset(row) for row in ROWS], node_of), 5)
    rare = {frozenset(labels) for labels, support in supports.items() if support < 2}
    assert {s for s in rare if not any(other < s for other in rare)} == {frozenset("HKQ"), frozenset("ei")}
    saved = {u: cost(u, u) - cost(u) for u in "HKQei"}
    assert saved["Q"] == saved["K"] == Fraction("5.4")
    assert scenario("HKQei") == (Fraction("10.2"), "iH")  # it keeps {Q,K,e}


def children(cut: str) -> list[str]:
    """The cuts that expand one label."""
    below = {u: "".join(H.labels[v] for v in H.children[H.code_of[u]]) for u in cut if H.code_of[u] >= H.n_leaves}
    return [cut.replace(u, parts) for u, parts in below.items()]


def test_the_walk_is_the_papers() -> None:
    walk = ["T", "PQei", "PJMei", "PfgMei"]
    assert [scenario(cut)[0] for cut in walk] == [Fraction(text) for text in ("23", "8.6", "6.2", "5.6")]
    assert [scenario(cut)[1] for cut in walk] == ["", "i", "i", "i"]
    for cut, following in itertools.pairwise(walk):
        others = [other for other in children(cut) if set(other) != set(following)]
        assert all(scenario(following)[0] < scenario(other)[0] for other in others)
    assert all(scenario(other)[0] >= Fraction("5.6") for other in children(walk[-1]))


@pytest.mark.parametrize(
    "algorithm", [shoal.algorithms.HgHs(), shoal.algorithms.MHgHs()], ids=lambda algorithm: str(algorithm.name)
)
def test_the_end_is_the_papers(algorithm: SuppressingAlgorithm) -> None:
    release = shoal.anonymize(PROBLEM, algorithm=algorithm)
    cut = release.solution.recoding
    assert isinstance(cut, shoal.recoding.GlobalCut)
    assert (set(cut.labels), cut.suppressed_labels) == (set("PfgMe"), ("i",))
    assert release.losses["lm_sum"] == pytest.approx(5.6, abs=1e-12)
    assert algorithm.name == "mhghs" or release.solution.statistics["moves"] == 3


def test_the_first_round_of_mhghs_suppresses_nothing() -> None:
    one = shoal.Problem(PROBLEM.data, H, shoal.Km(k=2, m=1), shoal.metrics.LM())
    cut = shoal.anonymize(one, algorithm=shoal.algorithms.MHgHs()).solution.recoding
    assert isinstance(cut, shoal.recoding.GlobalCut)
    assert (set(cut.labels), cut.suppressed_labels) == (set("abcdfgMei"), ())
