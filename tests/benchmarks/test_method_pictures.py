"""Covers: benchmarks/method_pictures.py. The pictures of the methods' pages show what the methods do today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import method_pictures

PAGES = Path(__file__).parents[2] / "docs" / "methods"


@pytest.mark.parametrize("name", method_pictures.names())
def test_the_picture_is_what_the_method_does(name: str) -> None:
    drawn = (method_pictures.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == method_pictures.drawing(name), "run python -m benchmarks method-pictures and look at the changes"
    assert f"../images/methods/{name}.svg" in (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_the_figures_in_the_pages_are_those_of_the_pictures() -> None:
    for name in method_pictures.names():
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        (caption,) = re.findall(r"!\[([^]]+)\]\(\.\./images/methods/", page)
        assert caption.endswith(f": {method_pictures.run(name).figures}."), name


def test_changes_are_told_apart() -> None:
    before, after = method_pictures.changes(["bread", "wine"], {"food", "beer"})
    assert [(chip.text, chip.kind) for chip in before] == [("bread", "same"), ("wine", "removed")]
    assert [(chip.text, chip.kind) for chip in after] == [("food", "generalized"), ("beer", "added")]
    assert method_pictures.below("bread or drinks") == {"bread", "beer", "wine"}
    assert method_pictures.below("(milk,wine)") == {"milk", "wine"}
