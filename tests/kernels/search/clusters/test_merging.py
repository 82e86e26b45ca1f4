"""Merging clusters: native ≡ Python ≡ oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from shoal.data.scales import Line, Scale, Tree, Values
from shoal.kernels import choice
from shoal.kernels.search.clusters.merging import ClusterCost, How, Merging
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import Sets, csr
from tests.kernels.search.clusters.scales import columns, costs_of, scale_lists

HOWS: tuple[How, ...] = ("r", "t", "rt")
COSTS: tuple[ClusterCost, ...] = ("sum", "size", "l2", "max")
Weights = tuple[list[int], int]
Clusters = dict[int, list[int]]  # rows by number


item_sets = st.sets(st.integers(0, 8), max_size=6)


def use(monkeypatch: pytest.MonkeyPatch, kernel: ModuleType) -> None:
    """Let the wrappers call these kernels."""
    monkeypatch.setattr(choice, "native", kernel)


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch, kernel: ModuleType) -> None:
    use(monkeypatch, kernel)


def distance(a: set[int], b: set[int]) -> float:
    return float((len(a ^ b) + 1) * len(a | b)) / float(len(a & b) + 1)


class SlowMerging:
    """All from scratch, from the rows."""

    def __init__(
        self, codes: list[Any], scales: list[Scale], sets: Sets, clusters: Clusters, kind: ClusterCost, weights: Weights
    ) -> None:
        self.codes, self.scales, self.sets, self.clusters = codes, scales, sets, clusters
        self.kind, self.weights = kind, weights

    def cost(self, rows: list[int]) -> int:
        """The least whole number that is not below the root, found by trying all."""
        costs = costs_of(self.codes, self.scales, rows)
        if self.kind != "l2":
            return {"sum": sum(costs), "size": len(rows), "max": max(costs)}[self.kind]
        squares = sum(
            Fraction(weight, self.weights[1]) * one**2 for weight, one in zip(self.weights[0], costs, strict=True)
        )
        return next(root for root in count() if root**2 >= squares)

    def total(self, clusters: list[list[int]]) -> int:
        return sum(len(rows) * self.cost(rows) for rows in clusters)

    def with_(self, c: int, value: Callable[[list[int], int], Any], n: int) -> list[Any]:
        return [
            value(self.clusters[c] + self.clusters[p], p) if p != c and p in self.clusters else -1 for p in range(n)
        ]

    def total_with(self, c: int, p: int) -> int:
        apart = [rows for number, rows in self.clusters.items() if number not in (c, p)]
        return self.total([*apart, self.clusters[c] + self.clusters[p]])

    def distance(self, rows: list[int]) -> float:
        return max(distance(self.sets[a], self.sets[b]) for a in rows for b in rows)

    def nearest(self, c: int, how: str, limit: int) -> int:
        others = [p for p in sorted(self.clusters) if p != c]
        costs = {p: (self.cost(self.clusters[c] + self.clusters[p]), p) for p in others}
        far = {p: (self.distance(self.clusters[c] + self.clusters[p]), p) for p in others}
        if how == "r":
            others = others and [min(others, key=costs.__getitem__)]
        within = [p for p in others if self.total_with(c, p) <= limit]
        u = {p: sum(costs[q] < costs[p] for q in costs) for p in within}
        v = {p: sum(far[q] < far[p] for q in far) for p in within}
        keys: dict[str, Any] = {"r": costs, "t": far, "rt": {p: (u[p] + v[p], u[p]) for p in within}}
        return min(within, key=lambda p: keys[how][p], default=-1)


def start(
    codes: list[Any], scales: list[Scale], sets: Sets, cluster_of: list[int], threads: int, **more: Any
) -> Merging:
    return Merging(codes, scales, *csr(sets), np.array(cluster_of), threads=threads, **more)


@examples(200)
@given(
    scales=scale_lists(),
    sets=st.lists(item_sets, min_size=1, max_size=14),
    data=st.data(),
    cost=st.sampled_from(COSTS),
)
@pytest.mark.usefixtures("patched")
def test_merging(scales: list[Scale], sets: Sets, data: st.DataObject, cost: ClusterCost) -> None:
    rng = data.draw(st.randoms(use_true_random=False))
    codes, n = columns(rng, scales, len(sets)), data.draw(st.integers(1, len(sets)))
    cluster_of = [*range(n), *rng.choices(range(n), k=len(sets) - n)]
    weights = [rng.randint(0, 5) for _ in scales], rng.randint(1, 5)
    merging = start(codes, scales, sets, cluster_of, data.draw(st.integers(1, 2)), cost=cost, weights=weights)
    clusters = {c: [row for row, of in enumerate(cluster_of) if of == c] for c in range(n)}
    slow, waiting = SlowMerging(codes, scales, sets, clusters, cost, weights), set(range(n))
    worst = slow.total([list(range(len(sets)))])
    while True:
        assert merging.total == slow.total([*clusters.values()])
        assert merging.alive == len(clusters)
        assert [clusters[c].count(c) for c in clusters] == [1] * len(clusters)
        assert merging.result().tolist() == [next(c for c in clusters if row in clusters[c]) for row in range(n)]
        seed = min(waiting, key=lambda c: (slow.cost(clusters[c]), c), default=-1)
        assert merging.seed() == seed
        if seed < 0:
            break
        c = rng.choice(sorted(clusters))
        assert merging.costs_with(c).tolist() == slow.with_(c, lambda rows, _: slow.cost(rows), n)
        assert merging.totals_with(c).tolist() == slow.with_(c, lambda _, p: slow.total_with(c, p), n)  # noqa: B023
        assert merging.distances_with(c).tolist() == slow.with_(c, lambda rows, _: slow.distance(rows), n)
        for how in HOWS:
            limit = rng.randint(0, worst)
            assert merging.nearest(c, how, limit) == slow.nearest(c, how, limit)
        partner = merging.nearest(seed, rng.choice(HOWS), rng.randint(0, worst))
        if partner < 0:
            merging.set_aside(seed)
            waiting.remove(seed)
        else:
            merging.merge(*rng.sample([seed, partner], 2))
            kept, gone = sorted([seed, partner])
            clusters[kept] = clusters[kept] + clusters.pop(gone)
            waiting = (waiting - {gone}) | {kept}


@pytest.mark.parametrize(("how", "cost"), [("r", "sum"), ("t", "sum"), ("rt", "sum"), ("rt", "l2")])
def test_merging_of_larger_data(how: How, cost: ClusterCost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters with more sets than are marked, more of them than are put in order at first."""
    rng = random.Random(how)
    scales: list[Scale] = [Line(np.array(sorted(rng.choices(range(1000), k=50))), 1000, 49), Tree(np.arange(1, 9), 9)]
    scales.append(Values(np.array([0, 0, *range(2, 131)]), 200, 129))  # of three words
    sets = [set(rng.sample(range(70), min(70, int(rng.expovariate(0.2))))) for _ in range(400)]
    codes = columns(rng, scales, len(sets))
    cluster_of = [*range(200), *(rng.choice([0, 0, rng.randrange(200)]) for _ in range(200))]
    told, weights = [], ([1, 2, 3], 6)
    for kernel in implementations():
        use(monkeypatch, kernel)
        merging, seen = start(codes, scales, sets, cluster_of, 2, cost=cost, weights=weights), list[Any]()
        limit = 600 * len(sets)
        while (seed := merging.seed()) >= 0 and len(seen) < 60:
            partner = merging.nearest(seed, how, limit)
            seen.append((seed, partner, merging.total, merging.distances_with(seed).tolist()))
            if partner < 0:
                merging.set_aside(seed)
            else:
                merging.merge(seed, partner)
        told.append((seen, merging.result().tolist()))
    assert told[0] == told[-1]


def test_threads_change_nothing() -> None:
    """Enough clusters for threads to be worth starting."""
    if kernels.KIND == "python":
        return
    rng = random.Random(1)
    scales: list[Scale] = [Line(np.array(sorted(rng.choices(range(1000), k=50))), 1000)]
    sets = [set(rng.choices(range(40), k=rng.randrange(6))) for _ in range(9000)]
    codes, told = columns(rng, scales, len(sets)), []
    for threads in (1, 2, 4):
        merging = start(codes, scales, sets, list(range(9000)), threads)
        steps = []
        for _ in range(100):
            seed = merging.seed()
            partner = merging.nearest(seed, "rt", 10**9)
            merging.merge(seed, partner)
            steps.append((seed, partner, merging.distances_with(seed).sum()))
        told.append(steps)
    assert told[0] == told[1] == told[2]


@pytest.mark.usefixtures("patched")
def test_only_living_clusters_are_merged() -> None:
    line = Line(np.array([0, 1, 2]), 2)
    merging = start([np.array([0, 1, 2], dtype=np.int32)], [line], [{0}, {1}, {2}], [0, 1, 2], 1)
    merging.merge(2, 1)
    for call in (lambda: merging.merge(0, 2), lambda: merging.nearest(2, "r", 9), lambda: merging.set_aside(3)):
        with pytest.raises(ValueError, match="no such cluster"):
            call()
    with pytest.raises(ValueError, match="with itself"):
        merging.merge(1, 1)
    assert merging.result().tolist() == [0, 1, 1]
    assert merging.nearest(0, "r", 10**30) == 1


@pytest.mark.usefixtures("patched")
def test_roots_of_large_squares_are_exact() -> None:
    """Where doubles cannot tell a square from its neighbours any more."""
    most = 2**20
    for high in (most, most - 1):
        line = Line(np.array([0, high]), most)
        codes = [np.array([0, 1], dtype=np.int32)] * 2
        for weights, one in (([2**16, 0], 2**16), ([3, 1], 4), ([2**15 + 1, 2**15], 2**16)):
            merging = start(codes, [line, line], [{0}, {0}], [0, 1], 1, cost="l2", weights=(weights, one))
            root, squares = int(merging.costs_with(0)[1]), sum(weights) * high * high
            assert (root - 1) ** 2 * one < squares <= root**2 * one


@pytest.mark.usefixtures("patched")
def test_squares_need_a_weight_for_each_column() -> None:
    line = Line(np.array([0, 1]), 1)
    with pytest.raises(ValueError, match="one weight for each column"):
        start([np.array([0, 1], dtype=np.int32)], [line], [{0}, {0}], [0, 1], 1, cost="l2")
