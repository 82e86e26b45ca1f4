"""Counts the records, or persons, that hold given nodes together. Slow and plain: no other counting shares its code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions


class Supports:
    """Counts in records whose item codes are leaves of a hierarchy.

    A record holds a node if it holds an item below it. The records of a node are found once, and kept.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> rows = Transactions.from_sets([["a1", "b1"], ["a2", "b1"], ["a2"]], h.items)
    >>> counts = Supports(rows, h)
    >>> counts.support([h.code_of["A"], h.code_of["b1"]]), counts.support([h.code_of["A"], h.code_of["b2"]])
    (2, 0)
    """

    def __init__(self, rows: Transactions, hierarchy: Hierarchy) -> None:
        by_item = np.argsort(rows.items, kind="stable")
        self._rows = row_ids(rows.indptr)[by_item]
        self._start = np.concatenate([[0], np.cumsum(np.bincount(rows.items, minlength=hierarchy.n_leaves))])
        self._span, self._kept = hierarchy.span, dict[int, Counts]()
        self._person: Codes | None = None if rows.persons is None else rows.persons.of

    def rows_with(self, node: int) -> Counts:
        """Return the numbers of the records that hold a node, ascending."""
        if node not in self._kept:
            first, stop = self._span[node]
            self._kept[node] = np.unique(self._rows[self._start[first] : self._start[stop]])
        return self._kept[node]

    def among(self, rows: Counts, node: int) -> Counts:
        """Return those of some records, in ascending order, that hold a node."""
        few, many = sorted((rows, self.rows_with(node)), key=len)
        if not len(few):
            return few
        at = np.minimum(np.searchsorted(many, few), len(many) - 1)
        common: Counts = few[many[at] == few]
        return common

    def persons(self, rows: Counts) -> int:
        """Count the records, or the different persons behind them."""
        return len(rows) if self._person is None else len(np.unique(self._person[rows]))

    def support(self, nodes: Sequence[int]) -> int:
        """Count the records, or persons with a record, that hold all nodes."""
        first, *others = sorted(nodes, key=lambda node: len(self.rows_with(node)))
        rows = self.rows_with(first)
        for node in others:
            rows = self.among(rows, node)
        return self.persons(rows)
