"""A lower bound on the loss of every k^m-anonymous sibling grouping.

A sibling grouping is a partition of the items whose blocks are unions of children of one node of the hierarchy. Nodes
with a single child are left out first: they change no block.

**Variables.** Y(a, s) = 1 if the siblings a and s are in one block. E(a) = 1 if the block of a contains more than a.
Two items share a block if and only if the two children of their lowest common ancestor above them do. So the cost of a
grouping is linear: occ(a) * |s| + occ(s) * |a| for each Y(a, s), and for NCP occ(u) for each item u with E(u) = 1. If
nodes have very many siblings, only some pairs are listed. F(a) counts the other siblings in the block of a, up to k, at
a cost of occ(a) each: the part of the cost of an unlisted pair that belongs to a.

**Clauses.** A person meets two sets of nodes if one row of the person meets both. Without persons, every row counts as
a person. Take items x and y that rows of 1..k-1 persons hold together, a node a above x and b above y. Take sets S and
T of siblings of a and b: not all siblings, and none above y or x. Suppose fewer than k persons meet both a + S and b +
T; ``lack`` more are needed. For a sibling s of a, let g(s) be the further persons that would meet if s joined S, at
most ``lack``, and ``lack`` if s is b. If the g(s) of all siblings add up to at least ``lack``:

    sum of g(s) * Y(a, s) over s outside S  +  lack * (sum of Y(b, t) over t outside T)  >=  lack

and also with E(b) instead of the second sum. Proof: take a safe grouping where the second sum (or E(b)) is 0.

- Suppose x and y share a block. If a and b are siblings, Y(a, b) = 1 weighs ``lack``. If not, the block contains all
  siblings of b, so the second sum is not 0, or all siblings of a, and these weigh ``lack``.
- Otherwise the block of y is within b + T. If the block of x contains more than the parent of a, all siblings of a
  weigh ``lack``. If not, it is within a + S and the siblings outside S that share it. The two blocks are labels that
  occur together, so at least k persons meet both. At least ``lack`` of them are not among those who meet a + S and b +
  T. Such a person has a row that holds both labels. It meets b + T and one of these siblings, s; g(s) counts the
  person.

A single rare item, and three items if m is at least 3, give clauses in the same way.

**Links.** E(a) >= Y(a, s). E(a) <= the sum of all Y(a, s) and F(a). k * E(a) >= F(a). For children a, s of p:
Y(a, s) >= E(p) and E(a) >= E(p). A single rare item has E = 1.

The relaxation with fractional variables is solved in rounds (:mod:`shoal.search.covering`). Each round adds clauses and
links that the last point violates. The bound of every round is exact, so the search may end after any of them.

In large data these rounds do not get far, so another relaxation comes first (:mod:`shoal.search.chain_bound`). The
better bound counts.

Cost: the pairs of items within rows are listed once; then the effort decides. Memory grows with the pairs and with the
entries of the clauses, and both are limited.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, counted, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.search.siblings.merge_clauses import MergeClauses, Variables
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import ItemsetModel, PrivacyModel
from shoal.problem import Prepared
from shoal.search.chain_bound import Chains
from shoal.search.covering import Covering

WORK = 250_000_000  # rows and entries scanned, for an effort of 1: about two seconds
SMALL = 300_000  # items of records up to which this effort pays; in larger data it does not get far
ROUND, ROUND_EACH = 20_000_000, 60  # rows scanned in a round: at least, and for each item of a record
STEPS, LAST_STEPS = 30, 150  # steps of the first-order method, in each round and at the end
SLACK = 0.03  # how far a clause must be violated to be added
EACH = 4  # clauses about one item in a round
MOST_CLAUSES = 20_000  # in a round
MOST_SEEDS = 1_000_000
MOST_PAIRS = 40_000_000  # limit on the listed pairs of items within rows
LISTED = 30_000  # if there are at most so many pairs of siblings, each has a variable
FEW_LISTED = 10_000  # otherwise about so many pairs have one
LEAST_REACH = 4  # siblings on either side that are listed in any case
PATIENCE = 8  # longest pause, in rounds, before a seed without violations is tried again


@dataclass(frozen=True, eq=False)
class Tree:
    """The hierarchy without nodes of a single child; children[start[p]:start[p + 1]] are sorted by occurrences."""

    parent: Codes
    span: Codes
    start: Offsets
    children: Codes
    leaves: Counts
    occurrences: Counts

    @classmethod
    def of(cls, hierarchy: Hierarchy, occurrences: Counts) -> Tree:
        """Remove the nodes with a single child."""
        above = hierarchy.parent.astype(np.int64)
        kept = np.bincount(above[:-1], minlength=len(above)) != 1
        for node in range(len(above) - 2, -1, -1):
            if above[node] >= 0 and not kept[above[node]]:
                above[node] = above[above[node]]
        nodes = np.flatnonzero(kept)
        number = np.cumsum(kept) - 1
        parent = np.where(above[nodes] >= 0, number[above[nodes]], -1).astype(np.int32)
        occurrences, span = occurrences[nodes], np.ascontiguousarray(hierarchy.span[nodes])
        children = np.lexsort((occurrences[:-1], parent[:-1])).astype(np.int32)
        start = np.zeros(len(parent) + 1, dtype=np.int64)
        np.cumsum(np.bincount(parent[:-1], minlength=len(parent)), out=start[1:])
        return cls(parent, span, start, children, hierarchy.leaves[nodes], occurrences)

    def pairs(self, most: int) -> tuple[Codes, Codes]:
        """Return pairs of siblings: all, or if these are too many, those close to each other in the order."""
        fanouts = np.diff(self.start)
        reach = int(fanouts.max())
        if int(fanouts @ (fanouts - 1)) > 2 * most:
            while reach > LEAST_REACH and int(np.minimum(fanouts, reach) @ fanouts) > FEW_LISTED:
                reach = reach * 3 // 4
        first, second = [], []
        for begin, end in pairwise(self.start.tolist()):
            for step in range(1, min(reach, end - begin - 1) + 1):
                first.append(self.children[begin : end - step])
                second.append(self.children[begin + step : end])
        return np.concatenate(first), np.concatenate(second)


def grouping_bound(
    problem: Prepared[ItemsetModel], engine: Engine, *, effort: float = 1.0, deadline: float = math.inf
) -> int:
    """Return a lower bound, in the units of ``problem.costs``, on the cost of every k^m-anonymous sibling grouping.

    Parameters
    ----------
    problem
        A problem with k^m-anonymity and the original hierarchy.
    engine
        Receives the progress.
    effort
        Work to spend: 1 takes at most some seconds. More gives a better bound until it converges.
    deadline
        A time of the monotonic clock. The result depends on the machine only if it is reached.

    Returns
    -------
    int
        The bound. 0 is always valid, and is returned if nothing better is known.
    """
    demand = problem.model.demand(problem.items)
    if not demand.monotone or problem.items.count_persons(problem.items.sizes > 0) < demand.k:
        return 0
    tree = Tree.of(problem.hierarchy, problem.occurrences)
    if demand.known < 1 or len(tree.parent) < 3:
        return 0
    engine.progress("bounding all groupings", 0.0)
    k = min(demand.k, len(problem.items) + 1)
    chains = Chains(problem.items, tree, k, demand.known, effort, deadline)
    best = chains.bound(*_linear(problem.loss, problem.hierarchy.n_leaves))
    del chains
    if problem.items.total_items <= SMALL * max(1.0, effort) and time.monotonic() < deadline:
        best = max(best, _Rounds(problem, tree, k, demand.known, engine).run(round(WORK * effort), deadline))
    return best


def _linear(loss: AdditiveLoss, items: int) -> tuple[int, int]:
    """(slope, step) with slope * (size - 1) + step at most the penalty of a label over ``size`` > 1 items."""
    penalty = loss.penalty(np.arange(1, items + 1), items)
    slope = int(np.diff(penalty[1:]).min(initial=int(penalty[1])))
    slope = max(0, min(slope, int(penalty[1])))
    return slope, int(penalty[1]) - slope


def pairs_below(rows: Transactions, k: int, most: int = MOST_PAIRS) -> Codes:
    """Return the pairs of items that rows of 1..k-1 persons hold, one on each line.

    Return no pairs if the rows hold more than ``most`` pairs in total.
    """
    sizes, keys_of_pairs, rows_of_pairs, total = rows.sizes, [], [], 0
    for length in np.unique(sizes[sizes > 1]).tolist():
        at = np.flatnonzero(sizes == length)
        begins = rows.indptr[at]
        total += len(begins) * length * (length - 1) // 2
        if total > most:
            return np.zeros((0, 2), dtype=np.int32)
        table = rows.items[begins[:, None] + np.arange(length)].astype(np.int64)
        one, other = np.triu_indices(length, 1)
        keys_of_pairs.append((table[:, one] * len(rows.labels) + table[:, other]).ravel())
        if len(rows.repeaters):
            rows_of_pairs.append(np.repeat(at, len(one)))
    if not keys_of_pairs:
        return np.zeros((0, 2), dtype=np.int32)
    keys, counts = _by_persons(rows, np.concatenate(keys_of_pairs), rows_of_pairs)
    return np.stack(np.divmod(keys[counts < k], len(rows.labels)), axis=1).astype(np.int32)


def _by_persons(rows: Transactions, keys: Counts, at: list[Counts]) -> tuple[Counts, Counts]:
    """Return the different keys and the number of persons with each. ``at``: the rows of the keys."""
    if not len(rows.repeaters):
        return counted(keys)
    assert rows.persons is not None
    different, number = np.unique(keys, return_inverse=True)
    persons = rows.persons.of[np.concatenate(at)].astype(np.int64)
    once = np.unique(number * (int(rows.persons.of.max()) + 1) + persons)
    return different, np.bincount(once // (int(rows.persons.of.max()) + 1), minlength=len(different))


class _Rounds:
    """The relaxation, solved round by round."""

    def __init__(self, problem: Prepared[PrivacyModel], tree: Tree, k: int, known: int, engine: Engine) -> None:
        rows, self.k = problem.items, k
        self.tree, self.engine = tree, engine
        self.round = max(ROUND, ROUND_EACH * rows.total_items)
        nodes, leaves = len(tree.parent), problem.hierarchy.n_leaves
        self.first, self.second = tree.pairs(LISTED)
        pairs = len(self.first)
        self.merged, self.far = pairs, pairs + nodes
        slope, step = _linear(problem.loss, leaves)
        occ, size = tree.occurrences, tree.leaves
        costs = np.zeros(pairs + 2 * nodes, dtype=np.int64)
        costs[:pairs] = slope * (occ[self.first] * size[self.second] + occ[self.second] * size[self.first])
        costs[pairs : pairs + leaves] = step * occ[:leaves]
        costs[self.far :] = slope * occ
        limits = np.ones(len(costs), dtype=np.int64)
        limits[self.far :] = self.k
        scale = np.maximum(1.0, costs)
        within = np.bincount(tree.parent[self.first], weights=costs[:pairs], minlength=nodes)
        scale[pairs + leaves : self.far] = np.maximum(1.0, within[leaves:])
        self.covering = Covering(costs, limits, scale)
        node = np.concatenate([self.first, self.second])
        sibling = np.concatenate([self.second, self.first])
        order = np.lexsort((sibling, node))
        near = np.zeros(nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(node, minlength=nodes), out=near[1:])
        variable = np.tile(np.arange(pairs, dtype=np.int32), 2)[order]
        self.variables = Variables(near, sibling[order], variable, self.merged, self.far)
        self.by_parent = np.argsort(tree.parent[self.first], kind="stable")
        self.pair_start = np.searchsorted(tree.parent[self.first][self.by_parent], np.arange(nodes + 1))
        shape = (tree.parent, tree.span, tree.start, tree.children)
        self.kernel = MergeClauses(rows.indptr, rows.items, *shape, self.k, persons=rows.repeaters)
        self.linked = np.zeros(0, dtype=np.int64)  # pairs of variables with a link, ascending
        self.summed = np.zeros(nodes, dtype=bool)  # nodes with a link to the sum of their pairs
        self.seeds = self._seeds(rows, known)
        self.due = [np.zeros(len(seeds), dtype=np.int64) for seeds in self.seeds]
        self.pause = [np.ones(len(seeds), dtype=np.int64) for seeds in self.seeds]
        self.next = [0] * len(self.seeds)  # where the next round starts

    def _seeds(self, rows: Transactions, known: int) -> list[Codes]:
        """Return rare single items and pairs, with the more frequent item last. Pairs are sorted by that item."""
        held, persons = _by_persons(rows, rows.items.astype(np.int64), [row_ids(rows.indptr)])
        support = np.zeros(len(rows.labels), dtype=np.int64)
        support[held] = persons
        single = np.flatnonzero((support > 0) & (support < self.k)).astype(np.int32)
        if len(single):
            ones = np.ones(len(single), dtype=np.int64)
            self.covering.add(ones, single + np.int32(self.merged), ones, ones)
        seeds = [single[:, None]]
        if known >= 2:
            pairs = pairs_below(rows, self.k)
            swap = support[pairs[:, 0]] > support[pairs[:, 1]]
            pairs[swap] = pairs[swap][:, ::-1]
            order = np.lexsort((support[pairs[:, 0]], pairs[:, 1], support[pairs[:, 1]]))
            if len(order) > MOST_SEEDS:
                order = order[np.linspace(0, len(order) - 1, MOST_SEEDS).astype(np.int64)]
            seeds.append(pairs[order])
        return seeds

    def run(self, work: int, deadline: float) -> int:
        """Run rounds until nothing is violated, the work is done, or time is up."""
        spent, last = 0, False
        while not last and spent < work and time.monotonic() < deadline:
            self.engine.progress("bounding all groupings", spent / work)
            everyone = all(bool((due <= 0).all()) for due in self.due)
            added, looked, complete = self._add_clauses(self.round)
            quiet = added + self._add_links() == 0 and complete
            last = quiet and everyone
            if quiet:
                for due in self.due:  # all seeds are due in the next round
                    due[:] = 0
            self.covering.improve(LAST_STEPS if last else STEPS)
            spent += looked + 3 * self.covering.entries * STEPS + work // 1000
            self.covering.forget(3)
        if not last and time.monotonic() < deadline:
            self.covering.improve(LAST_STEPS)
        return self.covering.bound

    def _add_clauses(self, work: int) -> tuple[int, int, bool]:
        """Add the clauses that the point violates. Return their number, the work, and whether all seeds were tried."""
        values = np.where(self.covering.values > 1e-3, self.covering.values, 0.0)
        added = looked = 0
        complete = True
        for which, (seeds, due, pause) in enumerate(zip(self.seeds, self.due, self.pause, strict=True)):
            at = np.flatnonzero(due <= 0)
            at = np.roll(at, -int(np.searchsorted(at, self.next[which])))  # from where the last round stopped
            due -= 1
            broken = self.kernel.broken(
                seeds[at], self.variables, values, slack=SLACK, most=MOST_CLAUSES, each=EACH, work=work
            )
            self.covering.add(broken.sizes, broken.variables, broken.weights.astype(np.int64), broken.lacks)
            seen = np.flatnonzero(broken.states)
            complete &= broken.looked < work and len(broken.sizes) < MOST_CLAUSES
            self.next[which] = at[(seen[-1] + 1) % len(at)] if len(seen) else 0
            kept = at[broken.states == 1]
            due[kept] = pause[kept]
            pause[kept] = np.minimum(2 * pause[kept], PATIENCE)
            pause[at[broken.states == 2]] = 1
            added, looked = added + len(broken.sizes), looked + broken.looked
        return added, looked, complete

    def _add_links(self) -> int:
        """Add the links that the point violates."""
        values, nodes = self.covering.values, len(self.tree.parent)
        pair, merged, far = values[: self.merged], values[self.merged : self.far], values[self.far :]
        high, low, factor = [], [], []  # factor * high >= low

        def link(highs: Counts, lows: Counts, by: int) -> None:
            high.append(highs)
            low.append(lows)
            factor.append(np.full(len(highs), by, dtype=np.int64))

        for side in (self.first, self.second):
            at = np.flatnonzero(pair > merged[side] + 0.01)
            link(self.merged + side[at].astype(np.int64), at, 1)
        at = np.flatnonzero(far > self.k * merged + 0.01)
        link(self.merged + at, self.far + at, self.k)
        for node in np.flatnonzero(merged > 0.01).tolist():
            inside = self.by_parent[self.pair_start[node] : self.pair_start[node + 1]]
            inside = inside[pair[inside] < merged[node] - 0.01]
            link(inside, np.full(len(inside), self.merged + node), 1)
            below = self.tree.children[self.tree.start[node] : self.tree.start[node + 1]].astype(np.int64)
            below = below[merged[below] < merged[node] - 0.01]
            link(self.merged + below, np.full(len(below), self.merged + node), 1)
        highs, lows, by = map(np.concatenate, (high, low, factor))
        keys, first = np.unique(highs * len(values) + lows, return_index=True)
        first = first[~np.isin(keys, self.linked)]
        self.linked = np.union1d(self.linked, keys)
        columns = np.stack([highs[first], lows[first]], axis=1).astype(np.int32).ravel()
        weights = np.stack([by[first], np.full(len(first), -1)], axis=1).ravel()
        nothing = np.zeros(len(first), dtype=np.int64)
        self.covering.add(nothing + 2, columns, weights, nothing)
        ends = np.concatenate([self.first, self.second])
        total = far + np.bincount(ends, weights=np.tile(pair, 2), minlength=nodes)
        open_ = np.flatnonzero((merged > total + 0.01) & ~self.summed)
        self.summed[open_] = True
        fanout = np.diff(self.tree.start)
        sums = []
        for node in open_.tolist():
            listed = self.variables.pair[self.variables.near[node] : self.variables.near[node + 1]]
            unlisted = len(listed) + 1 < fanout[self.tree.parent[node]]
            others = [self.far + node, self.merged + node] if unlisted else [self.merged + node]
            sums.append(np.concatenate([listed, others]).astype(np.int32))
        if sums:
            sizes = np.array([len(columns) for columns in sums])
            weights = np.ones(int(sizes.sum()), dtype=np.int64)
            weights[np.cumsum(sizes) - 1] = -1  # the last one is the node's own
            self.covering.add(sizes, np.concatenate(sums), weights, np.zeros(len(sums), dtype=np.int64))
        return len(first) + len(open_)
