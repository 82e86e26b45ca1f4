"""The readable twins of the kernels for rows that have attributes beside their items."""

from __future__ import annotations

import heapq
import itertools
import math
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Tick = Callable[[float], None]
Scale = tuple[bool, Any, int, int]  # along a line, costs, the cost of everything, the code for missing or -1
Row = tuple[int, ...]
Rows = list[Row]
BY_COST, BY_DISTANCE, BY_BOTH = range(3)


def form_clusters(codes: Any, scales: Sequence[Scale], order: Any, k: int, threads: int, tick: Tick) -> bytes:
    """Each seed takes the k - 1 unused rows that cost least with it; what is left joins where that costs least."""
    rows = list(zip(*(column.tolist() for column in codes), strict=True)) if codes else [()] * len(order)
    costs = [_Cost(*scale) for scale in scales]
    unused, clusters = dict.fromkeys(range(len(rows))), list[list[int]]()
    for seed in order.tolist():
        if seed not in unused:
            continue
        if len(unused) < k:
            break
        tick(1 - len(unused) / len(rows))
        del unused[seed]
        keys = ((_cost(costs, [rows[seed], rows[row]]), row) for row in unused)
        clusters.append([seed, *(row for _, row in heapq.nsmallest(k - 1, keys))])
        for row in clusters[-1][1:]:
            del unused[row]
    ends = [_ends([rows[row] for row in cluster]) for cluster in clusters]  # lowest and highest codes
    for row in unused:
        added = [_cost(costs, [*both, rows[row]]) for both in ends]
        best = added.index(min(added))
        clusters[best].append(row)
        ends[best] = _ends([*ends[best], rows[row]])
    found = array("q", [-1]) * len(rows)
    for number, cluster in enumerate(clusters):
        for row in cluster:
            found[row] = number
    return found.tobytes()


class Merging:
    """Clusters that are merged two at a time."""

    def __init__(
        self,
        lo: Any,
        hi: Any,
        sizes: Any,
        scales: Sequence[Scale],
        indptr: Any,
        items: Any,
        labels: int,
        cluster_of: Any,
        by_size: bool,
        threads: int,
    ) -> None:
        self._size: list[int] = sizes.tolist()
        self._by_size = by_size
        self._costs = [_Cost(*scale) for scale in scales]
        columns = [[column.tolist() for column in side] for side in (lo, hi)]
        self._ends = [[tuple(column[c] for column in side) for side in columns] for c in range(len(self._size))]
        self._now = list(range(len(self._size)))
        self._waiting = set(self._now)
        self._sets: list[set[frozenset[int]]] = [set() for _ in self._now]
        for row, cluster in zip(_rows(indptr, items), cluster_of.tolist(), strict=True):
            self._sets[cluster].add(frozenset(row))
        self._distances = {(c, c): _farthest(sets, sets) for c, sets in enumerate(self._sets)}

    def total(self) -> int:
        """What all rows cost."""
        return sum(self._size[c] * self._cost([c]) for c in self._living())

    def alive(self) -> int:
        """How many clusters there are."""
        return len(self._living())

    def seed(self) -> int:
        """The cluster that costs least of those that are not set aside, or -1."""
        return min(self._waiting, key=lambda c: (self._cost([c]), c), default=-1)

    def set_aside(self, c: int) -> None:
        """From now on it is no seed."""
        self._check(c)
        self._waiting.discard(c)

    def costs_with(self, c: int) -> bytes:
        """What the union with each other cluster costs, or -1."""
        return self._by_number("q", {p: self._cost([c, p]) for p in self._others(c)})

    def totals_with(self, c: int) -> bytes:
        """The total after merging with each other cluster, or -1."""
        total = self.total()
        return self._by_number("q", {p: self._total_with(total, c, p) for p in self._others(c)})

    def distances_with(self, c: int) -> bytes:
        """How far apart the item sets of the union with each other cluster are, or -1."""
        return self._by_number("d", {p: self._distance(c, p) for p in self._others(c)})

    def nearest(self, c: int, how: int, limit: int) -> int:
        """The best other cluster to merge with, or -1."""
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
        """Make one cluster of two, under the lower number."""
        self._check(c)
        self._check(p)
        if c == p:
            raise ValueError("a cluster cannot be merged with itself")
        kept, gone = min(c, p), max(c, p)
        self._ends[kept] = _ends([*self._ends[kept], *self._ends[gone]])
        self._size[kept] += self._size[gone]
        within = self._distance(kept, gone)
        self._sets[kept] |= self._sets[gone]
        self._distances = {pair: value for pair, value in self._distances.items() if not {c, p} & {*pair}}
        self._distances[kept, kept] = within
        self._now = [kept if cluster == gone else cluster for cluster in self._now]
        self._waiting = (self._waiting - {gone}) | {kept}

    def result(self) -> bytes:
        """For each initial cluster the one that it is in now."""
        return array("q", self._now).tobytes()

    def _check(self, c: int) -> None:
        """Only a living cluster will do."""
        if c not in self._living():
            raise ValueError("no such cluster, or it was merged")

    def _living(self) -> set[int]:
        """The clusters that there are."""
        return set(self._now)

    def _others(self, c: int) -> list[int]:
        """All clusters but one."""
        self._check(c)
        return sorted(self._living() - {c})

    def _cost(self, clusters: list[int]) -> int:
        """What their union costs."""
        if self._by_size:
            return sum(self._size[c] for c in clusters)
        return _cost(self._costs, [codes for c in clusters for codes in self._ends[c]])

    def _total_with(self, total: int, c: int, p: int) -> int:
        """The total after merging two clusters."""
        apart = sum(self._size[one] * self._cost([one]) for one in (c, p))
        return total - apart + (self._size[c] + self._size[p]) * self._cost([c, p])

    def _distance(self, c: int, p: int) -> float:
        """How far apart the item sets of a union are."""
        pair = min(c, p), max(c, p)
        if pair not in self._distances:
            across = _farthest(self._sets[c], self._sets[p])
            self._distances[pair] = max(across, self._distances[c, c], self._distances[p, p])
        return self._distances[pair]

    def _by_number(self, kind: str, values: dict[int, Any]) -> bytes:
        """An array with the values of some clusters, and -1 for the others."""
        return array(kind, [values.get(c, -1) for c in range(len(self._now))]).tobytes()


def blended(
    indptr: Any,
    items: Any,
    labels: int,
    hidden_indptr: Any,
    hidden_items: Any,
    hidden_labels: int,
    k: int,
    l: int,
    m: int,
    tick: Tick,
) -> bytes:
    """Merge labels of the first breach, where that adds least loss, until there is none; nothing if one is left."""
    rows, hidden = _rows(indptr, items), _rows(hidden_indptr, hidden_items) if l else []
    label_of = {item: item for row in rows for item in row}
    while True:
        size = Counter(label_of.values())
        tick(1 - len(size) / max(1, len(label_of)))
        blurred = [tuple(sorted({label_of[item] for item in row})) for row in rows]
        breach = _first_breach(blurred, hidden, k, l, m)
        if not breach:
            return array("i", [label_of.get(item, -1) for item in range(labels)]).tobytes()
        if len(size) == 1:
            return b""
        pairs = {(min(u, v), max(u, v)) for u in breach for v in size if u != v}
        changes = _added_losses(Counter(blurred), size, pairs)
        kept, gone = min(pairs, key=lambda pair: (changes[pair], size[pair[0]] + size[pair[1]], pair))
        label_of = {item: kept if label == gone else label for item, label in label_of.items()}


def _first_breach(rows: Rows, hidden: Rows, k: int, l: int, m: int) -> Row:
    """The first set of labels, by size and then in order, with too few rows or too often the same hidden item."""
    for size in range(1, min(m, max(map(len, rows), default=0)) + 1):
        support = Counter(found for row in rows for found in itertools.combinations(row, size))
        broken = {found for found, count in support.items() if count < k}
        together = Counter(
            (found, item)
            for row, secrets in zip(rows, hidden, strict=False)
            for found in itertools.combinations(row, size)
            for item in secrets
        )
        broken |= {found for (found, _), count in together.items() if count * l > support[found]}
        if broken:
            return min(broken)
    return ()


def _added_losses(rows: Counter[Row], size: Counter[int], pairs: set[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """What merging each pair of labels adds to the loss of all rows."""
    added = Counter[tuple[int, int]]()
    for row, weight in rows.items():
        before = _loss({label: size[label] for label in row})
        for u, v in pairs:
            if u in row or v in row:
                sizes = {label: size[label] for label in row if label not in (u, v)}
                added[u, v] += weight * (_loss({**sizes, u: size[u] + size[v]}) - before)
    return added


def _loss(sizes: dict[int, int]) -> int:
    """What a row with labels of such sizes loses (P2's UL), in whole numbers of 2^-40."""
    if not sizes:
        return 0
    items, total = sum(sizes.values()), 0.0
    least = math.ldexp(1.0, -items)
    for _, size in sorted(sizes.items()):
        if size > 1:
            total += math.ldexp(1.0, size - items) - least
    return math.floor(math.ldexp(total / (1.0 - least), 40))


class _Cost:
    """What an interval of codes costs, on one scale."""

    def __init__(self, along: bool, costs: Any, whole: int, missing: int) -> None:
        self.along, self.costs, self.whole, self.missing = along, costs.tolist(), whole, missing

    def __call__(self, lo: int, hi: int) -> int:
        """Nothing for a single code."""
        if lo == hi:
            return 0
        if not self.along:
            return int(max(self.costs[lo:hi]))
        return self.whole if hi == self.missing else int(self.costs[hi] - self.costs[lo])


def _cost(costs: list[_Cost], rows: Sequence[Row]) -> int:
    """What rows of codes cost together."""
    lo, hi = _ends(rows)
    return sum(cost(*ends) for cost, *ends in zip(costs, lo, hi, strict=True))


def _ends(rows: Sequence[Row]) -> list[Row]:
    """The lowest and the highest code of each attribute."""
    return [tuple(map(least, zip(*rows, strict=True))) for least in (min, max)]


def _farthest(some: set[frozenset[int]], others: set[frozenset[int]]) -> float:
    """The largest distance (P2's BTD) of two sets."""
    return max((_distance(a, b) for a in some for b in others), default=0.0)


def _distance(a: frozenset[int], b: frozenset[int]) -> float:
    """More with items in only one, and with items in all; less with items in both."""
    return float((len(a ^ b) + 1) * len(a | b)) / float(len(a & b) + 1)


def _rows(indptr: Any, items: Any) -> Rows:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
