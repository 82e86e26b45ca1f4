"""Cells in quotes: as the standard library reads them, but of any length."""

from __future__ import annotations

import csv
import io
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.labels import set_label, set_members
from shoal.options import labels_of, listed
from shoal.quoting import BadQuotes, cells, records

TEXTS = st.text('a"b,; \n\r\u2028', max_size=12)
LABELS = st.text('a"b,;( \n\r\u2028', min_size=1, max_size=6).filter(str.strip)


@given(TEXTS.map(lambda text: text.replace("\n", "").replace("\r", "")))
def test_cells_as_the_standard_library_has_them(text: str) -> None:
    assert cells(text) == (next(csv.reader([text], skipinitialspace=True)) or [""])


@given(TEXTS)
def test_records_as_the_standard_library_has_them(text: str) -> None:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        wanted = [row for row in reader if row]
    except csv.Error:
        with pytest.raises(BadQuotes):
            list(records(text, ","))
    else:
        assert [row for _, row in records(text, ",")] == wanted


def test_lines_of_records() -> None:
    text = 'a\r\n\r\n"b\rc\r\nd",e\rf\n"x'
    assert list(islice(records(text, ","), 3)) == [(1, ["a"]), (3, ["b\rc\r\nd", "e"]), (6, ["f"])]
    with pytest.raises(BadQuotes) as error:
        list(records(text, ","))
    assert error.value.line == 7


@given(st.lists(LABELS, min_size=2, max_size=4))
def test_sets_of_any_labels(labels: list[str]) -> None:
    assert set_members(set_label(labels)) == labels


@given(st.lists(LABELS, min_size=2, max_size=4, unique=True))
def test_lists_of_any_labels(labels: list[str]) -> None:
    assert list(labels_of(listed(tuple(labels)))) == labels


@pytest.mark.parametrize("item", ["a\nb", "a\rb", "a\r\nb", '"', "x" * 140_000, 'y,"' * 70_000], ids=lambda x: x[:3])
def test_long_labels_and_line_ends(item: str) -> None:
    assert set_members(set_label([item, "b, c"])) == [item, "b, c"]
    row = ",".join('"' + cell.replace('"', '""') + '"' for cell in (item, "b"))
    assert list(records(row, ",")) == [(1, [item, "b"])]
    assert labels_of(listed((item, "b"))) == (item, "b")
