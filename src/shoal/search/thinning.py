"""Leaves out what a search under k^m-anonymity does not need, so that millions of rows take the time of thousands.

A search asks of sets of at most m labels whether they occur, and in how many rows if in fewer than k. Go through the
rows in order. An item of a row is *needed* if the row is one of the first k rows of some set of at most m items that
holds it. All other items, and rows without needed items, are left out. Then for all disjoint groups of items G1..Gj,
j <= m, and the number n of rows that hold an item of each:

- If some set of one item of each group is in k rows, its first k rows are still there, with these items: n is at least
  k before and after.
- If every such set is rarer, all its rows are among the first k: n is the same as before.

So min(n, k) stays the same at every cut of every hierarchy, and for all groups of siblings. With persons, read "the
rows of the first k persons". Costs and the order of labels are not counts below k. They come from all rows.

What is needed of each part of the rows, taken together, contains what is needed of all rows. So parts can be thinned by
themselves, and their results once more: the result does not depend on the parts, or on who worked on which.

Cost: one pass over the small sets of all rows, with a byte for each possible set. Larger tables are split into passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Self, TypeVar

import numpy as np

from shoal.data.arrays import Codes, Counts, counted
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.search.cuts.direct_pass import COUNT
from shoal.kernels.search.node_supports import NodeSupports
from shoal.kernels.search.thin import LEFT_OUT, RARE, Thin
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared

Model = TypeVar("Model", bound=PrivacyModel, covariant=True)

LARGE = 2_000_000  # items of records: below this, a search is fast enough with all of them
PAYS = 4  # thin only if the sets of all rows are so many times those that may be needed
MOST_LABELS = 3  # size of the largest sets that can be thinned
MOST_PASSES = 8
TABLE_SHARE = 4  # tables of all threads may take this part of the memory


@dataclass(frozen=True, eq=False)
class RowsByPerson:
    """Rows in an order in which those of each person are consecutive. Each part knows the persons of its rows."""

    items: Transactions
    persons: Codes  # of the rows of ``items``; empty if nobody has several
    order: Counts | None = None  # of all rows, or of some of them; None: as they are
    placed: bool = False  # the items are in this order already, and no person has rows in two parts

    @classmethod
    def of(cls, items: Transactions) -> Self:
        """Order rows by person, if persons have several."""
        persons = items.repeaters
        if not len(persons):
            return cls(items, persons)
        order, together = np.argsort(persons, kind="stable"), items.by_person
        return cls(items, persons, order) if together is None else cls(together, persons[order], order, placed=True)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.items) if self.order is None else len(self.order)

    @property
    def bounds(self) -> Sequence[int] | None:
        """The parts of the rows, if they are on several machines."""
        return self.items.bounds if self.order is None or self.placed else None

    def part(self, start: int, stop: int) -> Self:
        """Return some consecutive rows."""
        if self.order is None or self.placed:
            return replace(self, items=self.items.part(start, stop), persons=self.persons[start:stop], order=None)
        rows = self.order[start:stop]
        persons = self.persons[rows] if len(self.persons) else self.persons
        return replace(self, items=self.items.take(rows), persons=persons, order=None)

    def release(self) -> None:
        """Let go of the memory of rows that are in a file."""
        self.items.release()

    @property
    def arrays(self) -> tuple[Counts, Codes, Codes]:
        """The rows as kernels get them."""
        return self.items.indptr, self.items.items, self.persons

    def workers(self, engine: Engine) -> Engine:
        """Return the engine that goes over the rows. Persons may have rows in two parts, so one worker counts them."""
        return engine if self.order is None or self.placed else replace(engine, workers=1)


def thinned(items: Transactions, k: int, m: int, engine: Engine, label_of: Codes | None = None) -> Transactions:
    """Return what a search for sets of at most m labels needs of the rows, or the rows themselves if that is much.

    ``label_of``: the label of each item, for searches at a cut and above it. Each label of a row then keeps one item.
    """
    if items.total_items < LARGE or not 1 <= m <= MOST_LABELS:
        return items
    labels = np.arange(len(items.labels), dtype=np.int32) if label_of is None else label_of
    ranking = _Ranking.of(items, labels, k)
    if PAYS * k * sum(comb(ranking.labels, size) for size in range(1, m + 1)) > count_sets(items, m):
        return items
    rows = RowsByPerson.of(items)
    workers = rows.workers(engine)
    cells = (engine.memory_limit // TABLE_SHARE) // (workers.threads * ranking.bytes_of_cell(k, len(rows.persons) > 0))
    ranges = ranking.ranges(m, cells)
    if len(ranges) > MOST_PASSES:
        return items
    needed = _needed(rows, items.persons, ranking, k, m, ranges, workers)
    if workers.threads > 1 or rows.bounds is not None:  # each worker has kept the first k rows of those that it saw
        alone = replace(engine, workers=1)
        needed = _needed(RowsByPerson.of(needed), needed.persons, ranking, k, m, ranges, alone)
    return needed


def thinned_problem(problem: Prepared[Model], engine: Engine) -> Prepared[Model]:
    """Return the problem with what a search needs of its rows. Costs and supports remain those of all rows."""
    demand = problem.model.demand(problem.items)
    if demand is None or not demand.monotone or engine.built_trees:
        return problem
    items = thinned(problem.items, demand.k, demand.known, engine)
    return problem if items is problem.items else replace(problem, items=items, all_items=problem.items)


def node_supports(problem: Prepared[PrivacyModel], engine: Engine) -> Counts:
    """Return the support of each node of the hierarchy in all rows. Empty if the problem was not thinned."""
    if problem.all_items is None:
        return COUNT
    return count_nodes(problem.all_items, problem.code_of_all, problem.hierarchy.parent, engine)


def count_nodes(items: Transactions, code_of: Codes, parent: Codes, engine: Engine) -> Counts:
    """Return the support of each node. ``code_of``: the leaf of each item."""
    rows = RowsByPerson.of(items)
    counter = rows.workers(engine).accumulate(
        "counting items", lambda: NodeSupports(code_of, parent), lambda own, part: own.add(*part.arrays), rows
    )
    return counter.supports


@dataclass(frozen=True, eq=False)
class _Ranking:
    """Numbers for labels, the most frequent first, so that the cells of frequent sets are close together."""

    rank: Codes  # of each item
    labels: int

    @classmethod
    def of(cls, items: Transactions, label_of: Codes, k: int) -> Self:
        """Rank the labels by the number of items of records."""
        counts = np.bincount(label_of, items.supports).astype(np.int64)  # no less than the supports
        rank = np.full(len(counts), LEFT_OUT, dtype=np.int32)
        frequent = np.flatnonzero(counts >= k)
        rank[frequent[np.argsort(-counts[frequent], kind="stable")]] = np.arange(len(frequent))
        rank[(counts > 0) & (counts < k)] = RARE
        return cls(rank[label_of], len(frequent))

    @staticmethod
    def bytes_of_cell(k: int, persons: bool) -> int:
        """Return the bytes for each set in a table."""
        return (1 if k < 1 << 8 else 2 if k < 1 << 16 else 4) + 4 * persons

    def ranges(self, m: int, cells: int) -> list[range]:
        """Split the labels so that the sets with their largest label in a range fit into so many cells."""
        ranges, first, before = [], 0, 0
        for label in range(self.labels):
            up_to = sum(comb(label + 1, size) for size in range(1, m + 1))
            if up_to - before > cells and label > first:
                ranges.append(range(first, label))
                first, before = label, sum(comb(label, size) for size in range(1, m + 1))
        return [*ranges, range(first, self.labels)]


def _needed(
    rows: RowsByPerson,
    known: Persons | None,
    ranking: _Ranking,
    k: int,
    m: int,
    ranges: list[range],
    engine: Engine,
) -> Transactions:
    """Return the needed items, in passes. With several workers, some items more. ``known``: the person of each row."""
    persons = len(rows.persons) > 0
    kept = [_marked(rows, ranking, k, m, within, persons, engine) for within in ranges]
    keys = kept[0] if len(kept) == 1 else np.concatenate(kept)
    kept.clear()
    if not bool(np.all(keys[1:] > keys[:-1])):
        keys = counted(keys)[0]
    width = max(1, len(rows.items.labels))
    codes = (keys % width).astype(np.int32)
    keys //= width
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    there, indptr = keys[first], np.append(first, len(keys))
    return Transactions(indptr, codes, rows.items.labels, known and known.take(there))


def _marked(
    rows: RowsByPerson, ranking: _Ranking, k: int, m: int, within: range, persons: bool, engine: Engine
) -> Counts:
    """Return the items that are needed for sets with their largest label in a range, each as ``row * width + code``."""
    width = len(rows.items.labels)

    def counter() -> Thin:
        return Thin(ranking.rank, ranking.labels, k, m, within=within, persons=persons)

    def mark(own: Thin, part: RowsByPerson) -> tuple[Counts, Codes, int]:
        at = np.flatnonzero(own.mark(*part.arrays))
        return np.searchsorted(part.items.indptr, at, side="right") - 1, part.items.items[at], len(part)

    def keys() -> Iterator[Counts]:
        before = 0
        for row_of, codes, length in engine.over_with("thinning", counter, mark, rows):
            row_of += before
            yield (row_of if rows.order is None else rows.order[row_of]) * width + codes
            before += length

    return np.concatenate(list(keys()))


def count_sets(items: Transactions, m: int) -> int:
    """Count the sets of m items of all rows."""
    return sum(int(rows) * comb(size, m) for size, rows in enumerate(items.size_counts))
