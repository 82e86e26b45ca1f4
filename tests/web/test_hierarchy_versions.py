"""The versions of a hierarchy: a history from somebody else names no other files.

Covers web/tasks/hierarchy_versions.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.web.tasks.hierarchy_versions import drop_old, history_of, keep_version, note

EMPTY: dict[str, Any] = {"made": "", "findings": [], "from": None, "steps": []}


@pytest.mark.parametrize("name", ["../../../precious", "/etc/passwd", "0001.csv/../../x", "..", "a.csv", 5])
def test_a_history_names_versions_only(tmp_path: Path, name: object) -> None:
    path = tmp_path / "hierarchies" / "items.csv"
    (path.parent / "history").mkdir(parents=True)
    path.write_text("a;all\n")
    good = {**EMPTY, "steps": [{"file": None}, {"file": keep_version(path, {"steps": []})}]}
    note(path, good)
    assert history_of(str(path)) == good
    note(path, {**good, "steps": [{"file": name}]})
    assert history_of(str(path)) == EMPTY


@pytest.mark.parametrize("text", ["", "[]", "{}", "5", '{"steps": 5}', '{"steps": [{}]}'])
def test_a_damaged_history_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "items.csv.json").write_text(text)
    assert history_of(str(tmp_path / "items.csv")) == EMPTY


def test_old_versions_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("a;all\n")
    history = {**EMPTY, "steps": []}
    for _ in range(60):
        history["steps"].append({"file": keep_version(path, history)})
    drop_old(path, history)
    kept = sorted(one.name for one in (tmp_path / "history" / "items.csv").iterdir())
    assert kept == [step["file"] for step in history["steps"]]
    assert kept[-1] == "0060.csv"
