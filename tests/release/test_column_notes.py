"""What a release says of its columns beyond the guarantee."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import shoal
from shoal import Column, Hierarchy, KAnonymity, KKmAnonymity


def told(columns: dict[str, list[str]], **said: Any) -> list[str]:
    """The notes of a 2-anonymous release."""
    data = shoal.read(pa.table(columns), sets=False)
    problem = shoal.Problem(data, Hierarchy.flat(()), KAnonymity(k=2), columns=said)
    return shoal.anonymize(problem, shoal.Mondrian()).warnings


MIXED = [str(value * 37 % 60) for value in range(40)]  # in no order, different
TWICE = [str(value * 7 % 20) for value in range(40)]


def test_nothing_to_say() -> None:
    assert told({"age": TWICE}) == []


def test_the_order_of_records() -> None:
    """Of quasi-identifiers and of what is dropped; rising or falling, by number."""
    up = [str(value) for value in range(40)]
    for ordered in (up, up[::-1]):
        [note] = told({"age": TWICE, "id": ordered}, id="identifier")
        assert note.startswith("The records stand in the order of 'id', and are published in this order")
    assert told({"age": TWICE, "flag": ["x"] * 40}, flag="identifier") == []


def test_values_that_a_class_shares() -> None:
    wards = ["a" if int(age) < 10 else "b" for age in TWICE]
    notes = told({"age": TWICE, "ward": [*wards[:-1], "only one"]}, ward="plain")
    assert "the same value: an attacker who knows the class learns it; 1 value occurs only once." in notes[1]


def test_what_may_be_a_mistake() -> None:
    [note] = told({"name": MIXED})
    assert note.startswith("Column 'name' has a different value in every record and was taken as a quasi-identifier")
    [note] = [one for one in told({"age": [*TWICE[:-2], "3O", "3O"]}) if "categories" in one]
    assert "Column 'age' was taken as categories, as not all of its values are numbers: 1 of 21 are not." in note
    assert not any("categories" in one for one in told({"age": [*TWICE[:-2], "3O", "3O"]}, age=Column(type="category")))


def test_columns_that_lost_nearly_everything() -> None:
    kinds = [f"kind {value * 7 % 20}" for value in range(40)]
    data = shoal.read(pa.table({"kind": kinds, "T": [["a"]] * 40}), column="T")
    tree = Hierarchy.from_tree({"*": {"A": ["a", "b"]}})
    problem = shoal.Problem(data, tree, KKmAnonymity(k=40, m=1))
    notes = shoal.anonymize(problem, shoal.Rfirst()).warnings
    assert any(note.startswith("Column kind has lost nearly everything") for note in notes)
    assert any("not as groups of their hierarchy: --within aa" in note for note in notes)


def test_items_that_were_dropped() -> None:
    data = shoal.read([["a", "-1"], ["a"]], drop_items=["-1"])
    release = shoal.anonymize(shoal.Problem(data, Hierarchy.flat("a"), shoal.KmAnonymity(k=2, m=1)), shoal.AA())
    assert release.warnings == ["Items that were left out when the data were read: -1."]
    assert release.provenance["input"]["dropped_items"] == ["-1"]
