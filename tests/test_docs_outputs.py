"""The Python code of docs/how-to/read-outputs.md reads every output as Shoal itself reads it."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from shoal import io
from tests.conftest import Shell
from tests.test_docs_tutorial import DOCS, commands

PAGE = DOCS / "how-to" / "read-outputs.md"
LONG = {"id_column": "order_id", "item_column": "product_id"}


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def missing(code: str) -> set[str]:
    """The packages that the code imports and that are not installed."""
    names = set(re.findall(r"^(?:import|from) (\w+)", code, flags=re.MULTILINE))
    return {name for name in names if importlib.util.find_spec(name) is None}


def sets(baskets: Any) -> list[list[str]]:
    return [sorted(basket) for basket in baskets]


@pytest.fixture
def outputs(shell: Shell) -> Shell:
    for words, _ in commands(PAGE):
        if words[0] == "shoal":
            assert shell(*words[1:])[0] == 0, words
    return shell


def test_every_block_reads_what_shoal_reads(outputs: Shell) -> None:
    """All at once: the files are made only once."""
    tried, skipped = 0, set[str]()
    space: dict[str, Any] = {}
    for code in blocks():
        if missing(code):
            skipped |= missing(code)
            continue
        exec(compile(code, PAGE.name, "exec"), space)
        named = re.findall(r"['\"](lines\.csv|public\.(?!codebook|feather)\w+)", code)
        name = named[0] if named else "public.parquet"
        wanted = io.read(name, **(LONG if name == "lines.csv" else {})).transactions
        found = sets(space["baskets"])
        assert found == [sorted(wanted.labels[item] for item in row) for row in wanted], (name, code)
        tried += 1
    assert tried >= 12
    assert skipped <= {"mlxtend"}


def test_bounds_of_a_count(outputs: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    """The page's bounds hold for the raw data."""
    pytest.importorskip("pandas")
    space: dict[str, Any] = {}
    for code in [code for code in blocks() if "codebook" in code or "at_most" in code]:
        exec(compile(code, PAGE.name, "exec"), space)
    raw = io.read("raw.basket").transactions
    truth = sum("gin" in {raw.labels[item] for item in row} for row in raw)
    assert truth > 0
    assert space["surely"] <= truth <= space["at_most"] < len(raw)
    assert capsys.readouterr().out == f"gin: in at least {space['surely']} and at most {space['at_most']} records\n"
