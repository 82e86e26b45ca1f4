"""Partition (He and Naughton 2009): rows become more specific together, from the root down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids
from shoal.kernels.arrays import capped, flat
from shoal.kernels.choice import Tick, compiled_or, no_progress


class Partitioned(NamedTuple):
    """The labels of each row, ascending, and statistics of the search."""

    indptr: Offsets
    labels: Codes
    buckets: int
    expansions: int
    left: int  # rows that stayed behind, counted each time they did


def partition(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    leaves: int,
    penalty: Counts,
    weights: Counts,
    k: int,
    *,
    tick: Tick = no_progress,
) -> Partitioned:
    """Split rows into buckets of at least k that are published with the same labels of a hierarchy.

    ``penalty``: the loss of an item that is published as each node. ``weights``: the weight of each item.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 2], dtype=np.int32)
    >>> tree = np.array([3, 3, 3, -1], dtype=np.int32), np.array([[0, 1], [1, 2], [2, 3], [0, 3]], dtype=np.int32)
    >>> partition(*rows, *tree, 3, np.array([0, 0, 0, 3]), np.ones(3, dtype=np.int64), 2).labels.tolist()
    [0, 0, 3, 3]
    """
    kernel = compiled_or(partition_twin)
    return Partitioned(*kernel(indptr, items, parent, flat(span), leaves, penalty, weights, capped(k, indptr), tick))


def partition_twin(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    leaves: int,
    penalty: Counts,
    weights: Counts,
    k: int,
    tick: Tick,
) -> tuple[Offsets, Codes, int, int, int]:
    """Split buckets until none can be split. Their order does not matter."""
    tick(0.0)
    trees = _RowTrees.of(indptr, items, parent, penalty, weights)
    search = _Search(trees, np.diff(span)[::2], k)
    rows, sizes, nodes, settled = [], [], list[int](), 0
    for bucket in search.run(_in_order(indptr, items)):
        rows.append(bucket.rows)
        sizes.append(len(bucket.done))
        nodes += bucket.done
        settled += len(bucket.rows)
        tick(settled / (len(indptr) - 1))
    if not rows:
        return np.zeros_like(indptr), items[:0], 0, 0, 0
    counts, stops = [len(some) for some in rows], np.cumsum(sizes)
    each = np.repeat(sizes, counts)  # number of labels of each row
    at = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each - np.repeat(stops - sizes, counts), each)
    holders, labels = np.repeat(np.concatenate(rows), each), np.array(nodes, dtype=np.int32)[at]
    return *csr_from_pairs(holders, labels, len(indptr) - 1), len(rows), search.expansions, search.left


class _Bucket(NamedTuple):
    """Rows with equal labels."""

    rows: Counts  # [n]
    open: Offsets  # [labels, n] the places, in the tree of each row, of the labels that can still be expanded
    done: list[int]  # the nodes of the other labels


class _Expansion(NamedTuple):
    """The effect of expanding one label of a bucket."""

    gain: int
    leaving: frozenset[int]  # the shapes that form new buckets
    given: frozenset[int]  # columns with such a shape that stay behind anyway


@dataclass(eq=False)
class _Search:
    """The search: splits buckets."""

    trees: _RowTrees
    sizes: Counts  # leaves of each node
    k: int
    expansions: int = field(default=0, init=False)
    left: int = field(default=0, init=False)

    def run(self, rows: Counts) -> Iterator[_Bucket]:
        """Yield the buckets that cannot be split further, with all labels done."""
        tops = self.trees.tops[rows][None, :]
        stack = [_Bucket(rows, tops, [])] if len(rows) else []
        while stack:
            bucket = self._tidy(stack.pop())
            if len(bucket.rows) < 2 * self.k:
                yield self._alike(bucket)
                continue
            parts = self._split(bucket)
            stack += parts
            if not parts:
                yield bucket._replace(done=[*bucket.done, *self._nodes(bucket.open)])

    def _nodes(self, open_: Offsets) -> list[int]:
        """Return the labels at places. They are the same in all columns."""
        nodes: list[int] = self.trees.node[open_[:, 0]].tolist()
        return nodes

    def _tidy(self, bucket: _Bucket) -> _Bucket:
        """Move items to the labels that are done, because they cannot be expanded."""
        items = bucket.open[:, 0] < self.trees.leaves
        if not items.any():
            return bucket
        return _Bucket(bucket.rows, bucket.open[~items], [*bucket.done, *self._nodes(bucket.open[items])])

    def _alike(self, bucket: _Bucket) -> _Bucket:
        """Expand all labels that all rows expand in the same way, if there are too few rows for two buckets."""
        while len(bucket.open):
            shapes = self.trees.shape[bucket.open]
            alike = (shapes == shapes[:, :1]).all(axis=1)
            below = [self.trees.kids_of(places) for places in bucket.open[alike]]
            self.expansions += len(below)
            done = [*bucket.done, *self._nodes(bucket.open[~alike])]
            bucket = self._tidy(_Bucket(bucket.rows, np.concatenate([bucket.open[:0], *below]), done))
        return bucket

    def _split(self, bucket: _Bucket) -> list[_Bucket]:
        """Expand the label with the largest gain. Return no buckets if none can be expanded."""
        shapes, gains = self.trees.shape[bucket.open], self.trees.gain[bucket.open]
        nodes, most = self._nodes(bucket.open), gains.sum(axis=1).tolist()
        best: tuple[tuple[int, int, int], int, _Expansion] | None = None
        open_ = np.ones(len(nodes), dtype=bool)
        for at in sorted(range(len(nodes)), key=lambda at: -most[at]):
            if best is not None and most[at] < best[2].gain:
                break
            column_shapes = shapes[at].tolist()
            sizes = Counter(column_shapes)
            if max(sizes.values()) < self.k:
                open_[at] = False  # permanently: fewer rows have even fewer of each shape
            else:
                candidate = self._expanded(sizes, column_shapes, gains[at].tolist())
                rank = (-candidate.gain, int(self.sizes[nodes[at]]), nodes[at])
                if best is None or rank < best[0]:
                    best = rank, at, candidate
        if best is None:
            return []
        self.expansions += 1
        _, chosen, expansion = best
        done = [*bucket.done, *(node for node, still in zip(nodes, open_, strict=True) if not still)]
        stay, groups = _grouped(shapes[chosen].tolist(), expansion)
        parts = []
        if stay:
            self.left += len(stay)
            parts.append(_Bucket(bucket.rows[stay], bucket.open[open_][:, stay], done))
        open_[chosen] = False
        for columns in groups:
            below = self.trees.kids_of(bucket.open[chosen, columns])
            parts.append(_Bucket(bucket.rows[columns], np.concatenate([bucket.open[open_][:, columns], below]), done))
        return parts

    def _expanded(self, sizes: Counter[int], shapes: Sequence[int], gains: Sequence[int]) -> _Expansion:
        """Return which rows go on and which stay behind if a label is expanded, in a bucket of at least 2k rows."""
        full = sorted((size, shape) for shape, size in sizes.items() if size >= self.k)
        short = len(shapes) - sum(size for size, _ in full)
        missing = self.k - short if short else 0
        given: list[int] = []
        if missing > sum(size - self.k for size, _ in full):
            full = full[1:]  # the smallest stays behind as a whole; there are others, else it could spare enough
        elif missing > 0:
            for size, shape in full:
                spare = min(size - self.k, missing - len(given))
                if spare:
                    least = sorted((gain, at) for at, gain in enumerate(gains) if shapes[at] == shape)
                    given += [at for _, at in least[:spare]]
        leaving = frozenset(shape for _, shape in full)
        gain = sum(gain for shape, gain in zip(shapes, gains, strict=True) if shape in leaving)
        return _Expansion(gain - sum(gains[at] for at in given), leaving, frozenset(given))


def _grouped(shapes: Sequence[int], expansion: _Expansion) -> tuple[list[int], list[list[int]]]:
    """Return the columns that stay behind, and the groups that go on."""
    stay: list[int] = []
    groups: dict[int, list[int]] = {shape: [] for shape in expansion.leaving}
    for at, shape in enumerate(shapes):
        (stay if at in expansion.given else groups.get(shape, stay)).append(at)
    return stay, list(groups.values())


def _in_order(indptr: Offsets, items: Codes) -> Counts:
    """Return the non-empty rows in the order of their items. Equal rows keep the input order."""
    text = items.astype(">i4").tobytes()
    keys = [text[start:stop] for start, stop in pairwise((4 * indptr).tolist())]
    return np.array(sorted(np.flatnonzero(np.diff(indptr)).tolist(), key=keys.__getitem__), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _RowTrees:
    """For each row, the part of the hierarchy above its items, as flat arrays.

    A *place* is a node in the tree of a row. The first places are the items of the rows, in their order. Then come
    internal nodes, each after its children. Nodes with a single child are left out: replacing such a node by its child
    changes no loss.
    """

    node: Codes  # [places] node of the hierarchy
    first: Offsets  # [places + 1] the children of place p, in the same row, are kids[first[p] : first[p + 1]]
    kids: Offsets
    shape: Counts  # [places] equal iff the children are the same nodes; sorted by their number, then their ids
    gain: Counts  # [places] the loss that is saved if its children are published instead
    tops: Offsets  # [rows] the place of the highest node; -1: the row is empty
    leaves: int  # places below this number are items

    @classmethod
    def of(cls, indptr: Offsets, items: Codes, parent: Codes, penalty: Counts, weights: Counts) -> _RowTrees:
        """Build the trees from the penalty of an item published as each node, and the weight of each item."""
        up, height = _branches(parent)
        row, node, weight = row_ids(indptr), items.astype(np.int64), weights[items]
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
        tops = np.full(len(indptr) - 1, -1, dtype=np.int64)
        tops[row] = place  # one place is left for each non-empty row
        every, first = np.concatenate(nodes), np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        below = np.concatenate(kids)
        shape = _shapes(every, first, below, len(parent))
        return cls(every.astype(np.int32), first, below, shape, np.concatenate(gains), tops, len(items))

    def kids_of(self, places: Offsets) -> Offsets:
        """Return the children of places of equal shape, one column for each place."""
        size = self.first[places[0] + 1] - self.first[places[0]]
        kids: Offsets = self.kids[self.first[places] + np.arange(size)[:, None]]
        return kids


def _branches(parent: Codes) -> tuple[Counts, Counts]:
    """Return for each node the closest ancestor with several children (-1: none), and the most such steps to a leaf."""
    n, above = len(parent), parent.tolist()
    children = np.bincount(parent[:-1], minlength=n)
    up, height = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for node in range(n - 2, -1, -1):
        up[node] = above[node] if children[above[node]] > 1 else up[above[node]]
    for node in range(n - 1):
        if children[node] != 1 and up[node] >= 0:
            height[up[node]] = max(height[up[node]], height[node] + 1)
    return up, height


def _shapes(node: Counts, first: Offsets, kids: Offsets, n_nodes: int) -> Counts:
    """Number the lists of children, by length and then lexicographically, from each list without its last entry."""
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
