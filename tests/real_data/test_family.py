"""Real data: LRA, VPA, l^m-diversity and negative knowledge, checked without our kernels."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import shoal
from tests.real_data.test_cuts import OPTIMA, load, rarest

METHODS = [
    shoal.algorithms.LRA(),
    shoal.algorithms.LRA(chunks=7, within="optimal"),
    shoal.algorithms.VPA(),
    shoal.algorithms.VPA(level=2, parts=5),
]


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize(
    "name", ["groceries", *(pytest.param(f"bms-webview-{n}", marks=pytest.mark.slow) for n in (1, 2))]
)
def test_local_and_vertical(real_data: Path, name: str, method: shoal.algorithms.Algorithm) -> None:
    data, tree = load(real_data, name)
    problem = shoal.Problem(data, tree, shoal.Km(k=5, m=2))
    one, two = (shoal.anonymize(problem, algorithm=method, engine=shoal.Engine(workers=workers)) for workers in (1, 2))
    assert one.published.rows.sha256 == two.published.rows.sha256
    assert one.provenance["search"].get("count_tree_nodes") == two.provenance["search"].get("count_tree_nodes")
    assert rarest(one.published.rows, 2) >= 5  # the union of the chunks
    if isinstance(method, shoal.algorithms.VPA):
        assert one.losses["ncp"] >= OPTIMA.get((name, 2), 0.0) - 1e-7


def test_vpa_counts_fewer_sets_at_once_than_aa(real_data: Path) -> None:
    """P3 s.6 claims less memory, in nodes of the count-tree."""
    data, tree = load(real_data, "bms-webview-2")
    problem = shoal.Problem(data, tree, shoal.Km(k=5, m=3))
    counted = {
        method.name: shoal.anonymize(problem, algorithm=method).provenance["search"]["count_tree_nodes"]
        for method in (shoal.algorithms.AA(), shoal.algorithms.VPA(), shoal.algorithms.LRA())
    }
    assert counted["vpa"] < counted["aa"]
    assert counted["lra"] < counted["aa"]


@pytest.mark.parametrize("chunks", [10, 100_000])
def test_tiny_chunks_of_webview_1_join(real_data: Path, chunks: int) -> None:
    data, tree = load(real_data, "bms-webview-1")
    data = data.take(np.arange(5000)) if chunks > 10 else data
    problem = shoal.Problem(data, tree, shoal.Km(k=5, m=3))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=chunks))
    assert release.provenance["search"]["chunks_joined"] > 0
    assert rarest(release.published.rows, 3) >= 5


def told(release: shoal.Release, m: int) -> float:
    """The highest share of a sensitive value among the records with some set of up to m labels, or with none."""
    values = [tuple(row.tolist()) for row in release.problem.sensitive]
    rows = Counter(zip((tuple(row.tolist()) for row in release.published.rows), values, strict=True))
    support: Counter[tuple[int, ...]] = Counter()
    together: Counter[tuple[tuple[int, ...], int]] = Counter()
    for (row, hidden), weight in rows.items():
        for size in range(m + 1):
            for labels in itertools.combinations(row, size):
                support[labels] += weight
                for value in hidden:
                    together[labels, value] += weight
    return max(count / support[labels] for (labels, _), count in together.items())


@pytest.mark.parametrize(
    ("name", "l", "optimum"),
    [
        ("groceries", 3, 0.1239665),
        pytest.param("bms-webview-1", 5, 0.1961832, marks=pytest.mark.slow),
        pytest.param("bms-webview-2", 5, 0.0256117, marks=pytest.mark.slow),
    ],
)
def test_diversity(real_data: Path, name: str, l: int, optimum: float) -> None:
    """The 10th, 20th and 30th most frequent items are sensitive; another program proved the same optima."""
    data, tree = load(real_data, name)
    rows = data.transactions
    order = (-rows.supports).argsort(kind="stable")
    hidden = tuple(rows.labels[order[at]] for at in (9, 19, 29))
    problem = shoal.Problem(data, tree, shoal.Lm(l=l, m=2, sensitive=hidden))
    best = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    assert best.optimality is not None
    assert best.optimality.proven
    assert best.losses["ncp"] == pytest.approx(optimum, abs=5e-8)
    grouped = shoal.anonymize(problem, algorithm=shoal.algorithms.AA(siblings="frequency"))
    assert grouped.losses["ncp"] < optimum
    assert told(grouped, 2) <= 1 / l
    for method in (shoal.algorithms.AA(), shoal.algorithms.DA(), shoal.algorithms.LRA(), shoal.algorithms.VPA()):
        release = shoal.anonymize(problem, algorithm=method)
        assert told(release, 2) <= 1 / l
        if isinstance(release.recoding, shoal.recoding.GlobalCut):
            assert release.losses["ncp"] >= optimum - 1e-7
    assert told(best, 2) <= 1 / l


@pytest.mark.parametrize("name", ["groceries", "bms-webview-1", pytest.param("bms-webview-2", marks=pytest.mark.slow)])
def test_negative_knowledge(real_data: Path, name: str) -> None:
    """Two facts: with and without, from supports of single labels and pairs."""
    data, tree = load(real_data, name)
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.models.KmNegative(k=5, m=2)))
    assert release.optimality is not None
    assert release.optimality.proven
    rows = release.published.rows
    single, total = rows.supports.tolist(), len(rows)
    pairs = Counter(pair for row in rows for pair in itertools.combinations(row.tolist(), 2))
    used = [code for code, count in enumerate(single) if count]
    matches = [*single, *(total - single[code] for code in used)]
    for one, other in itertools.combinations(used, 2):
        both = pairs[one, other]
        matches += [both, single[one] - both, single[other] - both, total - single[one] - single[other] + both]
    assert all(count == 0 or count >= 5 for count in matches)
