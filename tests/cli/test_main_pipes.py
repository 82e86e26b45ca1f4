"""Whoever reads our output may go away: that is neither "violated" nor a bug."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import Shell


@pytest.fixture
def gone() -> Iterator[io.TextIOWrapper]:
    """A pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    stream = io.TextIOWrapper(os.fdopen(write, "wb"), encoding="utf-8")
    yield stream
    stream.close()


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "in.basket", "--k", "2", "--m", "1"),
        ("verify", "in.basket", "--k", "9"),
        ("verify", "in.basket", "--json"),
        ("profile", "in.basket"),
        ("hierarchy", "show", "h.csv"),
        ("models",),
        ("--help",),
        ("verify", "--help"),
        ("--version",),
    ],
    ids=" ".join,
)
def test_who_reads_the_results_goes_away(
    shell: Shell, gone: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    shell.own_consoles()
    monkeypatch.setattr(sys, "stdout", gone)
    code, _, err = shell(*words)
    assert (code, err) == (141, "")


def test_who_reads_the_errors_goes_away(shell: Shell, gone: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.own_consoles()
    monkeypatch.setattr(sys, "stderr", gone)
    assert shell("verify", "missing.dat") == (141, "", "")


def test_files_that_were_asked_for_are_there(
    shell: Shell, gone: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.own_consoles()
    monkeypatch.setattr(sys, "stdout", gone)
    code, _, _ = shell("anonymize", "in.basket", "-o", "out.basket", "--k", "2", "--hierarchy", "h.csv")
    assert code == 141
    assert sorted(path.name for path in shell.folder.iterdir()) == ["h.csv", "in.basket", "out.basket"]


def test_a_process_ends_without_a_word(shell: Shell) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "shoal.cli", "verify", "in.basket", "--k", "2", "--m", "1"]
    with open(write, "wb") as pipe:
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 141
    assert [line[:15] for line in done.stderr.splitlines()] == [b"Read in.basket:"]


def test_output_that_is_closed_is_no_error(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    for more in ((), ("--json",)):
        assert shell("verify", "in.basket", "--k", "9", *more)[0] == 1
