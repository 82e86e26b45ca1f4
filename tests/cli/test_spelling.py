"""Messages of the library name arguments of Python; the command line spells them as its options."""

from __future__ import annotations

import pytest

from shoal.cli import cli, spelling
from shoal.spelling import spell
from tests.conftest import Shell


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("Pass unknown_items='root'.", "Pass --unknown-items root."),
        ("Leave out max_loss=0.5.", "Leave out --max-loss 0.5."),
        ("1 record has age=30-39 and k=5.", "1 record has age=30-39 and k=5."),
        ("Declare 'seed=3' first.", "Declare 'seed=3' first."),
        ("data= must be a file.", "DATA must be a file."),
    ],
)
def test_arguments_become_options_of_the_running_command(message: str, spelled: str) -> None:
    command = cli.commands["anonymize"]
    assert spell(message, spelling._spellings(command)) == spelled


def test_an_error_names_the_option(shell: Shell) -> None:
    shell.write("d.basket", "a1,b1\na2,b1\nzz,b1\n")
    shell.write("h.csv", "a1;A;ALL\na2;A;ALL\nb1;B;ALL\n")
    code, _, err = shell("anonymize", "d.basket", "-o", "out.basket", "--hierarchy", "h.csv")
    assert code == 2
    assert "--unknown-items" in err
