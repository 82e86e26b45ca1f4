"""What the benchmark of P2 measures, counts and writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from benchmarks import rt, rt_page
from benchmarks.papers.common import put
from shoal import discovery
from shoal.algorithms.base import Algorithm


def test_all_methods_are_there() -> None:
    named = {name for name, _ in rt.METHODS.values()}
    solving = {name for name, cls in discovery.find("shoal.algorithms", Algorithm).items() if shoal.KKm in cls.solves}
    assert named == solving


def test_the_plain_version_finds_the_same(real_data: Path) -> None:
    row = rt.naive(rows=80, k=10)
    assert row["verified"]
    assert row["total"] == pytest.approx(sum(row[f"seconds {name}"] for name in ("forming", "merging", "sets")))


def test_rows_are_measured_once(tmp_path: Path) -> None:
    asked: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        asked.append(1)
        yield {"a": 1, "b": None, "c": 0.1}

    for _ in range(2):
        assert rt.stored("some rows", rows, tmp_path) == [{"a": 1, "b": None, "c": 0.1}]
    assert len(asked) == 1
    rt.stored("some rows", rows, tmp_path, again=True)
    assert len(asked) == 2


def test_the_page_has_all_its_marks() -> None:
    text = rt_page.TABLES.read_text(encoding="utf-8")
    for mark in ("rt side by side", "rt informs", "rt videos", "rt within"):
        assert text.index(f"<!-- {mark} -->") < text.index(f"<!-- end of {mark} -->")


def test_what_is_between_marks_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- end of x -->\nb\n", encoding="utf-8")
    put(page, "x", "new")
    assert page.read_text(encoding="utf-8") == "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n"
