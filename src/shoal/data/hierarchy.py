"""Hierarchy: a tree over the items with canonical node ids.

Ids do not depend on the order of lines in a file. Siblings are sorted by label (numbers numerically). Leaves are
numbered 0..L-1 in depth-first order, then internal nodes in post-order. So every node covers a contiguous range of
leaves, "u covers v" takes two comparisons, every parent has a higher id than its children, and the root is the last
node.

Ids do not depend on the order of lines in a file: siblings are sorted by label (numbers numerically), leaves are
numbered 0..L-1 in depth-first order, then internal nodes in post-order. So every node covers a contiguous range of
leaves, "u covers v" is two comparisons, every parent has a higher id than its children, and the root is the last
node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, frozen
from shoal.data.labels import label_key
from shoal.data.numbering import find_cycle, is_canonical, number_nodes
from shoal.data.transactions import Transactions
from shoal.errors import DataError, HierarchyError, did_you_mean, shorten

NO_HIERARCHY = "no hierarchy"  # the name of the default, in which all items are siblings


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A rooted tree of any shape whose leaves are the items.

    Build it with :meth:`from_parents` or :meth:`from_tree`, or read it from a file with :func:`shoal.hierarchies.load`.

    Parameters
    ----------
    parent : array of int
        The id of each node's parent. It is larger than the node's own id, and -1 for the root.
    span : array of int, one pair for each node
        The leaves below node u are ``span[u, 0]`` to ``span[u, 1] - 1``.
    labels : tuple of str
        The label of each node.
    name : str
        The file it came from, for messages.
    file_sha256 : str, optional
        The hash of that file.
    refines : Hierarchy, optional
        The owner's hierarchy, if groups were added between its siblings.
    groups_from : tuple of str, optional
        Name and hash of the file that lists the added groups.

    Raises
    ------
    HierarchyError
        The ids are not canonical, or a label occurs twice.

    Examples
    --------
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> h.labels
    ('a1', 'a2', 'b1', 'b2', 'A', 'B', 'ALL')
    >>> h.parent.tolist()
    [4, 4, 5, 5, 6, 6, -1]
    >>> h.span.tolist()[4:]
    [[0, 2], [2, 4], [0, 4]]
    """

    parent: Codes
    span: Codes
    labels: tuple[str, ...]
    name: str = "hierarchy"
    file_sha256: str | None = None
    refines: Hierarchy | None = None
    groups_from: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        """Validate and freeze."""
        object.__setattr__(self, "parent", frozen(self.parent, np.int32))
        object.__setattr__(self, "span", frozen(self.span, np.int32))
        n = len(self.labels)
        if n == 0:
            raise HierarchyError(f"{self.name}: the hierarchy is empty: it needs at least one item.")
        if self.parent.shape != (n,) or self.span.shape != (n, 2):
            raise HierarchyError(f"{self.name}: parent and span must have one entry for each of the {n} labels.")
        if self.parent[-1] != -1 or bool(np.any(self.parent[:-1] <= np.arange(n - 1))) or self.parent.max() >= n:
            raise HierarchyError(f"{self.name}: every parent must come after its children, and the root last.")
        if len(set(self.labels)) != n:
            raise HierarchyError(f"{self.name}: labels must be unique.")
        if not is_canonical(self.parent, self.span):
            raise HierarchyError(
                f"{self.name}: leaves must be numbered first, in depth-first order, then internal nodes in post-order: "
                f"use Hierarchy.from_parents."
            )

    @classmethod
    def from_parents(cls, parent_of: Mapping[str, str | None], name: str = "hierarchy") -> Hierarchy:
        """Build a hierarchy from a mapping of child labels to parent labels.

        Parameters
        ----------
        parent_of : mapping of str to str or None
            The parent of each label. The root maps to None, or occurs as a parent only.
        name : str
            What messages call the hierarchy.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            The mapping is empty, has a cycle, or has several roots.

        Examples
        --------
        >>> Hierarchy.from_parents({"milk": "dairy", "butter": "dairy", "dairy": "food", "rice": "food"})
        Hierarchy(hierarchy: 3 items, 2 groups)
        """
        children: dict[str, list[str]] = {}
        roots: list[str] = []
        for child, parent in parent_of.items():
            if parent is None:
                roots.append(child)
            else:
                children.setdefault(parent, []).append(child)
        roots += [label for label in children if label not in parent_of]
        if len(roots) > 1:
            first, second = sorted(roots, key=label_key)[:2]
            raise HierarchyError(
                f"{name}: a hierarchy needs exactly one root, got {len(roots)} ('{first}', '{second}'"
                f"{', ...' if len(roots) > 2 else ''}): put them under one common parent."
            )
        if not roots:
            if not parent_of:
                raise HierarchyError(f"{name}: the hierarchy is empty: it needs at least one item.")
            raise HierarchyError(f"{name}: cycle: {find_cycle(parent_of)}: every node must lead up to one root.")
        built = cls(*number_nodes(roots[0], children), name)
        if len(built.labels) != len(parent_of.keys() | children.keys()):
            raise HierarchyError(f"{name}: cycle: {find_cycle(parent_of)}: every node must lead up to one root.")
        return built

    @classmethod
    def from_tree(cls, tree: Mapping[str, object], name: str = "hierarchy") -> Hierarchy:
        """Build a hierarchy from nested mappings.

        Parameters
        ----------
        tree : mapping
            ``{root: {group: [leaf, leaf]}}``, nested as deep as needed. A single leaf is ``{leaf: []}``.
        name : str
            What messages call the hierarchy.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            The mapping is empty, has several roots, or uses a label twice.

        Examples
        --------
        >>> Hierarchy.from_tree({"food": {"dairy": ["milk", "butter"], "rice": []}}).items
        ('butter', 'milk', 'rice')
        """
        parent_of: dict[str, str | None] = {}

        stack: list[tuple[str, str | None, object]] = []
        stack += [(root, None, below) for root, below in tree.items()][::-1]
        while stack:
            label, parent, below = stack.pop()
            if label in parent_of:
                raise HierarchyError(f"{name}: the label '{label}' occurs twice: labels must be unique.")
            parent_of[label] = parent
            if isinstance(below, Mapping):
                stack += [(child, label, further) for child, further in below.items()][::-1]
            elif isinstance(below, Iterable) and not isinstance(below, str):
                stack += [(child, label, ()) for child in below][::-1]
        return cls.from_parents(parent_of, name)

    @classmethod
    def flat(cls, items: Iterable[str], name: str = NO_HIERARCHY) -> Hierarchy:
        """Build a hierarchy without groups: all items are siblings below the root.

        Examples
        --------
        >>> Hierarchy.flat(["b", "a"]).labels
        ('a', 'b', '*')
        """
        labels = set(items)
        root = next(mark for mark in ("*", "(all)", *map("({})".format, range(len(labels)))) if mark not in labels)
        return cls.from_parents({**dict.fromkeys(labels, root), root: None}, name)

    @property
    def is_flat(self) -> bool:
        """Whether it has no groups below the root."""
        return len(self) <= self.n_leaves + 1

    def __repr__(self) -> str:
        """Describe the size of the hierarchy."""
        return f"Hierarchy({self.name}: {self.n_leaves:,} items, {len(self) - self.n_leaves:,} groups)"

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.labels)

    @property
    def n_leaves(self) -> int:
        """Return the number of items."""
        return int(self.span[-1, 1])

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Return the labels of the leaves."""
        return self.labels[: self.n_leaves]

    @property
    def root(self) -> int:
        """Return the id of the root, the last node."""
        return len(self.labels) - 1

    @cached_property
    def leaves(self) -> Counts:
        """Return the number of leaves below each node."""
        return frozen(self.span[:, 1] - self.span[:, 0], np.int64)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Return the children of each node, in canonical order."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parent[:-1].tolist()):
            below[parent].append(node)
        return tuple(tuple(sorted(nodes, key=lambda node: int(self.span[node, 0]))) for nodes in below)

    @cached_property
    def depth(self) -> Codes:
        """Return the number of edges between each node and the root."""
        depth = np.zeros(len(self), dtype=np.int32)
        for node in range(len(self) - 2, -1, -1):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @property
    def height(self) -> int:
        """Return the number of edges on the longest path from the root to a leaf."""
        return int(self.depth.max())

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Map each label to its node id."""
        return {label: node for node, label in enumerate(self.labels)}

    def covers(self, upper: int, lower: int) -> bool:
        """Whether ``upper`` is ``lower`` or one of its ancestors."""
        inside = self.span[upper, 0] <= self.span[lower, 0] and self.span[lower, 1] <= self.span[upper, 1]
        return bool(inside) and upper >= lower  # single-child chains share a span; ids rise upwards

    def ancestors(self, node: int) -> list[int]:
        """Return the node itself, its parent, and so on up to the root."""
        path = [node]
        while (node := int(self.parent[node])) >= 0:
            path.append(node)
        return path

    @cached_property
    def right_below_root(self) -> npt.NDArray[np.bool_]:
        """Return for each item whether it is a child of the root, ignoring groups that were added between siblings.

        With ``unknown_items="root"``, such an item may be missing from the owner's hierarchy.
        """
        owner = self.refines or self
        codes = [owner.code_of[label] for label in self.items]
        return np.asarray(owner.parent[codes] == owner.root)

    def items_of(self, label: str) -> tuple[str, ...]:
        """Return the items that a label represents: those of a group, or the label itself if it is an item or unknown.

        >>> Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}}).items_of("A")
        ('a1', 'a2')
        """
        node = self.code_of.get(label, -1)
        return (label,) if node < self.n_leaves else self.items[slice(*self.span[node])]

    def without_chains(self) -> tuple[Hierarchy, Codes]:
        """Return this hierarchy without groups of a single child (except the root), and the id that each node has here.

        If several groups cover the same items, the lowest one stays, because its label is the one that is published.
        The labels of the others still work: they map to the lowest one.

        >>> short, node_of = Hierarchy.from_tree({"ALL": {"A2": {"A": ["a1", "a2"]}, "B": ["b"]}}).without_chains()
        >>> short.labels, node_of.tolist(), short.labels[short.code_of["A2"]]
        (('a1', 'a2', 'b', 'A', 'ALL'), [0, 1, 2, 3, 6], 'A')
        """
        lowest = np.arange(len(self))  # the lowest node that covers the same items
        single = np.bincount(self.parent[:-1], minlength=len(self)) == 1
        single[-1] = False
        above = self.parent.copy()  # the next node above that is kept
        for node, parent in enumerate(self.parent[:-1].tolist()):
            if single[parent]:
                lowest[parent] = lowest[node]
        for node in range(len(self) - 2, -1, -1):
            if single[above[node]]:
                above[node] = above[above[node]]
        kept = np.flatnonzero(~single)
        number = np.cumsum(~single) - 1
        parent = np.where(above[kept] >= 0, number[above[kept]], -1)
        labels = tuple(self.labels[node] for node in kept.tolist())
        short = replace(self, parent=parent, span=self.span[kept], labels=labels)
        codes = dict(zip(self.labels, number[lowest].tolist(), strict=True))
        short.__dict__["code_of"] = codes
        return short, frozen(kept, np.int32)

    def parents_by_label(self) -> dict[str, str | None]:
        """Map each label to the label of its parent, the inverse of :meth:`from_parents`."""
        return {
            label: None if parent < 0 else self.labels[parent]
            for label, parent in zip(self.labels, self.parent.tolist(), strict=True)
        }

    @cached_property
    def sha256(self) -> str:
        """Return the hash of the file it came from, or of its parent-child pairs if it was made in memory."""
        if self.file_sha256:
            return self.file_sha256
        pairs = "\n".join(f"{child}\t{parent or ''}" for child, parent in self.parents_by_label().items())
        return hashlib.sha256(pairs.encode()).hexdigest()

    def encode(self, data: Transactions, where: Callable[[int], str] | None = None) -> Transactions:
        """Return the same rows with leaf ids as codes and all leaves as labels.

        ``where`` returns the place of the first use of an item code of ``data``, for the message. A :class:`DataError`
        names the first item that is not a leaf.
        """
        codes = np.full(len(data.labels), -1, dtype=np.int32)
        for code, label in enumerate(data.labels):
            node = self.code_of.get(label, -1)
            if 0 <= node < self.n_leaves:
                codes[code] = node
            elif data.supports[code]:
                place = f" ({where(code)})" if where else ""
                if node >= 0:
                    raise DataError(
                        f"Item '{shorten(label)}'{place} is a group in the hierarchy {self.name}, not an item: add the "
                        f"item below its group, in a row that starts '{shorten(label)};{shorten(label)};', or rename "
                        f"the group."
                    )
                hint = self._unknown_hint(data, label)
                raise DataError(f"Item '{shorten(label)}'{place} is not in the hierarchy {self.name}{hint}")
        return data.recode(codes, self.items)

    def _unknown_hint(self, data: Transactions, label: str) -> str:
        """Return the remedy for an unknown item. It depends on how many items are unknown."""
        used = data.used_labels
        unknown = [one for one in used if not 0 <= self.code_of.get(one, -1) < self.n_leaves]
        if len(unknown) * 2 > len(used) > 1:
            return f", nor are {len(unknown):,} of all {len(used):,} items: is it the hierarchy of these data?"
        more = f", nor {'is 1 other' if len(unknown) == 2 else f'are {len(unknown) - 1:,} others'}"
        hint = did_you_mean(label, self.items) + (more if len(unknown) > 1 else "")
        return f"{hint}: add {'them' if len(unknown) > 1 else 'it'}, or pass unknown_items='root'."

    def with_items_under_root(self, labels: Iterable[str]) -> Hierarchy:
        """Return this hierarchy with the missing labels added as leaves directly below the root."""
        missing = [label for label in labels if label not in self.code_of]
        if not missing:
            return self
        parents = self.parents_by_label()
        root = self.labels[-1]
        if len(self) == 1:  # the only item is its own root: add a root above it
            root = "*" if "*" not in missing and root != "*" else "(all)"
            parents = {self.labels[0]: root, root: None}
        return Hierarchy.from_parents({**parents, **dict.fromkeys(missing, root)}, self.name)

    def without_items(self, labels: Iterable[str]) -> Hierarchy:
        """Return this hierarchy without some leaves, and without the groups that have no leaves left.

        >>> Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}}).without_items(["b1", "x"]).labels
        ('a1', 'a2', 'A', 'ALL')
        """
        gone = {label for label in labels if 0 <= self.code_of.get(label, -1) < self.n_leaves}
        if not gone:
            return self
        if len(gone) == self.n_leaves:
            raise HierarchyError(
                f"{self.name}: all {self.n_leaves} items are sensitive. At least one item must not be sensitive."
            )
        for node in range(self.n_leaves, len(self)):
            if all(self.labels[child] in gone for child in self.children[node]):
                gone.add(self.labels[node])
        left = {label: parent for label, parent in self.parents_by_label().items() if label not in gone}
        return replace(Hierarchy.from_parents(left, self.name), file_sha256=self.file_sha256)
