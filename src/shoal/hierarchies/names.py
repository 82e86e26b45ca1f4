"""Names for groups of items that readers can trust.

Up to three members are named: "beer | wine". A larger group gets the name of its parent, a number and its size: "DAIRY,
group 3 of 7 (12 items)". It never gets the name of one member, which readers would take for the item. Numbers follow
the order of labels, so a name reveals nothing about the data beyond the group itself.

A name is unique, and it is read back exactly as it was written: it avoids the characters that separate items in the
file, it never looks like a set such as (a,b), and in data with several columns of sets it has the tag of one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import set_members
from shoal.data.tags import Tags

NAMED = 3  # members of a group that its name lists


@dataclass(frozen=True)
class Style:
    """How names are written if some characters separate items.

    >>> Style.avoiding("").listed(["beer", "wine"]), Style.avoiding("|,").listed(["beer", "wine"])
    ('beer | wine', 'beer or wine')
    >>> Style.avoiding("").numbered("DAIRY", 3, 7, 12), Style.avoiding(" ").numbered("FRESH DAIRY", 3, 7, 12)
    ('DAIRY, group 3 of 7 (12 items)', 'FRESH_DAIRY:group-3-of-7')
    """

    joint: str = " | "
    after: str = ", "
    spaces: bool = True

    @classmethod
    def avoiding(cls, marks: str) -> Style:
        """Return the style for a format in which these characters separate items."""
        if " " in marks:
            return cls(_first(("|", "/", "+", "~"), marks), _first((":", "=", "-"), marks), spaces=False)
        return cls(_first((" | ", " or "), marks), _first((", ", ": ", " - "), marks))

    def text(self, label: str) -> str:
        """Return a label as a part of a name."""
        return label if self.spaces else "_".join(label.split())

    def listed(self, members: Iterable[str]) -> str:
        """Return a name that lists a few members."""
        return self.joint.join(map(self.text, members))

    def numbered(self, parent: str, number: int | str, of: int, items: int) -> str:
        """Return the name of one of the groups below a node. The parent is "" if there is no hierarchy."""
        start = f"{self.text(parent)}{self.after}" if parent else ""
        return f"{start}group {number} of {of} ({items:,} items)" if self.spaces else f"{start}group-{number}-of-{of}"

    def ranged(self, parent: str, first: str, last: str, items: int) -> str:
        """Return the name of an unpublished group, for explanations."""
        start = f"{self.text(parent)}{self.after}" if parent else ""
        if not self.spaces:
            return f"{start}{self.text(first)}..{self.text(last)}"
        return f"{start}{first} .. {last} ({items:,} items)"


def _first(texts: Sequence[str], marks: str) -> str:
    """Return the first text without any of the marks (ignoring spaces), or else the last one."""
    return next((text for text in texts if not set(text.strip()) & set(marks)), texts[-1])


class Namer:
    """Make names that are unique and are read back exactly.

    >>> namer = Namer(Style(), ["tests.a | b"], ("drugs", "tests"))
    >>> namer.final("drugs.a | drugs.b"), namer.final("drugs+tests, group 1 of 2 (9 items)")
    ('drugs.a | b', 'drugs.drugs+tests, group 1 of 2 (9 items)')
    >>> Namer(Style(), ["a | b"]).final("a | b")
    'a | b (2)'
    """

    def __init__(self, style: Style, taken: Iterable[str], columns: Sequence[str] = ()) -> None:
        self.style, self.taken = style, set(taken)
        self.tags = Tags(tuple(columns)) if len(columns) > 1 else None
        if self.tags is not None:
            self.taken.update([self.tags.as_read(label) for label in self.taken])
        self._tries: dict[str, int] = {}

    def listed(self, members: Sequence[str]) -> str:
        """Return the name of a group of a few members.

        With several columns of sets, the tag of the column occurs once.
        """
        return self.final(self.style.listed(members))

    def final(self, label: str) -> str:
        """Return the label, or a similar one that is unique and is read back exactly."""
        label = self._readable(label)
        name, number = label, self._tries.get(label, 1)
        while name in self.taken:
            number += 1
            name = f"{label} ({number})" if self.style.spaces else f"{label}-{number}"
            name = self._readable(name)
        self._tries[label] = number
        self.taken.add(name)
        return name

    def _readable(self, label: str) -> str:
        """Return the label, changed if it would be read as something else."""
        if self.tags is not None:
            label = self._tagged(label)
        _, text = self.tags.place(label) if self.tags is not None else ("", label)
        if len(set_members(text)) > 1 or len(set_members(label)) > 1:  # it looks like (a,b)
            label = label.replace("(", "[").replace(")", "]")
        return label

    def _tagged(self, label: str) -> str:
        """Return the label with the tag of one column in front."""
        assert self.tags is not None
        for column in self.tags.columns:
            tag = f"{column}."
            if label.startswith(tag):
                parts = label.split(self.style.joint)
                same = all(part.startswith(tag) for part in parts)
                return tag + self.style.joint.join(part[len(tag) :] for part in parts) if same else label
        return f"{self.tags.columns[0]}.{label}"


def named(
    tree: Hierarchy, published: Iterable[int], marks: str = "", taken: Collection[str] = (), columns: Sequence[str] = ()
) -> Hierarchy:
    """Return a refined hierarchy with names for its groups. ``published`` are the nodes that will be labels.

    ``marks`` are the characters that separate items in the file, ``taken`` the labels that represent something else
    there, and ``columns`` the columns of sets.

    >>> from shoal.hierarchies.refine import refined
    >>> owner = Hierarchy.from_tree({"ALL": ["beer", "wine", "milk"]})
    >>> named(refined(owner, {3: [[0, 2], 1]}), [3]).labels
    ('beer', 'wine', 'milk', 'beer | wine', 'ALL')
    """
    owner = tree.refines
    assert owner is not None
    used, all_groups = set(map(int, published)), groups(tree)
    large: dict[int, list[int]] = {}
    for node, group in all_groups.items():
        if node in used and group.size > NAMED:
            large.setdefault(int(owner.parent[group.first]), []).append(node)
    number = {}
    for nodes in large.values():
        nodes.sort(key=lambda node: (int(owner.span[all_groups[node].first, 0]), all_groups[node].size))
        number.update({node: (at, len(nodes)) for at, node in enumerate(nodes, 1)})
    style, labels = style_for(owner, marks), list(tree.labels)
    namer = Namer(style, {*owner.labels, *taken}, columns)
    for node in sorted(all_groups, key=lambda node: (node not in used, node)):
        group, items = all_groups[node], int(tree.leaves[node])
        parent = _parent_label(owner, group.first)
        if group.size <= NAMED:
            labels[node] = namer.listed([owner.labels[member] for member in group.members])
        elif node in number:
            labels[node] = namer.final(style.numbered(parent, *number[node], items))
        else:
            labels[node] = namer.final(style.ranged(parent, owner.labels[group.first], owner.labels[group.last], items))
    return replace(tree, labels=tuple(labels))


def readable(tree: Hierarchy, columns: Sequence[str], marks: str = "") -> Hierarchy:
    """Return the hierarchy with names for its groups that are read back exactly from several columns of sets.

    Parameters
    ----------
    tree : Hierarchy
        The hierarchy of the tagged items.
    columns : sequence of str
        The columns of sets. With fewer than two, the hierarchy is returned unchanged.
    marks : str
        Characters that names avoid.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> tree = Hierarchy.from_tree({"*": {"#1": ["drugs.a", "drugs.b"], "#2": ["tests.a", "tests.b"]}})
    >>> readable(tree, ("drugs", "tests")).labels[4:]
    ('drugs.#1', 'drugs.#2', 'drugs+tests')
    """
    if len(columns) < 2:
        return tree
    tags = Tags(tuple(columns))
    namer = Namer(
        Style.avoiding(marks), {*tree.items, *filter(lambda label: tags.as_read(label) == label, tree.labels)}, columns
    )
    names = {label: label for label in tree.labels}
    for label in reversed(tree.labels[tree.n_leaves :]):
        if tags.as_read(label) != label:
            free = label == tree.labels[-1] and tags.joint not in namer.taken
            names[label] = tags.joint if free else namer.final(label)
    parents = tree.parents_by_label()
    return Hierarchy.from_parents(
        {names[label]: None if parent is None else names[parent] for label, parent in parents.items()}, tree.name
    )


def style_for(owner: Hierarchy, marks: str) -> Style:
    """Return the style for names next to those of a hierarchy. Characters that its labels contain need not be avoided.

    If white space separates items, no label may contain any, whatever the hierarchy's labels look like.
    """
    if " " in marks:
        return Style.avoiding(marks)
    given = "".join(owner.labels)
    return Style.avoiding("".join(mark for mark in marks if mark not in given))


@dataclass(frozen=True)
class Group:
    """Some siblings, as nodes of the owner's hierarchy."""

    size: int
    first: int  # in canonical order
    last: int
    members: tuple[int, ...]  # in canonical order; only the first few if there are many


def groups(tree: Hierarchy) -> dict[int, Group]:
    """Return the groups of a refined hierarchy by node, in time proportional to its size."""
    owner = tree.refines
    assert owner is not None
    starts = owner.span[:, 0].tolist()
    group_of: dict[int, Group] = {}
    whole: list[Group] = []
    for node, label in enumerate(tree.labels):  # children come before their parents
        own = owner.code_of.get(label, -1)
        if own >= 0:
            whole.append(Group(1, own, own, (own,)))
            continue
        parts = [whole[child] for child in tree.children[node]]
        members = sorted((member for part in parts for member in part.members), key=starts.__getitem__)[: NAMED + 1]
        first = min((part.first for part in parts), key=starts.__getitem__)
        last = max((part.last for part in parts), key=starts.__getitem__)
        group_of[node] = Group(sum(part.size for part in parts), first, last, tuple(members))
        whole.append(group_of[node])
    return group_of


def _parent_label(owner: Hierarchy, member: int) -> str:
    """Return the name of a group's parent, or "" if there is no hierarchy."""
    return "" if owner.is_flat and owner.name == "no hierarchy" else owner.labels[owner.parent[member]]
