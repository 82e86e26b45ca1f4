"""Grid: delimited records of equal width, with the names of their columns.

The names stand in the first line. A file without such a line has columns called ``(column 1)``, ``(column 2)``, and a
name that is blank becomes the one of its place too. Whether the first line is one of names is told (``--header``), or
seen in it; if it looks like a record, the user is asked: a record must never be published as a header.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_text
from shoal.errors import DataError
from shoal.io import formulas
from shoal.io.coding import Ragged
from shoal.io.layout import ReaderOptions
from shoal.io.messages import listed, shorten
from shoal.io.text import DELIMITERS, Records, Text, TextLayout, name_of, quote, split_records, unquoted

SET_NAMES = frozenset(
    {"items", "itemset", "item_set", "transaction", "transactions", "basket", "set", "products", "codes"}
)
_SAMPLE = 1000  # records that are compared with the first line
_NAME = re.compile(r"[^\W\d][^|;,\t]+")  # a word of two letters or more
_MISSING = frozenset({"", "na", "n/a", "nan", "nil", "none", "null", "unknown"})


@dataclass(frozen=True, kw_only=True, eq=False)
class HeadedLayout(TextLayout):
    """A format of lines whose first one may name the columns."""

    header: bool = True
    escaped_formulas: bool = False  # a quote stands before each

    def read_options(self) -> dict[str, Any]:
        """Where a column is named that is there, nobody will doubt the header."""
        options = super().read_options()
        options |= {"header": self.header} if self.without_sets or not self.header else {}
        return options | ({"escaped_formulas": True} if self.escaped_formulas else {})

    def with_header(self, names: list[str]) -> tuple[Self, list[str]]:
        """The layout for columns of these names, and a remark: without a header, a column is known by its place."""
        if self.header or names == [unnamed(at) for at in range(len(names))]:
            return self, []
        remark = "The file had no header, but gets one, since columns were left out or added"
        return self.with_options({"header": True}), [f"{remark}: {listed(names)}."]


@dataclass(frozen=True, eq=False)
class Grid:
    """Records that all have as many fields."""

    names: list[str]
    header: bool  # the first record holds the names
    delimiter: str
    records: Records

    @classmethod
    def of(cls, text: Text, delimiter: str, name: str, options: ReaderOptions) -> Grid:
        """Split the text and check its shape."""
        records = _unescaped(split_records(text, delimiter, name), name, options)
        sizes = records.values.sizes
        width, header = int(sizes[0]), options.header is not False
        first: list[str] = records.values.values.slice(0, width).to_pylist()
        names = [cell if header and cell.strip() else unnamed(at) for at, cell in enumerate(first)]
        line = "header" if header else "first line"
        other = [mark for mark in DELIMITERS if width == 1 and mark in unquoted(text.body.split("\n", 1)[0])]
        if other and (header or options.delimiter is None):
            raise DataError(
                f"{name}, line 1: the delimiter {name_of(delimiter)} is not in the {line}, but {name_of(other[0])} is: "
                f"pass --delimiter '{other[0]}'."
            )
        if len(set(names)) != width:
            double = next(column for column in names if names.count(column) > 1)
            record = "" if options.header else ", or pass --no-header if that line is a record"
            raise DataError(f"{name}, line 1: column '{shorten(double)}' is there twice: rename one{record}.")
        wrong = np.flatnonzero(sizes != width)
        if len(wrong):
            raise DataError(
                f"{name}, line {records.line(int(wrong[0]))}: expected {width} fields as in the {line}, got "
                f"{sizes[wrong[0]]} (separated by {name_of(delimiter)}): fix the line, pass another --delimiter, or "
                f"--format basket if the file has no header and every line is a set."
            )
        if header and len(sizes) == 1:
            raise DataError(
                f"{name} holds no records: there is nothing after the header (pass --no-header if line 1 is a record)."
            )
        grid = cls(names, header, delimiter, records)
        if options.header is None and not options.named.intersection(names) and (doubt := grid.doubt()):
            baskets = ", or --format basket if every line is a set" if options.sets else ""
            raise DataError(
                f"{name}, line 1: does it name the columns, or is it a record? {doubt}. Pass --header if it names "
                f"them, --no-header if it is a record{baskets}."
            )
        return grid

    def column(self, position: int, raw: bool = False) -> Any:
        """One column without its header, as values or as it stands in the file."""
        fields = self.records.raw if raw and self.records.raw is not None else self.records.values.values
        at = np.arange(len(self.names) * self.header + position, len(fields), len(self.names))
        return fields.take(arrow_numbers(at))

    def table(self, positions: list[int], raw: bool = False) -> Any:
        """Some columns."""
        import pyarrow as pa

        return pa.table({self.names[i]: self.column(i, raw) for i in positions})

    def doubt(self) -> str:
        """Why the first line may be a record, as a sentence without its end; empty: it names the columns."""
        import pyarrow.compute as pc

        sure, record = False, ""
        for at, name in enumerate(self.names):
            if name == unnamed(at):
                continue
            below = self.column(at)
            if pc.any(pc.equal(below, arrow_text(name))).as_py():
                return f"'{shorten(name)}' stands in column {at + 1} further down as well"
            cells = [cell for cell in below.slice(0, _SAMPLE).to_pylist() if cell.strip()]
            numbers = 2 * sum(not _has_letters(cell) for cell in cells) > len(cells)
            word = _has_letters(name) and not any(map(str.isdigit, name))
            sure = sure or (numbers and word and name.strip().lower() not in _MISSING)
            if not record and 2 * sum(_alike(name, cell) for cell in cells) > len(cells):
                record = f"'{shorten(name)}' looks like the values below it"
        if sure:
            return ""
        if record:
            return record
        if len(self.names) == 1:
            known = {name.removesuffix("s") for name in SET_NAMES}
            sure = self.names[0].strip().lower().removesuffix("s") in known
            return "" if sure else f"'{shorten(self.names[0])}' may be a name or an item"
        return "" if any(map(_NAME.fullmatch, self.names)) else f"{listed(self.names)} do not look like names"


def _unescaped(records: Records, name: str, options: ReaderOptions) -> Records:
    """The records without quotes before formulas, if they have them."""
    import pyarrow.compute as pc

    values, raw = records.values, records.raw
    if options.escaped_formulas:
        plain = formulas.unescaped(values.values)
        if raw is not None:
            again = pc.if_else(pc.starts_with(raw, '"'), quote(plain, "", always=True), plain)
            raw = pc.if_else(pc.equal(plain, values.values), raw, again)
        return Records(Ragged(plain, values.indptr), raw, records.line_of)
    quoted = pc.and_(pc.starts_with(values.values, "'"), formulas.are_formulas(values.values))
    if pc.any(quoted).as_py():
        warnings.warn(
            f"{name} has cells with a quote before a formula: if it was written with --escape-formulas, pass "
            f"--escaped-formulas.",
            stacklevel=2,
        )
    return records


def unnamed(position: int) -> str:
    """What a column without a name is called.

    >>> unnamed(0)
    '(column 1)'
    """
    return f"(column {position + 1})"


def _has_letters(text: str) -> bool:
    """Whether a text is more than a number or a date."""
    return any(map(str.isalpha, text))


def _alike(name: str, cell: str) -> bool:
    """Whether a name is made like a cell below it, in a way that names are not: of digits, or of several items.

    >>> _alike("s1", "s23"), _alike("2020", "-7.5"), _alike("a|b", "c|d|e"), _alike("milk", "beer")
    (True, True, True, False)
    """
    if any(mark in name and mark in cell for mark in DELIMITERS):
        return True
    if not _has_letters(name):
        return not _has_letters(cell)
    return any(map(str.isdigit, name)) and _shape(name) == _shape(cell)


def _shape(text: str) -> str:
    """Runs of letters and of digits as one character each."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))


def guess_delimiter(text: Text, name: str) -> str:
    """The delimiter of the first line: the only one it contains, or the one that every line contains equally often."""
    lines = unquoted(text.body[:100_000]).split("\n")[:50]
    marks = [mark for mark in DELIMITERS if mark in lines[0]]
    if len(marks) > 1:
        full = lines if len(text.body) <= 100_000 else lines[:-1] or lines  # the last one may be cut
        marks = [mark for mark in marks if len({line.count(mark) for line in full}) == 1]
        if len(marks) != 1:
            raise DataError(f"{name}, line 1: more than one delimiter is possible: pass --delimiter.")
    return marks[0] if marks else ","
