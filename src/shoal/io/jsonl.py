"""JSON lines (``.jsonl``, ``.ndjson``): each line an object whose fields are columns, or an array of items.

Items are strings or integers; where all were integers, labels that still are integers are written without quotes.
Values keep their type; a field whose values have no common type is kept as JSON text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar, NoReturn, Self

from shoal.data.arrow import arrow_texts
from shoal.errors import DataError, did_you_mean
from shoal.io.clean import clean
from shoal.io.format import GuessedWrong, ReaderOptions
from shoal.io.messages import listed, shorten, shown
from shoal.io.source import SourceFile
from shoal.io.stream import Stream
from shoal.io.text import TextFormat, TextPieces, glued, joined
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
    arrays: bool = False  # lines are arrays, not objects
    integers: frozenset[str] = frozenset()  # the columns of lists that held integers only
    compact: bool = False  # no space after commas and colons
    ascii: bool = False  # other characters are written \\uXXXX

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Decode some lines to see the columns and their types; where later ones differ, the file is read again."""
        text = TextPieces(file)
        rows = _rows(_lines(text), file.name, options)
        first = list(islice(rows, _BATCH))
        if not first:
            raise DataError(f"{file.name} holds no records: is this the right file?")
        types = options.guess if isinstance(options.guess, _Types) else _Types.of(first)
        head = text.head
        style = _STRING.sub("", "".join(head.splitlines()[:20]))
        own = cls(
            arrays=head.lstrip(" \t").startswith("["),
            integers=types.integers,
            compact="," in style and ", " not in style,
            ascii=head.isascii() and "\\u" in head,
            **text.style,
        )

        def batches() -> Iterator[Any]:
            part = first
            while part:
                if not types.fit(part):
                    raise GuessedWrong(replace(options, guess=_rest(types, part, rows)))
                yield types.batch(part)
                part = list(islice(rows, _BATCH))

        return own, Stream(types.schema, batches(), file.name, lambda row: f"line {row + 1}")

    def prepared(self, table: Any) -> Any:
        """Any value that JSON has."""
        return clean(table)

    def for_columns(self, names: list[str]) -> tuple[Self, list[str]]:
        """Arrays hold nothing but one set."""
        return (replace(self, arrays=False) if self.arrays and len(names) != 1 else self), []

    def lines(self, batch: Any) -> Any:
        """An object for each record, or an array."""
        comma, colon = (",", ":") if self.compact else (", ", ": ")
        values = [self._texts(batch.column(at), name, comma) for at, name in enumerate(batch.schema.names)]
        if self.arrays:
            return values[0]
        keys = [json.dumps(name, ensure_ascii=self.ascii) + colon for name in batch.schema.names]
        fields = [glued([key, texts]) for key, texts in zip(keys, values, strict=True)]
        return glued(["{", glued(fields, comma), "}"])

    def _texts(self, column: Any, name: str, comma: str) -> Any:
        """The values of a column as JSON, each different label or text only once."""
        import pyarrow as pa

        if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
            coded = column.flatten().dictionary_encode()
            labels = [
                label if name in self.integers and _INTEGER.fullmatch(label) else self._json(label, name)
                for label in coded.dictionary.to_pylist()
            ]
            lists = pa.ListArray.from_arrays(column.offsets, arrow_texts(labels).take(coded.indices))
            return glued(["[", joined(lists, comma), "]"])
        coded = column.dictionary_encode() if pa.types.is_string(column.type) else None
        if coded is not None and not column.null_count:
            return arrow_texts([self._json(text, name) for text in coded.dictionary.to_pylist()]).take(coded.indices)
        return arrow_texts([self._json(value, name) for value in column.to_pylist()])

    def _json(self, value: Any, name: str) -> str:
        """A value as JSON."""
        comma, colon = (",", ":") if self.compact else (", ", ": ")
        try:
            return json.dumps(value, ensure_ascii=self.ascii, allow_nan=False, separators=(comma, colon))
        except (TypeError, ValueError) as error:
            raise DataError(f"Column '{shorten(name)}' cannot be written as JSON ({error}): write parquet.") from None


@dataclass(frozen=True, eq=False)
class _Types:
    """The columns of some lines, and their types."""

    schema: Any  # pyarrow.Schema
    as_json: frozenset[str] = frozenset()  # those whose values have no common type

    @classmethod
    def of(cls, rows: list[dict[str, Any]]) -> _Types:
        """The types of some rows; a field may be missing in some of them."""
        import pyarrow as pa

        fields, as_json = [], set()
        for name in dict.fromkeys(name for row in rows for name in row):
            kind = _type_of([row.get(name) for row in rows])
            as_json.update([name] if kind is None else [])
            fields.append((name, kind or pa.string()))
        return cls(pa.schema(fields), frozenset(as_json))

    def joined(self, other: _Types) -> _Types:
        """Types that hold the values of both."""
        import pyarrow as pa

        as_json = set(self.as_json | other.as_json)
        kinds: dict[str, Any] = {field.name: field.type for field in self.schema}
        for field in other.schema:
            one = kinds.get(field.name, field.type)
            kinds[field.name] = _common(one, field.type)
            if kinds[field.name] is None or field.name in as_json:
                as_json.add(field.name)
                kinds[field.name] = pa.string()
        return _Types(pa.schema(list(kinds.items())), frozenset(as_json))

    def fit(self, rows: list[dict[str, Any]]) -> bool:
        """Whether the rows are of these types."""
        return bool(self.joined(_Types.of(rows)).schema.equals(self.schema))

    def batch(self, rows: list[dict[str, Any]]) -> Any:
        """The rows as a record batch."""
        import pyarrow as pa

        columns = []
        for field in self.schema:
            values: list[Any] = [row.get(field.name) for row in rows]
            if field.name in self.as_json:
                values = [None if value is None else json.dumps(value) for value in values]
            elif _is_texts(field.type):
                values = [None if value is None else [_text(item) for item in value] for value in values]
            columns.append(pa.array(values, field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    @property
    def integers(self) -> frozenset[str]:
        """The columns of lists of integers."""
        import pyarrow as pa

        lists = (field for field in self.schema if pa.types.is_list(field.type))
        return frozenset(field.name for field in lists if pa.types.is_integer(field.type.value_type))


def _rest(types: _Types, part: list[dict[str, Any]], rows: Iterator[dict[str, Any]]) -> Any:
    """The types of the whole file, once a part of it did not fit."""
    while part:
        types = types.joined(_Types.of(part))
        part = list(islice(rows, _BATCH))
    return types


def _type_of(values: list[Any]) -> Any:
    """The common type of values; none, if they have none, or one that Arrow cannot hold."""
    import pyarrow as pa

    try:
        return pa.array(values).type
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        lists = [value for value in values if value is not None]
        labels = all(isinstance(value, list) and all(type(item) in (str, int) for item in value) for value in lists)
        return pa.list_(pa.string()) if labels else None


def _common(one: Any, other: Any) -> Any:
    """A type that holds the values of both; none, if there is none."""
    import pyarrow as pa

    if _is_texts(one) or _is_texts(other):
        labels = all(_is_texts(kind) or _is_integers(kind) or pa.types.is_null(kind) for kind in (one, other))
        return pa.list_(pa.string()) if labels else None
    try:
        return pa.unify_schemas([pa.schema([("x", one)]), pa.schema([("x", other)])], promote_options="permissive")[
            0
        ].type
    except pa.ArrowException:
        return None


def _is_texts(kind: Any) -> bool:
    """Whether an Arrow type is one of lists of strings."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) and pa.types.is_string(kind.value_type))


def _is_integers(kind: Any) -> bool:
    """Whether an Arrow type is one of lists of integers, or of empty lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) and (pa.types.is_integer(kind.value_type) or pa.types.is_null(kind.value_type)))


def _text(item: Any) -> Any:
    """An item as a label; null stays null."""
    return None if item is None else str(item)


def _lines(text: TextPieces) -> Iterator[str]:
    """The lines, one after the other."""
    left = b""
    for piece in text:
        *lines, left = (left + piece).split(b"\n")
        yield from map(bytes.decode, lines)
    if left:
        yield left.decode()


def _rows(lines: Iterable[str], name: str, options: ReaderOptions) -> Iterator[dict[str, Any]]:
    """The fields of each line; errors name the line."""
    arrays: bool | None = None
    columns: list[str] = []  # those of sets
    for number, line in enumerate(lines, 1):
        try:
            value = _decoded(line)
            if arrays is not None and arrays != isinstance(value, list):
                _refuse(
                    f"expected {_KINDS[list if arrays else dict]} as in the lines before, got {_KINDS[type(value)]}"
                )
            arrays = isinstance(value, list)
            if arrays and (options.column or not options.sets):
                wanted = f"the field '{options.column}'" if options.column else "a field for each column"
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
    """The fields that must hold sets: those that are named, or the only array of the first line."""
    if options.column is not None:
        return [options.column]
    if not options.sets:
        return [column for column in options.columns if column in row]
    arrays = [field for field, content in row.items() if isinstance(content, list)]
    return arrays if len(arrays) == 1 and not options.id_columns else []


def _decoded(line: str) -> Any:
    """The array or object that is all of a line."""
    if not line.strip():
        _refuse("a blank line is not JSON: write [] for an empty set")
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        _refuse(f"invalid JSON: {error.msg} at column {error.pos + 1}")
    except RecursionError:
        _refuse("arrays or objects are nested too deeply")
    if not isinstance(value, dict | list):
        _refuse(f"expected an array or an object, got {_KINDS[type(value)]}")
    return value


def _object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose fields are there once."""
    names = [name for name, _ in fields]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        _refuse(f"the field '{shorten(double)}' is there twice")
    return dict(fields)


def _check_field(row: dict[str, Any], column: str, item_delimiter: str | None) -> None:
    """The field of the set must be there, and an array; or a text that is to be split."""
    if column not in row:
        hint = did_you_mean(column, row)
        _refuse(f"there is no field '{column}'{hint}, only {listed(row)}: write [] for an empty set")
    if item_delimiter is None and not isinstance(row[column], list):
        _refuse(f"field '{column}' must be an array, got {_KINDS[type(row[column])]}")


def _check_items(items: Any) -> None:
    """Refuse items that cannot be labels."""
    for item in items if isinstance(items, list) else ():
        kind = type(item)
        if kind is str:
            if not item.isascii() and any("\ud800" <= mark <= "\udfff" for mark in item):
                _refuse(f"item {shown(item)} holds half a surrogate pair, which is no text")
        elif kind is not int:
            _refuse(f"items must be strings or integers, got {_KINDS[kind]}")


def _refuse(message: str) -> NoReturn:
    """Raise; the caller adds file and line."""
    raise ValueError(message)


_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse(f"{name} is not JSON"), object_pairs_hook=_object)
