"""Balanced hierarchies over items that have none: the artificial hierarchies of the papers' experiments.

Items in order are cut into consecutive classes of ``fanout``, the classes again, until one root is left; the
remainder makes smaller classes. A class of a single node would be a pointless link in a chain, so such a remainder
takes a second node from the class before it (with fanout 2 it joins that class instead). So n nodes make
n / fanout classes, rounded up (with fanout 2, down), and all items lie at the same depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order, label_key
from shoal.errors import HierarchyError

_Level = list[list[int]]  # classes of a level, as positions on the level below


def balanced(
    labels: Iterable[str],
    *,
    fanout: int = 5,
    order: Literal["label", "frequency"] = "label",
    supports: Mapping[str, int] | None = None,
    root: str = "*",
) -> Hierarchy:
    """Classes of ``fanout`` neighbours in canonical order of labels, or from the most to the least frequent item.

    >>> balanced(["1", "2", "3", "4", "5", "6", "7"], fanout=3).labels[7:]
    ('1..3', '4..5', '6..7', '*')
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
    if order == "frequency":
        if supports is None:
            raise HierarchyError("balanced: order 'frequency' needs supports, the number of rows that hold each item.")
        items.sort(key=lambda label: -supports.get(label, 0))  # stable: ties stay in canonical order
    elif order != "label":
        raise HierarchyError(f"balanced: order must be 'label' or 'frequency', got '{order}'.")
    levels = _levels(len(items), fanout)
    names = _names(items, levels, numbered=order == "frequency", root=root)
    parent_of: dict[str, str | None] = {root: None}
    below = items
    for classes, above in zip(levels, names, strict=True):
        for label, members in zip(above, classes, strict=True):
            parent_of.update((below[member], label) for member in members)
        below = above
    return Hierarchy.from_parents(parent_of, f"balanced, fanout {fanout}, by {order}")


def _levels(n: int, fanout: int) -> list[_Level]:
    """The classes of each level, from those of items to the root."""
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


def _names(items: list[str], levels: list[_Level], numbered: bool, root: str) -> list[list[str]]:
    """Labels "first..last" for the classes of each level, such that canonical order is the order they were built in.

    Text does not sort as its ranges do ("100..104" < "95..99"): then each label starts with its number on its level.
    """
    ends: list[list[tuple[str, str]]] = []
    below = [(item, item) for item in items]
    for classes in levels:
        below = [(below[members[0]][0], below[members[-1]][1]) for members in classes]
        ends.append(below)
    marks = 0
    while True:
        names = [
            [
                f"{'#' * marks}{f'{i:0{len(str(len(level)))}}:' if numbered else ''}{first}..{last}"
                for i, (first, last) in enumerate(level, start=1)
            ]
            for level in ends[:-1]
        ]
        taken = [root, *items, *(label for level in names for label in level)]
        if len(set(taken)) == len(taken) and all(level == sorted(level, key=label_key) for level in names):
            return [*names, [root]]
        marks += numbered  # an item looks just like a class
        numbered = True
