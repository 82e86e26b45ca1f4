"""Shells complete commands, options, and names of models and algorithms."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from shoal.cli import cli
from shoal.cli.completion import SHELLS
from tests.conftest import Shell


def completed(*words: str) -> set[str]:
    """What may stand in the place of the last word."""
    *before, start = words
    shell = ShellComplete(cli, {}, "shoal", "_SHOAL_COMPLETE")
    return {item.value for item in shell.get_completions(before, start)}


def test_commands() -> None:
    assert {"profile"} == completed("pro")
    assert {"build", "check", "show"} <= completed("hierarchy", "")


def test_models_and_algorithms() -> None:
    assert {"k", "km", "k-km", "k-lm", "km-negative"} == completed("anonymize", "d.dat", "--model", "k")
    assert {"auto", "lra", "optimal"} <= completed("anonymize", "d.dat", "--model", "lm", "--algorithm", "")
    assert "mondrian" not in completed("anonymize", "d.dat", "--model", "lm", "--algorithm", "")
    assert completed("anonymize", "d.dat", "--model", "k", "--algorithm", "") == {"cluster", "mondrian"}
    assert "lra" in completed("compare", "d.dat", "-a", "l")


def test_the_options_of_what_was_chosen() -> None:
    assert "--sensitive" in completed("verify", "d.dat", "--model", "lm", "--sen")
    assert "--sensitive" not in completed("verify", "d.dat", "--sen")
    assert "--delta" in completed("anonymize", "d.dat", "--model", "k-km", "--algorithm", "rmerge-t", "--del")
    assert "--siblings" in completed("anonymize", "d.dat", "--sib")


@pytest.mark.parametrize("name", SHELLS)
def test_scripts(shell: Shell, name: str) -> None:
    code, out, err = shell("completion", name)
    assert (code, err) == (0, "")
    assert "_SHOAL_COMPLETE" in out
    assert f"{name}_complete" in out
    assert f"shoal completion {name} >" in shell("completion", "--help")[1]


def test_another_shell(shell: Shell) -> None:
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in shell.fails("completion", "tcsh")
