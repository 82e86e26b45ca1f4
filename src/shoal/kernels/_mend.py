"""Mending a cut, readable: the specification of ``_native.mend_*`` and the fallback where no compiler was at hand.

For the criteria of P3 s.5 that are not monotone under generalization, l^m-diversity and k^m with negative knowledge. In
rounds to a fixed point: list the combinations of labels of the cut that are in breach, in preorder of the count-tree,
then repair them in that order, each that still has all its labels in the cut by the cheapest way to raise them that
ends it.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

Tick = Callable[[float], None]
Nodes = tuple[int, ...]
Combination = tuple[Nodes, Nodes]  # labels that are present, labels that are absent; each in the order they were found
Result = tuple[list[int], int, int, tuple[list[int], list[int]] | None]


def mend_diversity(
    indptr: Any,
    items: Any,
    sensitive_indptr: Any,
    sensitive_items: Any,
    parent: Any,
    span: Any,
    cost: Any,
    leaves: int,
    l: int,
    first: int,
    last: int,
    raised: Any,
    bounded: bool,
    most: int,
    threads: int,
    tick: Tick,
) -> Result:
    """Until no set of labels has a sensitive value in more than one in l of its rows."""
    pairs = zip(rows_of(indptr, items), rows_of(sensitive_indptr, sensitive_items), strict=True)
    records = Records(((row, values) for row, values in pairs if row), parent.tolist())
    mend = Mend(Diversity(records, l, tick), records, span.tolist(), cost.tolist(), leaves, bounded, most, tick)
    return mend.run(raised.tolist(), first, last)


def mend_negative(
    indptr: Any,
    items: Any,
    parent: Any,
    span: Any,
    cost: Any,
    leaves: int,
    k: int,
    first: int,
    last: int,
    raised: Any,
    most: int,
    threads: int,
    tick: Tick,
) -> Result:
    """Until all labels known to be present or absent match no row or at least k."""
    records = Records(((row, ()) for row in rows_of(indptr, items)), parent.tolist())
    mend = Mend(Negative(records, k, tick), records, span.tolist(), cost.tolist(), leaves, False, most, tick)
    return mend.run(raised.tolist(), first, last)


class Records:
    """Distinct rows of leaves with their sensitive values, and for every node those that hold something below it."""

    def __init__(self, rows: Iterable[tuple[Nodes, Nodes]], parent: list[int]) -> None:
        counted = Counter(rows)
        self.parent = parent
        self.leaves = [row for row, _ in counted]
        self.values = [values for _, values in counted]
        self.weights = list(counted.values())
        self.all = frozenset(range(len(self.weights)))
        holders: list[set[int]] = [set() for _ in parent]
        for number, (row, _) in enumerate(counted):
            for node in row:
                while node >= 0:
                    holders[node].add(number)
                    node = parent[node]
        self.holders = [frozenset(rows) for rows in holders]
        self.support = [self.weight(rows) for rows in self.holders]

    def weight(self, rows: Iterable[int]) -> int:
        """How many rows they stand for."""
        return sum(self.weights[row] for row in rows)

    def matching(self, present: Iterable[int], absent: Iterable[int]) -> frozenset[int]:
        """The rows that hold all of the first and none of the second."""
        held = self.all.intersection(*(self.holders[u] for u in present))
        return held.difference(*(self.holders[u] for u in absent))


class Criterion(Protocol):
    """What may not be."""

    counted: int  # label sets, in this round
    tick: Tick

    def fine(self, rows: frozenset[int]) -> bool:
        """Whether a combination that matches these rows is not in breach."""

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Combinations in breach, in preorder, whose first present label is at this place of the order (none: without).

        Of at most ``size`` labels; one that is in breach is not extended.
        """

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Whether every cut that has these labels, all present, or specialises them, has a set in breach."""


class Diversity:
    """Too many rows have a sensitive value."""

    def __init__(self, records: Records, l: int, tick: Tick) -> None:
        self.records, self.l, self.tick, self.counted = records, l, tick, 0
        self.sensitive = frozenset(row for row in records.all if records.values[row])

    def fine(self, rows: frozenset[int]) -> bool:
        """No value is in more than one in l of the rows."""
        counts = Counter[int]()
        for row in rows & self.sensitive:
            for value in self.records.values[row]:
                counts[value] += self.records.weights[row]
        return max(counts.values(), default=0) * self.l <= self.records.weight(rows)

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Rows with a value hold at least one specialisation, others at most as many as their leaves allow.

        If (l - 1) rows for each of the first are more than all that the others can hold, then on average, so for one
        specialisation at least, too few rows stand against those with the value.
        """
        records = self.records
        with_value, ways_with, all_ways = Counter[int](), Counter[int](), 0
        for row in records.matching(labels, ()):
            ways = records.weights[row]
            for u in labels:
                ways *= sum(span[2 * u] <= leaf < span[2 * u + 1] for leaf in records.leaves[row])
            all_ways += ways
            for value in records.values[row]:
                with_value[value] += records.weights[row]
                ways_with[value] += ways
        return any((self.l - 1) * with_value[s] > all_ways - ways_with[s] for s in with_value)

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Sets without any sensitive row are left out with all that extend them."""
        if first is not None:
            yield from self.walk((), self.records.all, range(first, first + 1), order, size)

    def walk(
        self, prefix: Nodes, rows: frozenset[int], places: range, order: list[int], size: int
    ) -> Iterator[Combination]:
        """The prefix with each of the labels at these places, and what extends it."""
        self.tick(0.0)
        for at in places:
            held = rows & self.records.holders[order[at]]
            if held.isdisjoint(self.sensitive):
                continue
            self.counted += 1
            labels = (*prefix, order[at])
            if not self.fine(held):
                yield labels, ()
            elif len(labels) < size:
                yield from self.walk(labels, held, range(at + 1, len(order)), order, size)


class Negative:
    """Too few rows match, but some do."""

    def __init__(self, records: Records, k: int, tick: Tick) -> None:
        self.records, self.k, self.tick, self.counted = records, k, tick, 0

    def fine(self, rows: frozenset[int]) -> bool:
        """None or k."""
        return not rows or self.records.weight(rows) >= self.k

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Too few rows hold them, and no more hold what is below."""
        return not self.fine(self.records.matching(labels, ()))

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """The present labels in the order, each set of them followed by the absent ones, then by its extensions."""
        if first is None:
            yield from self.without((), (), self.records.all, order, size)
        else:
            yield from self.walk((), self.records.all, range(first, first + 1), order, size)

    def walk(
        self, prefix: Nodes, rows: frozenset[int], places: range, order: list[int], size: int
    ) -> Iterator[Combination]:
        """The prefix with each of the labels at these places, and what extends it."""
        self.tick(0.0)
        for at in places:
            held = rows & self.records.holders[order[at]]
            if not held:
                continue
            self.counted += 1
            labels = (*prefix, order[at])
            if not self.fine(held):
                yield labels, ()
            elif len(labels) < size:
                yield from self.without(labels, (), held, order, size - len(labels))
                yield from self.walk(labels, held, range(at + 1, len(order)), order, size)

    def without(
        self, present: Nodes, absent: Nodes, rows: frozenset[int], candidates: list[int], more: int
    ) -> Iterator[Combination]:
        """Up to ``more`` of the candidates that leave too few of the rows: by falling count in them, then in order.

        Labels in no row change nothing, labels in all rows leave none.
        """
        self.tick(0.0)
        weight = self.records.weight(rows)
        counts = {u: self.records.weight(rows & self.records.holders[u]) for u in candidates}
        order = sorted((u for u in candidates if 0 < counts[u] < weight), key=lambda u: -counts[u])
        for at, label in enumerate(order):
            if weight - sum(counts[u] for u in order[at : at + more]) >= self.k:  # whatever else is absent
                break
            self.counted += 1
            left = rows - self.records.holders[label]
            if not self.fine(left):
                yield present, (*absent, label)
            elif more > 1:
                rest = sorted(order[at + 1 :], key=candidates.index)
                yield from self.without(present, (*absent, label), left, rest, more - 1)


class Mend:
    """A cut on its way up."""

    def __init__(
        self,
        criterion: Criterion,
        records: Records,
        span: list[int],
        cost: list[int],
        leaves: int,
        bounded: bool,
        most: int,
        tick: Tick,
    ) -> None:
        self.criterion, self.records, self.parent, self.span, self.cost = criterion, records, records.parent, span, cost
        self.bounded, self.most, self.tick = bounded, most, tick
        self.root = len(self.parent) - 1
        self.cut = set(range(leaves))
        self.hopeless: set[Combination] = set()  # in breach whatever is raised, the root apart
        self.leaves, self.counted, self.repairs = leaves, 0, 0

    def run(self, raised: Iterable[int], first: int, last: int) -> Result:
        """For each size, rounds until one commits nothing; or until a breach is stuck."""
        for node in raised:
            self.commit(node)
        stuck = None
        for size in range(first, last + 1):
            while stuck is None:
                before = self.repairs
                breaches, complete = self.breaches(size)
                stuck = self.repair(breaches)
                if complete and self.repairs == before:
                    break
        labels = (list(stuck[0]), list(stuck[1])) if stuck else None
        return sorted(node for node in self.cut if node >= self.leaves), self.counted, self.repairs, labels

    def breaches(self, size: int) -> tuple[list[Combination], bool]:
        """All at the cut but the hopeless ones, and whether they are all: for each first label there is a limit."""
        support = self.records.support
        order = sorted((u for u in self.cut if support[u]), key=lambda u: (-support[u], u))
        self.criterion.counted, found, complete = 0, list[Combination](), True
        limit = 1 + self.most // max(len(order), 1)
        for first in (None, *range(len(order))):
            starting = (c for c in self.criterion.starting(first, order, size) if c not in self.hopeless)
            listed = list(itertools.islice(starting, limit))
            complete &= len(listed) < limit
            found += listed
        self.counted = max(self.counted, self.criterion.counted)
        return found, complete

    def repair(self, breaches: list[Combination]) -> Combination | None:
        """Each in turn, if its labels still stand; the first that is stuck ends it."""
        for present, absent in breaches:
            if not self.cut.issuperset(present + absent):
                continue
            commits = self.cheapest(present, absent)
            if not commits and not self.bounded:
                return present, absent
            if not commits:
                self.hopeless.add((present, absent))
                continue
            self.repairs += 1
            for node in commits:
                self.commit(node)
        return None

    def cheapest(self, present: Nodes, absent: Nodes) -> Nodes:
        """The nodes to raise so that the combination is fine, best first; none if there is no way.

        Loss never falls on the way up, so the first way that helps is the cheapest.
        """
        labels = present + absent
        open_, seen = [self.way(labels, labels)], {labels}
        while open_:
            self.tick(0.0)
            _, _, commits, targets = heapq.heappop(open_)
            rows = self.records.matching(targets[: len(present)], targets[len(present) :])
            if commits and self.criterion.fine(rows):
                return commits
            for at, node in enumerate(targets):
                if node != self.root and not (self.bounded and self.parent[node] == self.root):
                    higher = self.settled((*targets[:at], self.parent[node], *targets[at + 1 :]))
                    if higher not in seen:
                        seen.add(higher)
                        heapq.heappush(open_, self.way(labels, higher))
        return ()

    def settled(self, targets: Nodes) -> Nodes:
        """Labels that another target covers stand where it stands: the same is published."""
        return tuple(max(v for v in targets if self.covers(v, u)) for u in targets)

    def way(self, labels: Nodes, targets: Nodes) -> tuple[int, int, Nodes, Nodes]:
        """(added cost, leaves, raised nodes, where each label ends up): ways are compared in this order."""
        commits = tuple(sorted({v for u, v in zip(labels, targets, strict=True) if u != v}))
        under = sum(self.cost[u] for u in self.cut if any(self.covers(v, u) for v in commits))
        leaves = sum(self.span[2 * u + 1] - self.span[2 * u] for u in commits)
        return sum(self.cost[u] for u in commits) - under, leaves, commits, targets

    def commit(self, node: int) -> None:
        """Raise the cut to the node, if it is not above it already."""
        if not any(self.covers(u, node) for u in self.cut):
            self.cut = {u for u in self.cut if not self.covers(node, u)} | {node}

    def covers(self, upper: int, lower: int) -> bool:
        """Whether upper is lower or above it."""
        span = self.span
        return upper >= lower and span[2 * upper] <= span[2 * lower] and span[2 * lower + 1] <= span[2 * upper + 1]


def rows_of(indptr: Any, items: Any) -> list[Nodes]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
