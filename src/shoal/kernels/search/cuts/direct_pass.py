"""Direct anonymization (Terrovitis et al. 2008, Alg. 3): raises a cut until no label set is rare."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.label_order import label_order

COUNT = np.zeros(0, dtype=np.int64)  # as supports: count them in the rows


@dataclass(frozen=True)
class Pass:
    """The result of direct anonymization."""

    raised: list[int]  # nodes of the new cut that are not leaves
    counted: int  # count-tree nodes counted in the largest pass
    repairs: int


def direct_pass(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    sizes: range,
    raised: Sequence[int],
    *,
    persons: Codes = NOBODY,
    until_safe: bool = False,
    bounded: bool = False,
    by_leaves: bool = False,
    supports: Counts = COUNT,
    safe_size: int = 0,
    tick: Tick = no_progress,
) -> Pass:
    """Run direct anonymization (Terrovitis et al. 2008, Alg. 3) from the cut ``raised``: one pass for each size.

    A pass examines sets of up to that size.

    - ``until_safe``: stop as soon as sets of any size are safe (every row is contained in at least k rows).
    - ``bounded``: never raise to the root. Sets that no other node raises to a support of k stay as they are.
    - ``by_leaves``: order labels by the number of leaves below them, most first, not by falling support.
    - ``supports``: the support of each node in all rows, if the rows hold only what the search needs of them.
    - ``safe_size``: sets of up to so many labels are known to be safe at the cut ``raised``.
    """
    nodes = np.array(sorted(raised), dtype=np.int32)
    return Pass(
        *compiled_or(direct_pass_twin)(
            indptr,
            items,
            persons,
            parent,
            flat(span),
            cost,
            leaves,
            k,
            sizes[0],
            sizes[-1],
            until_safe,
            nodes,
            bounded,
            by_leaves,
            supports,
            safe_size,
            tick,
        )
    )


def direct_pass_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    first: int,
    last: int,
    until_safe: bool,
    raised: Codes,
    bounded: bool,
    by_leaves: bool,
    supports: Counts,
    safe_size: int,
    tick: Tick,
) -> tuple[list[int], int, int]:
    """Walk the count-tree in preorder, count children when the walk reaches them, and repair sets below k."""
    rows = grouped_people(rows_of(indptr, items), people_of(indptr, persons))
    given = supports.tolist() or None
    walk = _DirectPass(rows, parent.tolist(), span.tolist(), cost.tolist(), leaves, k, bounded, by_leaves, given, tick)
    for node in raised.tolist():
        walk.commit(node)
    for size in range(first, last + 1):
        if until_safe and walk.safe():
            break
        walk.run(size)
    return sorted(node for node in walk.committed if not walk.below[node]), walk.most_counted, walk.repairs


Held = tuple[list[int], int, set[int]]  # a row that holds the prefix, where to continue in it, and its persons


class _DirectPass:
    """The state of a pass: the cut so far, and the rows with all generalizations of their labels except the root."""

    def __init__(
        self,
        leaf_rows: dict[Row, set[int]],
        parent: list[int],
        span: list[int],
        cost: list[int],
        leaves: int,
        k: int,
        bounded: bool,
        by_leaves: bool,
        supports: list[int] | None,
        tick: Tick,
    ) -> None:
        self.parent, self.span, self.cost, self.k, self.tick = parent, span, cost, k, tick
        self.bounded = bounded
        self.root = len(parent) - 1
        self.below = [False] * len(parent)  # strictly below the cut
        self.committed: set[int] = set()
        self.under = cost[:leaves] + [0] * (len(parent) - leaves)  # cost of the cut's nodes below each node
        for node in range(self.root):
            self.under[parent[node]] += self.under[node]
        self.counted = self.most_counted = self.repairs = 0
        expanded = [({v for leaf in row for v in self.ancestors(leaf)}, people) for row, people in leaf_rows.items()]
        order = label_order(expanded, span, by_leaves, supports)
        self.order = {label: rank for rank, label in enumerate(order)}
        self.rows = [(sorted(labels, key=self.order.__getitem__), people) for labels, people in expanded]
        self.total = len(set().union(*leaf_rows.values()))

    def run(self, size: int) -> None:
        """Visit every path of at most ``size`` labels of the count-tree whose labels are all in or above the cut."""
        self.size, self.counted = size, 0
        self.walk((), 0, [(row, 0, people) for row, people in self.reduced()])
        self.most_counted = max(self.most_counted, self.counted)

    def reduced(self) -> list[tuple[list[int], set[int]]]:
        """The expanded rows without the labels below the cut."""
        return [([u for u in row if not self.below[u]], people) for row, people in self.rows]

    def safe(self) -> bool:
        """Whether sets of any size are safe: every row at the cut is contained in at least k rows."""
        return all(self.support(tuple(row)) >= self.k for row, _ in self.reduced() if row)

    def walk(self, prefix: Row, support: int, rows: list[Held]) -> None:
        """Visit the children of the prefix in count-tree order. ``rows`` hold it, each with the place to continue."""
        self.tick(0.0)
        if len(prefix) == self.size:
            if support < self.k:
                self.repair(prefix)
            return
        if self.bounded and prefix and support < self.k:  # left by an earlier pass: so are all sets that contain it
            return
        held: dict[int, list[Held]] = {}
        for row, start, people in rows:
            for at in range(start, len(row)):
                held.setdefault(row[at], []).append((row, at + 1, people))
        children = [u for u in held if not any(self.covers(u, v) or self.covers(v, u) for v in prefix)]
        if prefix:
            self.counted += sum(not self.below[u] for u in children)
        if prefix and not children and support < self.k:  # no row has more labels than this path
            self.repair(prefix)
        for label in sorted(children, key=self.order.__getitem__):
            if any(self.below[u] for u in prefix):
                return
            if not self.below[label]:
                self.counted += not prefix
                self.walk((*prefix, label), len(set().union(*(people for _, _, people in held[label]))), held[label])

    def repair(self, labels: Row) -> None:
        """Commit the cheapest way to raise the labels to a support of k (best-first search; Alg. 3, line 8)."""
        self.repairs += 1
        open_ = [self.way(labels, labels)]
        seen = {labels}
        while open_:
            _, _, commits, targets = heapq.heappop(open_)
            if self.support(self.maximal(targets)) >= self.k:
                for node in commits:
                    self.commit(node)
                return
            for i, node in enumerate(targets):
                if node != self.root and not (self.bounded and self.parent[node] == self.root):
                    higher = (*targets[:i], self.parent[node], *targets[i + 1 :])
                    if higher not in seen:
                        seen.add(higher)
                        heapq.heappush(open_, self.way(labels, higher))

    def way(self, labels: Row, targets: Row) -> tuple[int, int, Row, Row]:
        """Return (added cost, leaves, raised nodes, target of each label). Ways are compared in this order."""
        commits = self.maximal(v for u, v in zip(labels, targets, strict=True) if u != v)
        leaves = sum(self.span[2 * u + 1] - self.span[2 * u] for u in commits)
        return sum(self.cost[u] - self.under[u] for u in commits), leaves, commits, targets

    def support(self, labels: Row) -> int:
        """Count the persons with a row that holds all labels."""
        if labels == (self.root,):
            return self.total
        wanted = set(labels)
        return len(set().union(*(people for row, people in self.rows if wanted.issubset(row))))

    def commit(self, node: int) -> None:
        """Raise the cut to the node."""
        if self.below[node]:
            return
        self.committed.add(node)
        change = self.cost[node] - self.under[node]
        for u in [*self.ancestors(node), self.root]:
            self.under[u] += change
        if node == self.root:
            self.under[node] -= change
        for u in range(node):
            if self.covers(node, u):
                self.below[u] = True

    def covers(self, upper: int, lower: int) -> bool:
        """Whether upper is lower or above it."""
        span = self.span
        return upper >= lower and span[2 * upper] <= span[2 * lower] and span[2 * lower + 1] <= span[2 * upper + 1]

    def maximal(self, nodes: Iterable[int]) -> Row:
        """Return the nodes without those below others, ascending."""
        nodes = sorted(set(nodes))
        return tuple(u for i, u in enumerate(nodes) if not any(self.covers(v, u) for v in nodes[i + 1 :]))

    def ancestors(self, node: int) -> list[int]:
        """Return the node and its ancestors except the root."""
        path = []
        while node != self.root:
            path.append(node)
            node = self.parent[node]
        return path
