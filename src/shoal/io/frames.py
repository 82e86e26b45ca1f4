"""Data frames: pandas, polars, DuckDB relations, Arrow tables, and whatever else speaks the Arrow C stream interface.

The column of lists is replaced in the result; all else, an index included, is the caller's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.data import Dataset, Origin, Table
from shoal.errors import DataError, did_you_mean
from shoal.io.arrow import is_list, list_column, ragged_column
from shoal.io.layout import ReadOptions
from shoal.io.memory import Kind, is_missing, label_lists, ragged_objects


@dataclass(frozen=True, eq=False)
class PandasFrame(Kind):
    """A pandas DataFrame."""

    frame: Any
    column: str

    def rebuild(self, dataset: Dataset) -> Any:
        """A copy with the lists replaced."""
        return self.frame.assign(**{self.column: _pandas_lists(dataset, self.frame.index)})


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

    table: Any
    column: str

    def rebuild(self, dataset: Dataset) -> Any:
        """The table with the lists replaced."""
        import pyarrow as pa

        at = self.table.schema.get_field_index(self.column)
        lists = pa.array(label_lists(dataset), pa.list_(pa.string()))
        return self.table.set_column(at, self.column, lists)


@dataclass(frozen=True, eq=False)
class PolarsFrame(Kind):
    """A polars DataFrame."""

    frame: Any
    column: str

    def rebuild(self, dataset: Dataset) -> Any:
        """The frame with the lists replaced."""
        return self.frame.with_columns(_polars_lists(dataset, self.column))


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
    if package == "pandas":
        return _read_pandas(source, options)
    if not hasattr(source, "__arrow_c_stream__") and not hasattr(source, "__arrow_c_array__"):
        return None
    import pyarrow as pa

    if kind == "Series" or isinstance(source, (pa.Array, pa.ChunkedArray)):
        lists = pa.chunked_array(source) if not isinstance(source, (pa.Array, pa.ChunkedArray)) else source
        if not is_list(lists.type):
            raise DataError(f"The column must hold lists of items, got {lists.type}: split it into lists first.")
        rows = options.encode(ragged_column(lists, f"The {kind}"))
        return _dataset(rows, None, PolarsSeries(source.name) if package == "polars" else ArrowColumn())
    table = pa.table(source)
    at = list_column(table.schema, options.column, f"The {kind}")
    name = table.column_names[at]
    rows = options.encode(ragged_column(table.column(at), f"The {kind}, column '{name}'"))
    holder = PolarsFrame(source, name) if package == "polars" else ArrowTable(table, name)
    return _dataset(rows, table.remove_column(at), holder)


def _dataset(rows: Any, table: Any, kind: Kind) -> Dataset:
    """The data with their kind."""
    if len(rows) == 0:
        raise DataError("The data hold no records: give at least one set.")
    return Dataset(rows, None if table is None or not table.column_names else Table(table), Origin(layout=kind))


def _read_pandas(source: Any, options: ReadOptions) -> Dataset:
    """A DataFrame or a Series; cells may be lists, tuples, sets, arrays, or missing."""
    import pyarrow as pa

    if type(source).__name__ == "Series":
        return _dataset(options.encode(ragged_objects(source)), None, PandasSeries(source))
    if type(source).__name__ != "DataFrame":
        raise DataError(f"A pandas {type(source).__name__} holds no sets: give a DataFrame or a Series.")
    column = _pandas_column(source, options.column)
    others = {}
    for name in source.columns:
        if name != column:
            try:
                others[str(name)] = pa.array(source[name], from_pandas=True)
            except (pa.ArrowException, TypeError):  # mixed objects: the caller gets them back as they are
                others[str(name)] = pa.array([str(value) for value in source[name]])
    return _dataset(options.encode(ragged_objects(source[column])), pa.table(others), PandasFrame(source, column))


def _pandas_column(frame: Any, wanted: str | None) -> str:
    """The column that is wanted, or the only one that holds lists."""
    names = list(frame.columns)
    listed = ", ".join(f"'{name}'" for name in names)
    if wanted is not None:
        if wanted not in names:
            hint = did_you_mean(wanted, map(str, names))
            raise DataError(f"The DataFrame has no column '{wanted}'{hint}: it has {listed}.")
        return wanted
    lists = [name for name in names if _holds_lists(frame[name])]
    if len(lists) != 1:
        found = f"{len(lists) or 'no'} column{'s' if len(lists) > 1 else ''} of lists"
        raise DataError(f"The DataFrame has {found} ({listed}): name the one with the sets (column=...).")
    return str(lists[0])


def _holds_lists(series: Any) -> bool:
    """Whether the first value that is there is a collection."""
    first = next((value for value in series if not is_missing(value)), None)
    return first is not None and not isinstance(first, (str, bytes, dict)) and hasattr(first, "__iter__")


def _pandas_lists(dataset: Dataset, index: Any) -> Any:
    """The published rows as a pandas Series of lists."""
    import pandas as pd

    return pd.Series(label_lists(dataset), index=index, dtype=object)


def _polars_lists(dataset: Dataset, name: str) -> Any:
    """The published rows as a polars Series of lists."""
    import polars as pl

    return pl.Series(name, label_lists(dataset), dtype=pl.List(pl.String))
