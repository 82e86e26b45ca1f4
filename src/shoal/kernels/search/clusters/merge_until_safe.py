"""Merges the items of one cluster of rows into labels until no label set violates the model."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress

NOTHING = np.zeros(0, dtype=np.int64)


def merge_until_safe(
    indptr: Offsets,
    items: Codes,
    labels: int,
    hidden_indptr: Offsets,
    hidden_items: Codes,
    hidden_labels: int,
    k: int,
    l: int,
    m: int,
    *,
    persons: Codes = NOBODY,
    occurrences: Counts = NOTHING,
    penalties: Counts = NOTHING,
    tick: Tick = no_progress,
) -> Codes | None:
    """Merge the items of one cluster of rows into labels until no set of up to m labels violates the model.

    A set violates the model if rows of 1..k-1 persons have it; or, unless l is 0, if more than one in l of the rows, or
    of the persons, have the same hidden item. The first violation, by size and then in order, is repaired by merging
    one of its labels with another, where that adds least loss. A label of n items loses ``penalties[n]`` for each of
    its ``occurrences``, which are given by item. Without penalties, the loss is UL (Poulis et al. 2013). Return the
    smallest item of the label of each item, -1 for items that do not occur; or None if all items in one label are still
    a violation.

    >>> rows = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 2, 3], dtype=np.int32)
    >>> none = np.array([0, 0, 0, 0]), np.array([], dtype=np.int32)
    >>> merge_until_safe(*rows, 5, *none, 0, 2, 0, 2)
    array([ 0,  1,  1,  0, -1], dtype=int32)
    >>> cost = {"occurrences": np.array([2, 1, 1, 1, 0]), "penalties": np.array([5, 0, 2, 3, 4, 5])}
    >>> merge_until_safe(*rows, 5, *none, 0, 2, 0, 2, **cost)
    array([ 0,  1,  1,  1, -1], dtype=int32)
    >>> merge_until_safe(*rows, 5, *none, 0, 4, 0, 1) is None
    True
    """
    longest = int(np.diff(indptr).max(initial=0))
    limits = capped(k, indptr), capped(l, indptr), min(m, longest)
    hidden = hidden_indptr, hidden_items, hidden_labels
    return compiled_or(merge_until_safe_twin)(
        indptr, items, persons, labels, *hidden, *limits, occurrences, penalties, tick
    )


def merge_until_safe_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    labels: int,
    hidden_indptr: Offsets,
    hidden_items: Codes,
    hidden_labels: int,
    k: int,
    l: int,
    m: int,
    occurrences: Counts,
    penalties: Counts,
    tick: Tick,
) -> Codes | None:
    """Merge labels of the first violation, where that adds least loss, until there is none; None if one remains."""
    rows, people = rows_of(indptr, items), people_of(indptr, persons)
    hidden: list[Row] = rows_of(hidden_indptr, hidden_items) if l else [() for _ in rows]
    label_of = {item: item for row in rows for item in row}
    while True:
        size = Counter(label_of.values())
        tick(1 - len(size) / max(1, len(label_of)))
        blurred = [tuple(sorted({label_of[item] for item in row})) for row in rows]
        breach = _first_breach(blurred, hidden, people, k, l, m)
        if not breach:
            return np.array([label_of.get(item, -1) for item in range(labels)], dtype=np.int32)
        if len(size) == 1:
            return None
        pairs = {(min(u, v), max(u, v)) for u in breach for v in size if u != v}
        if len(penalties):
            changes = _added_costs(label_of, size, pairs, occurrences, penalties)
        else:
            changes = _added_losses(Counter(blurred), size, pairs)
        kept, gone = min(pairs, key=lambda pair: (changes[pair], size[pair[0]] + size[pair[1]], pair))
        label_of = {item: kept if label == gone else label for item, label in label_of.items()}


def _first_breach(rows: list[Row], hidden: list[Row], people: list[int], k: int, l: int, m: int) -> Row:
    """Return the first set of labels, by size and then in order, that violates the model."""
    for size in range(1, min(m, max(map(len, rows), default=0)) + 1):
        holders, disclosing = dict[Row, list[int]](), dict[tuple[Row, int], list[int]]()  # the person of each row
        for row, secrets, person in zip(rows, hidden, people, strict=True):
            for labels in itertools.combinations(row, size):
                holders.setdefault(labels, []).append(person)
                for item in secrets:
                    disclosing.setdefault((labels, item), []).append(person)
        broken = {labels for labels, whose in holders.items() if len(set(whose)) < k}
        for (labels, _), whose in disclosing.items():
            if len(whose) * l > len(holders[labels]) or len(set(whose)) * l > len(set(holders[labels])):
                broken.add(labels)
        if broken:
            return min(broken)
    return ()


def _added_costs(
    label_of: dict[int, int], size: Counter[int], pairs: set[tuple[int, int]], occurrences: Counts, penalties: Counts
) -> dict[tuple[int, int], int]:
    """Return the loss that merging each pair of labels adds."""
    of = Counter[int]()
    for item, label in label_of.items():
        of[label] += int(occurrences[item])
    cost = {label: of[label] * int(penalties[size[label]]) for label in size}
    return {(u, v): (of[u] + of[v]) * int(penalties[size[u] + size[v]]) - cost[u] - cost[v] for u, v in pairs}


def _added_losses(rows: Counter[Row], size: Counter[int], pairs: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return the UL that merging each pair of labels adds over all rows."""
    added = Counter[tuple[int, int]]()
    for row, weight in rows.items():
        before = _loss({label: size[label] for label in row})
        for u, v in pairs:
            if u in row or v in row:
                sizes = {label: size[label] for label in row if label not in (u, v)}
                added[u, v] += weight * (_loss({**sizes, u: size[u] + size[v]}) - before)
    return added


def _loss(sizes: dict[int, int]) -> int:
    """Return the loss (UL) of a row with labels of these sizes, in whole numbers of 2^-40."""
    if not sizes:
        return 0
    items, total = sum(sizes.values()), 0.0
    least = math.ldexp(1.0, -items)
    for _, size in sorted(sizes.items()):
        if size > 1:
            total += math.ldexp(1.0, size - items) - least
    return math.floor(math.ldexp(total / (1.0 - least), 40))
