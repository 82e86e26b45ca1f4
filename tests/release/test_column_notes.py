"""What a release says of its columns beyond the guarantee."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import shoal
from shoal import Column, Hierarchy, KKm
from shoal.models import K


def told(columns: dict[str, list[str]], **said: Any) -> list[str]:
    """The notes of a 2-anonymous release."""
    data = shoal.read(pa.table(columns), no_sets=True)
    problem = shoal.Problem(data, Hierarchy.flat(()), K(k=2), columns=said)
    return shoal.anonymize(problem, algorithm=shoal.algorithms.Mondrian()).notes


MIXED = [str(value * 37 % 60) for value in range(40)]  # in no order, different
TWICE = [str(value * 7 % 20) for value in range(40)]


def test_nothing_to_say() -> None:
    assert told({"age": TWICE}) == []


def test_the_order_of_records() -> None:
    """Of quasi-identifiers and of what is dropped; rising or falling, by number."""
    up = [str(value) for value in range(40)]
    for ordered in (up, up[::-1]):
        [note] = told({"age": TWICE, "id": ordered}, id="identifier")
        assert note.startswith("The records are sorted by 'id' and are published in this order")
    assert told({"age": TWICE, "flag": ["x"] * 40}, flag="identifier") == []


def test_values_that_a_class_shares() -> None:
    wards = ["a" if int(age) < 10 else "b" for age in TWICE]
    notes = told({"age": TWICE, "ward": [*wards[:-1], "only one"]}, ward="plain")
    assert "An attacker who knows the class learns that value. 1 value occurs only once." in notes[1]


def test_what_may_be_a_mistake() -> None:
    [note] = told({"name": MIXED})
    assert note.startswith("Column 'name' has a different value in every record and was treated as a quasi-identifier")
    [note] = [one for one in told({"age": [*TWICE[:-2], "3O", "3O"]}) if "categories" in one]
    assert "Column 'age' was treated as categories because 1 of its 21 different values are not numbers." in note
    assert not any("categories" in one for one in told({"age": [*TWICE[:-2], "3O", "3O"]}, age=Column(type="category")))


def test_few_whole_numbers_may_be_codes() -> None:
    race, sex, score = ([str(value * 7 % several) for value in range(60)] for several in (6, 2, 13))
    halves = [f"{value % 4}.5" for value in range(60)]
    columns = {"race": [*race[:-4], *[""] * 4], "sex": sex, "score": score, "part": halves, "children": race}
    [note] = [one for one in told(columns) if "whole numbers" in one]
    assert ": race, children. " in note
    assert note.endswith("declare them as categories with categorical=.")
    for other in (Column(type="number"), Column(type="category"), Column(hierarchy="width:2")):
        assert not any("whole numbers" in one for one in told({"race": race}, race=other))
    assert not any("whole numbers" in one for one in told({"race": race[:49]}))


def test_hardly_any_item_unchanged() -> None:
    items = [f"i{value}" for value in range(40)]
    tree = Hierarchy.from_tree({"*": {f"g{at}": items[at : at + 2] for at in range(0, 40, 2)}})
    rows = [[items[at], items[at - 2]] for at in range(40)] * 2
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=5, m=1))
    [note] = shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).notes
    assert note.startswith("Hardly any item is published unchanged: 0 of 160 items (0.0%). Half of all items are pub")
    assert note.endswith("represent at least 2 items. A smaller k would keep more of them.")
    fewer = shoal.Problem(shoal.read(rows[:40]), tree, shoal.Km(k=3, m=1))
    assert shoal.anonymize(fewer, algorithm=shoal.algorithms.AA()).notes == [], "of few items a share tells little"


def test_columns_that_lost_nearly_everything() -> None:
    kinds = [f"kind {value * 7 % 20}" for value in range(40)]
    data = shoal.read(pa.table({"kind": kinds, "T": [["a"]] * 40}), sets="T")
    tree = Hierarchy.from_tree({"*": {"A": ["a", "b"]}})
    problem = shoal.Problem(data, tree, KKm(k=40, m=1))
    notes = shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst()).notes
    assert any(note.startswith("Column kind has lost nearly everything") for note in notes)
    assert any("not as groups of the hierarchy. within='aa'" in note for note in notes)


def test_items_that_were_dropped() -> None:
    data = shoal.read([["a", "-1"], ["a"]], drop_items=["-1"])
    release = shoal.anonymize(
        shoal.Problem(data, Hierarchy.flat("a"), shoal.Km(k=2, m=1)), algorithm=shoal.algorithms.AA()
    )
    assert release.notes == ["These items were left out when the data were read: -1."]
    assert release.provenance["input"]["dropped_items"] == ["-1"]
