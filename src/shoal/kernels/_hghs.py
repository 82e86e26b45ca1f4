"""HgHs, readable: the specification of ``_native.Suppression`` and the fallback where no compiler was at hand.

Written down as it is defined, nothing kept up to date: every cut is counted from scratch.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Tick = Callable[[float], None]
Cut = frozenset[int]
Price = tuple[bool, int, list[int]]  # not allowed, cost, suppressed labels


class Suppression:
    """Rows over a hierarchy; see the class of this name in ``shoal.kernels``."""

    def __init__(
        self,
        indptr: Any,
        items: Any,
        parent: Any,
        span: Any,
        leaves: int,
        kept: Any,
        gone: Any,
        occurrences: Any,
        barred: Any,
        rank: Any,
        budget: int,
        k: int,
    ) -> None:
        self.span, self.leaves, self.root = span.tolist(), leaves, len(parent) - 1
        self.kept, self.gone = kept.tolist(), gone.tolist()
        self.occurrences, self.barred, self.rank = occurrences.tolist(), barred.tolist(), rank.tolist()
        self.budget, self.k = budget, k
        self.children: list[list[int]] = [[] for _ in range(self.root + 1)]
        for node, above in enumerate(parent.tolist()[: self.root]):
            self.children[above].append(node)
        codes = items.tolist()
        self.rows = Counter(tuple(codes[start:stop]) for start, stop in itertools.pairwise(indptr.tolist()))
        del self.rows[()]

    def run(
        self, raised: Sequence[int], size: int, most: int, tick: Tick
    ) -> tuple[list[int], list[int], int, bool, int, int, int]:
        """From the root down to the cut ``raised``: expand the label that makes the cut cheapest, while one does.

        Threats are not remembered: none are reported, and there are never too many.
        """
        floor = set(self._labels(raised))
        moves = evaluations = 0
        cut: Cut = frozenset([self._lowered(self.root, floor)])
        here = self.price(cut, size)
        while True:
            found = []
            for label in cut - floor:
                tick(0.0)
                below = cut - {label} | {self._lowered(child, floor) for child in self.children[label]}
                price = self.price(below, size)
                found.append((price[:2], self.span[2 * label + 1] - self.span[2 * label], label, below, price))
                evaluations += 1
            if not found or (best := min(found, key=lambda one: one[:3]))[0] >= here[:2] or best[0][0]:
                break
            cut, here = best[3:]
            moves += 1
        forbidden, cost, suppressed = here
        internal = sorted(label for label in cut if label >= self.leaves)
        return internal, suppressed, cost, not forbidden, 0, moves, evaluations

    def whole(self, raised: Sequence[int], suppressed: Sequence[int], tick: Tick) -> bool:
        """Whether every published row is contained in at least k."""
        label_of = self._labels(raised)
        rows = self._published({u for u in label_of if u not in suppressed}, label_of)
        supports = (sum(weight for other, weight in rows.items() if row <= other) for row in rows)
        return all(support >= self.k for support in supports)

    def _lowered(self, node: int, floor: set[int]) -> int:
        """An only child stands for the same items as its parent, which it replaces."""
        while node not in floor and len(self.children[node]) == 1:
            node = self.children[node][0]
        return node

    def _labels(self, raised: Sequence[int]) -> list[int]:
        """The node of the cut above each leaf."""
        label_of = list(range(self.leaves))
        for node in sorted(raised):
            for leaf in range(*self.span[2 * node : 2 * node + 2]):
                label_of[leaf] = node
        return label_of

    def _published(self, labels: set[int], label_of: list[int]) -> Counter[frozenset[int]]:
        """The rows with these labels alone, without empty ones."""
        rows = Counter[frozenset[int]]()
        for row, weight in self.rows.items():
            rows[frozenset(label_of[leaf] for leaf in row) & labels] += weight
        del rows[frozenset()]
        return rows

    def price(self, cut: Cut, size: int) -> Price:
        """What the cut costs with its scenario of suppression."""
        label_of = self._labels(sorted(cut))
        kept: set[int] = set()
        for label in sorted(cut, key=self.rank.__getitem__):
            if not any(support < self.k for support in self._supports(kept | {label}, label, label_of, size)):
                kept.add(label)
        suppressed = sorted(cut - kept)
        within = sum(self.occurrences[u] for u in suppressed) <= self.budget
        cost = sum(map(self.kept.__getitem__, kept)) + sum(map(self.gone.__getitem__, suppressed))
        return not within or any(self.barred[u] for u in suppressed), cost, suppressed

    def _supports(self, labels: set[int], label: int, label_of: list[int], size: int) -> Iterator[int]:
        """The supports of all sets of up to ``size`` of the labels that hold a certain one and occur."""
        counts = Counter[tuple[int, ...]]()
        for row, weight in self._published(labels, label_of).items():
            if label in row:
                others = sorted(row - {label})
                for n in range(min(size, len(row))):
                    for part in itertools.combinations(others, n):
                        counts[part] += weight
        return iter(counts.values())
