"""CSV and TSV, through pyarrow.csv. Every value stays text, so ``007`` and ``1.50`` are written as they were read."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data.arrays import Offsets
from shoal.data.arrow import arrow_text, arrow_texts
from shoal.errors import DataError, OptionError
from shoal.io import formulas, header
from shoal.io.coding import as_text, labels_of
from shoal.io.format import ReaderOptions, refuse_doubles, unnamed
from shoal.io.messages import listed, shorten, shown
from shoal.io.source import SourceFile
from shoal.io.stream import Stream
from shoal.io.text import (
    DELIMITERS,
    TextFormat,
    TextPieces,
    check_label,
    glued,
    malformed_quote,
    name_of,
    quote,
    unquoted,
)
from shoal.kernels.read.quotes import Quotes, State, scan_quotes
from shoal.kernels.read.tokens import split_lines

_BLOCK = 1 << 22  # bytes that are parsed at a time; no record can be longer


@dataclass(frozen=True, kw_only=True, eq=False)
class Csv(TextFormat):
    """Delimited records with an equal number of fields."""

    format: ClassVar[str] = "csv"
    about: ClassVar[str] = "a table: one column of sets, or one line for each item of a record (.csv)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    tabular: ClassVar[bool] = True
    lists: ClassVar[bool] = False
    delimiter: str = ","
    header: bool = True
    escaped_formulas: bool = False  # there is a quote before each formula

    @property
    def marks(self) -> str:
        """Return the characters that may be mistaken for separators of items in a cell."""
        return "".join(DELIMITERS)

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Read the first line, then parse block by block."""
        import pyarrow as pa

        text = TextPieces(file)
        while b"\n" not in text.start and _has_more(text, file.name):
            pass
        delimiter = options.delimiter or cls.guess_delimiter(text, file.name)
        if len(delimiter.encode()) != 1:
            raise OptionError(f"delimiter= must be one ASCII character for format {cls.format}, got '{delimiter}'.")
        has_header = options.header is not False
        first, length = _first_record(text, delimiter, file.name)
        if options.escaped_formulas:
            first = formulas.unescaped(arrow_texts(first)).to_pylist()
        names = [cell if has_header and cell.strip() else unnamed(at) for at, cell in enumerate(first)]
        _check_names(names, text.start[:length], delimiter, file.name, options)
        own = cls(delimiter=delimiter, header=has_header, escaped_formulas=bool(options.escaped_formulas), **text.style)
        lines = _Lines(text, delimiter, names, file.name, header_size=length if has_header else 0)
        schema = pa.schema([(name, pa.large_string()) for name in names])
        place = lines.place if not has_header else lambda row: lines.place(row + 1)
        return own, Stream(schema, own._batches(lines, schema, file.name, options), file.name, place)

    @classmethod
    def guess_delimiter(cls, text: TextPieces, name: str) -> str:
        """Guess the delimiter of the header."""
        return header.guess_delimiter(text, name)

    def _batches(self, lines: _Lines, schema: Any, name: str, options: ReaderOptions) -> Iterator[Any]:
        """Parse the records, and check that the first line is a header.

        It is not checked if the user said so, or named one of the columns.
        """
        in_doubt = options.header is None and not options.named.intersection(schema.names)
        first, warned = True, self.escaped_formulas
        if options.one_of_several and lines.is_empty:
            return
        for batch in _parsed(lines, schema, self, name):
            if self.escaped_formulas:
                batch = _unescaped(batch)
            elif not warned and _has_quoted_formula(batch):
                warned = True
                warnings.warn(
                    f"{name} has cells with a quote before a formula: if it was written with escape_formulas=True, "
                    f"pass escaped_formulas=True.",
                    stacklevel=2,
                )
            if in_doubt and (why := (header.doubt if first else header.recurring)(schema.names, batch)):
                baskets = ", or format='basket' if every line is a set" if not options.no_sets else ""
                raise DataError(
                    f"{name}, line 1: does it name the columns, or is it a record? {why}. Pass header=True if it names "
                    f"them, header=False if it is a record{baskets}."
                )
            first = False
            yield batch

    def prepared(self, table: Any) -> Any:
        """Return all columns as text."""
        import pyarrow as pa

        return pa.table({name: _text_column(table.column(name), name) for name in table.column_names})

    def check_labels(self, labels: Iterable[str]) -> None:
        """Refuse labels that would end the line."""
        for label in labels:
            check_label(label, "\r\0", self.format, "jsonl or parquet")

    def for_columns(self, names: list[str]) -> tuple[Self, list[str]]:
        """Add a header if columns were left out or added. Without one, columns are known by their position only."""
        if self.header or names == [unnamed(at) for at in range(len(names))]:
            return self, []
        remark = "The input has no header, but the output gets one, because columns were left out or added"
        return replace(self, header=True), [f"{remark}: {listed(names)}."]

    def read_options(self) -> dict[str, Any]:
        """Return everything that could be guessed wrong."""
        options: dict[str, Any] = {"format": self.format, "delimiter": self.delimiter}
        options |= {} if self.header else {"header": False}
        return options | ({"escaped_formulas": True} if self.escaped_formulas else {})

    def head(self, schema: Any) -> list[str]:
        """Return the names of the columns."""
        for name in schema.names:
            if self.header and ("\r" in name or "\0" in name):
                raise DataError(
                    f"The name of column {shown(name)} contains a carriage return or NUL: write jsonl instead."
                )
        return self._joined([arrow_texts([name]) for name in schema.names]).to_pylist() if self.header else []

    def lines(self, batch: Any) -> Any:
        """Join the cells by the delimiter."""
        import pyarrow.compute as pc

        lines = self._joined(batch.columns)
        if batch.num_columns > 1:
            return lines
        return pc.if_else(pc.equal(lines, arrow_text("")), arrow_text('""'), lines)  # many tools skip blank lines

    def _joined(self, columns: list[Any]) -> Any:
        """Join columns of cells, and quote cells where needed."""
        if self.escaped_formulas:
            columns = [formulas.escaped(cells) for cells in columns]
        return glued([quote(cells, self.delimiter) for cells in columns], self.delimiter)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tsv(Csv):
    """CSV with tabs."""

    format: ClassVar[str] = "tsv"
    about: ClassVar[str] = "CSV with tabs (.tsv)"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)
    delimiter: str = "\t"

    @classmethod
    def guess_delimiter(cls, text: TextPieces, name: str) -> str:
        """Return a tab."""
        return "\t"

    def read_options(self) -> dict[str, Any]:
        """Return the options without the delimiter if it is a tab."""
        options = super().read_options()
        return {name: value for name, value in options.items() if name != "delimiter" or value != "\t"}


class _Lines(io.RawIOBase):
    """The text for the parser. The parser is lenient, so quotes and blank lines are checked here."""

    def __init__(self, text: TextPieces, delimiter: str, names: list[str], name: str, header_size: int) -> None:
        self._pieces, self._delimiter, self._width, self._name = iter(text), delimiter.encode(), len(names), name
        self._first_line = "header" if header_size else "first line"
        self._skipped = header_size  # bytes that are not parsed
        self._left = memoryview(b"")
        self._state, self._records, self._at_line_start = State.FIELD_START, 0, True
        self._breaks: list[Any] = []  # the record of each line end inside quotes

    def readable(self) -> bool:
        return True

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left."""
        return not self._fill()

    def read(self, size: int | None = -1) -> bytes:
        """Return as many bytes as requested, unless the text ends. The parser takes what it gets for a block."""
        parts, wanted = [], sys.maxsize if size is None or size < 0 else size
        while wanted and self._fill():
            parts.append(self._left[:wanted])
            self._left = self._left[len(parts[-1]) :]
            wanted -= len(parts[-1])
        return b"".join(parts)

    def _fill(self) -> bool:
        """Load more text if there is any. Return whether there is."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                if self._state is State.QUOTED:
                    self._refuse_quote(self._records)
                return False
            self._check(piece)
            cut = min(self._skipped, len(piece))
            self._left, self._skipped = memoryview(piece)[cut:], self._skipped - cut
        return True

    def _check(self, piece: bytes) -> None:
        """Follow the quotes. Refuse malformed ones, and blank lines in a table of several columns."""
        starts_line = self._at_line_start and self._state is State.FIELD_START
        if b'"' not in piece and self._state in (State.FIELD_START, State.PLAIN):
            state = State.FIELD_START if piece.endswith((b"\n", self._delimiter)) else State.PLAIN
            scan = Quotes(state, piece.count(b"\n"), -1, np.empty(0, np.int64))
        else:
            scan = scan_quotes(piece, self._delimiter, self._state)
        if len(scan.breaks):
            self._breaks.append(scan.breaks + self._records)
        if self._width > 1 and (b"\n\n" in piece or (starts_line and piece.startswith(b"\n"))):
            self._refuse_blank(piece, scan, starts_line=starts_line)
        self._at_line_start = piece.endswith(b"\n")
        self._records += scan.records
        self._state = scan.state
        if scan.bad >= 0:
            self._refuse_quote(self._records)

    def _refuse_blank(self, piece: bytes, scan: Quotes, *, starts_line: bool) -> None:
        """Raise an error for the first blank line outside quotes. A blank line at the very end counts, too."""
        ends = _record_ends(piece, scan)
        blank = np.flatnonzero(np.diff(ends, prepend=-1 if starts_line else -2) == 1)
        if len(blank):
            self.refuse_width(self._records + int(blank[0]), 1)

    def refuse_width(self, record: int, got: int) -> None:
        """Raise an error for a record with another number of fields than the first one."""
        raise DataError(
            f"{self._name}, {self.place(record)}: expected {self._width} fields as in the {self._first_line}, got "
            f"{got} (separated by {name_of(self._delimiter.decode())}): fix the line, pass another delimiter=, or "
            f"format='basket' if the file has no header and every line is a set."
        )

    def _refuse_quote(self, record: int) -> None:
        raise malformed_quote(f"{self._name}, {self.place(record)}", self._delimiter.decode())

    def place(self, record: int) -> str:
        """Return the line where a record starts. The header is record 0."""
        before = sum(int(np.searchsorted(part, record)) for part in self._breaks)
        return f"line {record + 1 + before}"


def _record_ends(text: bytes, scan: Quotes) -> Offsets:
    """Return the positions of line ends outside quotes."""
    ends: Offsets = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    if len(scan.breaks):
        records = np.arange(scan.records)
        ends = ends[records + np.searchsorted(scan.breaks, records, side="right")]  # skip line ends inside quotes
    return ends[: scan.records]


def _first_record(text: TextPieces, delimiter: str, name: str) -> tuple[list[str], int]:
    """Return the fields of the first record, and its number of bytes including the line end."""
    end, mark = text.start.find(b"\n") + 1 or len(text.start), delimiter.encode()
    if b'"' in text.start[:end]:
        scan = scan_quotes(text.start, mark)
        while not scan.records and scan.bad < 0 and _has_more(text, name):
            scan = scan_quotes(text.start, mark)
        end = int(_record_ends(text.start, scan)[0]) + 1 if scan.records else len(text.start)
    tokens = split_lines(memoryview(text.start)[:end], mark, quotes=True, last=True)
    if tokens.bad >= 0:
        raise malformed_quote(f"{name}, line 1", delimiter)
    labels = labels_of(tokens).to_pylist()
    return [labels[code] for code in tokens.codes.tolist()] or [""], tokens.consumed


def _has_more(text: TextPieces, name: str) -> bool:
    """Read one more piece of a long first record. Return whether there is one."""
    if len(text.start) > _BLOCK:
        raise DataError(
            f"{name}, line 1: the line has more than {_BLOCK:,} bytes: close an open quote, or end the line."
        )
    return text.extend()


def _check_names(names: list[str], first: bytes, delimiter: str, name: str, options: ReaderOptions) -> None:
    """Refuse duplicate column names, and a first line without the delimiter but with another likely one."""
    line = "header" if options.header is not False else "first line"
    other = [mark for mark in DELIMITERS if len(names) == 1 and mark.encode() in unquoted(first)]
    if other and (options.header is not False or options.delimiter is None):
        raise DataError(
            f"{name}, line 1: the delimiter {name_of(delimiter)} is not in the {line}, but {name_of(other[0])} is: "
            f"pass delimiter={other[0]!r}."
        )
    try:
        refuse_doubles(names, f"{name}, line 1")
    except DataError as error:
        record = "." if options.header else ", or pass header=False if that line is a record."
        raise DataError(str(error).removesuffix(".") + record) from None


def _parsed(lines: _Lines, schema: Any, own: Csv, name: str) -> Iterator[Any]:
    """Iterate over the record batches. Records with a wrong number of fields are refused with their line."""
    import pyarrow as pa
    import pyarrow.csv as pv

    if lines.is_empty:
        raise DataError(
            f"{name} holds no records: there is nothing after the header (pass header=False if line 1 is a record)."
        )
    ragged: list[Any] = []

    def keep(row: Any) -> str:
        ragged.append(row)
        return "error"

    try:
        yield from pv.open_csv(
            lines,
            pv.ReadOptions(column_names=schema.names, use_threads=False, block_size=_BLOCK),
            pv.ParseOptions(
                delimiter=own.delimiter, newlines_in_values=True, ignore_empty_lines=False, invalid_row_handler=keep
            ),
            pv.ConvertOptions(
                column_types=schema, strings_can_be_null=False, quoted_strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid as error:
        if ragged:
            lines.refuse_width(ragged[0].number - 1 + own.header, ragged[0].actual_columns)
        reason = str(error).split("\n")[0]
        raise DataError(f"{name} cannot be parsed: {reason} (records may have up to {_BLOCK:,} bytes).") from None


def _has_quoted_formula(batch: Any) -> bool:
    """Whether a cell looks like an escaped formula."""
    import pyarrow.compute as pc

    for column in batch.columns:
        quoted = column.filter(pc.starts_with(column, "'"))
        if len(quoted) and pc.any(formulas.are_formulas(quoted)).as_py():
            return True
    return False


def _unescaped(batch: Any) -> Any:
    """Return the batch without quotes before formulas."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([formulas.unescaped(column) for column in batch.columns], schema=batch.schema)


def _text_column(column: Any, name: str) -> Any:
    """Return a column as text that fits into a line."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        text = pc.fill_null(as_text(column), arrow_text(""))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"Column '{shorten(name)}' ({shorten(column.type)}) cannot be written as text: write parquet or feather, "
            f"or leave it out."
        ) from None
    if pc.any(pc.match_substring_regex(text, "[\r\\x00]")).as_py():
        raise DataError(f"Column '{shorten(name)}' contains a carriage return or NUL: write jsonl or parquet instead.")
    return text
