"""The kinds of solution that an algorithm may return, each of which knows how to apply itself."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, counted, csr_from_pairs, frozen, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import DataError, HierarchyError
from shoal.published import Grouping, Published


class Recoding(ABC):
    """How the data are to be changed."""

    @abstractmethod
    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """The published rows, with what was set apart from them; same number and order as the given ones."""

    @abstractmethod
    def summary(self) -> dict[str, object]:
        """For reports: what was changed."""


@dataclass(frozen=True, eq=False)
class GlobalCut(Recoding):
    """One hierarchy cut for all transactions: exactly one node on every path from the root to a leaf.

    The items of some nodes of the cut may be suppressed: they vanish from every transaction.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> cut = GlobalCut.raising(h, [h.code_of["A"]])
    >>> cut.labels
    ('A', 'b1', 'b2')
    >>> [sorted(row) for row in cut.apply(h.encode(Transactions.from_sets([["a1", "a2", "b2"]]))).rows.sets()]
    [['A', 'b2']]
    >>> cut = GlobalCut.raising(h, [h.code_of["A"]], suppressed=[h.code_of["b2"]])
    >>> cut.labels, cut.suppressed_labels
    (('A', 'b1'), ('b2',))
    """

    hierarchy: Hierarchy
    nodes: Codes  # in leaf order
    suppressed: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))  # those of the nodes that vanish

    def __post_init__(self) -> None:
        """Refuse what is not a cut."""
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int32))
        object.__setattr__(self, "suppressed", frozen(np.unique(self.suppressed), np.int32))
        spans = self.hierarchy.span[self.nodes]
        tiles = (
            np.array_equal(spans[1:, 0], spans[:-1, 1]) and spans[0, 0] == 0 and spans[-1, 1] == self.hierarchy.n_leaves
        )
        if not tiles:
            raise HierarchyError("GlobalCut: the nodes must cover every leaf exactly once, in leaf order.")
        if not np.isin(self.suppressed, self.nodes).all():
            raise HierarchyError("GlobalCut: only nodes of the cut can be suppressed.")

    @classmethod
    def raising(cls, hierarchy: Hierarchy, raised: Iterable[int], suppressed: Iterable[int] = ()) -> GlobalCut:
        """The most specific cut at or above all the raised nodes; of its nodes, some are suppressed."""
        node_of = np.arange(hierarchy.n_leaves, dtype=np.int32)
        for node in sorted(raised):  # ancestors have higher ids and come later
            node_of[slice(*hierarchy.span[node])] = node
        first = np.flatnonzero(np.diff(node_of, prepend=-1))
        return cls(hierarchy, node_of[first], np.array(sorted(suppressed), dtype=np.int32))

    def __repr__(self) -> str:
        """In figures."""
        gone = f", {len(self.suppressed):,} suppressed" if len(self.suppressed) else ""
        return f"GlobalCut({len(self.nodes):,} labels over {self.hierarchy.n_leaves:,} items{gone})"

    @property
    def kept(self) -> Codes:
        """The nodes that are published, in leaf order."""
        return self.nodes[~np.isin(self.nodes, self.suppressed)]

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
        """The items themselves, without those that are suppressed."""
        code_of = np.arange(len(items.labels), dtype=np.int32)
        for first, stop in self.hierarchy.span[self.suppressed]:
            code_of[first:stop] = -1
        return items.recode(code_of, items.labels) if len(self.suppressed) else items

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its node of the cut, or by nothing."""
        codes = np.full(len(self.nodes), -1, dtype=np.int32)
        codes[~np.isin(self.nodes, self.suppressed)] = np.arange(len(self.kept))
        code_of = np.repeat(codes, self.hierarchy.leaves[self.nodes])
        return Published.from_nodes(items.recode(code_of, self.labels), self.kept, self.hierarchy, hidden)

    def summary(self) -> dict[str, object]:
        """The cut in figures."""
        sizes = self.hierarchy.leaves[self.kept]
        return {
            "kind": "global cut",
            "labels": len(self.kept),
            "intact_items": int(np.count_nonzero(self.kept < self.hierarchy.n_leaves)),
            "generalized_items": int(sizes[self.kept >= self.hierarchy.n_leaves].sum()),
            "groups": int(np.count_nonzero(self.kept >= self.hierarchy.n_leaves)),
            "suppressed_labels": len(self.suppressed),
        }


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
    chunk_of: Counts  # for each row, which cut it is published at

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "chunk_of", frozen(self.chunk_of, np.int64))

    def __repr__(self) -> str:
        """In figures."""
        return f"LocalCuts({len(self.cuts):,} chunks of {len(self.chunk_of):,} rows)"

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its node of the cut of its row's chunk."""
        hierarchy = self.cuts[0].hierarchy
        nodes = np.unique(np.concatenate([cut.nodes for cut in self.cuts]))
        node_of = np.stack([np.repeat(cut.nodes, hierarchy.leaves[cut.nodes]) for cut in self.cuts])
        rows = row_ids(items.indptr)
        codes = np.searchsorted(nodes, node_of[self.chunk_of[rows], items.items])
        labels = tuple(hierarchy.labels[node] for node in nodes)
        published = Transactions(*csr_from_pairs(rows, codes, len(items)), labels)
        return Published.from_nodes(published, nodes, hierarchy, hidden)

    def summary(self) -> dict[str, object]:
        """The cuts in figures."""
        nodes = np.unique(np.concatenate([cut.nodes for cut in self.cuts]))
        n_leaves = self.cuts[0].hierarchy.n_leaves
        intact = sum(np.isin(np.arange(n_leaves), cut.nodes).astype(int) for cut in self.cuts)
        return {
            "kind": "local cuts",
            "chunks": len(self.cuts),
            "rows_of_chunks": np.bincount(self.chunk_of, minlength=len(self.cuts)).tolist(),
            "labels": len(nodes),
            "intact_items": int(np.count_nonzero(np.asarray(intact) == len(self.cuts))),  # in every chunk
            "groups": int(np.count_nonzero(nodes >= n_leaves)),
        }


@dataclass(frozen=True, eq=False)
class LocalNodes(Recoding):
    """Local recoding: each row has hierarchy nodes of its own, none above another, each above one of its items.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> rows = h.encode(Transactions.from_sets([["a1", "b1"], ["a1", "a2"], ["a1", "b1"]]))
    >>> made = LocalNodes(h, rows, np.array([0, 2, 3, 5]), np.array([0, 2, 4, 0, 2]))
    >>> [sorted(row) for row in made.apply(rows).rows.sets()]
    [['a1', 'b1'], ['A'], ['a1', 'b1']]
    >>> made.summary()["intact_items"], made.summary()["different_records"]
    (1, 2)
    """

    hierarchy: Hierarchy
    items: Transactions  # the rows that it was made for
    indptr: Offsets
    nodes: Codes  # row r is published as nodes[indptr[r]:indptr[r + 1]], ascending

    def __post_init__(self) -> None:
        """Sort and freeze."""
        indptr, nodes = csr_from_pairs(row_ids(self.indptr), self.nodes, len(self.indptr) - 1)
        object.__setattr__(self, "indptr", frozen(indptr, np.int64))
        object.__setattr__(self, "nodes", frozen(nodes, np.int32))

    def __repr__(self) -> str:
        """In figures."""
        return f"LocalNodes({len(self.nodes):,} labels of {len(self.indptr) - 1:,} rows)"

    def _covering(self, items: Transactions) -> Counts:
        """For each occurrence the entry of ``nodes`` that covers it; an error if it does not fit these rows."""
        rows, spans, width = row_ids(self.indptr), self.hierarchy.span[self.nodes], self.hierarchy.n_leaves
        starts, ends = rows * width + spans[:, 0], rows * width + spans[:, 1]
        order = np.argsort(starts, kind="stable")
        fits = len(items) == len(self.indptr) - 1 and items.labels == self.hierarchy.items
        if fits and bool(np.all(starts[order][1:] >= ends[order][:-1])):
            keys = row_ids(items.indptr) * width + items.items
            at = np.searchsorted(starts[order], keys, side="right") - 1
            if bool(np.all(at >= 0)) and bool(np.all(keys < ends[order][at])) and len(np.unique(at)) == len(order):
                found: Counts = order[at]
                return found
        raise HierarchyError(
            "LocalNodes: in every row the nodes must cover each item exactly once, and nothing but its items."
        )

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by the node of its row that covers it."""
        self._covering(items)
        nodes, codes = np.unique(self.nodes, return_inverse=True)
        labels = tuple(self.hierarchy.labels[node] for node in nodes)
        published = Transactions(*csr_from_pairs(row_ids(self.indptr), codes, len(items)), labels)
        return Published.from_nodes(published, nodes, self.hierarchy, hidden)

    def summary(self) -> dict[str, object]:
        """The rows in figures; an item is intact if it is so in every row that has it."""
        nodes = np.unique(self.nodes)
        blurred = self.hierarchy.leaves[self.nodes[self._covering(self.items)]] > 1
        bounds, text = (4 * self.indptr).tolist(), self.nodes.tobytes()
        return {
            "kind": "local labels",
            "labels": len(nodes),
            "intact_items": len(np.setdiff1d(self.items.items, self.items.items[blurred])),
            "intact_occurrences": int(np.count_nonzero(~blurred)),
            "groups": int(np.count_nonzero(self.hierarchy.leaves[nodes] > 1)),
            "different_records": len({text[start:stop] for start, stop in pairwise(bounds)}),
        }


@dataclass(frozen=True, eq=False)
class Flips(Recoding):
    """Items are added and deleted so that the rows of a group become the same (P1's procedure Flipped).

    Of the items that may be known, all rows of a group get those that more than half of them have. An exact tie is
    decided by the group's seed row, if it has one; else the item is deleted. Sensitive items are only ever added: each
    row of a group gets all that any of them has. Rows in no group stay as they are.

    >>> rows = Transactions.from_sets([["a", "b"], ["a"], ["b", "c"], ["c"]])
    >>> made = Flips(Grouping(np.array([0, 0, 0, -1]), 3), np.array([0])).apply(rows)
    >>> [sorted(row) for row in made.rows.sets()]
    [['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']]
    """

    grouping: Grouping
    seeds: Counts  # for each group, the row that decides ties; -1: none

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "seeds", frozen(self.seeds, np.int64))
        if len(self.seeds) != len(self.grouping):
            raise DataError(f"Flips: {len(self.grouping)} groups but seeds of {len(self.seeds)}.")

    def __repr__(self) -> str:
        """In figures."""
        return f"Flips({len(self.grouping):,} groups of {np.count_nonzero(self.grouping.of >= 0):,} rows)"

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Make the rows of each group the same."""
        rows = self._common(items, *self._majority(items))
        if hidden is not None:
            values = self._common(hidden.items, *_shared(hidden.items, self.grouping)[:2])
            hidden = replace(hidden, values=values, items=values)
        return replace(Published.plain(rows, hidden), grouping=self.grouping)

    def summary(self) -> dict[str, object]:
        """The groups in figures."""
        return {"kind": "flips", **_sizes(self.grouping)}

    def _majority(self, items: Transactions) -> tuple[Counts, Codes]:
        """The items that each group keeps, as pairs of group and item."""
        groups, codes, counts = _shared(items, self.grouping)
        twice, sizes = 2 * counts, self.grouping.sizes[groups]
        tied = np.flatnonzero((twice == sizes) & (self.seeds[groups] >= 0))
        kept = twice > sizes
        if len(tied):
            width = max(1, len(items.labels))
            held = row_ids(items.indptr) * width + items.items  # ascending
            wanted = self.seeds[groups[tied]] * width + codes[tied]
            at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
            kept[tied] = held[at] == wanted
        return groups[kept], codes[kept]

    def _common(self, rows: Transactions, groups: Counts, codes: Codes) -> Transactions:
        """The rows, with each that is in a group replaced by what its group has in common."""
        common = Transactions(*csr_from_pairs(groups, codes, len(self.grouping)), rows.labels)
        of = self.grouping.of
        return rows.followed_by(common).take(np.where(of < 0, np.arange(len(rows)), len(rows) + of))


@dataclass(frozen=True, eq=False)
class Dealt(Recoding):
    """Inside each group of rows the sensitive items are dealt anew; all other items stay as they are.

    Which rows get a sensitive item depends on the seed and on how many rows of the group held it, not on which ones: so
    nobody can turn it back, not even with the seed.

    >>> from shoal.data import Dataset
    >>> from shoal.data.sensitive import take_apart
    >>> known, hidden = take_apart(Dataset(Transactions.from_sets([["a", "HIV"], ["b"], ["c", "HIV"]])), ["HIV"])
    >>> made = Dealt(Grouping(np.array([0, 0, 1]), 1), seed=0).apply(known.in_use(), hidden)
    >>> [sorted(row) for row in made.as_written.sets()]
    [['a'], ['HIV', 'b'], ['HIV', 'c']]
    """

    grouping: Grouping
    seed: int = 0

    def __repr__(self) -> str:
        """In figures."""
        return f"Dealt({len(self.grouping):,} groups of {np.count_nonzero(self.grouping.of >= 0):,} rows)"

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Deal the sensitive items of each group to its rows."""
        if hidden is not None:
            groups, codes, counts = _shared(hidden.items, self.grouping)
            order = np.argsort(self.grouping.of, kind="stable")
            starts = np.searchsorted(self.grouping.of[order], np.arange(len(self.grouping) + 1))
            deck = random.Random(self.seed)
            rows = [
                row
                for group, count in zip(groups.tolist(), counts.tolist(), strict=True)
                for row in deck.sample(order[starts[group] : starts[group + 1]].tolist(), count)
            ]
            alone = np.flatnonzero(self.grouping.of[row_ids(hidden.items.indptr)] < 0)
            dealt = np.concatenate([np.array(rows, dtype=np.int64), row_ids(hidden.items.indptr)[alone]])
            given = np.concatenate([np.repeat(codes, counts), hidden.items.items[alone]])
            values = Transactions(*csr_from_pairs(dealt, given, len(items)), hidden.items.labels)
            hidden = replace(hidden, values=values, items=values)
        return replace(Published.plain(items, hidden), grouping=self.grouping)

    def summary(self) -> dict[str, object]:
        """The groups in figures."""
        return {"kind": "dealt", **_sizes(self.grouping)}


def _sizes(grouping: Grouping) -> dict[str, int]:
    """Groups in figures."""
    sizes = grouping.sizes
    return {"groups": len(sizes), "rows_in_groups": int(sizes.sum()), "largest_group": int(sizes.max(initial=0))}


def _shared(rows: Transactions, grouping: Grouping) -> tuple[Counts, Codes, Counts]:
    """Each item of each group: the group, the item, and how many of its rows have it; in this order."""
    width = max(1, len(rows.labels))
    groups = grouping.of[row_ids(rows.indptr)]
    inside = groups >= 0
    pairs, counts = counted(groups[inside] * width + rows.items[inside])
    found, codes = np.divmod(pairs, width)
    return found, codes.astype(np.int32), counts
