"""Repairs a cut until no label set discloses a sensitive value (l^m-diversity, Terrovitis et al. 2011, s.5.2)."""

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
    """Raise a cut until no set of labels has a sensitive value in more than one in l of its rows.

    The same must hold for the persons with such a row. Each size is a pass over the sets of 1 to that many labels. The
    model is not monotone: a raised set may violate it where it did not before. Violations are repaired in preorder of
    the count-tree, each in the cheapest way to raise its labels. If there is no way, the search stops and returns the
    violation as ``unrepairable``. ``bounded``: never raise to the root, which is artificial; violations that cannot be
    repaired below it stay, and so do their extensions.
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
    """Repair until no set of labels has a sensitive value in more than one in l of its rows, or of their persons."""
    records = Records.of(indptr, items, persons, parent, (sensitive_indptr, sensitive_items))
    criteria = by_rows_and_persons(records, l, tick)
    repair = Repair(criteria, records.parent, span.tolist(), cost.tolist(), leaves, bounded, most, tick)
    return repair.run(raised.tolist(), first, last)


class Diversity:
    """The criterion that no sensitive value is in too many rows."""

    def __init__(self, records: Records, l: int, tick: Tick) -> None:
        self.records, self.l, self.tick, self.counted = records, l, tick, 0
        self.sensitive = frozenset(row for row in records.all if records.values[row])

    def count(self, rows: Iterable[int]) -> int:
        """Count rows."""
        return self.records.weight(rows)

    def support(self, node: int) -> int:
        """Return the support of a node."""
        return self.count(self.records.holders[node])

    def with_value(self, rows: frozenset[int]) -> dict[int, frozenset[int]]:
        """Return the rows that have each value."""
        found: dict[int, set[int]] = {}
        for row in rows & self.sensitive:
            for value in self.records.values[row]:
                found.setdefault(value, set()).add(row)
        return {value: frozenset(rows) for value, rows in found.items()}

    def fine(self, present: Nodes, absent: Nodes) -> bool:
        """Whether no value is in more than one in l of the rows that match."""
        return self.fits(self.records.matching(present, absent))

    def fits(self, rows: frozenset[int]) -> bool:
        """Whether no value is in more than one in l of the rows."""
        return all(self.count(some) * self.l <= self.count(rows) for some in self.with_value(rows).values())

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Whether some specialisation violates the model in every cut that specialises these labels.

        Rows with a value hold at least one specialisation, others at most as many as their leaves allow. Each row with
        the value needs l - 1 rows without it. If these are more than all that the others can hold, then on average, and
        so for at least one specialisation, there are too few rows without the value. The same holds for persons: each
        with a value has a row with it, each of the others one without.
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
        """Yield violations. Sets without any sensitive row are skipped with all their extensions."""
        if first is not None:
            yield from self.walk((), self.records.all, range(first, first + 1), order, size)

    def walk(
        self, prefix: Nodes, rows: frozenset[int], places: range, order: list[int], size: int
    ) -> Iterator[Combination]:
        """Yield violations: the prefix with each of the labels at these places, and its extensions."""
        self.tick(0.0)
        for at in places:
            held = rows & self.records.holders[order[at]]
            if held.isdisjoint(self.sensitive):
                continue
            self.counted += 1
            labels = (*prefix, order[at])
            if not self.fits(held):
                yield labels, ()
            elif len(labels) < size:
                yield from self.walk(labels, held, range(at + 1, len(order)), order, size)


class DiversityOfPersons(Diversity):
    """The criterion that no sensitive value is in rows of too many persons."""

    def count(self, rows: Iterable[int]) -> int:
        """Count persons."""
        return self.records.persons(rows)


def by_rows_and_persons(records: Records, l: int, tick: Tick) -> list[Criterion]:
    """Return the criteria. Neither implies the other, but they are the same if nobody has several rows."""
    kinds = (Diversity, DiversityOfPersons) if records.several else (Diversity,)
    return [kind(records, l, tick) for kind in kinds]
