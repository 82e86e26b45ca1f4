"""Vertical parts of a problem (Terrovitis et al. 2011, s.4.6): consecutive items, and the groups wholly among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.search.direct import CutInput


@dataclass(frozen=True, eq=False)
class Part:
    """The rows projected on some items. The hierarchy of the part has an artificial root, which must not be used."""

    cut_input: CutInput
    nodes: Codes  # for each node of the part's hierarchy except its root, the node of the full hierarchy


def units(hierarchy: Hierarchy, level: int) -> list[int]:
    """Return the maximal nodes of at most this height, in leaf order. A leaf has height 0.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"], "c": []}})
    >>> [h.labels[node] for node in units(h, 1)]
    ['A', 'B', 'c']
    """
    height = np.zeros(len(hierarchy), dtype=np.int64)
    for node in range(len(hierarchy) - 1):  # children come before their parents
        parent = hierarchy.parent[node]
        height[parent] = max(height[parent], height[node] + 1)
    low = height <= level
    tops = [node for node in np.flatnonzero(low).tolist() if node == hierarchy.root or not low[hierarchy.parent[node]]]
    return sorted(tops, key=lambda node: int(hierarchy.span[node, 0]))


def split_units(hierarchy: Hierarchy, level: int, parts: int) -> list[range]:
    """Return ranges of leaves with about equal numbers of items, each made of whole units; at most one for each unit.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1"], "C": ["c1", "c2"]}})
    >>> split_units(h, 1, 2)
    [range(0, 3), range(3, 6)]
    """
    ends = [int(hierarchy.span[node, 1]) for node in units(hierarchy, level)]
    parts = min(parts, len(ends))
    cuts = [0]
    for part in range(1, parts):
        # The unit whose end is nearest to an equal share, such that units are left for this part and the later ones.
        first = ends.index(cuts[-1]) + 1 if cuts[-1] else 0
        possible = ends[first : len(ends) - (parts - part)]
        wanted = hierarchy.n_leaves * part
        cuts.append(min(possible, key=lambda end: (abs(end * parts - wanted), end)))
    return [range(start, stop) for start, stop in zip(cuts, [*cuts[1:], hierarchy.n_leaves], strict=True)]


def part_of(cut_input: CutInput, leaves: range) -> Part:
    """Return the projection on a range of leaves."""
    hierarchy = cut_input.hierarchy
    first, stop = hierarchy.span.T
    inside = np.flatnonzero((first >= leaves.start) & (stop <= leaves.stop))
    inside = inside[inside != hierarchy.root].astype(np.int32)
    new_id = np.full(len(hierarchy) + 1, len(inside), dtype=np.int32)  # nodes outside become the artificial root
    new_id[inside] = np.arange(len(inside), dtype=np.int32)
    parent = np.append(new_id[hierarchy.parent[inside]], -1)
    span = np.vstack([hierarchy.span[inside] - leaves.start, [[0, len(leaves)]]])
    labels = (*(hierarchy.labels[node] for node in inside), hierarchy.labels[hierarchy.root])
    tree = Hierarchy(parent, span, labels, hierarchy.name)
    code_of = np.full(hierarchy.n_leaves, -1, dtype=np.int32)
    code_of[leaves.start : leaves.stop] = np.arange(len(leaves), dtype=np.int32)
    costs = np.append(cut_input.costs[inside], cut_input.costs[hierarchy.root])
    return Part(CutInput(cut_input.items.recode(code_of, tree.items), cut_input.sensitive, tree, costs), inside)
