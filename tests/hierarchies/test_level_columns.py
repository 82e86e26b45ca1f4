"""Columns of data frames of any library as labels."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.hierarchies.level_columns import count_items, level_columns

CELLS = {"id": [25671, 26081, 26093], "type": ["ice ", None, " "]}


def texts(frame: Any, name: str) -> list[str | None]:
    """The label of each row."""
    (column,) = level_columns(frame, [name], "the table")
    return [column.labels[code] if code >= 0 else None for code in column.codes.tolist()]


@pytest.mark.parametrize(
    "frame",
    [
        CELLS,
        pa.table(CELLS),
        pa.record_batch(CELLS),
        pa.concat_tables([pa.table(CELLS).slice(0, 1), pa.table(CELLS).slice(1)]),
        pd.DataFrame(CELLS),
        pd.DataFrame(CELLS, index=[5, 5, 6]),
        pd.DataFrame(CELLS).astype({"type": "category", "id": "Int64"}),
        pl.DataFrame(CELLS),
        pl.DataFrame(CELLS).with_columns(pl.col("type").cast(pl.Categorical)),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_frames_of_every_library_say_the_same(frame: Any) -> None:
    assert texts(frame, "id") == ["25671", "26081", "26093"]
    assert texts(frame, "type") == ["ice", None, None]


def test_relations_of_duckdb_are_tables_too() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("select * from (values (25671, 'ice '), (26081, null)) as t(id, type)")
    assert (texts(relation, "id"), texts(relation, "type")) == (["25671", "26081"], ["ice", None])


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["007", "7", "Milk", "milk"], ["007", "7", "Milk", "milk"]),
        ([" a", "a ", "a"], ["a", "a", "a"]),
        ([1004906.0, None, float("nan")], ["1004906", None, None]),
        ([1.0, 2.5], ["1", "2.5"]),
        ([float("inf"), 1.0], ["inf", "1"]),
        ([1e300], ["1e+300"]),
        ([True, False], ["true", "false"]),
        ([Decimal("1.50")], ["1.50"]),
        ([datetime.date(2017, 1, 2)], ["2017-01-02"]),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_labels_are_as_the_cells_are(cells: list[Any], wanted: list[str | None]) -> None:
    assert texts(pa.table({"a": pa.array(cells, from_pandas=False)}), "a") == wanted


def test_a_column_without_any_chunk_is_empty() -> None:
    for kind in (pa.string(), pa.int64(), pa.float64(), pa.null(), pa.dictionary(pa.int8(), pa.string())):
        assert texts(pa.table({"a": pa.chunked_array([], kind)}), "a") == []


def test_texts_of_whole_floats() -> None:
    (column,) = level_columns({"a": ["1004906.0", "7.00", "7.0", ""]}, ["a"], "the table")
    assert column.looks_like_floats
    whole = column.without_fractions()
    assert (whole.labels, whole.codes.tolist(), whole.was_float) == (["1004906", "7"], [0, 1, 1, -1], "1004906.0")
    (mixed,) = level_columns({"a": ["1.0", "1.5"]}, ["a"], "the table")
    assert mixed.without_fractions() is mixed


def test_the_order_of_labels_and_rows_that_are_left() -> None:
    (column,) = level_columns({"a": ["b", "10", None, "9", "b"]}, ["a"], "the table")
    ordered = column.in_order()
    assert (ordered.labels, ordered.codes.tolist()) == (["9", "10", "b"], [2, 1, -1, 0, 2])
    some = ordered.at(np.array([True, False, True, True, False]))
    assert (some.labels, some.codes.tolist()) == (["9", "b"], [1, -1, 0])


@pytest.mark.parametrize(
    "items",
    [
        [1, 2, 2],
        ["1", "2", "2"],
        {"2": 2, "1": 1, "3": 0},
        {1: 1, 2: 2},
        (item for item in ["1", "2", "2"]),
        np.array([1, 2, 2]),
        pa.array([1.0, 2.0, None, 2.0]),
        pa.chunked_array([[1], [2, 2]]),
        pa.array([["1", "2"], [], ["2"]]),
        pd.Series([1, 2, 2]),
        pd.Series([1.0, 2.0, float("nan"), 2.0]),
        pl.Series(["1", "2", "", "2"]),
        pl.Series([[1, 2], [2]]),
    ],
    ids=lambda items: type(items).__name__,
)
def test_items_are_counted_in_any_column(items: Any) -> None:
    assert count_items(items) == {"1": 1, "2": 2}


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (3, "Cannot read columns from a int: give a data frame"),
        ({"a": [1, "x"]}, "the table cannot be read as a table .*: give each column one type"),
        ({"b": [1]}, "the table has no column 'a': choose levels among b"),
        ({"aa": [1]}, r"has no column 'a' \(did you mean 'aa'\?\)"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "has 2 columns called 'a': rename all but one"),
        ({"a": [[1]]}, r"Column 'a' holds values of type list<.*: wanted texts or numbers"),
        ({"a": [b"x"]}, "Column 'a' holds values of type binary"),
    ],
)
def test_what_is_no_column_of_labels_is_refused(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        level_columns(frame, ["a"], "the table")


@pytest.mark.parametrize("items", ["abc", 3, [1, "x"], [b"x"]])
def test_what_is_no_column_of_items_is_refused(items: Any) -> None:
    with pytest.raises(DataError, match=r"Cannot count|cannot be read as a column|holds values of type binary"):
        count_items(items)
