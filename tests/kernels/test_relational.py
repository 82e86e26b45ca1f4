"""Kernels for rows with attributes: native ≡ Python ≡ oracle."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import kernels
from shoal.data.attributes import Scale
from shoal.kernels import Merging, _python, relational
from tests.budget import examples
from tests.conftest import implementations, still

Sets = list[set[int]]
Clusters = dict[int, list[int]]  # rows by number
HOWS: tuple[relational.How, ...] = ("r", "t", "rt")
item_sets = st.sets(st.integers(0, 8), max_size=6)


def interrupt(share: float) -> None:
    raise KeyboardInterrupt


def csr(rows: Sets) -> tuple[Any, Any, int]:
    indptr = np.array([0, *itertools.accumulate(map(len, rows))], dtype=np.int64)
    items = np.array([item for row in rows for item in sorted(row)], dtype=np.int32)
    return indptr, items, max((item + 1 for row in rows for item in row), default=0)


@st.composite
def scale_lists(draw: st.DrawFn, most: int = 6) -> list[Scale]:
    scales = []
    for _ in range(draw(st.integers(1, 3))):
        codes, along = draw(st.integers(1, most)), draw(st.booleans())
        costs = draw(st.lists(st.integers(0, 9), min_size=codes, max_size=codes))
        missing = codes - 1 if along and draw(st.booleans()) else -1
        scales.append(Scale(along, np.array(sorted(costs) if along else costs[1:], dtype=np.int64), 10, missing))
    return scales


def codes_of(scale: Scale) -> int:
    return len(scale.costs) + (not scale.along)


def columns(rng: random.Random, scales: list[Scale], rows: int) -> list[Any]:
    return [np.array([rng.randrange(codes_of(scale)) for _ in range(rows)], dtype=np.int32) for scale in scales]


def cost_of(codes: list[Any], scales: list[Scale], rows: list[int]) -> int:
    total = 0
    for column, scale in zip(codes, scales, strict=True):
        values = {int(column[row]) for row in rows}
        if len(values) == 1:
            continue
        if not scale.along:
            total += int(max(scale.costs[min(values) : max(values)]))
        elif scale.missing in values:
            total += scale.whole
        else:
            total += int(scale.costs[max(values)] - scale.costs[min(values)])
    return total


def use(monkeypatch: pytest.MonkeyPatch, kernel: ModuleType) -> None:
    """Let the wrappers call these kernels."""
    monkeypatch.setattr(relational, "kernels", lambda: kernel)


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch, kernel: ModuleType) -> None:
    use(monkeypatch, kernel)


# Forming clusters


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
    told = relational._told(scales)
    found = kernel.form_clusters(codes, told, np.array(order, dtype=np.int64), k, threads, still)
    clusters: list[int] = np.frombuffer(found, dtype=np.int64).tolist()
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
    expected = formed(_python, codes, scales, order, k, 1)
    for threads in (1, 2, 4):
        assert formed(implementations()[0], codes, scales, order, k, threads) == expected


def test_lists_that_run_short() -> None:
    """Many threads' lists hold the same rows: large enough to be made by threads, and equal rows everywhere."""
    rng = random.Random(0)
    scales = [Scale(True, np.array([0, 1, 2]), 2), Scale(False, np.array([3, 1]), 3)]
    codes, order = columns(rng, scales, 20_000), rng.sample(range(20_000), 20_000)
    native = implementations()[0]
    if native is not _python:
        results = [formed(native, codes, scales, order, 500, threads) for threads in (1, 2, 5)]
        assert results[1] == results[2] == results[0]


def test_clusters_need_k_rows() -> None:
    line = Scale(True, np.array([0, 1]), 1)
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"2 rows cannot be put into clusters of at least {k}"):
            kernels.form_clusters([np.array([0, 1], dtype=np.int32)], [line], np.array([0, 1]), k)


def test_forming_can_be_interrupted(kernel: ModuleType) -> None:
    codes = [np.arange(3000, dtype=np.int32)]
    told = relational._told([Scale(True, np.arange(3000), 3000)])
    with pytest.raises(KeyboardInterrupt):
        kernel.form_clusters(codes, told, np.arange(3000), 3, 1, interrupt)


# Merging clusters


def distance(a: set[int], b: set[int]) -> float:
    return float((len(a ^ b) + 1) * len(a | b)) / float(len(a & b) + 1)


class SlowMerging:
    """All from scratch, from the rows."""

    def __init__(self, codes: list[Any], scales: list[Scale], sets: Sets, clusters: Clusters, by_size: bool) -> None:
        self.codes, self.scales, self.sets, self.clusters, self.by_size = codes, scales, sets, clusters, by_size

    def cost(self, rows: list[int]) -> int:
        return len(rows) if self.by_size else cost_of(self.codes, self.scales, rows)

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
    codes: list[Any], scales: list[Scale], sets: Sets, cluster_of: list[int], by_size: bool, threads: int
) -> Merging:
    n, of = max(cluster_of) + 1, np.array(cluster_of, dtype=np.int64)
    lo, hi = (
        [np.array([end(column[of == c]) for c in range(n)], dtype=np.int32) for column in codes] for end in (min, max)
    )
    return Merging(lo, hi, np.bincount(of), scales, *csr(sets), of, by_size=by_size, threads=threads)


@examples(200)
@given(scales=scale_lists(), sets=st.lists(item_sets, min_size=1, max_size=14), data=st.data(), by_size=st.booleans())
@pytest.mark.usefixtures("patched")
def test_merging(scales: list[Scale], sets: Sets, data: st.DataObject, by_size: bool) -> None:
    rng = data.draw(st.randoms(use_true_random=False))
    codes, n = columns(rng, scales, len(sets)), data.draw(st.integers(1, len(sets)))
    cluster_of = [*range(n), *rng.choices(range(n), k=len(sets) - n)]
    merging = start(codes, scales, sets, cluster_of, by_size, data.draw(st.integers(1, 2)))
    clusters = {c: [row for row, of in enumerate(cluster_of) if of == c] for c in range(n)}
    slow, waiting = SlowMerging(codes, scales, sets, clusters, by_size), set(range(n))
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


@pytest.mark.parametrize("how", HOWS)
def test_merging_of_larger_data(how: relational.How, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters with more sets than are marked, more of them than are put in order at first."""
    rng = random.Random(how)
    scales = [Scale(True, np.array(sorted(rng.choices(range(1000), k=50))), 1000, 49), Scale(False, np.arange(1, 9), 9)]
    sets = [set(rng.sample(range(70), min(70, int(rng.expovariate(0.2))))) for _ in range(400)]
    codes = columns(rng, scales, len(sets))
    cluster_of = [*range(200), *(rng.choice([0, 0, rng.randrange(200)]) for _ in range(200))]
    told = []
    for kernel in implementations():
        use(monkeypatch, kernel)
        merging, seen = start(codes, scales, sets, cluster_of, False, 2), list[Any]()
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
    scales = [Scale(True, np.array(sorted(rng.choices(range(1000), k=50))), 1000)]
    sets = [set(rng.choices(range(40), k=rng.randrange(6))) for _ in range(9000)]
    codes, told = columns(rng, scales, len(sets)), []
    for threads in (1, 2, 4):
        merging = start(codes, scales, sets, list(range(9000)), False, threads)
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
    line = Scale(True, np.array([0, 1, 2]), 2)
    merging = start([np.array([0, 1, 2], dtype=np.int32)], [line], [{0}, {1}, {2}], [0, 1, 2], False, 1)
    merging.merge(2, 1)
    for call in (lambda: merging.merge(0, 2), lambda: merging.nearest(2, "r", 9), lambda: merging.set_aside(3)):
        with pytest.raises(ValueError, match="no such cluster"):
            call()
    with pytest.raises(ValueError, match="with itself"):
        merging.merge(1, 1)
    assert merging.result().tolist() == [0, 1, 1]
    assert merging.nearest(0, "r", 10**30) == 1


# Blending items


def slow_loss(row: set[int], label_of: dict[int, int]) -> int:
    labels = sorted({label_of[item] for item in row})
    sizes = [sum(other == label for other in label_of.values()) for label in labels]
    s, total = sum(sizes), 0.0
    for z in sizes:
        if z > 1:
            total += math.ldexp(1.0, z - s) - math.ldexp(1.0, -s)
    return math.floor(math.ldexp(total / (1 - math.ldexp(1.0, -s)), 40)) if row else 0


def slow_blended(rows: Sets, labels: int, hidden: Sets, k: int, l: int, m: int) -> list[int] | None:
    label_of = {item: item for row in rows for item in sorted(row)}

    def in_breach(found: tuple[int, ...]) -> bool:
        having = [at for at, row in enumerate(rows) if {*found} <= {label_of[item] for item in row}]
        most = max((sum(e in hidden[at] for at in having) for e in range(9)), default=0)
        return 0 < len(having) < k or most * l > len(having)

    while True:
        names = sorted({*label_of.values()})
        every = itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(1, m + 1))
        breach = next(filter(in_breach, every), None)
        if breach is None:
            return [label_of.get(item, -1) for item in range(labels)]
        if len(names) == 1:
            return None
        best: tuple[Any, ...] = (math.inf,)
        for u, v in itertools.product(breach, names):
            if u == v:
                continue
            after = {item: min(u, v) if label in (u, v) else label for item, label in label_of.items()}
            sizes = sum(label in (u, v) for label in label_of.values())
            best = min(best, (sum(slow_loss(row, after) for row in rows), sizes, min(u, v), max(u, v), after))
        label_of = best[-1]


def blended(kernel: ModuleType, rows: Sets, labels: int, hidden: Sets, k: int, l: int, m: int) -> list[int] | None:
    indptr, items, _ = csr(rows)
    found = kernel.blended(indptr, items, labels, *csr(hidden), k, l, m, still)
    return np.frombuffer(found, dtype=np.int32).tolist() if found or not labels else None


@examples(300)
@given(
    pairs=st.lists(st.tuples(item_sets, st.sets(st.integers(0, 4), max_size=2)), max_size=14),
    k=st.integers(1, 5),
    l=st.integers(0, 3),
    m=st.integers(1, 4),
)
@example(pairs=[({0, 1, 2}, {0})] * 3, k=4, l=0, m=2)
@example(pairs=[], k=2, l=2, m=2)
def test_blended(kernel: ModuleType, pairs: list[tuple[set[int], set[int]]], k: int, l: int, m: int) -> None:
    rows, hidden = [row for row, _ in pairs], [secrets for _, secrets in pairs]
    assert blended(kernel, rows, 10, hidden, k, l, m) == slow_blended(rows, 10, hidden, k, l, m)


@pytest.mark.parametrize(("labels", "mean"), [(40, 3), (90, 6), (90, 40), (1300, 3)])
@pytest.mark.parametrize(("k", "l", "m"), [(4, 0, 2), (2, 0, 3), (3, 3, 2), (30, 0, 1)])
def test_blending_larger_data(labels: int, mean: int, k: int, l: int, m: int) -> None:
    """Labels get so large that the sums of losses are rounded."""
    rng = random.Random(labels * mean)
    count, m = (12, 1) if labels > 1000 else (60, m if mean < 40 else 1)
    rows = [set(rng.choices(range(labels), k=max(1, int(rng.expovariate(1 / mean))))) for _ in range(count)]
    rows[0] = rows[0] | {*range(0, labels, 12)} if labels > 1000 else rows[0]
    hidden = [set(rng.choices(range(20), k=2)) for _ in rows]
    results = [blended(kernel, rows, labels, hidden, k, l, m) for kernel in implementations()]
    assert results[0] == results[-1]


def test_blending_can_be_interrupted(kernel: ModuleType) -> None:
    rng = random.Random(2)
    rows = [set(rng.choices(range(400), k=12)) for _ in range(3000 if kernel is not _python else 30)]
    with pytest.raises(KeyboardInterrupt):
        kernel.blended(*csr(rows), *csr([set() for _ in rows]), 20, 0, 2, interrupt)
