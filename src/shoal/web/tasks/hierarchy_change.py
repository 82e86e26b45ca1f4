"""Makes and changes the hierarchies of a project: files in its folder, with the versions before each change.

``hierarchies/NAME.csv`` is the file that runs read. ``hierarchies/history/NAME.csv.json`` says how it was made and what
was changed, and ``hierarchies/history/NAME.csv/0001.csv`` is what it was before the first change. The input that a copy
was made of never changes.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal import hierarchies, io
from shoal.data import Hierarchy
from shoal.errors import HierarchyError, InputError, OptionError, shorten
from shoal.files import atomic_output
from shoal.hierarchies import edit as edits
from shoal.hierarchies.build import over
from shoal.hierarchies.formats import read_draft
from shoal.hierarchies.from_table import check_levels
from shoal.hierarchies.repair import repair
from shoal.hierarchies.suggest_levels import suggest_levels
from shoal.report.formatting import count_noun
from shoal.web.tasks.data import found
from shoal.web.tasks.hierarchy import Spec, View, rows_of, view
from shoal.web.worker import Session, file_key
from shoal.web.workspace import project_name

VERSIONS = 20  # that can be undone
LARGEST = 50_000_000  # bytes of a file that is looked into without being asked
MOSTLY = 0.9  # of the items must be in a table that is offered without being asked for
TEXT = (".csv", ".tsv", ".txt", ".json")
History = dict[str, Any]


def recognize(
    session: Session, data: dict[str, Any], of: str, missing: list[str], file: str, stamp: str = "", asked: bool = True
) -> dict[str, Any]:
    """Say whether a file is a hierarchy of the subject, or a table from which one can be made."""
    items = set(rows_of(session, data, of, missing).used_labels)
    if not asked and os.path.getsize(file) > LARGEST:
        return {"kind": "large"}
    problems: list[str] = []
    if Path(file.removesuffix(".gz").removesuffix(".zst")).suffix.lower() in TEXT:
        problems = hierarchies.problems(file)
        if not problems:
            covered = len(items.intersection(hierarchies.load(file).items))
            if covered:
                return {"kind": "hierarchy", "covered": covered, "items": len(items)}
    table = _table_columns(session, file, items)
    covered = max((one["covered"] for one in table["columns"]), default=0) if table is not None else 0
    if table is not None and (asked or (table["levels"] and covered >= MOSTLY * len(items))):
        return {"kind": "table", "items": len(items), **table}
    return {"kind": "other", "problems": len(problems)}


def _table_columns(session: Session, file: str, items: set[str]) -> dict[str, Any] | None:
    """Return the columns of a table with those that are probably the levels, or None if it is no table."""

    def make() -> dict[str, Any] | None:
        try:
            columns, levels = suggest_levels(io.read_table(file), items)
        except InputError:
            return None
        return {"columns": [asdict(one) for one in columns], "levels": levels}

    session.progress("reading the table", 0.0)
    kept: dict[str, Any] | None = session.keep(f"columns of {file}", [file_key(file), len(items)], make)
    return kept


def make(
    session: Session, data: dict[str, Any], of: str, spec: Spec, folder: str, how: dict[str, Any], ticket: str = ""
) -> dict[str, Any]:
    """Make a hierarchy, write it to the folder under a new name, and return its path."""
    findings: list[str] = []
    if how["kind"] == "build":
        tree, name = _build(session, data, of, spec, how), f"{of.partition('.')[2] or 'items'}-by-{how['by']}"
        made = f"Built from your data, by {how['by']}"
    elif how["kind"] == "table":
        tree, findings = _of_table(session, data, of, spec, how)
        name, made = (
            Path(how["file"]).stem,
            f"Made of the columns {', '.join(how['levels'])} of {Path(how['file']).name}",
        )
    else:
        fixed = repair(spec["file"], format=spec.get("format") or None)
        tree, findings, name = fixed.hierarchy, list(fixed.done[:100]), Path(spec["file"]).stem
        made = f"A repaired copy of {Path(spec['file']).name}"
    path = _new_path(folder, name)
    _write(tree, path)
    _note(path, {"made": made, "findings": findings, "from": None, "steps": []})
    return {"file": str(path)}


def _build(session: Session, data: dict[str, Any], of: str, spec: Spec, how: dict[str, Any]) -> Hierarchy:
    """Build a hierarchy over the labels of a subject."""
    rows, origin = rows_of(session, data, of, spec.get("missing")), found(session, data).data.origin
    supports = dict(zip(rows.labels, rows.supports.tolist(), strict=True))
    supports = {label: count for label, count in supports.items() if count}
    if not supports:
        raise InputError("There are no labels to group: look at the step Data.")
    session.progress("building a hierarchy", 0.0)
    return over(
        supports,
        how["by"],
        fanout=how.get("fanout", 5),
        seed=how.get("seed", 0),
        lengths=how.get("lengths") or None,
        marks=origin.marks,
        columns=origin.set_columns if of == "items" else (),
    )


def _of_table(
    session: Session, data: dict[str, Any], of: str, spec: Spec, how: dict[str, Any]
) -> tuple[Hierarchy, list[str]]:
    """Make a hierarchy of a table's columns, and say what was done about problems of the table."""
    rows = rows_of(session, data, of, spec.get("missing"))
    check_levels(how["levels"], "The levels")
    session.progress("reading the table", 0.0)
    table = io.read_table(how["file"], how["levels"])
    session.progress("building a hierarchy", 0.0)
    summary = hierarchies.from_table_with_summary(
        table,
        how["levels"],
        several_parents=how.get("several_parents", "most-frequent"),
        items=dict(zip(rows.labels, rows.supports.tolist(), strict=True)),
        only_used=how.get("only_used", False),
        unknown_items=how.get("unknown_items", "group"),
        name=Path(how["file"]).name,
    )
    return summary.hierarchy, [_in_words_of_the_page(one) for one in summary.sentences()]


def _in_words_of_the_page(sentence: str) -> str:
    """Return what was done about a problem without the names of arguments."""
    for argument, words in _WORDS.items():
        sentence = sentence.replace(argument, words)
    return sentence


_WORDS = {
    " (several_parents='split' splits them instead)": " (with a group for each parent, they are split instead)",
    "unknown_items='group'": "the choice 'in groups of their own'",
}


def change(
    session: Session,
    data: dict[str, Any],
    of: str,
    spec: Spec,
    folder: str,
    edit: dict[str, Any],
    ticket: str = "",
) -> dict[str, Any]:
    """Change the tree of a subject. The project's own copy is replaced; of anything else, a copy is made first."""
    seen = view(session, data, of, spec)
    if seen is None or seen.state == "levels":
        raise InputError("There is no hierarchy to change: choose or build one first.")
    tree, said, at = _changed(session, data, of, seen, edit)
    path, own = Path(spec.get("file") or f"{folder}/items-built.csv"), is_own(spec.get("file", ""), folder)
    if own:
        history = history_of(str(path))
        saved = _keep_version(path, history)
        history["steps"].append({"file": saved, "said": said})
        _drop_old(path, history)
    else:
        path = _new_path(folder, path.name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[0])
        history = {"made": "", "findings": [], "from": {"file": spec.get("file", ""), "format": spec.get("format", "")}}
        history["made"] = f"A copy of {Path(spec['file']).name}" if spec.get("file") else "A copy of what Shoal builds"
        history["steps"] = [{"file": "", "said": said}]
    _write(tree, path)
    _note(path, history)
    return {"file": str(path), "at": tree.code_of.get(at, -1), "said": said}


def undo(session: Session, file: str, folder: str, ticket: str = "") -> dict[str, Any]:
    """Take back the last change of a hierarchy. Returns what to use then: the file, or what the copy was made of."""
    if not is_own(file, folder) or not (history := history_of(file))["steps"]:
        raise InputError("There is no change to take back.")
    path, last = Path(file), history["steps"].pop()
    if not last["file"]:
        return {"file": "", "from": history["from"], "said": last["said"]}
    os.replace(_versions(path) / last["file"], path)
    os.utime(path)  # a new version, although its content was there before
    _note(path, history)
    return {"file": file, "from": None, "said": last["said"]}


def history(session: Session, file: str, folder: str, stamp: str = "") -> History | None:
    """Return how a hierarchy of the project was made and what was changed. None: it is not the project's own."""
    return history_of(file) if is_own(file, folder) else None


def discard(session: Session, file: str, folder: str, ticket: str = "") -> None:
    """Delete a copy whose only change was taken back."""
    path = Path(file)
    if is_own(file, folder):
        path.unlink(missing_ok=True)
        _record(path).unlink(missing_ok=True)
        shutil.rmtree(_versions(path), ignore_errors=True)


def is_own(file: str, folder: str) -> bool:
    """Return whether a file is the project's own, which may be replaced."""
    return bool(file) and Path(file).parent == Path(folder)


def history_of(file: str) -> History:
    """Return how a hierarchy was made and what was changed, or an empty history."""
    try:
        history: History = json.loads(_record(Path(file)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"made": "", "findings": [], "from": None, "steps": []}
    return history


def _changed(
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
    if edit["what"] == "move" and gone:
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


def _remove(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    tree = edits.remove_group(seen.tree, labels[0])
    above = seen.tree.labels[int(seen.tree.parent[seen.tree.code_of[labels[0]]])]
    return tree, f"The group {_quoted(labels)} was removed.", above


def _add(seen: View, labels: list[str], name: str, parent: str, style: Style) -> tuple[Hierarchy, str, str]:
    if not labels:
        raise HierarchyError("Choose what to put below the group.")
    unknown = [label for label in labels if label not in set(seen.rows.labels)]
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
    tree = seen.tree
    if not labels:
        raise HierarchyError("Choose a group.")
    for label in labels:
        tree = edits.add_item_below_its_group(tree, label)
    return tree, f"{_quoted(labels)} became an item, and its group got another name.", labels[0]


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


def _new_path(folder: str, wish: str) -> Path:
    """Return a path in the folder that is free."""
    name = project_name(wish) if wish else "hierarchy"
    paths = (Path(folder) / f"{name}{f'-{number}' if number > 1 else ''}.csv" for number in range(1, 10_000))
    return next(path for path in paths if not os.path.lexists(path))


def _write(tree: Hierarchy, path: Path) -> None:
    """Write a hierarchy, if it is read back as it is."""
    _versions(path).mkdir(parents=True, exist_ok=True)
    new = _versions(path) / "new.csv"
    try:
        hierarchies.save(tree, new, format="arx")
        draft = read_draft(new)
        if draft.problems() or draft.hierarchy().parents_by_label() != tree.parents_by_label():
            raise HierarchyError(
                "This hierarchy cannot be written so that it is read back the same: give groups names that are not "
                "blank and start with a letter."
            )
        os.replace(new, path)
        _touch_later(path)
    finally:
        new.unlink(missing_ok=True)


def _touch_later(path: Path) -> None:
    """Give a file a time of its own, so that its version differs from the one before."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


def _keep_version(path: Path, history: History) -> str:
    """Copy a file to its versions, and return the name of the copy."""
    _versions(path).mkdir(parents=True, exist_ok=True)
    last = max((int(Path(step["file"]).stem) for step in history["steps"] if step["file"]), default=0)
    name = f"{last + 1:04d}.csv"
    with atomic_output(_versions(path) / name) as file:
        file.write(path.read_bytes())
    return name


def _drop_old(path: Path, history: History) -> None:
    """Forget the oldest versions if there are too many."""
    while len(history["steps"]) > VERSIONS:
        old = history["steps"].pop(0)
        if old["file"]:
            (_versions(path) / old["file"]).unlink(missing_ok=True)


def _note(path: Path, history: History) -> None:
    """Write the history of a hierarchy."""
    with atomic_output(_record(path)) as file:
        file.write(json.dumps(history, ensure_ascii=False, indent=1).encode())


def _versions(path: Path) -> Path:
    """Return the folder of the versions of a hierarchy."""
    return path.parent / "history" / path.name


def _record(path: Path) -> Path:
    """Return the file of the history of a hierarchy."""
    return path.parent / "history" / f"{path.name}.json"
