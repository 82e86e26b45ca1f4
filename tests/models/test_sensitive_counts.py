"""Multisets: who declares an item sensitive declares it with every count.

Covers: data/counts.py, data/sensitive.py.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset, Hierarchy
from shoal.data.sensitive import split_sensitive_values
from shoal.errors import Infeasible, OptionError
from shoal.hierarchies import with_counts
from shoal.models.base import PrivacyModel
from tests.conftest import Shell

MODELS = {
    "lm": ("--l", "2", "--m", "1"),
    "hkp": ("--h", "0.5", "--k", "2", "--p", "1"),
    "sensitive-k": ("--k", "2"),
    "privacy-degree": ("--p", "2"),
    "k-lm": ("--k", "2", "--l", "2", "--m", "1"),
}


@pytest.mark.parametrize("name", ["lm", "privacy-degree", "k-lm"])
def test_all_records_hold_it(shell: Shell, name: str) -> None:
    shell.write("d.csv", "age,items\n" + "30,HIV|a\n" * 2 + "30,HIV|HIV|a\n" * 2)
    shell.write("t.csv", "HIV;virus;*\na;a;*\n")
    for sensitive in ("HIV", "virus"):
        how = ("--item-delimiter", "|", "--multiset", "--model", name, *MODELS[name], "--sensitive", sensitive)
        error = shell.fails("anonymize", "d.csv", "-o", "o.csv", "--hierarchy", "t.csv", *how)
        assert "'HIV' is in 4 of 4 (100.0%)" in error


@pytest.mark.parametrize("name", MODELS)
def test_the_written_file_says_the_same(shell: Shell, name: str) -> None:
    shell.write("d.csv", "age,items\n" + "30,HIV|a\n30,HIV|HIV|a\n30,a\n30,a|b\n30,b|b\n30,a|a\n" * 2)
    shell.write("t.csv", "HIV;virus;*\nflu;virus;*\na;a;*\nb;b;*\n")
    how = ("--item-delimiter", "|", "--model", name, *MODELS[name])
    tree = ("--hierarchy", "t.csv")
    code, _, error = shell("anonymize", "d.csv", "-o", "o.csv", "--multiset", *how, *tree, "--sensitive", "virus")
    assert code == 0, error
    for sensitive in (["--sensitive", "HIV"], ["--sensitive", "virus", *tree]):
        code, out, error = shell("verify", "o.csv", *how, *sensitive)
        assert (code, "Holds" in out) == (0, True), error


def test_what_may_be_known_is_named_without_counts_too(shell: Shell) -> None:
    shell.write("d.csv", "items\n" + "HIV|a\nHIV|HIV|a\na\na|b\nb|b\na|a\n")
    how = ("--item-delimiter", "|", "--multiset", "--model", "sensitive-k", "--k", "2", "--sensitive", "HIV")
    assert shell("anonymize", "d.csv", "-o", "o.csv", *how, "--qid", "a,b")[0] == 0
    (shell.folder / "o.csv").unlink()
    error = shell.fails("anonymize", "d.csv", "-o", "o.csv", *how, "--qid", "a")
    assert "Item 'b*1'" in error
    assert "is neither sensitive nor in --qid" in error
    for both in ("HIV*2,a,b", "HIV,a,b"):
        assert "and as a quasi-identifier" in shell.fails("anonymize", "d.csv", "-o", "o.csv", *how, "--qid", both)


def test_weights_and_protected_items_are_named_without_counts(shell: Shell) -> None:
    shell.write("d.csv", "items\n" + "a\na|a\na|b\nb|b\nb\nc\n")
    shell.write("t.csv", "a;G;*\nb;G;*\nc;c;*\n")
    shell.write("w.csv", "a,5\n")
    how = ("--item-delimiter", "|", "--multiset", "--k", "2", "--m", "1", "--hierarchy", "t.csv", "--weights", "w.csv")
    code, _, error = shell("anonymize", "d.csv", "-o", "o.csv", *how, "--algorithm", "mhghs", "--never-suppress", "a,b")
    assert code == 0, error
    assert all(cell for cell in (shell.folder / "o.csv").read_text().split("\n")[1:6])


def test_taken_apart() -> None:
    data = shoal.read([["HIV", "a"], ["HIV", "HIV", "a", "a"], ["flu"]], multiset=True)
    known, hidden = split_sensitive_values(data, ["HIV"])
    assert known.sets() == [{"a*1"}, {"a*2"}, {"flu*1"}]
    assert hidden.values.sets() == [{"HIV"}, {"HIV"}, set()]
    assert hidden.items.sets() == [{"HIV*1"}, {"HIV*2"}, set()]
    assert split_sensitive_values(data, ["HIV*2"])[1].values.sets() == [set(), {"HIV*2"}, set()]
    assert split_sensitive_values(data, ["HIV*2", "HIV"])[1].values.sets() == [{"HIV"}, {"HIV"}, set()]


def test_a_count_that_was_declared_alone_is_protected_alone() -> None:
    data = shoal.read([["HIV", "a"], ["HIV", "HIV", "a"]] * 2, multiset=True)
    model = shoal.Lm(l=2, m=1, sensitive=("HIV*2",))
    tree = with_counts(Hierarchy.flat(["HIV", "a"]), data.transactions.labels)
    assert shoal.anonymize(shoal.Problem(data, tree, model), algorithm=shoal.algorithms.AA()).verdict.holds


def test_a_dealt_record_has_an_item_once() -> None:
    rows = [["HIV"] * (1 + at % 3) + ["a"] if at < 6 else ["b"] for at in range(40)]
    data = shoal.read(rows, multiset=True)
    model = shoal.models.PrivacyDegree(p=2, sensitive=("HIV",))
    release = shoal.anonymize(shoal.Problem(data, Hierarchy.flat(data.transactions.labels), model))
    dealt = [label for row in release.published.as_written.sets() for label in row if label.startswith("HIV")]
    assert sorted(dealt) == [f"HIV*{count}" for count in (1, 1, 2, 2, 3, 3)]
    assert all(sum(label.startswith("HIV") for label in row) <= 1 for row in release.published.as_written.sets())


@given(rows=st.lists(st.lists(st.sampled_from(["HIV", "a", "b"]), max_size=4), min_size=2, max_size=9), data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_release_gives_an_item_away(rows: list[list[str]], data: st.DataObject) -> None:
    """By the plain definition on what was held, counts ignored."""
    name = data.draw(st.sampled_from(["lm", "privacy-degree", "sensitive-k"]))
    model: Any = discovery.get("shoal.models", PrivacyModel, name)
    read = shoal.read(rows, multiset=True)
    options = {"lm": {"l": 2, "m": 1}, "privacy-degree": {"p": 2}, "sensitive-k": {"k": 2}}[name]
    tree = with_counts(Hierarchy.flat(["HIV", "a", "b"]), read.transactions.labels)
    try:
        problem = shoal.Problem(read, tree, model(**options, sensitive=("HIV",)))
        method = (
            shoal.algorithms.AA()
            if name == "lm"
            else discovery.get("shoal.algorithms", Algorithm, model.default_algorithm)()
        )
        release = shoal.anonymize(problem, algorithm=method)
    except (Infeasible, OptionError):
        return
    written = release.published.as_written.sets()
    holders = [any(label.startswith("HIV") for label in row) for row in written]
    if name == "lm":
        known = {label for row in written for label in row if not label.startswith("HIV")}
        for some in (
            holders,
            *([h for h, row in zip(holders, written, strict=True) if label in row] for label in known),
        ):
            assert 2 * sum(some) <= len(some)
    elif name == "sensitive-k":
        assert all(written.count(row) >= 2 for row, held in zip(written, holders, strict=True) if held)
    else:
        table = release.dataset.table
        assert table is not None
        pairs = sorted(zip(table.arrow.column("group").to_pylist(), holders, strict=True))
        for _, members in groupby(pairs, key=lambda pair: pair[0]):
            group = [bool(pair[1]) for pair in members]
            assert 2 * sum(group) <= len(group)


def test_labels_with_a_star_of_their_own() -> None:
    data = Dataset(shoal.read([["HIV*x", "HIV*", "*2", "HIV*2"]]).transactions)
    assert split_sensitive_values(data, ["HIV"])[1].items.labels == ("HIV*2",)
