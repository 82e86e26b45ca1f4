"""The content of a hierarchy file, before it is known to be a tree.

Every format is read into a :class:`Draft`: child-parent edges with the place where each was read. ``load`` raises the
first problem of a draft, and ``problems`` lists them all. Both use the same code, so they cannot disagree.

An item may lie below a group of the same name, as in ``250;250;*``. Then the group is renamed to ``250:group``, so that
published labels are unambiguous.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError

_NAMED = 4  # the most roots that a message names


class Edge(NamedTuple):
    """A child, its parent (None: the root) and its place in the file, such as "line 3"."""

    child: str
    parent: str | None
    place: str


@dataclass(frozen=True, slots=True)
class Draft:
    """The edges of a file, and the problems that its reader has found.

    >>> draft = Draft("h.csv", (Edge("a", "A", "line 1"), Edge("b", "B", "line 2")))
    >>> draft.problems()
    ["h.csv: a hierarchy needs one root, got 2, 'A' (line 1) and 'B' (line 2): put them under one common parent."]
    """

    name: str
    edges: tuple[Edge, ...]
    findings: tuple[str, ...] = ()  # what the reader found wrong, as messages

    def problems(self) -> list[str]:
        """Return all problems that keep this from being a tree, the reader's findings first."""
        if not self.edges and not self.findings:
            return [f"{self.name} has no items: a hierarchy needs at least one."]
        edge_of: dict[str, Edge] = {}
        two_parents = []
        for edge in _qualified(self.edges):
            first = edge_of.setdefault(edge.child, edge)
            if first.parent != edge.parent:
                two_parents.append(
                    f"{self.name}: '{edge.child}' has two parents, {_parent(first)} and {_parent(edge)}: keep one."
                )
        return [*self.findings, *two_parents, *self._cycles(edge_of), *self._roots(edge_of)]

    @property
    def qualified(self) -> tuple[Edge, ...]:
        """The edges with other names for groups that have an item of the same name below them."""
        return _qualified(self.edges)

    def hierarchy(self) -> Hierarchy:
        """Return the tree, or raise the first problem as an error."""
        problems = self.problems()
        if problems:
            n = len(problems)
            rest = f" (The first of {n:,} problems; 'shoal hierarchy check --all' lists all.)" if n > 1 else ""
            raise HierarchyError(problems[0] + rest)
        return Hierarchy.from_parents({edge.child: edge.parent for edge in _qualified(self.edges)}, self.name)

    def _cycles(self, edge_of: Mapping[str, Edge]) -> list[str]:
        """Return each cycle once, as text."""
        drawn = []
        done: set[str] = set()
        for start in edge_of:
            path: dict[str, None] = {}  # an ordered set
            label: str | None = start
            while label is not None and label in edge_of and label not in done and label not in path:
                path[label] = None
                label = edge_of[label].parent
            if label in path:
                nodes = list(path)
                nodes = [*nodes[nodes.index(label) :], label]
                cycle = " -> ".join(f"'{node}'" for node in nodes)
                place = edge_of[label].place
                drawn.append(f"{self.name}, {place}: cycle {cycle}: every node must lead up to one root.")
            done.update(path)
        return drawn

    def _roots(self, edge_of: Mapping[str, Edge]) -> list[str]:
        """Return a problem if there are several roots."""
        roots: dict[str, str] = {}
        for edge in edge_of.values():  # second parents are reported elsewhere
            root = edge.child if edge.parent is None else edge.parent
            if edge.parent is None or root not in edge_of:
                roots.setdefault(root, edge.place)
        if len(roots) < 2:
            return []
        named = [f"'{label}' ({place})" for label, place in roots.items()]
        shown = " and ".join(named) if len(named) == 2 else ", ".join(named[:_NAMED])
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        return [
            f"{self.name}: a hierarchy needs one root, got {len(named)}, {shown}{more}: "
            f"put them under one common parent."
        ]


def group_names(labels: Iterable[str], taken: Collection[str | None]) -> dict[str | None, str]:
    """Return a free name for the group of each label that is an item, too.

    >>> group_names(["milk", "rice"], ["milk", "rice", "rice:group"])
    {'milk': 'milk:group', 'rice': 'rice:group-2'}
    """
    used, names = set(taken), dict[str | None, str]()
    for label in labels:
        name, number = f"{label}:group", 1
        while name in used:
            number += 1
            name = f"{label}:group-{number}"
        used.add(name)
        names[label] = name
    return names


def _qualified(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Return the edges with other names for groups that have an item of the same name below them.

    >>> qualified = _qualified((Edge("b", "A", "line 1"), Edge("A", "A", "line 2"), Edge("A", "*", "line 1")))
    >>> [(edge.child, edge.parent) for edge in qualified]
    [('b', 'A:group'), ('A', 'A:group'), ('A:group', '*')]
    """
    groups = {edge.child for edge in edges if edge.parent != edge.child}  # a root that is its own parent is not an item
    own = [edge.child for edge in edges if edge.parent == edge.child and edge.child in groups]
    if not own:
        return edges
    taken = {label for edge in edges for label in (edge.child, edge.parent)}
    names = group_names(own, taken)
    return tuple(
        Edge(
            edge.child if edge.child == edge.parent else names.get(edge.child, edge.child),
            names.get(edge.parent, edge.parent),
            edge.place,
        )
        for edge in edges
    )


def _parent(edge: Edge) -> str:
    """Return the parent of an edge and its place, for a message."""
    return f"none ({edge.place})" if edge.parent is None else f"'{edge.parent}' ({edge.place})"
