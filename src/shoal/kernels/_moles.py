"""The readable twin of the kernel behind MM: minimal moles, size by size.

A mole is a set of labels in too few rows, or with a private value in too large a share of its rows. A set of which a
part is a mole is passed over, and so is all that contains it.
"""

from __future__ import annotations

import itertools
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

Tick = Callable[[float], None]
Row = tuple[int, ...]
Held = list[tuple[Row, Row, int]]  # what follows a prefix in a row, the row's private values, its weight


def minimal_moles(
    indptr: Any,
    items: Any,
    labels: int,
    private_indptr: Any,
    private_items: Any,
    private_labels: int,
    k: int,
    part: int,
    whole: int,
    p: int,
    most: int,
    threads: int,
    tick: Tick,
) -> tuple[list[int], bytes] | None:
    """How many moles of 1, 2, .. labels there are, and their labels one mole after the other."""
    support = Counter[int](items.tolist())
    rows = [tuple(sorted(row, key=lambda label: (support[label], label))) for row in _rows(indptr, items)]
    weighted = Counter(zip(rows, _rows(private_indptr, private_items), strict=True))
    everything = [(row, values, weight) for (row, values), weight in weighted.items()]

    def in_breach(held: Held) -> bool:
        count, together = sum(weight for _, _, weight in held), Counter[int]()
        for _, values, weight in held:
            for value in values:
                together[value] += weight
        return count < k or max(together.values(), default=0) * whole > count * part

    known: set[frozenset[int]] = set()
    found: list[list[Row]] = []
    for size in range(1, p + 1):
        sets = list(_without(known, everything, size, tick))
        moles = [codes for codes, held in sets if in_breach(held)]
        found.append(sorted(moles, key=lambda codes: [(support[label], label) for label in codes]))
        known.update(map(frozenset, moles))
        if len(known) > most:
            return None
        if not sets:
            break
    while found and not found[-1]:
        found.pop()
    codes = array("i", itertools.chain.from_iterable(itertools.chain.from_iterable(found)))
    return [len(moles) for moles in found], codes.tobytes()


def _without(known: set[frozenset[int]], rows: Held, size: int, tick: Tick) -> Iterator[tuple[Row, Held]]:
    """Every set of so many labels that occurs and has no mole as a part, with its rows."""
    stack: list[tuple[Row, Held]] = [((), rows)]
    while stack:
        tick(0.0)
        prefix, held = stack.pop()
        if len(prefix) == size:
            yield prefix, held
            continue
        follow: dict[int, Held] = defaultdict(list)
        for rest, values, weight in held:
            for at, label in enumerate(rest):
                follow[label].append((rest[at + 1 :], values, weight))
        parts = [part for length in range(len(prefix) + 1) for part in itertools.combinations(prefix, length)]
        for label, having in follow.items():
            if not any(frozenset((*part, label)) in known for part in parts):
                stack.append(((*prefix, label), having))


def _rows(indptr: Any, items: Any) -> list[Row]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
