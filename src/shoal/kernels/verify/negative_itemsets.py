"""Combinations of present and absent labels that match too few rows, for verifying negative knowledge."""

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
    """The result of :func:`rare_negative_itemsets`."""

    checked: int  # number of combinations counted
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
    """Find combinations of 1..m present and absent labels that match rows of 1..k-1 persons.

    Each present or absent label is a fact. Numbers of facts are examined in order, ending with the first that has such
    combinations. Then all combinations of that number are found. ``checked`` counts, up to that number f, the
    combinations whose rows were counted: the sets of f labels that occur; each set of f-1 labels with one absent label
    that occurs with them; and those with two or more absent labels that the supports do not rule out, given that all
    smaller combinations are safe. No others can fail.

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
    """Combinations of f facts, given that all smaller ones are safe.

    If every row is a different person, they are counted by inclusion-exclusion from supports. That does not work for
    persons with several rows, because one row may have a label and another one not. These are counted directly.

    A failing combination with the present labels P and the absent labels N has, for every part N' of N and y in the
    rest: match(P, N') >= k; match(P + y, N') >= 1; and match(P, N') minus the sum of match(P + y, N') over all such y
    is below k. So N is built from labels y that remove many rows of P, as long as the last condition can hold.
    """

    def __init__(self, rows: list[Row], people: list[int], k: int, tick: Tick) -> None:
        by_row: dict[Row, set[int]] = defaultdict(set)
        for row, person in zip(rows, people, strict=True):
            by_row[row].add(person)
        self.total, self.k, self.tick = len(set(people)), k, tick
        self.shared = self.total < len(rows)  # whether some person has several rows
        self.rows, self.people = list(by_row), list(by_row.values())

    def counted(self, facts: int) -> Iterator[tuple[Row, Row, int]]:
        """Yield the combinations of this many facts that may fail, as (present, absent, rows that match)."""
        stack: list[tuple[Row, Iterable[int]]] = [((), range(len(self.rows)))]
        while stack:
            self.tick(0.0)
            present, held = stack.pop()
            support = self.support(held) if present else self.total
            having: dict[int, set[int]] = defaultdict(set)  # the rows of each label that occurs with the present ones
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
        """Yield extensions of N by ``wanted`` labels, with their counts. N leaves ``left`` of the held rows.

        ``bounds``: for each label to choose from, an upper bound on the rows that it removes.
        """
        self.tick(0.0)
        if not absent:  # the bounds are exact: labels that remove all rows or none are useless
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
        """Count the rows that have none of the absent labels by inclusion-exclusion, or their persons directly."""
        if self.shared:
            return self.support(rows.difference(*(having[label] for label in absent)))
        return sum(
            (-1) ** size * self.support(rows.intersection(*(having[label] for label in part)))
            for size in range(len(absent) + 1)
            for part in itertools.combinations(absent, size)
        )

    def left(self, support: int, held: Iterable[int], absent: Row, having: dict[int, set[int]]) -> int:
        """Count the persons with one of the held rows without the absent labels. ``support``: those who have any."""
        if self.shared:
            return self.support(set(held).difference(*(having[label] for label in absent)))
        return support - self.support(having[absent[0]])

    def support(self, rows: Iterable[int]) -> int:
        """Count the persons of these distinct rows."""
        return len(set().union(*(self.people[row] for row in rows)))
