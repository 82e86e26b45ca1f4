"""Repairs a cut for negative knowledge (Terrovitis et al. 2011, s.5.1): known labels match no row, or at least k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.repair.repair import MOST, Combination, Nodes, Records, Repair, Repaired, Told, first_and_last


def repair_negative(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    sizes: range,
    raised: Sequence[int],
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Repaired:
    """Raise a cut until all labels known to be present or absent match rows of no person, or of at least k.

    Each size is a pass over the combinations of 1 to that many labels. Rows without items count. The rest is as for
    :func:`~shoal.kernels.search.repair.repair_diversity.repair_diversity`.
    """
    tree = (parent, flat(span), cost, leaves)
    limits, nodes = (capped(k, indptr), *first_and_last(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Repaired(
        *compiled_or(repair_negative_twin)(indptr, items, persons, *tree, *limits, nodes, MOST, threads, tick)
    )


def repair_negative_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    first: int,
    last: int,
    raised: Codes,
    most: int,
    threads: int,
    tick: Tick,
) -> Told:
    """Repair until all labels known to be present or absent match rows of no person, or of at least k."""
    records = Records.of(indptr, items, persons, parent)
    repair = Repair(
        [Negative(records, k, tick)], records.parent, span.tolist(), cost.tolist(), leaves, False, most, tick
    )
    return repair.run(raised.tolist(), first, last)


class Negative:
    """The criterion that a combination matches rows of no person, or of at least k."""

    def __init__(self, records: Records, k: int, tick: Tick) -> None:
        self.records, self.k, self.tick, self.counted = records, k, tick, 0

    def count(self, rows: Iterable[int]) -> int:
        """Count persons."""
        return self.records.persons(rows)

    def support(self, node: int) -> int:
        """Return the support of a node."""
        return self.count(self.records.holders[node])

    def fine(self, present: Nodes, absent: Nodes) -> bool:
        """Whether no person or at least k persons match."""
        return self.fits(self.records.matching(present, absent))

    def fits(self, rows: frozenset[int]) -> bool:
        """Whether these rows are of no person, or of at least k."""
        return not rows or self.count(rows) >= self.k

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Whether too few persons have the labels; then no more have what is below them."""
        return not self.fine(labels, ())

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Yield violations: each set of present labels, followed by absent labels, then by its extensions."""
        if first is None:
            yield from self.without((), (), self.records.all, order, size)
        else:
            yield from self.walk((), self.records.all, range(first, first + 1), order, size)

    def walk(
        self, prefix: Nodes, rows: frozenset[int], places: range, order: list[int], size: int
    ) -> Iterator[Combination]:
        """Yield violations: the prefix with each of the labels at these places, and its extensions."""
        self.tick(0.0)
        for at in places:
            held = rows & self.records.holders[order[at]]
            if not held:
                continue
            self.counted += 1
            labels = (*prefix, order[at])
            if not self.fits(held):
                yield labels, ()
            elif len(labels) < size:
                yield from self.without(labels, (), held, order, size - len(labels))
                yield from self.walk(labels, held, range(at + 1, len(order)), order, size)

    def without(
        self, present: Nodes, absent: Nodes, rows: frozenset[int], candidates: list[int], more: int
    ) -> Iterator[Combination]:
        """Yield up to ``more`` candidates that leave too few of the rows: by falling count in them, then in order.

        Labels in no row change nothing, and labels in all rows leave none. A person who has a row with a label may be
        left by another row, so at least as many are left as the counts say.
        """
        self.tick(0.0)
        weight = self.count(rows)
        held = {u: rows & self.records.holders[u] for u in candidates}
        counts = {u: self.count(held[u]) for u in candidates}
        order = sorted((u for u in candidates if held[u] and held[u] != rows), key=lambda u: -counts[u])
        for at, label in enumerate(order):
            if weight - sum(counts[u] for u in order[at : at + more]) >= self.k:  # whatever else is absent
                break
            self.counted += 1
            left = rows - self.records.holders[label]
            if not self.fits(left):
                yield present, (*absent, label)
            elif more > 1:
                rest = sorted(order[at + 1 :], key=candidates.index)
                yield from self.without(present, (*absent, label), left, rest, more - 1)
