"""Frames and columns as a format: what Arrow does not know by itself.

Covers: io/frames.py, io/clean.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal import io
from shoal.data import Table, Transactions
from shoal.data.table import Role
from shoal.errors import DataError, OptionError


@pytest.mark.parametrize(
    "rows",
    [
        [frozenset("ab"), None],
        [{"a", "b"}, float("nan")],
        [("a", "b"), pd.NA],
        [np.array(["a", "b"]), np.array([])],
        [dict.fromkeys("ab").keys(), ()],
    ],
)
def test_pandas_cells_may_be_any_collection(rows: list[Any]) -> None:
    data = io.read(pd.DataFrame({"n": [1, 2], "items": rows}))
    assert data.transactions.sets() == [{"a", "b"}, set()]
    assert io.to_native(data)["items"].tolist() == [["a", "b"], []]


def test_numbers_and_texts_in_one_cell() -> None:
    assert io.read(pd.Series([["a", 7], [np.int8(8), 2**70]])).transactions.sets() == [{"a", "7"}, {"8", str(2**70)}]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([["a"], 5], {}, "^Column 'items', row 2 must be a list or set of items, got int: split"),
        ([["a"], [1.5]], {}, "^Column 'items', row 2: items must be strings or integers, got float"),
        ([[0.5], [1.5]], {}, "column 'items': items must be strings or integers, got double"),
        ([["a"], [True, 1]], {}, "row 2: items must be strings or integers, got bool"),
        ([["a"], ["\ud800"]], {}, "row 2: an item holds half a surrogate pair"),
        ([["a"], ["b", None]], {}, "row 2: an item is null"),
        ([1, 2], {}, "column 'items' must hold lists of items, got int64: make it a list column"),
        ([["a"], "b"], {}, r"^Column 'items' holds objects of several types \(list, str\): convert all to texts"),
        (["a b", ["c"]], {"item_delimiter": " "}, r"^Column 'items' holds objects of several types \(list, str\)"),
        (["\ud800", "a"], {"item_delimiter": " "}, "cannot be read as a table: .* surrogates not allowed"),
        ([], {}, "must hold lists of items"),
    ],
)
def test_pandas_cells_that_are_no_sets(rows: list[Any], options: dict[str, Any], message: str) -> None:
    column = pd.Series(rows, dtype=object if rows and not isinstance(rows[0], int) else None)
    for source, more in ((column, {}), (column.to_frame("items"), {"sets": "items"})):
        with pytest.raises(DataError, match=message):
            io.read(source, **options, **more)


def test_objects_beside_the_sets() -> None:
    """They are texts for models of columns, and come back as the objects that they are."""
    odd: list[Any] = ["x", 1, {"y": 2}, None]
    lists = [["a", 1.5], (2,), None, ["b"]]
    frame = pd.DataFrame({"odd": odd, "lists": lists, "items": [["a"], ["b"], [], ["c"]]})
    data = io.read(frame, sets="items")
    assert data.table is not None
    assert data.table.arrow.column("odd").to_pylist() == ["x", "1", "{'y': 2}", None]
    out = io.to_native(data)
    assert (out["odd"].tolist(), out["lists"].tolist()) == (odd, lists)
    with pytest.raises(DataError, match=r"^Column 'odd' holds objects of several types \(dict, int, str\)"):
        io.read(frame[["odd"]], item_delimiter=" ")


def test_the_index_stays_if_the_rows_are_the_same() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "items": [{"a"}, {"b"}, {"c"}]}, index=pd.RangeIndex(5, 8, name="key"))
    assert io.to_native(io.read(frame)).index.tolist() == [5, 6, 7]
    assert io.to_native(io.read(frame, where="n > 0")).index.name == "key"
    assert io.to_native(io.read(frame, where="n > 1")).index.tolist() == [0, 1]
    data = io.read(frame)
    assert data.table is not None
    assert data.origin.has_index
    assert io.read(frame, sets=("items",)).origin.has_index
    with_roles = replace(data, table=replace(data.table, roles={"n": Role.PLAIN}))
    assert io.to_native(with_roles).index.tolist() == [0, 1, 2]
    long = pd.DataFrame({"id": [3, 2, 1], "item": ["a", "b", "c"]}, index=["x", "y", "z"])
    assert io.to_native(io.read(long, id_column="id", item_column="item")).index.tolist() == [0, 1, 2]


def test_many_rows_are_given_back_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one batch, with categories and missing numbers."""
    monkeypatch.setattr("shoal.io.coding.BATCH_ROWS", 100)
    n = 203
    kinds = pd.Categorical.from_codes(np.arange(n) % 3, ["u", "v", "w"])
    numbers = pd.array(np.arange(n), dtype="Int64")
    numbers[7] = pd.NA
    frame = pd.DataFrame({"n": numbers, "k": kinds, "items": [["a"]] * n})
    pd.testing.assert_frame_equal(io.to_native(io.read(frame)), frame)


def test_a_series_becomes_a_frame_where_columns_are_added() -> None:
    group = pa.table({"group": [1, 2]})
    for source, kind in (
        (pd.Series([["a"], []], name="s", index=[5, 6]), pd.DataFrame),
        (pl.Series("s", [["a"], []]), pl.DataFrame),
        (pa.array([["a"], []]), pa.Table),
        ([["a"], []], pa.Table),
        ([{"a"}, set()], pa.Table),
    ):
        data = io.read(source)
        out = io.to_native(replace(data, table=Table(group)))
        assert isinstance(out, kind)
        names = out.column_names if isinstance(out, pa.Table) else list(out.columns)
        assert names == [*(data.origin.set_columns or ["items"]), "group"]


def test_columns_are_given_back_as_columns() -> None:
    bare = pd.Series([["a"]])
    assert io.to_native(io.read(bare)).name is None
    assert io.to_native(io.read(pl.Series([["a"]]))).name == ""
    for source in (pa.array([["a"]]), pa.chunked_array([[["a"]], [["b"]]])):
        assert isinstance(io.to_native(io.read(source)), pa.Array)
    with pytest.raises(DataError, match="has no column 'x'"):
        io.read(bare, sets="x")


def test_polars_types_stay() -> None:
    frame = pl.DataFrame({"items": [["a"], ["b"]], "x": [float("nan"), 1.0], "e": ["v", "u"], "b": [b"a", None]})
    frame = frame.with_columns(
        pl.col("e").cast(pl.Enum(["v", "u"])),
        c=pl.col("e").cast(pl.Categorical),
        at=pl.datetime(2020, 1, 1, time_zone="Europe/Berlin"),
        price=pl.lit("1.20").cast(pl.Decimal(10, 2)),
        pair=pl.concat_list("x", "x").list.to_array(2),
    )
    assert io.to_native(io.read(frame, sets="items")).schema == frame.schema
    ages = Table(pa.table({"e": ["*", "*"]}))
    data = io.read(frame.select("items", "e"))
    assert io.to_native(replace(data, table=ages))["e"].dtype == pl.String


def test_categories_inside_structs_become_texts(tmp_path: Path) -> None:
    """Those that no row uses would be dragged along."""
    frame = pl.DataFrame({"items": [["a"], ["b"]], "e": pl.Series(["v", None], dtype=pl.Enum(["secret", "v"]))})
    frame = frame.select("items", s=pl.struct("e"), l=pl.concat_list("e"))
    data = io.read(frame, sets="items")
    out = io.to_native(data)
    assert out.schema == pl.Schema(
        {"items": pl.List(pl.String), "s": pl.Struct({"e": pl.String}), "l": pl.List(pl.String)}
    )
    assert out["s"].to_list() == [{"e": "v"}, {"e": None}]
    io.write(data, tmp_path / "x.parquet")
    assert b"secret" not in (tmp_path / "x.parquet").read_bytes()


def test_python_objects_of_polars_are_refused() -> None:
    frame = pl.DataFrame({"items": [["a"]], "o": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(DataError, match="Column 'o' holds Python objects: convert them to strings, or leave it out"):
        io.read(frame)


def test_split_texts_come_back_as_lists_and_are_written_as_texts(tmp_path: Path) -> None:
    data = io.read(pl.DataFrame({"items": ["a;b", None]}), item_delimiter=";")
    assert io.to_native(data)["items"].to_list() == [["a", "b"], []]
    io.write(data, tmp_path / "x.csv")
    assert "a;b" in (tmp_path / "x.csv").read_text()


def test_long_frames_are_detected_as_long_files_are() -> None:
    frame = pd.DataFrame({"order_id": [1, 1, 2], "item": ["a", "b", "a"]})
    assert io.read(frame).transactions.sets() == [{"a", "b"}, {"a"}]


def test_options_of_tables_are_refused_for_rows() -> None:
    for options in ({"where": "x > 1"}, {"join": "x.csv:id"}, {"id_column": "id"}):
        with pytest.raises(OptionError, match="= is for tables, but the data are a list"):
            io.read([["a"]], **options)
    with pytest.raises(DataError, match="hold no records"):
        io.read(pa.table({"items": pa.array([], pa.list_(pa.string()))}))


def test_new_labels_avoid_what_separates_items_in_files() -> None:
    assert {",", "|"} <= set(io.read(pd.DataFrame({"items": [["a"]]})).origin.marks)


def test_sets_are_always_new_lists() -> None:
    """Even where the release has the sets that were read."""
    frame = pd.DataFrame({"items": [("a",), ("b",)]})
    data = io.read(frame).with_transactions(Transactions.from_sets([["a"], ["b"]]))
    assert io.to_native(data)["items"].tolist() == [["a"], ["b"]]
