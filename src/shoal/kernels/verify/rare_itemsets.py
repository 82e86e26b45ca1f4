"""Label sets and rows that too few rows contain, for verifying k^m-anonymity."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress

KEEP = 20  # number of witnesses in a verdict


@dataclass(frozen=True)
class Rare:
    """The result of a counting kernel."""

    checked: int
    violations: int
    sets: Sequence[tuple[Sequence[int], int]]  # (codes ascending, support): smallest sets first, then lowest support


def rare_itemsets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    keep: int = KEEP,
    first_size_only: bool = False,
    tick: Tick = no_progress,
) -> Rare:
    """Find sets of at most m labels in rows of 1..k-1 persons: all minimal ones, and some others.

    ``first_size_only``: examine sizes in order and end with the first that has such sets. Then all of that size are
    found.

    >>> rare_itemsets(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], dtype=np.int32), 3, 2, 2)
    Rare(checked=4, violations=1, sets=[([2], 1)])
    """
    return Rare(
        *compiled_or(rare_itemsets_twin)(
            indptr, items, persons, labels, capped(k, indptr), m, keep, first_size_only, threads, tick
        )
    )


def rare_rows(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    *,
    persons: Codes = NOBODY,
    keep: int = KEEP,
    tick: Tick = no_progress,
) -> Rare:
    """Find distinct non-empty rows contained in rows of fewer than k persons. The first are thinned to minimal sets.

    With ``keep=0`` the first such row ends the search: a quick yes or no.
    """
    return Rare(*compiled_or(rare_rows_twin)(indptr, items, persons, labels, capped(k, indptr), keep, tick))


def smallest_rare(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Return for each row the size of its smallest subset of at most m labels of fewer than k persons; 0: none.

    Sizes above 255 are not examined.
    """
    k = capped(k, indptr)
    smallest: npt.NDArray[np.uint8] = compiled_or(smallest_rare_twin)(
        indptr, items, persons, labels, k, min(m, 255), threads, tick
    )
    return smallest.astype(np.int64)


Told = tuple[int, int, list[tuple[list[int], int]]]  # checked, violations, (codes, support) of the smallest few


def rare_itemsets_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    labels: int,
    k: int,
    m: int,
    keep: int,
    first_size_only: bool,
    threads: int,
    tick: Tick,
) -> Told:
    """Search depth-first: count the labels after a frequent prefix, report rare ones, and extend frequent ones."""
    rows = _by_row(indptr, items, persons)
    for size in range(1 if first_size_only else m, m + 1):
        checked, rare = 0, []
        for prefix, counts, _ in _frequent_prefixes(rows, k, size, tick):
            checked += len(counts)
            rare += [(sorted([*prefix, label]), support) for label, support in counts.items() if support < k]
        if rare and first_size_only:
            break
    return checked, len(rare), _smallest(rare, keep)


def smallest_rare_twin(
    indptr: Offsets, items: Codes, persons: Codes, labels: int, k: int, m: int, threads: int, tick: Tick
) -> npt.NDArray[np.uint8]:
    """Mark the rows of every rare set with its size."""
    smallest: dict[Row, int] = {}
    for prefix, counts, rows in _frequent_prefixes(_by_row(indptr, items, persons), k, m, tick):
        if min(counts.values(), default=k) < k:
            size = len(prefix) + 1
            for row, rest, _ in rows:
                if any(counts[label] < k for label in rest):
                    smallest[row] = min(size, smallest.get(row, size))
    return np.array([smallest.get(row, 0) for row in rows_of(indptr, items)], dtype=np.uint8)


def rare_rows_twin(indptr: Offsets, items: Codes, persons: Codes, labels: int, k: int, keep: int, tick: Tick) -> Told:
    """Count the persons whose rows contain each distinct row."""
    rows = _by_row(indptr, items, persons)
    holders: dict[int, list[tuple[frozenset[int], set[int]]]] = {}
    for row, people in rows.items():
        for label in row:
            holders.setdefault(label, []).append((frozenset(row), people))

    def support(labels: Sequence[int]) -> int:
        wanted = frozenset(labels)
        rarest = min(labels, key=lambda label: len(holders[label]))
        return len(set().union(*(people for row, people in holders[rarest] if wanted <= row)))

    checked, violations, thinned = 0, 0, {}
    for row in sorted(rows):
        tick(checked / len(rows))
        checked += 1
        if support(row) >= k:
            continue
        violations += 1
        if keep == 0:
            break
        if violations > 10 * keep:
            continue
        thin = list(row)
        for label in reversed(row):
            thinner = [other for other in thin if other != label]
            if thinner and support(thinner) < k:
                thin = thinner
        thinned[tuple(thin)] = support(thin)
    return checked, violations, _smallest([(list(codes), count) for codes, count in thinned.items()], keep)


Held = tuple[Row, Row, set[int]]  # a row, its labels after the prefix, and its persons


def _frequent_prefixes(
    by_row: dict[Row, set[int]], k: int, m: int, tick: Tick
) -> Iterable[tuple[Row, dict[int, int], list[Held]]]:
    """Yield every frequent prefix of fewer than m labels, by rising support, with the counts of the labels after it."""
    support = _supports((row, people) for row, people in by_row.items())
    order = {label: rank for rank, label in enumerate(sorted(support, key=lambda u: (support[u], u)))}
    start = [(row, tuple(sorted(row, key=order.__getitem__)), people) for row, people in by_row.items()]
    stack: list[tuple[Row, list[Held]]] = [((), start)]
    while stack:
        tick(0.0)
        prefix, rows = stack.pop()
        counts = _supports((rest, people) for _, rest, people in rows)
        yield prefix, counts, rows
        if len(prefix) + 1 < m:
            held: dict[int, list[Held]] = {}
            for row, rest, people in rows:
                for at, label in enumerate(rest):
                    if counts[label] >= k:
                        follow = tuple(u for u in rest[at + 1 :] if support[u] >= k)  # never extend by rare labels
                        held.setdefault(label, []).append((row, follow, people))
            stack += [((*prefix, label), held[label]) for label in held]


def _smallest(sets: list[tuple[list[int], int]], keep: int) -> list[tuple[list[int], int]]:
    """Return the sets to report: smallest first, then lowest support, then codes."""
    return heapq.nsmallest(keep, sets, key=lambda itemset: (len(itemset[0]), itemset[1], itemset[0]))


def _by_row(indptr: Offsets, items: Codes, persons: Codes) -> dict[Row, set[int]]:
    """Map each distinct non-empty row to its persons."""
    people: dict[Row, set[int]] = {}
    for row, person in zip(rows_of(indptr, items), people_of(indptr, persons), strict=True):
        if row:
            people.setdefault(row, set()).add(person)
    return people


def _supports(rows: Iterable[tuple[Row, set[int]]]) -> dict[int, int]:
    """Count the persons with each label in a row."""
    holders: dict[int, set[int]] = {}
    for row, people in rows:
        for label in row:
            holders.setdefault(label, set()).update(people)
    return {label: len(people) for label, people in holders.items()}
