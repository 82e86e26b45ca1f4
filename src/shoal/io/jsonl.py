"""JSON lines (``.jsonl``, ``.ndjson``): each line an array of items, or an object with one array field.

The other fields of an object are copied as they stand, to the byte. Items are strings or integers; where all were
integers, labels that still are integers are written without quotes. In a table without sets, or with several arrays,
every field whose values are the same is copied so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from shoal.data import Dataset, Transactions
from shoal.errors import DataError, did_you_mean
from shoal.files import FileBytes
from shoal.io.coding import PART, Batch, Ragged
from shoal.io.layout import ReaderOptions, SetColumn
from shoal.io.messages import listed, shorten, shown
from shoal.io.text import Text, TextLayout, glued, joined

_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse(f"{name} is not JSON"))
_SPACE = re.compile(r"[ \t]*")
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a decimal number",
    bool: "a boolean",
    type(None): "null",
}
_STRING = re.compile(r'"([^"\\]|\\.)*"')
_INTEGER = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)


@dataclass(frozen=True, kw_only=True, eq=False)
class Jsonl(TextLayout):
    """Arrays, or objects with an array; ``column`` is the name of its field."""

    format: ClassVar[str] = "jsonl"
    about: ClassVar[str] = "a JSON array a line, or objects with one array field; others pass through (.jsonl, .ndjson)"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    tabular: ClassVar[bool] = True
    column: str | None = None  # None: lines are arrays, or objects without sets
    integers: bool = False
    compact: bool = False  # no space after commas
    ascii: bool = False  # other characters are written \\uXXXX
    parsed: Any = None  # pyarrow.Table of the other fields as read
    around: Any = None  # pyarrow.Table of the text before and after each array, as read
    raw: Any = None  # without sets: pyarrow.Table of the text of each value, as read; null: the line has no such field

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Decode line by line, remembering the text around each array."""
        import pyarrow as pa

        text = Text.of(file)
        if not options.sets:
            return cls._read_table(file, text)
        labels: list[str] = []
        sizes: list[int] = []
        encoder, integers, others = options.encoder(), True, _Columns()
        around: dict[str, list[str]] = {"before": [], "after": []}
        schema = pa.schema([(name, pa.large_string()) for name in around])
        parts: list[Any] = []  # of the text around, in Arrow's memory, which is much smaller
        column, sample = options.column, ""
        for number, line in enumerate(_lines(text), 1):
            try:
                parsed_line = _Line.of(line, column)
                if number > 1 and parsed_line.column != column:
                    _refuse("expected an array as in the lines before, got an object")
                column = parsed_line.column
                _check(parsed_line.items)
            except ValueError as error:
                raise DataError(f"{file.path}, line {number}: {error}.") from None
            labels += map(str, parsed_line.items)
            sizes.append(len(parsed_line.items))
            integers = integers and not any(isinstance(item, str) for item in parsed_line.items)
            if column is not None:
                others.append(parsed_line.others)
                around["before"].append(line[: parsed_line.start])
                around["after"].append(line[parsed_line.stop :])
            if not sample and len(parsed_line.items) > 1:
                sample = line[parsed_line.start : parsed_line.stop]
            if len(labels) >= PART:
                encoder.add(Ragged.from_flat(labels, sizes))
                parts.append(pa.table(around, schema))
                labels.clear()
                sizes.clear()
                around = {"before": [], "after": []}
        encoder.add(Ragged.from_flat(labels, sizes))
        options.tell_missing(encoder.dropped)
        layout = cls(
            column=column,
            integers=integers,
            compact=", " not in _STRING.sub("", sample) if sample else False,
            ascii=text.body.isascii() and "\\u" in text.body,
            parsed=others.table() if column is not None else None,
            around=pa.concat_tables([*parts, pa.table(around, schema)]) if column is not None else None,
            **text.style,
        )
        return layout.dataset(file, encoder.transactions(), layout.parsed)

    @classmethod
    def _read_table(cls, file: FileBytes, text: Text) -> Dataset:
        """Objects without sets: all fields are columns."""
        import pyarrow as pa

        rows, raw = _Columns(), _Columns()
        for number, line in enumerate(_lines(text), 1):
            try:
                start = _skip(line, 0)
                if line[start : start + 1] != "{":
                    _refuse("expected an object with a field for each column of the table")
                row, spans = _fields(line, start)
            except ValueError as error:
                raise DataError(f"{file.path}, line {number}: {error}.") from None
            rows.append(row)
            raw.append({field: line[begin:end] for field, (begin, end) in spans.items()})
        parsed, first = rows.table(), text.body.split("\n", 1)[0]
        layout = cls(
            without_sets=True,
            compact=", " not in _STRING.sub("", first) and "," in first,
            ascii=text.body.isascii() and "\\u" in text.body,
            parsed=parsed,
            around=pa.table({"line": pa.chunked_array(text.lines)}),
            raw=pa.table({name: pa.array(texts, pa.large_string()) for name, texts in raw.filled().items()}),
            **text.style,
        )
        return layout.dataset(file, Transactions.nothing(rows.length), parsed)

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Ragged, SetColumn]:
        """Arrays, decoded once more: items of several types have no common one in the table."""
        rows = []
        for number, text in enumerate(self.raw.column(name).to_pylist(), 1):
            try:
                if text is None:
                    _refuse(f"there is no field '{name}': write [] for an empty set")
                items = _items({name: json.loads(text)}, name)
                _check(items)
                rows.append([str(item) for item in items])
            except ValueError as error:
                raise DataError(f"{source}, line {number}: {error}.") from None
        return Ragged.from_rows(rows), SetColumn(name)

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """Columns beside the sets need objects; an array of another name needs other text around it."""
        if self.without_sets:
            return self, []
        if self.column is None and dataset.table is not None and dataset.table.names:
            return replace(self, column="items"), []
        return replace(self, around=None) if "column" in given else self, []

    def columns(self, table: Any) -> Any:
        """The text before and after each array: as it was read, or made from the columns."""
        import pyarrow as pa

        if self.around is not None and self.parsed is not None and table.equals(self.parsed):
            return self.around
        if self.without_sets:
            return pa.table({"line": pa.array(self._objects(table), pa.large_string())})
        if not table.column_names:
            return None
        if self.column in table.column_names:
            raise DataError(f"Column '{self.column}' is there already: pass another --column for the sets.")
        field = json.dumps(self.column, ensure_ascii=self.ascii)
        before, after = [], []
        for number, row in enumerate(table.to_pylist(), 1):
            others = self._json(row, number)
            before.append(others[:-1] + (", " if row else "") + field + ": ")
            after.append("}")
        return pa.table({"before": pa.array(before, pa.large_string()), "after": pa.array(after, pa.large_string())})

    def _objects(self, table: Any) -> list[str]:
        """The rows of a table without sets; fields that are as they were read stand as they stood."""
        comma, colon = (",", ":") if self.compact else (", ", ": ")
        fields: list[list[str]] = [[] for _ in range(table.num_rows)]
        for name in table.column_names:
            column = table.column(name)
            known = self.parsed is not None and name in self.parsed.column_names
            same = known and self.raw is not None and column.equals(self.parsed.column(name))
            integers = known and _holds_integers(self.parsed.schema.field(name).type)
            key = json.dumps(name, ensure_ascii=self.ascii) + colon
            for row, value in enumerate((self.raw if same else table).column(name).to_pylist()):
                if same:
                    text = value
                else:
                    if integers and isinstance(value, list):
                        value = [int(item) if _is_integer(item) else item for item in value]
                    text = self._json(value, row + 1, (comma, colon))
                if text is not None:
                    fields[row].append(key + text)
        return ["{" + comma.join(texts) + "}" for texts in fields]

    def _json(self, value: Any, row: int, separators: tuple[str, str] = (", ", ": ")) -> str:
        """A value as JSON."""
        try:
            return json.dumps(value, ensure_ascii=self.ascii, allow_nan=False, separators=separators)
        except (TypeError, ValueError) as error:
            raise DataError(f"Row {row} cannot be written as JSON ({error}): write parquet.") from None

    def lines(self, batch: Batch) -> list[str]:
        """Arrays with the text around them."""
        if self.without_sets:
            whole: list[str] = batch.columns.column("line").to_pylist()
            return whole
        texts = [
            label if self.integers and _INTEGER.fullmatch(label) else json.dumps(label, ensure_ascii=self.ascii)
            for label in batch.labels
        ]
        before: Any = ""
        after: Any = ""
        arrays = joined(batch.lists(texts), "," if self.compact else ", ")
        if batch.columns is not None:
            before, after = batch.columns.column("before"), batch.columns.column("after")
        elif self.column is not None:
            before, after = "{" + json.dumps(self.column, ensure_ascii=self.ascii) + ": ", "}"
        lines: list[str] = glued([before, "[", arrays, "]", after]).to_pylist()
        return lines

    def place(self, row: int) -> str:
        """Every row is one line."""
        return f"line {row + 1}"


class _Line(NamedTuple):
    """A decoded line; its array is ``line[start:stop]``."""

    column: str | None
    items: list[Any]
    others: dict[str, Any]
    start: int
    stop: int

    @classmethod
    def of(cls, line: str, column: str | None) -> _Line:
        """Decode a line; ValueError says what is wrong with it."""
        start = _skip(line, 0)
        if start == len(line):
            _refuse("a blank line is not JSON: write [] for an empty set")
        if line[start] == "{":
            return cls._of_object(line, start, column)
        value, stop = _value(line, start)
        if not isinstance(value, list):
            _refuse(f"expected an array or an object, got {_KINDS[type(value)]}")
        if column is not None:
            _refuse(f"expected an object with the field '{column}', got an array")
        if _skip(line, stop) != len(line):
            _refuse(f"invalid JSON: more text after the array at column {stop + 1}")
        return cls(None, value, {}, start, stop)

    @classmethod
    def _of_object(cls, line: str, start: int, column: str | None) -> _Line:
        """Find the array among the fields."""
        json_value, spans = _fields(line, start)
        if column is None:
            arrays = [field for field, value in json_value.items() if isinstance(value, list)]
            if len(arrays) != 1:
                _refuse(
                    f"expected one array field, got {len(arrays)} in the fields {listed(json_value)}: pass --column"
                )
            column = arrays[0]
        items = _items(json_value, column)
        del json_value[column]
        return cls(column, items, json_value, *spans[column])


def _fields(line: str, start: int) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    """The fields of the object that is all of a line, and where their values start and stop."""
    fields, end = _value(line, start)  # decodes, and so proves it well-formed
    if _skip(line, end) != len(line):
        _refuse(f"invalid JSON: more text after the object at column {end + 1}")
    spans: dict[str, tuple[int, int]] = {}
    at = _skip(line, start + 1)
    while line[at] != "}":
        field, at = _value(line, at)
        begin = _skip(line, _skip(line, at) + 1)  # past the colon
        at = _value(line, begin)[1]
        if field in spans:
            _refuse(f"the field '{shorten(field)}' is there twice")
        spans[field] = (begin, at)
        at = _skip(line, at)
        if line[at] == ",":
            at = _skip(line, at + 1)
    return fields, spans


def _items(fields: dict[str, Any], column: str) -> list[Any]:
    """The items in a field, which must be an array of labels."""
    if column not in fields:
        hint = did_you_mean(column, fields)
        _refuse(f"there is no field '{column}'{hint}, only {listed(fields)}: write [] for an empty set")
    items: Any = fields[column]
    if not isinstance(items, list):
        _refuse(f"field '{column}' must be an array, got {_KINDS[type(items)]}")
    return list(items)


def _refuse(message: str) -> Any:
    """Raise; the caller adds file and line."""
    raise ValueError(message)


def _skip(line: str, at: int) -> int:
    """Past the white space."""
    match = _SPACE.match(line, at)
    return match.end() if match else at


def _value(line: str, at: int) -> tuple[Any, int]:
    """Decode one value and tell where it stops."""
    try:
        return _DECODER.raw_decode(line, at)
    except json.JSONDecodeError as error:
        raise ValueError(f"invalid JSON: {error.msg} at column {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("arrays or objects are nested too deeply") from None


def _check(items: list[Any]) -> None:
    """Refuse items that cannot be labels."""
    for item in items:
        kind = type(item)
        if kind is str:
            if not item.isascii() and any("\ud800" <= mark <= "\udfff" for mark in item):
                _refuse(f"item {shown(item)} holds half a surrogate pair, which is no text")
        elif kind is not int:
            _refuse(f"items must be strings or integers, got {_KINDS[kind]}")


def _is_integer(item: Any) -> bool:
    """Whether a label can stand without quotes."""
    return isinstance(item, str) and bool(_INTEGER.fullmatch(item))


def _holds_integers(kind: Any) -> bool:
    """Whether an Arrow type is one of lists of integers."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) and pa.types.is_integer(kind.value_type))


def _lines(text: Text) -> Iterator[str]:
    """The lines, one after the other."""
    return (line for part in text.lines for line in part.to_pylist())


class _Columns:
    """Values by the names of their fields; None where a row has no such field."""

    def __init__(self) -> None:
        self.length, self._values = 0, dict[str, list[Any]]()

    def append(self, row: dict[str, Any]) -> None:
        """Add a row."""
        for name, value in row.items():
            values = self._values.setdefault(name, [])
            values += [None] * (self.length - len(values))
            values.append(value)
        self.length += 1

    def filled(self) -> dict[str, list[Any]]:
        """All columns, equally long."""
        for values in self._values.values():
            values += [None] * (self.length - len(values))
        return self._values

    def table(self) -> Any:
        """As Arrow columns; a field whose values have no common type is kept as JSON text."""
        import pyarrow as pa

        columns = {}
        for name, values in self.filled().items():
            try:
                columns[name] = pa.array(values)
            except (pa.ArrowException, OverflowError, UnicodeEncodeError):
                columns[name] = pa.array([None if value is None else json.dumps(value) for value in values])
        return pa.table(columns)
