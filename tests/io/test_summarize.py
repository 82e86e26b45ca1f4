"""The line that says what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal import io

READ = [
    ("x.dat", "a b\nb\n", {}, "2 records, 2 different items (fimi)."),
    ("x.basket", "a;b\n", {}, "1 record, 2 different items (basket)."),
    ("x.csv", "items\na\n", {}, "1 record, 1 different item (csv; sets in 'items' separated by '|')."),
    (
        "x.csv",
        "7,a b\n8,c\n",
        {"header": False, "sets": "(column 2)"},
        "2 records, 3 different items (csv without a header; sets in '(column 2)' separated by a space; other columns "
        "'(column 1)').",
    ),
    ("x.csv", "id,item\n1,a\n1,b\n", {}, "1 record, 2 different items (csv; ids in 'id'; items in 'item')."),
    ("x.csv", "age,town\n1,a\n", {"no_sets": True}, "1 record (csv; columns 'age', 'town')."),
    (
        "x.csv",
        "age,A,B\n1,a,b\n",
        {"sets": "A,B"},
        "1 record, 2 different items (csv; sets in 'A', 'B'; other columns 'age').",
    ),
    ("x.jsonl", '["a"]\n', {}, "1 record, 1 different item (jsonl)."),
    (
        "x.jsonl",
        '{"n": 1, "x": ["a"]}\n',
        {},
        "1 record, 1 different item (jsonl; sets in 'x'; other columns 'n').",
    ),
]


@pytest.mark.parametrize(("name", "text", "options", "said"), READ)
def test_what_was_read(tmp_path: Path, name: str, text: str, options: dict[str, Any], said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert io.summary(io.read(path, **options)) == f"Read {name}: {said}"
