"""Edits of a hierarchy: another parent, another name, a group more or less, items added.

Every edit returns a new tree, or raises what is wrong with it. No edit loses an item: groups that an edit leaves
without items are left out, and a group never becomes an item.

>>> tree = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["bread"]}})
>>> moved = move(tree, ["milk"], "food")
>>> moved.items_of("food"), rename(moved, "food", "groceries").labels[-2]
(('bread', 'milk'), 'groceries')
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import set_members
from shoal.errors import HierarchyError, did_you_mean, shorten
from shoal.hierarchies.draft import group_names

LONGEST = 200  # characters of the name of a group
Reading = Callable[[str], str]  # how a label is read after it was published


def move(tree: Hierarchy, labels: Sequence[str], parent: str) -> Hierarchy:
    """Put nodes below another group. What is below a group moves with it. Groups without items left are left out.

    >>> tree = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["bread"]}})
    >>> move(tree, ["bread"], "drinks").labels
    ('beer', 'bread', 'milk', 'drinks', '*')
    """
    _known(tree, parent)
    _refuse_item(tree, parent)
    parents = tree.parents_by_label()
    above = {tree.labels[node] for node in tree.ancestors(tree.code_of[parent])}
    for label in labels:
        _known(tree, label)
        if label in above:
            what = "itself" if label == parent else f"'{shorten(parent)}', which is below it"
            raise HierarchyError(
                f"'{shorten(label)}' cannot be put below {what}: choose a group outside '{shorten(label)}'."
            )
        parents[label] = parent
    return _tree(tree, _without_empty(tree, parents))


def rename(tree: Hierarchy, group: str, name: str, marks: str = "", as_read: Reading = str) -> Hierarchy:
    """Give a group another name. Items keep their labels, because the data use them.

    >>> rename(Hierarchy.from_tree({"*": {"drinks": ["beer"]}}), "drinks", "beverages").labels
    ('beer', 'beverages', '*')
    """
    _refuse_no_group(tree, group)
    if name == group:
        return tree
    check_name(tree, name, marks, as_read)
    names = {group: name}
    return _tree(
        tree,
        {
            names.get(label, label): parent if parent is None else names.get(parent, parent)
            for label, parent in tree.parents_by_label().items()
        },
    )


def add_group(tree: Hierarchy, name: str, members: Sequence[str], marks: str = "", as_read: Reading = str) -> Hierarchy:
    """Add a group between a parent and some of its children, the members.

    >>> add_group(Hierarchy.flat(["ale", "beer", "oats"]), "drinks", ["ale", "beer"]).parents_by_label()
    {'ale': 'drinks', 'beer': 'drinks', 'oats': '*', 'drinks': '*', '*': None}
    """
    check_name(tree, name, marks, as_read)
    if not members:
        raise HierarchyError(f"The group '{shorten(name)}' has no members: choose what goes below it.")
    for label in members:
        _known(tree, label)
    parents = tree.parents_by_label()
    above = {parents[label] for label in members}
    parent = next(iter(above))
    if len(above) > 1 or parent is None:
        raise HierarchyError(
            f"The members of '{shorten(name)}' must be next to each other below one group: choose among the children "
            f"of one group, or put them below the same group first."
        )
    return _tree(tree, {**parents, **dict.fromkeys(members, name), name: parent})


def remove_group(tree: Hierarchy, group: str) -> Hierarchy:
    """Remove a group. Its children go to its parent.

    >>> remove_group(Hierarchy.from_tree({"*": {"drinks": ["beer"], "food": ["rice"]}}), "drinks").parents_by_label()
    {'beer': '*', 'rice': 'food', 'food': '*', '*': None}
    """
    _known(tree, group)
    if tree.code_of[group] < tree.n_leaves:
        raise HierarchyError(f"'{shorten(group)}' is an item: only groups can be removed, so that no item gets lost.")
    if tree.code_of[group] == tree.root:
        raise HierarchyError(f"'{shorten(group)}' is the top of the hierarchy, and a hierarchy needs one: rename it.")
    parents = tree.parents_by_label()
    above = parents.pop(group)
    return _tree(tree, {label: above if parent == group else parent for label, parent in parents.items()})


def remove_single_groups(tree: Hierarchy) -> Hierarchy:
    """Remove the groups that have one child, which say no more than that child. The root stays.

    >>> remove_single_groups(Hierarchy.from_tree({"*": {"A": {"B": ["a", "b"]}, "C": ["c"]}})).parents_by_label()
    {'a': 'B', 'b': 'B', 'c': '*', 'B': '*', '*': None}
    """
    short = tree.without_chains()[0]
    parents = short.parents_by_label()
    below = [label for label, parent in parents.items() if parent == short.labels[-1]]
    if len(below) == 1 and short.code_of[below[0]] >= short.n_leaves:
        return remove_group(_tree(tree, parents), below[0])
    return _tree(tree, parents)


def add_items(tree: Hierarchy, items: Iterable[str], parent: str) -> Hierarchy:
    """Put items that the tree lacks below a group.

    >>> add_items(Hierarchy.from_tree({"*": {"drinks": ["beer"]}}), ["ale"], "drinks").items
    ('ale', 'beer')
    """
    _known(tree, parent)
    _refuse_item(tree, parent)
    parents = tree.parents_by_label()
    for item in items:
        if not item.strip():
            raise HierarchyError("An item cannot have a blank label: leave it out of the data.")
        if item in parents:
            raise HierarchyError(f"'{shorten(item)}' is in the hierarchy already: choose others.")
        parents[item] = parent
    return _tree(tree, parents)


def add_items_below_groups(tree: Hierarchy, labels: Iterable[str]) -> Hierarchy:
    """Make room for items that have the name of a group: the group gets another name, the item goes below it.

    >>> add_items_below_groups(Hierarchy.from_tree({"*": {"milk": ["oat milk"]}}), ["milk"]).parents_by_label()
    {'milk': 'milk:group', 'oat milk': 'milk:group', 'milk:group': '*', '*': None}
    """
    chosen = list(labels)
    for label in chosen:
        _refuse_no_group(tree, label)
    names = group_names(chosen, tree.labels)
    renamed = {
        names.get(label, label): parent if parent is None else names.get(parent, parent)
        for label, parent in tree.parents_by_label().items()
    }
    return _tree(tree, {**renamed, **{str(label): name for label, name in names.items()}})


def without_items(tree: Hierarchy, items: Collection[str]) -> Hierarchy:
    """Leave out items, and the groups that have none left. At least one item stays.

    >>> without_items(Hierarchy.from_tree({"*": {"A": ["a"], "B": ["b"]}}), ["b"]).labels
    ('a', 'A', '*')
    """
    if set(tree.items) <= set(items):
        raise HierarchyError("No item of the hierarchy would be left: keep at least one.")
    return _tree(tree, tree.without_items(items).parents_by_label())


def check_name(tree: Hierarchy, name: str, marks: str = "", as_read: Reading = str) -> None:
    """Refuse a name that a new group cannot have.

    ``marks`` separate items in the data: a published label with one of them would be read as two. ``as_read`` returns
    how a label is read after it was published: for several columns of sets, with the tag of a column.

    >>> check_name(Hierarchy.flat(["milk", "rice"]), "milk; rice", marks=";")
    Traceback (most recent call last):
    shoal.errors.HierarchyError: 'milk; rice' contains ';', which separates items in the data: use another character.
    """
    shown = f"'{shorten(name)}'"
    if not name.strip():
        raise HierarchyError("The name of a group cannot be blank: write one.")
    if name != name.strip():
        raise HierarchyError(f"{shown} starts or ends with a space, which readers cannot see: remove it.")
    if len(name) > LONGEST:
        raise HierarchyError(f"{shown} has {len(name):,} characters: use at most {LONGEST}.")
    if not name.isprintable():
        raise HierarchyError(f"{shown} contains a line break or another invisible character: remove it.")
    if name in tree.code_of:
        what = "an item" if tree.code_of[name] < tree.n_leaves else "a group"
        raise HierarchyError(f"{shown} is {what} of this hierarchy already, and labels must be unique: use another.")
    if mark := next((one for one in marks if one in name), ""):
        called = {" ": "a space", "\t": "a tab"}.get(mark, f"'{mark}'")
        raise HierarchyError(f"{shown} contains {called}, which separates items in the data: use another character.")
    if set_members(name):
        raise HierarchyError(f"{shown} looks like a set of labels: leave out the brackets.")
    if as_read(name) != name:
        raise HierarchyError(
            f"{shown} would be read as '{shorten(as_read(name))}' after it was published: start it with the name of "
            f"its column and a dot."
        )


def _known(tree: Hierarchy, label: str) -> None:
    """Refuse a label that the tree does not have."""
    if label not in tree.code_of:
        hint = did_you_mean(label, tree.labels)
        raise HierarchyError(f"'{shorten(label)}' is not in the hierarchy{hint}: use a label as the tree shows it.")


def _refuse_no_group(tree: Hierarchy, group: str) -> None:
    """Refuse an item, or an unknown label, where a group gets another name."""
    _known(tree, group)
    if tree.code_of[group] < tree.n_leaves:
        raise HierarchyError(f"'{shorten(group)}' is an item: the data use its label, so it cannot be renamed.")


def _refuse_item(tree: Hierarchy, parent: str) -> None:
    """Refuse an item as a parent."""
    if tree.code_of[parent] < tree.n_leaves:
        raise HierarchyError(
            f"'{shorten(parent)}' is an item, and nothing can be below an item: choose a group, or add one."
        )


def _without_empty(tree: Hierarchy, parents: dict[str, str | None]) -> dict[str, str | None]:
    """Leave out groups of the tree that have no children left, and those that then have none."""
    items = set(tree.items)
    while empty := (parents.keys() - set(parents.values())) - items:
        parents = {label: parent for label, parent in parents.items() if label not in empty}
    return parents


def _tree(tree: Hierarchy, parents: dict[str, str | None]) -> Hierarchy:
    """Return the changed tree under the name of the old one."""
    return Hierarchy.from_parents(parents, tree.name)
