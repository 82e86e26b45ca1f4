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

from shoal.data.persons import Persons
from shoal.data.scales import Line, Scale, Tree, Values
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.kernels.search.clusters.scale import as_tuples
from shoal.testing import persons
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import interrupt
from tests.kernels.search.clusters.scales import columns, cost_of, scale_lists


def slow_clusters(codes: list[Any], scales: list[Scale], order: list[int], k: int, people: list[int]) -> list[int]:
    unused, clusters = set(order), []
    while len({people[row] for row in unused}) >= k:
        seed = next(row for row in order if row in unused)
        others = sorted(unused - {seed}, key=lambda row: (cost_of(codes, scales, [seed, row]), row))
        size = next(n for n in range(len(unused)) if len({people[row] for row in [seed, *others[:n]]}) == k)
        clusters.append([seed, *others[:size]])
        unused -= set(clusters[-1])
    for row in sorted(unused):
        min(clusters, key=lambda cluster: cost_of(codes, scales, [*cluster, row])).append(row)
    return [next(c for c, cluster in enumerate(clusters) if row in cluster) for row in sorted(order)]


def formed(
    kernel: ModuleType,
    codes: list[Any],
    scales: list[Scale],
    order: list[int],
    k: int,
    threads: int,
    people: list[int] | None = None,
) -> list[int]:
    told, persons = as_tuples(scales), NOBODY if people is None else Persons(np.array(people)).repeaters
    found = kernel.form_clusters(codes, persons, told, np.array(order, dtype=np.int64), k, threads, no_progress)
    clusters: list[int] = found.tolist()
    return clusters


@examples(300)
@given(scales=scale_lists(), rows=st.integers(1, 30), data=st.data(), rng=st.randoms(use_true_random=False))
def test_clusters(kernel: ModuleType, scales: list[Scale], rows: int, data: st.DataObject, rng: random.Random) -> None:
    people = data.draw(persons(rows)) or list(range(rows))
    codes, k, threads = columns(rng, scales, rows), data.draw(st.integers(1, rows)), data.draw(st.integers(1, 3))
    order, k = rng.sample(range(rows), rows), min(k, len(set(people)))
    assert formed(kernel, codes, scales, order, k, threads, people) == slow_clusters(codes, scales, order, k, people)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("k", [2, 7])
def test_clusters_along_long_lines(k: int, missing: bool) -> None:
    """More codes than a table has, and enough rows for the columns to be made anew."""
    rng = random.Random(k)
    line = Line(np.array(sorted(rng.choices(range(10**6), k=700))), 10**6, 699 if missing else -1)
    scales = [line, Tree(np.array(rng.choices(range(10**6), k=8)), 10**6)]
    scales.append(Values(np.array([0, 0, *range(2, 131)]), 10**6, 129))  # of three words
    codes, order = columns(rng, scales, 900), rng.sample(range(900), 900)
    if missing:
        codes[0][rng.sample(range(900), 60)] = 699
    for people in (None, [rng.randrange(150) for _ in order]):
        expected = formed(TWINS, codes, scales, order, k, 1, people)
        for threads in (1, 2, 4):
            assert formed(implementations()[0], codes, scales, order, k, threads, people) == expected


def test_lists_that_run_short() -> None:
    """Many threads' lists hold the same rows: large enough to be made by threads, and equal rows everywhere."""
    rng = random.Random(0)
    scales: list[Scale] = [Line(np.array([0, 1, 2]), 2), Tree(np.array([3, 1]), 3)]
    codes, order = columns(rng, scales, 20_000), rng.sample(range(20_000), 20_000)
    native = implementations()[0]
    if native is not TWINS:
        results = [formed(native, codes, scales, order, 500, threads) for threads in (1, 2, 5)]
        assert results[1] == results[2] == results[0]


def test_most_rows_are_of_one_person(kernel: ModuleType) -> None:
    """Rows 0..7 are of one person: row 5 takes what is nearer than the other persons it needs."""
    line = Line(np.arange(12), 12)
    codes, people = [np.arange(12, dtype=np.int32)], [0] * 8 + [1, 2, 3, 4]
    order = [5, 11, *(row for row in range(12) if row not in (5, 11))]
    assert formed(kernel, codes, [line], order, 3, 1, people) == [1, *[0] * 9, 1, 1]
    assert formed(kernel, codes, [line], order, 2, 1, people) == [2, 2, *[0] * 7, 2, 1, 1]


def test_rows_of_many_persons_run_short(kernel: ModuleType) -> None:
    """Half of the rows are of one person, so lists must be made again, longer."""
    rng = random.Random(1)
    scales: list[Scale] = [Line(np.arange(50), 50)]
    codes, order = columns(rng, scales, 300), rng.sample(range(300), 300)
    people = [0 if rng.random() < 0.5 else rng.randrange(200) for _ in order]
    for k in (2, 5, 40):
        made = [formed(kernel, codes, scales, order, k, threads, people) for threads in (1, 3)]
        assert made[0] == made[1] == slow_clusters(codes, scales, order, k, people)
        for cluster in set(made[0]):
            assert len({people[row] for row in range(300) if made[0][row] == cluster}) >= k


def test_clusters_need_k_rows() -> None:
    line = Line(np.array([0, 1]), 1)
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"2 rows cannot be put into clusters of at least {k}"):
            form_clusters([np.array([0, 1], dtype=np.int32)], [line], np.array([0, 1]), k)
    both = np.array([0, 0], dtype=np.int32)
    with pytest.raises(ValueError, match="2 rows of 1 persons cannot be put into clusters of at least 2"):
        form_clusters([both], [line], np.array([0, 1]), 2, persons=both)


def test_forming_can_be_interrupted(kernel: ModuleType) -> None:
    codes = [np.arange(3000, dtype=np.int32)]
    told = as_tuples([Line(np.arange(3000), 3000)])
    with pytest.raises(KeyboardInterrupt):
        kernel.form_clusters(codes, NOBODY, told, np.arange(3000), 3, 1, interrupt)
