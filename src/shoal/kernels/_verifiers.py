"""Readable twins of the kernels that verify l^m-diversity, shares in (h,k,p)-coherence, and negative knowledge.

All go by the size of what the adversary knows and end with the first size that fails.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

Tick = Callable[[float], None]
Row = tuple[int, ...]
Held = list[tuple[Row, Row, int]]  # what follows a prefix in a row, the row's sensitive values, its weight
Disclosure = tuple[list[int], int, int, int]  # labels, sensitive value, support, rows of these with the value
Fact = tuple[list[int], list[int], int]  # present, absent, rows that match


def disclosing_sets(
    indptr: Any,
    items: Any,
    labels: int,
    sensitive_indptr: Any,
    sensitive_items: Any,
    sensitive_labels: int,
    part: int,
    of: int,
    first: int,
    last: int,
    least: int,
    keep: int,
    threads: int,
    tick: Tick,
) -> tuple[int, int, list[Disclosure]]:
    """Count the sensitive values in the rows of every set that enough rows with a sensitive value have."""
    weighted = Counter(zip(_rows(indptr, items), _rows(sensitive_indptr, sensitive_items), strict=True))
    rows = [(row, values, weight) for (row, values), weight in weighted.items()]
    checked, failing = 0, list[Disclosure]()
    for size in range(first, last + 1 if rows else first):
        for codes, held in _known(rows, size, tick, least):
            checked += 1
            support = sum(weight for _, _, weight in held)
            together = Counter[int]()
            for _, values, weight in held:
                for value in values:
                    together[value] += weight
            most = min(together, key=lambda value: (-together[value], value), default=0)
            if together[most] * of > support * part:
                failing.append((list(codes), most, support, together[most]))
        if failing:
            break
    return checked, len(failing), heapq.nsmallest(keep, failing, key=_worst)


def smallest_disclosing(
    indptr: Any,
    items: Any,
    labels: int,
    sensitive_indptr: Any,
    sensitive_items: Any,
    sensitive_labels: int,
    part: int,
    of: int,
    m: int,
    threads: int,
    tick: Tick,
) -> bytes:
    """Mark the rows of every set that have a value which is too frequent among them."""
    every = list(zip(_rows(indptr, items), _rows(sensitive_indptr, sensitive_items), strict=True))
    smallest = [0] * len(every)
    for size in range(1, m + 1):
        for codes, held in _known([(row, values, 1) for row, values in every], size, tick):
            together = Counter(value for _, values, _ in held for value in values)
            told = {value for value, count in together.items() if count * of > len(held) * part}
            for at, (row, values) in enumerate(every):
                if not smallest[at] and told & set(values) and set(codes) <= set(row):
                    smallest[at] = size
    return bytes(smallest)


def _known(rows: Held, size: int, tick: Tick, least: int = 1) -> Iterator[tuple[Row, Held]]:
    """The empty set, or each set of ``size`` labels that enough rows with a sensitive value have, with all its rows."""
    stack: list[tuple[Row, Held]] = [((), rows)]
    while stack:
        tick(0.0)
        prefix, held = stack.pop()
        if len(prefix) == size:
            yield prefix, held
            continue
        follow: dict[int, Held] = defaultdict(list)
        for rest, values, weight in held:
            for at, label in enumerate(rest):
                follow[label].append((rest[at + 1 :], values, weight))
        for label, having in follow.items():
            if sum(weight for _, values, weight in having if values) >= least:
                stack.append(((*prefix, label), having))


def _worst(found: Disclosure) -> tuple[Fraction, int, list[int]]:
    """Highest share first, then the most rows, then codes."""
    codes, _, support, together = found
    return -Fraction(together, support), -support, codes


def rare_facts(
    indptr: Any, items: Any, labels: int, k: int, m: int, keep: int, threads: int, tick: Tick
) -> tuple[int, int, list[Fact]]:
    """Count combinations by number of facts."""
    walk = _Facts(_rows(indptr, items), k, tick)
    checked, rare = 0, list[Fact]()
    for facts in range(1, m + 1):
        for present, absent, count in walk.counted(facts):
            checked += 1
            if 0 < count < k:
                rare.append((list(present), sorted(absent), count))
        if rare:
            break
    return checked, len(rare), heapq.nsmallest(keep, rare, key=lambda fact: (fact[2], fact[0], fact[1]))


class _Facts:
    """Combinations of f facts, counted by inclusion-exclusion from supports, given that all smaller ones are fine.

    Then a failing one with the present labels P and the absent labels N has, for every part N' of N and y in the rest:
    match(P, N') >= k; match(P + y, N') >= 1; and match(P, N') minus the sum of match(P + y, N') over all such y is
    below k. So N is put together from labels y that take many rows of P, as long as the last of these can come true.
    """

    def __init__(self, rows: list[Row], k: int, tick: Tick) -> None:
        weighted = Counter(rows)
        self.total, self.k, self.tick = len(rows), k, tick
        self.rows, self.weights = list(weighted), list(weighted.values())

    def counted(self, facts: int) -> Iterator[tuple[Row, Row, int]]:
        """Those combinations of that many facts that may fail, as (present, absent, rows that match)."""
        stack: list[tuple[Row, Iterable[int]]] = [((), range(len(self.rows)))]
        while stack:
            self.tick(0.0)
            present, held = stack.pop()
            support = self.support(held) if present else self.total
            having: dict[int, set[int]] = defaultdict(set)  # for each label beside the present ones, its rows
            for row in held:
                for label in self.rows[row]:
                    if label not in present:
                        having[label].add(row)
            follow = [label for label in having if not present or label > present[-1]]
            if len(present) + 1 == facts:
                yield from ((present, (label,), support - self.support(having[label])) for label in having)
                yield from (((*present, label), (), self.support(having[label])) for label in follow)
            else:
                taken = [(self.support(rows), label) for label, rows in having.items()]
                for absent, count in self.without((), support, facts - len(present), taken, having):
                    yield present, absent, count
                stack += [((*present, label), having[label]) for label in follow]

    def without(
        self, absent: Row, left: int, wanted: int, bounds: list[tuple[int, int]], having: dict[int, set[int]]
    ) -> Iterator[tuple[Row, int]]:
        """Ways to extend N by ``wanted`` labels, with their counts; N leaves ``left`` rows.

        ``bounds``: for each label to choose from, at least as many rows as it takes of these.
        """
        self.tick(0.0)
        if not absent:  # the bounds are exact: labels that take all or nothing are of no use
            bounds = [(bound, label) for bound, label in bounds if 0 < bound < left]
        most = max(bounds, default=(0, 0))[0]
        taken = [
            (self.match(having[label], absent, having), label)
            for bound, label in bounds
            if left - bound - (wanted - 1) * most < self.k
        ]
        if wanted == 1:
            yield from (((*absent, label), left - rows) for rows, label in taken)
            return
        options = sorted(((rows, label) for rows, label in taken if 0 < rows < left), key=lambda o: (-o[0], o[1]))
        for at, (rows, label) in enumerate(options):
            if left - wanted * rows < self.k:
                yield from self.without((*absent, label), left - rows, wanted - 1, options[at + 1 :], having)

    def match(self, rows: set[int], absent: Row, having: dict[int, set[int]]) -> int:
        """Inclusion-exclusion: how many of the rows have none of the absent labels."""
        return sum(
            (-1) ** size * self.support(rows.intersection(*(having[label] for label in part)))
            for size in range(len(absent) + 1)
            for part in itertools.combinations(absent, size)
        )

    def support(self, rows: Iterable[int]) -> int:
        """How many published rows these distinct ones stand for."""
        return sum(self.weights[row] for row in rows)


def _rows(indptr: Any, items: Any) -> list[Row]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
