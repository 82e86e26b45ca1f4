"""Frequent label sets, with their support in other rows, for measures that mine."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import Row, capped, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress

MOST_ITEMSETS = 20_000_000  # with their labels and supports, around 1 GB


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Sets of labels: set s is ``items[indptr[s]:indptr[s + 1]]``, ascending."""

    indptr: Offsets
    items: Codes
    support: Counts  # number of rows that contain the set
    other: Counts  # number of rows of the other list that do

    def __len__(self) -> int:
        """The number of sets."""
        return len(self.support)


def frequent_itemsets(
    rows: tuple[Offsets, Codes],
    other: tuple[Offsets, Codes],
    labels: int,
    least: int,
    *,
    most: int = MOST_ITEMSETS,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Itemsets | None:
    """Find all sets of labels in at least ``least`` (and one) of the rows, with their support in the other rows.

    The search is depth-first, with labels by rising support. Return None if there are more than ``most`` sets.

    >>> rows = np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], dtype=np.int32)
    >>> mined = frequent_itemsets(rows, (np.array([0, 1]), np.array([0], dtype=np.int32)), 3, 2)
    >>> mined.indptr.tolist(), mined.items.tolist(), mined.support.tolist(), mined.other.tolist()
    ([0, 1, 3, 4], [1, 0, 1, 0], [2, 2, 3], [0, 0, 1])
    """
    mined = compiled_or(frequent_itemsets_twin)(*rows, *other, labels, capped(least, rows[0]), most, threads, tick)
    if mined is None:
        return None
    sizes, items, support, others = mined
    return Itemsets(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), items, support, others)


Held = list[
    tuple[Row, int, int]
]  # what follows a prefix in a row, and how many such rows of the first and of the second list


def frequent_itemsets_twin(
    indptr: Offsets,
    items: Codes,
    other_indptr: Offsets,
    other_items: Codes,
    labels: int,
    least: int,
    most: int,
    threads: int,
    tick: Tick,
) -> tuple[Codes, Codes, Counts, Counts] | None:
    """Search depth-first by rising support: report a frequent set, then its extensions."""
    least = max(1, least)
    mine, others = rows_of(indptr, items), rows_of(other_indptr, other_items)
    support = Counter(label for row in mine for label in row)
    ranked = sorted((label for label in support if support[label] >= least), key=lambda label: (support[label], label))
    rank = {label: at for at, label in enumerate(ranked)}
    firsts, seconds = (Counter(tuple(sorted(rank[i] for i in row if i in rank)) for row in x) for x in (mine, others))
    mined: list[tuple[list[int], int, int]] = []
    stack: list[tuple[Row, Held]] = [((), [(row, firsts[row], seconds[row]) for row in {**firsts, **seconds}])]
    while stack:
        tick(0.0)
        prefix, held = stack.pop()
        if prefix:
            codes = sorted(ranked[at] for at in prefix)
            mined.append((codes, sum(first for _, first, _ in held), sum(second for _, _, second in held)))
            if len(mined) > most:
                return None
        follow: dict[int, Held] = defaultdict(list)
        for rest, first, second in held:
            for at, code in enumerate(rest):
                follow[code].append((rest[at + 1 :], first, second))
        for code in sorted(follow, reverse=True):  # the last one pushed comes next
            if sum(first for _, first, _ in follow[code]) >= least:
                stack.append(((*prefix, code), follow[code]))
    return (
        np.array([len(codes) for codes, _, _ in mined], dtype=np.int32),
        np.array([code for codes, _, _ in mined for code in codes], dtype=np.int32),
        np.array([first for _, first, _ in mined], dtype=np.int64),
        np.array([second for _, _, second in mined], dtype=np.int64),
    )
