"""``shoal.verify`` from Python: the same as the command, on files, data frames and lists."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, OptionError
from shoal.hierarchies.codebook import CodeBook, Entry
from tests.conftest import BASKETS, Shell

ROWS = [line.split(",") for line in BASKETS.split()]
KM = shoal.Km(k=2, m=2)
TABLE = pa.table({"age": ["20", "20", "30"], "job": ["x", "y", "x"], "items": [["a"], ["a"], ["b"]]})


def test_the_result_is_true_if_the_guarantee_holds() -> None:
    assert shoal.verify([["a"], ["a"]], KM)
    assert not shoal.verify([["a"], ["b"]], KM)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (KM, ("--k", "2", "--m", "2")),
        (shoal.Lm(l=2, sensitive=("a1",)), ("--model", "lm", "--l", "2", "--sensitive", "a1")),
        (shoal.models.KmNegative(k=2), ("--model", "km-negative", "--k", "2")),
        (shoal.models.TransactionalK(k=2), ("--model", "transactional-k", "--k", "2")),
    ],
    ids=lambda value: value.name if isinstance(value, shoal.models.PrivacyModel) else "",
)
def test_the_command_prints_the_dict(shell: Shell, model: shoal.models.PrivacyModel, words: tuple[str, ...]) -> None:
    _, out, _ = shell("verify", "in.basket", *words, "--json")
    for data in ("in.basket", Path("in.basket"), shoal.read("in.basket"), ROWS):
        result = shoal.verify(data, model)
        assert json.dumps({"schema": "shoal/verify/1", **result.as_dict()}, indent=2) + "\n" == out
        assert result.verdict.witnesses


def test_groups_of_the_hierarchy_are_spelled_out(shell: Shell) -> None:
    model = shoal.Lm(l=2, sensitive=("A",))
    by_file = shoal.verify(ROWS, model, hierarchy="h.csv")
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    assert by_file.model.sensitive_labels == ("a1", "a2")
    assert by_file.as_dict() == shoal.verify(ROWS, model, hierarchy=tree).as_dict()


def test_a_code_book_tells_the_items_of_witnesses() -> None:
    book = CodeBook.of([Entry("G", "", ("a", "b"))])
    result = shoal.verify([["G", "c"], ["c"]], KM, codebook=book)
    assert result.as_dict()["witnesses"] == [{"labels": ["G"], "support": 1, "items": {"G": ["a", "b"]}}]
    read = shoal.read([["G", "c"], ["c"]], codebook=book)
    assert shoal.verify(read, KM).as_dict() == result.as_dict()
    with pytest.raises(DataError, match="is not the code book of data"):
        shoal.verify([["c"]], KM, codebook=book)


def test_a_sensitive_label_that_is_not_there_is_an_error_or_a_note() -> None:
    model = shoal.Lm(l=2, sensitive=("a", "zz"))
    rows = [["a", "b"], ["b"], ["c"]]
    with pytest.raises(OptionError, match="Sensitive 'zz' is not in data"):
        shoal.verify(rows, model)
    result = shoal.verify(rows, model, allow_missing=True)
    assert result.missed == ("zz",)
    assert "Not in data, so not checked: zz." in result.notes
    with pytest.raises(OptionError, match="has no sensitive values, so there is nothing to check"):
        shoal.verify(rows, model.changed(sensitive=("zz",)), allow_missing=True)


def test_columns_that_are_not_named_are_noted_and_an_error_carries_the_note() -> None:
    model = shoal.models.K(k=2)
    result = shoal.verify(TABLE, model, quasi_identifiers=["age"])
    note = "Not checked, because quasi_identifiers= does not name them: job."
    assert (result.holds, result.notes[0]) == (False, note)
    assert shoal.verify(TABLE, model, quasi_identifiers="age").notes == result.notes
    torn = TABLE.set_column(2, "items", pa.array([["(a"], ["b)"], ["c"]]))
    with pytest.raises(DataError) as torn_error:
        shoal.verify(torn, shoal.KKm(k=2), quasi_identifiers=["age"])
    assert torn_error.value.__notes__ == [note]


def test_a_table_needs_no_sets_if_the_model_is_not_about_them(shell: Shell) -> None:
    table = TABLE.drop_columns(["items"])
    shell.write("t.csv", "age,job\n20,x\n20,y\n30,x\n")
    for data in (table, "t.csv"):
        result = shoal.verify(data, shoal.models.K(k=2), quasi_identifiers=["age"])
        assert [str(witness) for witness in result.verdict.witnesses] == ["1 record has age=30"]


def test_a_model_without_columns_refuses_quasi_identifiers() -> None:
    with pytest.raises(OptionError, match="for the models k, k-km and k-lm, not for km"):
        shoal.verify(TABLE, KM, quasi_identifiers=["age"])


def test_a_number_is_no_model() -> None:
    wanted = r"model= must be a PrivacyModel such as shoal\.Km\(k=5, m=2\), or its name, got int"
    with pytest.raises(OptionError, match=wanted):
        shoal.verify([["a"]], 5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=wanted):
        shoal.explain([["a"]], [["a"]], model=5)  # type: ignore[arg-type]


def test_persons_are_counted_if_they_are_named() -> None:
    rows, model = [["tea"], ["tea"], ["ale"], ["ale"]], shoal.Km(k=2, m=1)
    without = shoal.verify(rows, model)
    assert without.holds
    assert (without.persons, without.as_dict()["persons_checked"]) == (None, False)
    assert without.unchecked.startswith("Persons were not checked")
    with_persons = shoal.verify(rows, model, persons=[1, 1, 1, 2])
    assert not with_persons.holds
    assert (with_persons.persons, with_persons.unchecked) == (2, "")
    assert shoal.verify(rows, model, persons=[1, 2, 1, 2]).holds
    read = shoal.read(pa.table({"who": [1, 1, 1, 2], "items": rows}), person="who")
    assert not shoal.verify(read, model)
    with pytest.raises(OptionError, match="persons= and person= both name"):
        shoal.verify(read, model, persons=[1, 1, 1, 2])
    with pytest.raises(DataError, match="persons has 3 persons, but data has 4 records"):
        shoal.verify(rows, model, persons=[1, 2, 3])
    with pytest.raises(OptionError, match="The model transactional-k counts records, not persons"):
        shoal.verify(rows, shoal.models.TransactionalK(k=2), persons=[1, 2, 3, 4])
