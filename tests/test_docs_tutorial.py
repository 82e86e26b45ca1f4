"""The tutorial docs/how-to/order-lines.md and the pages persons.md, data.md and frontier.md run, command by command."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import Shell
from tests.test_docs import COMING

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "how-to" / "order-lines.md"
SMALLER = ["--mean-orders", "1", "--products", "60"]  # a shop in which every search ends within a second


def commands(page: Path = PAGE) -> list[tuple[list[str], list[str]]]:
    """The words of each command on the page, and the lines of its output that the page shows."""
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    told = [entry for block in blocks for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    lines = [entry.splitlines() for entry in told]
    return [(shlex.split(first), shown) for first, *shown in lines]


def test_the_page_shows_the_tables_as_they_are_generated(shell: Shell) -> None:
    """Their columns and sizes; other versions of NumPy may draw other values."""
    (first, shown), *others = commands()
    assert first[:3] == ["shoal", "generate", "shop"]
    code, out, _ = shell(*first[1:])
    assert code == 0
    assert [line.split()[1:] for line in out.splitlines()] == [line.split()[1:] for line in shown]
    heads = [(words, shown) for words, shown in others if words[0] == "head"]
    assert len(heads) == 3
    for (_, count, name), (header, *rows) in heads:
        lines = (shell.folder / name).read_text(encoding="utf-8").splitlines()[: int(count[1:])]
        assert lines[0] == header
        assert len(lines) == 1 + len(rows)


@pytest.mark.parametrize(
    "name",
    [
        "how-to/order-lines.md",
        "how-to/persons.md",
        pytest.param("reference/data.md", marks=pytest.mark.slow),
        pytest.param("how-to/frontier.md", marks=pytest.mark.slow),
    ],
)
def test_every_command_of_the_page_runs(name: str, shell: Shell) -> None:
    if name in COMING:
        pytest.skip("its commands are not there yet")
    for words, _ in commands(DOCS / name):
        if words[0] == "shoal":
            more = SMALLER if words[1] == "generate" else []
            code, _, err = shell(*words[1:], *more)
            assert code == 0, (words, err)
            for flag, output in pairwise(words):
                assert flag not in ("-o", "--report") or (shell.folder / output).exists()
