"""The sets of a cluster, generalized by a hierarchy."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import Infeasible
from shoal.testing import problems
from tests.budget import examples
from tests.conftest import Shell

WORDS = ("anonymize", "d.csv", "-o", "o.csv", "--sets", "items", "--item-delimiter", "|")
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


def test_a_hierarchy_is_built_if_none_is_given(table: Shell) -> None:
    code, _, err = table(*WORDS, *MODEL)
    assert code == 0
    assert "No hierarchy was given, so one was built" in err


def test_sets_are_joined_by_the_loss_that_is_asked_for() -> None:
    """A heavy item stays alone; UL knows no weights."""
    rows = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["c"]]
    data = shoal.read(pa.table({"age": ["30"] * len(rows), "items": rows}), sets="items")
    labels = {}
    for within in ("sets", "sets-ul"):
        for heavy in ("a", "b"):
            tree, weights = shoal.Hierarchy.flat(["a", "b", "c"]), shoal.Weights({heavy: 10})
            problem = shoal.Problem(data, tree, shoal.KKm(k=2, m=1), weights=weights)
            release = shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst(within=within))
            labels[within, heavy] = {label for row in release.published.rows.sets() for label in row}
    assert labels["sets", "a"] == {"a", "(b,c)"}
    assert labels["sets", "b"] == {"b", "(a,c)"}
    assert labels["sets-ul", "a"] == labels["sets-ul", "b"]


@examples(60)
@given(problem=problems(st.builds(shoal.KKm, k=st.integers(2, 4), m=st.integers(1, 3)), max_rows=12))
def test_the_best_sets_lose_no_more_than_others(problem: shoal.Problem) -> None:
    """The verifier looks at each; the loss is that of the problem, with its weights."""
    losses = {}
    for within in ("best", "sets", "sets-ul"):
        try:
            losses[within] = shoal.anonymize(
                problem, algorithm=shoal.algorithms.Tfirst(chunks=1, within=within, unchanged_weight=0)
            ).loss
        except Infeasible:
            return
    assert losses["best"] <= min(losses.values()) + 1e-12
    method = shoal.algorithms.Tfirst(chunks=1, within="best", unchanged_weight=0)
    again = shoal.anonymize(problem, algorithm=method, engine=shoal.Engine(workers=2))
    assert again.loss == losses["best"]


def test_ties_go_to_groups_that_share_a_parent() -> None:
    rows = [["a1"], ["a2"], ["b1"], ["b2"]] * 2
    data = shoal.read(pa.table({"age": ["30"] * len(rows), "items": rows}), sets="items")
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "b2"], "B": ["a2", "b1"]}})
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.KKm(k=3, m=1)), algorithm=shoal.algorithms.Rfirst())
    assert {label for row in release.published.rows.sets() for label in row} == {"(a1,b2)", "(a2,b1)"}
    assert [(entry.label, entry.parent) for entry in release.codebook.entries] == [("(a1,b2)", "A"), ("(a2,b1)", "B")]
