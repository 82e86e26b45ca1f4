"""Filters of streams by simple expressions. Covers: io/where.py."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, OptionError
from shoal.io.stream import Stream
from shoal.io.where import WhereCount, where

NAN = float("nan")


def stream_of(table: pa.Table, rows: int = 3) -> Stream:
    return Stream(table.schema, iter(table.to_batches(rows)), "orders.csv", lambda row: f"line {row + 2}")


def lines(table: pa.Table, text: str, rows: int = 3) -> list[int]:
    """The lines of the records that a filter keeps, by their places."""
    stream, count = where(stream_of(table, rows), text)
    kept = pa.Table.from_batches(stream.batches, stream.schema)
    places = [int(stream.place(row).removeprefix("line ")) for row in range(len(kept))]
    assert kept.to_pylist() == [table.to_pylist()[line - 2] for line in places] or "nan" in str(kept.to_pylist())
    assert count == WhereCount(len(kept), len(table))
    return places


TABLE = pa.table(
    {
        "week": [1, 2, None, 40],
        "department": ["DELI", "", "MEAT", None],
        "price": ["1", "2.50", " ", "-7"],
        "sales": [1.5, NAN, -0.0, None],
        "day": [date(2017, 1, 1), date(2017, 3, 31), None, date(2018, 1, 1)],
        "at": [datetime(2017, 1, 1), datetime(2017, 3, 31, 17, 30), None, datetime(2018, 1, 1)],
        "coupon": [True, None, False, True],
        "flag": ["True", "", "false", "true"],
        "limit": [2, 2, 2, 2],
        "größe in cm": [1, 2, 3, 4],
        "in": ["a", "b", "it's", 'say "x"'],
        "shop.id": [1, 1, 2, 2],
    }
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("week <= 12", [2, 3]),
        ("week<2", [2]),
        ("12 >= week", [2, 3]),
        ("week == 2", [3]),
        ("week = 2.0", [3]),
        ("week <> 2", [2, 5]),
        ("week > 1.5", [3, 5]),
        ("week < 1e20", [2, 3, 5]),
        ("NOT week <= 12", [5]),
        ("week is null", [4]),
        ("week IS NOT NULL", [2, 3, 5]),
        ("week in (1, 40)", [2, 5]),
        ("week not in [1, 40]", [3]),
        ("week in (1, 2.5)", [2]),
        ("week in ('1', '2')", [2, 3]),
        ("week < 99999999999999999999", [2, 3, 5]),
        ("department == 'DELI'", [2]),
        ('department != "DELI"', [4]),
        ("department > 'DELI'", [4]),
        ("department is null", [3, 5]),
        ("department not in ('DELI')", [4]),
        ("price >= 1", [2, 3]),
        ("price = 2.5", [3]),
        ("price < -6", [5]),
        ("price in (1, -7)", [2, 5]),
        ("price == '2.50'", [3]),
        ("price == '2.5'", []),
        ("not price > 1", [2, 5]),
        ("sales in (0)", [4]),
        ("sales == 0", [4]),
        ("sales is null", [3, 5]),
        ("not sales > 1", [4]),
        ("day <= '2017-03-31'", [2, 3]),
        ("day <= '2017-03-30 17:30'", [2]),
        ("at <= '2017-03-31'", [2]),
        ("at <= '2017-03-31 17:30'", [2, 3]),
        ("at in ('2018-01-01', '2017-01-01T00:00:00')", [2, 5]),
        ("day = at", [2, 5]),
        ("coupon == true", [2, 5]),
        ("coupon != TRUE", [4]),
        ("coupon = 1", [2, 5]),
        ("coupon < true", [4]),
        ("flag = true", [2, 5]),
        ("week < limit", [2]),
        ("price > limit", [3]),
        ("department < price", []),
        ("`größe in cm` > 3", [5]),
        ('`in` = \'it\'\'s\' or `in` = "say ""x"""', [4, 5]),
        ("shop.id = 2 and week > 1", [5]),
        ("week = 1 or week = 2 and price > 100", [2]),
        ("(week = 1 or week = 2) and price > 2", [3]),
        ("not (week = 1 or department is null)", []),  # the week of line 4 is null, so it is unknown
    ],
)
def test_records_that_fulfil_the_expression_are_kept(text: str, wanted: list[int]) -> None:
    assert lines(TABLE, text) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column, a number or a text in quotes at character 1, but the filter ends"),
        ("week <", "expected a column, .* at character 7, but the filter ends"),
        ("week <  < 3", "at character 9, but got '<'"),
        ("week", "expected a comparison, 'in' or 'is null' at character 5"),
        ("(week < 3", r"expected '\)' at character 10"),
        ("week < 3)", r"expected 'and', 'or' or the end at character 9, but got '\)'"),
        ("1 < week < 3", "expected 'and', 'or' or the end at character 10, but got '<'"),
        ("week < 3 && week > 1", "at character 10, but got '&& week > 1'"),
        ("week between 1 and 3", "expected a comparison, 'in' or 'is null' at character 6, but got 'between'"),
        ("week in 3", "expected a list in parentheses at character 9"),
        ("week in ()", "expected a number or a text in quotes at character 10"),
        ("week in (limit)", "expected a number or a text in quotes at character 10"),
        ("week in (1, 2]", r"expected '\)' at character 14"),
        ("week is 3", "expected 'null' at character 9"),
        ("week = null", "at character 8, but got 'null'. Write it like .* is not null"),
        ("week = 'a", "at character 8, but got ''a'"),
        ("week = 12abc", "at character 8, but got '12abc'"),
        ("(" * 2000 + "week < 3" + ")" * 2000, "is nested too deeply"),
        ("not " * 2000 + "week < 3", "is nested too deeply"),
        ("'week' < 3", "expected a column on one side of the comparison at character 1, but got ''week''"),
        ("'week' is null", "expected a column at character 1, but got ''week''"),
        ("weeks < 3", r"no column 'weeks' \(did you mean 'week'\?\) in orders.csv, which has 'week', 'department'"),
        ("department = DELI", "no column 'DELI'.*put texts in quotes"),
        ("week < 'abc'", r"compares 'week' \(int64\) with 'abc': write a number"),
        ("week < true", r"compares 'week' \(int64\) with true: write a number"),
        ("week in (1, 'x')", "expected a number like the first value at character 13, but got ''x''"),
        ("week in ('1', 'x')", r"'week' \(int64\) with '1', 'x': write a number"),
        ("week > '9'", r"'week' \(int64\) with '9': write a number"),
        ("'9' <= week", r"'week' \(int64\) with '9': write a number"),
        ("price = 1234567890123456", r"'price' \(string\) with 1234567890123456: write a text in quotes.* 15 digits"),
        ("department = ' '", "a blank text: use 'is null'"),
        ("coupon = 2", r"'coupon' \(bool\) with 2: write true or false"),
        ("coupon = week", r"'coupon' \(bool\) with 'week' \(int64\)"),
        ("at < 2017", r"'at' \(timestamp\[us\]\) with 2017: write a date in quotes, like '2017-03-31'"),
        ("day < 'May'", "with 'May': write a date in quotes, like '2017-03-31' or '2017-03-31 17:30'"),
    ],
)
def test_an_expression_that_cannot_be_used_is_refused_before_anything_is_read(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as error:
        where(stream_of(TABLE), text)
    assert str(error.value).startswith(f'Filter "{text}"')


def test_columns_of_lists_are_refused() -> None:
    with pytest.raises(OptionError, match=r"column 'items' has the type list<.*, but a filter compares only numbers"):
        where(stream_of(pa.table({"items": [["a"]]})), "items is null")


@pytest.mark.parametrize("rows", [1, 4, 9])
def test_a_cell_that_is_no_number_is_named_with_its_place(rows: int) -> None:
    table = pa.table({"price": ["1", "", "2", None, "cheap" * 100, "3", "dear"]})
    message = r"^orders\.csv, line 6: column 'price' has '(cheap){8}…', but the filter needs a number: correct the cell"
    with pytest.raises(DataError, match=message):
        lines(table, "price > 1", rows)
    with pytest.raises(DataError, match=r"line 6: .* needs true or false"):
        lines(pa.table({"price": ["true", "", "", None, "yes"]}), "price = true", rows)


def test_large_integers_are_compared_with_integers_exactly() -> None:
    table = pa.table({"id": [2**53, 2**53 + 1, 2**60]})
    assert lines(table, f"id == {2**53 + 1}") == [3]
    assert lines(table, f"id > {2**53}") == [3, 4]
    assert lines(table, "id > 0.5") == [2, 3, 4]


def test_an_integer_of_more_than_63_bits_is_refused() -> None:
    table = pa.table({"id": pa.array([1, 2**64 - 1], pa.uint64())})
    with pytest.raises(DataError, match=rf"line 3: column 'id' has '{2**64 - 1}', but the filter needs a number"):
        lines(table, "id > 0")


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.uint16(),
        pa.uint64(),
        pa.float16(),
        pa.float32(),
        pa.decimal128(9, 2),
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int32(), pa.int64()),
    ],
    ids=str,
)
def test_all_types_of_numbers_and_texts(kind: Any) -> None:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    numbers = [Decimal(2), None, Decimal(300 if value != pa.int8() else 30)]
    cells = pa.array([None if number is None else str(number) for number in numbers])
    cells = cells.cast(pa.float32()).cast(kind) if kind == pa.float16() else cells.cast(value)
    cells = cells.dictionary_encode() if pa.types.is_dictionary(kind) else cells
    table = pa.table({"x": cells})
    assert lines(table, "x >= 3") == [4]
    assert lines(table, "x in (1, 2)") == [2]
    assert lines(table, "x not in (1, 2)") == [4]
    assert lines(table, "x = x") == [2, 4]
    assert lines(table, "x = '2'") == [2]


def test_a_column_without_any_value() -> None:
    table = pa.table({"x": pa.nulls(2)})
    assert lines(table, "x > 1 or x = 'a'") == []
    assert lines(table, "x is null") == [2, 3]


def test_timestamps_with_a_time_zone_are_compared_as_its_clocks_show_them() -> None:
    utc = pa.array([datetime(2017, 3, 31, 22, 0)], pa.timestamp("us", "UTC"))
    table = pa.table({"at": utc.cast(pa.timestamp("us", "Europe/Berlin")), "utc": utc})
    assert lines(table, "at >= '2017-04-01'") == [2]
    assert lines(table, "utc >= '2017-04-01'") == []
    assert lines(table, "at = at") == [2]
    message = r"'at' \(timestamp\[us, tz=Europe/Berlin\]\) with 'utc' .*: convert one of them to the type of the other"
    with pytest.raises(OptionError, match=message):
        where(stream_of(table), "at > utc")


def test_a_date_beyond_the_range_of_other_timestamps() -> None:
    table = pa.table({"day": [date(9999, 12, 31)], "at": pa.array([0], pa.timestamp("ns"))})
    assert lines(table, "day > at and day > '2017-01-01'") == [2]


def test_nothing_is_left() -> None:
    stream, count = where(stream_of(TABLE), "week > 100")
    assert list(stream.batches) == []
    assert (count.kept, count.total) == (0, 4)
    assert stream.schema == TABLE.schema


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
}
CELLS: dict[str, Any] = {
    "i": st.integers(-2, 3),
    "f": st.sampled_from([-1.0, -0.0, 0.5, 2.0, NAN]),
    "t": st.sampled_from(["", " ", "a", "b", "B", "ä", "and"]),
    "n": st.sampled_from(["", "0", "2.0", " 1", "-1", "1e0"]),
}
numbers = st.integers(-2, 3) | st.sampled_from([0.5, 2.0, -1.5])
texts = st.sampled_from(["a", "b", "ä", "it's", "or"])
Row = dict[str, Any]
Node = tuple[str, Callable[[Row], bool | None]]


def value_of(row: Row, name: str) -> Any:
    cell = row[name]
    if cell is None or cell != cell or (isinstance(cell, str) and not cell.strip()):
        return None
    return float(cell) if name == "n" else cell


def written(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


@st.composite
def predicates(draw: Any) -> Node:
    name = draw(st.sampled_from("iftn"))
    literals = draw(st.lists(texts if name == "t" else numbers, min_size=1, max_size=3))
    form = draw(st.sampled_from(["compare", "flipped", "columns", "in", "not in", "is null", "is not null"]))
    sign = draw(st.sampled_from(sorted(COMPARE)))
    call = COMPARE[sign]

    def known(test: Callable[[Any], bool]) -> Callable[[Row], bool | None]:
        return lambda row: None if value_of(row, name) is None else test(value_of(row, name))

    if form == "compare":
        return f"{name} {sign}{written(literals[0])}", known(lambda cell: call(cell, literals[0]))
    if form == "flipped":
        return f"{written(literals[0])} {sign} {name}", known(lambda cell: call(literals[0], cell))
    if form == "columns":
        other = "t" if name == "t" else draw(st.sampled_from("if"))

        def columns(row: Row) -> bool | None:
            left, right = value_of(row, name), value_of(row, other)
            return None if left is None or right is None else call(left, right)

        return f"`{name}`{sign}{other}", columns
    if "in" in form:
        listing = ", ".join(map(written, literals))
        return f"{name} {form} ({listing})", known(lambda cell: (cell in literals) == (form == "in"))
    return f"{name} {form}", lambda row: (value_of(row, name) is None) == (form == "is null")


def both(left: Node, right: Node, word: str) -> Node:
    decisive = word == "or"

    def test(row: Row) -> bool | None:
        answers = [left[1](row), right[1](row)]
        return decisive if decisive in answers else None if None in answers else not decisive

    return f"({left[0]}) {word.upper()} ({right[0]})", test


def opposite(node: Node) -> Node:
    return f"not ({node[0]})", lambda row: None if (answer := node[1](row)) is None else not answer


expressions = st.recursive(
    predicates(),
    lambda inner: st.builds(both, inner, inner, st.sampled_from(["and", "or"])) | st.builds(opposite, inner),
    max_leaves=6,
)
rows_of_cells = st.lists(st.fixed_dictionaries({name: st.none() | cell for name, cell in CELLS.items()}), max_size=8)


@given(node=expressions, rows=rows_of_cells, size=st.integers(1, 4))
def test_it_is_what_python_says_row_by_row(node: Node, rows: list[Row], size: int) -> None:
    kinds = pa.schema([("i", pa.int64()), ("f", pa.float64()), ("t", pa.string()), ("n", pa.string())])
    wanted = [row + 2 for row, cells in enumerate(rows) if node[1](cells) is True]
    assert lines(pa.Table.from_pylist(rows, kinds), node[0], size) == wanted


@given(st.text(alphabet="wek<=>!'\"`()[],.1e -+\n\0äandotri", max_size=30))
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    table = pa.table({"week": [1], "e": ["x"]})
    with suppress(OptionError, DataError):
        lines(table, text)
