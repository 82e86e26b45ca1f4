"""Long data that need care: nulls, quantities, types of ids and items, and roles that make no sense.

Covers: io/runs.py, io/roles.py, io/long.py.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import Dataset
from shoal.data.reading_notes import NullItemsDropped, VaryingColumns
from shoal.errors import DataError, OptionError
from tests.budget import examples
from tests.io.long_tables import FORMATS, batches_of, columns_of


def read(source: Any, **options: Any) -> Dataset:
    return shoal.read(source, **{"id_column": "id", "item_column": "item", **options})


def arrow(ids: list[Any], items: list[Any], **others: Any) -> pa.Table:
    return pa.table({"id": ids, "item": items, **others})


# -- what is missing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "feather", "jsonl", "pandas", "polars", "arrow", "duckdb"])
def test_null_items_are_refused_with_their_first_place_and_count(format: str, tmp_path: Path) -> None:
    rows = [{"id": at // 2, "item": None if at in (3, 5) else "x"} for at in range(7)]
    with batches_of(2), pytest.raises(DataError) as error:
        read(FORMATS[format](rows, tmp_path))
    place = "line 4" if format == "jsonl" else "row 4"
    assert f", {place}: 'item' is null (2 such rows): fill it in, or pass drop_null_items=True." in str(error.value)


@pytest.mark.parametrize("format", ["parquet", "feather", "jsonl", "pandas", "polars", "arrow", "duckdb"])
def test_a_record_whose_items_are_all_null_survives_if_they_are_dropped(format: str, tmp_path: Path) -> None:
    rows = [{"id": id, "item": item} for id, item in [(1, "a"), (1, None), (2, None), (2, None), (3, "b")]]
    with batches_of(2):
        data = read(FORMATS[format](rows, tmp_path), drop_null_items=True)
    assert data.transactions.sets() == [{"a"}, frozenset(), {"b"}]
    assert NullItemsDropped("item", 3) in data.origin.notes


@pytest.mark.parametrize("format", FORMATS)
def test_ids_that_are_missing_are_refused_with_their_first_place_and_count(format: str, tmp_path: Path) -> None:
    rows = [{"id": None if at in (4, 5) else f"c{at}", "item": "x"} for at in range(7)]
    with batches_of(2, 60), pytest.raises(DataError) as error:
        read(FORMATS[format](rows, tmp_path), where="item == 'x'")
    place = {"csv": "line 6", "tsv": "line 6", "jsonl": "line 5"}.get(format, "row 5")
    assert f", {place}: 'id' is empty, so the record has no id (2 such rows)" in str(error.value)
    assert "where='id is not null'" in str(error.value)


def test_a_blank_id_is_none_in_any_of_several_columns() -> None:
    table = arrow([1, 1, 2], ["a", "b", "c"], day=["x", " ", "y"])
    with pytest.raises(DataError, match=r"row 2: 'id' or 'day' is empty.*'id is not null and day is not null'"):
        read(table, id_column=("id", "day"))


def test_nan_is_null() -> None:
    assert read(arrow([1, 1], [1.0, float("nan")]), drop_null_items=True).transactions.sets() == [{"1"}]
    with pytest.raises(DataError, match="row 2: 'id' is empty"):
        read(arrow([1.0, float("nan")], ["a", "b"]))


def test_a_place_is_that_of_the_file_after_a_filter(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("id,item,week\n1,a,1\n2,b,9\n,c,9\n3,d,2\n,e,2\n")
    with pytest.raises(DataError, match=r"orders.csv, line 6: 'id' is empty.*\(1 such row\)"):
        read(path, where="week < 5")


# -- quantities --------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.integers(1, 5)), min_size=1, max_size=20),
    st.sampled_from(sorted(FORMATS)),
    st.integers(1, 6),
)
@examples(120)
def test_quantities_are_summed(rows: list[tuple[int, str, int]], format: str, size: int) -> None:
    counts: dict[int, Counter[str]] = {}
    for id, item, quantity in rows:
        counts.setdefault(id, Counter())[item] += quantity
    table = [{"id": id, "n": quantity, "item": item} for id, item, quantity in rows]
    with tempfile.TemporaryDirectory() as folder, batches_of(size, 60):
        data = read(FORMATS[format](table, Path(folder)), quantity_column="n", multiset=True)
    wanted = [{f"{item}*{times}" for item, times in counts[id].items()} for id in sorted(counts)]
    assert data.transactions.sets() == wanted
    assert VaryingColumns(("n",)) in data.origin.notes


def test_where_there_is_no_item_there_need_be_no_quantity() -> None:
    table = arrow([1, 1, 2, 3], ["a", "a", "", None], n=["2", " 3.0", "", "x"])
    data = read(table, quantity_column="n", multiset=True, drop_null_items=True)
    assert data.transactions.sets() == [{"a*5"}, frozenset(), frozenset()]


@pytest.mark.parametrize(
    ("quantities", "got"),
    [
        ([1, 0], "'0'"),
        ([1, -2], "'-2'"),
        ([1, None], "nothing"),
        ([1.0, 2.5], "'2.5'"),
        ([1.0, float("inf")], "'inf'"),
        (["1", "two"], "'two'"),
        (["1", ""], "''"),
        (["1", "1e3"], "'1e3'"),
        ([1, 2**40], "'1099511627776'"),
        ([Decimal("1.0"), Decimal("1.5")], "'1.5'"),
        ([True, False], "'True'"),
    ],
)
def test_quantities_are_whole_numbers_from_1(quantities: list[Any], got: str) -> None:
    row = 1 if quantities[0] is True else 2
    with pytest.raises(DataError) as error:
        read(arrow([1, 1], ["a", "b"], n=quantities), quantity_column="n", multiset=True)
    assert f"row {row}: column 'n' must be a whole number from 1 to 1,000,000,000, got {got}: " in str(error.value)


@pytest.mark.parametrize("quantities", [[1.0, 2.0], ["1", "02"], [Decimal(1), Decimal("2.00")], pd.Categorical([1, 2])])
def test_whole_quantities_may_be_of_any_type(quantities: Any) -> None:
    frame = pd.DataFrame({"id": [1, 1], "item": ["a", "b"], "unit sold": quantities})
    data = read(frame, quantity_column="unit sold", multiset=True)
    assert data.transactions.sets() == [{"a*1", "b*2"}]


def test_a_remedy_can_be_pasted_also_for_a_name_with_a_space() -> None:
    table = arrow([1, 1], ["a", "b"], **{"units sold": [0, 1]})
    options = {"quantity_column": "units sold", "multiset": True}
    with pytest.raises(DataError, match="where='`units sold` >= 1'"):
        read(table, **options)
    assert read(table, **options, where="`units sold` >= 1").transactions.sets() == [{"b*1"}]


# -- types -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ids",
    [
        [True, False, True],
        [b"x", b"y", b"x"],
        [Decimal("1.5"), Decimal("2.5"), Decimal("1.5")],
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), pa.array(["x", "y", "x"])),  # x occurs twice
        pa.array(["x", "y", "x"], pa.large_string()),
        pa.array([7, 9, 7], pa.uint64()),
        pa.array([b"x", b"y", b"x"], pa.binary_view()),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16, b"y" * 16, b"x" * 16], pa.binary(16))),
        pa.chunked_array(  # 7 occurs twice in the categories of one part
            [
                pa.DictionaryArray.from_arrays([0, 1], pa.array([7, 9])),
                pa.DictionaryArray.from_arrays([2], pa.array([7, 9, 7])),
            ]
        ),
    ],
)
def test_ids_may_be_of_any_type_that_can_be_compared(ids: Any) -> None:
    assert set(read(arrow(ids, ["a", "b", "c"])).transactions.sets()) == {frozenset("ac"), frozenset("b")}


def test_columns_of_extension_types_are_compared() -> None:
    store = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16, b"x" * 16, b"y" * 16], pa.binary(16)))
    data = read(
        pa.table({"id": [1, 1, 2], "item": ["a", "b", "c"], "store": store, "line": store.take(pa.array([0, 2, 2]))})
    )
    assert data.table is not None
    assert data.table.names == ("store",)
    assert data.table.arrow.column("store").type == pa.uuid()


def test_ids_of_several_types_are_refused() -> None:
    """Nobody can tell whether 1 and "1" are the same record."""
    with pytest.raises(DataError, match=r"^Column 'id' holds objects of several types \(int, str\)"):
        read(pd.DataFrame({"id": [1, "1", "x"], "item": ["a", "b", "c"]}))


def test_a_null_among_categories_is_a_null() -> None:
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["x", None, "y"]))
    with pytest.raises(DataError, match="row 2: 'id' is empty"):
        read(arrow(ids, ["a", "b", "c"]))


def test_categories_of_several_parts_may_be_more_than_their_codes_can_count() -> None:
    small = pa.dictionary(pa.int8(), pa.string())
    parts = [arrow(pa.array([f"{at}.{id}" for id in range(100)]).cast(small), ["x"] * 100) for at in range(3)]
    assert len(read(pa.concat_tables(parts))) == 300


def test_columns_of_categories_stay_categories() -> None:
    frame = pd.DataFrame(
        {"id": [2, 1, 2], "item": pd.Categorical(["a", "b", "c"]), "store": pd.Categorical(["N", "S", "N"])}
    )
    data = read(frame)
    assert data.transactions.sets() == [{"b"}, {"a", "c"}]
    assert columns_of(data) == {"store": ["S", "N"]}
    assert data.table is not None
    assert pa.types.is_dictionary(data.table.arrow.schema.field("store").type)


@pytest.mark.parametrize("items", [[1.5, 2.0], [True, False], [["a"], ["b"]], [b"a", b"b"]])
def test_items_are_texts_or_whole_numbers(items: list[Any]) -> None:
    with pytest.raises(DataError, match="the Table, column 'item': items must be strings or integers, got "):
        read(arrow([1, 1], items))


# -- roles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "kind"),
    [([[1], [2]], "list<"), ([{"a": 1}, {"a": 2}], "struct<"), (pa.nulls(2, pa.float16()), "halffloat")],
)
def test_what_has_no_order_is_no_id(ids: Any, kind: str) -> None:
    with pytest.raises(DataError, match=rf"column 'id' cannot be an id, as it holds {kind}.*id_column="):
        read(arrow(ids, ["a", "b"]))


@pytest.mark.parametrize("options", [{"id_column": "item"}, {"id_column": ("id", "id")}, {"quantity_column": "id"}])
def test_roles_must_differ(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"must differ, got '(item|id)' twice"):
        read(arrow([1, 1], ["a", "b"]), multiset=True, **options)


def test_a_quantity_is_for_multisets() -> None:
    with pytest.raises(OptionError, match="quantity_column= is for multisets: pass multiset=True too"):
        read(arrow([1, 1], ["a", "b"], n=[1, 2]), quantity_column="n")


@pytest.mark.parametrize("role", ["id_column", "item_column", "quantity_column"])
def test_a_column_that_is_not_there_is_refused_with_the_nearest_name(role: str) -> None:
    table = arrow([1], ["a"], product_id=[5])
    with pytest.raises(DataError, match=r"has no column 'product_idd' \(did you mean 'product_id'\?\): it has 'id', "):
        read(table, multiset=True, **{role: "product_idd"})


def test_what_is_not_said_must_be_plain(tmp_path: Path) -> None:
    two, three = arrow([1, 1], ["a", "b"]), arrow([1, 1], ["a", "b"], n=[1, 2])
    assert shoal.read(two, id_column="id").transactions.sets() == [{"a", "b"}]
    assert shoal.read(two, item_column="item").transactions.sets() == [{"a", "b"}]
    assert shoal.read(three, quantity_column="n", multiset=True).transactions.sets() == [{"a*1", "b*2"}]
    with pytest.raises(DataError, match=r"which column is the record id.*pass item_column="):
        shoal.read(three, id_column="id")
    with pytest.raises(DataError, match=r"which column is the record id.*pass id_column="):
        shoal.read(three, item_column="item")


def test_long_data_are_told_by_their_content_where_that_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("order_id,product\n1,a\n1,b\n2,a\n")
    assert shoal.read(path).transactions.sets() == [{"a", "b"}, {"a"}]
    table = pa.table({"order_id": [1, 1, 2], "product": ["a", "b", "a"]})
    batches = table.to_batches(max_chunksize=1)  # the first one alone tells nothing
    assert shoal.read(pa.Table.from_batches(batches)).transactions.sets() == [{"a", "b"}, {"a"}]
    path.write_text("order_id,product\n1,a|b\n1,b\n2,a\n")  # a cell with two items
    with pytest.raises(DataError, match=r"which column holds the sets.*id_column="):
        shoal.read(path)
    path.write_text("order_id,product\n1,a\n2,b\n3,a\n")  # no id recurs
    with pytest.raises(DataError, match=r"which column holds the sets.*id_column="):
        shoal.read(path)
