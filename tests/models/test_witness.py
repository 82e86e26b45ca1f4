"""Covers: models/witness.py. What each class of witness tells people, in one sentence and in a table."""

from __future__ import annotations

import pytest

from shoal.models.base import Verdict
from shoal.models.witness import DisclosingInClass, DisclosingSet, RareInClass, RareRecord, RareSet, Witness

CASES: list[tuple[Witness, int, str, str, tuple[object, ...]]] = [
    (RareSet(("a",), 1), 1, "{a} is in 1 record", "1 single known item leaves too few records:", ("a", "1")),
    (
        RareSet(("a", "b"), 2),
        2000,
        "{a, b} is in 2 records",
        "2,000 sets of 2 known items leave too few records, for instance:",
        ("a, b", "2"),
    ),
    (
        RareSet((), 2, absent=("b",)),
        1,
        "{not b} is in 2 records",
        "1 combination of 1 known facts leaves too few records:",
        ("not b", "2"),
    ),
    (
        RareRecord((), 1),
        2,
        "the empty record occurs 1 time",
        "2 different records occur too rarely, for instance:",
        ("nothing", "1"),
    ),
    (
        RareInClass((), 2, "age=55"),
        1,
        "2 records have age=55",
        "1 combination of values leaves too few records:",
        ("age=55", "2"),
    ),
    (
        RareInClass(("a", "b"), 1, "age=55"),
        1,
        "{a, b} is in 1 record of those with age=55",
        "1 combination of values and 2 items leaves too few records:",
        ("age=55", "a, b", "1"),
    ),
    (
        DisclosingSet(("a",), 4000, "HIV", 1000),
        1,
        "1000 of the 4000 records with {a} have 'HIV'",
        "1 single known item reveals too much:",
        ("a", "HIV", "1,000", "4,000", 0.25),
    ),
    (
        DisclosingSet((), 2, "HIV", 2),
        3,
        "2 of all 2 records have 'HIV'",
        "Even an attacker who knows nothing learns too much:",
        ("nothing", "HIV", "2", "2", 1.0),
    ),
    (
        DisclosingInClass((), 2, "HIV", 1, "7"),
        1,
        "1 of the 2 records of group 7 has 'HIV'",
        "In 1 case a sensitive item is too frequent in its group:",
        ("7", "HIV", "1", "2", 0.5),
    ),
    (
        DisclosingInClass(("a",), 2, "HIV", 1, "age=55"),
        2,
        "1 of the 2 records of group age=55 with {a} has 'HIV'",
        "2 combinations of values and 1 item reveal too much, for instance:",
        ("age=55", "a", "HIV", "1", "2", 0.5),
    ),
]


@pytest.mark.parametrize(("witness", "violations", "text", "title", "row"), CASES)
def test_texts(witness: Witness, violations: int, text: str, title: str, row: tuple[object, ...]) -> None:
    table = Verdict(False, 9, violations, (witness,)).table()
    assert str(witness) == text
    assert table.title == title
    assert table.rows == [row]
    assert len(table.columns) == len(row)
    assert all(isinstance(cell, str) for cell in row[: table.right])


def test_machines_get_what_each_holds() -> None:
    assert RareSet(("a",), 1, absent=("b",)).as_dict() == {"labels": ["a"], "support": 1, "absent": ["b"]}
    assert RareSet(("a",), 1).as_dict() == {"labels": ["a"], "support": 1}
    assert RareRecord(("a",), 1).as_dict() == {"labels": ["a"], "support": 1, "whole": True}
    assert list(DisclosingInClass((), 3, "HIV", 2, "7").as_dict()) == [
        "labels",
        "support",
        "sensitive",
        "holders",
        "group",
    ]
    assert RareSet(("a",), 1, absent=("b",)).named == ("a", "b")
