"""A lower bound on the loss of every k^m-anonymous sibling grouping by a least cut: fast, for large data.

The hierarchy is that of :mod:`shoal.search.sibling_bound`: no nodes of a single child. The children of each node are
in the order of their occurrences and have positions 0, 1, ...

**Literals.** e(u, a) = 1 if the block of u has a sibling of u at position a or later, or more than the parent of u. It
never grows with a. e(u, 0) = 1 if u is merged at all. If the block of u has more than its parent p, then e(p, 0) = 1;
so e(u, a) >= e(p, 0) for all a.

**Clauses.** Take nodes u, v, none above the other, that some row holds together; p and q are their parents. Let S be
the siblings of u before a, T those of v before b. If fewer than k persons have a row that meets both u + S and v + T,
then e(u, a) or e(v, b). (Without persons, every row is a person of its own.) Proof: let neither hold, and let x below u
and y below v be items that one row holds. The block of x is within u + S and that of y within v + T.

- They are two blocks. Their labels occur together, so k persons have a row that holds both: too many. Hence a row
  counts for its person only if it meets the two by *different* siblings, where u and v are siblings; and nothing above
  v counts as a sibling of u.
- They are one block. If p is not q, the one of u and v that is not a child of their lowest common ancestor is in a
  block with more than its parent, and its literal holds. If p is q, u and v share a block: that makes e(v, b) hold if b
  is not behind u, and e(u, a) if a is not behind v; one of the two is required.

If no a is large enough because all siblings of u together bring too few persons: where p is above v, nothing that u is
merged with helps, unless it is v's block too, so e(v, b) must hold. Elsewhere the pair of p and v has a clause. An item
or node in rows of fewer than k persons must be merged in the same way. Rows that are counted though they need not be
make a clause weaker, never wrong.

**Costs.** Siblings u, s in one block, s the later one, cost occ(u) * |s| + occ(s) * |u|. Of this u pays the first part;
a fixed share of the second part is paid by s, the rest by u. So what u pays is at least c(u, a), the least for a
sibling at position a or later, if e(u, a) = 1, and what it pays for all siblings if its block has more than p. c
never falls with a: its increments are the weights of the literals, the rest is a weight of e(p, 0). For NCP items pay
for being merged, too.

**Bound.** The least weight of fractional literals that satisfy clauses and chains is half of a least cut in a graph
with two copies of each literal. Any flow is a bound on the cut, so it may stop at any time. All in whole numbers.

Cost: rows of each node are passed over once or a few times; then the flow. Both limited by the effort.
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
CHUNK = 5_000_000  # between looks at the clock
CLAUSES_TIME = 0.3  # of the time that is left until a deadline; the rest is for the flow
MOST_CLAUSES = 1_700_000
SORTED = 1_000_000  # clauses for each second that it takes to list them: sorting them takes as long
MANY, FEW_EACH = 20_000, 24  # nodes; and clauses for each of so many
GRID = 4  # reaches have about so many times as many occurrences as the next smaller one
FACTORS = (0.1, 1.0, 10.0, 100.0)  # occurrences in a reach for each one of the node
FEW = 300  # occurrences of a node that is tried with several reaches
BITS = 4  # of occurrences that tell positions apart
EXACT = 2.0**61  # sums below fit 64 bits
PART = 8  # shares are so many parts
SHARES = (0, PART)


class Chains:
    """The clauses, and the bounds that they give for several shares."""

    def __init__(self, rows: Transactions, tree: Tree, k: int, known: int, effort: float, deadline: float) -> None:
        self.tree, self.effort, self.deadline = tree, effort, deadline
        self.nodes = len(tree.parent)
        self.parent, self.children = tree.parent.astype(np.int64), tree.children.astype(np.int64)
        self.begin, self.end = tree.start[:-1], tree.start[1:]
        self.place = np.full(self.nodes, -1, dtype=np.int64)  # in ``children``
        self.place[self.children] = np.arange(self.nodes - 1)
        self._number(self._clauses(rows, k, known))

    def _late(self) -> bool:
        return time.monotonic() >= self.deadline

    def _bases(self, known: int) -> tuple[Codes, Codes]:
        """What to look around: all rows, all nodes alone, the frequent ones first, and nodes with reaches."""
        nodes, reaches = [np.array([self.nodes - 1])], [np.array([0])]
        if known >= 2:
            occ, order = self.tree.occurrences, self.children
            nodes.append(order[np.argsort(-occ[order], kind="stable")])
            reaches.append(np.zeros(len(order), dtype=np.int64))
            few = order[(occ[order] > 0) & (occ[order] <= FEW)]
            parent = self.parent[few]
            start, fanout = self.begin[parent], self.end[parent] - self.begin[parent]
            total = np.concatenate([[0], np.cumsum(occ[order])])
            most = fanout - 1 - (self.place[few] == start + fanout - 1)  # some sibling is left
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
        """All clauses that the work and the time allow, a line each."""
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
        """How many clauses there is time to sort, and how much to look at between looks at the clock."""
        most = round(min(MOST_CLAUSES, SORTED * seconds))
        return most, max(1, CHUNK * most // MOST_CLAUSES)

    def _number(self, clauses: Codes) -> None:
        """Give numbers to the literals that occur, positions of about the same occurrences being one."""
        occ, order = self.tree.occurrences[self.children], self.children
        shift = np.maximum(0, np.frexp(occ.astype(np.float64))[1] - 1 - BITS)
        same = np.concatenate([[False], (self.parent[order][1:] == self.parent[order][:-1])])
        same[1:] &= (occ[1:] >> shift[1:] == occ[:-1] >> shift[:-1]) & (shift[1:] == shift[:-1])
        first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
        wide = self.nodes  # more than any position
        keys = np.full((len(clauses), 2), -1, dtype=np.int64)
        for side in (0, 1):
            node, position = clauses[:, 2 * side].astype(np.int64), clauses[:, 2 * side + 1]
            start = self.begin[self.parent[node]]
            keys[:, side] = np.where(node >= 0, node * wide + first[start + position] - start, -1)
        keys = np.where(keys < 0, keys[:, ::-1], keys)  # one literal alone: twice the same
        used = np.unique(keys)
        self.keys = np.union1d(used, used // wide * wide)
        self.node, self.position = self.keys // wide, self.keys % wide
        literals = np.searchsorted(self.keys, keys)
        literals.sort(axis=1)
        pairs = np.unique(literals[:, 0] * len(self.keys) + literals[:, 1])
        self.pairs = np.divmod(pairs, max(1, len(self.keys)))

    def bound(self, slope: int, step: int) -> int:
        """The best bound of all shares, where labels over n > 1 items cost slope * (n - 1) + step."""
        best, occ = 0, self.tree.occurrences
        if 2 * PART * (slope + step) * float(occ[-1]) * float(self.tree.leaves[-1]) >= EXACT:
            return 0
        for share in SHARES:
            if len(self.keys) and not self._late():
                best = max(best, self._cut(self._weights(slope, step, share)))
        return best

    def _weights(self, slope: int, step: int, share: int) -> Counts:
        """The weight of each literal, in parts."""
        occ, size = self.tree.occurrences.astype(np.int64), self.tree.leaves.astype(np.int64)
        order, node, place = self.children, self.node, self.place[self.node]
        left = (PART - share) * occ  # of its own part, paid by earlier siblings
        total_size, total_left = (np.concatenate([[0], np.cumsum(x[order])]) for x in (size, left))
        least_size, least_left = size[order], left[order]
        for a, b in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            for least in (least_size, least_left):
                least[a:b] = np.minimum.accumulate(least[a:b][::-1])[::-1]
        own, here = self.parent[order], np.arange(len(order))
        start, end = self.begin[own], self.end[own]
        paid = np.zeros(self.nodes, dtype=np.int64)  # for all siblings
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
        merged = np.zeros(self.nodes, dtype=np.int64)  # paid if the block of the node has more than the node
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
        """The bound that a flow proves."""
        above = np.full(self.nodes, -1, dtype=np.int64)  # the nearest node above with literals
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
        while not largest and work > 0 and not self._late():
            value, largest = flow.grow(CHUNK)
            work -= CHUNK
        return -(-value // (2 * PART))
