"""The columns of JSON objects. Each has the narrowest kind that holds its values unchanged.

::

    null ─┬─ bool ──────────────────────────┐
          ├─ int ── big ────────────────────┤      big: beyond 2**53, which decimals cannot hold
          │     └── float ──────────────────┼─ json    kept as JSON text
          ├─ text ──────────────────────────┤
          └─ empty ─┬─ ints ────────────────┤      lists
                    └─ texts ───────────────┘

In columns of labels (items and ids), numbers may become texts, so that more values have a common kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_texts

Row = dict[str, Any]
_EXACT, _INT64 = 2**53, 2**63
_SCALARS = {type(None): "null", bool: "bool", float: "float", dict: "json"}
_WIDER = {
    frozenset({"int", "big"}): "big",
    frozenset({"int", "float"}): "float",
    frozenset({"empty", "ints"}): "ints",
    frozenset({"empty", "texts"}): "texts",
}
_LABELS = {**dict.fromkeys(("int", "big", "text"), "text"), **dict.fromkeys(("empty", "ints", "texts"), "texts")}
_LISTS = ("empty", "ints", "texts")


class JsonColumns:
    """The columns of some rows, and their kinds."""

    def __init__(self, is_label: Callable[[str], bool]) -> None:
        self._is_label = is_label
        self.kinds: dict[str, str] = {}

    def add(self, rows: Iterable[Row]) -> bool:
        """Widen the kinds so that they hold these rows, too. Return whether any kind changed."""
        before = dict(self.kinds)
        for row in rows:
            for name, value in row.items():
                kind, known = self._kind_of(name, value), self.kinds.get(name)
                if kind != known:
                    self.kinds[name] = self._common(name, kind, known or "null")
        return before != self.kinds

    def _kind_of(self, name: str, value: Any) -> str:
        kind = kind_of(value)
        if kind != "json" or not self._is_label(name):
            return kind
        if type(value) is list:
            types = set(map(type, value))
            return "json" if not types <= {int, str} else "ints" if types == {int} else "texts"
        return "text" if type(value) is int else "json"

    def _common(self, name: str, one: str, other: str) -> str:
        if "null" in (one, other):
            return other if one == "null" else one
        wider = _WIDER.get(frozenset({one, other}))
        if wider is None and self._is_label(name) and _LABELS.get(one) == _LABELS.get(other):
            wider = _LABELS.get(one)
        return wider or "json"

    @property
    def as_json(self) -> frozenset[str]:
        """Return the columns whose values have no common kind."""
        return frozenset(name for name, kind in self.kinds.items() if kind == "json")

    @property
    def integers(self) -> frozenset[str]:
        """Return the columns of lists of whole numbers."""
        return frozenset(name for name, kind in self.kinds.items() if kind == "ints")

    def batch(self, rows: list[Row]) -> Any:
        """Return the rows as a record batch."""
        import pyarrow as pa

        columns = [self._column(name, [row.get(name) for row in rows]) for name in self.kinds]
        return pa.RecordBatch.from_arrays(columns, names=list(self.kinds))

    def _column(self, name: str, values: list[Any]) -> Any:
        """Return values as an Arrow array. ``pyarrow.array`` is avoided because it would import pandas."""
        import pyarrow as pa

        kind, label = self.kinds[name], self._is_label(name)
        there = np.array([value is not None for value in values], dtype=np.bool_)
        valid = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
        if kind == "null":
            return pa.nulls(len(values))
        if kind in _LISTS:
            items = [item for value in values if value for item in value]
            ends = np.cumsum([0, *(len(value or ()) for value in values)], dtype=np.int32)
            inner = _numbers(items, np.int64) if kind == "ints" and not label else arrow_texts(list(map(str, items)))
            buffers = [valid, pa.py_buffer(ends)]
            return pa.Array.from_buffers(pa.list_(inner.type), len(values), buffers, children=[inner])
        if kind in ("text", "json"):
            spell = json.dumps if kind == "json" else str
            plain = arrow_texts(["" if value is None else spell(value) for value in values])
        elif kind == "bool":
            bits = np.packbits(np.array(values, dtype=object) == np.True_, bitorder="little")
            plain = pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
        else:
            plain = _numbers(values, np.float64 if kind == "float" else np.int64)
        return pa.Array.from_buffers(plain.type, len(values), [valid, *plain.buffers()[1:]])


def kind_of(value: Any) -> str:
    """Return the kind of one value.

    >>> [kind_of(value) for value in (None, True, 7, 2**60, 10**30, 0.5, "a", [], [1, 2], ["a"], [1, "a"], {})]
    ['null', 'bool', 'int', 'big', 'json', 'float', 'text', 'empty', 'ints', 'texts', 'json', 'json']
    """
    kind = type(value)
    if kind is int:
        return "int" if abs(value) <= _EXACT else "big" if -_INT64 <= value < _INT64 else "json"
    if kind is str:
        return "text" if is_text(value) else "json"
    if kind is not list:
        return _SCALARS[kind]
    types = set(map(type, value))
    if types == {str}:
        return "texts" if is_text("".join(value)) else "json"
    if types == {int}:
        return "ints" if min(value) >= -_INT64 and max(value) < _INT64 else "json"
    return "json" if types else "empty"


def is_text(value: str) -> bool:
    """Whether a text has no half of a surrogate pair.

    >>> is_text("Käse"), is_text("\\ud800")
    (True, False)
    """
    return value.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in value)


def _numbers(values: list[Any], kind: Any) -> Any:
    """Return numbers as an Arrow array, with 0 for None."""
    return arrow_numbers(np.array([value or 0 for value in values], dtype=kind))
