"""Repairs a cut by a list of all violations at every level of the hierarchy, and lists those at a cut: without rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.kernels.arrays import flat
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.repair.breaches import Breaches, BreachLister
from shoal.kernels.search.repair.combination_key import key_of
from shoal.kernels.search.repair.repair import MOST, Combination, Nodes, Repair, Repaired, Told, first_and_last

# Among rows or persons: the support of each node, the keys of all violations in ascending order, and how many have
# all nodes of each (only needed if some have absent labels; else empty).
Unit = tuple[Counts, Counts, Counts]


def repair_listed(
    units: Sequence[Unit],
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    sizes: range,
    raised: Sequence[int],
    *,
    bounded: bool = False,
    tick: Tick = no_progress,
) -> Repaired:
    """Raise a cut until it has no listed violation of at most as many labels, for each size.

    ``bounded``: never raise to the root. Violations that cannot be repaired below it stay.
    """
    tree = (parent, flat(span), cost, leaves)
    nodes = np.array(sorted(raised), dtype=np.int32)
    return Repaired(
        *compiled_or(repair_listed_twin)(list(units), *tree, *first_and_last(sizes, leaves), nodes, bounded, MOST, tick)
    )


def listed_breaches(
    units: Sequence[Unit], parent: Codes, span: Codes, leaves: int, *, threads: int = 1, tick: Tick = no_progress
) -> Breaches:
    """Return the violations at a cut as constraints on every cut, from a list of all violations."""
    return Breaches(compiled_or(ListedBreachesTwin)(list(units), parent, flat(span), leaves, tick), threads)


def repair_listed_twin(
    units: list[Unit],
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    first: int,
    last: int,
    raised: Codes,
    bounded: bool,
    most: int,
    tick: Tick,
) -> Told:
    """Repair until no listed violation is at the cut."""
    criteria = [Listed(unit, parent.tolist(), tick) for unit in units]
    repair = Repair(criteria, parent.tolist(), span.tolist(), cost.tolist(), leaves, bounded, most, tick)
    return repair.run(raised.tolist(), first, last)


class ListedBreachesTwin(BreachLister):
    """Lists the violations at a cut as constraints on every cut."""

    def __init__(self, units: list[Unit], parent: Codes, span: Codes, leaves: int, tick: Tick) -> None:
        super().__init__([Listed(unit, parent.tolist(), tick) for unit in units], parent, span, leaves)


class Listed:
    """The criterion that a combination is not in a list."""

    def __init__(self, unit: Unit, parent: list[int], tick: Tick) -> None:
        support, keys, counts = (part.tolist() for part in unit)
        self._support, self._keys = support, set(keys)
        self._both: dict[int, int] = dict(zip(keys, counts or [0] * len(keys), strict=True))
        self._children: list[list[int]] = [[] for _ in parent]
        for node, above in enumerate(parent[:-1]):
            self._children[above].append(node)
        self._closed: dict[int, bool] = {}
        self.tick, self.counted = tick, 0

    def support(self, node: int) -> int:
        """Return the support of a node."""
        return int(self._support[node])

    def fine(self, present: Nodes, absent: Nodes) -> bool:
        """Whether the combination is not listed."""
        return key_of({*present}, {*absent}) not in self._keys

    def closed(self, labels: Nodes, span: list[int]) -> bool:
        """Whether every cut that has these labels, or specialises them, contains a violation.

        The set is a violation. Whichever label is specialised, the same is true for the set with some child instead.
        """
        key = key_of(labels)
        if key not in self._closed:
            self._closed[key] = key in self._keys and all(
                not self._children[node]
                or any(self.closed((*labels[:at], child, *labels[at + 1 :]), span) for child in self._children[node])
                for at, node in enumerate(labels)
            )
        return self._closed[key]

    def starting(self, first: int | None, order: list[int], size: int) -> Iterator[Combination]:
        """Yield violations: absent labels by falling count in the rows that are left, then a further present label."""
        if first is None:
            yield from self._without((), (), order, size)
        else:
            yield from self._walk((), range(first, first + 1), order, size)

    def _walk(self, prefix: Nodes, places: range, order: list[int], size: int) -> Iterator[Combination]:
        self.tick(0.0)
        for at in places:
            labels = (*prefix, order[at])
            if not self.fine(labels, ()):
                self.counted += 1
                yield labels, ()
            elif len(labels) < size:
                yield from self._without(labels, (), order, size - len(labels))
                yield from self._walk(labels, range(at + 1, len(order)), order, size)

    def _without(self, present: Nodes, absent: Nodes, candidates: list[int], more: int) -> Iterator[Combination]:
        def count(node: int) -> int:
            both = self._both.get(key_of(present, (*absent, node)), 0)
            return both if present else self._support[node] - (both if absent else 0)

        others = sorted((u for u in candidates if u not in present), key=lambda u: -count(u))
        for at, node in enumerate(others):
            if not self.fine(present, (*absent, node)):
                self.counted += 1
                yield present, (*absent, node)
            elif more > 1:
                rest = sorted(others[at + 1 :], key=candidates.index)
                yield from self._without(present, (*absent, node), rest, more - 1)
