"""Merges clusters of rows, two at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.data.scales import Scale
from shoal.kernels.arrays import Row, rows_of
from shoal.kernels.choice import compiled_or
from shoal.kernels.search.clusters.scale import Cost, ScaleTuple, as_tuples, costs_of

How = Literal["r", "t", "rt"]
ClusterCost = Literal["sum", "size", "l2", "max"]
_HOW: dict[How, int] = {"r": 0, "t": 1, "rt": 2}
_COST: dict[ClusterCost, int] = {"sum": 0, "size": 1, "l2": 2, "max": 3}
_MOST = 2**63 - 1


class Merging:
    """Clusters that are merged two at a time: the cheapest cluster first, with its best partner.

    The ``cost`` of a cluster is computed from the cost of its codes in each attribute: their sum, the largest (max), or
    the root of the weighted sum of squares, rounded up (l2). Or the cluster costs its number of rows (size).
    ``weights`` are those of the attributes for l2, and the number that represents a weight of 1. The distance of a
    cluster (BTD in Poulis et al. 2013) is the largest distance of two of its rows: (x + 1) / (c + 1) * o for item sets
    with c items in common, x in only one of them, and o in total.

    >>> from shoal.data.scales import Line
    >>> line = Line(np.array([0, 1, 5]), 5)
    >>> rows = np.array([0, 1, 2, 3]), np.array([0, 1, 0], dtype=np.int32)
    >>> merging = Merging([np.array([0, 1, 2], dtype=np.int32)], [line], *rows, 2, np.array([0, 1, 2]))
    >>> [merging.nearest(merging.seed(), how, limit=10) for how in ("r", "t")], merging.distances_with(0).tolist()
    ([1, 2], [-1.0, 6.0, 0.5])
    >>> merging.merge(0, 2)
    >>> merging.alive, merging.total, merging.seed(), merging.result().tolist()
    (2, 10, 1, [0, 1, 0])
    """

    def __init__(
        self,
        codes: Sequence[Codes],
        scales: Sequence[Scale],
        indptr: Offsets,
        items: Codes,
        labels: int,
        cluster_of: Counts,
        *,
        cost: ClusterCost = "sum",
        weights: tuple[Sequence[int], int] = ((), 1),
        threads: int = 1,
    ) -> None:
        columns = [np.ascontiguousarray(column, dtype=np.int32) for column in codes]
        clusters = np.ascontiguousarray(cluster_of, dtype=np.int64)
        self._kernel = compiled_or(MergingTwin)(
            columns,
            as_tuples(scales),
            indptr,
            items,
            labels,
            clusters,
            _COST[cost],
            list(weights[0]),
            weights[1],
            threads,
        )

    @property
    def total(self) -> int:
        """The total cost: the cost of every living cluster, once for each of its rows."""
        return self._kernel.total()

    @property
    def alive(self) -> int:
        """The current number of clusters."""
        return self._kernel.alive()

    def seed(self) -> int:
        """Return the cheapest cluster that is not set aside (ties: the lowest number), or -1."""
        return self._kernel.seed()

    def set_aside(self, c: int) -> None:
        """Exclude the cluster as a seed until it is merged."""
        self._kernel.set_aside(c)

    def costs_with(self, c: int) -> Counts:
        """Return the cost of the union with each other living cluster, and -1 for all others."""
        return self._kernel.costs_with(c)

    def totals_with(self, c: int) -> Counts:
        """Return the total after merging with each other living cluster, and -1 for all others."""
        return self._kernel.totals_with(c)

    def distances_with(self, c: int) -> npt.NDArray[np.float64]:
        """Return the distance of the union with each other living cluster, and -1 for all others."""
        return self._kernel.distances_with(c)

    def nearest(self, c: int, how: How, limit: int) -> int:
        """Return the best other cluster to merge with, or -1. Ties go to the lower number.

        "r" takes the one whose union costs least, if the total stays within the limit. Among those that stay within the
        limit, "t" takes the one with the lowest distance, and "rt" the one with the lowest sum of its ranks by cost and
        by distance among all clusters, then by cost.
        """
        return self._kernel.nearest(c, _HOW[how], max(-1, min(limit, _MOST)))

    def merge(self, c: int, p: int) -> None:
        """Merge two clusters. The union has the lower number and is not set aside."""
        self._kernel.merge(c, p)

    def result(self) -> Counts:
        """Return for each initial cluster the number of its current cluster."""
        return self._kernel.result()


BY_COST, BY_DISTANCE, BY_BOTH = range(3)
SUM, SIZE, L2, MAX = range(4)


class MergingTwin:
    """Merges clusters of rows, two at a time."""

    def __init__(
        self,
        codes: Sequence[Codes],
        scales: Sequence[ScaleTuple],
        indptr: Offsets,
        items: Codes,
        labels: int,
        cluster_of: Counts,
        cost: int,
        weights: Sequence[int],
        one: int,
        threads: int,
    ) -> None:
        if cost == L2 and (len(weights) != len(scales) or one < 1):
            raise ValueError("one weight for each column is wanted")
        self._size: list[int] = np.bincount(cluster_of).tolist()
        self._norm, self._weights, self._one = cost, weights, one
        self._costs = [Cost(*scale) for scale in scales]
        self._rows: list[set[Row]] = [set() for _ in self._size]
        for c, *own in zip(cluster_of.tolist(), *(column.tolist() for column in codes), strict=True):
            self._rows[c].add(tuple(own))
        self._now = list(range(len(self._size)))
        self._waiting = set(self._now)
        self._sets: list[set[frozenset[int]]] = [set() for _ in self._now]
        for row, cluster in zip(rows_of(indptr, items), cluster_of.tolist(), strict=True):
            self._sets[cluster].add(frozenset(row))
        self._distances = {(c, c): _farthest(sets, sets) for c, sets in enumerate(self._sets)}

    def total(self) -> int:
        """The total cost of all rows."""
        return sum(self._size[c] * self._cost([c]) for c in self._living())

    def alive(self) -> int:
        """The current number of clusters."""
        return len(self._living())

    def seed(self) -> int:
        """Return the cheapest cluster that is not set aside, or -1."""
        return min(self._waiting, key=lambda c: (self._cost([c]), c), default=-1)

    def set_aside(self, c: int) -> None:
        """Exclude the cluster as a seed."""
        self._check(c)
        self._waiting.discard(c)

    def costs_with(self, c: int) -> Counts:
        """Return the cost of the union with each other cluster, or -1."""
        return self._by_number(np.int64, {p: self._cost([c, p]) for p in self._others(c)})

    def totals_with(self, c: int) -> Counts:
        """Return the total after merging with each other cluster, or -1."""
        total = self.total()
        return self._by_number(np.int64, {p: self._total_with(total, c, p) for p in self._others(c)})

    def distances_with(self, c: int) -> npt.NDArray[np.float64]:
        """Return the distance of the union with each other cluster, or -1."""
        return self._by_number(np.float64, {p: self._distance(c, p) for p in self._others(c)})

    def nearest(self, c: int, how: int, limit: int) -> int:
        """Return the best other cluster to merge with, or -1."""
        others, total = self._others(c), self.total()
        allowed = {p for p in others if self._total_with(total, c, p) <= limit}
        if how == BY_COST:
            best = min(others, key=lambda p: (self._cost([c, p]), p), default=-1)
            return best if best in allowed else -1
        if how == BY_DISTANCE:
            return min(allowed, key=lambda p: (self._distance(c, p), p), default=-1)
        u = {p: rank for rank, p in enumerate(sorted(others, key=lambda p: (self._cost([c, p]), p)))}
        v = {p: rank for rank, p in enumerate(sorted(others, key=lambda p: (self._distance(c, p), p)))}
        return min(allowed, key=lambda p: (u[p] + v[p], u[p]), default=-1)

    def merge(self, c: int, p: int) -> None:
        """Merge two clusters under the lower number."""
        self._check(c)
        self._check(p)
        if c == p:
            raise ValueError("a cluster cannot be merged with itself")
        kept, gone = min(c, p), max(c, p)
        self._rows[kept] |= self._rows[gone]
        self._size[kept] += self._size[gone]
        within = self._distance(kept, gone)
        self._sets[kept] |= self._sets[gone]
        self._distances = {pair: value for pair, value in self._distances.items() if not {c, p} & {*pair}}
        self._distances[kept, kept] = within
        self._now = [kept if cluster == gone else cluster for cluster in self._now]
        self._waiting = (self._waiting - {gone}) | {kept}

    def result(self) -> Counts:
        """Return for each initial cluster its current cluster."""
        return np.array(self._now, dtype=np.int64)

    def _check(self, c: int) -> None:
        """Raise an error unless the cluster is alive."""
        if c not in self._living():
            raise ValueError("no such cluster, or it was merged")

    def _living(self) -> set[int]:
        """Return the current clusters."""
        return set(self._now)

    def _others(self, c: int) -> list[int]:
        """Return all clusters except one."""
        self._check(c)
        return sorted(self._living() - {c})

    def _cost(self, clusters: list[int]) -> int:
        """Return the cost of their union."""
        if self._norm == SIZE:
            return sum(self._size[c] for c in clusters)
        costs = costs_of(self._costs, [row for c in clusters for row in self._rows[c]])
        if self._norm == MAX:
            return max(costs, default=0)
        if self._norm == SUM:
            return sum(costs)
        squares = sum(weight * cost * cost for weight, cost in zip(self._weights, costs, strict=True))
        needed = -(-squares // self._one)
        return math.isqrt(needed - 1) + 1 if needed else 0

    def _total_with(self, total: int, c: int, p: int) -> int:
        """Return the total after merging two clusters."""
        apart = sum(self._size[one] * self._cost([one]) for one in (c, p))
        return total - apart + (self._size[c] + self._size[p]) * self._cost([c, p])

    def _distance(self, c: int, p: int) -> float:
        """Return the largest distance between item sets of a union."""
        pair = min(c, p), max(c, p)
        if pair not in self._distances:
            across = _farthest(self._sets[c], self._sets[p])
            self._distances[pair] = max(across, self._distances[c, c], self._distances[p, p])
        return self._distances[pair]

    def _by_number(self, kind: type[np.generic], values: dict[int, Any]) -> npt.NDArray[Any]:
        """Return an array with the values of some clusters, and -1 for the others."""
        return np.array([values.get(c, -1) for c in range(len(self._now))], dtype=kind)


def _farthest(some: set[frozenset[int]], others: set[frozenset[int]]) -> float:
    """Return the largest distance of two sets (BTD in Poulis et al. 2013)."""
    return max((_distance(a, b) for a in some for b in others), default=0.0)


def _distance(a: frozenset[int], b: frozenset[int]) -> float:
    """Return the distance of two sets: more with items in one, and with items in all; less with items in both."""
    return float((len(a ^ b) + 1) * len(a | b)) / float(len(a & b) + 1)
