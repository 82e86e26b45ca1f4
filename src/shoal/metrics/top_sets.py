"""The most frequent sets of at least two items, without a minimal support that somebody has to guess.

Sets are ranked by support, then by size, then by the labels of their items, which do not depend on a hierarchy. So
every part of a set that has at least two items ranks before the set itself. The search goes up by size: a set can be
among the first only if all its parts are. No size has more candidates than the squared number of sets that are wanted,
however dense the data are.

Pairs come first. Items that are rarer than the last pair found so far cannot be in a better pair, so the most frequent
items are tried first, and the others are mostly never looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.data.arrays import Codes, Counts, csr_from_pairs, row_ids
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions
from shoal.engines import Engine, current
from shoal.kernels.measure.set_supports import SetSupports

LEAST = 2  # records that a frequent set needs; a set of one record is that record's secret
MOST_SETS = 10_000  # sets that may be asked for
_FIRST, _FACTOR = 64, 8  # items that are tried at first, and how many times more in each turn
_CELLS = 1 << 23  # pairs that are counted at once
_STAGE = "finding frequent sets"

ItemSet = tuple[int, ...]  # codes, in the order of their labels


@dataclass(frozen=True, eq=False)
class TopSets:
    """The most frequent sets of at least two items, the most frequent first."""

    sets: tuple[ItemSet, ...]
    supports: tuple[int, ...]  # the number of records that hold each

    def __len__(self) -> int:
        """The number of sets."""
        return len(self.sets)

    def first(self, number: int) -> TopSets:
        """Return the first sets of the list, which are the most frequent ones."""
        return TopSets(self.sets[:number], self.supports[:number])


def most_frequent_sets(rows: Transactions, number: int, engine: Engine | None = None) -> TopSets:
    """Return this many of the most frequent sets of at least two items, or fewer if there are no more.

    Sets with equal support are ranked by size, then by the labels of their items. Sets of a single record do not count.

    >>> rows = Transactions.from_sets([["a", "b", "c"], ["a", "b", "c"], ["a", "b"], ["d", "e"]])
    >>> top = most_frequent_sets(rows, 3)
    >>> top.sets, top.supports  # (0, 1, 2) is in as many records as the pairs (0, 2) and (1, 2), but longer
    (((0, 1), (0, 2), (1, 2)), (3, 2, 2))
    """
    engine = engine or current()
    search = _Search(rows, number, engine)
    found = search.pairs()
    last = dict(found)
    while last:
        candidates = _joined(sorted(last))
        counts = supports_of(rows, [search.codes(one) for one in candidates], engine)
        last = {one: count for one, count in zip(candidates, counts, strict=True) if count >= LEAST}
        found = _ranked([*found, *last.items()])[:number]
        kept = dict(found)
        last = {one: count for one, count in last.items() if one in kept}
    return TopSets(tuple(search.codes(one) for one, _ in found), tuple(count for _, count in found))


def supports_of(rows: Transactions, sets: Sequence[ItemSet], engine: Engine | None = None) -> list[int]:
    """Return the number of records that hold all items of each set. All records hold the empty set.

    >>> supports_of(Transactions.from_sets([["a", "b"], ["b"], []]), [(0, 1), (1,), ()])
    [1, 2, 3]
    """
    if not sets:
        return []
    codes = np.array(sorted({code for one in sets for code in one}), dtype=np.int32)
    place = np.full(len(rows.labels), -1, dtype=np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    order = np.argsort(rows.supports[codes], kind="stable")  # the rarest first
    rank = np.empty(len(codes), dtype=np.int32)
    rank[order] = np.arange(len(codes), dtype=np.int32)
    indptr = np.concatenate([[0], np.cumsum([len(one) for one in sets], dtype=np.int64)])
    items = place[np.array([code for one in sets for code in one], dtype=np.int32)]
    kernel = SetSupports(indptr, items.astype(np.int32), rank)
    total = np.zeros(len(sets), dtype=np.int64)
    for counts in (engine or current()).over(_STAGE, lambda part, _: kernel.count(*_only(part, place)), rows):
        total += counts
    return [int(count) for count in total]


def _only(rows: Transactions, place: Codes) -> tuple[Counts, Codes]:
    """Return the rows with the items that have a place, by their places."""
    codes = place.take(rows.items)
    return csr_from_pairs(row_ids(rows.indptr)[codes >= 0], codes[codes >= 0], len(rows))


def _joined(sets: Sequence[ItemSet]) -> list[ItemSet]:
    """Return the sets with one more item all of whose parts with one item less are given (sorted, of equal size)."""
    known = set(sets)
    ends: dict[ItemSet, list[int]] = {}
    for one in sets:
        ends.setdefault(one[:-1], []).append(one[-1])
    joined = ((*start, *two) for start, last in ends.items() for two in combinations(last, 2))
    return [one for one in joined if all(part in known for part in combinations(one, len(one) - 1))]


def _ranked(counted: Iterable[tuple[ItemSet, int]]) -> list[tuple[ItemSet, int]]:
    """Sort sets by falling support, then by size and items."""
    return sorted(counted, key=lambda one: (-one[1], len(one[0]), one[0]))


class _Search:
    """Finds the most frequent pairs. Items are numbered in the order of their labels."""

    def __init__(self, rows: Transactions, number: int, engine: Engine) -> None:
        self._rows, self._number, self._engine = rows, number, engine
        code_of = {label: code for code, label in enumerate(rows.labels)}
        self._codes = np.array([code_of[label] for label in canonical_order(rows.labels)], dtype=np.int64)

    def codes(self, one: ItemSet) -> ItemSet:
        """Return the codes of numbered items."""
        return tuple(self._codes[list(one)].tolist())

    def pairs(self) -> list[tuple[ItemSet, int]]:
        """Return the most frequent pairs.

        A pair that was not counted has at most the support of its rarer item. So if the items that were tried have
        enough pairs, and all others are rarer than the last of these, no other pair is better.
        """
        supports = self._rows.supports[self._codes]
        order = np.argsort(-supports, kind="stable")
        tried, least = 0, LEAST
        found: list[tuple[ItemSet, int]] = []
        while tried < (possible := int(np.count_nonzero(supports >= least))):
            tried = min(possible, max(_FIRST, tried * _FACTOR))
            found = self._pairs_of(np.sort(order[:tried]))
            if len(found) == self._number:
                least = max(LEAST, found[-1][1])
        return found

    def _pairs_of(self, items: Counts) -> list[tuple[ItemSet, int]]:
        """Return the most frequent pairs of some items (ascending)."""
        place = np.full(len(self._codes), -1, dtype=np.int32)
        place[self._codes[items]] = np.arange(len(items), dtype=np.int32)
        found: list[tuple[ItemSet, int]] = []
        step = max(1, _CELLS // max(1, len(items)))
        for start in range(0, len(items), step):
            some = _Pairs(place, len(items), start, min(start + step, len(items)))
            total = some.zeros()
            for counts in self._engine.over(_STAGE, some.count, self._rows):
                total += counts
            found = _ranked([*found, *_best(total, items, start, self._number)])[: self._number]
        return found


def _best(counts: Counts, items: Counts, start: int, number: int) -> Iterator[tuple[ItemSet, int]]:
    """Yield the pairs with the highest counts, and those that are tied with the last of them in order of items."""
    there = np.flatnonzero(counts >= LEAST)
    if len(there) > number:
        least = np.partition(counts[there], len(there) - number)[len(there) - number]
        above, tied = there[counts[there] > least], there[counts[there] == least]
        there = np.concatenate([above, tied[: number - len(above)]])  # keys rise with the items
    for key in there.tolist():
        first, second = divmod(key, len(items))
        yield (int(items[start + first]), int(items[second])), int(counts[key])


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of items that have a place: the first one from ``start`` to ``stop``, the second one after it."""

    place: Codes  # of each item of the rows, or -1
    items: int
    start: int
    stop: int

    def zeros(self) -> Counts:
        """Return a count of 0 for each pair."""
        return np.zeros((self.stop - self.start) * self.items, dtype=np.int64)

    def count(self, rows: Transactions, _: Engine) -> Counts:
        """Count the records that hold each pair."""
        indptr, codes = _only(rows, self.place)
        later = np.repeat(indptr[1:], np.diff(indptr)) - np.arange(len(codes)) - 1  # items of the row after this one
        at = np.flatnonzero((codes >= self.start) & (codes < self.stop) & (later > 0))
        total = self.zeros()
        keys: list[Counts] = []
        waiting, distance = 0, 1
        while len(at):
            keys.append((codes[at].astype(np.int64) - self.start) * self.items + codes[at + distance])
            waiting, distance = waiting + len(at), distance + 1
            at = at[later[at] >= distance]
            if waiting >= _CELLS or not len(at):
                total += np.bincount(np.concatenate(keys), minlength=len(total))
                keys, waiting = [], 0
        return total
