"""Forming clusters: native ≡ Python ≡ oracle.

Covers: kernels/search/clusters/scale.py.
"""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.attributes import Scale
from shoal.kernels.choice import no_progress
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.kernels.search.clusters.scale import as_tuples
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import interrupt
from tests.kernels.search.clusters.scales import columns, cost_of, scale_lists


def slow_clusters(codes: list[Any], scales: list[Scale], order: list[int], k: int) -> list[int]:
    unused, clusters = set(order), []
    while len(unused) >= k:
        seed = next(row for row in order if row in unused)
        others = sorted(unused - {seed}, key=lambda row: (cost_of(codes, scales, [seed, row]), row))
        clusters.append([seed, *others[: k - 1]])
        unused -= set(clusters[-1])
    for row in sorted(unused):
        min(clusters, key=lambda cluster: cost_of(codes, scales, [*cluster, row])).append(row)
    return [next(c for c, cluster in enumerate(clusters) if row in cluster) for row in sorted(order)]


def formed(
    kernel: ModuleType, codes: list[Any], scales: list[Scale], order: list[int], k: int, threads: int
) -> list[int]:
    told = as_tuples(scales)
    found = kernel.form_clusters(codes, told, np.array(order, dtype=np.int64), k, threads, no_progress)
    clusters: list[int] = found.tolist()
    return clusters


@examples(300)
@given(scales=scale_lists(), rows=st.integers(1, 30), data=st.data(), rng=st.randoms(use_true_random=False))
def test_clusters(kernel: ModuleType, scales: list[Scale], rows: int, data: st.DataObject, rng: random.Random) -> None:
    codes, k, threads = columns(rng, scales, rows), data.draw(st.integers(1, rows)), data.draw(st.integers(1, 3))
    order = rng.sample(range(rows), rows)
    assert formed(kernel, codes, scales, order, k, threads) == slow_clusters(codes, scales, order, k)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("k", [2, 7])
def test_clusters_along_long_lines(k: int, missing: bool) -> None:
    """More codes than a table has, and enough rows for the columns to be made anew."""
    rng = random.Random(k)
    line = Scale(True, np.array(sorted(rng.choices(range(10**6), k=700))), 10**6, 699 if missing else -1)
    scales = [line, Scale(False, np.array(rng.choices(range(10**6), k=8)), 10**6)]
    codes, order = columns(rng, scales, 900), rng.sample(range(900), 900)
    if missing:
        codes[0][rng.sample(range(900), 60)] = 699
    expected = formed(TWINS, codes, scales, order, k, 1)
    for threads in (1, 2, 4):
        assert formed(implementations()[0], codes, scales, order, k, threads) == expected


def test_lists_that_run_short() -> None:
    """Many threads' lists hold the same rows: large enough to be made by threads, and equal rows everywhere."""
    rng = random.Random(0)
    scales = [Scale(True, np.array([0, 1, 2]), 2), Scale(False, np.array([3, 1]), 3)]
    codes, order = columns(rng, scales, 20_000), rng.sample(range(20_000), 20_000)
    native = implementations()[0]
    if native is not TWINS:
        results = [formed(native, codes, scales, order, 500, threads) for threads in (1, 2, 5)]
        assert results[1] == results[2] == results[0]


def test_clusters_need_k_rows() -> None:
    line = Scale(True, np.array([0, 1]), 1)
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"2 rows cannot be put into clusters of at least {k}"):
            form_clusters([np.array([0, 1], dtype=np.int32)], [line], np.array([0, 1]), k)


def test_forming_can_be_interrupted(kernel: ModuleType) -> None:
    codes = [np.arange(3000, dtype=np.int32)]
    told = as_tuples([Scale(True, np.arange(3000), 3000)])
    with pytest.raises(KeyboardInterrupt):
        kernel.form_clusters(codes, told, np.arange(3000), 3, 1, interrupt)
