"""What a bug report is told: versions, and no names."""

from __future__ import annotations

import getpass
import importlib.metadata
import os
import platform

import pytest

from shoal.cli import environment
from tests.conftest import Shell


@pytest.mark.parametrize("words", [("--version", "--verbose"), ("--verbose", "--version")])
def test_version_and_verbose(shell: Shell, words: tuple[str, ...]) -> None:
    code, out, err = shell(*words)
    assert (code, err) == (0, "")
    lines = dict(line.split(": ") for line in out.splitlines()[1:])
    assert lines["Python"].endswith(platform.python_version())
    assert lines["numpy"] == importlib.metadata.version("numpy")
    assert {"platform", "pyarrow", "ortools"} <= set(lines)
    assert lines["compiled kernels"] in ("yes", "no")
    assert lines["processors"] == str(os.cpu_count())
    assert platform.node() not in out
    assert getpass.getuser() not in out.replace("processors", "")


def test_version_alone(shell: Shell) -> None:
    assert shell("--version")[1] == f"shoal, version {importlib.metadata.version('shoal')}\n"


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "PACKAGES", ("no-such-package",))
    assert "no-such-package: not installed" in environment.describe()
