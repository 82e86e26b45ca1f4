"""Recoding by nodes of a hierarchy: one cut for all rows, one for each chunk, or other nodes for each row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, frozen, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import HierarchyError
from shoal.published import Published
from shoal.recoding import chunks
from shoal.recoding.base import Recoding, RecodingSummary


@dataclass(frozen=True, eq=False)
class GlobalCut(Recoding):
    """One hierarchy cut for all transactions: exactly one node on every path from the root to a leaf.

    The items of some nodes at or below the cut may be suppressed. They are removed from every transaction.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> cut = GlobalCut.raising(h, [h.code_of["A"]])
    >>> cut.labels
    ('A', 'b1', 'b2')
    >>> [sorted(row) for row in cut.apply(h.encode(Transactions.from_sets([["a1", "a2", "b2"]]))).rows.sets()]
    [['A', 'b2']]
    >>> cut = GlobalCut.raising(h, [h.code_of["A"]], suppressed=[h.code_of["b2"]])
    >>> cut.labels, cut.suppressed_labels
    (('A', 'b1'), ('b2',))
    >>> below = GlobalCut.raising(h, [h.code_of["B"]], suppressed=[h.code_of["b2"]])
    >>> [sorted(row) for row in below.apply(h.encode(Transactions.from_sets([["a1", "b2"], ["b1"]]))).rows.sets()]
    [['a1'], ['B']]
    """

    hierarchy: Hierarchy
    nodes: Codes  # in leaf order
    suppressed: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))  # the suppressed nodes
    order: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))  # of published labels: these nodes first

    def __post_init__(self) -> None:
        """Refuse nodes that are not a cut."""
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int32))
        object.__setattr__(self, "suppressed", frozen(np.unique(self.suppressed), np.int32))
        spans = self.hierarchy.span[self.nodes]
        tiles = (
            np.array_equal(spans[1:, 0], spans[:-1, 1]) and spans[0, 0] == 0 and spans[-1, 1] == self.hierarchy.n_leaves
        )
        if not tiles:
            raise HierarchyError("GlobalCut: the nodes must cover every leaf exactly once, in leaf order.")
        gone = self.suppressed
        above = self._node_of[self.hierarchy.span[gone, 0]]  # the node of the cut on the same path
        if not (self.hierarchy.span[above, 1] >= self.hierarchy.span[gone, 1]).all() or (above < gone).any():
            raise HierarchyError("GlobalCut: only nodes at or below the cut can be suppressed.")

    @classmethod
    def raising(cls, hierarchy: Hierarchy, raised: Iterable[int], suppressed: Iterable[int] = ()) -> GlobalCut:
        """Return the most specific cut at or above all raised nodes, with some of its nodes suppressed."""
        node_of = np.arange(hierarchy.n_leaves, dtype=np.int32)
        for node in sorted(raised):  # ancestors have higher ids and come later
            node_of[slice(*hierarchy.span[node])] = node
        first = np.flatnonzero(np.diff(node_of, prepend=-1))
        return cls(hierarchy, node_of[first], np.array(sorted(suppressed), dtype=np.int32))

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        gone = f", {len(self.suppressed):,} suppressed" if len(self.suppressed) else ""
        return f"GlobalCut({len(self.nodes):,} labels over {self.hierarchy.n_leaves:,} items{gone})"

    @property
    def global_cut(self) -> GlobalCut:
        """The cut itself."""
        return self

    @cached_property
    def _node_of(self) -> Codes:
        """The node of the cut that covers each item."""
        return np.repeat(self.nodes, self.hierarchy.leaves[self.nodes])

    @cached_property
    def _gone(self) -> npt.NDArray[np.bool_]:
        """For each item, whether it is suppressed."""
        gone = np.zeros(self.hierarchy.n_leaves, dtype=np.bool_)
        for first, stop in self.hierarchy.span[self.suppressed]:
            gone[first:stop] = True
        return gone

    @cached_property
    def kept(self) -> Codes:
        """The nodes that are published: those with an item that is not suppressed. By default in leaf order."""
        published = self.nodes[np.isin(self.nodes, np.unique(self._node_of[~self._gone]))]
        place = np.full(len(self.hierarchy), len(self.order))
        place[self.order] = np.arange(len(self.order))
        return published[np.argsort(place[published], kind="stable")]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that are published."""
        return tuple(self.hierarchy.labels[node] for node in self.kept)

    @property
    def suppressed_labels(self) -> tuple[str, ...]:
        """The labels that are suppressed."""
        return tuple(self.hierarchy.labels[node] for node in self.suppressed)

    @property
    def raised(self) -> list[int]:
        """The nodes of the cut that are not leaves."""
        return [int(node) for node in self.nodes if node >= self.hierarchy.n_leaves]

    def left(self, items: Transactions) -> Transactions:
        """Return the original rows without suppressed items."""
        codes = np.arange(len(items.labels), dtype=np.int32)
        return items.recode(np.where(self._gone, np.int32(-1), codes), items.labels) if len(self.suppressed) else items

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its node of the cut, or remove it if that is suppressed."""
        codes = np.full(len(self.hierarchy), -1, dtype=np.int32)
        codes[self.kept] = np.arange(len(self.kept))
        code_of = np.where(self._gone, np.int32(-1), codes[self._node_of])
        return Published.from_nodes(
            items.recode(code_of, self.labels, "generalizing"), self.kept, self.hierarchy, hidden
        )

    @property
    def published_nodes(self) -> Codes:
        """Return the nodes that are not suppressed."""
        return self.kept

    def on(self, hierarchy: Hierarchy) -> GlobalCut:
        """Return the same cut, labelled by another hierarchy."""
        return replace(self, hierarchy=hierarchy)

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> GlobalCut:
        """Return the same cut on a hierarchy with more nodes."""
        return GlobalCut(hierarchy, node_of[self.nodes], node_of[self.suppressed], node_of[self.order])

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the cut. Given the original rows, count only items and labels that occur."""
        occur = np.ones(self.hierarchy.n_leaves, dtype=np.bool_) if items is None else items.supports > 0
        gone, below = _below(self.hierarchy, occur), _below(self.hierarchy, occur & ~self._gone)
        used, leaf = below[self.kept] > 0, self.kept < self.hierarchy.n_leaves
        return RecodingSummary(
            "global cut",
            labels=int(np.count_nonzero(used)),
            different_unchanged_items=int(np.count_nonzero(used & leaf)),
            generalized_items=int(below[self.kept[~leaf]].sum()),
            groups=int(np.count_nonzero(used & ~leaf)),
            suppressed_labels=int(np.count_nonzero(gone[self.suppressed])),
        )


@dataclass(frozen=True, eq=False)
class LocalCuts(Recoding):
    """Local recoding: the rows are split into chunks, each with a cut of its own.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> cuts = (GlobalCut.raising(h, [h.code_of["A"]]), GlobalCut.raising(h, []))
    >>> rows = h.encode(Transactions.from_sets([["a1", "b1"], ["a1", "b1"]]))
    >>> [sorted(row) for row in LocalCuts(cuts, np.array([0, 1])).apply(rows).rows.sets()]
    [['A', 'b1'], ['a1', 'b1']]
    """

    cuts: tuple[GlobalCut, ...]
    chunk_of: Counts  # the cut of each row

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        object.__setattr__(self, "chunk_of", frozen(self.chunk_of, np.int64))

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"LocalCuts({len(self.cuts):,} chunks of {len(self.chunk_of):,} rows)"

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its node of the cut of its row's chunk."""
        hierarchy, nodes = self.cuts[0].hierarchy, self.published_nodes
        own = np.concatenate([cut.nodes for cut in self.cuts])  # the nodes of a cut cover all leaves, in their order
        starts = np.cumsum(hierarchy.leaves[own]) - hierarchy.leaves[own]
        codes = np.searchsorted(nodes, own).astype(np.int32)
        labels = tuple(hierarchy.labels[node] for node in nodes)
        published = chunks.recoded(items, self.chunk_of, chunks.by_start(starts, codes, hierarchy.n_leaves), labels)
        return Published.from_nodes(published, nodes, hierarchy, hidden)

    @property
    def published_nodes(self) -> Codes:
        """Return the nodes of all cuts."""
        return np.unique(np.concatenate([cut.nodes for cut in self.cuts]))

    def on(self, hierarchy: Hierarchy) -> LocalCuts:
        """Return the same cuts, labelled by another hierarchy."""
        return replace(self, cuts=tuple(cut.on(hierarchy) for cut in self.cuts))

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> LocalCuts:
        """Return the same cuts on a hierarchy with more nodes."""
        return replace(self, cuts=tuple(cut.moved(hierarchy, node_of) for cut in self.cuts))

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the cuts. Given the original rows, count only items and labels that occur."""
        hierarchy = self.cuts[0].hierarchy
        n_leaves, below = hierarchy.n_leaves, _items_below(hierarchy, items)
        nodes = self.published_nodes[below[self.published_nodes] > 0]
        occurring = np.flatnonzero(below[:n_leaves])
        unchanged = sum(np.isin(occurring, cut.nodes).astype(int) for cut in self.cuts)
        return RecodingSummary(
            "local cuts",
            chunks=len(self.cuts),
            rows_of_chunks=tuple(np.bincount(self.chunk_of, minlength=len(self.cuts)).tolist()),
            labels=len(nodes),
            different_unchanged_items=int(np.count_nonzero(np.asarray(unchanged) == len(self.cuts))),  # in every chunk
            groups=int(np.count_nonzero(nodes >= n_leaves)),
        )


@dataclass(frozen=True, eq=False)
class LocalNodes(Recoding):
    """Local recoding: each row has its own nodes. None is above another, and each is at or above one of its items.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> rows = h.encode(Transactions.from_sets([["a1", "b1"], ["a1", "a2"], ["a1", "b1"]]))
    >>> recoding = LocalNodes(h, rows, np.array([0, 2, 3, 5]), np.array([0, 2, 4, 0, 2]))
    >>> [sorted(row) for row in recoding.apply(rows).rows.sets()]
    [['a1', 'b1'], ['A'], ['a1', 'b1']]
    >>> recoding.summary().different_unchanged_items, recoding.summary().different_records
    (1, 2)
    """

    hierarchy: Hierarchy
    items: Transactions  # the rows that it was made for
    indptr: Offsets
    nodes: Codes  # row r is published as nodes[indptr[r]:indptr[r + 1]], ascending

    def __post_init__(self) -> None:
        """Sort the nodes, and make the arrays read-only."""
        indptr, nodes = csr_from_pairs(row_ids(self.indptr), self.nodes, len(self.indptr) - 1)
        object.__setattr__(self, "indptr", frozen(indptr, np.int64))
        object.__setattr__(self, "nodes", frozen(nodes, np.int32))

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"LocalNodes({len(self.nodes):,} labels of {len(self.indptr) - 1:,} rows)"

    def _covering(self, items: Transactions) -> Counts:
        """Return the entry of ``nodes`` that covers each item of each row. Raise an error if there is none."""
        rows, spans, width = row_ids(self.indptr), self.hierarchy.span[self.nodes], self.hierarchy.n_leaves
        starts, ends = rows * width + spans[:, 0], rows * width + spans[:, 1]
        order = np.argsort(starts, kind="stable")
        fits = len(items) == len(self.indptr) - 1 and items.labels == self.hierarchy.items
        if fits and bool(np.all(starts[order][1:] >= ends[order][:-1])):
            keys = row_ids(items.indptr) * width + items.items
            at = np.searchsorted(starts[order], keys, side="right") - 1  # ascending, because the keys are
            used = np.count_nonzero(np.diff(at, prepend=-1))
            if bool(np.all(at >= 0)) and bool(np.all(keys < ends[order][at])) and used == len(order):
                entries: Counts = order[at]
                return entries
        raise HierarchyError(
            "LocalNodes: in every row, the nodes must cover each item exactly once, and each must cover an item."
        )

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by the node of its row that covers it."""
        self._covering(items)
        nodes = self.published_nodes
        codes = np.searchsorted(nodes, np.arange(len(self.hierarchy)))[self.nodes]
        labels = tuple(self.hierarchy.labels[node] for node in nodes)
        published = Transactions(*csr_from_pairs(row_ids(self.indptr), codes, len(items)), labels)
        return Published.from_nodes(published, nodes, self.hierarchy, hidden)

    @property
    def published_nodes(self) -> Codes:
        """Return the nodes of all rows."""
        return np.flatnonzero(np.bincount(self.nodes, minlength=len(self.hierarchy))).astype(np.int32)

    def on(self, hierarchy: Hierarchy) -> LocalNodes:
        """Return the same nodes, labelled by another hierarchy."""
        return replace(self, hierarchy=hierarchy)

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> LocalNodes:
        """Return the same nodes on a hierarchy with more nodes."""
        return replace(self, hierarchy=hierarchy, nodes=node_of[self.nodes])

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the rows. An item is unchanged if it is unchanged in every row that contains it."""
        nodes = self.published_nodes
        blurred = self.hierarchy.leaves[self.nodes[self._covering(self.items)]] > 1
        bounds, text = (4 * self.indptr).tolist(), self.nodes.tobytes()
        return RecodingSummary(
            "local labels",
            labels=len(nodes),
            different_unchanged_items=len(np.setdiff1d(self.items.items, self.items.items[blurred])),
            unchanged_items=int(np.count_nonzero(~blurred)),
            groups=int(np.count_nonzero(self.hierarchy.leaves[nodes] > 1)),
            different_records=len({text[start:stop] for start, stop in pairwise(bounds)}),
        )


def _items_below(hierarchy: Hierarchy, items: Transactions | None) -> Counts:
    """Count the items below each node that occur in the rows; without rows, count all items."""
    return hierarchy.leaves if items is None else _below(hierarchy, items.supports > 0)


def _below(hierarchy: Hierarchy, counted: npt.NDArray[np.bool_]) -> Counts:
    """Count the items below each node that are marked."""
    sums = np.concatenate([[0], np.cumsum(counted)])
    below: Counts = sums[hierarchy.span[:, 1]] - sums[hierarchy.span[:, 0]]
    return below
