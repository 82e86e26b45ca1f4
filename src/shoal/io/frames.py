"""Tables in memory: pandas, polars, DuckDB relations, Arrow, and everything else with an Arrow C stream.

A frame is read like a file, and a release of it is the same kind of frame. A column (a Series, an Arrow array) is read
as a table of one column. The sets are returned as lists. Hidden content is left out: metadata (the attrs of pandas,
Arrow's schema metadata), and categories that no row uses. The index of pandas is kept if the rows are the same, so that
the caller can match the rows. No file ever holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import IO, Any, ClassVar, Self

from shoal.data.arrow import is_list
from shoal.data.source_layout import MARKS
from shoal.errors import DataError
from shoal.io.clean import clean
from shoal.io.format import Format, Put, ReaderOptions, refuse_doubles
from shoal.io.memory import python_lists, row_labels
from shoal.io.messages import shorten
from shoal.io.stream import Stream, nth_row

_UNREADABLE = (TypeError, ValueError, OverflowError, NotImplementedError)  # raised by Arrow and by encoding


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameFormat(Format):
    """A table in memory that is returned as an Arrow table."""

    format: ClassVar[str] = "frame"
    about: ClassVar[str] = "a data frame"
    tabular: ClassVar[bool] = True
    frame: Any = None  # the data frame that was read; None: the Arrow table is complete
    is_column: bool = False  # the source is a column, not a table
    name: Any = None  # the name of that column

    @classmethod
    def of(cls, source: Any, options: ReaderOptions) -> tuple[FrameFormat, Stream] | None:
        """Return the records of a frame or a column, or None if the object is neither."""
        import pyarrow as pa

        kind = type(source).__name__
        own = format_of_frame(source)
        if own is None:
            return None
        try:
            table = own.arrow(source, options)
        except _UNREADABLE as error:
            raise DataError(f"The {kind} cannot be read as a table: {str(error).splitlines()[0]}.") from None
        refuse_doubles(table.column_names, f"The {kind}")
        plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
        for at, field in enumerate(table.schema):
            if field.type in plain:  # Arrow cannot select rows of views
                values = table.column(at).cast(plain[field.type])
                table = table.set_column(at, field.with_type(values.type), values)
        return own, Stream(table.schema, iter(table.to_batches()), f"the {kind}", nth_row)

    @classmethod
    def open(cls, file: Any, options: ReaderOptions) -> tuple[Self, Stream]:
        """Raise an error: a frame is not a file."""
        raise NotImplementedError

    def writer(self, sink: IO[bytes], schema: Any) -> AbstractContextManager[Put]:
        """Raise an error: a frame is not a file."""
        raise NotImplementedError

    @property
    def marks(self) -> str:
        """Return the separators of items in the file that a frame may be written to later."""
        return MARKS

    def prepared(self, table: Any) -> Any:
        """Return the table without metadata."""
        return clean(table)

    def arrow(self, source: Any, options: ReaderOptions) -> Any:
        """Return the frame as a pyarrow.Table."""
        import pyarrow as pa

        return pa.table({"items": source}) if self.is_column else pa.table(source)

    def native(self, table: Any, new: Collection[str], *, keep_index: bool) -> Any:
        """Return a pyarrow.Table as the kind of object that was read. The columns in ``new`` have changed."""
        return table.column(0).combine_chunks() if self.is_column and table.num_columns == 1 else table


def format_of_frame(source: Any) -> FrameFormat | None:
    """Return the format of a frame or column. Packages that are not imported are not tried."""
    import pyarrow as pa

    if isinstance(source, (pa.Array, pa.ChunkedArray)):
        return FrameFormat(is_column=True)
    for package, format in (("pandas", PandasFormat), ("polars", PolarsFormat)):
        library: Any = sys.modules.get(package)
        if not hasattr(library, "Series"):  # it is not loaded, or another thread is importing it
            continue
        if isinstance(source, library.DataFrame):
            return format(frame=source)
        if isinstance(source, library.Series):
            name = "items" if source.name in (None, "") else source.name
            return format(frame=source.to_frame(name), is_column=True, name=source.name)
        if isinstance(source, getattr(library, "LazyFrame", ())):
            raise DataError("Cannot read sets from a LazyFrame, which has no rows yet: call its .collect() first.")
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return FrameFormat()
    return None


class PolarsFormat(FrameFormat):
    """A polars DataFrame or Series."""

    def arrow(self, source: Any, options: ReaderOptions) -> Any:
        """Refuse Python objects, because Arrow would get their addresses."""
        import pyarrow as pa

        for name, kind in self.frame.schema.items():
            if str(kind) == "Object":
                raise DataError(
                    f"Column '{shorten(name)}' holds Python objects: convert them to strings, or leave it out."
                )
        return pa.table(self.frame)

    def native(self, table: Any, new: Collection[str], *, keep_index: bool) -> Any:
        """Restore Enum columns. Arrow has all other types of polars."""
        import polars as pl

        enums = [name for name in table.column_names if isinstance(self.frame.schema.get(name), pl.Enum)]
        kinds = {name: _categories(table.column(name)) for name in enums if name not in new}
        frame = pl.DataFrame(table).cast({name: pl.Enum(kind) for name, kind in kinds.items() if kind is not None})
        return frame.to_series().alias(self.name) if self.is_column and frame.width == 1 else frame


def _categories(column: Any) -> list[str] | None:
    """Return the categories of an Arrow column, or None if it has another type now."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return None
    categories: list[str] = column.unify_dictionaries().chunk(0).dictionary.to_pylist()
    return categories


@dataclass(frozen=True, kw_only=True, eq=False)
class PandasFormat(FrameFormat):
    """A pandas DataFrame or Series. Cells may be lists, tuples, sets, arrays, or missing."""

    @property
    def has_index(self) -> bool:
        """Whether the index is not just 0, 1, 2, .."""
        import pandas as pd

        return not self.frame.index.identical(pd.RangeIndex(len(self.frame)))

    def without_index(self) -> Self:
        """Return the format with an index of 0, 1, 2, .."""
        return replace(self, frame=self.frame.reset_index(drop=True))

    def without_rows(self) -> Self:
        """Return the format with the columns of the frame, and no rows."""
        return replace(self, frame=self.frame.iloc[:0])

    def arrow(self, source: Any, options: ReaderOptions) -> Any:
        """Return the table with column labels, which may be any objects, as texts."""
        import pyarrow as pa

        names = [str(label) for label in self.frame.columns]
        used = {options.sets, *options.columns, options.item_column, options.person, *options.id_columns}
        used |= set(names) if self.is_column or (options.item_delimiter and options.sets is None) else set()
        needed = [f"Column '{shorten(name)}'" if name in used else "" for name in names]
        return pa.table([_arrow_column(self.frame.iloc[:, at], needed[at]) for at in range(len(names))], names=names)

    def native(self, table: Any, new: Collection[str], *, keep_index: bool) -> Any:
        """Return a pandas object. Unchanged columns are returned as they were, with all their objects."""
        import pandas as pd
        import pyarrow as pa

        labels = {str(label): label for label in self.frame.columns}
        columns = {}
        for name, column in zip(table.column_names, table.columns, strict=True):
            series = self.frame[labels[name]] if name in labels and name not in new else None
            if series is None or not column.equals(clean(pa.table({name: _arrow_column(series)})).column(0)):
                series = _converted(column, is_sets=name in new)
            elif isinstance(series.dtype, pd.CategoricalDtype):
                series = series.cat.remove_unused_categories()
            columns[labels.get(name, name)] = series.array
        same_rows = keep_index and len(self.frame) == table.num_rows
        frame = pd.DataFrame(columns, index=self.frame.index if same_rows else None)
        return frame.iloc[:, 0].rename(self.name) if self.is_column and len(columns) == 1 else frame


def python_columns(table: Any) -> dict[str, Any]:
    """Return the columns of a pyarrow.Table as pandas columns. Lists stay lists."""
    return {name: _converted(table.column(name), is_sets=False) for name in table.column_names}


def _converted(column: Any, *, is_sets: bool) -> Any:
    """Return an Arrow column as a pandas column. Lists stay lists, which pandas would turn into arrays."""
    import pandas as pd

    if not is_list(column.type):
        return column.to_pandas()
    return pd.Series(python_lists(column.combine_chunks()) if is_sets else column.to_pylist(), dtype=object)


def _arrow_column(series: Any, needed: str = "") -> Any:
    """Return a pandas column as an Arrow array. Objects that are neither values nor lists of items become texts.

    ``needed`` is the name of the column if its values will be used. Then such objects are refused.
    """
    import pyarrow as pa

    try:
        return pa.array(series, from_pandas=True)
    except _UNREADABLE:
        pass
    rows = [None if missing else row for row, missing in zip(series, series.isna(), strict=True)]
    try:
        lists = [None if row is None else row_labels(row, f"{needed}, row {at}") for at, row in enumerate(rows, 1)]
        return pa.array(lists)
    except DataError:
        kinds = sorted({type(row).__name__ for row in rows if row is not None})
        if needed and "str" not in kinds:
            raise
        if needed and len(kinds) > 1:
            or_lists = ", or all to lists" if "list" in kinds else ""
            raise DataError(
                f"{needed} holds objects of several types ({', '.join(kinds)}): convert all to texts{or_lists}."
            ) from None
    return pa.array([None if row is None else str(row) for row in rows])
