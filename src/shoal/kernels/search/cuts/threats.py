"""Threats: nodes that no k^m-anonymous cut expands together (optimum.md, 3 and 4)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


class Threats:
    """Sets of nodes that no k^m-anonymous cut expands together (optimum.md, 3), all antichains of internal nodes.

    A set of labels in rows of 1..k-1 persons stays rare when its labels are specialised, so the parents of all its
    labels must not all be expanded. One threat makes another superfluous if each of its nodes is above or equal to one
    of the other's; :meth:`small` and :meth:`at` return minimal ones only, small ones first.
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        *,
        persons: Codes = NOBODY,
        threads: int = 1,
    ) -> None:
        tree = (parent, flat(span), leaves)
        self._kernel = compiled_or(ThreatsTwin)(indptr, items, persons, *tree, capped(k, indptr), threads)

    def small(self, size: int, *, tick: Tick = no_progress) -> list[list[int]]:
        """All minimal threats from rare sets of at most ``size`` (1 or 2) labels."""
        return self._kernel.small(size, tick)

    def at(
        self,
        raised: Sequence[int],
        first: int,
        last: int,
        *,
        known: Sequence[Sequence[int]] = (),
        tick: Tick = no_progress,
    ) -> list[list[int]]:
        """Minimal threats that a cut without rare sets below ``first`` labels runs into; none: safe up to ``last``.

        They come from its rare sets of the smallest size that has any (if m is large: from its rare rows), each
        raised to most general forms. Those that a ``known`` threat explains are not raised; if there are any, the known
        threats are returned with the others.
        """
        return self._kernel.at(list(raised), first, last, list(map(list, known)), tick)

    def witness(
        self, raised: Sequence[int], node: int, m: int, *, tick: Tick = no_progress
    ) -> tuple[tuple[int, ...], int] | None:
        """A rare set of at most m labels, and its support, if the safe cut were expanded at a node of it; or none.

        No part of it is rare. Up to three labels it is the smallest, then the rarest, then the one with the lowest ids.
        """
        labels, support = self._kernel.witness(list(raised), node, m, tick)
        return (tuple(labels), support) if support else None

    def minimal(self, threats: list[list[int]]) -> list[list[int]]:
        """Those that no other makes superfluous; small ones first, then near the root, then ascending."""
        return self._kernel.minimal(threats)

    @property
    def lifting_seconds(self) -> float:
        """How long :meth:`at` has spent on raising rare sets; the rest of its time is counting."""
        return self._kernel.lifting_seconds()


Set = tuple[int, ...]  # of nodes, ascending
Rows = dict[Set, set[int]]  # distinct rows, none empty, and whose each is

FEW = 3  # sets of up to so many labels are counted outright
SOME = 6  # these too, if a row is rare as a whole, and unless sets of all sizes are wanted; else rare rows are thinned
SAMPLE = 1024  # rows that are thinned at a time


class ThreatsTwin:
    """Rows over a hierarchy, asked for threats."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        threads: int,
    ) -> None:
        self.parent, self.span, self.leaves, self.k = parent.tolist(), span.tolist(), leaves, k
        self.root = len(self.parent) - 1
        self.seconds = 0.0
        self.path: list[Set] = [(self.root,)] * len(self.parent)  # of each node: itself, its parent, ..., the root
        for node in reversed(range(self.root)):
            self.path[node] = (node, *self.path[self.parent[node]])
        self.rows: Rows = grouped_people(rows_of(indptr, items), people_of(indptr, persons))
        self.longest = max(map(len, self.rows), default=0)
        self.people = list(self.rows.values())
        self.expanded: Rows = {}  # the same rows with all generalizations of their items but the root
        self.holders: list[set[int]] = [set() for _ in self.parent]  # of each node, as numbers of rows
        for number, (row, people) in enumerate(self.rows.items()):
            nodes = {u for leaf in row for u in self.path[leaf]} - {self.root}
            self.expanded[tuple(sorted(nodes))] = people
            for node in nodes:
                self.holders[node].add(number)

    def small(self, size: int, tick: Tick) -> list[list[int]]:
        """All minimal threats from rare sets of at most ``size`` labels, 1 or 2: count everything, keep the minimal."""
        threats: set[Set] = set()
        for labels in range(1, size + 1):
            counted = self._count(self.expanded, labels, tick).items()
            threats |= {self._parents(s) for s, support in counted if support < self.k and self._antichain(s)}
        return self.minimal(threats)

    def at(
        self, raised: Sequence[int], first: int, last: int, known: Sequence[Sequence[int]], tick: Tick
    ) -> list[list[int]]:
        """Minimal threats from the cut's rare sets of the smallest size in first..last that has any.

        The cut must have no rare sets below ``first`` labels. Beyond :meth:`_outright` the sets are those that rows
        which are rare as a whole are thinned to; only if all are too large, again those of the smallest size.
        Sets that a known threat explains are not lifted; if there are rare sets, the known threats are returned too.
        """
        rows = self._generalized(self._labels(raised))
        last = min(last, self.longest)
        for size in range(first, self._outright(last) + 1):
            if size == FEW + 1 and all(self._support(row) >= self.k for row in rows):
                return []
            if rare := self._rare_sets(rows, size, tick):
                return self._lifted(rare, known, tick)
        if last <= self._outright(last):
            return []
        rare, size = self._thinned(rows, last, tick), SOME
        while not rare and size < last < self.longest:
            size += 1
            rare = self._rare_sets(rows, size, tick)
        return self._lifted(rare, known, tick)

    def witness(self, raised: Sequence[int], node: int, m: int, tick: Tick) -> tuple[list[int], int]:
        """A rare set of at most m labels, and its support, if the safe cut were expanded at a node of it; or ([], 0).

        The smallest, then the rarest, then that with the lowest ids; but beyond :meth:`_outright` the smallest of those
        that rows which are rare as a whole are thinned to, if any is small enough.
        """
        label_of = self._labels(raised)
        for leaf in range(*self.span[2 * node : 2 * node + 2]):
            label_of[leaf] = self.path[leaf][self.path[leaf].index(node) - 1]
        children = {u for u in range(self.root) if self.parent[u] == node}
        rows = self._generalized(label_of)
        rows = {row: people for row, people in rows.items() if not children.isdisjoint(row)}
        m = min(m, self.longest)
        for size in range(1, m + 1):
            if size == FEW + 1 and all(self._support(row) >= self.k for row in rows):
                break
            if size == self._outright(m) + 1 and (thinned := self._thinned(rows, m, tick)):
                labels = min(thinned, key=lambda labels: (len(labels), labels))
                return list(labels), self._support(labels)
            counted = self._count(rows, size, tick).items()
            rare = [(support, s) for s, support in counted if support < self.k and not children.isdisjoint(s)]
            if rare:
                support, labels = min(rare)
                return list(labels), support
        return [], 0

    def minimal(self, threats: Iterable[Sequence[int]]) -> list[list[int]]:
        """Those that no other makes superfluous: small ones first, then near the root, then ascending.

        In this order no set is made superfluous by a later one.
        """
        kept = Kept(self.path)
        for threat in sorted(map(tuple, threats), key=lambda threat: (len(threat), self._depth(threat), threat)):
            kept.add(threat)
        return [list(threat) for threat in kept.sets]

    def lifting_seconds(self) -> float:
        """How long :meth:`at` has spent on raising rare sets."""
        return self.seconds

    # ---- sets of nodes

    def _antichain(self, nodes: Iterable[int]) -> bool:
        """Whether none is another or above it."""
        return not any(a in self.path[b] or b in self.path[a] for a, b in itertools.combinations(nodes, 2))

    def _depth(self, nodes: Iterable[int]) -> int:
        """Sum of the distances to the root."""
        return sum(len(self.path[u]) - 1 for u in nodes)

    def _support(self, nodes: Iterable[int]) -> int:
        """Persons with a row that holds all the nodes, none of them the root."""
        rows = set.intersection(*(self.holders[u] for u in nodes))
        return len(set().union(*(self.people[row] for row in rows)))

    def _parents(self, labels: Iterable[int]) -> Set:
        """The threat that a rare set stands for: the parents without those above others, which are expanded anyway."""
        nodes = {self.parent[u] for u in labels}
        return tuple(sorted(p for p in nodes if not any(p in self.path[q] for q in nodes - {p})))

    # ---- rows at a cut

    def _labels(self, raised: Sequence[int]) -> list[int]:
        """The label of each leaf."""
        label_of = list(range(self.leaves))
        for node in raised:
            for leaf in range(*self.span[2 * node : 2 * node + 2]):
                label_of[leaf] = node
        return label_of

    def _generalized(self, label_of: list[int]) -> Rows:
        """The rows at a cut; the root is in all of them and left out."""
        rows: Rows = {}
        for row, people in self.rows.items():
            if labels := tuple(sorted({label_of[leaf] for leaf in row} - {self.root})):
                rows.setdefault(labels, set()).update(people)
        return rows

    def _count(self, rows: Rows, size: int, tick: Tick) -> dict[Set, int]:
        """The support of every set of ``size`` labels that occurs."""
        holders: Rows = {}
        for row, people in rows.items():
            tick(0.0)
            for labels in itertools.combinations(row, size):
                holders.setdefault(labels, set()).update(people)
        return {labels: len(people) for labels, people in holders.items()}

    def _rare_sets(self, rows: Rows, size: int, tick: Tick) -> list[Set]:
        """Sets of ``size`` labels in fewer than k rows; of those with the same parents one."""
        counted = self._count(rows, size, tick).items()
        return self._rarest((support, labels) for labels, support in counted if support < self.k)

    def _outright(self, largest: int) -> int:
        """Sets of up to so many labels are counted, if sets of up to ``largest`` are wanted."""
        return min(largest, FEW if largest == self.longest else SOME)

    def _thinned(self, rows: Rows, largest: int, tick: Tick) -> list[Set]:
        """Rows that are rare as a whole, thinned to rare sets with no rare part, of at most ``largest`` labels.

        Of those with the same parents one. Every s-th row is looked at, then every s-th from the second on, and so on,
        until there are such sets.
        """
        stride = -(-len(rows) // SAMPLE)
        for offset in range(stride):
            thinned = []
            for row in sorted(rows)[offset::stride]:
                tick(0.0)
                thin = row
                if self._support(row) >= self.k:
                    continue
                for label in reversed(row):
                    thinner = tuple(other for other in thin if other != label)
                    if thinner and self._support(thinner) < self.k:
                        thin = thinner
                if len(thin) <= largest:
                    thinned.append((self._support(thin), thin))
            if thinned:
                return self._rarest(thinned)
        return []

    def _rarest(self, rare: Iterable[tuple[int, Set]]) -> list[Set]:
        """Of the sets (support, labels) with the same parents the one of lowest support, then of lowest ids."""
        best: dict[Set, tuple[int, Set]] = {}
        for rare_set in rare:
            parents = self._parents(rare_set[1])
            best[parents] = min(rare_set, best.get(parents, rare_set))
        return [labels for _, labels in best.values()]

    # ---- lifting

    def _lifted(self, sets: list[Set], known: Sequence[Sequence[int]], tick: Tick) -> list[list[int]]:
        """The minimal threats of the most general forms of rare sets.

        Sets near the root come first, and in growing batches; those that a threat of an earlier batch explains are
        left out, the others are lifted once with each label as the first to be raised.
        """
        if not sets:
            return []
        began = time.perf_counter()
        queue = sorted(sets, key=lambda labels: (self._depth(labels), labels))
        kept, batch = Kept(self.path), 64
        for threat in known:
            kept.add(tuple(threat))
        while queue:
            now, queue = queue[:batch], queue[batch:]
            batch = min(2 * batch, 1024)
            for labels in [labels for labels in now if not kept.superfluous(self._parents(labels))]:
                tick(0.0)
                for turn in range(len(labels)):
                    kept.add(self._parents(self._lift(labels, turn)))
        threats = self.minimal(kept.sets)
        self.seconds += time.perf_counter() - began
        return threats

    def _lift(self, labels: Set, turn: int) -> list[int]:
        """Raise the labels one after the other, from that at ``turn`` on, as far as the set stays rare."""
        lifted = list(labels)
        for at in [*range(turn, len(lifted)), *range(turn)]:
            for up in self.path[lifted[at]][1:-1]:
                higher = [*lifted[:at], up, *lifted[at + 1 :]]
                if not self._antichain(higher) or self._support(higher) >= self.k:
                    break
                lifted = higher
        return lifted


class Kept:
    """Threats, none of which an earlier one made superfluous."""

    def __init__(self, path: list[Set]) -> None:
        self.path = path
        self.sets: list[Set] = []
        self.by_node: dict[int, list[Set]] = {}  # the same under one node each, so that few need a look

    def add(self, threat: Set) -> None:
        """Keep a threat unless it is superfluous."""
        if not self.superfluous(threat):
            self.sets.append(threat)
            self.by_node.setdefault(threat[0], []).append(threat)

    def superfluous(self, threat: Set) -> bool:
        """Whether all nodes of some kept threat are at or above nodes of this one."""
        above = {u for node in threat for u in self.path[node]}
        return any(above.issuperset(other) for u in above for other in self.by_node.get(u, ()))
