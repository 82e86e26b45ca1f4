"""``shoal.profile`` from Python: the same as the command."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import shoal
from shoal.errors import OptionError
from tests.conftest import Shell


def test_the_command_prints_the_dict(shell: Shell) -> None:
    _, out, _ = shell("profile", "in.basket", "--k", "2", "--m", "2", "--top", "3", "--json")
    result = shoal.profile("in.basket", k=2, m=2, top=3)
    assert json.dumps({"schema": "shoal/profile/1", **result.as_dict()}, indent=2) + "\n" == out
    assert dict(result.top_items) == {"a2": 3, "b1": 3, "b2": 3}


def test_columns_count_too_if_they_are_named(shell: Shell) -> None:
    shell.write("t.csv", "age,job,items\n20,x,a b\n20,y,a b\n30,x,a b\n")
    words = ("t.csv", "--sets", "items", "--k", "2", "--m", "1", "--quasi-identifiers", "age")
    _, out, err = shell("profile", *words, "--json")
    data = shoal.read("t.csv", sets="items")
    result = shoal.profile(data, k=2, m=1, quasi_identifiers=["age"])
    assert json.dumps({"schema": "shoal/profile/1", **result.as_dict()}, indent=2) + "\n" == out
    assert result.risk_by_columns is not None
    assert (result.risk_by_columns.unique, result.risk.unique) == ((1,), (1,))
    assert err == f"Note: {result.notes[0]}\n".replace("quasi_identifiers=", "--quasi-identifiers")


def test_without_items() -> None:
    result = shoal.profile(pa.table({"items": pa.array([[], []], pa.list_(pa.string()))}))
    assert (result.records, result.empty_records, result.different_items, result.mean_size) == (2, 2, 0, 0.0)


@pytest.mark.parametrize("options", [{"k": 1}, {"m": 0}, {"top": -1}])
def test_numbers_that_are_too_small(options: dict[str, int]) -> None:
    with pytest.raises(OptionError, match=r"profile: \w+ must be at least \d, got"):
        shoal.profile([["a"]], **options)  # type: ignore[arg-type]


VISITS = pa.table(
    {
        "patient": ["p1", "p1", "p2", "p3", "p4", "p4", "p5"],
        "ward": ["x", "x", "x", "x", "y", "y", "y"],
        "items": [["a"], ["b"], ["b"], ["c"], ["d"], ["d"], []],
    }
)


def test_persons_are_found_if_one_of_their_records_is() -> None:
    """a is p1's alone, b of two, c p3's, and d stands in two records, but of one patient."""
    profile = shoal.profile(VISITS, k=2, m=1, person="patient")
    persons = profile.persons
    assert persons is not None
    assert (persons.persons, persons.mean_records, persons.max_records, persons.nouns) == (5, 1.4, 2, "patients")
    assert (persons.risk.below_k, persons.risk.unique, persons.risk.rows) == ((3,), (3,), 5)
    assert profile.risk.below_k == (4,)  # records
    assert profile.as_dict()["persons"]["risk"][0]["below_k"] == 3


def test_rare_items_are_those_of_few_persons() -> None:
    """p1 holds x twice: two records, one person."""
    visits = pa.table({"patient": ["p1", "p1", "p2", "p3"], "codes": [["x"], ["x", "y"], ["y"], ["z"]]})
    profile = shoal.profile(visits, k=2, m=1, person="patient")
    assert profile.items_in_fewer_than_k_records == 1  # z
    assert profile.as_dict()["persons"]["items_in_fewer_than_k_persons"] == 2  # and x
    assert profile.rows()[-1] == ("items in records of fewer than k patients", "2")
    assert shoal.profile(visits.drop_columns("patient"), k=2, m=1).rows()[-1] == ("items in fewer than k records", "1")


def test_persons_are_found_by_columns_and_items_together() -> None:
    profile = shoal.profile(shoal.read(VISITS, person="patient"), k=3, m=1, quasi_identifiers=["ward"])
    persons = profile.persons
    assert persons is not None
    assert persons.risk_by_columns is not None
    assert persons.risk_by_columns.below_k == (2,)  # p4 and p5 are alone in their ward
    assert persons.risk.below_k == (5,)
    assert persons.risk.unique == (3,)  # p1 by a, p3 by c, p4 by d
