"""Repairs a cut by a table of all small sets of labels: the rows are read once, by all threads, and no row is kept.

The supports of sets of labels do not depend on the cut, because a row holds all generalizations of its items. So the
walk of AA over sets of up to three labels needs only the table of the cut that it starts from. A cut that was raised
uses a part of the table.

A table is used if it fits and is worth it (:func:`fits`). The result and its statistics are the same without it.

Cost: the time of the sets of labels at the cut in all rows; a byte for each possible set of labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Self

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.search.cuts.direct_pass import Pass
from shoal.kernels.search.cuts.set_table import MOST_K, MOST_LABELS, SetTable
from shoal.recoding import GlobalCut
from shoal.search.thinning import RowsByPerson, count_sets

WORTH = 100_000  # items of records: below this, a walk over the rows takes no time
PAYS = 4  # possible sets of labels for each set of items in the rows
MOST_BYTES = 1 << 27  # of a table
BYTES_OF_ITEM = 16  # of a larger table, for each item of the records: fewer than a walk over the rows takes
PARTS = 8  # parts of the rows that threads work on together


@dataclass(frozen=True, eq=False)
class CutLabels:
    """The nodes of a cut and those above it that occur, without the root, numbered in preorder."""

    hierarchy: Hierarchy
    node_of: Codes  # the node of each label
    label_of: Codes  # the label of the cut of each leaf; -1 for leaves that do not occur
    parent: Codes  # the label above each label; -1 below the root

    @classmethod
    def of(cls, hierarchy: Hierarchy, raised: list[int], supports: Counts) -> Self:
        """Number the labels at the cut ``raised`` and above it."""
        cut = GlobalCut.raising(hierarchy, raised)
        node_of_leaf = np.repeat(cut.nodes, hierarchy.leaves[cut.nodes])
        first = hierarchy.span[:, 0]
        nodes = np.arange(len(hierarchy), dtype=np.int32)
        there = (node_of_leaf[first] <= nodes) & (supports > 0) & (nodes != hierarchy.root)
        node_of = nodes[there][np.lexsort((-nodes[there], first[there]))]
        number = np.full(len(hierarchy), -1, dtype=np.int32)
        number[node_of] = np.arange(len(node_of))
        return cls(hierarchy, node_of, number[node_of_leaf], number[hierarchy.parent[node_of]])

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.node_of)

    def order(self, supports: Counts, *, by_leaves: bool) -> Codes:
        """Return the labels in the order of the count-tree (Terrovitis et al. 2008, s.4.1). Ties: lower nodes first."""
        key = (self.hierarchy.leaves if by_leaves else supports)[self.node_of]
        return np.lexsort((self.node_of, -key)).astype(np.int32)


def may_fit(size: int, k: int, items: Transactions) -> bool:
    """Whether there are tables of sets of this size, and enough rows for them."""
    return 0 < size <= MOST_LABELS and 1 < k <= MOST_K and items.total_items >= WORTH


def fits(labels: int, size: int, items: Transactions) -> bool:
    """Whether a table of the sets of up to ``size`` labels is small enough, and worth it. The data alone decide."""
    cells = sum(comb(labels, of) for of in range(size + 1))
    bytes_of_cell = 5 if len(items.repeaters) else 1
    largest = max(MOST_BYTES, BYTES_OF_ITEM * items.total_items)
    return cells * bytes_of_cell <= largest and cells <= PAYS * count_sets(items, size)


def repair(
    items: Transactions,
    labels: CutLabels,
    costs: Counts,
    supports: Counts,
    k: int,
    sizes: range,
    raised: list[int],
    engine: Engine,
    *,
    by_leaves: bool = False,
) -> Pass:
    """Run direct anonymization from the cut ``raised``, one pass for each size. Smaller sets must be safe.

    ``supports``: of the nodes in all rows. ``labels``: those of this cut.
    """
    table = _counted(items, labels, k, sizes[-1], engine)
    tree = labels.hierarchy
    return table.repair(
        labels.node_of,
        labels.order(supports, by_leaves=by_leaves),
        tree.parent,
        tree.span,
        costs,
        tree.n_leaves,
        sizes,
        raised,
        tick=engine.tick("repairing"),
    )


def _add(table: SetTable, part: RowsByPerson) -> None:
    table.add(*part.arrays)


def _counted(items: Transactions, labels: CutLabels, k: int, size: int, engine: Engine) -> SetTable:
    """Count the sets of all rows. All threads work on one part, so that Ctrl-C ends them all."""
    rows, stage, before = RowsByPerson.of(items), "counting sets", 0
    make = partial(SetTable, labels.label_of, labels.parent, k, size, persons=len(rows.persons) > 0)
    if rows.bounds is not None:
        return engine.accumulate(stage, make, _add, rows)
    table = make()

    def add(part: RowsByPerson, _: Engine) -> None:
        nonlocal before

        def tick(share: float) -> None:
            engine.progress(stage, (before + share * len(part)) / max(1, len(rows)))

        table.add(*part.arrays, threads=engine.threads, tick=tick)
        before += len(part)

    for _ in replace(engine, workers=1, part_rows=engine.part_rows * PARTS).over(stage, add, rows):
        pass
    return table
