"""Chunks of similar rows (Terrovitis et al. 2011, Alg. 6): Gray order, equal m-combinations, flexible borders."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Literal

import numpy as np

from shoal.data.arrays import Counts, part_of
from shoal.data.transactions import Transactions
from shoal.kernels.search.neighbours.gray_order import gray_order
from shoal.search.formation import whole_persons

BIT_ORDERS = ("hierarchy", "frequent-first", "rare-first")
BORDERS = ("closed", "half-open")
BALANCES = ("combinations", "records")


@dataclass(frozen=True)
class Splitting:
    """Choices that the paper leaves open."""

    bit_order: str = "hierarchy"  # item of the lowest bit: first of the hierarchy, most frequent, or rarest
    borders: str = "closed"  # a border moves to t-f .. t+f; half-open: not to t+f
    balance: str = "combinations"  # chunks have equal numbers of combinations (s.4.5.1) or records (Alg. 6, line 7)
    estimate_from: int = 0  # number of rows used to estimate the number of combinations; 0: all
    seed: int = 0


def gray_chunks(
    items: Transactions,
    m: int | Literal["all"],
    chunks: int,
    flexibility: int,
    *,
    keep_persons: bool = False,
    splitting: Splitting = Splitting(),
) -> list[Counts]:
    """Cut the rows in Gray order into consecutive chunks. Every row is in one chunk, and no chunk is empty.

    ``keep_persons``: then move the rows of each person to one chunk.

    >>> rows = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> items = Transactions.from_sets(rows, ["a1", "a2", "b1", "b2"])
    >>> [chunk.tolist() for chunk in gray_chunks(items, 2, 2, 0)]  # paper, Fig. 7: t2 t1 t3 t4, 1 + 3 + 3 + 3 pairs
    [[1, 0, 2], [3]]
    """
    numbered = renumbered(items, splitting.bit_order)
    order = gray_order(numbered.indptr, numbered.items)
    most = items.longest if m == "all" else m
    ends = borders(items, order, most, min(chunks, max(1, len(items))), flexibility, splitting)
    cut = np.split(order, [end + 1 for end in ends])
    if not keep_persons or not len(items.repeaters):
        return cut
    chunk_of = whole_persons(part_of(cut, len(items)), items.repeaters)
    return [order[chunk_of[order] == chunk] for chunk in range(chunk_of.max() + 1)]


def renumbered(items: Transactions, bit_order: str) -> Transactions:
    """Number the items in the requested order. Ties keep the order of the hierarchy.

    >>> items = Transactions.from_sets([["a"], ["b", "c"], ["c"], ["b", "c"]], ["a", "b", "c"])
    >>> renumbered(items, "frequent-first").labels, renumbered(items, "rare-first").labels
    (('c', 'b', 'a'), ('a', 'b', 'c'))
    """
    if bit_order == "hierarchy":
        return items
    supports = items.supports if bit_order == "rare-first" else -items.supports
    numbered = np.argsort(supports, kind="stable")
    code_of = np.empty(len(numbered), dtype=np.int32)
    code_of[numbered] = np.arange(len(numbered), dtype=np.int32)
    return items.recode(code_of, [items.labels[code] for code in numbered])


def borders(
    items: Transactions, order: Counts, m: int, chunks: int, flexibility: int, splitting: Splitting = Splitting()
) -> list[int]:
    """Return the positions in the order after which a chunk ends, except the last, strictly rising.

    Border i is at the first row where the number of m-combinations so far reaches i/n of all (if there are none: of the
    rows). It moves by up to ``flexibility`` rows to where a row differs most from the next one (ties: the first place).
    """
    sizes = items.sizes[order].tolist()
    combinations = {size: math.comb(size, m) for size in set(sizes)}
    reached = list(accumulate(combinations[size] for size in sizes))
    total = _estimated(items, combinations, splitting)
    if splitting.balance == "records" or not total:
        reached, total = list(range(1, len(sizes) + 1)), Fraction(len(sizes))
    places: list[int] = []
    for border in range(1, chunks):
        at = bisect_left(reached, math.ceil(border * total / chunks))
        lowest = places[-1] + 1 if places else 0
        highest = len(sizes) - 1 - (chunks - border)  # leaves a row for each later chunk
        at = min(max(at, lowest), highest)
        last = at + flexibility - (splitting.borders == "half-open" and flexibility > 0)
        window = range(max(at - flexibility, lowest), min(last, highest) + 1)
        places.append(max(window, key=lambda place: (_distance(items, order, place), -place)))
    return places


def _estimated(items: Transactions, combinations: Mapping[int, int], splitting: Splitting) -> Fraction:
    """Return the number of m-combinations of all rows, or an estimate from a random sample (s.4.5.1)."""
    sizes, rows = items.sizes, splitting.estimate_from
    if 0 < rows < len(items):
        sizes = sizes[np.random.default_rng([splitting.seed, 3]).choice(len(items), rows, replace=False)]
    return Fraction(sum(combinations[size] for size in sizes.tolist()) * len(items), max(1, len(sizes)))


def _distance(items: Transactions, order: Counts, place: int) -> int:
    """Return the number of items that only one of two neighbours has."""
    one, other = (items.items[items.indptr[row] : items.indptr[row + 1]] for row in order[place : place + 2])
    return len(one) + len(other) - 2 * len(np.intersect1d(one, other, assume_unique=True))


def joined(chunks: list[Counts], feasible: Callable[[Counts], bool]) -> list[Counts]:
    """Join chunks until each can be anonymized by itself: a chunk joins the next one, the last chunk the previous.

    If no chunk is feasible, all rows become one chunk.

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
