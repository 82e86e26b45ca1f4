"""Repair of a cut until no label set tells a sensitive value (l^m-diversity, P3 s.5.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.repair.repair import (
    MOST,
    Combination,
    Criterion,
    Nodes,
    Records,
    Repair,
    Repaired,
    Told,
    first_and_last,
)


def repair_diversity(
    indptr: Offsets,
    items: Codes,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    l: int,
    sizes: range,
    raised: Sequence[int],
    *,
    persons: Codes = NOBODY,
    bounded: bool = False,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Repaired:
    """Raise a cut until no set of labels has a sensitive value in more than one in l of its rows (P3 s.5.2).

    And of the persons with such a row, no more than one in l have one with the value.

    For each size the sets of 1 to so many labels. Not monotone: a raised set may be in breach where it was not before.
    Breaches are repaired in preorder of the count-tree, each by the cheapest way to raise its labels that ends it.
    Where there is none the search stops and tells the breach as ``unrepairable``. ``bounded``: never up to the root, an
    artificial one; breaches that cannot be ended below it stay, and so do those that extend them.
    """
    rows = (indptr, items, persons, sensitive_indptr, sensitive_items)
    tree = (parent, flat(span), cost, leaves)
    limits, nodes = (capped(l, indptr), *first_and_last(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Repaired(*compiled_or(repair_diversity_twin)(*rows, *tree, *limits, nodes, bounded, MOST, threads, tick))


def repair_diversity_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    l: int,
    first: int,
    last: int,
    raised: Codes,
    bounded: bool,
    most: int,
    threads: int,
    tick: Tick,
) -> Told:
    """Until no set of labels has a sensitive value in more than one in l of its rows, or of their persons."""
    records = Records.of(indptr, items, persons, parent, (sensitive_indptr, sensitive_items))
    criteria = by_rows_and_persons(records, l, tick)
    repair = Repair(criteria, records, span.tolist(), cost.tolist(), leaves, bounded, most, tick)
    return repair.run(raised.tolist(), first, last)


class Diversity:
    """Too many rows have a sensitive value."""

    def __init__(self, records: Records, l: int, tick: Tick) -> None:
        self.records, self.l, self.tick, self.counted = records, l, tick, 0
        self.sensitive = frozenset(row for row in records.all if records.values[row])

    def count(self, rows: Iterable[int]) -> int:
        """By rows."""
        return self.records.weight(rows)

    def with_value(self, rows: frozenset[int]) -> dict[int, frozenset[int]]:
        """Of these rows, those that have each value."""
        found: dict[int, set[int]] = {}
        for row in rows & self.sensitive:
            for value in self.records.values[row]:
                found.setdefault(value, set()).add(row)
        return {value: frozenset(rows) for value, rows in found.items()}

    def fine(self, rows: frozenset[int]) -> bool:
        """No value is in more than one in l of the rows."""
        return all(self.count(some) * self.l <= self.count(rows) for some in self.with_value(rows).values())

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Rows with a value hold at least one specialisation, others at most as many as their leaves allow.

        If (l - 1) rows for each of the first are more than all that the others can hold, then on average, so for one
        specialisation at least, too few rows stand against those with the value. The same goes for persons: each with
        a value has a row with it, each of the others one without.
        """
        rows = self.records.matching(labels, ())

        def ways(row: int) -> int:
            leaves = self.records.leaves[row]
            below = (sum(span[2 * u] <= leaf < span[2 * u + 1] for leaf in leaves) for u in labels)
            return self.count([row]) * math.prod(below)

        return any(
            (self.l - 1) * self.count(some) > sum(ways(row) for row in rows - some)
            for some in self.with_value(rows).values()
        )

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Sets without any sensitive row are left out with all that extend them."""
        if first is not None:
            yield from self.walk((), self.records.all, range(first, first + 1), order, size)

    def walk(
        self, prefix: Nodes, rows: frozenset[int], places: range, order: list[int], size: int
    ) -> Iterator[Combination]:
        """The prefix with each of the labels at these places, and what extends it."""
        self.tick(0.0)
        for at in places:
            held = rows & self.records.holders[order[at]]
            if held.isdisjoint(self.sensitive):
                continue
            self.counted += 1
            labels = (*prefix, order[at])
            if not self.fine(held):
                yield labels, ()
            elif len(labels) < size:
                yield from self.walk(labels, held, range(at + 1, len(order)), order, size)


class DiversityOfPersons(Diversity):
    """Too many persons have a sensitive value in one of the rows."""

    def count(self, rows: Iterable[int]) -> int:
        """By persons."""
        return self.records.persons(rows)


def by_rows_and_persons(records: Records, l: int, tick: Tick) -> list[Criterion]:
    """Neither implies the other; but they are the same where nobody has several rows."""
    kinds = (Diversity, DiversityOfPersons) if records.several else (Diversity,)
    return [kind(records, l, tick) for kind in kinds]
