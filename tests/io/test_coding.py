"""Rows are coded a part at a time: the same result, in memory that does not grow with the text around it."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from shoal import io
from shoal.errors import DataError
from shoal.io import coding, jsonl, text
from shoal.io.coding import Ragged, encode

FILES = {
    "x.dat": lambda rows: "".join(" ".join(row) + "\n" for row in rows),
    "x.basket": lambda rows: "".join(",".join(row) + "\n" for row in rows),
    "q.basket": lambda rows: "".join(",".join(f'"{item}"' for item in row) + "\n" for row in rows),
    "x.csv": lambda rows: "id,items\n" + "".join(f"{at},{'|'.join(row)}\n" for at, row in enumerate(rows)),
    "q.csv": lambda rows: "id,items\n" + "".join(f'"{at}","{"|".join(row)}"\n' for at, row in enumerate(rows)),
    "l.csv": lambda rows: "id,item\n" + "".join(f"{at},{item}\n" for at, row in enumerate(rows) for item in row),
    "x.jsonl": lambda rows: "".join("[" + ", ".join(f'"{item}"' for item in row) + "]\n" for row in rows),
    "o.jsonl": lambda rows: "".join(
        f'{{"n": {at}, "x": [' + ", ".join(f'"{item}"' for item in row) + "]}\n" for at, row in enumerate(rows)
    ),
}


def small_parts(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(coding, "PART", size)
    monkeypatch.setattr(coding, "PART_ROWS", size)
    monkeypatch.setattr(text, "PART", size)
    monkeypatch.setattr(jsonl, "PART", size)
    monkeypatch.setattr(text, "_PIECE", 4 * size)


def some_rows(number: int) -> list[list[str]]:
    draw = random.Random(1)
    return [[str(draw.randrange(60)) for _ in range(draw.randrange(1, 9))] for _ in range(number)]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("options", [{}, {"multiset": True}, {"drop_items": ("7", "59")}], ids=str)
def test_parts_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any]
) -> None:
    rows = some_rows(200)
    path = tmp_path / name
    path.write_text(FILES[name](rows))
    whole = io.read(path, **options)
    for size in (1, 7, 64):
        small_parts(monkeypatch, size)
        parts = io.read(path, **options)
        assert parts.transactions.labels == whole.transactions.labels
        assert parts.transactions.items.tolist() == whole.transactions.items.tolist()
        assert parts.transactions.indptr.tolist() == whole.transactions.indptr.tolist()
        out = tmp_path / f"out-{name}"
        io.write(parts, out)
        assert io.read(out).transactions.items.tolist() == whole.transactions.items.tolist()
    if not options:
        assert whole.transactions.sets() == [set(row) for row in rows]


def test_parts_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[], ["b", "a"], [], [], ["c"], ["a", "a"], []]
    whole = Ragged.from_rows(rows)
    for size in range(1, 8):
        monkeypatch.setattr(coding, "PART", size)
        assert [len(part) for part in whole.parts() if len(part) == 0] == []
        assert encode(whole.parts()).sets() == [set(row) for row in rows]
    assert len(encode([])) == 0


@pytest.mark.parametrize("name", FILES)
def test_memory_is_a_few_times_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Of Python and NumPy; texts in Arrow's memory are not seen here, but take about one time the text each."""
    small_parts(monkeypatch, 256)
    path = tmp_path / name
    path.write_text(FILES[name](some_rows(8_000)))  # so many that what every file takes does not count
    io.read(path)  # imports
    tracemalloc.start()
    try:
        io.read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 9 * path.stat().st_size


def test_an_item_must_not_be_called_like_the_count_of_another() -> None:
    rows = [["a", "a", "b"], ["a*2", "b"]]
    with pytest.raises(DataError, match=r"Item 'a\*2' is called as item 'a' will be where it is given 2 times"):
        io.read(rows, multiset=True)
    assert io.read([["a", "b"], ["a*2", "b"]], multiset=True).transactions.labels == ("a*1", "a*2*1", "b*1")
    assert io.read(rows).transactions.labels == ("a", "a*2", "b")
    assert io.read(rows, multiset=True, drop_items=["a*2"]).transactions.labels == ("a*2", "b*1")
