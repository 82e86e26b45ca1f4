"""Conflicts: constraints of k^m-anonymity if items may be generalized and suppressed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.cuts.threats import FEW, SOME, Kept, Rows, Set, ThreatsTwin

Conflict = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]  # parents, groups of items


class Conflicts:
    """Finds conflicts: constraints of k^m-anonymity if items may be generalized and suppressed.

    A conflict says: not all of the parents are expanded, or all items of one of the groups are suppressed. It comes
    from a set of labels in rows of 1..k-1 persons, in its most general form, and one of these rows.
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
        self._kernel = compiled_or(ConflictsTwin)(indptr, items, persons, *tree, capped(k, indptr), threads, tick)

    def at(
        self, raised: Sequence[int], suppressed: Sequence[int], m: int, *, tick: Tick = no_progress
    ) -> list[Conflict]:
        """Return the conflicts that a cut with some suppressed leaves violates; none if it is k^m-anonymous.

        They come from its minimal rare sets of the smallest sizes that have any (if m is large: from rare rows).
        """
        return self._kernel.at(list(raised), list(suppressed), m, tick)


ENOUGH = 256  # number of rare sets after which larger ones are not searched
BATCH, LARGEST_BATCH = 256, 4096


class ConflictsTwin(ThreatsTwin):
    """The readable twin: finds conflicts in rows over a hierarchy."""

    def at(  # type: ignore[override]
        self, raised: Sequence[int], suppressed: Sequence[int], last: int, tick: Tick
    ) -> list[Conflict]:
        """Return the conflicts of the most general forms of rare sets, for every row that holds them.

        Sets near the root come first, in growing batches. A set whose nodes are below those of a conflict from an
        earlier batch is skipped. If that conflict is resolved by suppression, the set will be found again.
        """
        label_of = self._labels(raised)
        for leaf in suppressed:
            label_of[leaf] = self.root  # rows at a cut do not contain the root
        conflicts: set[Conflict] = set()
        rare = self._rare(self._generalized(label_of), min(last, self.longest), tick)
        queue = sorted(rare, key=lambda labels: (self._depth(labels), labels))
        known, batch = Kept(self.path), BATCH
        while queue:
            now, queue = queue[:batch], queue[batch:]
            batch = min(2 * batch, LARGEST_BATCH)
            for labels in [labels for labels in now if not known.superfluous(self._parents(labels))]:
                for turn in range(len(labels)):
                    lifted = sorted(self._lift(labels, turn))
                    known.add(self._parents(lifted))
                    for row in set.intersection(*(self.holders[u] for u in lifted)):
                        conflicts.add((self._parents(lifted), self._groups(lifted, row)))
        return sorted(conflicts)

    def _rare(self, rows: Rows, last: int, tick: Tick) -> list[Set]:
        """Return minimal rare sets of 1, 2, .. labels until there are enough, or those that rare rows contain."""
        sets: list[Set] = []
        for size in range(1, self._outright(last) + 1):
            if size == FEW + 1 and (sets or all(self._support(row) >= self.k for row in rows)):
                return sets
            sets += self._all_rare(rows, size, tick)
            if len(sets) >= ENOUGH:
                break
        if sets or last <= self._outright(last):
            return sets
        sets, size = self._thinned(rows, last, tick), SOME
        while not sets and size < last < self.longest:
            size += 1
            sets = self._all_rare(rows, size, tick)
        return sets

    def _all_rare(self, rows: Rows, size: int, tick: Tick) -> list[Set]:
        """Return the minimal rare sets of this size."""
        return [
            labels
            for labels, support in self._count(rows, size, tick).items()
            if support < self.k
            and all(self._support(part) >= self.k for part in itertools.combinations(labels, size - 1) if part)
        ]

    def _groups(self, labels: Sequence[int], row: int) -> tuple[Set, ...]:
        """Return the items of a row below each label."""
        items = list(self.rows)[row]
        return tuple(sorted(tuple(leaf for leaf in items if u in self.path[leaf]) for u in labels))
