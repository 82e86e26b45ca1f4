"""Label sets that disclose a sensitive value, for verifying l^m-diversity and (h,k,p)-coherence."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.verify.rare_itemsets import KEEP


@dataclass(frozen=True)
class Disclosing:
    """The result of :func:`disclosing_sets`."""

    checked: int  # number of label sets counted
    violations: int  # number of violations of the smallest size that has any
    # (label codes ascending, sensitive code, rows with all labels, rows of these with the sensitive value): the highest
    # share first, then the most rows, then codes
    sets: Sequence[tuple[Sequence[int], int, int, int]]


def disclosing_sets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    allowed: tuple[int, int],
    sizes: range,
    *,
    persons: Codes = NOBODY,
    least: int = 1,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = no_progress,
) -> Disclosing:
    """Find sets of labels with the same sensitive value in more than an allowed share of their rows.

    If persons have several rows, the share is counted by persons: of those who have a row with all labels, how many
    have one that also has the value.

    ``allowed`` is (part, whole). part times the number of rows, and so whole, must fit 64 bits. Sizes are examined in
    order, ending with the first that has such sets. Then all sets of that size are found, each with its most frequent
    sensitive value (ties: the lowest code). ``checked`` counts, up to that size, the empty set (if it is one of the
    sizes and there are rows) and the sets in at least one row with a sensitive value; other sets disclose nothing.
    ``least``: only sets in at least this many rows with a sensitive value, for callers who know that others are safe.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> values = np.array([0, 1, 1, 2, 2]), np.array([0, 1], dtype=np.int32)
    >>> disclosing_sets(*rows, 2, *values, 2, (1, 2), range(2))
    Disclosing(checked=3, violations=0, sets=[])
    >>> disclosing_sets(*rows, 2, *values, 2, (1, 3), range(2))
    Disclosing(checked=3, violations=2, sets=[([0], 0, 2, 1), ([1], 1, 2, 1)])
    """
    part, whole = allowed
    share = (part, capped(whole, indptr) if part == 1 else whole)
    ends = (min(sizes[0], labels + 1), min(sizes[-1], labels)) if sizes else (1, 0)
    return Disclosing(
        *compiled_or(disclosing_sets_twin)(
            indptr,
            items,
            persons,
            labels,
            sensitive_indptr,
            sensitive_items,
            sensitive_labels,
            *share,
            *ends,
            capped(least, indptr),
            keep,
            threads,
            tick,
        )
    )


def smallest_disclosing(
    indptr: Offsets,
    items: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    allowed: tuple[int, int],
    m: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Return for each row the size of its smallest set of 1..m labels (at most 255) that discloses its value; 0: none.

    A set discloses a value if more than ``allowed`` (part, whole) of the rows with the set have it.
    """
    part, whole = allowed
    smallest: npt.NDArray[np.uint8] = compiled_or(smallest_disclosing_twin)(
        indptr,
        items,
        persons,
        labels,
        sensitive_indptr,
        sensitive_items,
        sensitive_labels,
        part,
        whole,
        min(m, 255),
        threads,
        tick,
    )
    return smallest.astype(np.int64)


Held = list[tuple[Row, Row, int]]  # what follows a prefix in a row, the sensitive values of the row, its person
Disclosure = tuple[list[int], int, int, int]  # labels, sensitive value, support, how many of these have the value


def disclosing_sets_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    part: int,
    whole: int,
    first: int,
    last: int,
    least: int,
    keep: int,
    threads: int,
    tick: Tick,
) -> tuple[int, int, list[Disclosure]]:
    """Count the sensitive values in the rows of every set that enough rows with a sensitive value have."""
    rows = _rows(indptr, items, persons, sensitive_indptr, sensitive_items)
    checked, failing = 0, list[Disclosure]()
    for size in range(first, last + 1 if rows else first):
        for codes, held in _known(rows, size, tick, least):
            checked += 1
            support, together = len({person for _, _, person in held}), _together(held)
            most = min(together, key=lambda value: (-together[value], value), default=0)
            if together[most] * whole > support * part:
                failing.append((list(codes), most, support, together[most]))
        if failing:
            break
    return checked, len(failing), heapq.nsmallest(keep, failing, key=_worst)


def smallest_disclosing_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    part: int,
    whole: int,
    m: int,
    threads: int,
    tick: Tick,
) -> npt.NDArray[np.uint8]:
    """Mark the rows of every set with a value that is too frequent among them."""
    every = _rows(indptr, items, persons, sensitive_indptr, sensitive_items)
    smallest = [0] * len(every)
    for size in range(1, m + 1):
        for codes, held in _known(every, size, tick):
            support = len({person for _, _, person in held})
            disclosed = {value for value, count in _together(held).items() if count * whole > support * part}
            for at, (row, values, _) in enumerate(every):
                if not smallest[at] and disclosed & set(values) and set(codes) <= set(row):
                    smallest[at] = size
    return np.array(smallest, dtype=np.uint8)


def _rows(indptr: Offsets, items: Codes, persons: Codes, sensitive_indptr: Offsets, sensitive_items: Codes) -> Held:
    """Return the labels of each row, its sensitive values, and its person."""
    both = rows_of(indptr, items), rows_of(sensitive_indptr, sensitive_items)
    return list(zip(*both, people_of(indptr, persons), strict=True))


def _together(held: Held) -> Counter[int]:
    """Count the persons who have each sensitive value in one of the rows."""
    return Counter(value for value, _ in {(value, person) for _, values, person in held for value in values})


def _known(rows: Held, size: int, tick: Tick, least: int = 1) -> Iterator[tuple[Row, Held]]:
    """Yield the empty set, or each set of ``size`` labels in enough rows with a sensitive value, with all its rows."""
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
        for label, having in follow.items():
            if len({person for _, values, person in having if values}) >= least:
                stack.append(((*prefix, label), having))


def _worst(disclosure: Disclosure) -> tuple[Fraction, int, list[int]]:
    """Return the sort key: the highest share first, then the most rows, then codes."""
    codes, _, support, together = disclosure
    return -Fraction(together, support), -support, codes
