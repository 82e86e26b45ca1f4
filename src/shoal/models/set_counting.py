"""Counts the small label sets of very many rows, for verifiers.

The rows are gone through in parts, with tables that have a cell for every possible set. So a verifier needs memory for
the tables, not for the rows. If a table is too large, it is split, with a pass over the rows for each part of it. Rows
on other machines are counted there; only those with sensitive values are fetched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Self, TypeVar

import numpy as np

from shoal.data.arrays import Codes, Counts, row_ids
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.kernels.verify.fact_counts import FactCounts
from shoal.kernels.verify.set_counts import WIDE, SetCounts
from shoal.kernels.verify.share_counts import ShareCounts

LARGE = 2_000_000  # items of records: below this, depth-first counting is fast
LARGEST_SETS = 3
MOST_FACTS = 2  # labels that are present or absent
QUICK = 1 << 24  # cells of a table that is faster than depth-first counting, even if all rows fit into memory
BYTES_OF_ITEM = 32  # that depth-first counting takes
TABLE_SHARE = 4  # the tables of all threads may take this part of the memory
BYTES_OF_PERSON = 4  # more for each cell, if persons have several rows
BYTES_OF_SHARES = 16
MOST_EXACT = 2**32 - 1  # rows that can be counted without saturation

Table = TypeVar("Table", SetCounts, FactCounts)
PersonTable = TypeVar("PersonTable", SetCounts, ShareCounts)


def counts_by_table(rows: Transactions, m: int, engine: Engine) -> bool:
    """Whether a table is the better way to count these rows."""
    if rows.total_items < LARGE or m > LARGEST_SETS:
        return False
    fits = BYTES_OF_ITEM * rows.total_items <= engine.memory_limit
    return not fits or _cells(len(rows.labels), m) <= QUICK


def facts_by_table(rows: Transactions, m: int, engine: Engine) -> bool:
    """The same for labels that are present or absent. Counts of persons do not add up, and need all rows."""
    return m <= MOST_FACTS and not len(rows.repeaters) and counts_by_table(rows, m, engine)


def count_sets(rows: Transactions, k: int, m: int, engine: Engine) -> tuple[int, int]:
    """Return how many sets of at most m labels occur, and how many of them fewer than k rows, or persons, have.

    >>> from shoal.engines import LOCAL
    >>> count_sets(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2, LOCAL)
    (5, 2)
    """
    k = min(k, len(rows) + 1)  # no support is higher
    bytes_of_cell = 1 if k < WIDE else 4
    rank, ordered = _ranks(rows), _Ordered.of(rows)
    persons = ordered.order is not None

    def count(within: range, alone: Engine) -> tuple[int, int]:
        return _summed(ordered, functools.partial(SetCounts, rank, k, m, within=within, persons=True), alone).result()

    if persons:  # a person may have rows in two parts, so each thread counts other sets of all rows
        ranges = _ranges(len(rank), m, engine, bytes_of_cell + BYTES_OF_PERSON)
        return _sum(engine.map("verifying", count, ranges))
    found = []
    for within in _ranges(len(rank), m, replace(engine, workers=1), bytes_of_cell * engine.threads):
        found.append(_counted(rows, functools.partial(SetCounts, rank, k, m, within=within), engine).result())
    return _sum(found)


def count_shares(
    rows: Transactions, values: Transactions, allowed: tuple[int, int], m: int, engine: Engine, *, least: int = 1
) -> tuple[int, int]:
    """Return how many sets of 1..m labels rows with a value have, and in how many a value has more than a share.

    ``allowed``: the share, as (part, whole). ``least``: only sets in so many rows (or persons) with a value.

    >>> from shoal.engines import LOCAL
    >>> rows, values = ([["a"], ["a"], ["b"]], [["x"], [], ["x"]])
    >>> count_shares(Transactions.from_sets(rows), Transactions.from_sets(values), (1, 2), 1, LOCAL)
    (2, 1)
    """
    _refuse_too_many(rows)
    rank, ordered = _ranks(rows), _Ordered.of(rows)
    persons = ordered.order is not None
    part, whole = allowed
    if part == 1:
        whole = min(whole, len(rows) + 1)  # no support is higher
    sensitive, holders = _with_values(rows, ordered, values, engine)

    def count(within: range, alone: Engine) -> tuple[int, int]:
        table = _summed(ordered, functools.partial(ShareCounts, rank, m, within=within, persons=persons), alone)
        _over(alone, sensitive, table.add_sensitive)
        for some in holders:
            _over(alone, some, table.add_with_value)
            table.close_value()
        return table.result((part, whole), min(least, len(rows) + 1))

    ranges = _ranges(len(rank), m, engine, BYTES_OF_SHARES + 3 * BYTES_OF_PERSON * persons)
    return _sum(engine.map("verifying", count, ranges))


def count_facts(rows: Transactions, k: int, m: int, engine: Engine) -> tuple[int, int]:
    """Return how many combinations of up to m present or absent labels were looked at, and how many fit too few rows.

    >>> from shoal.engines import LOCAL
    >>> count_facts(Transactions.from_sets([["a", "b"], ["a", "b"], ["a"], ["b"]]), 2, 1, LOCAL)
    (4, 2)
    """
    _refuse_too_many(rows)
    k, rank = min(k, len(rows) + 1), _ranks(rows)
    support = np.sort(rows.supports)[::-1].astype(np.int64)
    found = []
    for within in _ranges(len(rank), m, replace(engine, workers=1), 4 * engine.threads):
        table = _counted(rows, functools.partial(FactCounts, rank, m, within=within), engine)
        found.append(table.result(k, len(rows), support))
    return _sum(found)


@dataclass(frozen=True, eq=False)
class _Ordered:
    """Rows in an order in which those of each person are consecutive. Searches have code of their own for this."""

    items: Transactions
    persons: Codes  # of the rows of ``items``; empty if nobody has several
    order: Counts | None  # None: as they are
    together: bool = False  # the items are in this order already, in parts that no person has rows in two of

    @classmethod
    def of(cls, rows: Transactions) -> Self:
        persons = rows.repeaters
        if not len(persons):
            return cls(rows, persons, None)
        order = np.argsort(persons, kind="stable")
        if rows.by_person is None:
            return cls(rows, persons, order)
        return cls(rows.by_person, persons[order], order, together=True)

    def some(self, rows: Counts) -> Self:
        """Return some of the rows."""
        return replace(self, order=rows[np.argsort(self.persons[rows], kind="stable")] if len(self.persons) else rows)

    def __len__(self) -> int:
        return len(self.items) if self.order is None else len(self.order)

    @property
    def bounds(self) -> Sequence[int] | None:
        return self.items.bounds if self.order is None or self.together else None

    def part(self, start: int, stop: int) -> Self:
        if self.order is None or self.together:
            return replace(self, items=self.items.part(start, stop), persons=self.persons[start:stop], order=None)
        rows = self.order[start:stop]
        persons = self.persons[rows] if len(self.persons) else self.persons
        return replace(self, items=self.items.take(rows), persons=persons, order=None)

    def release(self) -> None:
        """Let go of the memory of rows that are in a file."""
        self.items.release()


def _counted(rows: Transactions, make: Callable[[], Table], engine: Engine) -> Table:
    """Count all rows, with a table for each thread, and return the sum of the tables."""
    return engine.accumulate("verifying", make, lambda own, part: own.add(part.indptr, part.items), rows)


def _summed(rows: _Ordered, make: Callable[[], PersonTable], engine: Engine) -> PersonTable:
    """Do the same for rows that may have persons."""

    def add(own: PersonTable, part: _Ordered) -> None:
        own.add(part.items.indptr, part.items.items, part.persons)

    return engine.accumulate("verifying", make, add, rows)


def _over(engine: Engine, rows: _Ordered, add: Callable[..., None]) -> None:
    """Add all parts of rows that are here to a table, one after the other."""
    for _ in engine.over("verifying", lambda part, _: add(part.items.indptr, part.items.items, part.persons), rows):
        pass


def _with_values(
    rows: Transactions, ordered: _Ordered, values: Transactions, engine: Engine
) -> tuple[_Ordered, list[_Ordered]]:
    """Return the rows with any value, and those with each. If they are on other machines, they are fetched once."""
    row_of, codes, before = list[Counts](), list[Codes](), 0
    for own, some, length in engine.over(
        "verifying", lambda part, _: (row_ids(part.indptr), part.items, len(part)), values
    ):
        row_of.append(own + before)
        codes.append(some)
        before += length
    holders = np.concatenate(row_of)
    first = np.diff(holders, prepend=-1) > 0
    there = holders[first]
    if ordered.bounds is not None:
        ordered, holders, there = _Ordered.of(rows.take(there)), np.cumsum(first) - 1, np.arange(len(there))
    order = np.argsort(np.concatenate(codes), kind="stable")
    each = np.split(holders[order], np.cumsum(values.supports)[:-1]) if len(values.labels) else []
    return ordered.some(there), [ordered.some(some) for some in each]


def _refuse_too_many(rows: Transactions) -> None:
    """Refuse more rows than can be counted exactly."""
    if len(rows) > MOST_EXACT:
        raise DataError(f"{len(rows):,} records cannot be counted exactly: at most {MOST_EXACT:,} can. Publish fewer.")


def _ranks(rows: Transactions) -> Codes:
    """Return the place of each label by falling support."""
    rank = np.empty(len(rows.labels), dtype=np.int32)
    rank[np.argsort(-rows.supports, kind="stable")] = np.arange(len(rank))
    return rank


def _sum(found: list[tuple[int, int]]) -> tuple[int, int]:
    """Add up the results of several tables."""
    return sum(one for one, _ in found), sum(other for _, other in found)


def _cells(labels: int, m: int) -> int:
    """Return the number of sets of 1..m labels."""
    return sum(comb(labels, size) for size in range(1, m + 1))


def _ranges(labels: int, m: int, engine: Engine, bytes_of_cell: int) -> list[range]:
    """Split the ranks, so that the tables of all threads fit into the memory and there is one for each thread."""
    cells = engine.memory_limit // TABLE_SHARE // (engine.threads * bytes_of_cell)
    cells = min(cells, -(-_cells(labels, m) // engine.threads))
    bounds = [0]
    for rank in range(1, labels):
        if _cells(rank + 1, m) - _cells(bounds[-1], m) > cells:
            bounds.append(rank)
    return [range(first, stop) for first, stop in zip(bounds, [*bounds[1:], labels], strict=True)]
