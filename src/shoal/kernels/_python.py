"""The kernels, readable: the specification of ``_native`` and the fallback where no compiler was at hand."""

from __future__ import annotations

import heapq
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from shoal.kernels._breaches import DiversityBreaches as DiversityBreaches
from shoal.kernels._breaches import NegativeBreaches as NegativeBreaches
from shoal.kernels._conflicts import Conflicts as Conflicts
from shoal.kernels._groups import claim as claim
from shoal.kernels._groups import cover as cover
from shoal.kernels._groups import sweep as sweep
from shoal.kernels._hghs import Suppression as Suppression
from shoal.kernels._measures import frequent_itemsets as frequent_itemsets
from shoal.kernels._measures import least_supports as least_supports
from shoal.kernels._mend import mend_diversity as mend_diversity
from shoal.kernels._mend import mend_negative as mend_negative
from shoal.kernels._merge_chains import Flow as Flow
from shoal.kernels._merge_chains import MergeChains as MergeChains
from shoal.kernels._merge_clauses import MergeClauses as MergeClauses
from shoal.kernels._moles import minimal_moles as minimal_moles
from shoal.kernels._regroup import Regroup as Regroup
from shoal.kernels._relational import Merging as Merging
from shoal.kernels._relational import blended as blended
from shoal.kernels._relational import form_clusters as form_clusters
from shoal.kernels._threats import Threats as Threats
from shoal.kernels._verifiers import disclosing_sets as disclosing_sets
from shoal.kernels._verifiers import rare_facts as rare_facts
from shoal.kernels._verifiers import smallest_disclosing as smallest_disclosing

Tick = Callable[[float], None]
Row = tuple[int, ...]
Found = tuple[int, int, list[tuple[list[int], int]]]  # checked, violations, (codes, support) of the smallest few


def rare_itemsets(
    indptr: Any,
    items: Any,
    labels: int,
    k: int,
    m: int,
    keep: int,
    first_size_only: bool,
    threads: int,
    tick: Tick,
) -> Found:
    """Depth-first: count the labels that follow a frequent prefix; report the rare ones, extend the frequent ones."""
    rows = _weighted(indptr, items)
    for size in range(1 if first_size_only else m, m + 1):
        checked, rare = 0, []
        for prefix, counts, _ in _frequent_prefixes(rows, k, size, tick):
            checked += len(counts)
            rare += [(sorted([*prefix, label]), support) for label, support in counts.items() if support < k]
        if rare and first_size_only:
            break
    return checked, len(rare), _smallest(rare, keep)


def smallest_rare(indptr: Any, items: Any, labels: int, k: int, m: int, threads: int, tick: Tick) -> bytes:
    """Mark the rows of every rare set with its size."""
    smallest: dict[Row, int] = {}
    for prefix, counts, rows in _frequent_prefixes(_weighted(indptr, items), k, m, tick):
        if min(counts.values(), default=k) < k:
            size = len(prefix) + 1
            for row, rest, _ in rows:
                if any(counts[label] < k for label in rest):
                    smallest[row] = min(size, smallest.get(row, size))
    return bytes(smallest.get(row, 0) for row in _rows(indptr, items))


def rare_rows(indptr: Any, items: Any, labels: int, k: int, keep: int, tick: Tick) -> Found:
    """Count the rows that contain each distinct row."""
    rows = _weighted(indptr, items)
    holders: dict[int, list[tuple[frozenset[int], int]]] = {}
    for row, weight in rows.items():
        for label in row:
            holders.setdefault(label, []).append((frozenset(row), weight))

    def support(labels: Sequence[int]) -> int:
        wanted = frozenset(labels)
        rarest = min(labels, key=lambda label: len(holders[label]))
        return sum(weight for row, weight in holders[rarest] if wanted <= row)

    checked, violations, found = 0, 0, {}
    for row in sorted(rows):
        tick(checked / len(rows))
        checked += 1
        if rows[row] >= k or support(row) >= k:
            continue
        violations += 1
        if keep == 0:
            break
        if violations > 10 * keep:
            continue
        thin = list(row)
        for label in reversed(row):
            thinner = [other for other in thin if other != label]
            if thinner and support(thinner) < k:
                thin = thinner
        found[tuple(thin)] = support(thin)
    return checked, violations, _smallest([(list(codes), count) for codes, count in found.items()], keep)


def gray_order(indptr: Any, items: Any) -> bytes:
    """Sort the rows by the numbers; the bits of a number are the sums, modulo 2, of those above in its Gray code."""

    def number(row: Row) -> int:
        code = binary = sum(1 << item for item in row)
        while code := code >> 1:
            binary ^= code
        return binary

    rows = _rows(indptr, items)
    order = sorted(range(len(rows)), key=lambda at: number(rows[at]))
    return b"".join(at.to_bytes(8, sys.byteorder) for at in order)


def gray_coded_order(indptr: Any, items: Any) -> bytes:
    """Sort the rows by their Gray codes; how many bits follow the last item does not matter."""
    rows = _rows(indptr, items)
    width = max((row[-1] for row in rows if row), default=0)
    numbers = [sum(1 << (width - item) for item in row) for row in rows]
    order = sorted(range(len(rows)), key=lambda at: numbers[at] ^ numbers[at] >> 1)
    return b"".join(at.to_bytes(8, sys.byteorder) for at in order)


def direct_pass(
    indptr: Any,
    items: Any,
    parent: Any,
    span: Any,
    cost: Any,
    leaves: int,
    k: int,
    first: int,
    last: int,
    until_safe: bool,
    raised: Any,
    bounded: bool,
    tick: Tick,
) -> tuple[list[int], int, int]:
    """Walk the count-tree in preorder, counting children when the walk gets to them, and repair what is below k."""
    rows = _weighted(indptr, items)
    walk = _DirectPass(rows, parent.tolist(), span.tolist(), cost.tolist(), leaves, k, bounded, tick)
    for node in raised.tolist():
        walk.commit(node)
    for size in range(first, last + 1):
        if until_safe and walk.safe():
            break
        walk.run(size)
    return sorted(node for node in walk.committed if not walk.below[node]), walk.most_counted, walk.repairs


class _DirectPass:
    """State of one pass: the cut so far, and the rows expanded by all generalizations of their labels but the root."""

    def __init__(
        self,
        leaf_rows: dict[Row, int],
        parent: list[int],
        span: list[int],
        cost: list[int],
        leaves: int,
        k: int,
        bounded: bool,
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
        expanded = [({v for leaf in row for v in self.ancestors(leaf)}, weight) for row, weight in leaf_rows.items()]
        support = Counter[int]()
        for labels, weight in expanded:
            for label in labels:
                support[label] += weight
        self.order = {label: rank for rank, label in enumerate(sorted(support, key=lambda u: (-support[u], u)))}
        self.rows = [(sorted(labels, key=self.order.__getitem__), weight) for labels, weight in expanded]
        self.total = sum(leaf_rows.values())

    def run(self, size: int) -> None:
        """Visit every path of at most ``size`` labels of the count-tree whose labels are all in or above the cut."""
        self.size, self.counted = size, 0
        self.walk((), 0, [(row, 0, weight) for row, weight in self.reduced()])
        self.most_counted = max(self.most_counted, self.counted)

    def reduced(self) -> list[tuple[list[int], int]]:
        """The expanded rows without the labels below the cut."""
        return [([u for u in row if not self.below[u]], weight) for row, weight in self.rows]

    def safe(self) -> bool:
        """Whether sets of any size are safe: every row at the cut is contained in at least k rows."""
        return all(self.support(tuple(row)) >= self.k for row, _ in self.reduced() if row)

    def walk(self, prefix: Row, support: int, rows: list[tuple[list[int], int, int]]) -> None:
        """Children of the prefix in count-tree order; ``rows`` are those that hold it, from where to go on."""
        self.tick(0.0)
        if len(prefix) == self.size:
            if support < self.k:
                self.repair(prefix)
            return
        if self.bounded and prefix and support < self.k:  # left as it is by an earlier pass: so is all that holds it
            return
        held: dict[int, list[tuple[list[int], int, int]]] = {}
        for row, start, weight in rows:
            for at in range(start, len(row)):
                held.setdefault(row[at], []).append((row, at + 1, weight))
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
                self.walk((*prefix, label), sum(weight for _, _, weight in held[label]), held[label])

    def repair(self, labels: Row) -> None:
        """Commit the cheapest way to raise the labels that lifts their support to k (best first; P0 Alg. 3, line 8)."""
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
        """(added cost, leaves, raised nodes, where each label ends up): ways are compared in this order."""
        commits = self.maximal(v for u, v in zip(labels, targets, strict=True) if u != v)
        leaves = sum(self.span[2 * u + 1] - self.span[2 * u] for u in commits)
        return sum(self.cost[u] - self.under[u] for u in commits), leaves, commits, targets

    def support(self, labels: Row) -> int:
        """Rows that hold all the labels."""
        if labels == (self.root,):
            return self.total
        wanted = set(labels)
        return sum(weight for row, weight in self.rows if wanted.issubset(row))

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
        """The nodes without those below others, ascending."""
        nodes = sorted(set(nodes))
        return tuple(u for i, u in enumerate(nodes) if not any(self.covers(v, u) for v in nodes[i + 1 :]))

    def ancestors(self, node: int) -> list[int]:
        """The node and all above it but the root."""
        path = []
        while node != self.root:
            path.append(node)
            node = self.parent[node]
        return path


def _frequent_prefixes(
    weighted: dict[Row, int], k: int, m: int, tick: Tick
) -> Iterable[tuple[Row, Counter[int], list[tuple[Row, Row, int]]]]:
    """Every frequent prefix of fewer than m labels, by rising support, with the counts of the labels that follow it."""
    support = Counter[int]()
    for row, weight in weighted.items():
        for label in row:
            support[label] += weight
    order = {label: rank for rank, label in enumerate(sorted(support, key=lambda u: (support[u], u)))}
    start = [(row, tuple(sorted(row, key=order.__getitem__)), weight) for row, weight in weighted.items()]
    stack: list[tuple[Row, list[tuple[Row, Row, int]]]] = [((), start)]
    while stack:
        tick(0.0)
        prefix, rows = stack.pop()
        counts = Counter[int]()
        for _, rest, weight in rows:
            for label in rest:
                counts[label] += weight
        yield prefix, counts, rows
        if len(prefix) + 1 < m:
            held: dict[int, list[tuple[Row, Row, int]]] = {}
            for row, rest, weight in rows:
                for at, label in enumerate(rest):
                    if counts[label] >= k:
                        follow = tuple(
                            u for u in rest[at + 1 :] if support[u] >= k
                        )  # rare labels are never extended to
                        held.setdefault(label, []).append((row, follow, weight))
            stack += [((*prefix, label), held[label]) for label in held]


def _smallest(sets: list[tuple[list[int], int]], keep: int) -> list[tuple[list[int], int]]:
    """The few to report: smallest first, then lowest support, then codes."""
    return heapq.nsmallest(keep, sets, key=lambda found: (len(found[0]), found[1], found[0]))


def _rows(indptr: Any, items: Any) -> list[Row]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]


def _weighted(indptr: Any, items: Any) -> dict[Row, int]:
    """Distinct non-empty rows with how often they occur."""
    return {row: weight for row, weight in Counter(_rows(indptr, items)).items() if row}
