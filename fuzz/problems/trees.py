"""Hierarchies of odd shapes, and what brute force needs to know about a hierarchy."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fuzz.problems import labels
from fuzz.problems.case import Parents


def draw(random_: random.Random, items: list[str]) -> Parents:
    """A tree over all of the items: flat, deep, with chains, or a single item."""
    shape = random_.choice(("flat", "random", "random", "random", "binary", "caterpillar", "chains"))
    if len(items) == 1 and random_.random() < 0.3:
        return {items[0]: None}
    parents: Parents = {}
    taken, open_, n_groups = set(items), list(items), 0
    random_.shuffle(open_)

    def join(count: int) -> None:
        nonlocal open_, n_groups
        name = labels.group(random_, taken, items, n_groups)
        taken.add(name)
        n_groups += 1
        parents.update(dict.fromkeys(open_[:count], name))
        open_ = [name, *open_[count:]] if shape == "caterpillar" else [*open_[count:], name]

    if shape == "flat":
        join(len(open_))
    while len(open_) > 1:
        chain = shape == "chains" and n_groups < 2 * len(items) and random_.random() < 0.5
        join(1 if chain else 2 if shape in ("binary", "caterpillar") else random_.randint(2, min(4, len(open_))))
    for _ in range(random_.choice((0, 0, 0, 1, 2)) if shape != "flat" else 0):
        join(1)
    return {**parents, open_[0]: None}


@dataclass(frozen=True)
class Tree:
    """A hierarchy by its labels."""

    parents: Parents

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """Group -> what is right below it."""
        children: dict[str, list[str]] = {}
        for label, parent in self.parents.items():
            if parent is not None:
                children.setdefault(parent, []).append(label)
        return children

    @cached_property
    def root(self) -> str:
        """The label above all others."""
        return next(label for label, parent in self.parents.items() if parent is None)

    @cached_property
    def leaves(self) -> dict[str, frozenset[str]]:
        """Label -> the items that it stands for."""
        items_of: dict[str, set[str]] = {}
        for label in self.parents:
            if label not in self.children:
                above: str | None = label
                while above is not None:
                    items_of.setdefault(above, set()).add(label)
                    above = self.parents[above]
        return {label: frozenset(items) for label, items in items_of.items()}

    @cached_property
    def items(self) -> frozenset[str]:
        """All items."""
        return self.leaves[self.root] if self.parents else frozenset()

    def without(self, gone: set[str]) -> Tree:
        """The tree without some items, nor the groups that have none left."""
        left = self.items - gone
        return Tree({label: parent for label, parent in self.parents.items() if self.leaves[label] & left})

    def is_sibling_group(self, covered: frozenset[str]) -> bool:
        """Whether items are all those below some children of one node."""
        for below in self.children.values():
            inside = [child for child in below if self.leaves[child] <= covered]
            if inside and frozenset().union(*(self.leaves[child] for child in inside)) == covered:
                return True
        return False

    def n_cuts(self, label: str | None = None) -> int:
        """How many cuts there are."""
        below = self.children.get(label or self.root, [])
        count = 1
        for child in below:
            count *= self.n_cuts(child)
        return 1 + count if below else 1

    def cuts(self, label: str | None = None) -> Iterator[list[frozenset[str]]]:
        """Every cut, as the sets of items that its labels stand for."""
        label = label or self.root
        yield [self.leaves[label]]
        if label in self.children:
            for parts in itertools.product(*(list(self.cuts(child)) for child in self.children[label])):
                yield [block for part in parts for block in part]

    def groupings(self, label: str | None = None) -> Iterator[list[frozenset[str]]]:
        """Every cut of every way to group siblings."""
        label = label or self.root
        yield [self.leaves[label]]
        below = self.children.get(label, [])
        for blocks in _partitions(below):
            if len(blocks) == 1 and len(below) > 1:
                continue  # that is the group itself
            ways = [
                list(self.groupings(block[0]))
                if len(block) == 1
                else [[frozenset().union(*(self.leaves[child] for child in block))]]
                for block in blocks
            ]
            for parts in itertools.product(*ways):
                yield [block for part in parts for block in part]


def _partitions(members: list[str]) -> Iterator[list[list[str]]]:
    """All ways to split a list into blocks; none for an empty list."""
    if not members:
        return
    first, rest = members[0], members[1:]
    if not rest:
        yield [[first]]
        return
    for blocks in _partitions(rest):
        yield [[first], *blocks]
        for at, block in enumerate(blocks):
            yield [*blocks[:at], [first, *block], *blocks[at + 1 :]]
