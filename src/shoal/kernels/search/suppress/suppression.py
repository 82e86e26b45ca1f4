"""HgHs (Liu and Wang 2010): cuts, and the labels that are suppressed at them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress

MOST_THREATS = 10_000_000  # limit on the rare sets that HgHs remembers: about a gigabyte


@dataclass(frozen=True)
class Suppressed:
    """The cut that a walk ended in, and its suppressed labels. Threats and evaluations depend on the kernel."""

    raised: list[int]  # nodes of the cut that are not leaves
    suppressed: list[int]
    cost: int
    allowed: bool  # whether the limits are met; if not, no cut was found that meets them
    threats: int  # number of rare sets found
    moves: int  # number of expansions made
    evaluations: int  # number of expansions tried


class Suppression:
    """HgHs (Liu and Wang 2010): cuts and suppressed labels, for rows over a hierarchy whose nodes have costs.

    For each node: its cost if it is ``kept`` and if it is ``gone`` (suppressed), its ``occurrences`` (at most
    ``budget`` may be suppressed in total), whether it is ``barred`` from suppression, and its ``rank``. Labels are
    decided in the order of their ranks. A label is kept unless it completes a set of labels in rows of 1..k-1 persons.
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        *,
        persons: Codes = NOBODY,
        kept: Counts,
        gone: Counts,
        occurrences: Counts,
        barred: npt.NDArray[np.bool_],
        rank: Codes,
        budget: int,
    ) -> None:
        self._kernel = compiled_or(SuppressionTwin)(
            indptr,
            items,
            persons,
            parent,
            flat(span),
            leaves,
            kept=kept,
            gone=gone,
            occurrences=occurrences,
            barred=barred.astype(np.int32),
            rank=rank,
            budget=budget,
            k=capped(k, indptr),
        )

    def run(self, floor: Sequence[int], size: int, *, most: int = MOST_THREATS, tick: Tick = no_progress) -> Suppressed:
        """Walk from the root towards the cut that raises to ``floor``, for sets of up to ``size`` labels.

        Raises OverflowError if more than ``most`` rare sets have to be remembered.
        """
        return Suppressed(*self._kernel.run(list(floor), size, most, tick))

    def whole(self, raised: Sequence[int], suppressed: Sequence[int], *, tick: Tick = no_progress) -> bool:
        """Whether every published row is contained in rows of k persons, so that no set of any size is rare."""
        return self._kernel.whole(list(raised), list(suppressed), tick)


Cut = frozenset[int]
Price = tuple[bool, int, list[int]]  # not allowed, cost, suppressed labels


class SuppressionTwin:
    """Follows the definition: every cut is counted from scratch."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        kept: Counts,
        gone: Counts,
        occurrences: Counts,
        barred: Codes,
        rank: Codes,
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
        self.rows = grouped_people(rows_of(indptr, items), people_of(indptr, persons))

    def run(
        self, raised: Sequence[int], size: int, most: int, tick: Tick
    ) -> tuple[list[int], list[int], int, bool, int, int, int]:
        """Search from the root down to the cut ``raised``: expand the label that makes the cut cheapest, if any does.

        Threats are not remembered: none are reported, and there are never too many.
        """
        floor = set(self._labels(raised))
        moves = evaluations = 0
        cut: Cut = frozenset([self._lowered(self.root, floor)])
        here = self.price(cut, size)
        while True:
            tried = []
            for label in cut - floor:
                tick(0.0)
                below = cut - {label} | {self._lowered(child, floor) for child in self.children[label]}
                price = self.price(below, size)
                tried.append((price[:2], self.span[2 * label + 1] - self.span[2 * label], label, below, price))
                evaluations += 1
            if not tried or (best := min(tried, key=lambda move: move[:3]))[0] >= here[:2] or best[0][0]:
                break
            cut, here = best[3:]
            moves += 1
        forbidden, cost, suppressed = here
        internal = sorted(label for label in cut if label >= self.leaves)
        return internal, suppressed, cost, not forbidden, 0, moves, evaluations

    def whole(self, raised: Sequence[int], suppressed: Sequence[int], tick: Tick) -> bool:
        """Whether every published row is contained in at least k rows."""
        label_of = self._labels(raised)
        rows = self._published({u for u in label_of if u not in suppressed}, label_of)
        holders = (set().union(*(people for other, people in rows.items() if row <= other)) for row in rows)
        return all(len(people) >= self.k for people in holders)

    def _lowered(self, node: int, floor: set[int]) -> int:
        """Return the node, or its descendant if it has a single child, which represents the same items."""
        while node not in floor and len(self.children[node]) == 1:
            node = self.children[node][0]
        return node

    def _labels(self, raised: Sequence[int]) -> list[int]:
        """Return the node of the cut above each leaf."""
        label_of = list(range(self.leaves))
        for node in sorted(raised):
            for leaf in range(*self.span[2 * node : 2 * node + 2]):
                label_of[leaf] = node
        return label_of

    def _published(self, labels: set[int], label_of: list[int]) -> dict[frozenset[int], set[int]]:
        """Map each distinct non-empty row of these labels to its persons."""
        rows: dict[frozenset[int], set[int]] = {}
        for row, people in self.rows.items():
            if left := frozenset(label_of[leaf] for leaf in row) & labels:
                rows.setdefault(left, set()).update(people)
        return rows

    def price(self, cut: Cut, size: int) -> Price:
        """Return the cost of the cut with its suppressed labels (the paper's suppression scenario)."""
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
        """Yield the supports of all sets of up to ``size`` of the labels that contain a certain one and occur."""
        holders: dict[tuple[int, ...], set[int]] = {}
        for row, people in self._published(labels, label_of).items():
            if label in row:
                others = sorted(row - {label})
                for n in range(min(size, len(row))):
                    for part in itertools.combinations(others, n):
                        holders.setdefault(part, set()).update(people)
        return map(len, holders.values())
