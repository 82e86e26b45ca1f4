"""Minimal moles, for MM: label sets that violate the model although no proper subset does."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, Row, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress

MOST_MOLES = 10_000_000  # more would need gigabytes of memory


def minimal_moles(
    indptr: Offsets,
    items: Codes,
    labels: int,
    private_indptr: Offsets,
    private_items: Codes,
    private_labels: int,
    k: int,
    share: tuple[int, int],
    p: int,
    *,
    persons: Codes = NOBODY,
    most: int = MOST_MOLES,
    threads: int = 1,
    tick: Tick = no_progress,
) -> list[Codes] | None:
    """Find minimal sets of at most p labels that violate the model.

    A set violates it if it is in rows of 1..k-1 persons, or if more than ``share`` of its rows have the same private
    value. Shares are counted by rows: models with shares do not count persons. Only minimal sets are returned: one
    array for each number of labels, with a line for each set. In a set, the label with the lowest support comes first
    (ties: the lower code), and the sets are sorted in that order. Return None if there are more than ``most``.

    >>> rows = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 0, 1, 0, 2, 2], dtype=np.int32)
    >>> nothing = np.zeros(5, dtype=np.int64), np.zeros(0, dtype=np.int32)
    >>> [moles.tolist() for moles in minimal_moles(*rows, 3, *nothing, 0, 2, (1, 1), 2)]
    [[], [[2, 0]]]
    """
    rows = (indptr, items, persons, labels, private_indptr, private_items, private_labels)
    mined = compiled_or(minimal_moles_twin)(*rows, capped(k, indptr), *share, min(p, labels), most, threads, tick)
    if mined is None:
        return None
    counts, codes = mined
    ends = np.cumsum([size * count for size, count in enumerate(counts, 1)])
    parts = np.split(codes, ends[:-1]) if counts else []
    return [part.reshape(-1, size) for size, part in enumerate(parts, 1)]


Held = list[tuple[Row, Row, int]]  # what follows a prefix in a row, the private values of the row, its person


def minimal_moles_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    labels: int,
    private_indptr: Offsets,
    private_items: Codes,
    private_labels: int,
    k: int,
    part: int,
    whole: int,
    p: int,
    most: int,
    threads: int,
    tick: Tick,
) -> tuple[list[int], Codes] | None:
    """Return how many moles of 1, 2, .. labels there are, and their labels one mole after the other."""
    support = Counter[int](items.tolist())
    rows = [tuple(sorted(row, key=lambda label: (support[label], label))) for row in rows_of(indptr, items)]
    people = people_of(indptr, persons)
    everything = list(zip(rows, rows_of(private_indptr, private_items), people, strict=True))

    def violates(held: Held) -> bool:
        count = len({person for _, _, person in held})
        together = Counter(value for _, values, _ in held for value in values)
        return count < k or max(together.values(), default=0) * whole > count * part

    known: set[frozenset[int]] = set()
    by_size: list[list[Row]] = []
    for size in range(1, p + 1):
        sets = list(_without(known, everything, size, tick))
        moles = [codes for codes, held in sets if violates(held)]
        by_size.append(sorted(moles, key=lambda codes: [(support[label], label) for label in codes]))
        known.update(map(frozenset, moles))
        if len(known) > most:
            return None
        if not sets:
            break
    while by_size and not by_size[-1]:
        by_size.pop()
    codes = [label for moles in by_size for mole in moles for label in mole]
    return [len(moles) for moles in by_size], np.array(codes, dtype=np.int32)


def _without(known: set[frozenset[int]], rows: Held, size: int, tick: Tick) -> Iterator[tuple[Row, Held]]:
    """Yield every set of this size that occurs and contains no mole, with its rows."""
    stack: list[tuple[Row, Held]] = [((), rows)]
    while stack:
        tick(0.0)
        prefix, held = stack.pop()
        if len(prefix) == size:
            yield prefix, held
            continue
        follow: dict[int, Held] = defaultdict(list)
        for rest, values, person in held:
            for at, label in enumerate(rest):
                follow[label].append((rest[at + 1 :], values, person))
        parts = [part for length in range(len(prefix) + 1) for part in itertools.combinations(prefix, length)]
        for label, having in follow.items():
            if not any(frozenset((*part, label)) in known for part in parts):
                stack.append(((*prefix, label), having))
