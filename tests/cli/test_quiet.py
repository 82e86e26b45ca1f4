"""``--quiet``, narrow terminals and NO_COLOR: what is printed where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cli import console
from tests.conftest import STAGE, Shell

TREE = ("--hierarchy", "h.csv")
WRITERS = [
    ("anonymize", "in.basket", "-o", "o.basket", *TREE, "--k", "2"),
    ("hierarchy", "build", "in.basket", "-o", "b.csv"),
    ("hierarchy", "convert", "h.csv", "c.json"),
    ("workload", "in.basket", "-o", "w.jsonl"),
    ("generate", "quest", "-o", "q.dat", "--rows", "50"),
    ("generate", "shop", "-o", "shop", "--customers", "5"),
]
PRINTERS = [
    ("verify", "in.basket", "--k", "4"),
    ("profile", "in.basket"),
    ("measure", "in.basket", "in.basket", *TREE),
    ("frontier", "in.basket", *TREE, "--k", "2", "--m", "1"),
    ("hierarchy", "show", "h.csv"),
    ("models",),
]


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])
def test_quiet_commands_that_write_files_print_nothing(shell: Shell, words: tuple[str, ...]) -> None:
    for quiet in ((*words, "--quiet"), (*words, "-q"), ("--quiet", *words)):
        assert shell(*quiet) == (0, "", "")
        assert not shell.was_read
        assert not shell.stages
    loud = shell(*words)
    assert loud[1]


@pytest.mark.parametrize("words", PRINTERS, ids=lambda words: words[0])
def test_quiet_commands_that_print_results_print_nothing_else(shell: Shell, words: tuple[str, ...]) -> None:
    loud = shell(*words)
    assert shell(*words, "--quiet") == (loud[0], loud[1], "")
    assert not shell.was_read + shell.stages


def test_quiet_commands_still_print_errors_and_json(shell: Shell) -> None:
    assert "nothing.dat does not exist" in shell.fails("profile", "nothing.dat", "-q")
    code, out, err = shell(*WRITERS[0], "--quiet", "--json")
    assert (code, err) == (0, "")
    assert '"schema": "shoal/anonymize/1"' in out


def test_one_command_is_quiet_and_the_next_is_not(shell: Shell) -> None:
    assert shell("profile", "in.basket", "-q")[2] == ""
    shell("profile", "in.basket")
    assert shell.was_read


def test_stages_are_lines_if_stderr_is_no_terminal(shell: Shell) -> None:
    assert shell(*WRITERS[0])[0] == 0
    assert shell.stages
    assert all(line.endswith(" s\n") and " ... " in line for line in shell.stages)
    names = [line.partition(" ...")[0] for line in shell.stages]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("words", [*PRINTERS, WRITERS[0]], ids=lambda words: words[0])
@pytest.mark.parametrize("columns", [40, 60])
def test_tables_fit_narrow_terminals(shell: Shell, words: tuple[str, ...], columns: int) -> None:
    wide = shell(*words)[1]
    shell.own_consoles()
    shell.monkeypatch.setenv("COLUMNS", str(columns))
    narrow = shell(*words)[1]
    sentences = [line for line in wide.splitlines() if len(line) > columns]
    for line in narrow.splitlines():
        assert len(line) <= columns or line in sentences  # a sentence is broken by the terminal
    numbers = {word for word in wide.replace(",", " ").split() if word[0].isdigit() and "." in word}
    assert numbers - {word for word in numbers if word not in narrow} >= numbers - {"0.00", "0.01"} - seconds(wide)


def seconds(text: str) -> set[str]:
    """Times differ from run to run."""
    return {part for line in text.splitlines() if line.startswith("time") for part in line.split()}


def test_a_table_that_does_not_fit_becomes_a_list(shell: Shell) -> None:
    shell.own_consoles()
    shell.monkeypatch.setenv("COLUMNS", "22")
    console.table("title", ["name", "figure", "second"], [("a", 1234567, ""), ("b", 2, 7654321)])
    out = shell.capsys.readouterr().out
    assert out == "title\nname: a\n  figure: 1234567\nname: b\n  figure: 2\n  second: 7654321\n"


@pytest.mark.parametrize("color", [{"NO_COLOR": "1", "FORCE_COLOR": "1"}, {}])
def test_no_color(tmp_path: Path, color: dict[str, str]) -> None:
    (tmp_path / "d.dat").write_text("a b\na c\n")
    words = [sys.executable, "-m", "shoal.cli", "verify", "d.dat", "--k", "2"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=color, check=False)
    assert done.returncode == 1
    assert "Violated." in done.stdout
    assert "31m" not in done.stdout + done.stderr
    if not color:
        assert "\x1b" not in done.stdout + done.stderr
        lines = [line + "\n" for line in done.stderr.splitlines() if not line.startswith("Read ")]
        assert all(map(STAGE.fullmatch, lines))
