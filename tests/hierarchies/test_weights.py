"""Weights of items: labels that have none are told why."""

from __future__ import annotations

import pytest

from tests.conftest import Shell


@pytest.mark.parametrize("label", ["HIV", "virus"])
def test_a_sensitive_item_has_no_weight(shell: Shell, label: str) -> None:
    shell.write("t.csv", "HIV;virus;*\na;a;*\nb;b;*\n")
    shell.write("d.dat", "HIV a\na\nb\nb\n")
    shell.write("w.csv", f"a,2\n{label},5\n")
    how = ("--hierarchy", "t.csv", "--model", "lm", "--l", "2", "--m", "1", "--sensitive", "virus")
    error = shell.fails("anonymize", "d.dat", "-o", "o.dat", *how, "--weights", "w.csv")
    assert f"w.csv, line 2: '{label}' is sensitive and never generalized, so its weight has no effect" in error


def test_a_label_that_nothing_has(shell: Shell) -> None:
    shell.write("w.csv", "zzz,5\n")
    error = shell.fails("anonymize", "in.basket", "-o", "o.basket", "--hierarchy", "h.csv", "--weights", "w.csv")
    assert "'zzz' is neither an item nor a group of the hierarchy h.csv" in error
