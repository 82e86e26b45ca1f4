"""A line of a code book without a label or without an item says nothing: it is refused, with its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.codebook import CodeBook


@pytest.mark.parametrize("line", [",DRINKS,beer", "drinks,DRINKS,", ",,"])
def test_empty_cells(tmp_path: Path, line: str) -> None:
    (tmp_path / "book.csv").write_text(f"label,parent,item\nfood,ALL,bread\n{line}\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match=r"line 3: wanted label, parent, item .*some are empty"):
        CodeBook.load(tmp_path / "book.csv")


def test_a_label_without_a_node_above_it_is_fine(tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_text("label,parent,item\nfood,,bread\n", encoding="utf-8")
    assert CodeBook.load(tmp_path / "book.csv").items_of("food") == ("bread",)
