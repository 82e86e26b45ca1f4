"""The edits of a form: each takes a hierarchy and what was filled in, and says in a sentence what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal import hierarchies
from shoal.data import Hierarchy
from shoal.errors import HierarchyError, OptionError, shorten
from shoal.hierarchies import edit as edits
from shoal.report.formatting import count_noun
from shoal.web.tasks.data import found
from shoal.web.tasks.hierarchy import View
from shoal.web.worker import Session


def changed(
    session: Session, data: dict[str, Any], of: str, seen: View, edit: dict[str, Any]
) -> tuple[Hierarchy, str, str]:
    """Return the changed tree, what was done, and the label to look at."""
    labels, name, parent = list(edit.get("label", [])), str(edit.get("name", "")).strip(), str(edit.get("parent", ""))
    if edit["what"] not in _EDITS:
        raise OptionError("This change is not known: reload the page.")
    origin = found(session, data).data.origin
    style = (origin.marks, origin.as_read) if of == "items" else ("", str)
    tree, said, at = _EDITS[edit["what"]](seen, labels, name, parent, style)
    gone = [label for label in seen.tree.labels[seen.tree.n_leaves :] if label not in tree.code_of]
    if edit["what"] in ("move", "arrange") and gone:
        said += f" {_quoted(gone)} had nothing left below and went away."
    return tree, said, at


Style = tuple[str, Callable[[str], str]]


def _move(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    if not labels:
        raise HierarchyError("Choose what to move.")
    return edits.move(seen.tree, labels, parent), f"{_quoted(labels)} went below '{shorten(parent)}'.", labels[0]


def _rename(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = edits.rename(seen.tree, labels[0], name, *style)
    return tree, f"{_quoted(labels)} is now '{shorten(name)}'.", name


def _group(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = edits.add_group(seen.tree, name, labels, *style)
    return tree, f"The new group '{shorten(name)}' holds {_quoted(labels)}.", name


def _arrange(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    """Put nodes into a new group or below another one, as one of the two fields says."""
    if bool(name) == bool(parent):
        raise HierarchyError("Write either the name of a new group, or that of a group that exists.")
    return (_group if name else _move)(seen, labels, name, parent, style)


def _remove(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = edits.remove_group(seen.tree, labels[0])
    above = seen.tree.labels[int(seen.tree.parent[seen.tree.code_of[labels[0]]])]
    return tree, f"The group {_quoted(labels)} was removed.", above


def _add(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    if not labels:
        raise HierarchyError("Choose what to put below the group.")
    known = set(seen.rows.labels)
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise HierarchyError(f"{_quoted(unknown)} is not in your data: reload the page.")
    return edits.add_items(seen.tree, labels, parent), f"{_quoted(labels)} went below '{shorten(parent)}'.", labels[0]


def _add_all(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = seen.tree
    missing = [label for label in seen.rows.used_labels if label not in tree.code_of]
    if not missing:
        raise HierarchyError("Every item has a place already.")
    tree = edits.add_items(tree, missing, parent)
    if name:
        tree = edits.add_group(tree, name, missing, *style)
    return tree, f"{count_noun(len(missing), 'missing label')} went below '{shorten(name or parent)}'.", name or parent


def _item_of_group(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    labels = labels or list(hierarchies.check(seen.tree, seen.rows).items_that_are_groups)
    if not labels:
        raise HierarchyError("No item of your data is a group here.")
    tree = edits.add_items_below_groups(seen.tree, labels)
    return tree, f"{_quoted(labels)} became an item below a group of another name.", labels[0]


def _single(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = edits.remove_single_groups(seen.tree)
    gone = len(seen.tree) - len(tree)
    return tree, f"{count_noun(gone, 'group')} with a single child went away.", ""


def _unused(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    unused = hierarchies.check(seen.tree, seen.rows).unused
    tree = edits.without_items(seen.tree, unused)
    return tree, f"{count_noun(len(unused), 'item')} that no record has went away.", ""


_EDITS: dict[str, Callable[[View, list[str], str, str, Style], tuple[Hierarchy, str, str]]] = {
    "move": _move,
    "rename": _rename,
    "group": _group,
    "arrange": _arrange,
    "remove": _remove,
    "add": _add,
    "add_all": _add_all,
    "item_of_group": _item_of_group,
    "single": _single,
    "unused": _unused,
}


def _quoted(labels: list[str]) -> str:
    """Return a few labels as a sentence shows them."""
    shown = ", ".join(f"'{shorten(label)}'" for label in labels[:3])
    return shown + (f" and {len(labels) - 3:,} more" if len(labels) > 3 else "")
