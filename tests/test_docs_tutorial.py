"""Every command on the pages for readers runs, and prints what the page shows.

The default suite runs the commands on smaller data or with a faster search. The slow tests run them as they are
printed and compare the output, all but its numbers: other versions of NumPy may draw other data, and times differ.
After a change of a message,
``SHOAL_UPDATE_DOCS=1 pytest -m '' tests/test_docs_tutorial.py`` writes the new output into the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import Shell
from tests.test_docs import COMING

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = DOCS / "how-to" / "order-lines.md"
SMALLER = {
    "generate shop": ["--mean-orders", "1", "--products", "60"],  # a shop in which every search ends within a second
    "generate videos": ["--rows", "300", "--items", "40", "--mean-size", "3"],
}
FEWER = {"series": ["--rows", "800"]}  # generated baskets, on pages that publish them many times
FASTER = {"supermarket": {"anonymize": ["--siblings", "none"], "frontier": ["--siblings", "none"]}}
BLOCK = re.compile(r"^```console\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
FAILS = "leave too few records:"  # what shoal apply prints if it publishes nothing
Entry = tuple[str, list[str]]  # a command, and the lines of its output that the page shows


def entries(page: Path) -> list[Entry]:
    """The commands of the page; a line that ends in a backslash goes on in the next one."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    told = [entry for block in blocks for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(first, shown) for first, *shown in (entry.replace("\\\n", " ").splitlines() for entry in told)]


def commands(page: Path = PAGE) -> list[tuple[list[str], list[str]]]:
    """The words of each command on the page, and the lines of its output that the page shows."""
    return [(shlex.split(command, comments=True), shown) for command, shown in entries(page)]


def pages() -> list[Path]:
    """The pages whose commands make their own data, in any order."""
    found = [
        ROOT / "README.md",
        DOCS / "get-started.md",
        *(DOCS / "how-to").glob("*.md"),
        *(DOCS / "tutorials").glob("*.md"),
    ]
    return sorted(page for page in found if any(words[:2] == ["shoal", "generate"] for words, _ in commands(page)))


SLOW = {"compare", "order-lines", "large-data"}  # their quick run still takes seconds


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


def quick(words: list[str], source: str, page: str) -> list[str]:
    """The command on smaller data, or with a faster search."""
    more = SMALLER.get(" ".join(words[1:3]), FEWER.get(page, []) if words[1] == "generate" else [])
    if not {"--model", "--algorithm", "--siblings"} & set(words):
        more = more + FASTER.get(source, {}).get(words[1], [])
    return [*words[1:], *more]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in SLOW else [], id=str(page.relative_to(ROOT)))
        for page in [*pages(), DOCS / "reference" / "data.md"]
    ],
)
def test_every_command_of_the_page_runs(page: Path, shell: Shell) -> None:
    if page.name in COMING:
        pytest.skip("its commands are not there yet")
    source = ""
    for command, shown in entries(page):
        words = shlex.split(command, comments=True)
        if words[0] == "echo":  # it writes a file; others, such as head, only show one
            printed(command, shell)
        if words[0] == "shoal":
            source = words[2] if words[1] == "generate" else source
            code, _, err = shell(*quick(words, source, page.stem))
            ends = {"Violated": 1, "Broken": 1, "Not checked": 2}  # the first words of what the page shows
            wanted = max([ends[start] for start in ends for line in shown if line.startswith(start)], default=0)
            wanted = wanted or int(any(FAILS in line for line in shown))
            assert code == wanted, (words, err)
            for flag, output in pairwise(words):
                assert flag not in ("-o", "--report") or (shell.folder / output).exists() != bool(code)


def masked(line: str) -> str:
    """The line without its numbers and its spacing."""
    return " ".join(re.sub(r"\d[\d.,e-]*", "#", line).split())


def printed(command: str, shell: Shell) -> list[str]:
    """What the command prints on stdout."""
    words = shlex.split(command, comments=True)
    if words[0] == "shoal":
        code, out, err = shell(*words[1:])
        assert code == int(out.startswith(("Violated", "Broken")) or FAILS in out), (command, err)
    else:
        done = subprocess.run(["bash", "-c", command], cwd=shell.folder, capture_output=True, text=True, check=False)
        assert not done.stderr, (command, done.stderr)  # grep finds nothing: exit code 1, but no message
        out = done.stdout
    return [line.rstrip() for line in out.splitlines()]


def refreshed(shown: list[str], out: list[str]) -> list[str]:
    """The output as the page should show it: all of it, or as many lines as before the three dots."""
    return [*out[: shown.index("...")], "..."] if "..." in shown else out


@pytest.mark.slow
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_the_page_shows(page: Path, shell: Shell) -> None:
    shell.own_consoles()
    shell.monkeypatch.setenv("COLUMNS", "100")
    text = page.read_text(encoding="utf-8")
    stale = []
    for command, shown in entries(page):
        out = printed(command, shell)
        new = refreshed(shown, out)
        if shown and [masked(line) for line in shown] != [masked(line) for line in new]:
            stale.append((command, shown, new))
            text = text.replace("\n".join(["", *shown, ""]), "\n".join(["", *new, ""]), 1)
    if os.environ.get("SHOAL_UPDATE_DOCS"):
        page.write_text(text, encoding="utf-8")
    else:
        assert not stale
