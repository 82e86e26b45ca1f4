"""Reading: a source becomes a stream of record batches, is joined and filtered, and is split into sets and columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from shoal.data import Dataset, Origin
from shoal.data.arrow import is_list
from shoal.data.person_column import with_persons
from shoal.errors import DataError, OptionError
from shoal.io.dask_frames import DaskFrames
from shoal.io.detect import TABULAR, format_named, format_of
from shoal.io.format import OF_FORMATS, OF_LONG_TABLES, OF_TABLES, Format, ReaderOptions
from shoal.io.frames import FrameFormat
from shoal.io.header import SET_NAMES
from shoal.io.memory import read_rows
from shoal.io.parts import open_parts
from shoal.io.read_options import ReadOptions
from shoal.io.read_table import until_sure
from shoal.io.records import as_dataset, extract, prepared
from shoal.io.several import delimiters, gather
from shoal.io.source import Source
from shoal.io.spread import read_spread
from shoal.io.stream import Stream
from shoal.options import changed, takes


@takes(ReadOptions)
def read(source: Any, *, codebook: Any = None, **options: Any) -> Dataset:
    """Read sets of items from a file, a folder or glob of parts, a data frame, or an iterable of sets.

    Options that are not given are detected from the name and the content of the file. If this is impossible, the error
    says which option to pass.

    Parameters
    ----------
    source : path, data frame, or iterable of sets
        A file, a folder or a glob such as ``"orders/*.parquet"``; a pandas, polars, Arrow or DuckDB table; or an
        iterable of sets or lists. ``"-"`` is standard input.
    codebook : path or CodeBook, optional
        The items behind the labels of published data. At least one of its labels must occur.
    format : str, optional
        ``"fimi"``, ``"basket"``, ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"parquet"`` or ``"feather"``.
    sets : str or sequence of str, optional
        The column that holds the sets. With several columns, item x of column T gets the label ``T.x``.
    item_delimiter : str or sequence of str, optional
        What separates the items in a cell. With several columns of sets, one for all or one for each.
    no_sets : bool
        The data are a table without sets.
    delimiter : str, optional
        What separates the columns of a CSV file, or the items of a basket line.
    header : bool, optional
        Whether the first line of a CSV file names the columns. If not, they are called ``(column 1)``, ``(column 2)``.
    escaped_formulas : bool
        The CSV file was written with ``escape_formulas=True``. Remove the quotes before formulas.
    id_column : str or sequence of str, optional
        For long data (one row per item): the column that identifies a record, or several columns that do so together.
        Columns that are constant within each record become columns of the record. Others are left out.
    item_column : str, optional
        For long data: the column of the items.
    quantity_column : str, optional
        For long data: how many of the item. It needs ``multiset=True``.
    drop_null_items : bool
        For long data: leave out rows without an item, instead of raising an error.
    keep_ids : bool
        For long data: keep the ids as columns.
    person : str, optional
        The column of person ids, if a person may have several records. Guarantees then count persons instead of
        records. The column is never published.
    join : str or sequence of str, optional
        Add the columns of other tables: ``"products.parquet:product_id"``, or ``"FILE:LEFT=RIGHT"``.
    where : str, optional
        Read only rows that fulfil a condition, such as ``"week <= 12"``.
    multiset : bool
        An item that occurs c times in a record becomes the item ``label*c``. By default, repeated items collapse.
    drop_items : collection of str
        Items to leave out. Items that do not occur cause a warning.
    max_expanded : int or str, optional
        The largest size of a decompressed file, such as ``"4 GB"``. The default is 64 times the size of the file, and
        at least 1 GB.

    Returns
    -------
    Dataset
        The sets, the other columns, and where they came from.

    Raises
    ------
    DataError
        The source is malformed or ambiguous.
    OptionError
        An option is unknown, out of range, or does not fit the source.

    Examples
    --------
    >>> data = read([{"milk", "beer"}, set(), {"milk"}])
    >>> len(data), data.transactions.labels
    (3, ('beer', 'milk'))
    >>> read([["milk", "milk"], ["beer"]], multiset=True).transactions.labels
    ('beer*1', 'milk*2')
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
    """Return the items to leave out. Refuse a text, which would be split into its letters."""
    if isinstance(drop_items, str):
        raise OptionError("drop_items= must be a collection of labels, got a text: put it in a list.")
    return tuple(map(str, drop_items))


def read_with(source: Any, given: ReadOptions) -> Dataset:
    """Read data with one column of sets, several, or none. With ``person``, the rows know their person."""
    data = _read_sets(source, given)
    data = replace(data, origin=replace(data.origin, reading=changed(given)))
    return data if given.person is None else with_persons(data, given.person)


def _read_sets(source: Any, given: ReadOptions) -> Dataset:
    """Read data with one column of sets, several, or none."""
    column, item_delimiter = given.sets, given.item_delimiter
    columns = (column,) if column is None or isinstance(column, str) else column
    if not columns:
        raise OptionError("sets= must name at least one column, got none: leave it out to have it detected.")
    for name in ("sets", "item_delimiter", "multiset", "drop_items", *OF_LONG_TABLES):
        if getattr(given, name) and given.no_sets:
            raise OptionError(f"{name}= is for sets, but with no_sets=True there are none: leave it out.")
    for name in ("sets", "item_delimiter"):
        if getattr(given, name) and (given.id_column or given.item_column):
            raise OptionError(
                f"{name}= is for a column of sets, but id_column= and item_column= say that every row is one item: "
                f"pass one or the other."
            )
    options = ReaderOptions(
        **{**given.values(), "sets": None, "item_delimiter": None},
        source=str(source) if isinstance(source, (str, os.PathLike)) else f"the {type(source).__name__}",
        sure=given.format is not None,
    )
    parts = columns if len(columns) > 1 else tuple(name.strip() for name in str(column or "").split(","))
    named = tuple(filter(None, (*columns, *parts)))
    whole = replace(options, columns=named, multiset=False, drop_items=(), no_sets=True)
    if given.no_sets:
        return _read(source, whole)
    if len(columns) > 1 or (isinstance(column, str) and "," in column):
        table = _read(source, whole)
        names = () if table.table is None else table.table.names
        if column not in names:
            return _without(given.drop_items, gather(table, [str(part) for part in parts], item_delimiter, options))
    (mark,) = delimiters(item_delimiter, 1)
    return _without(given.drop_items, _read(source, replace(options, sets=columns[0], item_delimiter=mark)))


def _without(items: tuple[str, ...], dataset: Dataset) -> Dataset:
    """Record in the data which items were left out."""
    return replace(dataset, origin=replace(dataset.origin, dropped=items)) if items else dataset


def _read(source: Any, options: ReaderOptions) -> Dataset:
    """Read data with one column of sets, or without sets."""
    if isinstance(source, (str, os.PathLike)):
        return _read_source(Source.of(source, options.max_expanded), options)
    if isinstance(source, DaskFrames):
        spread = source.read(options)
        return _read(source.gathered(options), options) if spread is None else spread
    kind = type(source).__name__
    for name, value in options.given(("format", *OF_FORMATS)).items():
        if value is not None:
            raise OptionError(f"{name}= is for files, but the data are a {kind} in memory: leave it out.")
    FrameFormat.check_options(options.given(OF_TABLES))
    frame = FrameFormat.of(source, options)
    if frame is None and (isinstance(source, (bytes, dict)) or not isinstance(source, Iterable)):
        raise DataError(f"Cannot read sets from a {kind}: give a path, a data frame or a list of sets.")
    if options.no_sets and (frame is None or frame[0].is_column):
        raise OptionError(
            f"no_sets=True and several columns of sets are for tables, but the data are a {kind}: leave it out."
        )
    for name in options.given((*OF_TABLES, "join", "where")):
        if frame is None or (frame[0].is_column and name not in ("sets", "item_delimiter")):
            raise OptionError(f"{name}= is for tables, but the data are a {kind}: leave it out.")
    if frame is not None and frame[0].is_column and options.sets is None:
        options = replace(options, sets=frame[1].schema.names[0])
    data = read_rows(source, options) if frame is None else _read_stream(*frame, options, Origin())
    if len(data) == 0:
        raise DataError("The data hold no records: give at least one set.")
    return data


def _read_source(source: Source, options: ReaderOptions) -> Dataset:
    """Read files."""
    named = format_named(options.format) if options.format else None  # refuse a wrong name before reading
    format = named or format_of(source)
    format.check_options(options.given((*OF_FORMATS, *OF_TABLES)))
    if options.no_sets and not format.tabular:
        raise OptionError(
            f"{source.name} is read as {format.format}, which holds only sets: no_sets=True and several columns of "
            f"sets are for {TABULAR}: leave them out, or pass another format=."
        )

    def read_parts(options: ReaderOptions) -> Dataset:
        name = source.parts[0].name if source.is_stdin else source.path.name or source.name
        origin = Origin(name, path=None if source.is_stdin else source.path)
        return _read_stream(*open_parts(source, format, options), options, origin)

    spread = read_spread(source, format, options)
    data = until_sure(read_parts, source, options) if spread is None else spread
    if len(data) == 0:
        raise DataError(f"{source.name} holds no records: is this the right file?")
    return data if spread is not None else replace(data, origin=replace(data.origin, sha256=source.sha256))


def _read_stream(format: Format, stream: Stream, options: ReaderOptions, origin: Origin) -> Dataset:
    """Join and filter the stream, and extract the sets."""
    stream, counts = prepared(stream, options)
    rows, table, layout = extract(format, stream, options)
    return as_dataset(rows, table, layout, replace(origin, notes=counts.notes(stream.source)), options)


def column_names(source: str | os.PathLike[str], **options: Any) -> list[str]:
    """Return the column names of a file that is read with these options. The list is empty if it holds only sets."""
    given = ReadOptions(**options)
    parts = Source.of(source, given.max_expanded)
    format = format_named(given.format) if given.format else format_of(parts)
    if not format.tabular:
        return []
    reader = ReaderOptions(**{**given.values(), "sets": None, "item_delimiter": None}, source=parts.name)
    return list(open_parts(parts, format, reader)[1].schema.names)


def likely_sets(dataset: Dataset) -> list[str]:
    """Return the columns of a table that look like sets: lists, and columns with a name such as 'items'."""
    if dataset.table is None:
        return []
    fields = dataset.table.arrow.schema
    return [field.name for field in fields if is_list(field.type) or field.name.strip().lower() in SET_NAMES]
