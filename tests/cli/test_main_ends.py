"""However a command ends, it says truly which files are there."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.cli import anonymize
from tests.conftest import Shell
from tests.processes import signals_of_a_shell

ANONYMIZE = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--report", "r.html")
ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]


def names(shell: Shell) -> list[str]:
    return sorted(path.name for path in shell.folder.iterdir())


@pytest.fixture(autouse=True)
def _signals_as_from_a_shell() -> Iterator[None]:
    with signals_of_a_shell():
        yield


@pytest.mark.parametrize("name", ENDING)
def test_interrupted_before_anything_is_written(shell: Shell, name: str) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(getattr(signal, name))

    shell.monkeypatch.setattr("shoal.jobs.job.make_release", interrupted)
    code, _, err = shell(*ANONYMIZE)
    assert (code, err.strip()) == (130, "Error: Interrupted: nothing was written.")
    assert names(shell) == ["h.csv", "in.basket"]


@pytest.mark.parametrize("name", ENDING)
def test_interrupted_while_the_report_is_written(shell: Shell, name: str) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(getattr(signal, name))

    shell.monkeypatch.setattr(os, "fsync", interrupted)
    code, _, err = shell(*ANONYMIZE)
    assert (code, err.strip()) == (130, "Error: Interrupted: nothing was written.")
    assert names(shell) == ["h.csv", "in.basket"]


@pytest.mark.parametrize("name", ENDING)
def test_interrupted_after_the_files_are_there(shell: Shell, name: str) -> None:
    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(getattr(signal, name))

    shell.monkeypatch.setattr(anonymize, "show", interrupted)
    code, _, err = shell(*ANONYMIZE)
    told = "Error: Interrupted: these files were written before: out.basket, r.html."
    assert (code, err.strip()) == (130, told)
    assert names(shell) == ["h.csv", "in.basket", "out.basket", "r.html"]


def test_what_nohup_ignores_stays_ignored(shell: Shell) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    shell("models")
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert signal.getsignal(signal.SIGQUIT) == signal.default_int_handler


def test_a_bug_after_the_files_are_there_says_so(shell: Shell) -> None:
    shell.monkeypatch.setattr(anonymize, "show", lambda *_, **__: 1 / 0)
    code, _, err = shell(*ANONYMIZE)
    assert code == 3
    assert "; these files were written before: out.basket, r.html. Please report it" in err


def test_a_report_that_cannot_be_moved_leaves_the_data_as_they_were(shell: Shell) -> None:
    real = os.replace

    def busy(source: Path, target: Path) -> None:
        if Path(target).name == "r.html":
            raise OSError(errno.EBUSY, "Device or resource busy")
        real(source, target)

    shell.write("out.basket", "old\n")
    shell.monkeypatch.setattr(os, "replace", busy)
    message = shell.fails(*ANONYMIZE)
    assert "r.html cannot be written: Device or resource busy; nothing was left behind." in message
    assert (shell.folder / "out.basket").read_text() == "old\n"


def test_reports_are_for_the_owner_alone_and_data_as_the_user_wants(shell: Shell) -> None:
    before = os.umask(0o022)
    try:
        assert shell(*ANONYMIZE, "--report", "r.md", "--report", "r.json")[0] == 0
    finally:
        os.umask(before)
    modes = {name: oct((shell.folder / name).stat().st_mode & 0o777) for name in names(shell) if name[0] in "or"}
    assert modes == {"out.basket": "0o644", "r.html": "0o600", "r.md": "0o600", "r.json": "0o600"}


def test_a_report_keeps_the_mode_that_somebody_gave_it(shell: Shell) -> None:
    shell.write("r.html", "old")
    (shell.folder / "r.html").chmod(0o640)
    assert shell(*ANONYMIZE)[0] == 0
    assert (shell.folder / "r.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_for_the_terminal_is_no_bug(shell: Shell) -> None:
    shell.own_consoles()
    with open("/dev/full", "w", encoding="utf-8") as full, shell.monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        code, _, err = shell(*ANONYMIZE)
        with contextlib.suppress(OSError):
            full.close()
    told = "The output cannot be shown: No space left on device; these files were written before: out.basket, r.html."
    assert (code, err.strip()) == (2, f"Error: {told}")
