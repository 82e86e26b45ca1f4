"""Groups between the siblings of a hierarchy, so that a cut may publish some of them together (siblings.md).

A cut publishes a node or all of its children, and nothing between. With more nodes above groups of siblings, cuts can
publish "beer or wine" where the owner's hierarchy has only single drinks and all of them. Every node of the owner's
hierarchy stays a node, so the best cut of the refined one never loses more.

A shape describes what is between a node and its children: a list of children and, for each group of them, another list.

>>> owner = Hierarchy.from_tree({"ALL": ["beer", "wine", "milk"]})
>>> tree = refined(owner, {owner.root: [[0, 2], 1]})
>>> tree.labels, tree.parent.tolist()
(('beer', 'wine', 'milk', 'ALL group 1', 'ALL'), [3, 3, 4, 4, -1])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.hierarchy import Hierarchy

Shape = Sequence[Any]  # nodes of the owner's hierarchy, and nested shapes for groups of them


def refined(owner: Hierarchy, shapes: Mapping[int, Shape]) -> Hierarchy:
    """Return the hierarchy with groups between nodes and their children.

    ``shapes`` maps nodes with groups to shapes.
    """
    if len(owner) == 1:  # a single item
        return replace(owner, refines=owner)
    leaves: list[int] = []
    inner: list[tuple[int, bool]] = []  # the owner's node, and whether it is a group below that node; in post-order
    below: list[list[int]] = []  # the children of each inner node: a leaf, or ~i for the i-th inner node
    spans: list[tuple[int, int]] = []
    stack: list[tuple[int, bool, list[Any], list[int], int]] = []

    def enter(node: int, children: Shape, *, group: bool = False) -> None:
        stack.append((node, group, list(reversed(children)), [], len(leaves)))

    enter(owner.root, shapes.get(owner.root, owner.children[owner.root]))
    while stack:
        node, group, left, done, first = stack[-1]
        if not left:
            stack.pop()
            inner.append((node, group))
            below.append(done)
            spans.append((first, len(leaves)))
            if stack:
                stack[-1][3].append(~(len(inner) - 1))
            continue
        child = left.pop()
        if not isinstance(child, int):
            enter(node, child, group=True)
        elif child < owner.n_leaves:
            done.append(len(leaves))
            leaves.append(child)
        else:
            enter(child, shapes.get(child, owner.children[child]))
    n = len(leaves)
    parent = np.full(n + len(inner), -1, dtype=np.int32)
    for at, children in enumerate(below):
        parent[[child if child >= 0 else n + ~child for child in children]] = n + at
    own_spans = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    return Hierarchy(
        parent, np.concatenate([own_spans, spans]), _labels(owner, leaves, inner), owner.name, owner.file_sha256, owner
    )


def _labels(owner: Hierarchy, leaves: Sequence[int], inner: Sequence[tuple[int, bool]]) -> tuple[str, ...]:
    """Return the owner's labels, and unused labels for groups."""
    labels, numbers = [owner.labels[leaf] for leaf in leaves], dict.fromkeys(range(len(owner)), 0)
    for node, group in inner:
        label = owner.labels[node]
        while group:
            numbers[node] += 1
            label = f"{owner.labels[node]} group {numbers[node]}"
            group = label in owner.code_of
        labels.append(label)
    return tuple(labels)


def members(tree: Hierarchy, node: int) -> tuple[str, ...]:
    """Return the labels of the owner's nodes that make up a node of a refined hierarchy.

    >>> owner = Hierarchy.from_tree({"ALL": ["a", "b", "c"]})
    >>> tree = refined(owner, {3: [[0, 1], 2]})
    >>> members(tree, 3), members(tree, 4)
    (('a', 'b'), ('ALL',))
    """
    owner = tree.refines or tree
    found: list[str] = []
    todo = [node]
    while todo:
        one = todo.pop()
        if tree.labels[one] in owner.code_of:
            found.append(tree.labels[one])
        else:
            todo.extend(reversed(tree.children[one]))
    return tuple(found)


def halved(owner: Hierarchy, weights: Counts, ranks: Counts) -> dict[int, Shape]:
    """Split siblings by rising rank in halves of about equal weight, again and again.

    >>> owner = Hierarchy.from_tree({"ALL": ["a", "b", "c", "d"]})
    >>> halved(owner, np.array([5, 1, 1, 1, 8]), np.arange(5))
    {4: [0, [1, [2, 3]]]}
    """
    shapes: dict[int, Shape] = {}
    for node in range(owner.n_leaves, len(owner)):
        children = sorted(owner.children[node], key=lambda child: int(ranks[child]))
        if len(children) > 2:
            shapes[node] = halves(children, weights)
    return shapes


def halves(children: Sequence[Any], weights: Counts, heavy: Counts | None = None) -> list[Any]:
    """Split some children in two halves of about equal weight, and each half again.

    ``heavy`` holds their weights if they are not nodes.
    """
    own = weights[np.asarray(children, dtype=np.int64)] if heavy is None else heavy
    sums = np.concatenate([[0], np.cumsum(own, dtype=np.int64)])
    whole: list[Any] = []
    todo: list[tuple[int, int, list[Any]]] = [(0, len(children), whole)]
    while todo:
        first, stop, into = todo.pop()
        total = int(sums[stop] - sums[first])
        at = int(np.searchsorted(sums[first:stop] * 2, 2 * int(sums[first]) + total)) if total else (stop - first) // 2
        at = first + min(max(at, 1), stop - first - 1)  # the first boundary at or beyond the middle of the weight
        if at - 1 > first and sums[at - 1] + sums[at] >= 2 * sums[first] + total:  # the one before it is as near
            at -= 1
        for low, high in ((first, at), (at, stop)):
            if high - low == 1:
                into.append(children[low])
            else:
                part: list[Any] = []
                into.append(part)
                todo.append((low, high, part))
    return whole


def by_label(owner: Hierarchy) -> Counts:
    """Return ranks for :func:`halved`: siblings in the order of their labels, which reveals nothing about the data."""
    ranks = np.empty(len(owner), dtype=np.int64)
    for children in owner.children:
        ranks[list(children)] = np.arange(len(children))
    ranks[owner.root] = 0
    return ranks


def by_frequency(owner: Hierarchy, occurrences: Counts) -> Counts:
    """Return ranks for :func:`halved`: the most frequent siblings first, equal ones in the order of their labels."""
    ranks = np.empty(len(owner), dtype=np.int64)
    ranks[np.lexsort((by_label(owner), -occurrences))] = np.arange(len(owner))
    return ranks


def around(owner: Hierarchy, block_of: Codes, occurrences: Counts) -> Hierarchy:
    """Return a refined hierarchy in which every block of a sibling grouping is a node, halved by occurrences.

    >>> owner = Hierarchy.from_tree({"ALL": ["a", "b", "c", "d"]})
    >>> tree = around(owner, np.array([0, 1, 1, 0]), np.array([5, 1, 1, 1, 8]))
    >>> [tree.items[slice(*tree.span[node])] for node in range(4, len(tree))]
    [('a', 'd'), ('b', 'c'), ('a', 'd', 'b', 'c')]
    """
    block = block_below(owner, block_of)
    ranks = by_frequency(owner, occurrences)
    shapes = halved(owner, occurrences, ranks)
    for node in range(owner.n_leaves, len(owner)):
        if block[node] >= 0:
            continue
        groups: dict[int, list[int]] = {}
        for child in sorted(owner.children[node], key=lambda child: int(ranks[child])):
            groups.setdefault(int(block[child]) if block[child] >= 0 else ~child, []).append(child)
        if all(len(members) == 1 for members in groups.values()):
            continue
        heavy = np.array([occurrences[members].sum() for members in groups.values()])
        order = np.argsort(-heavy, kind="stable").tolist()
        shaped = [halves(members, occurrences) if len(members) > 2 else members for members in groups.values()]
        parts = [part[0] if len(part) == 1 else part for part in (shaped[at] for at in order)]
        shapes[node] = halves(parts, occurrences, heavy[order]) if len(parts) > 2 else parts
    return refined(owner, shapes)


def block_below(owner: Hierarchy, block_of: Codes) -> Codes:
    """Return for each node the block that all items below it are in, or -1 if they are in several."""
    changes = np.concatenate([[0], np.cumsum(np.diff(block_of) != 0)])
    first, last = owner.span[:, 0], owner.span[:, 1] - 1
    return np.where(changes[first] == changes[last], block_of[first], -1).astype(np.int32)


def without_chains(owner: Hierarchy) -> Codes:
    """Return the parents in a hierarchy without single-child nodes: first its leaves, then the other nodes.

    >>> without_chains(Hierarchy.from_tree({"ALL": {"A": ["a"], "B": ["b", "c"]}})).tolist()
    [4, 3, 3, 4, -1]
    """
    kept = [node for node in range(len(owner)) if len(owner.children[node]) != 1]
    number = dict(zip(kept, range(len(kept)), strict=True))
    parents = []
    for node in kept:
        above = int(owner.parent[node])
        while above >= 0 and above not in number:
            above = int(owner.parent[above])
        parents.append(number.get(above, -1))
    return np.array(parents, dtype=np.int32)
