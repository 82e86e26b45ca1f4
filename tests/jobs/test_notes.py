"""Notes of a job: kept in order, and carried by the error that ends it."""

from __future__ import annotations

import pytest

from shoal.errors import DataError
from shoal.jobs.notes import taking_notes
from tests.conftest import Shell


def test_an_error_carries_the_notes() -> None:
    def job(*sentences: str) -> None:
        with taking_notes() as notes:
            notes += sentences
            raise DataError("three")

    with pytest.raises(DataError) as caught:
        job("one", "two")
    assert caught.value.__notes__ == ["one", "two"]
    with pytest.raises(DataError) as plain:
        job()
    assert not hasattr(plain.value, "__notes__")


def test_the_command_line_shows_them_before_the_error(shell: Shell) -> None:
    shell.write("out.basket", "G,zz\nG\nG\nG\n")
    shell.write("out.codebook.csv", "label,parent,item\nG,,a1\nG,,a2\n")
    code, out, err = shell("measure", "in.basket", "out.basket")
    note, error = err.splitlines()
    assert (code, out) == (2, "")
    assert note == "Note: Labels are looked up in out.codebook.csv, which is next to out.basket."
    assert error.startswith("Error: Published label 'zz'")
