"""What persons ask of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.notes import LinkingCombination, LinkingValues, OneRecordKnown, PersonsOfOneRecord, RecordsSorted
from shoal.data.persons import Persons
from shoal.errors import DataError, OptionError, ShoalError
from shoal.problem.persons import linked_together, refuse_linking
from tests.budget import examples

PEOPLE = ["p", "p", "q", "q", "r", "s", "t", "u"]
ITEMS = [["a"], ["a", "b"]] * 4
KM = shoal.Km(k=2, m=1)


def problem(model: Any = KM, columns: dict[str, Any] | None = None, **others: list[Any]) -> shoal.Problem[Any]:
    data = shoal.read(pa.table({"who": PEOPLE, "items": ITEMS, **others}))
    tree = shoal.Hierarchy.flat(["a", "b"])
    return shoal.Problem(data, tree, model, columns=columns or {}, person="who")


def test_the_column_is_taken_out_of_the_data() -> None:
    prepared = problem(city=["x"] * 8).prepared
    assert prepared.persons is not None
    assert prepared.persons.count() == 6
    assert prepared.data.table is not None
    assert prepared.data.table.names == ("city",)


@pytest.mark.parametrize(
    "model",
    [
        shoal.models.Hkp(),
        shoal.models.SensitiveK(k=2, sensitive=("a",)),
        shoal.models.PrivacyDegree(p=2, sensitive=("a",)),
        shoal.models.TransactionalK(k=2),
    ],
)
def test_models_that_count_records_are_refused(model: shoal.models.PrivacyModel) -> None:
    with pytest.raises(OptionError, match=rf"The model {model.name} counts records, not persons: .*\(k, k-km, .*km"):
        problem(model)


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive", "plain"])
def test_the_column_can_have_no_other_role(role: str) -> None:
    model = shoal.models.K(k=2) if role == "quasi-identifier" else KM
    with pytest.raises(ShoalError, match=r"Column 'who' is the person column \(person=\), which is never published"):
        problem(model, {"who": role}, age=[1] * 8)


def test_an_identifier_it_is_anyway() -> None:
    assert problem(columns={"who": "identifier"}).prepared.persons is not None
    with pytest.raises(DataError, match="Column 'who' is the person column"):
        problem(shoal.Lm(sensitive_column=("who",)))


@pytest.mark.parametrize(
    "values",
    [
        [f"card {one}" for one in PEOPLE],  # another name of the person
        list(range(8)),  # an id of the record
        ["p1", "p2", "q1", "q1", "r", "s", "t", "t2"],  # an id of visits
        ["card p", "card p", "card q", "card q", "card r", None, "", None],
    ],
)
def test_a_column_that_tells_the_person_is_not_published(values: list[Any]) -> None:
    different = len({one for one in values if one not in (None, "")})
    with pytest.raises(
        OptionError, match=rf"'card' of data links the records of a person: each of its {different} values"
    ) as got:
        shoal.anonymize(problem(columns={"card": "plain"}, card=values))
    assert "identifiers='card'" in str(got.value)
    assert "join the records of each person first: id_column='who'." in str(got.value)
    assert shoal.anonymize(problem(columns={"card": "identifier"}, card=values)).verdict.holds


@pytest.mark.parametrize("people", [[7, 7, 4, 4], [5, 5, 1, 1]])
def test_persons_may_have_any_numbers(people: list[int]) -> None:
    data = shoal.read(pa.table({"card": ["x", "x", "y", "y"], "items": [["a"]] * 4}))
    data = data.with_transactions(data.transactions.of_persons(people))
    with pytest.raises(OptionError, match=r"'card' of data links the records of a person: each of its 2 values"):
        refuse_linking(shoal.Problem(data, shoal.Hierarchy.flat(["a"]), KM).prepared)


def test_sensitive_columns_are_looked_at_too_and_quasi_identifiers_are_not() -> None:
    card = [f"card {one}" for one in PEOPLE]
    lm = shoal.Lm(l=2, m=1, sensitive_column=("card",))
    with pytest.raises(OptionError, match="links the records of a person"):
        shoal.anonymize(problem(lm, card=card))
    refuse_linking(problem(shoal.models.K(k=2), {"card": "quasi-identifier"}, card=card).prepared)  # no error


def test_values_that_link_some_records_are_told() -> None:
    release = shoal.anonymize(problem(shop=["n", "n", "s", "e", "s", "e", "s", "e"]))
    assert LinkingValues("shop", 3, 1, 2, "person", determines=False) in release.note_values
    told = "\n".join(release.notes)
    assert (
        "Column 'shop' is published unchanged, and 1 value of 3 occurs only in several records of one person." in told
    )


def test_records_of_one_person_each_change_nothing_and_a_note_says_so() -> None:
    data = shoal.read(pa.table({"patient_id": range(8), "items": ITEMS}))
    given = shoal.Problem(data, shoal.Hierarchy.flat(["a", "b"]), KM, person="patient_id")
    release = shoal.anonymize(given)
    assert release.order is None
    assert PersonsOfOneRecord("patient_id", "patient") in release.note_values
    assert not any(isinstance(note, RecordsSorted | OneRecordKnown) for note in release.note_values)
    told = "\n".join(release.notes)
    assert "No patient (column 'patient_id') has more than one record, so person= has no effect." in told


def test_columns_that_tell_persons_together() -> None:
    """Neither the shop nor the week tells anybody; p alone was twice in one shop in the same week."""
    shop, week = list("xxxyyxyx"), list("11212222")
    release = shoal.anonymize(problem(shop=shop, week=week))
    assert LinkingCombination(("shop", "week"), 1, 2, 2, "person", "persons") in release.note_values
    [told] = [one for one in release.notes if "together reveal" in one]
    assert "columns shop, week together reveal which records belong to one person. For 1 of the 2 persons with" in told
    by_chance = shoal.anonymize(problem(shop=shop, week=list("12122121"))).notes
    assert not any(isinstance(note, LinkingCombination) for note in by_chance)


@examples(100)
@given(st.data())
def test_linking_combinations_by_brute_force(data: st.DataObject) -> None:
    values = {name: data.draw(st.lists(st.sampled_from("xy"), min_size=8, max_size=8)) for name in "abc"}
    persons = Persons(np.array(data.draw(st.lists(st.integers(0, 3), min_size=8, max_size=8))))

    def linked(names: tuple[str, ...]) -> set[int]:
        rows: dict[tuple[str, ...], list[int]] = {}
        for row, person in enumerate(persons.of.tolist()):
            rows.setdefault(tuple(values[name][row] for name in names), []).append(person)
        return {people[0] for people in rows.values() if len(people) > 1 and len(set(people)) == 1}

    told: dict[tuple[str, ...], int] = {
        names: len(linked(names))
        for names in (("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c"))
        if len(linked(names)) > max(len(linked((name,))) for name in names)
    }
    notes = list(linked_together(shoal.read(pa.table({**values, "items": [["i"]] * 8})), persons))
    assert [note.persons for note in notes] == ([max(told.values())] if told else [])
    assert all(told[note.columns] == note.persons for note in notes)
