"""The least support of label sets within each row, for the risk of each record."""

from __future__ import annotations

import itertools

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


def min_supports(
    indptr: Offsets,
    items: Codes,
    labels: int,
    m: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Return [size - 1, row]: the least number of persons with a set of at most ``size`` labels of the row, for 1..m.

    The empty set is one of them, so a row without labels has the number of all persons.

    >>> rows = np.array([0, 2, 4, 5, 5]), np.array([0, 1, 0, 1, 0], dtype=np.int32)
    >>> min_supports(*rows, 2, 2).tolist()
    [[2, 2, 3, 4], [2, 2, 3, 4]]
    """
    supports = compiled_or(min_supports_twin)(indptr, items, persons, labels, m, threads, tick)
    return supports.reshape(m, len(indptr) - 1)


def min_supports_twin(
    indptr: Offsets, items: Codes, persons: Codes, labels: int, m: int, threads: int, tick: Tick
) -> Counts:
    """Count size by size, only within rows whose least support a larger set can still lower."""
    rows, people = rows_of(indptr, items), people_of(indptr, persons)
    best = dict.fromkeys(rows, len(set(people)))
    supports: list[int] = []
    for size in range(1, m + 1):
        wanted = {row for row in best if best[row] > 1 and len(row) >= size}
        asked = {codes for row in wanted for codes in itertools.combinations(row, size)}
        holders: dict[Row, set[int]] = {codes: set() for codes in asked}
        for row, person in zip(rows, people, strict=True) if asked else ():
            tick(0.0)
            for codes in itertools.combinations(row, size):
                if codes in asked:
                    holders[codes].add(person)
        for row in wanted:
            best[row] = min(len(holders[codes]) for codes in itertools.combinations(row, size))
        supports.extend(best[row] for row in rows)
    return np.array(supports, dtype=np.int64)
