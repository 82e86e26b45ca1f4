"""The sets of a cluster, generalized by a hierarchy."""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
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


def test_sets_are_joined_by_the_loss_that_is_asked_for() -> None:
    """A heavy item stays alone; UL knows no weights."""
    rows = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["c"]]
    data = shoal.read(pa.table({"age": ["30"] * len(rows), "items": rows}), column="items")
    labels = {}
    for within in ("sets", "sets-ul"):
        for heavy in ("a", "b"):
            tree, weights = shoal.Hierarchy.flat(["a", "b", "c"]), shoal.Weights({heavy: 10})
            problem = shoal.Problem(data, tree, shoal.KKmAnonymity(k=2, m=1), weights=weights)
            release = shoal.anonymize(problem, shoal.Rfirst(within=within))
            labels[within, heavy] = {label for row in release.published.rows.sets() for label in row}
    assert labels["sets", "a"] == {"a", "(b,c)"}
    assert labels["sets", "b"] == {"b", "(a,c)"}
    assert labels["sets-ul", "a"] == labels["sets-ul", "b"]
