"""Makes and changes the hierarchies of a project. The input that a copy was made of never changes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal import hierarchies, io
from shoal.data import Hierarchy
from shoal.errors import InputError
from shoal.hierarchies.build import over
from shoal.hierarchies.from_table import check_levels
from shoal.hierarchies.repair import repair
from shoal.hierarchies.suggest_levels import suggest_levels
from shoal.web.tasks import hierarchy_versions as versions
from shoal.web.tasks.data import found
from shoal.web.tasks.hierarchy import Spec, rows_of, view
from shoal.web.tasks.hierarchy_edits import changed
from shoal.web.tasks.hierarchy_versions import History, history_of, is_own
from shoal.web.words import in_page
from shoal.web.worker import Session, file_key

LARGEST = 10_000_000  # bytes of a file that is looked into without being asked
MOSTLY = 0.9  # of the items must be in a table that is offered without being asked for
MANY = 20  # times as many labels as items: numbers that mean something else
TEXT = (".csv", ".tsv", ".txt", ".json")


def recognize(
    session: Session, data: dict[str, Any], of: str, missing: list[str], file: str, asked: bool = True
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
    if table is not None and (asked or _fits(table, items)):
        return {"kind": "table", "items": len(items), **table}
    return {"kind": "other", "problems": len(problems)}


def _fits(table: dict[str, Any], items: set[str]) -> bool:
    """Return whether a table is probably about these items, and does not just hold the same numbers."""
    leaves = next((one for one in table["columns"] if one["name"] in table["levels"][:1]), None)
    return leaves is not None and leaves["covered"] >= MOSTLY * len(items) and leaves["labels"] <= MANY * len(items)


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
        tree, findings, name = fixed.hierarchy, [in_page(one) for one in fixed.done[:100]], Path(spec["file"]).stem
        made = f"A repaired copy of {Path(spec['file']).name}"
    path = versions.new_path(folder, name)
    versions.write(tree, path)
    versions.note(path, {"made": made, "findings": findings, "from": None, "steps": []})
    return {"file": str(path)}


def _build(session: Session, data: dict[str, Any], of: str, spec: Spec, how: dict[str, Any]) -> Hierarchy:
    """Build a hierarchy over the labels of a subject."""
    rows, origin = rows_of(session, data, of, spec.get("missing")), found(session, data).data.origin
    supports = dict(zip(rows.labels, rows.supports.tolist(), strict=True))
    supports = {label: count for label, count in supports.items() if count}
    if not supports:
        raise InputError("There are no labels to group: look at the step Data.")
    session.progress("building a hierarchy", 0.0)

    def built(lengths: Sequence[int]) -> Hierarchy:
        return over(
            supports,
            how["by"],
            fanout=how.get("fanout", 5),
            seed=how.get("seed", 0),
            lengths=lengths or None,
            marks=origin.marks,
            columns=origin.set_columns if of == "items" else (),
        )

    tree = built(how.get("lengths", ()))
    if how["by"] == "prefix" and not how.get("lengths") and len(tree) == tree.n_leaves + 1:
        tree = built(range(1, max(map(len, supports))))  # codes without separators: every beginning that several share
    if len(tree) == tree.n_leaves + 1 and len(supports) > how.get("fanout", 5):
        raise InputError("No two labels begin alike, so there is nothing to group by: build the groups in another way.")
    return tree


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
    return summary.hierarchy, [_told(one) for one in summary.sentences()]


def _told(sentence: str) -> str:
    """Return what was done about a problem of a table in the words of the form."""
    for argument, words in _WORDS.items():
        sentence = sentence.replace(argument, words)
    return in_page(sentence)


_WORDS = {
    "several_parents='split' splits them instead": "with a group for each parent, they are split instead",
    "unless unknown_items='group' puts them below a group of their own": "unless they get groups of their own",
}


def change(
    session: Session,
    data: dict[str, Any],
    of: str,
    spec: Spec,
    folder: str,
    edit: dict[str, Any],
    used: bool = False,
    ticket: str = "",
) -> dict[str, Any]:
    """Change the tree of a subject.

    The project's own copy is replaced, unless a run has ``used`` it: each run can be repeated. Of anything else, a copy
    is made first.
    """
    seen = view(session, data, of, spec)
    if seen is None or seen.state not in ("file", "built"):
        raise InputError("There is no hierarchy to change: choose or build one first.")
    tree, said, at = changed(session, data, of, seen, edit)
    path, own = Path(spec.get("file") or f"{folder}/items-built.csv"), is_own(spec.get("file", ""), folder)
    if own:
        path = versions.fork(path) if used else path
        history = history_of(str(path))
        saved = versions.keep_version(path, history)
        history["steps"].append({"file": saved, "said": said})
        versions.drop_old(path, history)
    else:
        path = versions.new_path(folder, path.name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[0])
        history = {"made": "", "findings": [], "from": {"file": spec.get("file", ""), "format": spec.get("format", "")}}
        history["made"] = f"A copy of {Path(spec['file']).name}" if spec.get("file") else "A copy of what Shoal builds"
        history["steps"] = [{"file": "", "said": said}]
    versions.write(tree, path)
    versions.note(path, history)
    return {"file": str(path), "at": tree.code_of.get(at, -1), "said": said}


def undo(session: Session, file: str, folder: str, used: bool = False, ticket: str = "") -> dict[str, Any]:
    """Take back the last change of a hierarchy. Returns what to use then: the file, or what the copy was made of."""
    if not is_own(file, folder) or not (history := history_of(file))["steps"]:
        raise InputError("There is no change to take back.")
    last = history["steps"].pop()
    if not last["file"]:
        return {"file": "", "from": history["from"], "said": last["said"]}
    path = versions.fork(Path(file)) if used else Path(file)
    versions.restore(path, last["file"])
    versions.note(path, history)
    return {"file": str(path), "from": None, "said": last["said"]}


def history(session: Session, file: str, folder: str) -> History | None:
    """Return how a hierarchy of the project was made and what was changed. None: it is not the project's own."""
    return history_of(file) if is_own(file, folder) else None


def discard(session: Session, file: str, folder: str, ticket: str = "") -> None:
    """Delete a copy whose only change was taken back."""
    if is_own(file, folder):
        versions.delete(Path(file))
