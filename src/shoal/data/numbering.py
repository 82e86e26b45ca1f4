"""Canonical ids for the nodes of a tree, and the search for cycles in what should be one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.labels import canonical_order


def number_nodes(root: str, children: Mapping[str, Sequence[str]]) -> tuple[Codes, Codes, tuple[str, ...]]:
    """Return parents, spans and labels of a tree, by one iterative depth-first walk.

    >>> parent, span, labels = number_nodes("ALL", {"ALL": ["B", "A"], "A": ["a2", "a1"]})
    >>> labels, parent.tolist(), span.tolist()
    (('a1', 'a2', 'B', 'A', 'ALL'), [3, 3, 4, 4, -1], [[0, 1], [1, 2], [2, 3], [0, 2], [0, 3]])
    """
    leaves: list[str] = []
    internal: list[tuple[str, int, int]] = []  # label, first leaf, one past the last leaf; in post-order
    stack: list[tuple[str, int]] = [(root, -1)]  # (label, first leaf when it was opened; -1: not yet opened)
    while stack:
        label, first = stack.pop()
        below = children.get(label)
        if not below:
            leaves.append(label)
        elif first < 0:
            stack.append((label, len(leaves)))
            stack.extend((child, -1) for child in reversed(canonical_order(below)))
        else:
            internal.append((label, first, len(leaves)))
    n_leaves = len(leaves)
    labels = (*leaves, *(label for label, _, _ in internal))
    ids = {label: node for node, label in enumerate(labels)}
    parent = np.full(len(labels), -1, dtype=np.int32)
    for label, _, _ in internal:
        parent[[ids[child] for child in children[label]]] = ids[label]
    first_leaf = np.arange(n_leaves, dtype=np.int32)
    inner = np.array([[a, b] for _, a, b in internal], dtype=np.int32).reshape(-1, 2)
    return parent, np.vstack([np.stack([first_leaf, first_leaf + 1], axis=1), inner]), labels


def find_cycle(parent_of: Mapping[str, str | None]) -> str:
    """Return a cycle of the mapping as text, such as ``'a' -> 'b' -> 'a'``."""
    done: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        label: str | None = start
        while label is not None and label not in done:
            if label in path:
                return " -> ".join(f"'{node}'" for node in [*path[path.index(label) :], label])
            path.append(label)
            label = parent_of.get(label)
        done.update(path)
    raise AssertionError("no cycle")


def is_canonical(parent: Codes, span: Codes) -> bool:
    """Whether ids and spans are canonical. The kernels rely on it."""
    above, n = parent[:-1], len(parent)
    leaves = n - len(np.unique(above))
    if n > 1 and above.min() < leaves:  # a node with a leaf id is a parent
        return False
    first = np.full(n, n, dtype=np.int64)
    stop, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    first[:leaves], stop[:leaves], below[:leaves] = np.arange(leaves), np.arange(1, leaves + 1), 1
    np.minimum.at(first, above, span[:-1, 0])
    np.maximum.at(stop, above, span[:-1, 1])
    np.add.at(below, above, (span[:, 1] - span[:, 0])[:-1])
    spans_fit = np.array_equal(np.stack([first, stop], axis=1), span) and np.array_equal(stop - first, below)
    return spans_fit and bool(np.all(np.diff(stop[leaves:]) >= 0))  # post-order: the ends of the spans rise
