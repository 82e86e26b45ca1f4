"""The types of JSON values: columns of Arrow that hold them without a change.

A column whose values have no common type is kept as JSON text. What a type cannot hold exactly has no common type: an
object that lacks a field of another one, or a whole number beyond 2**53 among decimals.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
_EXACT = 2**53  # decimals hold all whole numbers up to this one


@dataclass(frozen=True, eq=False)
class JsonTypes:
    """The columns of some rows, and their types."""

    schema: Any  # pyarrow.Schema
    labels: frozenset[str] | None  # the columns of items or ids, in which numbers may become text; None: any may be
    as_json: frozenset[str] = frozenset()  # those whose values have no common type
    large: frozenset[str] = frozenset()  # those with whole numbers beyond 2**53
    numbers: frozenset[str] = frozenset()  # those of lists of whole numbers, some beyond what Arrow has

    @classmethod
    def of(cls, rows: list[Row], labels: frozenset[str] | None) -> JsonTypes:
        """The types of some rows; a field may be missing in some of them."""
        import pyarrow as pa

        kinds: dict[str, Any] = {}
        as_json, large, numbers = set(), set(), set()
        for name in dict.fromkeys(name for row in rows for name in row):
            values = [row.get(name) for row in rows]
            kind = _type_of(values)
            if kind is None and _may_be_labels(name, labels, rows):
                kind = _label_type(values)
                numbers.update([name] if _is_list(kind) and _are_integers(values) else [])
            if kind is None:
                as_json.add(name)
            elif "int" in str(kind) and any(map(_has_large, values)):
                large.add(name)
            kinds[name] = pa.string() if kind is None else kind
        return cls(pa.schema(list(kinds.items())), labels, frozenset(as_json), frozenset(large), frozenset(numbers))

    def joined(self, other: JsonTypes) -> JsonTypes:
        """Types that hold the values of both."""
        import pyarrow as pa

        as_json, large = set(self.as_json | other.as_json), self.large | other.large
        kinds: dict[str, Any] = {field.name: field.type for field in self.schema}
        for field in other.schema:
            name = field.name
            labels = name in self.labels if self.labels is not None else not self._has_lists or _is_list(field.type)
            kinds[name] = _common(kinds.get(name, pa.null()), field.type, labels=labels)
            if kinds[name] is None or name in as_json or (name in large and "double" in str(kinds[name])):
                as_json.add(name)
                kinds[name] = pa.string()
        numbers = [
            name for name in self.numbers | other.numbers if self._holds_integers(name) and other._holds_integers(name)
        ]
        return JsonTypes(pa.schema(list(kinds.items())), self.labels, frozenset(as_json), large, frozenset(numbers))

    def fit(self, rows: list[Row]) -> bool:
        """Whether the rows are of these types."""
        joined = self.joined(JsonTypes.of(rows, self.labels))
        same = (joined.as_json, joined.integers) == (self.as_json, self.integers)
        return same and bool(joined.schema.equals(self.schema))

    def batch(self, rows: list[Row]) -> Any:
        """The rows as a record batch."""
        import pyarrow as pa

        columns = []
        for field in self.schema:
            values: list[Any] = [row.get(field.name) for row in rows]
            if field.name in self.as_json:
                values = [None if value is None else json.dumps(value) for value in values]
            columns.append(_column(values, field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    @property
    def integers(self) -> frozenset[str]:
        """The columns of lists of integers."""
        return frozenset(field.name for field in self.schema if _is_integer_list(field.type)) | self.numbers

    @property
    def _has_lists(self) -> bool:
        return any(_is_list(field.type) for field in self.schema)

    def _holds_integers(self, name: str) -> bool:
        """Whether a column has nothing but lists of whole numbers, or of nothing."""
        import pyarrow as pa

        kind = self.schema.field(name).type if name in self.schema.names else pa.null()
        empty = pa.types.is_null(kind) or (_is_list(kind) and pa.types.is_null(kind.value_type))
        return empty or name in self.integers


def _type_of(values: list[Any]) -> Any:
    """The type that holds values as they are; none, if Arrow has none."""
    import pyarrow as pa

    try:
        column = pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, RecursionError):
        return None
    name = str(column.type)
    if "struct<>" in name or ("struct" in name and column.to_pylist() != values):
        return None  # Parquet has no empty objects
    return column.type


def _label_type(values: list[Any]) -> Any:
    """The type of labels: text, or lists of it."""
    import pyarrow as pa

    given = [value for value in values if value is not None]
    if all(isinstance(value, list) and all(map(_is_label, value)) for value in given):
        return pa.list_(pa.string())
    return pa.string() if all(map(_is_label, given)) else None


def _may_be_labels(name: str, labels: frozenset[str] | None, rows: Iterable[Row]) -> bool:
    """Whether a column can be one of items: it was named, or nothing was, and there is no better one."""
    if labels is not None:
        return name in labels
    lists = {field for row in rows for field, value in row.items() if isinstance(value, list)}
    return not lists or name in lists


def _common(one: Any, other: Any, *, labels: bool) -> Any:
    """A type that holds the values of both; none, if there is none."""
    import pyarrow as pa

    if one.equals(other) or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    kinds = (one, other)
    if all(map(_is_list, kinds)):
        inner = _common(one.value_type, other.value_type, labels=labels)
        return None if inner is None else pa.list_(inner)
    if all(map(pa.types.is_struct, kinds)):
        fields = [{field.name: field.type for field in kind} for kind in kinds]
        if fields[0].keys() != fields[1].keys():
            return None
        types = {name: _common(kind, fields[1][name], labels=False) for name, kind in fields[0].items()}
        return None if None in types.values() else pa.struct(list(types.items()))
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        return pa.float64()
    texts = labels and all(pa.types.is_integer(kind) or pa.types.is_string(kind) for kind in kinds)
    return pa.string() if texts else None


def _column(values: list[Any], kind: Any) -> Any:
    """Values as an Arrow array; numbers among texts become text."""
    import pyarrow as pa

    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError):
        if pa.types.is_string(kind):
            return pa.array([None if value is None else str(value) for value in values], kind)
        if _is_list(kind) and pa.types.is_string(kind.value_type):
            texts = [None if value is None else [_text(item) for item in value] for value in values]
            return pa.array(texts, kind)
        raise


def _is_list(kind: Any) -> bool:
    """Whether an Arrow type, or none, is one of lists."""
    import pyarrow as pa

    return kind is not None and bool(pa.types.is_list(kind))


def _is_integer_list(kind: Any) -> bool:
    """Whether an Arrow type is one of lists of integers."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) and pa.types.is_integer(kind.value_type))


def _has_large(value: Any) -> bool:
    """Whether a value is, or contains, a whole number that decimals do not hold exactly."""
    if isinstance(value, list):
        return any(map(_has_large, value))
    if isinstance(value, dict):
        return any(map(_has_large, value.values()))
    return type(value) is int and abs(value) > _EXACT


def _are_integers(values: list[Any]) -> bool:
    """Whether lists contain whole numbers only."""
    return all(type(item) is int for value in values for item in value or ())


def _is_label(value: Any) -> bool:
    """Whether a value can be an item or an id: text, or a whole number."""
    return is_text(value) if type(value) is str else type(value) is int


def is_text(value: str) -> bool:
    """Whether a text has no half of a surrogate pair.

    >>> is_text("Käse"), is_text("\\ud800")
    (True, False)
    """
    return value.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in value)


def _text(item: Any) -> Any:
    """An item as a label; null stays null."""
    return None if item is None else str(item)
