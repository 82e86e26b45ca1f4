"""Labels known to be present or absent that match too few rows: what verifies negative knowledge."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import Row, capped, rows_of
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
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = no_progress,
) -> RareNegativeItemsets:
    """Combinations of labels a row has and labels it has not, 1..m together, that match 1..k-1 rows.

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
            indptr, items, labels, capped(k, indptr), min(m, labels), keep, threads, tick
        )
    )


Fact = tuple[list[int], list[int], int]  # present, absent, rows that match


def rare_negative_itemsets_twin(
    indptr: Offsets, items: Codes, labels: int, k: int, m: int, keep: int, threads: int, tick: Tick
) -> tuple[int, int, list[Fact]]:
    """Count combinations by number of facts."""
    walk = _Facts(rows_of(indptr, items), k, tick)
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
