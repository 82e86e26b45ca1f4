"""Partition, top-down local generalization (He and Naughton 2009; P4's rival LG) for transactional k-anonymity.

All non-empty rows start in one bucket, as the root. In a bucket, where all rows have the same labels, one label is
expanded: each row gets the children that it really has below the label, and rows with the same children go on
together. Then each group is a bucket of its own, until no label of any bucket can be expanded. What the paper, as our
notes tell it, leaves open is decided so:

- Groups of fewer than k rows stay behind together, with the label unexpanded. If these are 1..k-1 rows, others give up
  rows that they can spare and still be k, the smallest group first, then the one with fewer children, then lower ids;
  a group gives those rows first that gain least, then in the order of their items, then of the input. If all that can
  be spared is not enough, the first group in that order stays behind as a whole. If there is no other, the expansion is
  undone, and the other labels are tried; this can only be in a bucket of fewer than 2k rows.
- The label to expand is the one that gains most: by how much the loss falls in the rows that really are expanded, those
  that stay behind not counted, in exact whole numbers. Ties: fewer leaves, then the lower id.
- Nodes with a single child are passed at once: there is nothing to gain or to lose.
- Empty rows stay as they are.

It ends, as each expansion leaves either all rows together with more specific labels, or fewer rows in each bucket. A
label that gives no group of k rows gives none for some of the rows either: it is settled. In fewer than 2k rows only
those labels can be expanded that all of them expand alike, so their order does not matter.

Cost: for each bucket the rows times the labels that are still open; memory is proportional to the nodes above the
items of each row (see search/row_trees.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.algorithms import TreeAlgorithm
from shoal.data.arrays import Counts, Offsets, csr_from_pairs
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.privacy.transactional_k import TransactionalK
from shoal.problem import Prepared
from shoal.recoding import LocalNodes
from shoal.recoding.solution import Solution
from shoal.search.row_trees import RowTrees


@dataclass(frozen=True)
class Partition(TreeAlgorithm):
    """Top-down: records start as the root, and those that agree become more specific together, group by group."""

    name = "partition"
    title = "Partition (local generalization, LG)"
    paper = "He and Naughton, PVLDB 2009; P4's rival LG"
    solves = (TransactionalK,)
    reveals = "a probability of 2/3"

    def search(self, problem: Prepared[TransactionalK], engine: Engine) -> Solution:
        """Split buckets until none can be split."""
        privacy, hierarchy, items = problem.privacy, problem.hierarchy, problem.items
        problem.occurrences  # noqa: B018  (an error if the gains would not fit)
        weights = np.ones(hierarchy.n_leaves, dtype=np.int64) if problem.item_weights is None else problem.item_weights
        penalty = problem.loss.penalty(hierarchy.leaves, hierarchy.n_leaves)
        trees = RowTrees.of(items, hierarchy, penalty, weights)
        search = _Search(trees, hierarchy.leaves, privacy.k)
        rows, sizes, nodes, settled, tick = [], [], [], 0, engine.tick("partitioning")
        for bucket in search.run(_in_order(items)):
            rows.append(bucket.rows)
            sizes.append(len(bucket.done))
            nodes += bucket.done
            settled += len(bucket.rows)
            tick(settled / len(items))
        nothing = Transactions.nothing(len(items))
        indptr, labels = nothing.indptr, nothing.items
        if rows:
            counts, stops = [len(some) for some in rows], np.cumsum(sizes)
            each = np.repeat(sizes, counts)  # labels of each row
            at = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each - np.repeat(stops - sizes, counts), each)
            indptr, labels = csr_from_pairs(
                np.repeat(np.concatenate(rows), each), np.array(nodes, dtype=np.int32)[at], len(items)
            )
        statistics: dict[str, float] = {
            "buckets": len(rows),
            "expansions": search.expansions,
            "leftover_rows": search.left,
        }
        return Solution(LocalNodes(hierarchy, items, indptr, labels), statistics=statistics)


class _Bucket(NamedTuple):
    """Rows with equal labels."""

    rows: Counts  # [n]
    open: Offsets  # [labels, n] the places, in the tree of each row, of the labels that may yet be expanded
    done: list[int]  # the nodes of the others


class _Expansion(NamedTuple):
    """What becomes of a bucket when one label is expanded."""

    gain: int
    leaving: frozenset[int]  # the shapes that go on
    given: frozenset[int]  # columns with such a shape that stay behind all the same


@dataclass(eq=False)
class _Search:
    """Splits buckets."""

    trees: RowTrees
    sizes: Counts  # leaves of each node
    k: int
    expansions: int = field(default=0, init=False)
    left: int = field(default=0, init=False)  # rows that stayed behind, each as often as it did

    def run(self, rows: Counts) -> Iterator[_Bucket]:
        """The buckets that cannot be split further, all their labels done."""
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
        """The labels at places; the same in all columns."""
        nodes: list[int] = self.trees.node[open_[:, 0]].tolist()
        return nodes

    def _tidy(self, bucket: _Bucket) -> _Bucket:
        """Items cannot be expanded."""
        items = bucket.open[:, 0] < self.trees.leaves
        if not items.any():
            return bucket
        return _Bucket(bucket.rows, bucket.open[~items], [*bucket.done, *self._nodes(bucket.open[items])])

    def _alike(self, bucket: _Bucket) -> _Bucket:
        """Too few rows for two buckets: expand all labels that all rows expand alike, in any order."""
        while len(bucket.open):
            shapes = self.trees.shape[bucket.open]
            alike = (shapes == shapes[:, :1]).all(axis=1)
            below = [self.trees.kids_of(places) for places in bucket.open[alike]]
            self.expansions += len(below)
            done = [*bucket.done, *self._nodes(bucket.open[~alike])]
            bucket = self._tidy(_Bucket(bucket.rows, np.concatenate([bucket.open[:0], *below]), done))
        return bucket

    def _split(self, bucket: _Bucket) -> list[_Bucket]:
        """Expand the label that gains most; nothing, if none can be expanded."""
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
                open_[at] = False  # for good: among fewer rows there are even fewer of each shape
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
        """Who goes on and who stays behind if a label is expanded, in a bucket of 2k rows or more."""
        full = sorted((size, shape) for shape, size in sizes.items() if size >= self.k)
        short = len(shapes) - sum(size for size, _ in full)
        missing = self.k - short if short else 0
        given: list[int] = []
        if missing > sum(size - self.k for size, _ in full):
            full = full[1:]  # the smallest stays behind as a whole; it is not the only one, or it could spare enough
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
    """The columns that stay behind, and the groups that go on."""
    stay: list[int] = []
    groups: dict[int, list[int]] = {shape: [] for shape in expansion.leaving}
    for at, shape in enumerate(shapes):
        (stay if at in expansion.given else groups.get(shape, stay)).append(at)
    return stay, list(groups.values())


def _in_order(items: Transactions) -> Counts:
    """The rows that are not empty in the order of their items, equal ones in that of the input."""
    bounds = (4 * items.indptr).tolist()
    text = items.items.astype(">i4").tobytes()
    keys = [text[start:stop] for start, stop in pairwise(bounds)]
    return np.array(sorted(np.flatnonzero(items.sizes).tolist(), key=keys.__getitem__), dtype=np.int64)
