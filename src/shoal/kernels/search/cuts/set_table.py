"""Counts all sets of up to three labels at a cut and above it, up to k, and repairs a cut by these counts alone."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, no_progress
from shoal.kernels.merging import MergeableCounts
from shoal.kernels.search.cuts.direct_pass import Pass, direct_pass_twin

MOST_K, MOST_LABELS = 255, 3  # of the counts in one byte; of a set


class SetTable(MergeableCounts):
    """The supports, up to k, of sets of labels in the rows that were added.

    Labels are the nodes of a cut and those above it, without the root, numbered in preorder.

    Parameters
    ----------
    label_of
        The label of the cut of each leaf, or -1 if no row has the leaf.
    parent
        The label above each label, or -1 below the root.
    k
        Persons that make a set frequent, up to ``MOST_K``.
    size
        The size of the largest sets, up to ``MOST_LABELS``.
    persons
        Whether some persons have several rows.

    Examples
    --------
    >>> table = SetTable(np.array([1, 2, 3], dtype=np.int32), np.array([-1, 0, 0, -1], dtype=np.int32), k=2, size=2)
    >>> table.add(np.array([0, 2, 4, 5]), np.array([0, 2, 1, 2, 0], dtype=np.int32))
    >>> table.support([1, 3]), table.support([0, 3]), table.support([0])
    (1, 2, 2)
    """

    def __init__(self, label_of: Codes, parent: Codes, k: int, size: int, *, persons: bool = False) -> None:
        self._made_by(SetTableTwin, label_of, parent, k, size, persons)

    def add(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes = NOBODY,
        *,
        threads: int = 1,
        tick: Tick = no_progress,
    ) -> None:
        """Count more rows. Items must rise in each row, and the rows of a person must be consecutive."""
        self._kernel.add(indptr, items, persons, threads, tick)

    def support(self, labels: list[int]) -> int:
        """Return the support of labels, none above another, in ascending order: exact below k, and k otherwise.

        Without labels: the number of persons with a row that has labels, up to k.
        """
        support: int = self._kernel.support(np.array(labels, dtype=np.int32))
        return support

    def repair(
        self,
        node_of: Codes,
        order: Codes,
        parent: Codes,
        span: Codes,
        cost: Counts,
        leaves: int,
        sizes: range,
        raised: list[int],
        *,
        tick: Tick = no_progress,
    ) -> Pass:
        """Run direct anonymization from the cut ``raised``: one pass for each size. Smaller sets must be safe.

        ``node_of``: the node of each label. ``order``: the labels in the order of the count-tree.
        """
        nodes = np.array(sorted(raised), dtype=np.int32)
        tree = (parent, flat(span), cost, leaves)
        return Pass(*self._kernel.repair(node_of, order, *tree, sizes[0], sizes[-1], nodes, tick))


class SetTableTwin:
    """Keep the rows, and ask them."""

    def __init__(self, label_of: Codes, parent: Codes, k: int, size: int, persons: bool) -> None:
        self._label_of, self._parent, self._k = label_of.tolist(), parent.tolist(), k
        self._rows: list[tuple[int, ...]] = []
        self._people: list[int] = []

    def add(self, indptr: Offsets, items: Codes, persons: Codes, threads: int, tick: Tick) -> None:
        """Number the rows of persons with one row on."""
        tick(0.0)
        before = len(self._rows)
        self._people += [one if one >= 0 else one - before for one in people_of(indptr, persons)]
        self._rows += rows_of(indptr, items)

    def cells(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return all rows and their persons."""
        return self._rows, self._people

    def merge_cells(self, cells: tuple[list[tuple[int, ...]], list[int]]) -> None:
        """Add rows of other persons."""
        rows, people = cells
        before = len(self._rows)
        self._people += [one if one >= 0 else one - before for one in people]
        self._rows += rows

    def support(self, labels: Codes) -> int:
        """Count the persons of the rows that hold all labels."""
        wanted, nodes = set(labels.tolist()), map(self._nodes, self._rows)
        return min(self._k, len({one for own, one in zip(nodes, self._people, strict=True) if own and own >= wanted}))

    def _nodes(self, row: tuple[int, ...]) -> set[int]:
        """Return the labels of a row and those above them."""
        nodes = set[int]()
        for item in row:
            label = self._label_of[item]
            while label >= 0:
                nodes.add(label)
                label = self._parent[label]
        return nodes

    def repair(
        self,
        node_of: Codes,
        order: Codes,
        parent: Codes,
        span: Codes,
        cost: Counts,
        leaves: int,
        first: int,
        last: int,
        raised: Codes,
        tick: Tick,
    ) -> tuple[list[int], int, int]:
        """Walk over the rows. Supports that fall in the order of the labels give this order."""
        supports = np.ones(len(parent), dtype=np.int64)
        supports[node_of[order]] += np.arange(len(order), 0, -1)
        there = grouped_people(self._rows, self._people)
        rows = [(row, one) for row, people in there.items() for one in people]
        indptr = np.array([0, *np.cumsum([len(row) for row, _ in rows])], dtype=np.int64)
        items = np.array([item for row, _ in rows for item in row], dtype=np.int32)
        number = {one: at for at, one in enumerate({one for _, one in rows})}
        persons = np.array([number[one] for _, one in rows], dtype=np.int32)
        rest = (raised, False, False, supports, first - 1, tick)
        return direct_pass_twin(indptr, items, persons, parent, span, cost, leaves, self._k, first, last, False, *rest)
