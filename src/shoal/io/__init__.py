"""In and out: one module for each format. Reading keeps in mind how the data were laid out, and writing repeats it.

>>> data = read([{"milk", "beer"}, set(), {"milk"}])
>>> len(data), data.transactions.labels
(3, ('beer', 'milk'))
>>> to_native(data)
[frozenset({...}), frozenset(), frozenset({'milk'})]
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from shoal import files
from shoal.data import Dataset, Transactions
from shoal.data.source_layout import SourceLayout
from shoal.errors import DataError, OptionError
from shoal.io import formulas
from shoal.io.arrow import is_list
from shoal.io.coding import Batch, batches
from shoal.io.detect import FORMATS, TABULAR, layout_named, layout_of, layout_to_write
from shoal.io.frames import ArrowTable, arrow_table, read_frame, refuse_without_sets
from shoal.io.grid import SET_NAMES, HeadedLayout
from shoal.io.layout import Layout, Put, ReaderOptions
from shoal.io.memory import InMemoryLayout, label_lists, read_rows
from shoal.io.read_options import ReadOptions
from shoal.io.several import MultiSetLayout, delimiters, gather
from shoal.io.summarize import summary
from shoal.options import takes

__all__ = ["FORMATS", "RowWriter", "open_writer", "options_to_read", "read", "summary", "to_native", "write"]


@takes(ReadOptions)
def read(source: Any, *, codebook: Any = None, **options: Any) -> Dataset:
    """Read sets from a file, a data frame, or an iterable of sets or lists.

    What is not said is found out from the file's name and content, or asked for. Items that are repeated in a row
    collapse; with ``multiset``, an item that occurs c times becomes the item ``label*c``. ``drop_items`` are left out;
    one that does not occur is warned of. In a frame, a column of strings is split at ``item_delimiter``.

    ``header`` says whether the first line of a CSV file names the columns. Without such a line, the columns are called
    ``(column 1)``, ``(column 2)`` and so on. ``escaped_formulas`` says that the file was written with
    ``escape_formulas``: the quote before a formula is no part of the cell. A compressed file that expands to more than
    ``max_expanded`` is refused; give bytes, or a text such as ``"4 GB"``. The default is 64 times the size of the file,
    and at least 1 GB.

    ``column`` may name several columns of sets, ``("diagnoses", "drugs")`` or, if no column has that name,
    ``"diagnoses,drugs"``: item x of column T is then the label ``T.x``; ``item_delimiter`` may be one for each, and
    ``drop_items`` may name ``x``, of any column, or ``T.x``. With ``sets=False``, the data are a table without sets.

    ``codebook``, a path or a :class:`~shoal.hierarchies.codebook.CodeBook`, tells what the labels of published data
    represent; the data carry it as ``data.origin.codebook``. It is an error if none of its labels occurs.
    """
    if "drop_items" in options:
        options["drop_items"] = _labels(options["drop_items"])
    data = read_with(source, ReadOptions(**options))
    if codebook is None:
        return data
    from shoal.hierarchies.codebook import CodeBook

    book = codebook if isinstance(codebook, CodeBook) else CodeBook.load(codebook)
    book.check(data.transactions.in_use().labels, data.origin.name)
    return replace(data, origin=replace(data.origin, codebook=book))


def _labels(drop_items: Collection[str]) -> tuple[str, ...]:
    """Items to leave out; a text would be taken for its letters."""
    if isinstance(drop_items, str):
        raise OptionError("drop_items must be a collection of labels, got a text: put it in a list.")
    return tuple(map(str, drop_items))


def read_with(source: Any, given: ReadOptions) -> Dataset:
    """Read data with one column of sets, several, or none."""
    column, item_delimiter = given.column, given.item_delimiter
    columns = (column,) if column is None or isinstance(column, str) else column
    if not columns:
        raise OptionError("column must name at least one column, got none: leave it out to have it found.")
    for name in ("column", "item_delimiter", "multiset", "drop_items"):
        if getattr(given, name) and not given.sets:
            raise OptionError(f"{name} is for sets, but with sets=False (--no-sets) there are none: leave it out.")
    options = ReaderOptions(
        **{**given.values(), "column": None, "item_delimiter": None},
        source=str(source) if isinstance(source, (str, os.PathLike)) else f"the {type(source).__name__}",
        sure=given.format is not None,
    )
    parts = columns if len(columns) > 1 else tuple(name.strip() for name in str(column or "").split(","))
    named = tuple(filter(None, (*columns, *parts)))
    whole = replace(options, columns=named, multiset=False, drop_items=(), sets=False)
    if not given.sets:
        return _read(source, whole)
    if len(columns) > 1 or (isinstance(column, str) and "," in column):
        table = _read(source, whole)
        names = () if table.table is None else table.table.names
        if column not in names:
            return _without(given.drop_items, gather(table, [str(part) for part in parts], item_delimiter, options))
    (mark,) = delimiters(item_delimiter, 1)
    return _without(given.drop_items, _read(source, replace(options, column=columns[0], item_delimiter=mark)))


def _without(items: tuple[str, ...], dataset: Dataset) -> Dataset:
    """The data, which know what was left out of them."""
    return replace(dataset, origin=replace(dataset.origin, dropped=items)) if items else dataset


def _read(source: Any, options: ReaderOptions) -> Dataset:
    """Read data with one column of sets, or without sets."""
    if isinstance(source, (str, os.PathLike)):
        return _read_file(Path(source), options)
    kind = type(source).__name__
    for name, value in {"format": options.format, **options.layout()}.items():
        if value is not None and name not in ("column", "item_delimiter"):
            raise OptionError(f"{name} is for files, but the data are a {kind} in memory: leave it out.")
    frame = read_frame(source, options)
    if frame is not None:
        return frame
    if isinstance(source, (bytes, dict)) or not isinstance(source, Iterable):
        raise DataError(f"Cannot read sets from a {kind}: give a path, a data frame or a list of sets.")
    for name in options.layout():
        raise OptionError(f"{name} is for tables, but the data are a {kind} of rows: leave it out.")
    refuse_without_sets(options, kind)
    return read_rows(source, options)


def likely_sets(dataset: Dataset) -> list[str]:
    """The columns of a table that look like sets: lists, or what goes by a name such as 'items'."""
    if dataset.table is None:
        return []
    fields = dataset.table.arrow.schema
    return [field.name for field in fields if is_list(field.type) or field.name.strip().lower() in SET_NAMES]


def _read_file(path: Path, options: ReaderOptions) -> Dataset:
    """Read a file in the format that is given or found."""
    named = layout_named(options.format) if options.format else None  # a wrong name shows before the file is read
    file = files.load(path, options.max_expanded)
    layout = named or layout_of(file, options)
    layout.check_options(options.layout())
    if not options.sets and not layout.tabular:
        raise OptionError(
            f"{path} is read as {layout.format}, which holds nothing but sets: --no-sets and several columns of sets "
            f"are for {TABULAR}: leave them out, or pass another --format."
        )
    return layout.read(file, options)


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    column: str | None = None,
    item_delimiter: str | Sequence[str | None] | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    escape_formulas: bool = False,
) -> str:
    """Write the data laid out as they were read, all at once or not at all; returns the file's SHA-256.

    The format changes only if ``format`` or the suffix of the path says so. Items stand in canonical order in each row.
    If a label contains the item delimiter of a CSV file, another one is used, with a warning. Where several columns of
    sets were read, each item stands in its column again, and what spans columns in the first of them.

    With ``escape_formulas``, cells of a CSV file that a spreadsheet would take for formulas get a quote before them;
    ``read(..., escaped_formulas=True)`` takes it away again.
    """
    path = Path(path)
    files.check_writable(path)
    options = ReaderOptions(
        column=column,
        delimiter=delimiter,
        id_column=id_column,
        item_column=item_column,
        escaped_formulas=escape_formulas,
    )
    plan = _plan(dataset, path, format, options, item_delimiter)
    prepared = plan.layout.columns(arrow_table(plan.dataset))
    for remark in plan.remarks:
        warnings.warn(remark, stacklevel=2)
    with files.atomic_output(path) as sink, plan.layout.writer(sink, prepared) as put:
        for batch in batches(plan.dataset.transactions, prepared):
            put(batch)
    return files.sha256_of(path)


def options_to_read(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    item_delimiter: str | Sequence[str | None] | None = None,
    escape_formulas: bool = False,
    **layout: Any,
) -> dict[str, Any]:
    """The options with which :func:`read` gives back, for certain, what :func:`write` writes with these arguments.

    >>> options_to_read(read([["oat milk"]]), "out.csv")
    {'format': 'csv', 'column': 'items', 'item_delimiter': '|', 'delimiter': ','}
    """
    options = ReaderOptions(escaped_formulas=escape_formulas, **layout)
    return _plan(dataset, Path(path), format, options, item_delimiter).read_options


@dataclass(frozen=True, eq=False)
class _Plan:
    """What will be written, and how."""

    dataset: Dataset  # with at most one column of sets
    layout: Layout
    read_options: dict[str, Any]
    remarks: list[str]  # for the user


def _plan(
    dataset: Dataset,
    path: Path,
    format: str | None,
    options: ReaderOptions,
    item_delimiter: str | Sequence[str | None] | None = None,
) -> _Plan:
    """How to write the data; several columns of sets as a table, or tagged in formats of sets only."""
    source = dataset.origin.layout
    table = source.layout if isinstance(source, MultiSetLayout) else source
    current = table.format if isinstance(table, Layout) else None
    target = layout_named(format) if format else layout_to_write(path, current, dataset.origin.name)
    reading: dict[str, Any] = {}
    remarks: list[str] = []
    if isinstance(source, MultiSetLayout) and target.tabular:
        dataset, reading, remarks = source.spread(dataset, target, item_delimiter)
    else:
        options = replace(options, item_delimiter=delimiters(item_delimiter, 1)[0])
        table = SourceLayout() if isinstance(source, MultiSetLayout) else source
    layout, more = _layout(dataset, target, table, options.layout())
    own = {name: value for name, value in layout.read_options().items() if not (reading and name == "sets")}
    return _Plan(dataset, layout, {**own, **reading}, remarks + more)


def _layout(
    dataset: Dataset, target: type[Layout], source: SourceLayout, given: dict[str, str]
) -> tuple[Layout, list[str]]:
    """How to write data with at most one column of sets that came as ``source``, and remarks."""
    if source.without_sets and not target.tabular:
        raise DataError(
            f"Format {target.format} holds nothing but sets, but the data are a table without sets: write {TABULAR} "
            f"(name the output so, or use --output-format)."
        )
    if source.without_sets and not arrow_table(dataset).column_names:
        raise DataError("Nothing is left to be written: the data have no sets, and no column is published.")
    layout = source if isinstance(source, Layout) and type(source) is target else _fresh(target, source)
    fitted, remarks = layout.with_options(given).fitted(dataset, given)
    if isinstance(fitted, HeadedLayout) and not fitted.escaped_formulas:
        remarks = remarks + formulas.remarks(dataset)
    return fitted, remarks


def _fresh(target: type[Layout], source: SourceLayout) -> Layout:
    """A layout of another format that keeps what both have: the column's name and the delimiter inside cells."""
    known = {field.name for field in fields(target)}
    kept = {name: getattr(source, name, None) for name in ("column", "item_delimiter", "without_sets") if name in known}
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
    options = ReaderOptions(
        column=column, item_delimiter=item_delimiter, delimiter=delimiter, id_column=id_column, item_column=item_column
    )
    target = layout_named(format) if format else layout_to_write(path)
    layout = target().with_options(options.layout())
    with files.atomic_output(path) as sink, layout.writer(sink, None) as put:
        yield RowWriter(put)


def to_native(dataset: Dataset) -> Any:
    """The data as the kind of object that they were read from: a data frame for a data frame, a list of sets for one.

    Data from a file, and data made by hand, are given as lists of labels. Where a release has a column that sets alone
    cannot hold, such as its groups, they come as an Arrow table, and so does a file without sets.
    """
    layout = dataset.origin.layout
    if isinstance(layout, MultiSetLayout) and isinstance(layout.layout, InMemoryLayout):
        dataset, _, remarks = layout.spread(dataset, None)
        for remark in remarks:
            warnings.warn(remark, stacklevel=2)
        return layout.layout.rebuild(dataset)
    if isinstance(layout, Layout) and layout.without_sets:
        return ArrowTable(without_sets=True).rebuild(dataset)
    if isinstance(layout, InMemoryLayout) and layout.sets_only and dataset.table is not None and dataset.table.names:
        layout = ArrowTable(column="items")  # what was added must not get lost
    return layout.rebuild(dataset) if isinstance(layout, InMemoryLayout) else label_lists(dataset)


def marks_to_write(dataset: Dataset, path: str | Path, format: str | None = None) -> str:
    """The characters that separate items in the file that will be written, if it is of another format than was read."""
    source = dataset.origin.layout
    table = source.layout if isinstance(source, MultiSetLayout) else source
    current = table.format if isinstance(table, Layout) else None
    target = layout_named(format) if format else layout_to_write(Path(path), current, dataset.origin.name)
    return "" if target.format == current else target().marks


def check_columns(dataset: Dataset, names: Sequence[str], path: str | Path, format: str | None = None) -> None:
    """An error if a file like this cannot hold columns of these names beside the sets; before any work."""
    import pyarrow as pa

    layout = _plan(dataset, Path(path), format, ReaderOptions()).layout
    try:
        layout.columns(pa.table({name: pa.array([], pa.int64()) for name in names}))
    except DataError:
        raise OptionError(
            f"Format {layout.format} cannot hold the column '{names[0]}', which is to be published: write csv, jsonl, "
            f"parquet or feather (name the output so, or use --output-format)."
        ) from None
