"""The kernels of the verifiers: they share no counting with those of the searches (decision 0005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, capped, kernels, still

KEEP = 20  # witnesses that a verdict carries


@dataclass(frozen=True)
class Rare:
    """What a counting kernel found."""

    checked: int
    violations: int
    sets: Sequence[tuple[Sequence[int], int]]  # (codes ascending, support): smallest sets first, then lowest support


@dataclass(frozen=True)
class Disclosing:
    """What :func:`disclosing_sets` found."""

    checked: int  # label sets counted
    violations: int  # failing sets of the smallest size that has any
    # (label codes ascending, sensitive code, rows with all labels, rows of these with the sensitive value): the highest
    # share first, then the most rows, then codes
    sets: Sequence[tuple[Sequence[int], int, int, int]]


@dataclass(frozen=True)
class RareFacts:
    """What :func:`rare_facts` found."""

    checked: int  # combinations counted
    violations: int  # of the smallest number of facts that has any
    # (present codes, absent codes, rows that match): the fewest rows first, then present, then absent codes
    facts: Sequence[tuple[Sequence[int], Sequence[int], int]]


def rare_itemsets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    threads: int = 1,
    keep: int = KEEP,
    first_size_only: bool = False,
    tick: Tick = still,
) -> Rare:
    """Sets of at most m labels with support in 1..k-1: all that have no such part, and some that do.

    ``first_size_only``: go size by size and end with the first that has such sets; then it is all of that size.

    >>> rare_itemsets(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], dtype=np.int32), 3, 2, 2)
    Rare(checked=4, violations=1, sets=[([2], 1)])
    """
    return Rare(
        *kernels().rare_itemsets(indptr, items, labels, capped(k, indptr), m, keep, first_size_only, threads, tick)
    )


def rare_rows(indptr: Offsets, items: Codes, labels: int, k: int, *, keep: int = KEEP, tick: Tick = still) -> Rare:
    """Distinct non-empty rows that fewer than k rows contain; the first few are thinned to rare sets with no rare part.

    With ``keep=0`` the first such row ends the search: a quick yes or no.
    """
    return Rare(*kernels().rare_rows(indptr, items, labels, capped(k, indptr), keep, tick))


def smallest_rare(
    indptr: Offsets, items: Codes, labels: int, k: int, m: int, *, threads: int = 1, tick: Tick = still
) -> Counts:
    """For each row, the size of its smallest subset of at most m (and 255) labels with support below k; 0: none."""
    k = capped(k, indptr)
    smallest = kernels().smallest_rare(indptr, items, labels, k, min(m, 255), threads, tick)
    return np.frombuffer(smallest, dtype=np.uint8).astype(np.int64)


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
    least: int = 1,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = still,
) -> Disclosing:
    """Sets of labels such that more than an allowed share of the rows with all of them have the same sensitive value.

    ``allowed`` is (part, whole); part times the number of rows, and so whole, must fit 64 bits. Size by size, ending
    with the first that has such sets: then it is all of that size, each with its most frequent sensitive value (the
    lowest code, if there are several). ``checked`` counts, up to that size, the empty set (if it is one of the sizes
    and there are rows) and the sets that at least one row with a sensitive value has: others disclose nothing.
    ``least``: only sets that so many rows with a sensitive value have; for callers who know that others are fine.

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
        *kernels().disclosing_sets(
            indptr,
            items,
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
    threads: int = 1,
    tick: Tick = still,
) -> Counts:
    """For each row, the size of its smallest set of 1..m (and 255) labels that tells a sensitive value of it; 0: none.

    A set tells a value if more than ``allowed`` (part, whole) of the rows with the set have it.
    """
    part, whole = allowed
    smallest = kernels().smallest_disclosing(
        indptr,
        items,
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
    return np.frombuffer(smallest, dtype=np.uint8).astype(np.int64)


def rare_facts(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = still,
) -> RareFacts:
    """Combinations of labels a row has and labels it has not, 1..m together, that match 1..k-1 rows.

    By number of facts, ending with the first that has such combinations: then it is all of that number. ``checked``
    counts, up to that number f, the combinations whose rows were counted: the sets of f labels that occur, each of f-1
    labels with one absent that occurs beside them, and of those with two absent labels or more the ones that, given all
    smaller combinations are fine, the supports leave room for. None but these can fail.

    >>> rows = np.array([0, 2, 4, 5, 6]), np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
    >>> rare_facts(*rows, 2, 2, 2)
    RareFacts(checked=4, violations=2, facts=[([], [0], 1), ([], [1], 1)])
    """
    return RareFacts(
        *kernels().rare_facts(indptr, items, labels, capped(k, indptr), min(m, labels), keep, threads, tick)
    )
