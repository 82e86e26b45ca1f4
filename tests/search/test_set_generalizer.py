"""The sets of a cluster, generalized by a hierarchy."""

from __future__ import annotations

import pytest

from tests.conftest import Shell

WORDS = ("anonymize", "d.csv", "-o", "o.csv", "--column", "items", "--item-delimiter", "|")
MODEL = ("--model", "k-km", "--k", "2", "--m", "2", "--algorithm", "rfirst", "--within", "aa")


@pytest.fixture
def table(shell: Shell) -> Shell:
    shell.write("d.csv", "age,items\n30,a|b\n30,a\n40,b|c\n40,b|c\n")
    return shell


def test_a_flat_hierarchy_is_a_hierarchy(table: Shell) -> None:
    table.write("h.csv", "a;*\nb;*\nc;*\n")
    code, out, err = table(*WORDS, *MODEL, "--hierarchy", "h.csv")
    assert (code, err) == (0, "")
    assert "Verified" in out


def test_no_hierarchy_is_none(table: Shell) -> None:
    assert "give --hierarchy FILE, or choose sets" in table.fails(*WORDS, *MODEL)
