"""Clauses that every safe sibling grouping satisfies, for the bound in search/sibling_bound.py."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat, people_of
from shoal.kernels.choice import Tick, compiled_or, no_progress


@dataclass(frozen=True, eq=False)
class Variables:
    """The numbers of the variables: first the listed pairs of siblings, then ``merged``, then ``far``, by node.

    A listed pair is 1 if the two are in one block. ``merged + node`` is 1 if the block of the node contains more than
    the node. ``far + node`` is the number of unlisted siblings in the block of the node.
    """

    near: Offsets  # [nodes + 1] start of the listed siblings of each node
    sibling: Codes
    pair: Codes  # the variable of each pair
    merged: int
    far: int


@dataclass(frozen=True, eq=False)
class Clauses:
    """Clause c has ``sizes[c]`` variables, whose weighted sum is at least ``lacks[c]``."""

    sizes: Counts
    variables: Codes
    weights: Codes
    lacks: Counts
    states: npt.NDArray[np.uint8]  # of each seed: 0 not examined, 1 no violated clause, 2 some violated clause
    looked: int  # the work; 0 from the Python kernel


class MergeClauses:
    """Clauses that every safe sibling grouping satisfies; ``children[start[p]:start[p + 1]]`` are the children of p.

    No node has a single child.
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        start: Offsets,
        children: Codes,
        k: int,
        *,
        persons: Codes = NOBODY,
    ) -> None:
        self._kernel = compiled_or(MergeClausesTwin)(
            indptr, items, persons, parent, flat(span), start, children, capped(k, indptr)
        )

    def broken(
        self,
        seeds: Codes,
        variables: Variables,
        values: npt.NDArray[np.float64],
        *,
        slack: float,
        most: int,
        each: int,
        work: int,
        tick: Tick = no_progress,
    ) -> Clauses:
        """Return the clauses from these seeds that the values of the variables violate by more than ``slack``.

        A seed is one to three leaves that rows of 1..k-1 persons hold together. There are at most about ``most``
        clauses, and ``each`` for each leaf. No further seed is examined after ``work`` rows.
        """
        point = (variables.near, variables.sibling, variables.pair, values, variables.merged, variables.far)
        return Clauses(*self._kernel.broken(flat(seeds), seeds.shape[1], *point, slack, most, each, work, tick))


STEEP = 5000  # a parent with more rows is too costly to move up to
LONG = 24  # with more siblings, one variable for all of them is preferred


class Side:
    """A leaf of a seed, the node above it that represents it, and the siblings of that node in its reach."""

    def __init__(self, leaf: int) -> None:
        self.leaf = self.node = leaf
        self.reach: set[int] = set()
        self.held: Counter[int] = Counter()  # for each row, how many nodes of the reach it holds


class MergeClausesTwin:
    """Clauses that every safe sibling grouping satisfies, found where a fractional grouping violates them."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        span: Codes,
        start: Offsets,
        order: Codes,
        k: int,
    ) -> None:
        self.parent, self.k, self.people = parent.tolist(), k, people_of(indptr, persons)
        ends = span.tolist()
        self.span = list(zip(ends[::2], ends[1::2], strict=True))
        begins = start.tolist()
        self.children = [order[a:b].tolist() for a, b in pairwise(begins)]
        self.rows: list[set[int]] = [set() for _ in self.parent]
        for row, (a, b) in enumerate(pairwise(indptr)):
            for node in items[a:b].tolist():
                while node >= 0:
                    self.rows[node].add(row)
                    node = self.parent[node]

    def broken(
        self,
        seeds: Codes,
        width: int,
        near: Offsets,
        sibling: Codes,
        variable: Codes,
        value: npt.NDArray[np.float64],
        merged: int,
        far: int,
        slack: float,
        most: int,
        each: int,
        work: int,
        tick: Tick,
    ) -> tuple[Counts, Codes, Codes, Counts, npt.NDArray[np.uint8], int]:
        """Return sizes, variables, weights and lacks of the clauses, the state of each seed, and the rows examined.

        The work is not counted here, so its limit has no effect.
        """
        self.value, self.merged, self.far = value.tolist(), merged, far
        self.near = [list(zip(sibling[a:b].tolist(), variable[a:b].tolist(), strict=True)) for a, b in pairwise(near)]
        clauses: list[tuple[list[tuple[int, int]], int]] = []  # variables with weights, and the lack
        of_leaf: Counter[int] = Counter()
        states = np.zeros(len(seeds) // width, dtype=np.uint8)
        for at in range(len(states)):
            if len(clauses) >= most:
                break
            seed = seeds[at * width : (at + 1) * width].tolist()
            if all(of_leaf[leaf] >= each for leaf in seed):
                continue
            states[at] = 1
            self.sides = [Side(leaf) for leaf in seed]
            for side in self.sides:
                side.held.update(self.rows[side.leaf])
            if not 0 < len(self._met()) < self.k or any(self.parent[leaf] < 0 for leaf in seed):
                continue
            self._grow()
            new = [clause for side in self.sides if (clause := self._weigh(side, 1 - slack)) is not None]
            if new:
                clauses += new
                states[at] = 2
                of_leaf.update(seed)
        tick(1.0)
        pairs = [pair for terms, _ in clauses for pair in terms]
        return (
            np.array([len(terms) for terms, _ in clauses], dtype=np.int64),
            np.array([variable for variable, _ in pairs], dtype=np.int32),
            np.array([weight for _, weight in pairs], dtype=np.int32),
            np.array([lack for _, lack in clauses], dtype=np.int64),
            states,
            0,
        )

    def _meets(self, row: int, more: Side | None = None, node: int = -1) -> bool:
        """Whether the row meets all reaches, two of them by different siblings; also if ``more`` had the node."""
        held = [side.held[row] + (side is more) for side in self.sides]
        if len(held) == 2 and held == [1, 1]:
            shared = self.sides[0].reach & self.sides[1].reach
            if more is not None:
                other = self.sides[more is self.sides[0]]
                shared |= {node} & other.reach
            return not any(row in self.rows[unit] for unit in shared)
        return all(held)

    def _met(self) -> set[int]:
        """Return the persons with a row that meets all reaches."""
        return {self.people[row] for row, held in self.sides[0].held.items() if held and self._meets(row)}

    def _brought(self, side: Side, node: int) -> set[int]:
        """Return the persons who would be added if the reach of the side had the node."""
        return {self.people[row] for row in self.rows[node] if self._meets(row, side, node)} - self._met()

    def _extend(self, side: Side, node: int) -> None:
        """Add a sibling to a reach, unless it covers a leaf of the seed or k persons would meet all reaches."""
        if node in side.reach or any(self._covers(node, other.leaf) for other in self.sides):
            return
        if len(self._met() | self._brought(side, node)) < self.k:
            side.reach.add(node)
            side.held.update(self.rows[node])

    def _covers(self, node: int, leaf: int) -> bool:
        return bool(self.span[node][0] <= leaf < self.span[node][1])

    def _climb(self, side: Side) -> bool:
        """Move up if the reach is all siblings. Return whether it did."""
        above = self.parent[side.node]
        if len(side.reach) < len(self.children[above]) - 1 or self.parent[above] < 0:
            return False
        side.reach, side.node = set(), above
        return True

    def _grow(self) -> None:
        """Extend the reaches by the siblings that the fractional grouping merges most."""
        moved = True
        while moved:
            likely = [
                (-self.value[variable], at, place, unit)
                for at, side in enumerate(self.sides)
                for place, (unit, variable) in enumerate(self.near[side.node])
                if self.value[variable] > 0
            ]
            for _, at, _, unit in sorted(likely):
                self._extend(self.sides[at], unit)
            moved = sum(self._climb(side) for side in self.sides) > 0

    def _gains(self, side: Side, lack: int) -> dict[int, int]:
        """Return how many persons, up to ``lack``, each sibling outside the reach would bring."""
        above, gains = self.parent[side.node], defaultdict[int, int](int)
        for unit in self.children[above]:
            if unit != side.node and unit not in side.reach:
                new = len(self._brought(side, unit))
                if any(other.node == unit for other in self.sides):
                    new = lack  # a pair merged with another side is one label
                if new:
                    gains[unit] = min(new, lack)
        return gains

    def _weigh(self, side: Side, enough: float) -> tuple[list[tuple[int, int]], int] | None:
        """Return the clause that weighs a side, if the fractional grouping violates it."""
        while sum((gains := self._gains(side, lack := self.k - len(self._met()))).values()) < lack:
            above = self.parent[side.node]
            if self.parent[above] < 0:
                return None
            if len(self.rows[above]) > STEEP:
                break
            for unit in self.children[above]:  # all siblings together are too few, so they are in the reach
                self._extend(side, unit)
            if not self._climb(side):
                return None
        if sum(gains.values()) < lack:
            terms, gains = [(self.merged + side.node, lack)], {}
        else:
            terms = [(variable, gains.pop(unit)) for unit, variable in self.near[side.node] if unit in gains]
        if gains:
            terms.append((self.far + side.node, max(gains.values())))
        for other in self.sides:
            if other is side:
                continue
            outside = [(unit, variable) for unit, variable in self.near[other.node] if unit not in other.reach]
            listed = [variable for unit, variable in outside if unit != side.node]
            siblings = len(self.children[self.parent[other.node]]) - 1
            if siblings - len(other.reach) > len(outside):
                listed.append(self.far + other.node)
            whole, listed_value = self.value[self.merged + other.node], 0.0
            for variable in listed:
                listed_value += self.value[variable]
            if whole < listed_value or (whole <= listed_value and len(outside) > LONG):
                listed = [self.merged + other.node]
            terms += [(variable, lack) for variable in listed]
        total = 0.0
        for variable, weight in terms:
            total += weight * self.value[variable]
        return (terms, lack) if total < enough * lack else None
