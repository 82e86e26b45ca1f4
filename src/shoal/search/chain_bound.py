"""A lower bound on the loss of every k^m-anonymous sibling grouping by a minimum cut: fast, for large data.

The hierarchy is that of :mod:`shoal.search.sibling_bound`: no node has a single child. The children of each node are
sorted by their occurrences and have positions 0, 1, ...

**Literals.** e(u, a) = 1 if the block of u contains a sibling of u at position a or later, or more than the parent of
u. It never grows with a. e(u, 0) = 1 if u is merged at all. If the block of u contains more than its parent p, then
e(p, 0) = 1; so e(u, a) >= e(p, 0) for all a.

**Clauses.** Take nodes u and v that some row holds together, none above the other; p and q are their parents. Let S be
the siblings of u before position a, and T those of v before b. If fewer than k persons have a row that meets both u + S
and v + T, then e(u, a) or e(v, b) holds. (Without persons, every row counts as a person.) Proof: suppose that neither
holds, and let x below u and y below v be items that one row holds. The block of x is within u + S and that of y within
v + T.

- If they are two blocks, their labels occur together, so k persons have a row that holds both: too many. Hence, where u
  and v are siblings, a row counts for its person only if it meets the two by *different* siblings. Nothing above v
  counts as a sibling of u.
- If they are one block and p is not q, the one of u and v that is not a child of their lowest common ancestor is in a
  block with more than its parent, so its literal holds. If p is q, u and v share a block. Then e(v, b) holds if b is
  not behind u, and e(u, a) holds if a is not behind v; one of the two is required.

It can happen that no a is large enough, because all siblings of u together bring too few persons. If p is above v, no
merge of u helps, unless it also merges the block of v, so e(v, b) must hold. Elsewhere the pair of p and v has a
clause. In the same way, an item or node in rows of fewer than k persons must be merged. Counting more rows than
necessary makes a clause weaker, but never wrong.

**Costs.** Let u and s be siblings in one block, s the later one. They cost occ(u) * |s| + occ(s) * |u|. Node u pays the
first part. A fixed share of the second part is paid by s, the rest by u. So u pays at least c(u, a), the least for a
sibling at position a or later, if e(u, a) = 1. If its block contains more than p, u pays for all siblings. c never
falls with a: its increments are the weights of the literals, and the rest is a weight of e(p, 0). For NCP, items also
pay for being merged.

**Bound.** The least weight of fractional literals that satisfy the clauses and chains is half of a minimum cut in a
graph with two copies of each literal. Any flow is a bound on the cut, so the search may stop at any time. All numbers
are whole.

Cost: the rows of each node are scanned once or a few times, then the flow is computed. The effort limits both.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.transactions import Transactions
from shoal.kernels.search.siblings.flow import Flow
from shoal.kernels.search.siblings.merge_chains import MergeChains

if TYPE_CHECKING:
    from shoal.search.sibling_bound import Tree

WORK = 250_000_000  # nodes within rows looked at, for an effort of 1
FLOW_WORK = 400_000_000  # arcs looked at, for an effort of 1
CHUNK = 5_000_000  # work between two checks of the clock
CLAUSES_TIME = 0.3  # share of the time that is left until the deadline; the rest is for the flow
MOST_CLAUSES = 1_700_000
SORTED = 1_000_000  # clauses that can be sorted in a second; sorting takes as long as listing
MANY, FEW_EACH = 20_000, 24  # with so many nodes, so many clauses for each
GRID = 4  # each reach has about so many times the occurrences of the next smaller one
FACTORS = (0.1, 1.0, 10.0, 100.0)  # occurrences in a reach, relative to those of the node
FEW = 300  # nodes with at most so many occurrences are tried with several reaches
BITS = 4  # bits of the occurrences that distinguish positions
EXACT = 2.0**61  # sums below this fit 64 bits
PART = 8  # shares are multiples of 1 / PART
SHARES = (0, PART)


class Chains:
    """The clauses, and the bounds that they give for several shares."""

    def __init__(self, rows: Transactions, tree: Tree, k: int, known: int, effort: float, deadline: float) -> None:
        self.tree, self.effort, self.deadline = tree, effort, deadline
        self.nodes = len(tree.parent)
        self.parent, self.children = tree.parent.astype(np.int64), tree.children.astype(np.int64)
        self.begin, self.end = tree.start[:-1], tree.start[1:]
        self.place = np.full(self.nodes, -1, dtype=np.int64)  # position in ``children``
        self.place[self.children] = np.arange(self.nodes - 1)
        self._number(self._clauses(rows, k, known))

    def _out_of_time(self) -> bool:
        return time.monotonic() >= self.deadline

    def _bases(self, known: int) -> tuple[Codes, Codes]:
        """Return the starting points: all rows, all single nodes (frequent ones first), and nodes with reaches."""
        nodes, reaches = [np.array([self.nodes - 1])], [np.array([0])]
        if known >= 2:
            occ, order = self.tree.occurrences, self.children
            nodes.append(order[np.argsort(-occ[order], kind="stable")])
            reaches.append(np.zeros(len(order), dtype=np.int64))
            few = order[(occ[order] > 0) & (occ[order] <= FEW)]
            parent = self.parent[few]
            start, fanout = self.begin[parent], self.end[parent] - self.begin[parent]
            total = np.concatenate([[0], np.cumsum(occ[order])])
            most = fanout - 1 - (self.place[few] == start + fanout - 1)  # leaves at least one sibling
            sizes = GRID ** np.arange(30)
            triples = []
            for factor in FACTORS:
                level = np.searchsorted(sizes, factor * occ[few], side="right") - 1
                limit = np.where(level >= 0, sizes[level], 0)
                reach = np.minimum(np.searchsorted(total, total[start] + limit, side="right") - 1 - start, most)
                triples.append(np.stack([parent, reach, few], axis=1)[reach > 0])
            bases = np.unique(np.concatenate(triples), axis=0)
            nodes.append(bases[:, 2])
            reaches.append(bases[:, 1])
        return np.concatenate(nodes).astype(np.int32), np.concatenate(reaches).astype(np.int32)

    def _clauses(self, rows: Transactions, k: int, known: int) -> Codes:
        """Return all clauses that the work and the time allow, one on each line."""
        tree, quads, total, done = self.tree, [np.zeros((0, 4), dtype=np.int32)], 0, 0
        shape = (tree.parent, tree.span, tree.start, tree.children)
        kernel = MergeChains(rows.indptr, rows.items, *shape, k, persons=rows.repeaters)
        nodes, reaches = self._bases(known)
        each = FEW_EACH if self.nodes > MANY else MOST_CLAUSES
        work = round(WORK * self.effort)
        now = time.monotonic()
        until = now + CLAUSES_TIME * (self.deadline - now)
        most, chunk = self._affordable(until - now)
        while done < len(nodes) and total < most and work > 0 and time.monotonic() < until:
            some, passed, looked = kernel.around(nodes[done:], reaches[done:], each=each, work=min(work, chunk))
            quads.append(some)
            done, total, work = done + passed, total + len(some), work - looked
        return np.concatenate(quads)

    def _affordable(self, seconds: float) -> tuple[int, int]:
        """Return how many clauses there is time to sort, and the work between two checks of the clock."""
        most = round(min(MOST_CLAUSES, SORTED * seconds))
        return most, max(1, CHUNK * most // MOST_CLAUSES)

    def _number(self, clauses: Codes) -> None:
        """Number the literals that occur. Positions with about the same occurrences share a number."""
        occ, order = self.tree.occurrences[self.children], self.children
        shift = np.maximum(0, np.frexp(occ.astype(np.float64))[1] - 1 - BITS)
        same = np.concatenate([[False], (self.parent[order][1:] == self.parent[order][:-1])])
        same[1:] &= (occ[1:] >> shift[1:] == occ[:-1] >> shift[:-1]) & (shift[1:] == shift[:-1])
        first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
        wide = self.nodes  # greater than any position
        keys = np.full((len(clauses), 2), -1, dtype=np.int64)
        for side in (0, 1):
            node, position = clauses[:, 2 * side].astype(np.int64), clauses[:, 2 * side + 1]
            start = self.begin[self.parent[node]]
            keys[:, side] = np.where(node >= 0, node * wide + first[start + position] - start, -1)
        keys = np.where(keys < 0, keys[:, ::-1], keys)  # a single literal is written twice
        used = np.unique(keys)
        self.keys = np.union1d(used, used // wide * wide)
        self.node, self.position = self.keys // wide, self.keys % wide
        literals = np.searchsorted(self.keys, keys)
        literals.sort(axis=1)
        pairs = np.unique(literals[:, 0] * len(self.keys) + literals[:, 1])
        self.pairs = np.divmod(pairs, max(1, len(self.keys)))

    def bound(self, slope: int, step: int) -> int:
        """Return the best bound over all shares, if a label of n > 1 items costs slope * (n - 1) + step."""
        best, occ = 0, self.tree.occurrences
        if 2 * PART * (slope + step) * float(occ[-1]) * float(self.tree.leaves[-1]) >= EXACT:
            return 0
        for share in SHARES:
            if len(self.keys) and not self._out_of_time():
                best = max(best, self._cut(self._weights(slope, step, share)))
        return best

    def _weights(self, slope: int, step: int, share: int) -> Counts:
        """The weight of each literal, in multiples of 1 / PART."""
        occ, size = self.tree.occurrences.astype(np.int64), self.tree.leaves.astype(np.int64)
        order, node, place = self.children, self.node, self.place[self.node]
        left = (PART - share) * occ  # the share of its own part that earlier siblings pay
        total_size, total_left = (np.concatenate([[0], np.cumsum(x[order])]) for x in (size, left))
        least_size, least_left = size[order], left[order]
        for a, b in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            for least in (least_size, least_left):
                least[a:b] = np.minimum.accumulate(least[a:b][::-1])[::-1]
        own, here = self.parent[order], np.arange(len(order))
        start, end = self.begin[own], self.end[own]
        paid = np.zeros(self.nodes, dtype=np.int64)  # the payment for all siblings
        paid[order] = share * occ[order] * (total_size[here] - total_size[start])
        paid[order] += PART * occ[order] * (total_size[end] - total_size[here + 1])
        paid[order] += size[order] * (total_left[end] - total_left[here + 1])
        at = self.begin[self.parent[node]] + self.position
        later = np.maximum(at, place + 1)
        some = later < self.end[self.parent[node]]
        later = np.where(some, later, 0)
        most = np.iinfo(np.int64).max
        cost = np.where(some, PART * occ[node] * least_size[later] + size[node] * least_left[later], most)
        cost = np.minimum(cost, np.where(at < place, share * occ[node] * least_size[np.minimum(at, place)], most))
        first = np.concatenate([[True], node[1:] != node[:-1]])
        last = np.concatenate([first[1:], [True]])
        weights = slope * np.diff(cost, prepend=0)
        weights[first] = slope * cost[first]
        rest = slope * paid
        rest[node[last]] -= slope * cost[last]
        self.first, self.last = (np.full(self.nodes, -1, dtype=np.int64) for _ in range(2))
        self.first[node[first]], self.last[node[last]] = np.flatnonzero(first), np.flatnonzero(last)
        merged = np.zeros(self.nodes, dtype=np.int64)  # the payment if the block contains more than the node
        leaves = np.diff(self.tree.start) == 0
        merged[leaves] = PART * step * occ[leaves]
        np.add.at(merged, self.parent[:-1], rest[:-1])
        for below in range(self.nodes - 1):  # parents come after their children
            if self.first[below] >= 0:
                weights[self.first[below]] += merged[below]
            else:
                merged[self.parent[below]] += merged[below]
        return weights

    def _cut(self, weights: Counts) -> int:
        """Return the bound that a flow proves."""
        above = np.full(self.nodes, -1, dtype=np.int64)  # the nearest node above that has literals
        for node in range(self.nodes - 2, -1, -1):
            parent = self.parent[node]
            above[node] = parent if self.first[parent] >= 0 else above[parent]
        linked = np.flatnonzero((self.first >= 0) & (above >= 0))
        inside = np.flatnonzero(self.node[1:] == self.node[:-1])
        high = np.concatenate([inside, self.last[linked]])  # high >= low
        low = np.concatenate([inside + 1, self.first[above[linked]]])
        count = len(weights)
        one, two = 2 + 2 * np.arange(count), 3 + 2 * np.arange(count)  # the copies of each literal
        a, b = self.pairs
        tails = np.concatenate([np.zeros_like(one), two, one[a], one[b], one[high], two[low]])
        heads = np.concatenate([one, np.ones_like(two), two[b], two[a], one[low], two[high]])
        endless = np.full(len(tails) - 2 * count, int(weights.sum()) + 1, dtype=np.int64)
        capacities = np.concatenate([weights, weights, endless])
        flow = Flow(2 * count + 2, tails.astype(np.int32), heads.astype(np.int32), capacities)
        value, largest, work = 0, False, round(FLOW_WORK * self.effort)
        while not largest and work > 0 and not self._out_of_time():
            value, largest = flow.grow(CHUNK)
            work -= CHUNK
        return -(-value // (2 * PART))
