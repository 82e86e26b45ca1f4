"""Hierarchy files that we write are files that we can read, whatever the labels hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import hierarchies
from shoal.data import Hierarchy
from shoal.hierarchies.codebook import CodeBook, Entry
from shoal.hierarchies.weights import Weights

LONG = "x" * 140_000
LABELS = ["a\nb", "a\u2028b", "a\x0cb", LONG, f'{LONG}"', f'"{LONG};\n', " a ", "b"]


@pytest.mark.parametrize("name", ["h.csv", "h.tsv", "h.json"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    parents = {label: f"{label}, all" for label in LABELS}
    tree = Hierarchy.from_parents({**parents, **dict.fromkeys(parents.values(), "*"), "*": None})
    hierarchies.save(tree, tmp_path / name)
    assert hierarchies.load(tmp_path / name).labels == tree.labels
    hierarchies.save(tree, tmp_path / "p.csv", format="parents")
    assert hierarchies.load(tmp_path / "p.csv").labels == tree.labels


@pytest.mark.parametrize("name", ["c.csv", "c.json"])
def test_code_books_too(tmp_path: Path, name: str) -> None:
    book = CodeBook.of([Entry("any", "", (*LABELS, "a\rb", "a\r\nb"))])
    book.save(tmp_path / name)
    assert CodeBook.load(tmp_path / name).items_of("any") == book.items_of("any")


def test_weights_of_long_labels(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(f'item,weight\n"{LONG}",10\n')
    assert dict(Weights.load(tmp_path / "w.csv").values) == {LONG: 10}
