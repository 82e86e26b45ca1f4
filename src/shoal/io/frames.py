"""Data frames: pandas, polars, DuckDB relations, Arrow tables, and whatever else speaks the Arrow C stream interface.

The column of sets is replaced in the result, by lists. Columns that were dropped are not in it, nor are metadata (the
attrs of pandas, Arrow's schema metadata) and categories that no row uses. The index of pandas is kept, so that the
caller can tell which row is which; no file ever holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.data import Dataset, Origin, Table
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.arrow import is_list, list_column, ragged_column
from shoal.io.clean import clean
from shoal.io.coding import Ragged, as_text
from shoal.io.layout import ReadOptions, set_position
from shoal.io.memory import Kind, is_missing, label_lists, ragged_objects, split_objects
from shoal.io.messages import cut, listed


@dataclass(frozen=True, eq=False)
class PandasFrame(Kind):
    """A pandas DataFrame."""

    sets_only = False

    frame: Any
    column: Any  # the label of the column, which need not be a string

    def rebuild(self, dataset: Dataset) -> Any:
        """A copy with the sets replaced."""
        beside, added = _columns(dataset)
        frame = self.frame.loc[:, [name == self.column or str(name) in beside for name in self.frame.columns]].copy()
        for name in frame.columns:
            if type(frame[name].dtype).__name__ == "CategoricalDtype":
                frame[name] = frame[name].cat.remove_unused_categories()
        frame[self.column] = _pandas_lists(dataset, frame.index)
        for name, values in added.items():
            frame[name] = values
        frame.attrs = {}
        return frame


@dataclass(frozen=True, eq=False)
class PandasSeries(Kind):
    """A pandas Series."""

    series: Any

    def rebuild(self, dataset: Dataset) -> Any:
        """A series with the same index and name."""
        return _pandas_lists(dataset, self.series.index).rename(self.series.name)


@dataclass(frozen=True, eq=False)
class ArrowTable(Kind):
    """An Arrow table, or what can only be given back as one."""

    sets_only = False

    column: str
    before: tuple[str, ...]  # the columns before it

    def rebuild(self, dataset: Dataset) -> Any:
        """The columns that are left, with the lists where they were."""
        import pyarrow as pa

        lists = pa.array(label_lists(dataset), pa.list_(pa.string()))
        if dataset.table is None or not dataset.table.names:
            return pa.table({self.column: lists})
        at = set_position(self.before, list(dataset.table.names))
        return clean(dataset.table.arrow).add_column(at, self.column, lists)


@dataclass(frozen=True, eq=False)
class PolarsFrame(Kind):
    """A polars DataFrame."""

    sets_only = False

    frame: Any
    column: str

    def rebuild(self, dataset: Dataset) -> Any:
        """The columns that are left, with the sets replaced."""
        beside, added = _columns(dataset)
        frame = self.frame.select(name for name in self.frame.columns if name == self.column or name in beside)
        frame = frame.with_columns(_polars_lists(dataset, self.column), *_fewer_categories(frame.drop(self.column)))
        return frame.with_columns(**added)


@dataclass(frozen=True, eq=False)
class PolarsSeries(Kind):
    """A polars Series."""

    name: str

    def rebuild(self, dataset: Dataset) -> Any:
        """A series of the same name."""
        return _polars_lists(dataset, self.name)


@dataclass(frozen=True, eq=False)
class ArrowColumn(Kind):
    """A bare Arrow list array."""

    def rebuild(self, dataset: Dataset) -> Any:
        """A list array."""
        import pyarrow as pa

        return pa.array(label_lists(dataset), pa.list_(pa.string()))


def read_frame(source: Any, options: ReadOptions) -> Dataset | None:
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
        rows = options.encode(_ragged(lists, options, f"The {kind}"))
        return _dataset(rows, None, PolarsSeries(source.name) if package == "polars" else ArrowColumn())
    table = pa.table(source)
    at = _set_column(table.schema, options, f"The {kind}")
    name = table.column_names[at]
    rows = options.encode(_ragged(table.column(at), options, f"The {kind}, column '{cut(name)}'"))
    before = tuple(table.column_names[:at])
    holder = PolarsFrame(source, name) if package == "polars" else ArrowTable(name, before)
    return _dataset(rows, table.remove_column(at), holder)


def _set_column(schema: Any, options: ReadOptions, name: str) -> int:
    """The position of the list column or, where items are to be split, of the only text column or the one wanted."""
    texts = [at for at, field in enumerate(schema) if _is_text(field.type)]
    if options.column in schema.names and schema.get_field_index(options.column) in texts:
        return int(schema.get_field_index(options.column))
    if options.item_delimiter is None or options.column is not None:
        return list_column(schema, options.column, name)
    if len(texts) != 1:
        raise DataError(f"{name} has {len(texts)} columns of strings ({listed(schema.names)}): pass column=...")
    return texts[0]


def _ragged(column: Any, options: ReadOptions, name: str) -> Ragged:
    """The items of an Arrow column of lists, or of strings to be split."""
    if is_list(column.type):
        if options.item_delimiter is not None:
            raise OptionError(f"item_delimiter is for strings, but the items are in lists ({name}): leave it out.")
        return ragged_column(column, name)
    if not _is_text(column.type):
        raise DataError(f"{name} must hold lists of items, got {cut(column.type)}: make it a list column.")
    if options.item_delimiter is None:
        raise DataError(f"{name} must hold lists of items, got strings: pass item_delimiter to split them.")
    return Ragged.split(as_text(column), options.item_delimiter)


def _is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, as values or as categories."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _dataset(rows: Any, table: Any, kind: Kind) -> Dataset:
    """The data with their kind."""
    if len(rows) == 0:
        raise DataError("The data hold no records: give at least one set.")
    return Dataset(rows, None if table is None or not table.column_names else Table(table), Origin(layout=kind))


def _read_pandas(source: Any, options: ReadOptions) -> Dataset:
    """A DataFrame or a Series; cells may be lists, tuples, sets, arrays, or missing."""
    import pyarrow as pa

    if type(source).__name__ == "Series":
        return _dataset(options.encode(_ragged_pandas(source, options)), None, PandasSeries(source))
    if type(source).__name__ != "DataFrame":
        raise DataError(f"A pandas {type(source).__name__} holds no sets: give a DataFrame or a Series.")
    names = [str(name) for name in source.columns]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise DataError(f"The DataFrame has the column '{cut(double)}' twice: rename one.")
    column = _pandas_column(source, options)
    others = {}
    for name in source.columns:
        if name != column:
            try:
                others[str(name)] = pa.array(source[name], from_pandas=True)
            except (pa.ArrowException, TypeError):  # mixed objects: the caller gets them back as they are
                others[str(name)] = pa.array([str(value) for value in source[name]])
    rows = options.encode(_ragged_pandas(source[column], options))
    return _dataset(rows, pa.table(others), PandasFrame(source, column))


def _pandas_column(frame: Any, options: ReadOptions) -> Any:
    """The column that is wanted, or the only one that holds lists or, where items are to be split, strings."""
    names = {str(name): name for name in frame.columns}
    if options.column is not None:
        if options.column not in names:
            hint = did_you_mean(options.column, names)
            raise DataError(f"The DataFrame has no column '{cut(options.column)}'{hint}: it has {listed(names)}.")
        return names[options.column]
    what = "lists" if options.item_delimiter is None else "strings"
    likely = [name for name in frame.columns if _holds(frame[name]) == what]
    if len(likely) != 1:
        found = f"{len(likely) or 'no'} column{'s' if len(likely) > 1 else ''} of {what}"
        raise DataError(f"The DataFrame has {found} ({listed(names)}): name the one with the sets (column=...).")
    return likely[0]


def _ragged_pandas(series: Any, options: ReadOptions) -> Ragged:
    """The items of a pandas column of lists, or of strings to be split."""
    if options.item_delimiter is not None:
        return split_objects(series, options.item_delimiter)
    if _holds(series) == "strings":
        raise DataError("The column must hold lists of items, got strings: pass item_delimiter to split them.")
    return ragged_objects(series)


def _holds(series: Any) -> str:
    """What the first value that is there says of a pandas column: it holds lists, strings or other."""
    first = next((value for value in series if not is_missing(value)), None)
    if isinstance(first, str):
        return "strings"
    return "lists" if hasattr(first, "__iter__") and not isinstance(first, (bytes, dict)) else "other"


def _columns(dataset: Dataset) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The columns beside the sets that are left, and the values of those that are new."""
    table = dataset.table
    if table is None:
        return (), {}
    new = {name: table.arrow.column(name).to_numpy() for name in table.names if name in table.added}
    return tuple(name for name in table.names if name not in new), new


def _pandas_lists(dataset: Dataset, index: Any) -> Any:
    """The published rows as a pandas Series of lists."""
    import pandas as pd

    return pd.Series(label_lists(dataset), index=index, dtype=object)


def _polars_lists(dataset: Dataset, name: str) -> Any:
    """The published rows as a polars Series of lists."""
    import polars as pl

    return pl.Series(name, label_lists(dataset), dtype=pl.List(pl.String))


def _fewer_categories(frame: Any) -> list[Any]:
    """The Enum columns of a polars frame, which list their categories, with only those that occur."""
    import polars as pl

    found = []
    for column in frame:
        if isinstance(column.dtype, pl.Enum):
            used = set(column.cast(pl.String))
            found.append(column.cast(pl.Enum([name for name in column.dtype.categories if name in used])))
    return found
