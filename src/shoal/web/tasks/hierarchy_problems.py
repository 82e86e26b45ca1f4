"""The problems of a hierarchy, each with its places in the tree and with edits that solve it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from shoal import hierarchies
from shoal.data import Hierarchy, Transactions
from shoal.report.formatting import count_noun

PLACES = 10  # that a problem shows
_HINT = (" (did you mean '", "'?)")
Edit = dict[str, Any]  # the fields of a form: what, label, parent, name


@dataclass(frozen=True)
class Place:
    """A label of the tree, or of the data (then it has no node)."""

    label: str
    node: int = -1
    note: str = ""
    button: str = ""
    edit: Edit = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """A problem, what it means, and edits that solve it. ``harmful``: a run would stop."""

    title: str
    text: str
    harmful: bool = True
    places: tuple[Place, ...] = ()
    more: int = 0
    fixes: tuple[tuple[str, Edit], ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return plain values."""
        places = [one.__dict__ for one in self.places]
        return {**self.__dict__, "places": places, "fixes": [list(one) for one in self.fixes]}


def find_problems(
    tree: Hierarchy,
    rows: Transactions,
    state: str,
    as_read: Callable[[str], str] | None = None,
    sensitive: Collection[str] = (),
) -> list[Problem]:
    """Return what is wrong with a hierarchy and the data, what stops a run first."""
    if state != "file":
        return []
    checked = hierarchies.check(tree, rows)
    found = [
        _missing(tree, rows, [one for one in checked.missing if one.label not in sensitive]),
        _groups(tree, checked.items_that_are_groups),
        _misread(tree, as_read),
        _flat(tree),
        _single(tree),
        _unused(tree, checked.unused),
    ]
    return [one for one in found if one is not None]


def _missing(tree: Hierarchy, rows: Transactions, missing: list[hierarchies.Missing]) -> Problem | None:
    """Find labels of the data that the tree lacks."""
    if not missing:
        return None
    root = tree.labels[-1]
    places = []
    for one in missing[:PLACES]:
        near = one.hint.removeprefix(_HINT[0]).removesuffix(_HINT[1])
        note = f"in {count_noun(one.records, 'record')}"
        if near in tree.code_of and abs(len(near) - len(one.label)) < 2:  # a misspelling, not another word
            parent = tree.labels[int(tree.parent[tree.code_of[near]])]
            edit = {"what": "add", "label": [one.label], "parent": parent}
            places.append(Place(one.label, tree.code_of[near], f"{note}; looks like '{near}'", "Put it beside", edit))
        else:
            places.append(Place(one.label, -1, note))
    name, single = _free(tree, "other"), len(missing) == 1
    if len(missing) == len(rows.used_labels):
        return Problem(
            title="Nothing of your data is in this hierarchy",
            text="It probably belongs to other data, or spells labels in another way. Choose or build another one.",
            places=tuple(places),
            more=len(missing) - len(places),
        )
    return Problem(
        title=f"{count_noun(len(missing), 'label')} of your data {'has' if single else 'have'} no place",
        text=(
            f"A run would stop, because it needs to know what stands above. Choose a group in the tree and put "
            f"{'it' if single else 'them'} below, or use one of these buttons."
        ),
        places=tuple(places),
        more=len(missing) - len(places),
        fixes=(
            (f"Put all into a new group '{name}'", {"what": "add_all", "name": name, "parent": root}),
            (f"Put all directly below '{root}'", {"what": "add_all", "parent": root}),
        ),
    )


def _groups(tree: Hierarchy, labels: tuple[str, ...]) -> Problem | None:
    """Find items of the data that are groups of the tree."""
    if not labels:
        return None
    places = [
        Place(label, tree.code_of[label], "", "Put the item below", {"what": "item_of_group", "label": [label]})
        for label in labels[:PLACES]
    ]
    return Problem(
        title=f"{count_noun(len(labels), 'label')} of your data {'is' if len(labels) == 1 else 'are'} also a group",
        text="A label cannot be both. The repair calls the group 'NAME:group' and puts the item below it.",
        places=tuple(places),
        more=len(labels) - len(places),
        fixes=(("Repair all", {"what": "item_of_group"}),),
    )


def _misread(tree: Hierarchy, as_read: Callable[[str], str] | None) -> Problem | None:
    """Find groups that readers of the release would take for something else."""
    if as_read is None:
        return None
    wrong = [node for node in range(tree.n_leaves, len(tree)) if as_read(tree.labels[node]) != tree.labels[node]]
    if not wrong:
        return None
    return Problem(
        title=f"{count_noun(len(wrong), 'group')} would be read under another name",
        text="Your data have several columns of sets: start the name of a group with its column and a dot.",
        places=tuple(
            Place(tree.labels[node], node, f"would be read as '{as_read(tree.labels[node])}'")
            for node in wrong[:PLACES]
        ),
        more=max(0, len(wrong) - PLACES),
    )


def _flat(tree: Hierarchy) -> Problem | None:
    """Find a tree without groups."""
    if not tree.is_flat or tree.n_leaves < 3:
        return None
    return Problem(
        title="There are no groups",
        text=(
            f"Everything is directly below '{tree.labels[-1]}', so a label is published as it is or not at all. Add "
            f"groups, or build another hierarchy."
        ),
        harmful=False,
    )


def _single(tree: Hierarchy) -> Problem | None:
    """Find groups that have one child."""
    single = [node for node in range(tree.n_leaves, len(tree)) if len(tree.children[node]) == 1]
    single = [node for node in single if node != tree.root or tree.children[node][0] >= tree.n_leaves]
    if not single:
        return None
    return Problem(
        title=f"{count_noun(len(single), 'group')} with a single child",
        text="Such a group says no more than its child. It does no harm: without it, the tree is easier to read.",
        harmful=False,
        places=tuple(Place(tree.labels[node], node) for node in single[:PLACES]),
        more=max(0, len(single) - PLACES),
        fixes=(("Remove them" if len(single) > 1 else "Remove it", {"what": "single"}),),
    )


def _unused(tree: Hierarchy, labels: tuple[str, ...]) -> Problem | None:
    """Find items that no record has."""
    if not labels or len(labels) == tree.n_leaves:
        return None
    shown = labels[:PLACES]
    return Problem(
        title=f"{count_noun(len(labels), 'label')} of the hierarchy {'is' if len(labels) == 1 else 'are'} in no record",
        text=(
            "This is no error: such groups hide which of their items occur in your data. Leave them out if they only "
            "make the tree longer."
        ),
        harmful=False,
        places=tuple(Place(label, tree.code_of[label]) for label in shown),
        more=len(labels) - len(shown),
        fixes=(("Leave them out", {"what": "unused"}),),
    )


def _free(tree: Hierarchy, name: str) -> str:
    """Return a name that is free."""
    names = [name, *(f"{name} {number}" for number in range(2, len(tree) + 3))]
    return next(one for one in names if one not in tree.code_of)
