"""Counts every set of at most three nodes of a hierarchy, part by part, and lists the sets that violate a model."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, flat, people_of, rows_of
from shoal.kernels.merging import MergeableCounts
from shoal.kernels.search.repair.combination_key import key_of

Nodes = tuple[int, ...]


class NodeSets(MergeableCounts):
    """Exact counts of sets of nodes in the rows that were added: of rows, or of persons.

    Only what :meth:`add` counts is sent and merged: the highest counts of values do not add up over rows. Add rows with
    a value to the sum.

    Parameters
    ----------
    parent, span
        The hierarchy.
    rank
        For each node its place in the tables, or -1 if it is in no row. The root comes first. Then the most frequent
        first is fastest.
    m
        The size of the largest sets: 1, 2 or 3.
    within
        Count only sets whose highest rank is in this range.
    persons
        Whether some persons have several rows.

    Examples
    --------
    >>> tree = np.array([2, 2, -1], dtype=np.int32), np.array([[0, 1], [1, 2], [0, 2]], dtype=np.int32)
    >>> counts = NodeSets(*tree, np.array([1, 2, 0], dtype=np.int32), 2)
    >>> counts.add(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32))
    >>> counts.violating(2, (1, 1), most=10).tolist() == [key_of([1]), key_of([0, 1])]  # one row has them
    True
    """

    def __init__(
        self, parent: Codes, span: Codes, rank: Codes, m: int, *, within: range | None = None, persons: bool = False
    ) -> None:
        within = range(int(rank.max(initial=-1)) + 1) if within is None else within
        self._made_by(NodeSetsTwin, parent, flat(span), rank, m, within.start, within.stop, persons)

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows. The rows of a person must be consecutive."""
        self._kernel.add(indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows with one sensitive value, until :meth:`close_value`. They must have been added as well."""
        self._kernel.add_with_value(indptr, items, persons)

    def close_value(self) -> None:
        """Go on to the next sensitive value."""
        self._kernel.close_value()

    def violating(self, k: int, share: tuple[int, int], *, most: int) -> Counts:
        """List sets that fewer than k have, or of which more than ``share`` have the same value: at most ``most``."""
        keys: Counts = self._kernel.violating(k, *share, most)
        return keys

    def violating_facts(self, k: int, total: int, support: Counts, *, most: int) -> tuple[Counts, Counts]:
        """List facts about one or two nodes, present or absent, that fit 1..k-1 of ``total`` rows.

        Also return how many rows have all the nodes. ``support``: of each node.
        """
        keys, counts = self._kernel.violating_facts(k, total, support, most)
        return keys, counts


class NodeSetsTwin:
    """Count every set of every row in a dictionary."""

    def __init__(self, parent: Codes, span: Codes, rank: Codes, m: int, first: int, stop: int, persons: bool) -> None:
        self._parent, self._span, self._rank = parent.tolist(), span.tolist(), rank.tolist()
        self._m, self._range, self._rows = m, range(first, stop), 0
        self._holders: defaultdict[Nodes, set[int]] = defaultdict(set)
        self._with_value: defaultdict[Nodes, set[int]] = defaultdict(set)
        self._others: Counter[Nodes] = Counter()
        self._highest: Counter[Nodes] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows."""
        self._count(self._holders, indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows with a value."""
        self._count(self._with_value, indptr, items, persons)

    def close_value(self) -> None:
        """Keep the higher counts."""
        self._highest |= _counts(self._with_value)
        self._with_value.clear()

    def cells(self) -> Counter[Nodes]:
        """Return the counts of all rows."""
        return _counts(self._holders) + self._others

    def merge_cells(self, cells: Counter[Nodes]) -> None:
        """Add counts of other rows."""
        self._others += cells

    def violating(self, k: int, part: int, whole: int, most: int) -> Counts:
        """Look at every set that occurs."""
        keys = [
            key_of(nodes)
            for nodes, count in sorted(self.cells().items(), key=lambda one: self._order(one[0]))
            if not self._related(nodes) and (count < k or self._highest[nodes] * whole > count * part)
        ]
        return np.array(keys[:most], dtype=np.int64)

    def violating_facts(self, k: int, total: int, support: Counts, most: int) -> tuple[Counts, Counts]:
        """Look at every pair of nodes."""
        nodes = sorted((u for u, rank in enumerate(self._rank) if rank >= 0), key=lambda u: self._rank[u])
        found, counted = list[tuple[int, int]](), self.cells()
        for place, a in enumerate(nodes):
            if self._rank[a] not in self._range:
                continue
            facts: list[tuple[int, list[int], list[int], int]] = []
            n = int(support[a])
            facts += [(n, [a], [], n), (total - n, [], [a], n)]
            for b in nodes[:place] if self._m > 1 else ():
                if self._related((a, b)):
                    continue
                other, both = int(support[b]), counted[b, a]
                facts += [(both, [a, b], [], both), (n - both, [a], [b], both), (other - both, [b], [a], both)]
                facts.append((total - n - other + both, [], [a, b], both))
            found += [(key_of(yes, no), both) for fitting, yes, no, both in facts if 0 < fitting < k]
        keys, counts = ([one[at] for one in found[:most]] for at in (0, 1))
        return np.array(keys, dtype=np.int64), np.array(counts, dtype=np.int64)

    def _count(self, holders: dict[Nodes, set[int]], indptr: Offsets, items: Codes, persons: Codes) -> None:
        for row, person in zip(rows_of(indptr, items), people_of(indptr, persons), strict=True):
            nodes = {above for leaf in row for above in self._upwards(leaf)}
            ordered = sorted(nodes, key=lambda u: self._rank[u])
            for size in range(1, self._m + 1):
                for some in combinations(ordered, size):
                    if self._rank[some[-1]] in self._range and (size == 1 or self._rank[some[0]]):
                        holders[some].add(person if person >= 0 else person - self._rows)
        self._rows += len(indptr) - 1

    def _upwards(self, node: int) -> list[int]:
        """Return a node and all nodes above it."""
        return [] if node < 0 else [node, *self._upwards(self._parent[node])]

    def _order(self, nodes: Nodes) -> list[int]:
        """Return the order of the tables: by the highest rank, then smaller sets, then by the next ranks."""
        high, *others = sorted((self._rank[u] for u in nodes), reverse=True)
        return [high, len(nodes), *others]

    def _related(self, nodes: Nodes) -> bool:
        """Whether a node is above another one."""
        return any(a in self._upwards(b) or b in self._upwards(a) for a, b in combinations(nodes, 2))


def _counts(holders: dict[Nodes, set[int]]) -> Counter[Nodes]:
    """Return how many have each set."""
    return Counter({nodes: len(people) for nodes, people in holders.items()})
