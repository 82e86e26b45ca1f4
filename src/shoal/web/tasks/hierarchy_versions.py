"""The files of a project's own hierarchies, with how each was made and the versions before each change.

``hierarchies/NAME.csv`` is the file that runs read. ``hierarchies/history/NAME.csv.json`` says how it was made and what
was changed, and ``hierarchies/history/NAME.csv/0001.csv`` is what it was before the first change.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

from shoal import hierarchies
from shoal.data import Hierarchy
from shoal.errors import HierarchyError, OutputError
from shoal.files import atomic_output
from shoal.hierarchies.formats import read_draft
from shoal.web.workspace import project_name

VERSIONS = 20  # that can be undone
History = dict[str, Any]
_VERSION = re.compile(r"[0-9]{4,9}\.csv")


def is_own(file: str, folder: str) -> bool:
    """Return whether a file is the project's own, which may be replaced."""
    return bool(file) and Path(file).parent == Path(folder)


def history_of(file: str) -> History:
    """Return how a hierarchy was made and what was changed, or an empty history.

    A history that names other files than versions is damaged, or made to delete or move them: it does not count.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        history: History = json.loads(_record(Path(file)).read_text(encoding="utf-8"))
        if all(not step["file"] or _VERSION.fullmatch(step["file"]) for step in history["steps"]):
            return history
    return {"made": "", "findings": [], "from": None, "steps": []}


def fork(path: Path) -> Path:
    """Copy a hierarchy with its history under a new name."""
    new = new_path(str(path.parent), re.sub(r"-\d+$", "", path.stem))
    shutil.copy2(path, new)
    if _versions(path).is_dir():
        shutil.copytree(_versions(path), _versions(new))
    note(new, history_of(str(path)))
    return new


def new_path(folder: str, wish: str) -> Path:
    """Return a path in the folder that is free."""
    name = project_name(wish) if wish else "hierarchy"
    paths = (Path(folder) / f"{name}{f'-{number}' if number > 1 else ''}.csv" for number in range(1, 10_000))
    return next(path for path in paths if not os.path.lexists(path))


def write(tree: Hierarchy, path: Path) -> None:
    """Write a hierarchy, if it is read back as it is."""
    _make_folder(_versions(path))
    new = _versions(path) / "new.csv"
    try:
        hierarchies.save(tree, new, format="arx")
        draft = read_draft(new)
        if draft.problems() or draft.hierarchy().parents_by_label() != tree.parents_by_label():
            raise HierarchyError(
                "This hierarchy cannot be written so that it is read back the same: give groups names that are not "
                "blank and start with a letter."
            )
        os.chmod(new, 0o600)
        os.replace(new, path)
        _touch(path)
    finally:
        new.unlink(missing_ok=True)


def _touch(path: Path) -> None:
    """Give a file a time of its own, so that its version differs from the one before."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


def keep_version(path: Path, history: History) -> str:
    """Copy a file to its versions, and return the name of the copy."""
    _make_folder(_versions(path))
    last = max((int(Path(step["file"]).stem) for step in history["steps"] if step["file"]), default=0)
    name = f"{last + 1:04d}.csv"
    with atomic_output(_versions(path) / name, private=True) as file:
        file.write(path.read_bytes())
    return name


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it. One that is a link could lead out of the workspace."""
    if folder.resolve() != Path.cwd().resolve() / folder:
        raise OutputError(f"{folder} is, or is below, a link to another place: delete the link.")
    folder.mkdir(parents=True, exist_ok=True)


def drop_old(path: Path, history: History) -> None:
    """Forget the oldest versions if there are too many."""
    while len(history["steps"]) > VERSIONS:
        old = history["steps"].pop(0)
        if old["file"]:
            (_versions(path) / old["file"]).unlink(missing_ok=True)


def note(path: Path, history: History) -> None:
    """Write the history of a hierarchy."""
    with atomic_output(_record(path), private=True) as file:
        file.write(json.dumps(history, ensure_ascii=False, indent=1).encode())


def _versions(path: Path) -> Path:
    """Return the folder of the versions of a hierarchy."""
    return path.parent / "history" / path.name


def _record(path: Path) -> Path:
    """Return the file of the history of a hierarchy."""
    return path.parent / "history" / f"{path.name}.json"


def restore(path: Path, version: str) -> None:
    """Let a file be what it was before a change."""
    os.replace(_versions(path) / version, path)
    _touch(path)  # a new version, although its content was there before


def delete(path: Path) -> None:
    """Delete a hierarchy with its history."""
    path.unlink(missing_ok=True)
    _record(path).unlink(missing_ok=True)
    shutil.rmtree(_versions(path), ignore_errors=True)
