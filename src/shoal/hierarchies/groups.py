"""A hierarchy refined by given groups of siblings, as a file lists them.

A group is a union of children of one node, with everything below them. Groups may be nested. A group of all children is
the node itself, and a group of one child is that child. Neither adds anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError, did_you_mean, shorten
from shoal.hierarchies.refine import Shape, refined

LONG = 200  # characters of a label that are compared with other labels


@dataclass(frozen=True)
class Given:
    """One group as it was given."""

    members: tuple[str, ...]  # items, or nodes of the hierarchy
    place: str  # for messages
    label: str = ""  # its name; "": it has no name yet


@dataclass(frozen=True, eq=False)
class _Located:
    """A group in terms of the hierarchy: some children of a node."""

    given: Given
    children: frozenset[int]


def grouped(owner: Hierarchy, groups: Sequence[Given]) -> Hierarchy:
    """Return the hierarchy refined by exactly these groups, which keep their labels if they have any.

    >>> owner = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1"], "C": ["c1"]}})
    >>> tree = grouped(owner, [Given(("a1", "a3"), "line 1", "odd"), Given(("A", "b1"), "line 2")])
    >>> [(label, tree.items_of(label)) for label in ("odd", "ALL group 1")]
    [('odd', ('a1', 'a3')), ('ALL group 1', ('a1', 'a3', 'a2', 'b1'))]
    """
    by_node: dict[int, list[_Located]] = {}
    labels: dict[frozenset[str], str] = {}
    for given in groups:
        located = _locate(owner, given)
        if located is None:
            continue
        node, group = located
        by_node.setdefault(node, []).append(group)
        if given.label:
            labels[frozenset(_items(owner, group.children))] = given.label
    tree = refined(owner, {node: _shape(owner, node, members) for node, members in by_node.items()})
    if not labels:
        return tree
    own = [
        label if label in owner.code_of else labels.get(frozenset(tree.items[slice(*tree.span[node])]), label)
        for node, label in enumerate(tree.labels)
    ]
    return replace(tree, labels=tuple(own))


def _items(owner: Hierarchy, nodes: frozenset[int]) -> list[str]:
    """Return the items below some nodes."""
    return [item for node in nodes for item in owner.items[slice(*owner.span[node])]]


def _locate(owner: Hierarchy, given: Given) -> tuple[int, _Located] | None:
    """Return the node whose children form a group, and the group.

    Return None if the group is itself a node or an item.
    """
    nodes = [_node(owner, member, given) for member in given.members]
    inside = np.zeros(owner.n_leaves, dtype=bool)
    for node in nodes:
        inside[slice(*owner.span[node])] = True
    leaves = np.flatnonzero(inside)
    above = int(leaves[0])
    while owner.span[above, 1] <= leaves[-1]:
        above = int(owner.parent[above])
    if given.label in owner.code_of:
        if tuple(owner.span[owner.code_of[given.label]]) != (leaves[0], leaves[-1] + 1) or not _full(inside, leaves):
            raise HierarchyError(
                f"{given.place}: '{shorten(given.label)}' represents other items in the hierarchy {owner.name}: give "
                f"the hierarchy that the groups were made with, or rename the group."
            )
        return None
    if _full(inside, leaves) and (leaves[0], leaves[-1] + 1) == tuple(owner.span[above]):
        return None
    children = []
    for child in owner.children[above]:
        below = inside[slice(*owner.span[child])]
        if below.all():
            children.append(child)
        elif below.any():
            raise HierarchyError(_not_siblings(owner, given, nodes, above, child))
    return above, _Located(given, frozenset(children))


def _full(inside: Any, leaves: Any) -> bool:
    """Whether it contains all leaves from the first to the last."""
    return bool(inside[leaves[0] : leaves[-1] + 1].all())


def _node(owner: Hierarchy, member: str, given: Given) -> int:
    """Return the node that a member names."""
    node = owner.code_of.get(member, owner.code_of.get(member.strip(), -1))
    if node < 0:
        raise HierarchyError(
            f"{given.place}: '{shorten(member)}' is neither an item nor a node of the hierarchy {owner.name}"
            f"{did_you_mean(member[:LONG], owner.labels)}: correct it, or remove it from the group."
        )
    return node


def _not_siblings(owner: Hierarchy, given: Given, nodes: Sequence[int], above: int, child: int) -> str:
    """Return a message that names two members of different nodes."""
    inside = next(node for node in nodes if owner.covers(child, node))
    outside = next(node for node in nodes if not owner.covers(child, node))
    one, other = sorted((inside, outside), key=nodes.index)
    parents = [owner.labels[owner.parent[node]] for node in (one, other)]
    return (
        f"{given.place}: '{shorten(owner.labels[one])}' (below '{shorten(parents[0])}') and "
        f"'{shorten(owner.labels[other])}' (below '{shorten(parents[1])}') are not siblings: a group may only hold "
        f"children of one node of the hierarchy {owner.name}. Split the group, or name all of "
        f"'{shorten(owner.labels[child])}'."
    )


def _shape(owner: Hierarchy, node: int, groups: Sequence[_Located]) -> Shape:
    """Return what is between a node and its children: nested groups. Refuse groups that only overlap."""
    top: dict[int, _Located] = {}  # child -> the largest group so far that contains it
    parts: dict[int, list[Any]] = {}  # group -> its shape
    order = {child: at for at, child in enumerate(owner.children[node])}
    for group in sorted(groups, key=lambda other: (len(other.children), min(map(order.__getitem__, other.children)))):
        inner = {id(top[child]): top[child] for child in group.children if child in top}
        if any(other.children == group.children for other in inner.values()):
            continue  # a duplicate
        for other in inner.values():
            if not other.children <= group.children:
                raise HierarchyError(_overlap(owner, group, other))
        parts[id(group)] = _in_order(group.children, top, parts, order)
        top.update(dict.fromkeys(group.children, group))
    return _in_order(owner.children[node], top, parts, order)


def _in_order(children: Any, top: dict[int, _Located], parts: dict[int, list[Any]], order: dict[int, int]) -> list[Any]:
    """Return children and their groups in canonical order. Each group occurs once, at its first child."""
    shape: list[Any] = []
    seen: set[int] = set()
    for child in sorted(children, key=order.__getitem__):
        group = top.get(child)
        if group is None:
            shape.append(child)
        elif id(group) not in seen:
            seen.add(id(group))
            shape.append(parts[id(group)])
    return shape


def _overlap(owner: Hierarchy, group: _Located, other: _Located) -> str:
    """Return a message that names what is in both groups, and what is not."""
    both = min(group.children & other.children)
    return (
        f"{group.given.place}: the group and that of {other.given.place} share '{shorten(owner.labels[both])}', but "
        f"neither contains the other: remove it from one of them, or merge the groups."
    )
