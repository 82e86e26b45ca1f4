"""For each row the part of the hierarchy above its items, as flat arrays: what top-down local recoding walks.

A *place* is a node in the tree of a row. The first places are the occurrences themselves, in their order; then come
inner nodes, each after its children. Nodes with a single child are left out: to replace such a node by its child costs
nothing and tells nothing.

Cost: one sort for each level of the hierarchy; time and memory are proportional to the number of places, which is at
most the number of occurrences times the height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class RowTrees:
    """The trees of all rows.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> rows = h.encode(Transactions.from_sets([["a1", "a2", "b1"], [], ["a2"]]))
    >>> trees = RowTrees.of(rows, h, penalty=np.array([0, 0, 0, 0, 2, 2, 4]), weights=np.ones(4, dtype=np.int64))
    >>> [None if top < 0 else h.labels[trees.node[top]] for top in trees.tops]
    ['ALL', None, 'ALL']
    >>> below = trees.kids_of(trees.tops[:1])[:, 0]
    >>> [h.labels[trees.node[kid]] for kid in below], trees.gain[trees.tops].tolist()[0], trees.gain[below].tolist()
    (['A', 'B'], 6, [4, 2])
    """

    node: Codes  # [places] of the hierarchy
    first: Offsets  # [places + 1] the children of place p, in the same row, are kids[first[p] : first[p + 1]]
    kids: Offsets
    shape: Counts  # [places] equal iff the children are the same nodes; in order of their number, then their ids
    gain: Counts  # [places] what is won if the children are published in its stead
    tops: Offsets  # [rows] the place of the highest node; -1: the row is empty
    leaves: int  # places below this number are occurrences

    @classmethod
    def of(cls, items: Transactions, hierarchy: Hierarchy, penalty: Counts, weights: Counts) -> RowTrees:
        """With the penalty of an occurrence published as each node, and the weight of each item."""
        up, height = _branches(hierarchy)
        row, node, weight = row_ids(items.indptr), items.items.astype(np.int64), weights[items.items]
        place = np.arange(len(node))
        nodes, kids, counts, gains = [node], [place[:0]], [np.zeros_like(place)], [np.zeros_like(place)]
        for level in range(1, int(height.max()) + 1):
            ready = (up[node] >= 0) & (height[up[node]] == level)
            open_ = np.flatnonzero(ready)
            open_ = open_[np.lexsort((node[open_], up[node[open_]], row[open_]))]
            above, theirs = up[node[open_]], row[open_]
            starts = np.flatnonzero((np.diff(above, prepend=-1) != 0) | (np.diff(theirs, prepend=-1) != 0))
            if len(starts):
                kids.append(place[open_])
                counts.append(np.diff(starts, append=len(open_)))
                won = weight[open_] * (penalty[above] - penalty[node[open_]])
                gains.append(np.add.reduceat(won, starts))
                nodes.append(above[starts])
                so_far = sum(map(len, nodes))
                row = np.concatenate([row[~ready], theirs[starts]])
                place = np.concatenate([place[~ready], np.arange(so_far - len(starts), so_far)])
                weight = np.concatenate([weight[~ready], np.add.reduceat(weight[open_], starts)])
                node = np.concatenate([node[~ready], above[starts]])
        tops = np.full(len(items), -1, dtype=np.int64)
        tops[row] = place  # one is left of each row that is not empty
        every, first = np.concatenate(nodes), np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        below = np.concatenate(kids)
        shape = _shapes(every, first, below, len(hierarchy))
        return cls(every.astype(np.int32), first, below, shape, np.concatenate(gains), tops, len(items.items))

    def kids_of(self, places: Offsets) -> Offsets:
        """The children of places of equal shape: a column for each place."""
        size = self.first[places[0] + 1] - self.first[places[0]]
        kids: Offsets = self.kids[self.first[places] + np.arange(size)[:, None]]
        return kids


def _branches(hierarchy: Hierarchy) -> tuple[Counts, Counts]:
    """For each node the closest one above with several children (-1: none), and the most such steps down to a leaf."""
    parent, n = hierarchy.parent.tolist(), len(hierarchy)
    children = np.bincount(hierarchy.parent[:-1], minlength=n)
    up, height = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for node in range(n - 2, -1, -1):
        up[node] = parent[node] if children[parent[node]] > 1 else up[parent[node]]
    for node in range(n - 1):
        if children[node] != 1 and up[node] >= 0:
            height[up[node]] = max(height[up[node]], height[node] + 1)
    return up, height


def _shapes(node: Counts, first: Offsets, kids: Offsets, n_nodes: int) -> Counts:
    """Number the lists of children, by length, then lexicographically: each list from its beginning and its last."""
    length = np.diff(first)
    shape = np.full(len(node), -1, dtype=np.int64)
    some = np.flatnonzero(length)
    shape[some] = node[kids[first[some]]]
    known, at = n_nodes, 1
    while len(some := some[length[some] > at]):
        lists, number = np.unique(shape[some] * n_nodes + node[kids[first[some] + at]], return_inverse=True)
        shape[some] = known + number
        known, at = known + len(lists), at + 1
    return shape
