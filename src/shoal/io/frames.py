"""Data frames: pandas, polars, DuckDB relations, Arrow tables, and whatever else speaks the Arrow C stream interface.

The column of sets is replaced in the result, by lists. Columns that were dropped are not in it, nor are metadata (the
attrs of pandas, Arrow's schema metadata) and categories that no row uses. The index of pandas is kept, so that the
caller can tell which row is which; no file ever holds it.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import IO, Any, ClassVar, Self

from shoal.data import Dataset, Origin, Table, Transactions
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.clean import clean
from shoal.io.coding import Coded, as_text, coded_lists
from shoal.io.format import Format, Put, ReaderOptions, refuse_doubles
from shoal.io.layout import SetColumn, TableOfSets, arrow_table, is_list, is_text, set_column, set_position
from shoal.io.memory import InMemoryLayout, coded_objects, encoded, is_missing, label_lists, split_objects
from shoal.io.messages import listed, shorten
from shoal.io.stream import Stream, nth_row


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame(InMemoryLayout, TableOfSets):
    """A table in memory; columns that are still as they were read are given back as they were."""

    sets_only = False

    column: Any = None  # the label of the column of sets, which need not be a string
    without_sets: bool = False
    parsed: Any = None  # pyarrow.Table of the columns beside the sets, as read

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Coded, SetColumn]:
        """The sets in a column of a frame that was read without sets."""
        return _coded(table.column(name), item_delimiter, f"Column '{shorten(name)}' of {source}"), SetColumn(name)

    def without(self, columns: Collection[str]) -> Self:
        """What is put back is always new."""
        return replace(self, parsed=self.parsed.drop_columns(list(columns)))

    def changes(self, dataset: Dataset) -> tuple[set[str], dict[str, Any]]:
        """The columns beside the sets that are left as they were, and the others, as Arrow columns."""
        table = arrow_table(dataset)
        known = [] if self.parsed is None else self.parsed.column_names
        same = {name for name in known if name in table.column_names and _same(table[name], self.parsed[name])}
        return same, {name: table[name] for name in table.column_names if name not in same}


@dataclass(frozen=True, eq=False, kw_only=True)
class PandasFrame(Frame):
    """A pandas DataFrame."""

    frame: Any

    @property
    def has_index(self) -> bool:
        """Whether the rows are named or numbered otherwise than 0, 1, 2, .."""
        return type(self.frame.index).__name__ != "RangeIndex"

    def rebuild(self, dataset: Dataset) -> Any:
        """A copy with the sets replaced."""
        same, changed = self.changes(dataset)
        names = {str(name): name for name in self.frame.columns}
        left = {*same, *changed} if self.without_sets else {*same, *changed, str(self.column)}
        frame = self.frame.loc[:, [str(name) in left for name in self.frame.columns]].copy()
        for name in frame.columns:
            if type(frame[name].dtype).__name__ == "CategoricalDtype":
                frame[name] = frame[name].cat.remove_unused_categories()
        if not self.without_sets:
            frame[self.column] = _pandas_lists(label_lists(dataset), frame.index)
        for text, values in changed.items():
            lists = is_list(values.type)
            new = _pandas_lists(values.to_pylist(), frame.index) if lists else values.to_pandas().set_axis(frame.index)
            frame[names.get(text, text)] = new
        frame.attrs = {}
        roles = dataset.table is not None and bool(dataset.table.roles)  # of every column; the index has none
        return frame.reset_index(drop=True) if roles else frame

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Coded, SetColumn]:
        """From the frame itself, whose cells may be sets too."""
        column = next(label for label in self.frame.columns if str(label) == name)
        try:
            return _coded_pandas(self.frame[column], item_delimiter), SetColumn(name)
        except DataError as error:
            raise DataError(f"Column '{shorten(name)}' of {source}: {error}") from None


@dataclass(frozen=True, eq=False)
class PandasSeries(InMemoryLayout):
    """A pandas Series."""

    series: Any

    def rebuild(self, dataset: Dataset) -> Any:
        """A series with the same index and name."""
        return _pandas_lists(label_lists(dataset), self.series.index).rename(self.series.name)


@dataclass(frozen=True, eq=False, kw_only=True)
class ArrowTable(Frame):
    """An Arrow table, or what can only be given back as one."""

    before: tuple[str, ...] = ()  # the columns before the sets

    def rebuild(self, dataset: Dataset) -> Any:
        """The columns that are left, with the lists where they were."""
        import pyarrow as pa

        table = clean(arrow_table(dataset))
        if self.without_sets:
            return table
        lists = pa.array(label_lists(dataset), pa.list_(pa.string()))
        if not table.column_names:
            return pa.table({self.column: lists})
        return table.add_column(set_position(self.before, table.column_names), self.column, lists)


@dataclass(frozen=True, eq=False, kw_only=True)
class PolarsFrame(Frame):
    """A polars DataFrame."""

    frame: Any

    def rebuild(self, dataset: Dataset) -> Any:
        """The columns that are left, with the sets replaced."""
        import polars as pl

        same, changed = self.changes(dataset)
        new = [pl.Series(name, pl.from_arrow(values)) for name, values in changed.items()]
        if not self.without_sets:
            new.insert(0, _polars_lists(dataset, self.column))
        left = {*same, *(column.name for column in new)}
        frame = self.frame.select(name for name in self.frame.columns if name in left)
        kept = frame.select(name for name in frame.columns if name in same)
        return frame.with_columns(*new, *_fewer_categories(kept))


@dataclass(frozen=True, eq=False)
class PolarsSeries(InMemoryLayout):
    """A polars Series."""

    name: str

    def rebuild(self, dataset: Dataset) -> Any:
        """A series of the same name."""
        return _polars_lists(dataset, self.name)


@dataclass(frozen=True, eq=False)
class ArrowColumn(InMemoryLayout):
    """A bare Arrow list array."""

    def rebuild(self, dataset: Dataset) -> Any:
        """A list array."""
        import pyarrow as pa

        return pa.array(label_lists(dataset), pa.list_(pa.string()))


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameFormat(Format):
    """A frame that is read as a stream, like a file, and given back as the same kind of frame."""

    format: ClassVar[str] = "frame"
    about: ClassVar[str] = "a data frame"
    tabular: ClassVar[bool] = True
    package: str

    @classmethod
    def of(cls, source: Any) -> tuple[Self, Stream]:
        """Any data frame that Arrow can read."""
        import pyarrow as pa

        package, kind = type(source).__module__.split(".")[0], type(source).__name__
        try:
            is_pandas = package == "pandas"
            table = pa.Table.from_pandas(source, preserve_index=False) if is_pandas else pa.table(source)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise DataError(f"The {kind} cannot be read as a table: {str(error).splitlines()[0]}.") from None
        refuse_doubles(table.column_names, f"The {kind}")
        table = plain_strings(table).replace_schema_metadata(None)
        return cls(package=package), Stream(table.schema, iter(table.to_batches()), f"the {kind}", nth_row)

    @classmethod
    def open(cls, file: Any, options: ReaderOptions) -> tuple[Self, Stream]:
        """No file is a frame."""
        raise NotImplementedError

    def writer(self, sink: IO[bytes], schema: Any) -> AbstractContextManager[Put]:
        """No file is a frame."""
        raise NotImplementedError

    def prepared(self, table: Any) -> Any:
        """Without metadata."""
        return clean(table)

    def native(self, table: Any) -> Any:
        """An Arrow table as the kind of frame that was read."""
        if self.package == "pandas":
            return table.to_pandas()
        if self.package == "polars":
            import polars as pl

            return pl.from_arrow(table)
        return table


def plain_strings(table: Any) -> Any:
    """The pyarrow.Table without views of strings, which Arrow cannot take rows of."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_string_view(field.type):
            table = table.set_column(at, field.with_type(pa.large_string()), table.column(at).cast(pa.large_string()))
    return table


def read_frame(source: Any, options: ReaderOptions) -> Dataset | None:
    """The data of a frame or column; None if the object is neither."""
    package, kind = type(source).__module__.split(".")[0], type(source).__name__
    if options.item_delimiter == "":
        raise OptionError("item_delimiter must be text, such as ',', got nothing.")
    if package == "pandas":
        return _read_pandas(source, options)
    if package == "polars" and kind == "LazyFrame":
        raise DataError("Cannot read sets from a LazyFrame, which has no rows yet: call its .collect() first.")
    if not hasattr(source, "__arrow_c_stream__") and not hasattr(source, "__arrow_c_array__"):
        return None
    import pyarrow as pa

    if kind == "Series" or isinstance(source, (pa.Array, pa.ChunkedArray)):
        lists = pa.chunked_array(source) if not isinstance(source, (pa.Array, pa.ChunkedArray)) else source
        refuse_without_sets(options, kind)
        rows = encoded(_coded(lists, options.item_delimiter, f"The {kind}"), options)
        return _dataset(rows, None, PolarsSeries(source.name) if package == "polars" else ArrowColumn())
    table = plain_strings(pa.table(source))
    refuse_doubles(table.column_names, f"The {kind}")
    at = set_column(table.schema, options, f"The {kind}", typed=True) if options.sets else None
    beside = table if at is None else table.remove_column(at)
    name = None if at is None else table.column_names[at]
    rows = Transactions.nothing(table.num_rows)
    if at is not None:
        where = f"The {kind}, column '{shorten(name)}'"
        rows = encoded(_coded(table.column(at), options.item_delimiter, where), options)
    fields: dict[str, Any] = {"column": name, "without_sets": at is None, "parsed": beside}
    if package == "polars":
        return _dataset(rows, beside, PolarsFrame(frame=source, **fields))
    return _dataset(rows, beside, ArrowTable(before=tuple(table.column_names[:at]), **fields))


def refuse_without_sets(options: ReaderOptions, kind: str) -> None:
    """For columns, which hold nothing but sets."""
    if not options.sets:
        raise OptionError(
            f"sets=False and several set columns are for tables, but the data are a {kind}: leave it out."
        )


def _coded(column: Any, item_delimiter: str | None, name: str) -> Coded:
    """The items of an Arrow column of lists, or of strings to be split."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if is_list(column.type):
        if item_delimiter is not None:
            raise OptionError(f"item_delimiter is for strings, but the items are in lists ({name}): leave it out.")
        return coded_lists(column, name, nth_row)
    if not is_text(column.type):
        raise DataError(f"{name} must hold lists of items, got {shorten(column.type)}: make it a list column.")
    if item_delimiter is None:
        raise DataError(f"{name} must hold lists of items, got strings: pass item_delimiter to split them.")
    return Coded.of_cells(as_text(column), item_delimiter)


def _dataset(rows: Any, table: Any, layout: InMemoryLayout) -> Dataset:
    """The data with their layout."""
    if len(rows) == 0:
        raise DataError("The data hold no records: give at least one set.")
    return Dataset(rows, None if table is None or not table.column_names else Table(table), Origin(layout=layout))


def _read_pandas(source: Any, options: ReaderOptions) -> Dataset:
    """A DataFrame or a Series; cells may be lists, tuples, sets, arrays, or missing."""
    import pyarrow as pa

    if type(source).__name__ == "Series":
        refuse_without_sets(options, "Series")
        return _dataset(encoded(_coded_pandas(source, options.item_delimiter), options), None, PandasSeries(source))
    if type(source).__name__ != "DataFrame":
        raise DataError(f"A pandas {type(source).__name__} holds no sets: give a DataFrame or a Series.")
    names = [str(name) for name in source.columns]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise DataError(f"The DataFrame has the column '{shorten(double)}' twice: rename one.")
    column = _pandas_column(source, options) if options.sets else None
    others = {}
    for name in source.columns:
        if not options.sets or name != column:
            try:
                others[str(name)] = pa.array(source[name], from_pandas=True)
            except (pa.ArrowException, TypeError):  # mixed objects: the caller gets them back as they are
                others[str(name)] = pa.array([str(value) for value in source[name]])
    rows = Transactions.nothing(len(source))
    if options.sets:
        rows = encoded(_coded_pandas(source[column], options.item_delimiter), options)
    parsed = pa.table(others)
    kind = PandasFrame(frame=source, column=column, without_sets=not options.sets, parsed=parsed)
    return _dataset(rows, parsed, kind)


def _pandas_column(frame: Any, options: ReaderOptions) -> Any:
    """The column that is wanted, or the only one that holds lists or, where items are to be split, strings."""
    names = {str(name): name for name in frame.columns}
    if options.column is not None:
        if options.column not in names:
            hint = did_you_mean(options.column, names)
            raise DataError(f"The DataFrame has no column '{shorten(options.column)}'{hint}: it has {listed(names)}.")
        return names[options.column]
    what = "lists" if options.item_delimiter is None else "strings"
    likely = [name for name in frame.columns if _holds(frame[name]) == what]
    if len(likely) != 1:
        count_text = f"{len(likely) or 'no'} column{'s' if len(likely) > 1 else ''} of {what}"
        raise DataError(f"The DataFrame has {count_text} ({listed(names)}): name the one with the sets (column=...).")
    return likely[0]


def _coded_pandas(series: Any, item_delimiter: str | None) -> Coded:
    """The items of a pandas column of lists, or of strings to be split."""
    if item_delimiter is not None:
        return split_objects(series, item_delimiter)
    if _holds(series) == "strings":
        raise DataError("The column must hold lists of items, got strings: pass item_delimiter to split them.")
    return coded_objects(series)


def _holds(series: Any) -> str:
    """What the first value that is there says of a pandas column: it holds lists, strings or other."""
    first = next((value for value in series if not is_missing(value)), None)
    if isinstance(first, str):
        return "strings"
    return "lists" if hasattr(first, "__iter__") and not isinstance(first, (bytes, dict)) else "other"


def _same(column: Any, other: Any) -> bool:
    """Whether two Arrow columns hold the same values; NaN is no value like itself, but may be the same memory."""
    return bool(column.equals(other)) or (column.type == other.type and _memory(column) == _memory(other))


def _memory(column: Any) -> list[Any]:
    """Where the values of an Arrow column lie."""
    return [
        (chunk.offset, len(chunk), *(None if part is None else part.address for part in chunk.buffers()))
        for chunk in column.chunks
    ]


def _pandas_lists(lists: list[list[str]], index: Any) -> Any:
    """A pandas Series of lists."""
    import pandas as pd

    return pd.Series(lists, index=index, dtype=object)


def _polars_lists(dataset: Dataset, name: str) -> Any:
    """The published rows as a polars Series of lists."""
    import polars as pl

    return pl.Series(name, label_lists(dataset), dtype=pl.List(pl.String))


def _fewer_categories(frame: Any) -> list[Any]:
    """The Enum columns of a polars frame, which list their categories, with only those that occur."""
    import polars as pl

    columns = []
    for column in frame:
        if isinstance(column.dtype, pl.Enum):
            used = set(column.cast(pl.String))
            columns.append(column.cast(pl.Enum([name for name in column.dtype.categories if name in used])))
    return columns
