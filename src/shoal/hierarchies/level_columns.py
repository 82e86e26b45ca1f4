"""Columns of a table as labels: distinct texts and a code for each row.

Labels of real tables are dirty. White space at their ends is removed, unless the data write an item with it. Blank
cells, nulls and NaN have no label. Whole numbers that arrive as floats become whole numbers again (``1004906.0`` is
``1004906``), if all numbers of the column are whole. Everything else is verbatim: ``007`` is not ``7``, and ``Milk`` is
not ``milk``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrow import arrow_numbers, is_list, is_text, numpy_of
from shoal.data.labels import canonical_order
from shoal.errors import DataError, did_you_mean, shorten

_WHOLE = re.compile(r"[+-]?\d+\.0+", re.ASCII)
_EXACT = 2.0**53  # from here on, floats cannot hold every whole number


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """The labels of one column."""

    name: str
    labels: list[str]  # distinct
    codes: npt.NDArray[np.int64]  # for each row the number of its label, or -1: blank
    was_float: str = ""  # an original label, if whole numbers arrived as floats

    @classmethod
    def of(cls, table: Any, name: str, items: Collection[str] = ()) -> LevelColumn:
        """Read a column of a pyarrow.Table. White space at the ends of labels stays if ``items`` contain it, too."""
        texts, codes, was_float = _coded(table.column(name), name)
        column = cls(name, texts, codes, was_float)
        return column.mapped(lambda label: label if label in items and label.strip() else label.strip())

    @property
    def looks_like_floats(self) -> bool:
        """Whether all of its labels are texts such as ``1004906.0``."""
        return bool(self.labels) and all(map(_WHOLE.fullmatch, self.labels))

    def without_fractions(self) -> LevelColumn:
        """Return the column with ``1004906.0`` as ``1004906``, if all of its labels look like this."""
        if not self.looks_like_floats:
            return self
        column = self.mapped(without_fraction)
        return LevelColumn(self.name, column.labels, column.codes, min(self.labels))

    def mapped(self, change: Callable[[str], str]) -> LevelColumn:
        """Return the column with changed labels. A label that becomes empty is blank."""
        changed = list(map(change, self.labels))
        if changed == self.labels and "" not in changed:
            return self
        code_of = {label: code for code, label in enumerate(dict.fromkeys(filter(None, changed)))}
        recoded = np.array([*(code_of.get(label, -1) for label in changed), -1], dtype=np.int64)  # -1 stays -1
        return LevelColumn(self.name, list(code_of), recoded[self.codes], self.was_float)

    def in_order(self) -> LevelColumn:
        """Return the column with labels in canonical order, so that the order of rows does not matter."""
        ordered = canonical_order(self.labels)
        rank = {label: code for code, label in enumerate(ordered)}
        recoded = np.array([*map(rank.__getitem__, self.labels), -1], dtype=np.int64)
        return LevelColumn(self.name, ordered, recoded[self.codes], self.was_float)

    def at(self, rows: npt.NDArray[np.bool_]) -> LevelColumn:
        """Return the column of some rows, with the labels that occur there."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        recoded = np.full(len(self.labels) + 1, -1, dtype=np.int64)
        recoded[used] = np.arange(len(used))
        return LevelColumn(self.name, [self.labels[code] for code in used.tolist()], recoded[codes], self.was_float)


def level_columns(frame: Any, levels: Sequence[str], name: str, items: Collection[str] = ()) -> list[LevelColumn]:
    """Return the columns ``levels`` of a data frame, the first with ``items`` as the data spell them.

    A missing column is an error.
    """
    table = _arrow_table(frame, name)
    for level in levels:
        same = table.column_names.count(level)
        if not same:
            hint = did_you_mean(level, table.column_names)
            columns = ", ".join(map(shorten, table.column_names))
            raise DataError(f"{name} has no column '{shorten(level)}'{hint}: choose levels among {columns}.")
        if same > 1:
            raise DataError(f"{name} has {same} columns called '{shorten(level)}': rename all but one.")
    return [LevelColumn.of(table, level, () if at else items) for at, level in enumerate(levels)]


def count_items(items: Any) -> dict[str, int]:
    """Count how often each item occurs, given a mapping of counts, or a column of items or of sets.

    >>> count_items(["7", "8", "7", " "]), count_items({7: 2, 8: 0}), count_items([7.0, None])
    ({'7': 2, '8': 1}, {'7': 2}, {'7': 1})
    """
    if isinstance(items, Mapping):
        return {str(item): int(count) for item, count in items.items() if count > 0}
    import pyarrow as pa

    column = _arrow_column(items)
    while is_list(column.type):
        column = pa.chunked_array([chunk.flatten() for chunk in column.chunks], column.type.value_type)
    texts, codes, _ = _coded(column, "items")
    counts = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    return {text: count for text, count in zip(texts, counts, strict=True) if text.strip()}


def without_fraction(label: str) -> str:
    """Return a whole number without the zeros after its point.

    >>> without_fraction("1004906.0"), without_fraction("1.50"), without_fraction("v1.0")
    ('1004906', '1.50', 'v1.0')
    """
    return label.partition(".")[0] if _WHOLE.fullmatch(label) else label


def _arrow_table(frame: Any, name: str) -> Any:
    """Return a data frame of any library, or a mapping of columns, as a pyarrow.Table."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    try:
        if isinstance(frame, (pa.RecordBatch, Mapping)):
            return pa.table(dict(frame)) if isinstance(frame, Mapping) else pa.Table.from_batches([frame])
        if type(frame).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(frame, preserve_index=False)
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise DataError(f"{name} cannot be read as a table ({reason}): give each column one type.") from None
    raise DataError(
        f"Cannot read columns from a {type(frame).__name__}: give a data frame, a pyarrow.Table or a dict of lists."
    )


def _arrow_column(items: Any) -> Any:
    """Return a column of items as a pyarrow.ChunkedArray."""
    import pyarrow as pa

    if isinstance(items, pa.ChunkedArray):
        return items
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise DataError(f"Cannot count items in a {type(items).__name__}: give a column, a list or a dict of counts.")
    try:
        if hasattr(items, "to_arrow"):  # polars
            items = items.to_arrow()
        in_memory = isinstance(items, pa.Array) or hasattr(items, "__array__")
        array = (
            items if isinstance(items, pa.Array) else pa.array(items if in_memory else list(items), from_pandas=True)
        )
        return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise DataError(f"The items cannot be read as a column ({reason}): give all of them one type.") from None


def _coded(column: Any, name: str) -> tuple[list[str], npt.NDArray[np.int64], str]:
    """Return the distinct texts of a column, the index of each row's text (-1: none), and a former float if any."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    if types.is_dictionary(column.type):
        chunks = [_plain(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, None if chunks else pa.large_string())
    column = _plain(column)
    kind, was_float = column.type, ""
    if types.is_null(kind):
        return [], np.full(len(column), -1, dtype=np.int64), ""
    if types.is_floating(kind):
        column, was_float = _without_nan(column.cast(pa.float64()))
    elif not any(f(kind) for f in (types.is_integer, types.is_decimal, types.is_boolean, types.is_temporal, is_text)):
        raise DataError(f"Column '{shorten(name)}' holds values of type {kind}: wanted texts or numbers.")
    encoded = column.combine_chunks().dictionary_encode()
    codes = numpy_of(pc.fill_null(encoded.indices, arrow_numbers(np.array([-1], np.int32))[0]))
    return encoded.dictionary.cast(pa.large_string()).to_pylist(), codes.astype(np.int64), was_float


def _plain(array: Any) -> Any:
    """Return an array with views of texts as texts, because Arrow supports views poorly."""
    import pyarrow as pa

    return array.cast(pa.large_string()) if is_text(array.type) else array


def _without_nan(column: Any) -> tuple[Any, str]:
    """Return floats with null for NaN: as integers with an example if all are whole, otherwise as texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [pc.if_else(pc.is_nan(chunk), pa.nulls(1, pa.float64())[0], chunk) for chunk in column.chunks]
    column = pa.chunked_array(chunks, pa.float64())
    numbers = numpy_of(pc.drop_null(column))
    if len(numbers) and np.all(numbers == np.trunc(numbers)) and np.abs(numbers).max() < _EXACT:
        return column.cast(pa.int64()), str(float(numbers.min()))
    return column.cast(pa.large_string()), ""
