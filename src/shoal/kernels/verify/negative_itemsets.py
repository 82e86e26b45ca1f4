"""Labels known to be present or absent that match too few rows: what verifies negative knowledge."""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, Row, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.verify.rare_itemsets import KEEP


@dataclass(frozen=True)
class RareNegativeItemsets:
    """What :func:`rare_negative_itemsets` found."""

    checked: int  # combinations counted
    violations: int  # of the smallest number of facts that has any
    # (present codes, absent codes, rows that match): the fewest rows first, then present, then absent codes
    facts: Sequence[tuple[Sequence[int], Sequence[int], int]]


def rare_negative_itemsets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = no_progress,
) -> RareNegativeItemsets:
    """Combinations of labels a row has and labels it has not, 1..m together, that match rows of 1..k-1 persons.

    By number of facts, ending with the first that has such combinations: then it is all of that number. ``checked``
    counts, up to that number f, the combinations whose rows were counted: the sets of f labels that occur, each of f-1
    labels with one absent that occurs beside them, and of those with two absent labels or more the ones that, given all
    smaller combinations are fine, the supports leave room for. None but these can fail.

    >>> import numpy as np
    >>> rows = np.array([0, 2, 4, 5, 6]), np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
    >>> rare_negative_itemsets(*rows, 2, 2, 2)
    RareNegativeItemsets(checked=4, violations=2, facts=[([], [0], 1), ([], [1], 1)])
    """
    return RareNegativeItemsets(
        *compiled_or(rare_negative_itemsets_twin)(
            indptr, items, persons, labels, capped(k, indptr), min(m, labels), keep, threads, tick
        )
    )


Fact = tuple[list[int], list[int], int]  # present, absent, rows that match


def rare_negative_itemsets_twin(
    indptr: Offsets, items: Codes, persons: Codes, labels: int, k: int, m: int, keep: int, threads: int, tick: Tick
) -> tuple[int, int, list[Fact]]:
    """Count combinations by number of facts."""
    walk = _Facts(rows_of(indptr, items), people_of(indptr, persons), k, tick)
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
    """Combinations of f facts, given that all smaller ones are fine.

    Where every row is a person of its own, they are counted by inclusion-exclusion from supports. That does not hold
    for persons with several rows, one of which may have a label and another one not: these are counted directly.

    Then a failing one with the present labels P and the absent labels N has, for every part N' of N and y in the rest:
    match(P, N') >= k; match(P + y, N') >= 1; and match(P, N') minus the sum of match(P + y, N') over all such y is
    below k. So N is put together from labels y that take many rows of P, as long as the last of these can come true.
    """

    def __init__(self, rows: list[Row], people: list[int], k: int, tick: Tick) -> None:
        by_row: dict[Row, set[int]] = defaultdict(set)
        for row, person in zip(rows, people, strict=True):
            by_row[row].add(person)
        self.total, self.k, self.tick = len(set(people)), k, tick
        self.shared = self.total < len(rows)  # whether somebody has several rows
        self.rows, self.people = list(by_row), list(by_row.values())

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
                yield from ((present, (label,), self.left(support, held, (label,), having)) for label in having)
                yield from (((*present, label), (), self.support(having[label])) for label in follow)
            else:
                taken = [(self.support(rows), label) for label, rows in having.items()]
                for absent, count in self.without((), support, facts - len(present), taken, having, held):
                    yield present, absent, count
                stack += [((*present, label), having[label]) for label in follow]

    def without(
        self,
        absent: Row,
        left: int,
        wanted: int,
        bounds: list[tuple[int, int]],
        having: dict[int, set[int]],
        held: Iterable[int],
    ) -> Iterator[tuple[Row, int]]:
        """Ways to extend N by ``wanted`` labels, with their counts; N leaves ``left`` of the rows that are held.

        ``bounds``: for each label to choose from, at least as many rows as it takes of these.
        """
        self.tick(0.0)
        if not absent:  # the bounds are exact: labels that take all or nothing are of no use
            bounds = [(bound, label) for bound, label in bounds if bound > 0 and (self.shared or bound < left)]
        most = max(bounds, default=(0, 0))[0]
        taken = [
            (self.match(having[label], absent, having), label)
            for bound, label in bounds
            if left - bound - (wanted - 1) * most < self.k
        ]
        if wanted == 1:
            for rows, label in taken:
                more = (*absent, label)
                yield more, self.left(left, held, more, having) if self.shared else left - rows
            return
        useful = ((rows, label) for rows, label in taken if rows > 0 and (self.shared or rows < left))
        options = sorted(useful, key=lambda option: (-option[0], option[1]))
        for at, (rows, label) in enumerate(options):
            more = (*absent, label)
            rest = self.left(left, held, more, having) if self.shared else left - rows
            if left - wanted * rows < self.k and rest:
                yield from self.without(more, rest, wanted - 1, options[at + 1 :], having, held)

    def match(self, rows: set[int], absent: Row, having: dict[int, set[int]]) -> int:
        """How many of the rows have none of the absent labels, by inclusion-exclusion; whose they are, directly."""
        if self.shared:
            return self.support(rows.difference(*(having[label] for label in absent)))
        return sum(
            (-1) ** size * self.support(rows.intersection(*(having[label] for label in part)))
            for size in range(len(absent) + 1)
            for part in itertools.combinations(absent, size)
        )

    def left(self, support: int, held: Iterable[int], absent: Row, having: dict[int, set[int]]) -> int:
        """How many persons have one of the held rows without the absent labels; ``support``: how many have any."""
        if self.shared:
            return self.support(set(held).difference(*(having[label] for label in absent)))
        return support - self.support(having[absent[0]])

    def support(self, rows: Iterable[int]) -> int:
        """How many persons are behind these distinct rows."""
        return len(set().union(*(self.people[row] for row in rows)))
