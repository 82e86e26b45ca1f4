"""Balanced hierarchies over items that have none, as in the papers' experiments.

Items in order are split into consecutive classes of ``fanout``, then the classes, until one root is left. The remainder
forms smaller classes. A class of a single node would be useless, so such a remainder takes a second node from the
previous class (with fanout 2, it joins that class instead). So n nodes form n / fanout classes, rounded up (with fanout
2, down), and all items have the same depth.

The order matters: falling frequency usually loses less than labels (reference/hierarchies.md). It comes from the data:
the classes reveal which items are about equally common. Labels and ids reveal no more than the classes do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order, label_key
from shoal.errors import HierarchyError
from shoal.hierarchies.names import NAMED, Namer, Style

_Level = list[list[int]]  # classes of a level, as positions on the level below


def balanced(
    labels: Iterable[str],
    *,
    fanout: int = 5,
    order: Literal["label", "frequency", "random"] | None = None,
    supports: Mapping[str, int] | None = None,
    seed: int = 0,
    root: str = "*",
    marks: str = "",
    columns: Sequence[str] = (),
) -> Hierarchy:
    """Build a balanced hierarchy: classes of ``fanout`` neighbours, in the order of labels or frequency, or shuffled.

    A class by label is named by its first and last item. Other classes are not ranges of labels. Up to three items are
    named, and larger classes are numbered in the order of their labels. So no name reveals a rank.

    Parameters
    ----------
    labels : iterable of str
        The items.
    fanout : int
        The number of children of a node, at least 2.
    order : {"label", "frequency", "random"}, optional
        The order of the items. The default is ``"frequency"`` if ``supports`` are given, and ``"label"`` otherwise.
    supports : mapping of str to int, optional
        The number of rows that hold each item. Items of equal support are in canonical order.
    seed : int
        The seed of the random order.
    root : str
        The label of the root.
    marks : str
        Characters that names avoid, because they separate items in a file. With a space among them, names have no
        white space.
    columns : sequence of str
        The columns of sets, if there are several.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        There are no items, or an argument is invalid.

    Examples
    --------
    >>> balanced(["1", "2", "3", "4", "5", "6", "7"], fanout=3).labels[7:]
    ('1..3', '4..5', '6..7', '*')
    >>> common = balanced("abcd", fanout=2, supports={"a": 9, "b": 1, "c": 2, "d": 30})
    >>> common.labels
    ('a', 'd', 'b', 'c', 'a | d', 'b | c', '*')
    >>> balanced("abcdefghij", order="random", marks=" ").labels[10:]
    ('group-1-of-2', 'group-2-of-2', '*')
    """
    items = canonical_order(set(labels))
    if not items:
        raise HierarchyError("balanced: a hierarchy needs at least one item, got none.")
    if fanout < 2:
        raise HierarchyError(f"balanced: fanout must be at least 2, got {fanout}.")
    if root in items:
        raise HierarchyError(
            f"balanced: '{root}' is an item, so it cannot be the root: pass another label for the root."
        )
    if order is None:
        order = "label" if supports is None else "frequency"
    if order not in ("label", "frequency", "random"):
        raise HierarchyError(f"balanced: order must be 'label', 'frequency' or 'random', got '{order}'.")
    levels = _levels(len(items), fanout)
    if order == "label":
        names = _ranges(items, levels, root)
    else:
        rank = {label: at for at, label in enumerate(items)}
        if order == "random":
            items = [items[at] for at in np.random.default_rng(seed).permutation(len(items))]
        elif supports is None:
            raise HierarchyError("balanced: order='frequency' needs supports=, the number of rows that hold each item.")
        else:
            items.sort(key=lambda label: -supports.get(label, 0))  # stable, so ties stay in canonical order
        namer = Namer(Style.avoiding(marks), [root, *items], columns)
        names = _numbered(items, levels, root, rank, namer)
    parent_of: dict[str, str | None] = {root: None}
    below = items
    for classes, above in zip(levels, names, strict=True):
        for label, members in zip(above, classes, strict=True):
            parent_of.update((below[member], label) for member in members)
        below = above
    return Hierarchy.from_parents(parent_of, f"balanced, fanout {fanout}, by {order}")


def _levels(n: int, fanout: int) -> list[_Level]:
    """Return the classes of each level, from those of items to the root."""
    levels = []
    while True:
        starts = list(range(0, n, fanout))
        if len(starts) > 1 and n - starts[-1] == 1:
            if fanout > 2:
                starts[-1] -= 1
            else:
                starts.pop()
        levels.append([list(range(a, b)) for a, b in zip(starts, [*starts[1:], n], strict=True)])
        n = len(starts)
        if n == 1:
            return levels


def _ranges(items: list[str], levels: list[_Level], root: str) -> list[list[str]]:
    """Return labels "first..last" for the classes of each level. Their canonical order is the order of the classes.

    Text does not sort like its ranges ("100..104" < "95..99"). In that case, each label starts with its number on its
    level.

    Text does not sort as its ranges do ("100..104" < "95..99"): then each label starts with its number on its level.
    """
    ends: list[list[tuple[str, str]]] = []
    below = [(item, item) for item in items]
    for classes in levels:
        below = [(below[members[0]][0], below[members[-1]][1]) for members in classes]
        ends.append(below)
    numbered, marks = False, 0
    while True:
        names = [
            [
                f"{'#' * marks}{f'{i:0{len(str(len(level)))}}:' if numbered else ''}{first}..{last}"
                for i, (first, last) in enumerate(level, start=1)
            ]
            for level in ends[:-1]
        ]
        if _distinct(items, names, root) and all(level == sorted(level, key=label_key) for level in names):
            return [*names, [root]]
        marks += numbered  # an item looks like a class
        numbered = True


@dataclass
class _Class:
    """A class of items while it is named."""

    first: str  # in canonical order
    size: int
    few: list[str]  # its items in canonical order; only the first few if there are many


def _numbered(
    items: list[str], levels: list[_Level], root: str, rank: Mapping[str, int], namer: Namer
) -> list[list[str]]:
    """Return names for the classes of each level: a few items, or a number among the classes below the same one.

    Numbers follow the first labels of the classes, so they do not depend on the order in which a class was built. A
    name reveals no more than the sets of items do.
    """
    sets: list[list[_Class]] = []
    below = [_Class(item, 1, [item]) for item in items]
    for classes in levels:
        below = [_joined([below[at] for at in members], rank) for members in classes]
        sets.append(below)
    names = [[""] * len(level) for level in sets]
    names[-1] = [root]
    todo = [(len(levels) - 1, 0, "")]  # level, position, number; starts with the root
    for level, at, path in todo:  # grows
        if not level:
            continue
        inside = levels[level][at]
        classes_below = sets[level - 1]
        ordered = sorted(
            inside, key=lambda member: f"{classes_below[member].first}+{classes_below[member].size - 1}"
        )  # as text, in all formats
        for number, member in enumerate(ordered, 1):
            own = f"{path}{number:0{len(str(len(inside)))}}"
            item_class = classes_below[member]
            names[level - 1][member] = (
                namer.listed(item_class.few)
                if item_class.size <= NAMED
                else namer.final(namer.style.numbered("", own, len(inside), item_class.size))
            )
            todo.append((level - 1, member, f"{own}."))
    return names


def _joined(parts: list[_Class], rank: Mapping[str, int]) -> _Class:
    """Return a class of classes."""
    few = sorted((item for part in parts for item in part.few), key=rank.__getitem__)[: NAMED + 1]
    return _Class(few[0], sum(part.size for part in parts), few)


def _distinct(items: list[str], names: list[list[str]], root: str) -> bool:
    """Whether all nodes have different labels."""
    taken = [root, *items, *(label for level in names for label in level)]
    return len(set(taken)) == len(taken)
