"""``shoal.explain`` from Python: the same as the command."""

from __future__ import annotations

import json

import pytest

import shoal
from shoal.errors import OptionError
from shoal.hierarchies.codebook import CodeBook, Entry
from tests.conftest import BASKETS, Shell

BEFORE = [line.split(",") for line in BASKETS.split()]
AFTER = [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
KM = shoal.Km(k=2, m=2)


def test_the_command_prints_the_dicts(shell: Shell) -> None:
    shell.write("out.basket", "".join(",".join(row) + "\n" for row in AFTER))
    _, out, _ = shell("explain", "in.basket", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2", "--json")
    for before, after, tree in (("in.basket", "out.basket", "h.csv"), (BEFORE, AFTER, TREE)):
        result = shoal.explain(before, after, hierarchy=tree, model=KM)
        assert json.loads(out)["groups"] == result.as_dicts()
    assert [one.group for one in result] == ["A"]
    assert len(result) == 1


def test_a_label_is_explained_by_what_it_was_published_as() -> None:
    assert [one.group for one in shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=KM, label="a2")] == ["A"]
    alone = shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=KM, label="b1")
    assert (len(alone), "b1" in alone.published_labels) == (0, True)
    with pytest.raises(OptionError, match="neither an item nor a group"):
        shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=KM, label="zz")
    with pytest.raises(OptionError, match="'ALL' was split"):
        shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=KM, label="ALL")


def test_a_code_book_instead_of_a_hierarchy() -> None:
    book = CodeBook.of([Entry("A", "", ("a1", "a2"))])
    assert [one.group for one in shoal.explain(BEFORE, AFTER, model=KM, codebook=book)] == ["A"]
    with pytest.raises(OptionError, match="explain needs hierarchy="):
        shoal.explain(BEFORE, BEFORE, model=KM)


def test_a_guarantee_that_does_not_hold_or_cannot_be_explained() -> None:
    with pytest.raises(OptionError, match=r"data does not have k.m-anonymity with these options"):
        shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=shoal.Km(k=4, m=2))
    with pytest.raises(OptionError, match="Only cuts for the model km can be explained, not for lm"):
        shoal.explain(BEFORE, AFTER, hierarchy=TREE, model=shoal.Lm(sensitive=("a1",)))


def test_records_of_persons_are_taken_in_any_order() -> None:
    import pyarrow as pa

    before = shoal.read(pa.table({"who": ["p", "p", "q", "r"], "items": BEFORE}), person="who")
    assert [one.group for one in shoal.explain(before, AFTER[::-1], hierarchy=TREE, model=KM)] == ["A"]
    with pytest.raises(OptionError, match="measure compares record by record"):
        shoal.measure(before, AFTER[::-1], hierarchy=TREE)
