"""Records: a stream is joined and filtered, and split into sets and other columns.

What is counted on the way can be added up over parts of a source that are read on their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from shoal.data import Dataset, Origin, Table, Transactions
from shoal.data.columns import identifying_columns
from shoal.data.note import Note
from shoal.data.reading_notes import Filtered, IdentifyingColumns
from shoal.errors import DataError, OptionError
from shoal.io.format import OF_LONG_TABLES, Format, ReaderOptions
from shoal.io.join_spec import JoinSpec
from shoal.io.layout import Plain, TableLayout, Wide
from shoal.io.long import Long, is_long
from shoal.io.messages import shorten
from shoal.io.read_table import read_table
from shoal.io.source import Source
from shoal.io.stream import Stream


@dataclass(eq=False)
class Counts:
    """What joins and the filter have counted. Complete when the stream has been consumed."""

    joins: list[tuple[JoinSpec, Any, str]]  # each with its JoinCount, and the hash of the file
    where: str | None = None
    kept: Any = None  # WhereCount

    def merge(self, other: Counts) -> None:
        """Add what was counted in other rows."""
        for (_, own, _), (_, more, _) in zip(self.joins, other.joins, strict=True):
            own.merge(more)
        if self.kept is not None:
            self.kept.kept += other.kept.kept
            self.kept.total += other.kept.total

    def notes(self, source: str) -> tuple[Note, ...]:
        """Return the notes for a publisher. Refuse a join or a filter that has left nothing."""
        for spec, count, _ in self.joins:
            if count.records and count.records == count.unmatched + count.without_key:
                raise DataError(
                    f"No row of {source} has a match in {spec.file}: '{shorten(spec.left)}' and "
                    f"'{shorten(spec.right)}' have no value in common. Name the key columns: FILE:LEFT=RIGHT."
                )
        notes: list[Note] = [count.note(spec, sha256) for spec, count, sha256 in self.joins]
        if self.kept is not None:
            if not self.kept.kept:
                raise DataError(
                    f"No row of {source} fulfils where={self.where!r} ({self.kept.total:,} were read): "
                    f"correct the condition."
                )
            notes.append(Filtered(str(self.where), self.kept.kept, self.kept.total))
        return tuple(notes)


def prepared(stream: Stream, options: ReaderOptions) -> tuple[Stream, Counts]:
    """Return the stream after joins and the filter, and what they count."""
    counts = Counts([], options.where)
    for spec in options.joins:
        from shoal.io.join import join  # not at the top, as it loads pyarrow

        file = Source.of(spec.file)
        stream, count = join(stream, read_table(file, named=(spec.right,)), spec)
        counts.joins.append((spec, count, file.sha256))
    if options.where is not None:
        from shoal.io.where import where

        stream, counts.kept = where(stream, options.where)
    return stream, counts


def extract(format: Format, stream: Stream, options: ReaderOptions) -> tuple[Transactions, Any, TableLayout]:
    """Return the sets of a stream, its other columns as a pyarrow.Table or None, and where the sets were."""
    if options.no_sets:
        return Plain.read(stream, format)
    long, stream = is_long(stream, options) if format.tabular else (False, stream)
    if long:
        return Long.read(stream, format, options)
    for name in options.given(OF_LONG_TABLES):
        raise OptionError(f"{name}= is for data with one row per item: pass id_column= too, or leave it out.")
    return Wide.read(stream, format, options)


def as_dataset(rows: Transactions, table: Any, layout: TableLayout, origin: Origin, options: ReaderOptions) -> Dataset:
    """Build the data set. Columns of long data that identify records like ids do are left out."""
    others = None if table is None or not table.column_names else Table(table)
    data = Dataset(rows, others, replace(origin, layout=layout, notes=(*origin.notes, *layout.notes)))
    return data if layout.shape != "long" or options.keep_ids else _without_identifying(data, options.person)


def _without_identifying(data: Dataset, person: str | None) -> Dataset:
    """Leave out columns of long data that identify records like ids do, such as the time of an order."""
    names = identifying_columns(data, () if person is None else (person,))
    if not names or data.table is None:
        return data
    kept = data.keep_columns([name for name in data.table.names if name not in names])
    return replace(kept, origin=replace(data.origin, notes=(*data.origin.notes, IdentifyingColumns(tuple(names)))))
