"""Long stays long, wide stays wide, and each can become the other. Covers: io/writing.py, io/long.py."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.data import Dataset, Transactions
from shoal.engines import Engine
from shoal.errors import DataError, OptionError
from tests.budget import examples
from tests.io.long_tables import columns_of

TABULAR = ["csv", "tsv", "jsonl", "parquet", "feather"]
LABELS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1)
ITEMS = LABELS.filter(str.strip)
CELLS = st.sampled_from(["", "a", "007", "x,y", 'say "hi"'])


@st.composite
def wide_data(draw: st.DrawFn) -> pa.Table:
    sets = draw(st.lists(st.frozensets(ITEMS, max_size=4), min_size=1, max_size=12))
    columns = {}
    for name in draw(st.lists(st.sampled_from(["id", "item", "label", "age", "städte"]), unique=True, max_size=3)):
        columns[name] = pa.array(draw(st.lists(CELLS, min_size=len(sets), max_size=len(sets))), pa.string())
    columns["sets"] = pa.array([sorted(one) for one in sets], pa.list_(pa.string()))
    return pa.table(columns)


def round_trip(data: Dataset, path: Path, **options: Any) -> Dataset:
    """Write the data, and read them with the options that are said to give them back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of delimiters and formulas
        io.write(data, path, **options)
        return io.read(path, **io.options_to_read(data, path, **options))


@pytest.mark.parametrize(
    "format", [pytest.param(one, marks=pytest.mark.slow) if one in ("tsv", "feather") else one for one in TABULAR]
)
@given(wide_data())
@examples(60)
def test_wide_to_long_to_wide_gives_the_same_records(format: str, table: pa.Table) -> None:
    data = io.read(table)
    with tempfile.TemporaryDirectory() as folder:
        long = round_trip(data, Path(folder) / f"long.{format}", layout="long")
        same = round_trip(long, Path(folder) / f"same.{format}")
        wide = round_trip(same, Path(folder) / f"wide.{format}", layout="wide", item_delimiter=_mark(format))
    assert long.transactions.sets() == same.transactions.sets() == data.transactions.sets()
    assert columns_of(long) == columns_of(same) == columns_of(data)
    assert wide.transactions.sets() == data.transactions.sets()
    assert columns_of(wide) == columns_of(data)


def _mark(format: str) -> str | None:
    """What no label contains."""
    return "\x1f\x1e\x1f" if format in ("csv", "tsv") else None


ORDERS = pa.table({"store": [2, 2, 1], "basket": [1, 1, 9], "item": ["b", "a", "c"], "week": [5, 5, 6]})


@pytest.mark.parametrize("format", TABULAR)
def test_long_stays_long_with_running_numbers(format: str, tmp_path: Path) -> None:
    data = io.read(ORDERS, id_column="basket", item_column="item")
    path = tmp_path / f"out.{format}"
    io.write(data, path)
    rows = io.read_table(path).to_pylist()
    assert [str(row["basket"]) for row in rows] == ["1", "1", "2"]
    assert [row["item"] for row in rows] == ["a", "b", "c"]
    assert list(rows[0]) == ["store", "basket", "item", "week"]  # as they stood


def test_several_ids_become_one_number_unless_all_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    options: dict[str, Any] = {"id_column": ("store", "basket"), "item_column": "item"}
    io.write(io.read(ORDERS, **options), path)
    assert path.read_text() == "id,item,week\n1,c,6\n2,a,5\n2,b,5\n"
    kept = io.read(ORDERS, **options, keep_ids=True)
    io.write(kept, path)
    assert path.read_text() == "store,basket,item,week\n1,9,c,6\n2,1,a,5\n2,1,b,5\n"
    assert io.options_to_read(kept, path)["keep_ids"] is True
    io.write(kept.keep_columns(["basket"]), path)
    assert path.read_text() == "id,item,basket\n1,c,9\n2,a,1\n2,b,1\n"
    assert io.options_to_read(kept.keep_columns(["basket"]), path)["id_column"] == "id"


def test_a_record_without_items_is_a_row_with_a_blank_item(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    io.write(io.read([{"b", "a"}, set(), {"c"}]), path, layout="long")
    assert path.read_text() == "id,item\n1,a\n1,b\n2,\n3,c\n"


def test_the_columns_of_long_data_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    io.write(io.read([{"a"}]), path, layout="long", id_column="basket", item_column="product")
    assert path.read_text() == "basket\tproduct\n1\ta\n"


def test_the_sets_of_wide_data_find_a_free_name(tmp_path: Path) -> None:
    data = io.read(pa.table({"id": [1, 1], "item": ["a", "b"], "items": [2, 2]}), id_column="id", item_column="item")
    io.write(data, tmp_path / "x.csv", layout="wide")
    assert (tmp_path / "x.csv").read_text() == "items,item_set\n2,a|b\n"


def test_a_column_can_be_the_id_of_wide_data_that_become_long(tmp_path: Path) -> None:
    table = pa.table({"code": ["x", "y"], "twice": ["z", "z"], "gaps": ["v", ""], "items": [["a"], ["b"]]})
    path, data = tmp_path / "out.csv", io.read(table)
    io.write(data, path, layout="long", id_column="code")
    assert path.read_text() == "code,item,twice,gaps\nx,a,z,v\ny,b,z,\n"
    with pytest.raises(DataError, match="Column 'twice' has the same id in several records, so long data would merge"):
        io.write(data, path, layout="long", id_column="twice")
    with pytest.raises(DataError, match="Column 'gaps' has no value in record 2, so it cannot be the id"):
        io.write(data, path, layout="long", id_column="gaps")
    with pytest.raises(DataError, match="Column 'code' exists already: leave it out"):
        io.write(data, path, layout="long", item_column="code")


def test_long_data_are_written_wide_where_a_format_has_no_columns(tmp_path: Path) -> None:
    data = io.read(ORDERS.drop_columns(["week", "store"]), id_column="basket", item_column="item")
    io.write(data, tmp_path / "out.dat")
    assert (tmp_path / "out.dat").read_text() == "a b\nc\n"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_long_frames_are_given_back_as_long_frames(frame: Any) -> None:
    source = frame({"basket": [9, 2, 9], "item": ["b", "c", "a"], "store": ["N", "S", "N"]})
    native = io.to_native(io.read(source, id_column="basket", item_column="item"))
    assert type(native) is type(source)
    arrow = pa.Table.from_pandas(native) if isinstance(native, pd.DataFrame) else pa.table(native)
    assert arrow.to_pylist() == [
        {"basket": 1, "item": "c", "store": "S"},
        {"basket": 2, "item": "a", "store": "N"},
        {"basket": 2, "item": "b", "store": "N"},
    ]


SETS, TABLE = [["a"]], pa.table({"age": [3]})


@pytest.mark.parametrize(
    ("source", "name", "options", "error"),
    [
        (SETS, "out.dat", {"layout": "long"}, "Format fimi has no columns, so it cannot be long: write csv, tsv"),
        (SETS, "out.csv", {"layout": "tall"}, "layout= must be one of wide, long, got 'tall'"),
        (SETS, "out.csv", {"id_column": "x"}, "id_column= is for long data: pass layout='long' too"),
        (SETS, "out.csv", {"layout": "long", "sets": "x"}, "sets= is for wide data: pass layout='wide' too"),
        (SETS, "out.csv", {"layout": "long", "item_delimiter": "|"}, "item_delimiter= is for wide data"),
        (SETS, "out.csv", {"layout": "long", "id_column": "x", "item_column": "x"}, "must differ, got 'x' twice"),
        (TABLE, "out.csv", {"layout": "long"}, "layout='long' is for sets, but the data have none"),
        (TABLE, "out.csv", {"id_column": "x"}, "id_column= is for data with one column of sets"),
    ],
)
def test_options_that_make_no_sense(
    source: Any, name: str, options: dict[str, str], error: str, tmp_path: Path
) -> None:
    data = io.read(source, no_sets=source is not SETS)
    with pytest.raises(OptionError, match=error):
        io.write(data, tmp_path / name, **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_several_columns_of_sets_cannot_be_long(tmp_path: Path) -> None:
    data = io.read(pa.table({"a": [["x"]], "b": [["y"]]}), sets=("a", "b"))
    with pytest.raises(OptionError, match="layout='long' is for one column of sets, but the data have several"):
        io.write(data, tmp_path / "out.csv", layout="long")


NAMES = ["x.dat", "x.basket", "x.csv", "x.jsonl", "x.parquet", "x.feather", "x.dat.gz", "x.csv.zst"]


@pytest.mark.parametrize("name", NAMES)
def test_the_hash_and_the_bytes_are_the_same_for_any_workers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches are written and hashed by one more thread, after the first one."""
    monkeypatch.setattr("shoal.io.coding.BATCH_ROWS", 100)
    data = io.read([[f"i{row % 7}", f"j{row % 11}", f"k{row}"] for row in range(1_000)])
    hashes = set()
    for workers in (1, 2, 3):
        with Engine(workers=workers).in_use():
            told = io.write(data, tmp_path / name)
        assert told == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        hashes.add(told)
    assert len(hashes) == 1
    assert io.read(tmp_path / name).transactions.sets() == data.transactions.sets()


def test_rows_can_be_written_as_they_come(tmp_path: Path) -> None:
    with io.open_writer(tmp_path / "out.csv") as writer:
        writer.write([["b", "a"], []])
        writer.write(Transactions.from_sets([{"c"}]))
        assert writer.rows == 3
    assert io.read(tmp_path / "out.csv").transactions.sets() == [{"a", "b"}, frozenset(), {"c"}]
