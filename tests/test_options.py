"""Texts of options: labels, lists of them, and names of files."""

from __future__ import annotations

import pytest

from shoal.options import labels_of
from tests.conftest import Shell

LONG = "a" * 300  # no file can be called so


def test_a_label_that_no_file_can_be_called_is_a_label() -> None:
    assert labels_of(f"{LONG},b") == (LONG, "b")
    assert labels_of(f"{LONG}\0") == (f"{LONG}\0",)


def test_a_long_sensitive_label_is_protected(shell: Shell) -> None:
    rows = f"a1 {LONG}\na1 b1\na1\na1\n"
    words = ("--model", "lm", "--l", "2", "--m", "1", "--sensitive", LONG, "--hierarchy", "h.csv")
    code, out, err = shell("anonymize", shell.write("d.dat", rows), "-o", "o.dat", *words)
    assert code == 0, err
    assert "Verified" in out
    code, _, err = shell("anonymize", "d.dat", "-o", "o.dat", *words)  # the file to write is there now
    assert code == 0, err


@pytest.mark.parametrize("words", [("--siblings", LONG), ("--hierarchy", f"age={LONG}", "--model", "k")])
def test_a_name_that_no_file_can_have_is_an_error(shell: Shell, words: tuple[str, ...]) -> None:
    shell.fails("anonymize", "in.basket", "-o", "o.basket", *words)
