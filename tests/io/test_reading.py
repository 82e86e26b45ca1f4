"""Joins and filters on the way from a source to records, and what is refused.

Covers: io/reading.py io/records.py io/read_table.py.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import io
from shoal.data import Dataset
from shoal.data.reading_notes import Filtered, IdsReplaced, Joined, NullItemsDropped, VaryingColumns
from shoal.errors import DataError, OptionError
from shoal.files import sha256_of
from shoal.io.read_table import read_table
from tests.budget import examples
from tests.conftest import Shell
from tests.io.long_tables import FORMATS, Row, batches_of, columns_of

ORDERS = "basket,product,qty\n1,10,1\n1,11,2\n2,12,1\n2,99,1\n3,11,1\n"
PRODUCTS = "product,type,dept\n10,milk,D\n11,beer,B\n12,milk,D\n"
DEPARTMENTS = "name,floor\nD,1\nB,2\n"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"orders": ORDERS, "products": PRODUCTS, "departments": DEPARTMENTS}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def read(source: Any = "orders.csv", **options: Any) -> Dataset:
    return shoal.read(source, **{"id_column": "basket", **options})


# -- joins -------------------------------------------------------------------------------------------------------------


def test_items_may_be_a_joined_column(shop: Path) -> None:
    data = read(join="products.csv:product", item_column="type", drop_null_items=True)
    assert data.transactions.sets() == [{"milk", "beer"}, {"milk"}, {"beer"}]
    told = "1 of 5 rows have no match in products.csv by 'product'"
    assert f"joined with products.csv: {told} (key '99')" in io.summary(data)
    assert list(data.origin.notes) == [
        Joined("products.csv", "product", sha256_of(shop / "products.csv"), told, "key '99'"),
        IdsReplaced(("basket",)),
        VaryingColumns(("product", "qty", "dept")),
        NullItemsDropped("type", 1),
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_blank_item_of_a_joined_file_is_none_in_any_format(shop: Path, suffix: str) -> None:
    """It would get lost without a word, if a blank in a CSV file meant a record without items."""
    products = pd.DataFrame({"product": [10, 11, 12, 99], "type": ["milk", None, "milk", "ale"]})
    getattr(products, f"to_{suffix}")(f"more.{suffix}", index=False)
    with pytest.raises(
        DataError, match=r"line 3: 'type' is null \(2 such rows\), because the joined file more\.\w+ has no match"
    ):
        read(join=f"more.{suffix}:product", item_column="type")


def test_an_item_without_a_match_is_refused_with_the_file_that_lacks_it(shop: Path) -> None:
    with pytest.raises(DataError) as error:
        read(join="products.csv:product", item_column="type")
    assert str(error.value) == (
        "orders.csv, line 5: 'type' is null (1 such row), because the joined file products.csv has no match or no "
        "value for it: fill it in, or pass drop_null_items=True."
    )


def test_joins_follow_each_other(shop: Path) -> None:
    joins = ("products.csv:product", "departments.csv:dept=name")
    data = read(join=joins, item_column="floor", where="floor is not null")
    assert data.transactions.sets() == [{"1", "2"}, {"1"}, {"2"}]
    assert [type(note) for note in data.origin.notes[:3]] == [Joined, Joined, Filtered]


def test_ids_may_be_a_joined_column(shop: Path) -> None:
    options = {"join": "products.csv:product", "id_column": "dept", "item_column": "product"}
    with pytest.raises(DataError, match=r"'dept' is empty.*joined file products.csv.*where='dept is not null'"):
        read(**options)
    assert read(**options, where="dept is not null").transactions.sets() == [{"11"}, {"10", "12"}]


@pytest.mark.parametrize("keys", [[10, 11, 12], [10.0, 11.0, 12.0], ["10", "11", "12"], pd.Categorical([10, 11, 12])])
def test_keys_may_be_of_other_types(shop: Path, keys: Any) -> None:
    pd.DataFrame({"id": keys, "type": ["milk", "beer", "milk"]}).to_parquet("types.parquet")
    data = read(join="types.parquet:product=id", item_column="type", drop_null_items=True)
    assert data.transactions.sets() == [{"milk", "beer"}, {"milk"}, {"beer"}]


def test_a_folder_can_be_joined(shop: Path) -> None:
    (shop / "parts").mkdir()
    (shop / "parts/a.csv").write_text(PRODUCTS)
    (shop / "parts/b.csv").write_text("dept,type,product\nX,wine,99\n")
    data = read(join="parts:product", item_column="type")
    assert data.transactions.sets() == [{"milk", "beer"}, {"milk", "wine"}, {"beer"}]


def test_the_header_of_a_joined_file_is_sure_if_it_has_the_key(shop: Path) -> None:
    (shop / "types.csv").write_text("a,b\n10,x\n11,y\n12,z\n99,w\n")
    data = read(join="types.csv:product=a", item_column="b")
    assert data.transactions.sets() == [{"x", "y"}, {"z", "w"}, {"y"}]


def test_wide_data_can_be_joined_and_filtered(shop: Path) -> None:
    (shop / "wide.csv").write_text("household,items\n1,a|b\n2,c\n9,\n")
    (shop / "people.csv").write_text("household,age\n1,30\n2,40\n")
    data = shoal.read("wide.csv", join="people.csv:household")
    assert data.transactions.sets() == [{"a", "b"}, {"c"}, frozenset()]
    assert columns_of(data) == {"household": ["1", "2", "9"], "age": ["30", "40", ""]}
    older = shoal.read("wide.csv", join="people.csv:household", where="age > 30")
    assert older.transactions.sets() == [{"c"}]
    assert older.origin.notes[1] == Filtered("age > 30", 1, 3)
    table = shoal.read("wide.csv", join="people.csv:household", no_sets=True)
    assert list(columns_of(table)) == ["household", "items", "age"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_can_be_joined_and_filtered(shop: Path, frame: Any) -> None:
    long = frame({"basket": [2, 1, 1], "product": [12, 10, 11], "day": [1, 3, 3]})
    data = read(long, join="products.csv:product", item_column="type", where="dept == 'D'")
    assert data.transactions.sets() == [{"milk"}, {"milk"}]
    wide = frame({"dept": ["B", "D"], "items": [["x"], ["y", "z"]]})
    data = shoal.read(wide, join="departments.csv:dept=name")
    assert data.transactions.sets() == [{"x"}, {"y", "z"}]
    assert columns_of(data) == {"dept": ["B", "D"], "floor": ["2", "1"]}
    native = shoal.io.to_native(data)
    assert type(native) is type(wide)
    assert list(getattr(native, "column_names", None) or native.columns) == ["dept", "items", "floor"]


@pytest.mark.parametrize(
    ("join", "kind", "error"),
    [
        ("products.csv", OptionError, r"The join 'products.csv' names no key: write FILE:KEY"),
        ("products.csv:prodct", DataError, r"orders.csv has no column 'prodct' \(did you mean 'product'\?\)"),
        ("products.csv:product=id", DataError, r"products.csv has no column 'id': it has 'product'"),
        ("nothing.csv:product", DataError, r"nothing.csv does not exist: check the path"),
        ("orders.csv:basket", DataError, r"orders.csv: the key 'basket' of a join must be unique, but '1' occurs 2 ti"),
        ("same.csv:product", DataError, r"orders.csv and same.csv both have 'qty': rename or drop it"),
        ("baskets.dat:product", DataError, r"baskets.dat is read as fimi, which has no columns: wanted csv"),
    ],
)
def test_joins_that_cannot_be(shop: Path, join: str, kind: type[Exception], error: str) -> None:
    (shop / "same.csv").write_text("product,qty\n10,1\n")
    (shop / "baskets.dat").write_text("1 2\n")
    with pytest.raises(kind, match=error):
        read(join=join, item_column="product")


# -- filters -----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd"), st.integers(0, 9)), min_size=1, max_size=25),
    st.integers(0, 9),
    st.sampled_from(["csv", "jsonl", "parquet", "feather", "pandas", "arrow"]),
)
@examples(100)
def test_rows_are_filtered_before_they_are_grouped(rows: list[tuple[int, str, int]], most: int, format: str) -> None:
    table: list[Row] = [{"basket": basket, "item": item, "week": week} for basket, item, week in rows]
    records: dict[int, set[str]] = {}
    for basket, item, week in rows:
        if week <= most:
            records.setdefault(basket, set()).add(item)
    with tempfile.TemporaryDirectory() as folder, batches_of(3, 80):
        source = FORMATS[format](table, Path(folder))
        if not records:
            with pytest.raises(DataError, match=f"fulfils where='week <= {most}' .{len(rows)} were read.: correct"):
                read(source, item_column="item", where=f"week <= {most}")
            return
        data = read(source, item_column="item", where=f"week <= {most}")
    assert data.transactions.sets() == [records[basket] for basket in sorted(records)]


@pytest.mark.parametrize(
    ("where", "kind", "error"),
    [
        ("quantity > 1", OptionError, r"no column 'quantity' in orders.csv, which has"),
        ("qty > true", DataError, r"line 3: column 'qty' has '2', but the filter needs true or false"),
        ("qty >", OptionError, r"qty >"),
        ("product < 11 and qty < 'x' and basket == 7", DataError, r"No row of orders.csv fulfils where="),
    ],
)
def test_filters_that_cannot_be(shop: Path, where: str, kind: type[Exception], error: str) -> None:
    with pytest.raises(kind, match=error):
        read(item_column="product", where=where)


def test_a_cell_that_is_no_number_is_named_with_its_line(shop: Path) -> None:
    (shop / "orders.csv").write_text(ORDERS + "4,10,many\n")
    with pytest.raises(DataError, match=r"orders.csv, line 7: column 'qty' has 'many', but the filter needs a number"):
        read(item_column="product", where="qty <= 1")


# -- what else is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [[["a"]], pd.Series([["a"]]), pl.Series([["a"]]), pa.array([["a"]])])
@pytest.mark.parametrize("option", [{"id_column": "basket"}, {"where": "a > 1"}, {"join": "x.csv:a"}])
def test_options_of_tables_are_for_tables(source: Any, option: dict[str, str]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(option))}= is for tables, but the data are a "):
        shoal.read(source, **option)


def test_a_frame_must_have_rows() -> None:
    with pytest.raises(DataError, match="The data hold no records: give at least one set"):
        read(pd.DataFrame({"basket": [], "item": []}), item_column="item")
    with pytest.raises(DataError, match=r"LazyFrame, which has no rows yet: call its .collect\(\) first"):
        read(pl.LazyFrame({"basket": [1], "item": ["a"]}), item_column="item")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sets": "product"}, "sets= is for a column of sets, but id_column= and item_column= say"),
        ({"item_delimiter": "|"}, "item_delimiter= is for a column of sets, but id_column= and item_column= say"),
        ({"no_sets": True}, "id_column= is for sets, but with no_sets=True"),
        ({"format": "fimi"}, "Format fimi has no option id_column="),
    ],
)
def test_options_that_contradict_each_other(shop: Path, options: dict[str, Any], error: str) -> None:
    with pytest.raises(OptionError, match=error):
        read(**options)


def test_options_of_long_data_are_refused_for_wide_data(shop: Path) -> None:
    (shop / "wide.csv").write_text("id,items\n1,a|b\n")
    for option in ("keep_ids", "drop_null_items"):
        with pytest.raises(OptionError, match=f"{option}= is for data with one row per item: pass id_column="):
            shoal.read("wide.csv", **{option: True})


def test_a_truncated_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    pyarrow.parquet.write_table(pa.table({"basket": [1], "item": ["a"]}), path)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(DataError, match=r"orders.parquet is not a parquet file, or it is damaged"):
        read(path, item_column="item")


def test_a_table_can_be_read_with_some_of_its_columns(shop: Path) -> None:
    assert read_table("products.csv").column_names == ["product", "type", "dept"]
    assert read_table("products.csv", ["dept", "product"]).to_pydict() == {
        "dept": ["D", "B", "D"],
        "product": ["10", "11", "12"],
    }
    with pytest.raises(DataError, match=r"products.csv has no column 'typ' \(did you mean 'type'\?\): it has"):
        read_table("products.csv", ["typ"])


@pytest.mark.parametrize(
    "words",
    [
        ["--id-column", "baskt"],
        ["--id-column", "basket", "--item-column", "type"],
        ["--join", "products.csv"],
        ["--join", "orders.csv:basket", "--item-column", "product"],
        ["--join", "products.csv:product", "--item-column", "type"],
        ["--where", "price > 3", "--item-column", "product"],
        ["--where", "basket > 30", "--item-column", "product"],
    ],
)
def test_a_command_ends_with_code_2_and_writes_nothing(shop: Path, shell: Shell, words: list[str]) -> None:
    shell.monkeypatch.chdir(shop)
    before = sorted(path.name for path in shop.iterdir())
    given = [] if "--id-column" in words else ["--id-column", "basket"]
    code, out, err = shell("anonymize", "orders.csv", *given, *words, "--k", "2", "--m", "1", "-o", "out.csv")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) <= 4
    assert sorted(path.name for path in shop.iterdir()) == before
