"""In and out: one module for each format. Reading keeps in mind how the data were laid out, and writing repeats it.

>>> data = read([{"milk", "beer"}, set(), {"milk"}])
>>> len(data), data.transactions.labels
(3, ('beer', 'milk'))
>>> to_kind(data)
[frozenset({...}), frozenset(), frozenset({'milk'})]
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from shoal.data import Dataset, Transactions
from shoal.errors import DataError, OptionError
from shoal.io import files
from shoal.io.coding import Batch, batches
from shoal.io.detect import FORMATS, layout_named, layout_of, layout_to_write
from shoal.io.frames import ArrowTable, read_frame
from shoal.io.layout import Layout, Put, ReadOptions
from shoal.io.memory import Kind, label_lists, read_rows

__all__ = ["FORMATS", "RowWriter", "open_writer", "read", "read_options", "to_kind", "write"]


def read(
    source: Any,
    *,
    format: str | None = None,
    column: str | None = None,
    item_delimiter: str | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    multiset: bool = False,
    drop_items: Collection[str] = (),
) -> Dataset:
    """Read sets from a file, a data frame, or an iterable of sets or lists.

    What is not said is found out from the file's name and content, or asked for. Items that are repeated in a row
    collapse; with ``multiset``, an item that occurs c times becomes the item ``label*c``. ``drop_items`` are left out;
    one that does not occur is warned of. In a frame, a column of strings is split at ``item_delimiter``.
    """
    if isinstance(drop_items, str):
        raise OptionError("drop_items must be a collection of labels, got a text: put it in a list.")
    options = ReadOptions(
        column=column,
        item_delimiter=item_delimiter,
        delimiter=delimiter,
        id_column=id_column,
        item_column=item_column,
        multiset=multiset,
        drop_items=tuple(map(str, drop_items)),
        source=str(source) if isinstance(source, (str, os.PathLike)) else f"the {type(source).__name__}",
        sure=format is not None,
    )
    if isinstance(source, (str, os.PathLike)):
        return _read_file(Path(source), format, options)
    kind = type(source).__name__
    for name, value in {"format": format, **options.layout()}.items():
        if value is not None and name not in ("column", "item_delimiter"):
            raise OptionError(f"{name} is for files, but the data are a {kind} in memory: leave it out.")
    found = read_frame(source, options)
    if found is not None:
        return found
    if isinstance(source, (bytes, dict)) or not isinstance(source, Iterable):
        raise DataError(f"Cannot read sets from a {kind}: give a path, a data frame or a list of sets.")
    for name in options.layout():
        raise OptionError(f"{name} is for tables, but the data are a {kind} of rows: leave it out.")
    return read_rows(source, options)


def _read_file(path: Path, format: str | None, options: ReadOptions) -> Dataset:
    """Read a file in the format that is given or found."""
    named = layout_named(format) if format else None  # a wrong name shows before the file is read
    file = files.load(path)
    layout = named or layout_of(file, options)
    layout.check_options(options.layout())
    return layout.read(file, options)


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    column: str | None = None,
    item_delimiter: str | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
) -> str:
    """Write the data laid out as they were read, all at once or not at all; returns the file's SHA-256.

    The format changes only if ``format`` or the suffix of the path says so. Items stand in canonical order in each row.
    If a label contains the item delimiter of a CSV file, another one is used, with a warning.
    """
    import pyarrow as pa

    path = Path(path)
    files.check_writable(path)
    options = ReadOptions(
        column=column, item_delimiter=item_delimiter, delimiter=delimiter, id_column=id_column, item_column=item_column
    )
    layout, remarks = _layout(dataset, path, format, options)
    table = dataset.table.arrow if dataset.table is not None else pa.table({})
    prepared = layout.columns(table)
    for remark in remarks:
        warnings.warn(remark, stacklevel=2)
    with files.atomic_output(path) as sink, layout.writer(sink, prepared) as put:
        for batch in batches(dataset.transactions, prepared):
            put(batch)
    return files.sha256_of(path)


def read_options(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    column: str | None = None,
    item_delimiter: str | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
) -> dict[str, str]:
    """The options with which :func:`read` gives back, for certain, what :func:`write` writes with these arguments.

    >>> read_options(read([["oat milk"]]), "out.csv")
    {'format': 'csv', 'column': 'items', 'item_delimiter': '|', 'delimiter': ','}
    """
    options = ReadOptions(
        column=column, item_delimiter=item_delimiter, delimiter=delimiter, id_column=id_column, item_column=item_column
    )
    return _layout(dataset, Path(path), format, options)[0].read_options()


def _layout(dataset: Dataset, path: Path, format: str | None, options: ReadOptions) -> tuple[Layout, list[str]]:
    """How to write the data, and remarks for the user."""
    source, given = dataset.origin.layout, options.layout()
    current = source.format if isinstance(source, Layout) else None
    target = layout_named(format) if format else layout_to_write(path, current, dataset.origin.name)
    layout = source if type(source) is target else _fresh(target, source)
    return layout.with_options(given).fitted(dataset, given)


def _fresh(target: type[Layout], source: Any) -> Layout:
    """A layout of another format that keeps what both have: the column's name and the delimiter inside cells."""
    known = {field.name for field in fields(target)}
    kept = {name: getattr(source, name, None) for name in ("column", "item_delimiter") if name in known}
    return target(**{name: value for name, value in kept.items() if value is not None})


class RowWriter:
    """Writes rows as they come, in little memory; made by :func:`open_writer`."""

    def __init__(self, put: Put) -> None:
        """Rows go to ``put``, a batch at a time."""
        self._put = put
        self.rows = 0  # written so far

    def write(self, rows: Transactions | Sequence[Sequence[str]]) -> None:
        """Append rows: lists of labels, or coded rows, which are faster. Some 100,000 at a time are best."""
        self._put(Batch.of_rows(rows, self.rows))
        self.rows += len(rows)


@contextmanager
def open_writer(
    path: str | Path,
    *,
    format: str | None = None,
    column: str | None = None,
    item_delimiter: str | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
) -> Iterator[RowWriter]:
    """A writer for rows that are not in memory all at once; the file appears when the block ends well."""
    path = Path(path)
    options = ReadOptions(
        column=column, item_delimiter=item_delimiter, delimiter=delimiter, id_column=id_column, item_column=item_column
    )
    target = layout_named(format) if format else layout_to_write(path)
    layout = target().with_options(options.layout())
    with files.atomic_output(path) as sink, layout.writer(sink, None) as put:
        yield RowWriter(put)


def to_kind(dataset: Dataset) -> Any:
    """The data as the kind of object that they were read from: a data frame for a data frame, a list of sets for one.

    Data from a file, and data made by hand, are given as lists of labels. Where a release has a column that sets alone
    cannot hold, such as its groups, they come as an Arrow table.
    """
    kind = dataset.origin.layout
    if isinstance(kind, Kind) and kind.sets_only and dataset.table is not None and dataset.table.names:
        kind = ArrowTable("items", ())  # what was added must not get lost
    return kind.rebuild(dataset) if isinstance(kind, Kind) else label_lists(dataset)


def check_columns(dataset: Dataset, names: Sequence[str], path: str | Path, format: str | None = None) -> None:
    """An error if a file like this cannot hold columns of these names beside the sets; before any work."""
    import pyarrow as pa

    layout, _ = _layout(dataset, Path(path), format, ReadOptions())
    try:
        layout.columns(pa.table({name: pa.array([], pa.int64()) for name in names}))
    except DataError:
        raise OptionError(
            f"Format {layout.format} cannot hold the column '{names[0]}', which is to be published: write csv, jsonl, "
            f"parquet or feather (name the output so, or use --output-format)."
        ) from None
