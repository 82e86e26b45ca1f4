"""The common part of repairs of a cut, and the readable twin of the search.

Each round lists the combinations of labels of the cut that violate the model, in preorder of the count-tree. Then it
repairs them in that order. A combination that still has all its labels in the cut is repaired by the cheapest way to
raise them.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import people_of, rows_of
from shoal.kernels.choice import Tick

MOST = 5_000_000  # about how many violations one round lists: the next round finds the others


@dataclass(frozen=True)
class Repaired:
    """The result of raising a cut until no combination of its labels violates the model."""

    raised: list[int]  # nodes of the new cut that are not leaves
    counted: int  # most label sets counted in one round
    repairs: int
    unrepairable: tuple[list[int], list[int]] | None  # (present, absent) nodes of a violation that no raising repairs


def first_and_last(sizes: range, leaves: int) -> tuple[int, int]:
    """Return the first and the last size. No set has more labels than there are leaves. First above last: no size."""
    return (min(sizes[0], leaves), min(sizes[-1], leaves)) if sizes else (1, 0)


Nodes = tuple[int, ...]
Combination = tuple[Nodes, Nodes]  # present labels, absent labels; each in the order found
Told = tuple[list[int], int, int, tuple[list[int], list[int]] | None]


class Records:
    """Distinct rows of leaves with their sensitive values, and for every node the rows that hold items below it."""

    def __init__(self, rows: Iterable[tuple[Nodes, Nodes]], people: Iterable[int], parent: list[int]) -> None:
        counted, whose = Counter[tuple[Nodes, Nodes]](), dict[tuple[Nodes, Nodes], set[int]]()
        for pair, person in zip(rows, people, strict=True):
            counted[pair] += 1
            whose.setdefault(pair, set()).add(person)
        self.parent = parent
        self.leaves = [row for row, _ in counted]
        self.values = [values for _, values in counted]
        self.weights = list(counted.values())
        self.people = list(whose.values())
        self.several = sum(self.weights) > self.persons(
            range(len(self.weights))
        )  # whether some person has several rows
        self.all = frozenset(range(len(self.weights)))
        holders: list[set[int]] = [set() for _ in parent]
        for number, (row, _) in enumerate(counted):
            for node in row:
                while node >= 0:
                    holders[node].add(number)
                    node = parent[node]
        self.holders = [frozenset(rows) for rows in holders]

    @classmethod
    def of(
        cls,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        sensitive: tuple[Offsets, Codes] | None = None,
    ) -> Records:
        """Create records from arrays. With sensitive values, rows without items are dropped: no label matches them."""
        rows, people = rows_of(indptr, items), people_of(indptr, persons)
        values = [()] * len(rows) if sensitive is None else rows_of(*sensitive)
        kept = [n for n, row in enumerate(rows) if row or sensitive is None]
        return cls([(rows[n], values[n]) for n in kept], [people[n] for n in kept], parent.tolist())

    def weight(self, rows: Iterable[int]) -> int:
        """Count the original rows."""
        return sum(self.weights[row] for row in rows)

    def persons(self, rows: Iterable[int]) -> int:
        """Count the persons who have one of the rows."""
        return len(set[int]().union(*(self.people[row] for row in rows)))

    def matching(self, present: Iterable[int], absent: Iterable[int]) -> frozenset[int]:
        """Return the rows that hold all present and no absent labels."""
        held = self.all.intersection(*(self.holders[u] for u in present))
        return held.difference(*(self.holders[u] for u in absent))


class Criterion(Protocol):
    """The condition that a combination must satisfy."""

    counted: int  # label sets counted in this round
    tick: Tick

    def support(self, node: int) -> int:
        """Return the support of a node: rows or persons, depending on the criterion."""

    def fine(self, present: Nodes, absent: Nodes) -> bool:
        """Whether a combination satisfies the criterion."""

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Yield violations, in preorder, whose first present label is at this place of the order (None: no such label).

        They have at most ``size`` labels. A violation is not extended.
        """

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Whether every cut that has these labels, all present, or specialises them, contains a violation."""


class Repair:
    """The repair of a cut by one or several criteria."""

    def __init__(
        self,
        criteria: Sequence[Criterion],
        parent: list[int],
        span: list[int],
        cost: list[int],
        leaves: int,
        bounded: bool,
        most: int,
        tick: Tick,
    ) -> None:
        self.criteria, self.parent, self.span, self.cost = criteria, parent, span, cost
        self.bounded, self.most, self.tick = bounded, most, tick
        self.root = len(self.parent) - 1
        self.cut = set(range(leaves))
        self.hopeless: set[Combination] = set()  # violations that only the root could repair
        self.leaves, self.counted, self.repairs = leaves, 0, 0

    def run(self, raised: Iterable[int], first: int, last: int) -> Told:
        """For each size, run rounds until one commits nothing, or until a violation is unrepairable."""
        for node in raised:
            self.commit(node)
        unrepairable = None
        for size in range(first, last + 1):
            while unrepairable is None:
                before = self.repairs
                breaches, complete = self.breaches(size)
                unrepairable = self.repair(breaches)
                if complete and self.repairs == before:
                    break
        labels = (list(unrepairable[0]), list(unrepairable[1])) if unrepairable else None
        return sorted(node for node in self.cut if node >= self.leaves), self.counted, self.repairs, labels

    def breaches(self, size: int) -> tuple[list[Combination], bool]:
        """Return the violations at the cut except hopeless ones, and whether these are all. Lists are limited."""
        breaches, complete, counted = list[Combination](), True, 0
        for criterion in self.criteria:
            support = {u: criterion.support(u) for u in self.cut}
            order = sorted((u for u in self.cut if support[u]), key=lambda u: (-support[u], u))
            limit = 1 + self.most // max(len(order), 1)
            criterion.counted = 0
            for first in (None, *range(len(order))):
                starting = (c for c in criterion.starting(first, order, size) if c not in self.hopeless)
                listed = list(itertools.islice(starting, limit))
                complete &= len(listed) < limit
                breaches += listed
            counted += criterion.counted
        self.counted = max(self.counted, counted)
        return breaches, complete

    def repair(self, breaches: list[Combination]) -> Combination | None:
        """Repair each violation whose labels are still in the cut. Return the first unrepairable one, if any."""
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
        """Return the nodes to raise so that the combination satisfies the criteria; none if there is no way.

        Loss never falls on the way up, so the first way that helps is the cheapest (best-first search).
        """
        labels = present + absent
        open_, seen = [self.way(labels, labels)], {labels}
        while open_:
            self.tick(0.0)
            _, _, commits, targets = heapq.heappop(open_)
            facts = targets[: len(present)], targets[len(present) :]
            if commits and all(criterion.fine(*facts) for criterion in self.criteria):
                return commits
            for at, node in enumerate(targets):
                if node != self.root and not (self.bounded and self.parent[node] == self.root):
                    higher = self.settled((*targets[:at], self.parent[node], *targets[at + 1 :]))
                    if higher not in seen:
                        seen.add(higher)
                        heapq.heappush(open_, self.way(labels, higher))
        return ()

    def settled(self, targets: Nodes) -> Nodes:
        """Replace labels that another target covers by that target."""
        return tuple(max(v for v in targets if self.covers(v, u)) for u in targets)

    def way(self, labels: Nodes, targets: Nodes) -> tuple[int, int, Nodes, Nodes]:
        """Return (added cost, leaves, raised nodes, target of each label). Ways are compared in this order."""
        commits = tuple(sorted({v for u, v in zip(labels, targets, strict=True) if u != v}))
        under = sum(self.cost[u] for u in self.cut if any(self.covers(v, u) for v in commits))
        leaves = sum(self.span[2 * u + 1] - self.span[2 * u] for u in commits)
        return sum(self.cost[u] for u in commits) - under, leaves, commits, targets

    def commit(self, node: int) -> None:
        """Raise the cut to the node, unless it is above it already."""
        if not any(self.covers(u, node) for u in self.cut):
            self.cut = {u for u in self.cut if not self.covers(node, u)} | {node}

    def covers(self, upper: int, lower: int) -> bool:
        """Whether upper is lower or above it."""
        span = self.span
        return upper >= lower and span[2 * upper] <= span[2 * lower] and span[2 * lower + 1] <= span[2 * upper + 1]
