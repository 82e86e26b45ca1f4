"""JSON lines (``.jsonl``, ``.ndjson``): each line is an object whose fields are columns, or an array of items.

Items are strings or integers. If all were integers, labels that still are integers are written without quotes. Values
keep their type. A field whose values have no common type is kept as JSON text.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar, NoReturn, Self

from shoal.data.arrow import arrow_texts
from shoal.errors import DataError, did_you_mean
from shoal.io.clean import clean
from shoal.io.format import GuessedWrong, ReaderOptions
from shoal.io.json_columns import JsonColumns, Row, is_text, kind_of
from shoal.io.messages import listed, shorten, shown
from shoal.io.source import SourceFile
from shoal.io.stream import Stream
from shoal.io.text import TextFormat, TextPieces, glued, joined, with_texts
from shoal.io.tokens import COLUMN

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a decimal number",
    bool: "a boolean",
    type(None): "null",
}
_INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_STRING = re.compile(r'"([^"\\]|\\.)*"')
_BATCH = 1 << 15  # lines that are decoded at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class Jsonl(TextFormat):
    """Objects, or arrays of items."""

    format: ClassVar[str] = "jsonl"
    about: ClassVar[str] = "JSON lines: arrays of items, or objects whose fields are columns (.jsonl, .ndjson)"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    tabular: ClassVar[bool] = True
    arrays: bool | None = None  # lines are arrays, not objects; None: arrays if there are only sets
    integers: frozenset[str] = frozenset()  # the columns of lists that held only integers
    as_json: frozenset[str] = frozenset()  # the columns whose values had no common type, kept as JSON texts
    compact: bool = False  # no space after commas and colons
    ascii: bool = False  # other characters are written \\uXXXX

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Decode some lines to find the columns and their types. If later lines differ, the file is read again."""
        text = TextPieces(file)
        rows = _rows(_lines(text), file.name, options)
        first = _some(rows)
        known = isinstance(options.guess, JsonColumns)
        columns: JsonColumns = options.guess if known else JsonColumns(_labels(first, options))
        columns.add(first)
        head = text.head
        style = _STRING.sub("", "".join(head.split("\n")[:20]))
        own = cls(
            arrays=head.lstrip(" \t").startswith("["),
            integers=columns.integers,
            as_json=columns.as_json,
            compact=any(mark in style for mark in ",:") and not any(mark in style for mark in (", ", ": ")),
            ascii=head.isascii() and "\\u" in head,
            **text.style,
        )

        def batches() -> Iterator[Any]:
            yield columns.batch(first)
            while part := _some(rows):
                if columns.add(part):
                    while part := _some(rows):
                        columns.add(part)
                    raise GuessedWrong(replace(options, guess=columns))
                yield columns.batch(part)

        return own, Stream(columns.batch([]).schema, batches(), file.name, lambda row: f"line {row + 1}")

    def prepared(self, table: Any) -> Any:
        """Return the table without metadata."""
        return clean(table)

    def for_columns(self, names: list[str]) -> tuple[Self, list[str]]:
        """Write arrays only if there is nothing but one column of sets."""
        return replace(self, arrays=self._holds_arrays(names)), []

    def _holds_arrays(self, names: list[str]) -> bool:
        """Whether lines with columns of these names are arrays."""
        return names == [COLUMN] if self.arrays is None else self.arrays and len(names) == 1

    def lines(self, batch: Any) -> Any:
        """Write an object or an array for each record."""
        import pyarrow as pa

        comma, colon = (",", ":") if self.compact else (", ", ": ")
        values = [self._texts(batch.column(at), name, comma) for at, name in enumerate(batch.schema.names)]
        if self._holds_arrays(batch.schema.names) and pa.types.is_list(batch.schema.types[0]):
            return values[0]
        keys = [json.dumps(name, ensure_ascii=self.ascii) + colon for name in batch.schema.names]
        fields = [glued([key, texts]) for key, texts in zip(keys, values, strict=True)]
        return glued(["{", glued(fields, comma), "}"])

    def _texts(self, column: Any, name: str, comma: str) -> Any:
        """Return the values of a column as JSON. Each different label or text is converted only once."""
        import pyarrow as pa

        texts = pa.types.is_list(column.type) and _holds_text(column.type.value_type)
        if texts and not column.null_count and not column.flatten().null_count:
            integers = name in self.integers
            lists = with_texts(column, lambda labels: [self._label(label, name, integers) for label in labels])
            return glued(["[", joined(lists, comma), "]"])
        coded = column.dictionary_encode() if _holds_text(column.type) else None
        if coded is not None and not column.null_count:
            own = self._json_text if name in self.as_json else self._json
            return arrow_texts([own(text, name) for text in coded.dictionary.to_pylist()]).take(coded.indices)
        values = column.to_pylist()
        if name in self.as_json:
            return arrow_texts(["null" if value is None else self._json_text(value, name) for value in values])
        return arrow_texts([self._json(value, name) for value in values])

    def _label(self, label: str, name: str, integers: bool) -> str:
        """Return an item as JSON: a number if all items were numbers."""
        return label if integers and _INTEGER.fullmatch(label) else self._json(label, name)

    def _json_text(self, text: Any, name: str) -> str:
        """Return a value that was kept as JSON. A published value in its place is a text."""
        try:
            return self._json(_DECODER.decode(text), name)
        except (TypeError, ValueError):
            return self._json(text, name)

    def _json(self, value: Any, name: str) -> str:
        """Return a value as JSON."""
        comma, colon = (",", ":") if self.compact else (", ", ": ")
        try:
            return json.dumps(value, ensure_ascii=self.ascii, allow_nan=False, separators=(comma, colon))
        except (TypeError, ValueError) as error:
            raise DataError(f"Column '{shorten(name)}' cannot be written as JSON ({error}): write parquet.") from None


def _holds_text(kind: Any) -> bool:
    """Whether an Arrow type is text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _some(rows: Iterator[Row]) -> list[Row]:
    """Return the next rows. The garbage collector is off meanwhile, because it is slow with so many new lists."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return list(islice(rows, _BATCH))
    finally:
        if enabled:
            gc.enable()


def _labels(first: list[Row], options: ReaderOptions) -> Callable[[str], bool]:
    """Return a function that tells which columns may hold items or ids.

    These are the named ones. If none is named, they are the lists, or all columns if there are no lists.
    """
    if options.named or options.no_sets:
        return options.named.__contains__
    lists = frozenset(name for row in first for name, value in row.items() if isinstance(value, list))
    return lists.__contains__ if lists else lambda name: True


def _lines(text: TextPieces) -> Iterator[str]:
    """Iterate over the lines."""
    left = b""
    for piece in text:
        *lines, left = (left + piece).split(b"\n")
        yield from map(bytes.decode, lines)
    if left:
        yield left.decode()


def _rows(lines: Iterable[str], name: str, options: ReaderOptions) -> Iterator[Row]:
    """Iterate over the fields of each line. Errors name the line."""
    arrays: bool | None = None
    columns: list[str] = []  # the columns of sets
    for number, line in enumerate(lines, 1):
        try:
            value = _decoded(line, options)
            if arrays is not None and arrays != isinstance(value, list):
                _refuse(
                    f"expected {_KINDS[list if arrays else dict]} as in the lines before, got {_KINDS[type(value)]}"
                )
            arrays = isinstance(value, list)
            if arrays and (options.sets or options.no_sets):
                wanted = f"the field '{options.sets}'" if options.sets else "a field for each column"
                _refuse(f"expected an object with {wanted}, got an array")
            row = {COLUMN: value} if arrays else value
            if number == 1:
                columns = _set_fields(row, options)
            for column in columns:
                _check_field(row, column, options.item_delimiter)
                _check_items(row[column])
        except ValueError as error:
            raise DataError(f"{name}, line {number}: {error}.") from None
        yield row


def _set_fields(row: dict[str, Any], options: ReaderOptions) -> list[str]:
    """Return the fields that must hold sets: the named ones, or the only array of the first line."""
    if options.sets is not None:
        return [options.sets]
    if options.no_sets:
        return [column for column in options.columns if column in row]
    arrays = [field for field, content in row.items() if isinstance(content, list)]
    return arrays if len(arrays) == 1 and not options.id_columns else []


def _decoded(line: str, options: ReaderOptions) -> Any:
    """Decode a line that must be an array or an object."""
    if not line.strip():
        _refuse("a blank line is not JSON: " + ("write [] for an empty set" if not options.no_sets else "leave it out"))
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        _refuse(f"invalid JSON: {error.msg} at column {error.pos + 1}")
    except RecursionError:
        _refuse("arrays or objects are nested too deeply")
    except ValueError as error:  # the decoder's own, or one of ours
        _refuse("a number has too many digits" if "digits" in str(error) else str(error))
    if not isinstance(value, dict | list):
        _refuse(f"expected an array or an object, got {_KINDS[type(value)]}")
    return value


def _object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Refuse duplicate fields."""
    values = dict(fields)
    if len(values) < len(fields):
        names = [name for name, _ in fields]
        double = next(name for name in names if names.count(name) > 1)
        _refuse(f"the field '{shorten(double)}' occurs twice")
    for name in values:
        if not name.isascii() and not is_text(name):
            _refuse(f"the field {shown(name)} holds half a surrogate pair, which is not text")
    return values


def _check_field(row: dict[str, Any], column: str, item_delimiter: str | None) -> None:
    """Refuse a missing field of sets, and one that is neither an array nor a text to be split."""
    if column not in row:
        hint = did_you_mean(column, row)
        _refuse(f"there is no field '{column}'{hint}, only {listed(row)}: write [] for an empty set")
    kind = type(row[column])
    if item_delimiter is None and kind is not list:
        _refuse(f"field '{column}' must be an array, got {_KINDS[kind]}")
    if item_delimiter is not None and kind not in (list, str, type(None)):
        _refuse(f"field '{column}' must be a string to split, got {_KINDS[kind]}")


def _check_items(items: Any) -> None:
    """Refuse items that cannot be labels."""
    if not isinstance(items, list) or kind_of(items) != "json":
        return
    for item in items:
        kind = type(item)
        if kind is str and not is_text(item):
            _refuse(f"item {shown(item)} holds half a surrogate pair, which is not text")
        if kind not in (str, int):
            _refuse(f"items must be strings or integers, got {_KINDS[kind]}")


def _refuse(message: str) -> NoReturn:
    """Raise an error. The caller adds file and line."""
    raise ValueError(message)


_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse(f"{name} is not JSON"), object_pairs_hook=_object)
