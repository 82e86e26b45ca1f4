"""Reading: from a source to a stream of record batches, through joins and a filter, to sets and columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from shoal.data import Dataset, Origin, Table, Transactions
from shoal.data.arrow import is_list
from shoal.data.columns import identifying_columns
from shoal.data.note import Note
from shoal.data.person_column import with_persons
from shoal.data.reading_notes import Filtered, IdentifyingColumns
from shoal.errors import DataError, OptionError
from shoal.io.detect import TABULAR, format_named, format_of
from shoal.io.format import OF_FORMATS, OF_LONG_TABLES, OF_TABLES, Format, GuessedWrong, ReaderOptions
from shoal.io.frames import FrameFormat
from shoal.io.header import SET_NAMES
from shoal.io.layout import Plain, Wide
from shoal.io.long import Long, is_long
from shoal.io.memory import read_rows
from shoal.io.messages import no_column, shorten
from shoal.io.parts import open_parts
from shoal.io.read_options import ReadOptions
from shoal.io.several import delimiters, gather
from shoal.io.source import Source
from shoal.io.stream import Stream
from shoal.options import takes

Result = TypeVar("Result")


@takes(ReadOptions)
def read(source: Any, *, codebook: Any = None, **options: Any) -> Dataset:
    """Read sets from a file, a folder or glob of parts, a data frame, or an iterable of sets or lists.

    What is not said is found out from the file's name and content, or asked for. Items that are repeated in a record
    collapse; with ``multiset``, an item that occurs c times becomes the item ``label*c``. ``drop_items`` are left out;
    one that does not occur is warned of.

    Where every row is one item, ``id_column`` names the record (or several columns do so together) and ``item_column``
    the item. Columns that are constant within each record become columns of the record; others are left out.
    ``quantity_column`` tells how many of an item, for multisets. Rows with a null item are an error, unless
    ``drop_null_items`` leaves them out. ``keep_ids`` keeps the ids as columns.

    ``person`` names the column that says whose a record is, where a person may have several: the rows then know their
    person, and the column is gone. Guarantees count persons instead of records.

    ``join`` adds the columns of other tables first: ``"products.parquet:product_id"``. ``where`` reads only rows that
    fulfil a condition: ``"week <= 12"``.

    ``header`` says whether the first line of a CSV file names the columns. Without such a line, the columns are called
    ``(column 1)``, ``(column 2)`` and so on. ``escaped_formulas`` says that the file was written with
    ``escape_formulas``: the quote before a formula is no part of the cell. A compressed file that expands to more than
    ``max_expanded`` is refused; give bytes, or a text such as ``"4 GB"``. The default is 64 times the size of the file,
    and at least 1 GB.

    ``column`` may name several columns of sets, ``("diagnoses", "drugs")`` or, if no column has that name,
    ``"diagnoses,drugs"``: item x of column T is then the label ``T.x``; ``item_delimiter`` may be one for each, and
    ``drop_items`` may name ``x``, of any column, or ``T.x``. With ``no_sets=True``, the data are a table without sets.

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
    """Read data with one column of sets, several, or none; the rows know their person, if a column tells it."""
    data = _read_sets(source, given)
    return data if given.person is None else with_persons(data, given.person)


def _read_sets(source: Any, given: ReadOptions) -> Dataset:
    """Read data with one column of sets, several, or none."""
    column, item_delimiter = given.sets, given.item_delimiter
    columns = (column,) if column is None or isinstance(column, str) else column
    if not columns:
        raise OptionError("column must name at least one column, got none: leave it out to have it found.")
    for name in ("sets", "item_delimiter", "multiset", "drop_items", *OF_LONG_TABLES):
        if getattr(given, name) and given.no_sets:
            raise OptionError(f"{name} is for sets, but with no_sets=True there are none: leave it out.")
    for name in ("sets", "item_delimiter"):
        if getattr(given, name) and (given.id_column or given.item_column):
            raise OptionError(
                f"{name} is for a column of sets, but id_column and item_column say that every row is one item: pass "
                f"one or the other."
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
    """The data, which know what was left out of them."""
    return replace(dataset, origin=replace(dataset.origin, dropped=items)) if items else dataset


def _read(source: Any, options: ReaderOptions) -> Dataset:
    """Read data with one column of sets, or without sets."""
    if isinstance(source, (str, os.PathLike)):
        return _read_source(Source.of(source, options.max_expanded), options)
    kind = type(source).__name__
    for name, value in options.given(("format", *OF_FORMATS)).items():
        if value is not None:
            raise OptionError(f"{name} is for files, but the data are a {kind} in memory: leave it out.")
    FrameFormat.check_options(options.given(OF_TABLES))
    frame = FrameFormat.of(source, options)
    if frame is None and (isinstance(source, (bytes, dict)) or not isinstance(source, Iterable)):
        raise DataError(f"Cannot read sets from a {kind}: give a path, a data frame or a list of sets.")
    if options.no_sets and (frame is None or frame[0].is_column):
        raise OptionError(
            f"no_sets=True and several set columns are for tables, but the data are a {kind}: leave it out."
        )
    for name in options.given((*OF_TABLES, "join", "where")):
        if frame is None or (frame[0].is_column and name not in ("sets", "item_delimiter")):
            raise OptionError(f"{name} is for tables, but the data are a {kind}: leave it out.")
    if frame is not None and frame[0].is_column and options.sets is None:
        options = replace(options, sets=frame[1].schema.names[0])
    data = read_rows(source, options) if frame is None else _read_stream(*frame, options, Origin())
    if len(data) == 0:
        raise DataError("The data hold no records: give at least one set.")
    return data


def _read_source(source: Source, options: ReaderOptions) -> Dataset:
    """Read files."""
    named = format_named(options.format) if options.format else None  # a wrong name shows before the file is read
    format = named or format_of(source)
    format.check_options(options.given((*OF_FORMATS, *OF_TABLES)))
    if options.no_sets and not format.tabular:
        raise OptionError(
            f"{source.name} is read as {format.format}, which holds nothing but sets: no_sets=True and several columns of "
            f"sets are for {TABULAR}: leave them out, or pass another --format."
        )

    def read_parts(options: ReaderOptions) -> Dataset:
        name = source.parts[0].name if source.is_stdin else source.path.name or source.name
        origin = Origin(name, path=None if source.is_stdin else source.path)
        return _read_stream(*open_parts(source, format, options), options, origin)

    data = _until_sure(read_parts, source, options)
    if len(data) == 0:
        raise DataError(f"{source.name} holds no records: is this the right file?")
    return replace(data, origin=replace(data.origin, sha256=source.sha256))


def _until_sure(read: Callable[[ReaderOptions], Result], source: Source, options: ReaderOptions) -> Result:
    """Read a source; where its start had led to a wrong guess, once more.

    A folder may have two of them: of the types of its parts, and of those inside of a part.
    """
    for _ in range(3):
        try:
            return read(options)
        except GuessedWrong as wrong:
            options = wrong.options
        if not all(part.can_be_read_again for part in source.parts):
            raise DataError(
                f"{source.parts[0].name}: its start and its end suggest different delimiters or types, and it can be "
                f"read only once: save it as a file and read that, or pass --delimiter or --item-delimiter."
            )
    raise DataError(
        f"{source.name}: its start and its end suggest different delimiters or types: pass --delimiter or "
        f"--item-delimiter, or give all parts the same."
    )


def _read_stream(format: Format, stream: Stream, options: ReaderOptions, origin: Origin) -> Dataset:
    """Join, filter, and take the sets out."""
    stream, tell = _prepared(stream, options)
    if options.no_sets:
        rows, table, layout = Plain.read(stream, format)
        return _dataset(rows, table, replace(origin, layout=layout, notes=tell()))
    long, stream = is_long(stream, options) if format.tabular else (False, stream)
    if long:
        rows, table, long_layout = Long.read(stream, format, options)
        notes = (*tell(), *long_layout.notes)
        data = _dataset(rows, table, replace(origin, layout=long_layout, notes=notes))
        return data if options.keep_ids else _without_identifying(data, options.person)
    for name in options.given(OF_LONG_TABLES):
        raise OptionError(f"{name} is for data with one row for each item: pass --id-column too, or leave it out.")
    rows, table, wide = Wide.read(stream, format, options)
    return _dataset(rows, table, replace(origin, layout=wide, notes=tell()))


def _without_identifying(data: Dataset, person: str | None) -> Dataset:
    """Long data without the columns that tell records apart as ids do, such as the time of an order."""
    names = identifying_columns(data, () if person is None else (person,))
    if not names or data.table is None:
        return data
    kept = data.keep_columns([name for name in data.table.names if name not in names])
    return replace(kept, origin=replace(data.origin, notes=(*data.origin.notes, IdentifyingColumns(tuple(names)))))


def _prepared(stream: Stream, options: ReaderOptions) -> tuple[Stream, Any]:
    """The stream with joined columns and without the rows that are not wanted; and what then must be told."""
    counts: list[Any] = []
    for spec in options.joins:
        from shoal.io.join import join  # not at the top, because it loads pyarrow

        file = Source.of(spec.file)
        stream, count = join(stream, read_table(file, named=(spec.right,)), spec)
        counts.append((spec, count, file.sha256))
    kept = None
    if options.where is not None:
        from shoal.io.where import where

        stream, kept = where(stream, options.where)

    def tell() -> tuple[Note, ...]:
        for spec, count, _ in counts:
            if count.records and count.records == count.unmatched + count.without_key:
                raise DataError(
                    f"No row of {stream.source} has a match in {spec.file}: '{shorten(spec.left)}' and "
                    f"'{shorten(spec.right)}' have no value in common. Name the columns of the key: FILE:LEFT=RIGHT."
                )
        notes: list[Note] = [count.note(spec, sha256) for spec, count, sha256 in counts]
        if kept is not None:
            if not kept.kept:
                raise DataError(
                    f"No row of {stream.source} fulfils --where {options.where!r} ({kept.total:,} were read): "
                    f"correct the condition."
                )
            notes.append(Filtered(str(options.where), kept.kept, kept.total))
        return tuple(notes)

    return stream, tell


def _dataset(rows: Transactions, table: Any, origin: Origin) -> Dataset:
    """The data that were read."""
    beside = None if table is None or not table.column_names else Table(table)
    return Dataset(rows, beside, origin)


def column_names(source: str | os.PathLike[str], **options: Any) -> list[str]:
    """The names of the columns of a file, read with such options; none, if it holds nothing but sets."""
    given = ReadOptions(**options)
    parts = Source.of(source, given.max_expanded)
    format = format_named(given.format) if given.format else format_of(parts)
    if not format.tabular:
        return []
    reader = ReaderOptions(**{**given.values(), "sets": None, "item_delimiter": None}, source=parts.name)
    return list(open_parts(parts, format, reader)[1].schema.names)


def read_table(
    source: str | os.PathLike[str] | Source, columns: Collection[str] | None = None, named: Collection[str] = ()
) -> Any:
    """All rows of a file, folder or glob as a pyarrow.Table, or only some columns; its header has ``named``."""
    parts = source if isinstance(source, Source) else Source.of(source)
    format = format_of(parts)
    if not format.tabular:
        raise DataError(f"{parts.name} is read as {format.format}, which has no columns: wanted {TABULAR}.")
    options = ReaderOptions(no_sets=True, source=parts.name, wanted=(*named, *(columns or ())))
    return _until_sure(lambda options: _selected(open_parts(parts, format, options)[1], columns), parts, options)


def _selected(stream: Stream, columns: Collection[str] | None) -> Any:
    """Some columns of a stream as a table; others are let go as they are read."""
    import pyarrow as pa

    for name in columns or ():
        if name not in stream.schema.names:
            raise no_column(name, stream.schema.names, stream.source)
    if columns is None:
        return stream.table()
    batches = [batch.select(list(columns)) for batch in stream.batches]
    return pa.Table.from_batches(batches, pa.schema([stream.schema.field(name) for name in columns]))


def likely_sets(dataset: Dataset) -> list[str]:
    """The columns of a table that look like sets: lists, or what goes by a name such as 'items'."""
    if dataset.table is None:
        return []
    fields = dataset.table.arrow.schema
    return [field.name for field in fields if is_list(field.type) or field.name.strip().lower() in SET_NAMES]
