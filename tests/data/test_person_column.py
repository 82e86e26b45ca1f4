"""Whose a record is, as a column tells it. Covers: data/person_column.py, data/persons.py."""

from __future__ import annotations

from uuid import UUID

import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.data.person_column import with_persons
from shoal.data.persons import Persons
from shoal.errors import DataError

LINES = {
    "household_id": [7, 7, 3, 3, 7, 7],
    "basket_id": [1, 1, 2, 2, 3, 3],
    "product": ["ale", "tea", "ale", "oats", "tea", "oats"],
    "price": [1, 2, 1, 3, 2, 3],
}
LONG = {"id_column": "basket_id", "item_column": "product"}


def persons_of(data: shoal.Dataset) -> Persons:
    assert data.transactions.persons is not None
    return data.transactions.persons


def test_long_data_know_the_person_of_each_record() -> None:
    data = shoal.read(pa.table(LINES), **LONG, person="household_id")
    persons = persons_of(data)
    assert persons.ids_of_rows() == ["7", "3", "7"]
    assert (persons.count(), persons.most, persons.noun, persons.column) == (2, 2, "household", "household_id")
    assert data.table is None or "household_id" not in data.table.names


def test_the_person_may_be_one_of_several_ids_and_even_the_only_one() -> None:
    both = shoal.read(pa.table(LINES), id_column=("household_id", "basket_id"), item_column="product")
    assert persons_of(with_persons(both, "household_id")).ids_of_rows() == ["3", "7", "7"]
    alone = shoal.read(pa.table(LINES), id_column="household_id", item_column="product", person="household_id")
    assert not persons_of(alone).several
    kept = shoal.read(pa.table(LINES), **LONG, keep_ids=True, person="basket_id")
    assert persons_of(kept).ids_of_rows() == ["1", "2", "3"]
    assert kept.table is not None
    assert kept.table.names == ("household_id",)


def test_a_person_column_that_tells_nearly_all_records_apart_is_not_left_out_as_an_id() -> None:
    records = range(30)
    lines = pa.table({"order": records, "patient": [f"p{one}" for one in records], "item": ["a"] * 30})
    data = shoal.read(lines, id_column="order", item_column="item", person="patient")
    assert persons_of(data).count() == 30


def test_wide_tables_frames_and_ids_of_any_type() -> None:
    people = [UUID(int=7), UUID(int=3), UUID(int=7)]
    wide = {"items": [["a"], ["b"], ["a"]], "who": people}
    assert persons_of(shoal.read(pd.DataFrame(wide), person="who")).of.tolist() == [0, 1, 0]
    stored = pa.table({"items": wide["items"], "who": pa.array([one.bytes for one in people], pa.uuid())})
    assert persons_of(shoal.read(stored, person="who")).ids_of_rows() == [str(one) for one in people]
    floats = pd.DataFrame({"items": [["a"], ["b"]], "who": [1.0, 2.0]}, index=["x", "y"])
    assert persons_of(shoal.read(floats, person="who")).ids == ("1", "2")
    categories = pd.DataFrame({"items": [["a"], ["b"], ["c"]], "who": pd.Categorical(["u", "v", "u"])})
    assert persons_of(shoal.read(categories, person="who")).of.tolist() == [0, 1, 0]


def test_nothing_shows_an_id() -> None:
    data = shoal.read(pa.table({"items": [["a"]], "who": ["Jane Roe"]}), person="who")
    assert "Jane" not in f"{data!r} {data.transactions!r} {persons_of(data)!r} {data.origin!r}"


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("houshold_id", r"no column 'houshold_id' \(did you mean 'household_id'\?\); other columns"),
        ("price", r"Column 'price' differs within a record, so it cannot be the person column of data \(person=\)"),
        ("product", r"Column 'product' holds the items, so it cannot be the person column"),
    ],
)
def test_a_column_that_cannot_tell_persons_is_refused(column: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        shoal.read(pa.table(LINES), **LONG, person=column)


def test_blanks_and_lists_are_refused() -> None:
    sets = [["a"], ["b"], ["c"], ["d"]]
    for people in (["x", None, "y", ""], ["x", " ", "y", None]):
        with pytest.raises(DataError, match=r"data, row 2: the person column 'who' is empty \(2 such records\)"):
            shoal.read(pa.table({"items": sets, "who": people}), person="who")
    with pytest.raises(DataError, match=r"row 1: the person column 'who' is empty \(1 such record\)"):
        shoal.read(pa.table({"items": sets, "who": [float("nan"), 1.0, 2.0, 3.0]}), person="who")
    with pytest.raises(DataError, match="holds lists or structures"):
        shoal.read(pa.table({"items": sets, "who": sets}), sets="items", person="who")
    lines = pa.table({**LINES, "household_id": [7, 7, None, None, 7, 7]})
    with pytest.raises(DataError, match=r"basket_id 2: the person column 'household_id' is empty \(1 such record\)"):
        shoal.read(lines, **LONG, person="household_id")


def test_the_column_is_read_once_and_gone() -> None:
    data = shoal.read(pa.table(LINES), **LONG, person="household_id")
    assert with_persons(data, "household_id") is data
    with pytest.raises(DataError, match=r"Column 'household_id' is the person column \(person=\), which is never"):
        data.keep_columns(["household_id"])
