"""Threats: sets of nodes that no k^m-anonymous cut expands together."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


class Threats:
    """Finds threats: sets of internal nodes that no k^m-anonymous cut expands together, none above another.

    A set of labels in rows of 1..k-1 persons stays rare when its labels are specialised, so the parents of its labels
    must not all be expanded. A threat makes another one redundant if each of its nodes is at or above a node of the
    other. :meth:`small` and :meth:`at` return only minimal threats, small ones first.
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
        tick: Tick = no_progress,
    ) -> None:
        tree = (parent, flat(span), leaves)
        self._kernel = compiled_or(ThreatsTwin)(indptr, items, persons, *tree, capped(k, indptr), threads, tick)

    def small(self, size: int, *, tick: Tick = no_progress) -> list[list[int]]:
        """Return all minimal threats from rare sets of at most ``size`` (1 or 2) labels."""
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
        """Return minimal threats that a cut violates; none if it is safe up to ``last`` labels.

        The cut must have no rare sets below ``first`` labels. The threats come from its rare sets of the smallest size
        that has any (if m is large: from its rare rows), each raised to its most general forms. Rare sets that a
        ``known`` threat explains are not raised. If there are any, the known threats are returned with the others.
        """
        return self._kernel.at(list(raised), first, last, list(map(list, known)), tick)

    def witness(
        self, raised: Sequence[int], node: int, m: int, *, tick: Tick = no_progress
    ) -> tuple[tuple[int, ...], int] | None:
        """Return a rare set of at most m labels, and its support, if the safe cut were expanded at a node; or None.

        No proper subset of it is rare. Up to three labels, it is the smallest set, then the rarest, then the one with
        the lowest ids.
        """
        labels, support = self._kernel.witness(list(raised), node, m, tick)
        return (tuple(labels), support) if support else None

    def minimal(self, threats: list[list[int]]) -> list[list[int]]:
        """Return the threats that no other makes redundant: small ones first, then near the root, then ascending."""
        return self._kernel.minimal(threats)

    @property
    def lifting_seconds(self) -> float:
        """The time that :meth:`at` has spent on raising rare sets. The rest of its time is counting."""
        return self._kernel.lifting_seconds()


Set = tuple[int, ...]  # of nodes, ascending
Rows = dict[Set, set[int]]  # distinct non-empty rows, and the persons of each

FEW = 3  # sets of up to so many labels are counted directly
SOME = 6  # so are these, if a whole row is rare and not all sizes are needed; otherwise rare rows are thinned
SAMPLE = 1024  # number of rows thinned at a time


class ThreatsTwin:
    """The readable twin: finds threats in rows over a hierarchy."""

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
        tick: Tick,
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
        self.expanded: Rows = {}  # the rows with all generalizations of their items except the root
        self.holders: list[set[int]] = [set() for _ in self.parent]  # the numbers of the rows that hold each node
        for number, (row, people) in enumerate(self.rows.items()):
            nodes = {u for leaf in row for u in self.path[leaf]} - {self.root}
            self.expanded[tuple(sorted(nodes))] = people
            for node in nodes:
                self.holders[node].add(number)

    def small(self, size: int, tick: Tick) -> list[list[int]]:
        """Return all minimal threats from rare sets of at most ``size`` labels, 1 or 2, by counting all sets."""
        threats: set[Set] = set()
        for labels in range(1, size + 1):
            counted = self._count(self.expanded, labels, tick).items()
            threats |= {self._parents(s) for s, support in counted if support < self.k and self._antichain(s)}
        return self.minimal(threats)

    def at(
        self, raised: Sequence[int], first: int, last: int, known: Sequence[Sequence[int]], tick: Tick
    ) -> list[list[int]]:
        """Return minimal threats from the rare sets of the cut, of the smallest size in first..last that has any.

        The cut must have no rare sets below ``first`` labels. Beyond :meth:`_outright`, the sets are those that rare
        rows are thinned to; only if all of these are too large, again those of the smallest size. Sets that a known
        threat explains are not lifted. If there are rare sets, the known threats are returned too.
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
        """Return a rare set of at most m labels, and its support, if the safe cut were expanded at a node; or ([], 0).

        It is the smallest set, then the rarest, then the one with the lowest ids. Beyond :meth:`_outright`, it is the
        smallest of those that rare rows are thinned to, if any is small enough.
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
        """Return the threats that no other makes redundant: small ones first, then near the root, then ascending.

        In this order no set is made redundant by a later one.
        """
        kept = Kept(self.path)
        for threat in sorted(map(tuple, threats), key=lambda threat: (len(threat), self._depth(threat), threat)):
            kept.add(threat)
        return [list(threat) for threat in kept.sets]

    def lifting_seconds(self) -> float:
        """The time that :meth:`at` has spent on raising rare sets."""
        return self.seconds

    # ---- sets of nodes

    def _antichain(self, nodes: Iterable[int]) -> bool:
        """Whether no node is equal to another or above it."""
        return not any(a in self.path[b] or b in self.path[a] for a, b in itertools.combinations(nodes, 2))

    def _depth(self, nodes: Iterable[int]) -> int:
        """Return the sum of the distances to the root."""
        return sum(len(self.path[u]) - 1 for u in nodes)

    def _support(self, nodes: Iterable[int]) -> int:
        """Count the persons with a row that holds all nodes, none of them the root."""
        rows = set.intersection(*(self.holders[u] for u in nodes))
        return len(set().union(*(self.people[row] for row in rows)))

    def _parents(self, labels: Iterable[int]) -> Set:
        """Return the threat of a rare set: its parents, without those above others, which are expanded anyway."""
        nodes = {self.parent[u] for u in labels}
        return tuple(sorted(p for p in nodes if not any(p in self.path[q] for q in nodes - {p})))

    # ---- rows at a cut

    def _labels(self, raised: Sequence[int]) -> list[int]:
        """Return the label of each leaf."""
        label_of = list(range(self.leaves))
        for node in raised:
            for leaf in range(*self.span[2 * node : 2 * node + 2]):
                label_of[leaf] = node
        return label_of

    def _generalized(self, label_of: list[int]) -> Rows:
        """Return the rows at a cut. The root is in all of them and left out."""
        rows: Rows = {}
        for row, people in self.rows.items():
            if labels := tuple(sorted({label_of[leaf] for leaf in row} - {self.root})):
                rows.setdefault(labels, set()).update(people)
        return rows

    def _count(self, rows: Rows, size: int, tick: Tick) -> dict[Set, int]:
        """Return the support of every set of ``size`` labels that occurs."""
        holders: Rows = {}
        for row, people in rows.items():
            tick(0.0)
            for labels in itertools.combinations(row, size):
                holders.setdefault(labels, set()).update(people)
        return {labels: len(people) for labels, people in holders.items()}

    def _rare_sets(self, rows: Rows, size: int, tick: Tick) -> list[Set]:
        """Return the sets of ``size`` labels in fewer than k rows; one of those with the same parents."""
        counted = self._count(rows, size, tick).items()
        return self._rarest((support, labels) for labels, support in counted if support < self.k)

    def _outright(self, largest: int) -> int:
        """Return the size up to which sets are counted directly, if sets of up to ``largest`` are needed."""
        return min(largest, FEW if largest == self.longest else SOME)

    def _thinned(self, rows: Rows, largest: int, tick: Tick) -> list[Set]:
        """Thin rare rows to minimal rare sets of at most ``largest`` labels; one of those with the same parents.

        Every s-th row is examined, then every s-th from the second on, and so on, until there are such sets.
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
        """Return one of the sets (support, labels) with the same parents: lowest support, then lowest ids."""
        best: dict[Set, tuple[int, Set]] = {}
        for rare_set in rare:
            parents = self._parents(rare_set[1])
            best[parents] = min(rare_set, best.get(parents, rare_set))
        return [labels for _, labels in best.values()]

    # ---- lifting

    def _lifted(self, sets: list[Set], known: Sequence[Sequence[int]], tick: Tick) -> list[list[int]]:
        """Return the minimal threats of the most general forms of rare sets.

        Sets near the root come first, in growing batches. Those that a threat of an earlier batch explains are skipped.
        The others are lifted once with each label as the first to be raised.
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
        """Raise the labels one after the other, starting at ``turn``, as long as the set stays rare."""
        lifted = list(labels)
        for at in [*range(turn, len(lifted)), *range(turn)]:
            for up in self.path[lifted[at]][1:-1]:
                higher = [*lifted[:at], up, *lifted[at + 1 :]]
                if not self._antichain(higher) or self._support(higher) >= self.k:
                    break
                lifted = higher
        return lifted


class Kept:
    """Threats that no earlier one made redundant."""

    def __init__(self, path: list[Set]) -> None:
        self.path = path
        self.sets: list[Set] = []
        self.by_node: dict[
            int, list[Set]
        ] = {}  # the same threats, each listed under one node, so that few have to be compared

    def add(self, threat: Set) -> None:
        """Keep a threat unless it is redundant."""
        if not self.superfluous(threat):
            self.sets.append(threat)
            self.by_node.setdefault(threat[0], []).append(threat)

    def superfluous(self, threat: Set) -> bool:
        """Whether all nodes of some kept threat are at or above nodes of this one."""
        above = {u for node in threat for u in self.path[node]}
        return any(above.issuperset(other) for u in above for other in self.by_node.get(u, ()))
