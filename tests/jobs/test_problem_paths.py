"""Every path in a problem file is found, so that a file that moves to another folder does the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.jobs import problem_file
from shoal.jobs.problem_file import OUTPUT
from shoal.jobs.problem_paths import OUTPUTS, with_paths

TABLES: dict[str, dict[str, Any]] = {
    "data": {"file": "a.csv", "sets": "items", "join": ["b.csv:id", "c.csv:x=y"]},
    "columns": {"age": {"role": "quasi-identifier", "hierarchy": "width:5"}, "zip": {"hierarchy": "zip.csv"}},
    "items": {"hierarchy": {"items": "h.csv"}, "weights": "w.csv"},
    "model": {"name": "km", "k": 3},
    "algorithm": {"name": "auto", "siblings": "groups.csv"},
    "output": {
        "file": "out.csv",
        "codebook": False,
        "reports": ["r.html", "r.json"],
        "public_reports": ["p.html"],
        "certificate": "c.json",
        "key": "me.key",
        "context": "context.toml",
        "persons": "persons.txt",
        "proof": "proof.json",
    },
}


def test_a_problem_with_moved_paths_names_the_same_files() -> None:
    here = problem_file.of_tables(TABLES, "problem", Path("folder"))
    moved = problem_file.of_tables(with_paths(TABLES, lambda path: f"folder/{path}"), "problem", Path())
    assert here == moved


def test_every_output_that_is_a_path_is_known() -> None:
    plain = {"explanations", "format", "layout", "parts", "escape_formulas", "columns", "threshold"}
    assert set(OUTPUT) == set(OUTPUTS) | plain


def test_the_tables_that_are_given_stay_as_they_are() -> None:
    before = repr(TABLES)
    with_paths(TABLES, lambda path: "elsewhere")
    assert repr(TABLES) == before
