"""Hierarchy: a tree over the items with canonical node ids.

Ids do not depend on the order of lines in a file: siblings are sorted by label (numbers numerically), leaves are
numbered 0..L-1 in depth-first order, then internal nodes in post-order. So every node covers a contiguous range of
leaves, "u covers v" is two comparisons, every parent has a higher id than its children, and the root is the last
node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, frozen
from shoal.data.labels import canonical_order, label_key
from shoal.data.transactions import Transactions
from shoal.errors import DataError, HierarchyError, did_you_mean, shorten

NO_HIERARCHY = "no hierarchy"  # the name of one that nobody gave


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A rooted tree of any shape whose leaves are the items. Build it with :meth:`from_parents` or :meth:`from_tree`.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> h.labels
    ('a1', 'a2', 'b1', 'b2', 'A', 'B', 'ALL')
    >>> h.parent.tolist()
    [4, 4, 5, 5, 6, 6, -1]
    >>> h.span.tolist()[4:]
    [[0, 2], [2, 4], [0, 4]]
    """

    parent: Codes  # [n] id of the parent, always larger than the node's own; -1 for the root
    span: Codes  # [n, 2] the leaves below node u are span[u, 0] .. span[u, 1] - 1
    labels: tuple[str, ...]
    name: str = "hierarchy"  # for messages: the file it came from
    file_sha256: str | None = None  # of that file
    refines: Hierarchy | None = None  # the owner's hierarchy, if this one has groups between its siblings
    groups_from: tuple[str, str] | None = None  # name and hash of the file that told these groups, if one did

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
        if not self._canonical():
            raise HierarchyError(
                f"{self.name}: leaves must be numbered first and depth-first, internal nodes in post-order: "
                f"use Hierarchy.from_parents."
            )

    def _canonical(self) -> bool:
        """Whether ids and spans are as the class promises; kernels rely on it."""
        above, n = self.parent[:-1], len(self.labels)
        leaves = n - len(np.unique(above))
        if n > 1 and above.min() < leaves:  # a leaf id is somebody's parent
            return False
        first = np.full(n, n, dtype=np.int64)
        stop, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        first[:leaves], stop[:leaves], below[:leaves] = np.arange(leaves), np.arange(1, leaves + 1), 1
        np.minimum.at(first, above, self.span[:-1, 0])
        np.maximum.at(stop, above, self.span[:-1, 1])
        np.add.at(below, above, (self.span[:, 1] - self.span[:, 0])[:-1])
        spans_fit = np.array_equal(np.stack([first, stop], axis=1), self.span) and np.array_equal(stop - first, below)
        return spans_fit and bool(np.all(np.diff(stop[leaves:]) >= 0))  # post-order: spans end later and later

    # ---- construction

    @classmethod
    def from_parents(cls, parent_of: Mapping[str, str | None], name: str = "hierarchy") -> Hierarchy:
        """From child label -> parent label; the root maps to None or is only ever a parent."""
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
            raise HierarchyError(f"{name}: cycle: {_cycle(parent_of)}: every node must lead up to one root.")
        built = _number(roots[0], children, name)
        if len(built.labels) != len(parent_of.keys() | children.keys()):
            raise HierarchyError(f"{name}: cycle: {_cycle(parent_of)}: every node must lead up to one root.")
        return built

    @classmethod
    def from_tree(cls, tree: Mapping[str, object], name: str = "hierarchy") -> Hierarchy:
        """From nested mappings ``{root: {child: [leaf, leaf]}}``; a lone leaf is ``{leaf: []}``."""
        parent_of: dict[str, str | None] = {}

        stack: list[tuple[str, str | None, object]] = []
        stack += [(root, None, below) for root, below in tree.items()][::-1]
        while stack:
            label, parent, below = stack.pop()
            if label in parent_of:
                raise HierarchyError(f"{name}: '{label}' is given twice: labels must be unique.")
            parent_of[label] = parent
            if isinstance(below, Mapping):
                stack += [(child, label, further) for child, further in below.items()][::-1]
            elif isinstance(below, Iterable) and not isinstance(below, str):
                stack += [(child, label, ()) for child in below][::-1]
        return cls.from_parents(parent_of, name)

    @classmethod
    def flat(cls, items: Iterable[str], name: str = NO_HIERARCHY) -> Hierarchy:
        """No groups, only a root above all items: for methods that do not generalize.

        >>> Hierarchy.flat(["b", "a"]).labels
        ('a', 'b', '*')
        """
        labels = set(items)
        root = next(mark for mark in ("*", "(all)", *map("({})".format, range(len(labels)))) if mark not in labels)
        return cls.from_parents({**dict.fromkeys(labels, root), root: None}, name)

    # ---- structure

    @property
    def is_flat(self) -> bool:
        """Whether it has no groups below the root."""
        return len(self) <= self.n_leaves + 1

    def __repr__(self) -> str:
        """In figures."""
        return f"Hierarchy({self.name}: {self.n_leaves:,} items, {len(self) - self.n_leaves:,} groups)"

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def n_leaves(self) -> int:
        """|I|, the number of items."""
        return int(self.span[-1, 1])

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The labels of the leaves."""
        return self.labels[: self.n_leaves]

    @property
    def root(self) -> int:
        """Id of the root, the last node."""
        return len(self.labels) - 1

    @cached_property
    def leaves(self) -> Counts:
        """Number of leaves below each node."""
        return frozen(self.span[:, 1] - self.span[:, 0], np.int64)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, in canonical order."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parent[:-1].tolist()):
            below[parent].append(node)
        return tuple(tuple(sorted(nodes, key=lambda node: int(self.span[node, 0]))) for nodes in below)

    @cached_property
    def depth(self) -> Codes:
        """Edges between each node and the root."""
        depth = np.zeros(len(self), dtype=np.int32)
        for node in range(len(self) - 2, -1, -1):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @property
    def height(self) -> int:
        """Edges on the longest path from the root to a leaf."""
        return int(self.depth.max())

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Label -> node id."""
        return {label: node for node, label in enumerate(self.labels)}

    def covers(self, upper: int, lower: int) -> bool:
        """Whether ``upper`` is ``lower`` or one of its ancestors."""
        inside = self.span[upper, 0] <= self.span[lower, 0] and self.span[lower, 1] <= self.span[upper, 1]
        return bool(inside) and upper >= lower  # single-child chains share a span; ids rise upwards

    def ancestors(self, node: int) -> list[int]:
        """The node itself, its parent, ..., the root."""
        path = [node]
        while (node := int(self.parent[node])) >= 0:
            path.append(node)
        return path

    @cached_property
    def right_below_root(self) -> npt.NDArray[np.bool_]:
        """For each item, whether it is a child of the root, groups between siblings apart.

        With ``unknown_items="root"``, such an item may be one that only the raw data know.
        """
        owner = self.refines or self
        codes = [owner.code_of[label] for label in self.items]
        return np.asarray(owner.parent[codes] == owner.root)

    def items_of(self, label: str) -> tuple[str, ...]:
        """What a label represents: itself, if it is an item or unknown, or the items of a group.

        >>> Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}}).items_of("A")
        ('a1', 'a2')
        """
        node = self.code_of.get(label, -1)
        return (label,) if node < self.n_leaves else self.items[slice(*self.span[node])]

    def without_chains(self) -> tuple[Hierarchy, Codes]:
        """This hierarchy without groups of a single child, the root apart; and the number that each node has here.

        Of groups that cover the same items, the lowest one stays: its label is the one that is published. The others
        are known by name, and mean the same.

        >>> short, node_of = Hierarchy.from_tree({"ALL": {"A2": {"A": ["a1", "a2"]}, "B": ["b"]}}).without_chains()
        >>> short.labels, node_of.tolist(), short.labels[short.code_of["A2"]]
        (('a1', 'a2', 'b', 'A', 'ALL'), [0, 1, 2, 3, 6], 'A')
        """
        lowest = np.arange(len(self))  # the node that represents each
        single = np.bincount(self.parent[:-1], minlength=len(self)) == 1
        single[-1] = False
        above = self.parent.copy()  # the next node above that stays
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
        """The inverse of :meth:`from_parents`."""
        return {
            label: None if parent < 0 else self.labels[parent]
            for label, parent in zip(self.labels, self.parent.tolist(), strict=True)
        }

    @cached_property
    def sha256(self) -> str:
        """Hash of the file it came from; for a hierarchy made in memory, of its parent-child pairs."""
        if self.file_sha256:
            return self.file_sha256
        pairs = "\n".join(f"{child}\t{parent or ''}" for child, parent in self.parents_by_label().items())
        return hashlib.sha256(pairs.encode()).hexdigest()

    # ---- data in terms of this hierarchy

    def encode(self, data: Transactions, where: Callable[[int], str] | None = None) -> Transactions:
        """The same rows with leaf ids as codes and all leaves as labels. Unknown items are an error.

        ``where`` tells the place of the first use of an item code of ``data``, for the message.
        """
        codes = np.full(len(data.labels), -1, dtype=np.int32)
        for code, label in enumerate(data.labels):
            node = self.code_of.get(label, -1)
            if 0 <= node < self.n_leaves:
                codes[code] = node
            elif np.any(data.items == code):
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
        """What to do about an item that is not in the hierarchy; that depends on how many are not."""
        used = [data.labels[code] for code in np.unique(data.items).tolist()]
        unknown = [one for one in used if not 0 <= self.code_of.get(one, -1) < self.n_leaves]
        if len(unknown) * 2 > len(used) > 1:
            return f", nor are {len(unknown):,} of all {len(used):,} items: is it the hierarchy of these data?"
        more = f", nor {'is 1 other' if len(unknown) == 2 else f'are {len(unknown) - 1:,} others'}"
        hint = did_you_mean(label, self.items) + (more if len(unknown) > 1 else "")
        return f"{hint}: add {'them' if len(unknown) > 1 else 'it'}, or pass --unknown-items=root."

    def with_items_under_root(self, labels: Iterable[str]) -> Hierarchy:
        """This hierarchy with the missing labels added as leaves directly below the root."""
        missing = [label for label in labels if label not in self.code_of]
        if not missing:
            return self
        parents = self.parents_by_label()
        root = self.labels[-1]
        if len(self) == 1:  # the lone item is its own root: give it one
            root = "*" if "*" not in missing and root != "*" else "(all)"
            parents = {self.labels[0]: root, root: None}
        return Hierarchy.from_parents({**parents, **dict.fromkeys(missing, root)}, self.name)

    def without_items(self, labels: Iterable[str]) -> Hierarchy:
        """This hierarchy without some leaves, and without the groups that have none left.

        >>> Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}}).without_items(["b1", "x"]).labels
        ('a1', 'a2', 'A', 'ALL')
        """
        gone = {label for label in labels if 0 <= self.code_of.get(label, -1) < self.n_leaves}
        if not gone:
            return self
        if len(gone) == self.n_leaves:
            raise HierarchyError(
                f"{self.name}: all {self.n_leaves} items are declared sensitive: at least one must not be."
            )
        for node in range(self.n_leaves, len(self)):
            if all(self.labels[child] in gone for child in self.children[node]):
                gone.add(self.labels[node])
        left = {label: parent for label, parent in self.parents_by_label().items() if label not in gone}
        return replace(Hierarchy.from_parents(left, self.name), file_sha256=self.file_sha256)


def _number(root: str, children: Mapping[str, Sequence[str]], name: str) -> Hierarchy:
    """Assign canonical ids by one iterative depth-first walk."""
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
    return Hierarchy(parent, np.vstack([np.stack([first_leaf, first_leaf + 1], axis=1), inner]), labels, name)


def _cycle(parent_of: Mapping[str, str | None]) -> str:
    """Some cycle of the mapping, drawn."""
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
