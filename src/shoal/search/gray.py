"""Chunks of similar rows (P3 Alg. 6): Gray order, equal numbers of m-combinations, flexible borders."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Literal

import numpy as np

from shoal.data.arrays import Counts, part_of
from shoal.data.transactions import Transactions
from shoal.kernels.search.neighbours.gray_order import gray_order
from shoal.search.formation import whole_persons


def gray_chunks(
    items: Transactions, m: int | Literal["all"], chunks: int, flexibility: int, *, keep_persons: bool = False
) -> list[Counts]:
    """The rows in Gray order, cut into consecutive chunks; every row is in one, and none is empty.

    ``keep_persons``: then the rows of each person are brought together in one of them.

    >>> rows = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> items = Transactions.from_sets(rows, ["a1", "a2", "b1", "b2"])
    >>> [chunk.tolist() for chunk in gray_chunks(items, 2, 2, 0)]  # P3 Fig. 7: t2 t1 t3 t4, 1 + 3 + 3 + 3 pairs
    [[1, 0, 2], [3]]
    """
    order = gray_order(items.indptr, items.items)
    most = int(items.sizes.max(initial=0)) if m == "all" else m
    ends = borders(items, order, most, min(chunks, max(1, len(items))), flexibility)
    cut = np.split(order, [end + 1 for end in ends])
    if not keep_persons or not len(items.repeaters):
        return cut
    chunk_of = whole_persons(part_of(cut, len(items)), items.repeaters)
    return [order[chunk_of[order] == chunk] for chunk in range(chunk_of.max() + 1)]


def borders(items: Transactions, order: Counts, m: int, chunks: int, flexibility: int) -> list[int]:
    """The positions in the order after which a chunk ends, all but the last, strictly rising.

    Border i is at the first row where the number of m-combinations so far reaches i/n of all (none at all: of rows),
    moved by up to ``flexibility`` rows to where a row differs most from the next one (ties: the first such place).
    """
    sizes = items.sizes[order].tolist()
    combinations = {size: math.comb(size, m) for size in set(sizes)}
    reached = list(accumulate(combinations[size] for size in sizes))
    if not reached or not reached[-1]:
        reached = list(range(1, len(sizes) + 1))
    places: list[int] = []
    for border in range(1, chunks):
        # reached >= border / chunks * total, in whole numbers
        at = bisect_left(reached, -(-border * reached[-1] // chunks))
        lowest = places[-1] + 1 if places else 0
        highest = len(sizes) - 1 - (chunks - border)  # leaves a row for each chunk to come
        at = min(max(at, lowest), highest)
        window = range(max(at - flexibility, lowest), min(at + flexibility, highest) + 1)
        places.append(max(window, key=lambda place: (_distance(items, order, place), -place)))
    return places


def _distance(items: Transactions, order: Counts, place: int) -> int:
    """The number of items that only one of two neighbours has."""
    one, other = (items.items[items.indptr[row] : items.indptr[row + 1]] for row in order[place : place + 2])
    return len(one) + len(other) - 2 * len(np.intersect1d(one, other, assume_unique=True))


def joined(chunks: list[Counts], feasible: Callable[[Counts], bool]) -> list[Counts]:
    """Chunks that can be anonymized by themselves: any other joins the next one, the last one the previous.

    If nothing is feasible, all rows are one chunk.

    >>> small = [np.array([0]), np.array([1, 2]), np.array([3, 4, 5]), np.array([6])]
    >>> [chunk.tolist() for chunk in joined(small, lambda rows: len(rows) > 2)]
    [[0, 1, 2], [3, 4, 5, 6]]
    """
    done: list[Counts] = []
    open_ = np.zeros(0, dtype=np.int64)
    for chunk in chunks:
        open_ = np.concatenate([open_, chunk])
        if feasible(open_):
            done.append(open_)
            open_ = np.zeros(0, dtype=np.int64)
    while len(open_) and done and not feasible(open_):
        open_ = np.concatenate([done.pop(), open_])
    return [*done, open_] if len(open_) or not done else done
