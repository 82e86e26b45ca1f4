"""Left joins of streams with tables. Covers: io/join.py, io/join_spec.py, io/stream.py."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.reading_notes import Joined
from shoal.errors import DataError, OptionError
from shoal.io.join import JoinCount, join
from shoal.io.join_spec import JoinSpec
from shoal.io.stream import Stream
from shoal.report.wording import worded


def stream_of(table: pa.Table, rows: int = 2) -> Stream:
    batches = iter(table.to_batches(max_chunksize=rows))
    return Stream(table.schema, batches, "orders.parquet", lambda row: f"row {row + 1}")


def joined(left: pa.Table, right: pa.Table, key: str = "id", rows: int = 2) -> tuple[list[dict[str, Any]], JoinCount]:
    stream, count = join(stream_of(left, rows), right, JoinSpec.parse(f"products.csv:{key}"))
    return pa.Table.from_batches(stream.batches, stream.schema).to_pylist(), count


def column(values: list[Any], kind: Any = None) -> pa.Table:
    return pa.table({"id": pa.array(values, kind)})


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("p.csv:id", JoinSpec("p.csv", "id", "id")),
        ("p.csv:item=product id", JoinSpec("p.csv", "item", "product id")),
        ("a:b=c/day=3/p.csv:id", JoinSpec("a:b=c/day=3/p.csv", "id", "id")),
        (r"C:\data\p.csv:id", JoinSpec(r"C:\data\p.csv", "id", "id")),
    ],
)
def test_a_spec_names_a_file_and_its_key(text: str, spec: JoinSpec) -> None:
    assert JoinSpec.parse(text) == spec


@pytest.mark.parametrize(
    "text", ["", "p.csv", ":id", "p.csv:", "p.csv:=id", "p.csv:id=", "p.csv:a=b=c", r"C:\p.csv", "a:b/p.csv"]
)
def test_a_spec_without_file_or_key_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="write FILE:KEY, or FILE:LEFT=RIGHT"):
        JoinSpec.parse(text)


def test_records_keep_their_order_and_gain_columns() -> None:
    left = pa.table({"basket": [1, 1, 2, 3], "item": [7, 9, None, 7]})
    right = pa.table({"name": ["beer", "milk", "none"], "id": [7, 8, None]})
    rows, count = joined(left, right, "item=id")
    assert rows == [
        {"basket": 1, "item": 7, "name": "beer"},
        {"basket": 1, "item": 9, "name": None},
        {"basket": 2, "item": None, "name": None},
        {"basket": 3, "item": 7, "name": "beer"},
    ]
    assert (count.records, count.unmatched, count.without_key, count.ignored) == (4, 1, 1, 1)
    assert count.unmatched_keys.to_pylist() == [9]


def test_the_place_of_a_record_is_still_known() -> None:
    stream, _ = join(stream_of(column([1])), column([1]), JoinSpec("p.csv", "id", "id"))
    assert stream.place(0) == "row 1"
    assert stream.source == "orders.parquet"


def test_unmatched_keys_are_counted_once_over_all_batches() -> None:
    _, count = joined(column([5, 6, 5, 7, 6, 5, 1]), column([1]), rows=1)
    assert (count.unmatched, count.unmatched_keys.to_pylist()) == (6, [5, 6, 7])


def test_a_note_says_what_had_no_match() -> None:
    spec = JoinSpec("shop/products.csv", "item", "id")
    assert joined(column([1]), column([1]))[1].note(spec, "f00") == Joined("products.csv", "id", "f00", "", "")
    _, count = joined(column([5, 6, 5, None]), column([1, None]))
    note = count.note(spec, "f00")
    assert note.unmatched == (
        "3 of 4 rows have no match in products.csv by 'id'; 1 of 4 rows have no 'item'; 1 row of products.csv without "
        "'id' are ignored"
    )
    assert note.example == "2 different keys, such as '5'"
    assert joined(column([2, 2]), column([1]))[1].note(spec, "").example == "key '2'"
    assert "'5'" not in worded(note)  # it may name a person


ID = 1004906
TYPES = {
    "int32": column([ID], pa.int32()),
    "int64": column([ID]),
    "uint64": column([ID], pa.uint64()),
    "double": column([float(ID)]),
    "float": column([ID], pa.float32()),
    "decimal": column([Decimal(ID)], pa.decimal128(38, 0)),
    "money": column([Decimal(ID)], pa.decimal128(20, 2)),
    "string": column([str(ID)]),
    "large_string": column([str(ID)], pa.large_string()),
    "dictionary": column([str(ID)], pa.dictionary(pa.int8(), pa.string())),
    "numbers in a dictionary": column([ID], pa.dictionary(pa.int8(), pa.int64())),
}


@pytest.mark.parametrize("left", TYPES)
@pytest.mark.parametrize("right", TYPES)
def test_keys_of_different_types_are_compared_by_value(left: str, right: str) -> None:
    rows, count = joined(TYPES[left], TYPES[right].append_column("name", pa.array(["beer"])))
    assert rows[0]["name"] == "beer"
    assert count.unmatched == 0


def test_texts_are_compared_with_numbers_by_value_and_with_texts_as_they_are() -> None:
    left = column(["5.0", "5", "007", "2.50", "1.10", "x.0", "", " "])
    names = pa.array(["five", "more"])
    rows, count = joined(left, pa.table({"id": [5.0, 2.5], "name": names}))
    assert [row["name"] for row in rows] == ["five", "five", None, "more", None, None, None, None]
    assert (count.unmatched, count.without_key) == (3, 2)
    rows, _ = joined(left, pa.table({"id": ["5", "7"], "name": names}))
    assert [row["name"] for row in rows] == [None, "five", None, None, None, None, None, None]


def test_large_integers_are_exact() -> None:
    right = pa.table({"id": [2**53, 2**53 + 1], "name": ["even", "odd"]})
    for left in (column([2**53 + 1]), column([str(2**53 + 1)]), column([2**53 + 1], pa.uint64())):
        assert joined(left, right)[0][0]["name"] == "odd"


def test_nan_and_infinity_and_fractions_as_keys() -> None:
    left = column([float("nan"), float("inf"), 0.5, -0.0, 1e300])
    right = pa.table({"id": [0.5, 0.0, float("nan"), 1e300], "name": ["half", "zero", "nan", "huge"]})
    rows, count = joined(left, right)
    assert [row["name"] for row in rows] == [None, None, "half", "zero", "huge"]
    assert (count.without_key, count.unmatched, count.ignored) == (1, 1, 1)


def test_a_key_that_is_not_unique_is_an_error() -> None:
    with pytest.raises(DataError, match=r"products\.csv: the key 'id' .* '3' occurs 2 times: remove the extra rows"):
        joined(column([1]), column([2, 3, 3]))
    with pytest.raises(DataError, match=r"'2' occurs 3 times \(2 keys occur more than once\)"):
        joined(column([1]), column(["2", "3", "2.0", "2", "3"]))


def test_null_keys_may_occur_often() -> None:
    rows, count = joined(column([None, None]), column([None, None, 3]))
    assert (len(rows), count.ignored, count.without_key) == (2, 2, 2)


def test_a_missing_key_is_an_error_that_suggests_a_name() -> None:
    with pytest.raises(DataError, match=r"orders\.parquet has no column 'ids' \(did you mean 'id'\?\): it has 'id'\."):
        joined(column([1]), column([1]), "ids=id")
    with pytest.raises(DataError, match=r"^products\.csv has no column "):
        joined(column([1]), column([1]), "id=ids")


def test_a_column_on_both_sides_is_an_error_that_names_both_files() -> None:
    both = pa.table({"id": [1], "brand": ["x"]})
    with pytest.raises(DataError, match=r"orders\.parquet and products\.csv both have 'brand': rename or drop it"):
        joined(both, both)


def test_the_key_of_the_file_may_be_called_like_another_column() -> None:
    left = pa.table({"item": [1], "id": [9]})
    rows, _ = joined(left, pa.table({"id": [1], "name": ["beer"]}), "item=id")
    assert rows == [{"item": 1, "id": 9, "name": "beer"}]


@pytest.mark.parametrize(
    ("left", "right"),
    [(pa.bool_(), pa.int64()), (pa.timestamp("us"), pa.string()), (pa.list_(pa.int64()), pa.list_(pa.int64()))],
)
def test_types_that_cannot_be_compared_are_refused(left: Any, right: Any) -> None:
    with pytest.raises(DataError, match="cannot be compared with the type"):
        joined(column([], left), column([], right))


def test_dates_join_with_dates_and_their_text() -> None:
    day = column(["2017-01-02"])
    right = pa.table({"id": pa.array(["2017-01-02"]).cast(pa.date32()), "name": ["monday"]})
    for left in (day, day.cast(pa.schema([("id", pa.date32())]))):
        assert joined(left, right)[0][0]["name"] == "monday"


def test_empty_sides() -> None:
    assert joined(column([], pa.int64()), column([1]))[0] == []
    rows, count = joined(column([1]), pa.table({"id": pa.array([], pa.string()), "name": pa.array([], pa.string())}))
    assert rows == [{"id": 1, "name": None}]
    assert count.unmatched == 1
    assert joined(column([None, None]), column([1]))[1].without_key == 2


def test_joined_columns_keep_their_type_and_may_be_null() -> None:
    fields = [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", pa.dictionary(pa.int8(), pa.string()), False),
    ]
    names = pa.array(["beer"]).dictionary_encode().cast(fields[1].type)
    right = pa.table([pa.array([1]), names], schema=pa.schema(fields))
    stream, _ = join(stream_of(column([1, 2])), right, JoinSpec("p.csv", "id", "id"))
    assert stream.schema.field("name") == pa.field("name", pa.dictionary(pa.int8(), pa.string()))
    assert [row["name"] for batch in stream.batches for row in batch.to_pylist()] == ["beer", None]


keys = st.one_of(
    st.lists(st.none() | st.integers(-3, 3)),
    st.lists(st.none() | st.sampled_from([-2.0, -0.0, 0.0, 0.5, 2.0, float("nan")])),
    st.lists(st.none() | st.sampled_from(["", " ", "-2", "0", "2", "2.0", "0.50", "x", "ä"])),
)


def by_value(key: Any, parse: bool) -> str | None:
    """The oracle: a key as text, by Python's own rules."""
    if key is None or key != key or not str(key).strip():
        return None
    if isinstance(key, str):
        if not parse or not key.lstrip("-").replace(".", "", 1).isdigit():
            return key
        key = Decimal(key)
    return f"{int(key)}" if key == int(key) else f"{float(key)}"


@given(left=keys, right=keys, rows=st.integers(1, 5))
def test_it_is_a_lookup_in_a_dict(left: list[Any], right: list[Any], rows: int) -> None:
    parse = any(isinstance(key, int | float) for key in (*left, *right))
    match: dict[str | None, int] = {}
    for row, key in enumerate(right):
        match.setdefault(by_value(key, parse), row)
    match.pop(None, None)
    unique = [row for row, key in enumerate(right) if by_value(key, parse) is None or row in match.values()]
    table = pa.table({"id": pa.array([right[row] for row in unique], type_of(right)), "row": unique or pa.nulls(0)})
    result, count = joined(column(left, type_of(left)), table, rows=rows)
    wanted = [match.get(by_value(key, parse)) for key in left]
    assert [row["row"] for row in result] == wanted
    missing = [by_value(key, parse) for key, row in zip(left, wanted, strict=True) if row is None]
    assert count.without_key == missing.count(None)
    assert count.unmatched == len(missing) - missing.count(None)
    assert len(count.unmatched_keys) == len({*missing} - {None})


def type_of(values: list[Any]) -> Any:
    kinds = {str: pa.string(), float: pa.float64(), int: pa.int64()}
    return kinds[next((type(value) for value in values if value is not None), str)]
