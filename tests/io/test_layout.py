"""Where the sets stand among the columns. Covers: io/layout.py."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from shoal.data.arrow import text_list_type
from shoal.errors import DataError, OptionError
from shoal.io.format import ReaderOptions
from shoal.io.layout import set_column, set_position

LISTS, TEXT, NUMBER = pa.list_(pa.string()), pa.string(), pa.int64()


def at(*fields: tuple[str, Any], typed: bool = True, **options: Any) -> int:
    return set_column(pa.schema(fields), ReaderOptions(**options), "x.parquet", typed=typed)


def test_the_only_list_holds_the_sets() -> None:
    assert at(("id", NUMBER), ("tags", LISTS), ("name", TEXT)) == 1


def test_the_only_text_holds_the_sets_if_it_is_to_be_split() -> None:
    assert at(("id", NUMBER), ("name", TEXT), item_delimiter="|") == 1


def test_a_likely_name_holds_the_sets_of_a_text_file() -> None:
    assert at(("id", TEXT), ("items", TEXT), typed=False) == 1
    assert at(("anything", TEXT), typed=False) == 0


@pytest.mark.parametrize(
    ("fields", "options", "kind", "error"),
    [
        ([("a", LISTS), ("b", LISTS)], {}, DataError, r"has 2 list columns .*: pass sets="),
        ([("a", TEXT)], {}, DataError, r"has no list column \('a' \(string\)\).*pass id_column= and item_column="),
        ([("a", TEXT), ("b", TEXT)], {"item_delimiter": "|"}, DataError, r"has 2 columns of strings"),
        ([("age", LISTS)], {"sets": "aeg"}, DataError, r"has no column 'aeg' \(did you mean 'age'\?\)"),
        ([("a", TEXT)], {"sets": "a"}, DataError, r"must hold lists of items, got strings: pass item_delimiter"),
        ([("a", NUMBER)], {"sets": "a"}, DataError, r"must hold lists of items, got int64: make it a list column"),
        ([("a", LISTS)], {"sets": "a", "item_delimiter": "|"}, OptionError, r"item_delimiter= is for strings, but"),
    ],
)
def test_what_is_unclear_is_asked_for(
    fields: list[tuple[str, Any]], options: dict[str, Any], kind: type[Exception], error: str
) -> None:
    with pytest.raises(kind, match=error):
        at(*fields, **options)


def test_a_text_file_without_a_likely_name_asks_for_the_column() -> None:
    with pytest.raises(DataError, match=r"which column holds the sets\? It has 'a', 'b': pass sets="):
        at(("a", TEXT), ("b", TEXT), typed=False)


def test_the_sets_stand_where_they_stood_among_the_columns_that_are_left() -> None:
    assert set_position(("a", "b"), ["b", "c"]) == 1
    assert set_position((), ["b", "c"]) == 0
    assert set_position(None, ["b", "c"]) == 2


def test_types_of_lists_to_write() -> None:
    assert text_list_type(pa.large_list(pa.large_string())) == pa.large_list(pa.large_string())
    assert text_list_type(pa.list_(NUMBER)) == LISTS
