"""The tree that the rows of a table form: the parent of each node, and the names of nodes.

A node is a label on a level. If groups are split, a node is a label together with everything above it. Nodes are
numbered from the root down: 0 is the root, 1 is ``(no department)``, then come the levels, the widest first and the
items last. A parent is on a wider level than its child, so it has the smaller number, and cycles are impossible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.labels import label_key
from shoal.hierarchies.level_columns import LevelColumn

Numbers = npt.NDArray[np.int64]
Parents = list[tuple[str, int]]  # labels, each with its votes
ROOT, NOTHING_ABOVE = 0, 1


@dataclass(frozen=True, eq=False)
class Votes:
    """The parents that rows name for the nodes of a level, on the nearest level above.

    The best of each node comes first.
    """

    node: Numbers
    parent: Numbers
    rows: Numbers  # the number of rows that name this parent
    uses: Numbers  # the same, with each row weighted by the uses of its item in the data

    @classmethod
    def count(cls, nodes: Numbers, parents: Numbers, weights: Numbers, level_of: Numbers) -> Votes:
        """Count the rows, each with a node, a parent and a weight."""
        bound = len(level_of)
        pairs, of_row = np.unique(nodes * bound + parents, return_inverse=True)
        node, parent = np.divmod(pairs, bound)
        rows = np.bincount(of_row, minlength=len(pairs))
        uses = np.bincount(of_row, weights, len(pairs)).astype(np.int64)
        level = level_of[parent]
        nearest = np.full(int(node.max(initial=-1)) + 1, level_of.max())
        np.minimum.at(nearest, node, level)
        order = np.lexsort((parent, -rows, -uses, level, node))
        order = order[(level == nearest[node])[order]]  # blanks are ignored if other rows have a label
        return cls(node[order], parent[order], rows[order], uses[order])

    @cached_property
    def best(self) -> npt.NDArray[np.bool_]:
        """Return which of them win."""
        return np.concatenate([[True], self.node[1:] != self.node[:-1]])[: len(self.node)]

    @cached_property
    def several(self) -> Numbers:
        """Return the nodes with several parents."""
        return np.unique(self.node[~self.best])


class TableTree:
    """The nodes of a table with their parents."""

    def __init__(self, columns: Sequence[LevelColumn], uses: Mapping[str, int] | None, *, split: bool) -> None:
        """Build the tree from columns: the items first. Every item column must have a label in each row."""
        self.columns = columns
        self.weighted = uses is not None
        self.split = split
        self.level_of = np.array([len(columns)] * 2)  # the level of each node; the root and (no department) come first
        self.label_of = np.array([-1, -1])  # the code of each node's label in its column
        self.parent = np.array([-1, ROOT])
        self.start = [0] * len(columns)  # the first node of each level
        self.votes: dict[int, Votes] = {}
        leaves = columns[0].labels
        weight = np.ones(len(leaves), np.int64) if uses is None else np.array([uses.get(leaf, 0) for leaf in leaves])
        self._grow(weight[columns[0].codes])

    def _grow(self, weights: Numbers) -> None:
        """Number the nodes level by level, from the widest down, and let the rows vote for their parents."""
        top = len(self.columns) - 1
        above = np.full(len(weights), ROOT, dtype=np.int64)
        moved = np.zeros(len(weights), dtype=np.bool_)
        for level in range(top, -1, -1):
            codes = self.columns[level].codes
            filled = codes >= 0
            first = self.start[level] = len(self.parent)
            if self.split and level:
                keys, number = np.unique(codes[filled] * first + above[filled], return_inverse=True)
                labels = keys // first
            else:
                labels, number = np.arange(len(self.columns[level].labels)), codes[filled]
            nodes = first + number
            self.level_of = np.concatenate([self.level_of, np.full(len(labels), level)])
            self.label_of = np.concatenate([self.label_of, labels])
            votes = self.votes[level] = Votes.count(nodes, above[filled], weights[filled], self.level_of)
            self.parent = np.concatenate([self.parent, votes.parent[votes.best]])
            if level:
                chosen = self.parent[nodes]
                same_level = self.level_of[above[filled]] == self.level_of[chosen]
                moved[filled] |= same_level & (above[filled] != chosen)
            if level == top:
                above = np.full(len(weights), NOTHING_ABOVE, dtype=np.int64)
            above[filled] = nodes
        self.moved = len(np.unique(self.columns[0].codes[moved]))  # items that moved to another group

    @cached_property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Return which nodes are items or have items below them."""
        alive = np.zeros(len(self.parent), dtype=np.bool_)
        alive[self.start[0] :] = True
        alive[ROOT] = True
        for level in range(len(self.columns)):
            nodes = np.flatnonzero(alive & (self.level_of == level))
            alive[self.parent[nodes]] = True
        return alive

    @property
    def emptied(self) -> int:
        """Return the number of groups without items."""
        return int(np.count_nonzero(~self.alive[NOTHING_ABOVE + 1 :]))

    @cached_property
    def without_top(self) -> npt.NDArray[np.bool_]:
        """Return which nodes are below ``(no department)``."""
        below: npt.NDArray[np.bool_] = np.arange(len(self.parent)) == NOTHING_ABOVE
        for level in range(len(self.columns) - 1, -1, -1):
            nodes = np.flatnonzero(self.level_of == level)
            below[nodes] = below[self.parent[nodes]]
        return below

    def level_nodes(self, level: int) -> Numbers:
        """Return the nodes of a level that have items, in the order of their labels."""
        return np.flatnonzero(self.alive & (self.level_of == level))

    def label(self, node: int) -> str:
        """Return the label of a node as in the table."""
        if node == NOTHING_ABOVE:
            return nothing_above(self.columns[-1].name)
        return self.columns[int(self.level_of[node])].labels[int(self.label_of[node])]

    def several(self, level: int, names: Sequence[str] = ()) -> list[tuple[str, Parents]]:
        """Return the labels of a level with several parents, and the votes (uses or rows) for each parent."""
        votes = self.votes[level]
        counts = votes.uses if self.weighted and level else votes.rows
        wanted = votes.several[self.alive[votes.several]]
        at = np.flatnonzero(np.isin(votes.node, wanted))
        parents_of: dict[int, Parents] = {}
        for node, parent, count in zip(*(a[at].tolist() for a in (votes.node, votes.parent, counts)), strict=True):
            label = names[parent] if names and names[parent] else self.label(parent)
            parents_of.setdefault(node, []).append((label, count))
        labelled = [(self.label(node), parents) for node, parents in parents_of.items()]
        return sorted(labelled, key=lambda one: label_key(one[0]))

    def names(self, root: str, more_items: Sequence[str]) -> list[str]:
        """Return the unique name of each node. Items keep their labels. Groups without items have none."""
        names = [root, *[""] * (len(self.parent) - 1)]
        names[self.start[0] :] = self.columns[0].labels
        groups = [node for node in np.flatnonzero(self.alive[: self.start[0]]).tolist() if node != ROOT]
        labels = {node: self.label(node) for node in groups}
        on_level = Counter((int(self.level_of[node]), label) for node, label in labels.items())
        counts = Counter(labels.values())
        counts.update((root, *self.columns[0].labels, *more_items))
        for node, label in labels.items():  # from the root down
            level = min(int(self.level_of[node]), len(self.columns) - 1)
            if counts[label] > 1:
                is_split = on_level[level, label] > 1
                mark = names[int(self.parent[node])] if is_split else self.columns[level].name
                label = _free(label, mark, counts)
                counts[label] += 1
            names[node] = label
        return names

    def rest(self, names: Sequence[str], more_items: Sequence[str]) -> str:
        """Return the name of the group of all items without a label on the widest level, even if it is empty."""
        if self.alive[NOTHING_ABOVE]:
            return names[NOTHING_ABOVE]
        label, taken = self.label(NOTHING_ABOVE), Counter((*names, *more_items))
        return _free(label, self.columns[-1].name, taken) if taken[label] else label

    def qualified(self, names: Sequence[str]) -> list[str]:
        """Return the groups whose name differs from the table because another level has their label, in order."""
        groups = (node for level in range(len(self.columns) - 1, 0, -1) for node in self.level_nodes(level).tolist())
        split = {node for level in range(1, len(self.columns)) for node in self._split_nodes(level)}
        return [names[node] for node in groups if names[node] != self.label(node) and node not in split]

    def split_labels(self, names: Sequence[str]) -> list[tuple[str, list[str]]]:
        """Return the labels of groups that were split, with the names of their groups."""
        by_label: dict[tuple[int, str], list[str]] = {}
        for level in range(1, len(self.columns)):
            for node in self._split_nodes(level):
                by_label.setdefault((level, self.label(node)), []).append(names[node])
        return [(label, split) for (_, label), split in by_label.items()]

    def _split_nodes(self, level: int) -> list[int]:
        """Return the nodes of a level that share their label with another node of that level."""
        nodes = self.level_nodes(level)
        labels, of_node, counts = np.unique(self.label_of[nodes], return_inverse=True, return_counts=True)
        return [int(node) for node in nodes[counts[of_node] > 1]] if len(labels) < len(nodes) else []


def nothing_above(level: str) -> str:
    """Return the label of the group of all items without a label on the widest level.

    >>> nothing_above("department")
    '(no department)'
    """
    return f"(no {level})"


def _free(label: str, mark: str, taken: Mapping[str, int]) -> str:
    """Return an unused label: the label with a mark in brackets.

    >>> _free("GROCERY", "department", Counter(["GROCERY", "GROCERY (department)"]))
    'GROCERY (department, 2)'
    """
    name, number = f"{label} ({mark})", 1
    while taken.get(name):
        number += 1
        name = f"{label} ({mark}, {number})"
    return name
