"""Regroups siblings by simulated annealing over safe groupings (docs/concepts/siblings.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, capped, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.siblings.grouping import Grouping

SPARE = 600  # number of blocks that a grouping may have beyond those of its start


class Regroup:
    """A search for a cheaper grouping, in runs at falling temperatures.

    Units are the leaves of a tree given by ``parent`` (leaves first, parents after their children, no single children).
    Each represents ``sizes`` items with ``occurrences``. The cost of a block is its occurrences times the ``penalty``
    of its size. ``block_of`` is a safe grouping to start from: the block of each unit. A grouping is safe if any m
    labels that a row holds are in rows of at least k persons.

    Raises ValueError if the start is no grouping of siblings, or not safe. Only sets of up to two labels are checked,
    or three if there are few labels. If the start has larger unsafe sets, the search may end in an unsafe grouping.

    >>> rows = np.array([0, 1, 2, 3, 4, 6]), np.array([0, 1, 2, 2, 0, 2], dtype=np.int32)
    >>> parent = np.array([3, 3, 3, -1], dtype=np.int32)
    >>> search = Regroup(
    ...     *rows, parent, np.array([2, 1, 3]), np.ones(3, dtype=np.int32), np.array([0, 0, 2, 3]),
    ...     np.zeros(3, dtype=np.int32), k=2, m=1, seed=0,
    ... )
    >>> search.run(1.0, work=10_000, moves=1_000)
    >>> search.cost, search.block_of.tolist()  # a unit that only one row holds must be grouped
    (6, [0, 0, 1])
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        occurrences: Counts,
        sizes: Codes,
        penalty: Counts,
        block_of: Codes,
        *,
        persons: Codes = NOBODY,
        k: int,
        m: int,
        seed: int,
    ) -> None:
        self._search = compiled_or(RegroupTwin)(
            indptr, items, persons, parent, occurrences, sizes, penalty, block_of, capped(k, indptr), m, SPARE, seed
        )

    def run(self, temperature: float, *, work: int, moves: int, tick: Tick = no_progress) -> None:
        """Try random moves until ``moves`` were tried or ``work`` is done (roughly, the labels of rows examined)."""
        self._search.run(temperature, work, moves, tick)

    @property
    def cost(self) -> int:
        """The least cost at the end of a run so far."""
        return self._search.cost()

    @property
    def block_of(self) -> Codes:
        """The block of each unit for that cost. Blocks are numbered by their first units."""
        blocks = self._search.block_of()
        _, first, of = np.unique(blocks, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first)).astype(np.int32)[of]


MOST_DISSOLVED, TOO_DEAR = 60, 20.0
MASK = 2**64 - 1


class Random:
    """SplitMix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        """The next 64 bits."""
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a random number in 0..n-1."""
        return self.next() % n

    def one_of(self, choices: Sequence[int]) -> int:
        """Return a random choice."""
        return choices[self.below(len(choices))]


class RegroupTwin:
    """Makes the same moves in the same order, so it finds the same groups."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        occurrences: Counts,
        sizes: Codes,
        penalty: Counts,
        block_of: Codes,
        k: int,
        m: int,
        spare: int,
        seed: int,
    ) -> None:
        tree = (parent.tolist(), occurrences.tolist(), sizes.tolist(), penalty.tolist())
        rows, people = rows_of(indptr, items), people_of(indptr, persons)
        self.g = Grouping(rows, people, *tree, block_of.tolist(), k, m, spare)
        self.random, self.temperature = Random(seed), 0.0
        self.best, self.least = self.g.block_of(), self.g.total
        self.fresh: list[int] = []

    def cost(self) -> int:
        """The least cost at the end of a run."""
        return self.least

    def block_of(self) -> Codes:
        """The block of each unit for that cost."""
        return np.array(self.best, dtype=np.int32)

    def run(self, temperature: float, work: int, moves: int, tick: Tick) -> None:
        """Try random moves at one temperature, until the work is done or the moves were tried."""
        self.temperature, start = temperature, self.g.work
        while moves > 0 and (done := self.g.work - start) < work:
            moves -= 1
            self.step()
            self.g.work += 1
            if not moves % 256:
                tick(done / work)
        if self.g.total < self.least:
            self.least, self.best = self.g.total, self.g.block_of()

    def accepted(self, dearer: int) -> bool:
        """Whether an increase of the cost is accepted."""
        if dearer <= 0:
            return True
        u = ((self.random.next() >> 11) + 0.5) * 2.0**-53
        return dearer < -self.temperature * math.log(u)

    def step(self) -> None:
        """Try one move."""
        g, random = self.g, self.random
        unit = random.below(g.units)
        element = g.element_of(unit)
        block = g.block[element]
        single, kind = len(g.members[block]) == 1, random.below(1000)
        if single and element >= g.units and kind < 300:
            if kind < 10:
                return self.dissolve([block])
            while g.parent[unit] != element:
                unit = g.parent[unit]
            return self.take_out(unit, block)
        if kind < 3:
            return self.dissolve(self.some_with(block))
        if kind < 80:
            return None if single else self.take_out(element, block)
        other = random.one_of(g.blocks[g.owner[block]])
        if other == block:
            return None
        if kind < 150:
            return self.merge(block, other)
        if kind < 350 and len(g.members[block]) + len(g.members[other]) > 2:
            return self.swap(element, block, random.one_of(g.members[other]), other)
        return self.move(element, block, other, other)

    def dearer(self, source: int, target: int, occurrences: int, items: int) -> int:
        """Return the change of the cost if items move from one block to another."""
        g = self.g
        less = g.cost(g.block_occ[source] - occurrences, g.block_size[source] - items) - g.cost_of(source)
        return less + g.cost(g.block_occ[target] + occurrences, g.block_size[target] + items) - g.cost_of(target)

    def take_out(self, node: int, source: int) -> None:
        """Move a node to a block of its own."""
        if self.g.free:
            self.move(node, source, self.g.free[-1], -1)

    def move(self, node: int, source: int, target: int, welcome: int) -> None:
        """Move a node to another block."""
        g = self.g
        if not self.accepted(self.dearer(source, target, g.occ[node], g.size[node])):
            return
        if g.needed(node, source, target) or g.unwelcome(node, source, welcome):
            return
        if g.try_move(node, source, target):
            g.settle(node, source, target)
            g.close(source)
            g.close(target)

    def swap(self, one: int, source: int, other: int, target: int) -> None:
        """Swap two elements."""
        g = self.g
        if not self.accepted(self.dearer(source, target, g.occ[one] - g.occ[other], g.size[one] - g.size[other])):
            return
        if g.unwelcome(one, source, target) or g.unwelcome(other, target, source):
            return
        g.move(one, source, target)
        if not g.try_move(other, target, source):
            return g.move(one, target, source)
        if g.m > g.counted and not g.safe_beyond(target, one):
            g.move(other, source, target)
            return g.move(one, target, source)
        g.settle(one, source, target)
        g.settle(other, target, source)
        return None

    def merge(self, one: int, other: int) -> None:
        """Merge two blocks, which is always safe."""
        if self.accepted(self.dearer(one, other, self.g.block_occ[one], self.g.block_size[one])):
            self.g.close(self.merged(one, other))

    def merged(self, source: int, target: int) -> int:
        """Return the block that two blocks become."""
        g = self.g
        if g.block_occ[source] > g.block_occ[target]:
            source, target = target, source
        for element in reversed(g.members[source].copy()):
            g.move(element, source, target)
            g.settle(element, source, target)
        return target

    def some_with(self, block: int) -> list[int]:
        """Return a block and up to three others of its owner."""
        chosen, siblings = [block], self.g.blocks[self.g.owner[block]]
        for _ in range(1 + self.random.below(3)):
            other = self.random.one_of(siblings)
            if other not in chosen:
                chosen.append(other)
        return chosen

    def dissolve(self, blocks: Sequence[int]) -> None:
        """Make every element of some blocks a block of its own, then merge blocks until no set is rare."""
        g, first = self.g, blocks[0]
        opened = len(blocks) == 1 and len(g.members[first]) == 1
        node = g.members[first][0]
        if opened and node < g.units:
            return
        elements = len(g.children[node]) if opened else sum(len(g.members[block]) for block in blocks)
        if elements < 2 or elements > MOST_DISSOLVED or len(g.free) < elements:
            return
        if opened:
            g.open(first)
        owner, before = g.owner[first], g.total
        old = [g.members[block].copy() for block in g.blocks[owner]]
        self.fresh = []
        for block in blocks:
            self.fresh.append(block)
            while len(g.members[block]) > 1:
                element, alone = g.members[block][-1], g.free[-1]
                g.move(element, block, alone)
                g.settle(element, block, alone)
                self.fresh.append(alone)
        if self.repaired(owner, before) and self.accepted(g.total - before) and all(map(g.safe_beyond, self.fresh)):
            g.close(g.blocks[owner][0])
        else:
            self.restore(owner, old, opened)

    def repaired(self, owner: int, before: int) -> bool:
        """Merge blocks of an owner until no set is rare. Return False if the cost becomes too high."""
        g = self.g
        while g.rare:
            if g.total - before > TOO_DEAR * self.temperature:
                return False
            one, other = self.repair_of(g.rare[self.random.below(len(g.rare))], owner)
            if one < 0:
                return False
            self.fresh.append(self.merged(one, other))
        return True

    def repair_of(self, rare: tuple[int, ...], owner: int) -> tuple[int, int]:
        """Return two blocks of the owner whose merge makes a rare set less rare at a low cost."""
        g, best, least = self.g, (-1, -1), 0.0
        for block in reversed(rare):
            if g.owner[block] != owner or block not in self.fresh:
                continue
            others = [other for other in rare if other != block]
            missing = g.k - g.support[rare]
            g.work += len(g.blocks[owner])
            for other in g.blocks[owner]:
                if other == block:
                    continue
                gained = missing if other in others else min(missing, g.support[tuple(sorted((other, *others)))])
                if not gained:
                    continue
                price = float(self.dearer(block, other, g.block_occ[block], g.block_size[block]))
                price = price * missing / gained * (1 + (self.random.next() >> 11) * 2.0**-54)
                if best[0] < 0 or price < least:
                    best, least = (block, other), price
        return best

    def restore(self, owner: int, old: list[list[int]], opened: bool) -> None:
        """Restore the previous blocks."""
        g = self.g
        home, taken = [-1] * len(old), set()
        for at, elements in enumerate(old):
            for element in elements:
                if g.block[element] not in taken:
                    taken.add(g.block[element])
                    home[at] = g.block[element]
                    break
        for at, elements in enumerate(old):
            for element in elements:
                if home[at] < 0:
                    home[at] = g.free[-1]
                if (block := g.block[element]) != home[at]:
                    g.move(element, block, home[at])
                    g.settle(element, block, home[at])
        if opened:
            g.close(g.blocks[owner][0])
