"""Long data: one row per item. A record is all rows with the same id. :mod:`shoal.io.runs` merges them.

Columns that vary within a record (prices, quantities) are left out.

Records are in the order of their ids, numbers by size. The order of the rows in the file does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data import Dataset, Transactions
from shoal.data.arrays import Counts
from shoal.data.arrow import arrow_numbers, arrow_texts, is_text
from shoal.data.reading_notes import IdsKept, NullItemsDropped, VaryingColumns, notes_on_records
from shoal.engines import current
from shoal.errors import DataError, OptionError
from shoal.io.coding import as_text, slices
from shoal.io.format import Format, ReaderOptions
from shoal.io.header import SET_NAMES
from shoal.io.layout import Encode, TableLayout, arrow_table, as_it_is
from shoal.io.messages import shorten
from shoal.io.roles import Roles
from shoal.io.runs import Runs, coded, missing_values, numbered, varies
from shoal.io.stream import Stream, with_start

_ID_NAMES = re.compile(r".*id|user|customer|order|transaction|basket|record|person|patient|session", re.IGNORECASE)
_SAMPLE = 10_000  # ids must recur within about this number of rows
_REMEDY = "leave it out with columns='none', so that records are numbered, or write wide data with layout='wide'"
_ITEM_NAMES = re.compile(r"item.?(id|name|code)?|product.?(id|name)?|code|label|sku|page|diagnosis", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Long(TableLayout):
    """One row for each item of a record."""

    shape: ClassVar[str] = "long"
    id_columns: tuple[str, ...] = ("id",)
    item_column: str = "item"
    order: tuple[str, ...] = ()  # the names of all columns, in their original order
    ids: Any = None  # pyarrow.Table of the ids of all records, for messages
    ids_published: bool = False  # the id columns are written; otherwise records are numbered
    records_before: int = 0  # in the parts of the data before this one

    @property
    def marks(self) -> str:
        """Return nothing, because an item is alone in its cell."""
        return ""

    @property
    def set_columns(self) -> tuple[str, ...]:
        """Return the column of the items."""
        return (self.item_column,)

    def place(self, row: int) -> str:
        """Return the id of a record."""
        if self.ids is None:
            return super().place(row)
        values = [(name, self.ids.column(name)[row].as_py()) for name in self.id_columns]
        return ", ".join(f"{shorten(name)} {shorten(value)}" for name, value in values)

    def id_values(self, name: str) -> Any:
        """Return a column of the ids."""
        return None if self.ids is None or name not in self.id_columns else self.ids.column(name)

    def reordered(self) -> Self:
        """Return the layout without the ids."""
        return replace(super().reordered(), ids=None)

    @classmethod
    def read(cls, stream: Stream, format: Format, options: ReaderOptions) -> tuple[Transactions, Any, Self]:
        """Collect runs, and merge those with the same id."""
        columns = Roles.of(stream, options)
        runs = Runs(columns, stream, options)
        for batch in stream.batches:
            runs.add(batch)
        rows, table = runs.records()
        others = [name for name in table.column_names if name not in columns.ids or options.keep_ids]
        own = cls(
            format=format,
            id_columns=columns.ids,
            item_column=columns.item,
            order=tuple(stream.schema.names),
            ids=table.select(columns.ids),
            notes=tuple(runs.notes()),
        )
        return rows, table.select(others), own

    @property
    def signature(self) -> tuple[Any, ...]:
        """Return which columns hold the ids and the items, among all."""
        return (*super().signature, self.id_columns, self.item_column, self.order)

    def without_rows(self) -> Self:
        """Return the layout without the ids."""
        return replace(super().without_rows(), ids=None)

    def starting_at(self, record: int) -> Self:
        """Return the layout with numbers that go on from those of the parts before."""
        return replace(self, records_before=record)

    def check_records(self, dataset: Dataset) -> None:
        """Refuse records with the same id, because a reader would merge them."""
        table = arrow_table(dataset)
        _check_ids(table, [name for name in self._ids_in(table) if name in table.column_names])

    def columns_with_ids(self, table: Any) -> Any:
        """Return the columns of the records, with their ids, in the original order."""
        import pyarrow as pa

        columns = {name: source.column(name) for source in (self.ids, table) for name in source.column_names}
        return pa.table({name: columns[name] for name in self.order if name in columns})

    @classmethod
    def merged(cls, layouts: Sequence[Self], table: Any) -> tuple[Counts | None, Any, Self]:
        """Merge rows with the same id. Leave out columns that vary among them, too."""
        own, every = layouts[0], [note for layout in layouts for note in layout.notes]
        columns = {name: coded(table.column(name).combine_chunks()) for name in table.column_names}
        record_of, firsts = numbered([columns[name] for name in own.id_columns])
        varying = {name for note in every if isinstance(note, VaryingColumns) for name in note.columns}
        varying |= {name for name in columns if name not in own.id_columns and varies(columns[name], record_of, firsts)}
        kept = [name for name in table.column_names if name not in varying]
        ordered = len(firsts) == len(record_of) and bool(np.all(np.diff(firsts) == 1))
        records = table.select(kept) if ordered else table.select(kept).take(arrow_numbers(firsts))
        dropped = sum(note.rows for note in every if isinstance(note, NullItemsDropped))
        keep_ids = any(isinstance(note, IdsKept) for note in every)
        notes = notes_on_records(own.id_columns, own.item_column, own.order, varying, dropped, keep_ids=keep_ids)
        others = [name for name in kept if name not in own.id_columns or keep_ids]
        layout = replace(own, ids=records.select(own.id_columns), notes=tuple(notes))
        return None if ordered else record_of, records.select(others), layout

    def with_options(self, given: dict[str, Any]) -> Self:
        """Return the layout with other names for the id and item columns."""
        known = {name: value for name, value in given.items() if name == "item_column"}
        if given.get("id_column") is not None:
            known["id_columns"] = (given["id_column"],)
        renamed = {
            self.item_column: known.get("item_column"),
            **dict(zip(self.id_columns, known.get("id_columns", ()), strict=False)),
        }
        return replace(self, order=tuple(renamed.get(name) or name for name in self.order), **known)

    def names(self, dataset: Dataset) -> list[str]:
        """Return all columns in their original order."""
        return list(self._schema(dataset, arrow_table(dataset)).names)

    def _schema(self, dataset: Dataset, table: Any) -> Any:
        """Return the schema to write: one id (or all ids if they are published), the items, and the other columns."""
        import pyarrow as pa

        ids = self._ids_in(table)
        kept = ids[0] in table.column_names
        text = not self.format.lists
        if self.item_column in ids:
            raise OptionError(f"id_column= and item_column= must differ, got '{shorten(self.item_column)}' twice.")
        own = {self.item_column: pa.large_string() if text else pa.string()}
        own |= {} if kept else {ids[0]: pa.large_string() if text else pa.int64()}
        for name in own:
            if name in table.column_names:
                raise DataError(
                    f"Column '{shorten(name)}' exists already: leave it out with columns=, or pass item_column=."
                )
        fields = {**own, **{one.name: one.type for one in table.schema}}
        front = [*ids, self.item_column]
        first = [*self.order] if self.order and set(front) <= set(self.order) else front
        ordered = [name for name in dict.fromkeys([*first, *front, *fields]) if name in fields]
        return pa.schema([(name, fields[name]) for name in ordered])

    def _ids_in(self, table: Any) -> tuple[str, ...]:
        """Return the id columns to write: the original ones if all are published, or one of running numbers."""
        published = all(name in table.column_names for name in self.id_columns)
        if published or len(self.id_columns) == 1:
            return self.id_columns
        return (free_name(("id", "record_id"), table.column_names),)

    def batches(self, dataset: Dataset, encode: Encode = as_it_is) -> tuple[Any, Iterator[Any]]:
        """Return a row for each item. A record without items is one row with an empty item."""
        import pyarrow as pa

        given = arrow_table(dataset)
        ids, schema = self._ids_in(given), self._schema(dataset, given)
        self.check_records(dataset)
        table = self.format.prepared(given)
        schema = pa.schema([table.schema.field(one.name) if one.name in table.column_names else one for one in schema])
        self.format.check_labels(dataset.transactions.used_labels)

        def batches() -> Iterator[Any]:
            first = self.records_before + 1
            for rows, columns in slices(dataset.transactions, table):
                sizes = np.maximum(rows.sizes, 1)
                row_of = arrow_numbers(np.repeat(np.arange(len(rows)), sizes))
                codes = np.insert(rows.items, rows.indptr[:-1][rows.sizes == 0], len(rows.labels))
                arrays = {name: columns.column(name).combine_chunks().take(row_of) for name in columns.column_names}
                arrays[self.item_column] = arrow_texts([*rows.labels, ""]).take(arrow_numbers(codes))
                arrays.setdefault(ids[0], arrow_numbers(np.arange(first, first + len(rows))).take(row_of))
                first += len(rows)
                yield pa.RecordBatch.from_arrays([arrays[one.name].cast(one.type) for one in schema], schema=schema)

        return schema, current().each(encode, batches())

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """Return the layout with a header if columns were left out. Without one, the columns would be ambiguous."""
        own, remarks = self.format.for_columns(self.names(dataset))
        ids = self._ids_in(arrow_table(dataset))
        published = ids[0] in arrow_table(dataset).column_names
        return replace(self, format=own, id_columns=ids, ids_published=published), remarks

    def read_options(self) -> dict[str, Any]:
        """Return the names of the columns, among others."""
        options = super().read_options()
        ids = self.id_columns[0] if len(self.id_columns) == 1 else self.id_columns
        options = {"format": options.pop("format"), "id_column": ids, "item_column": self.item_column, **options}
        return options | ({"keep_ids": True} if self.ids_published else {})


def is_long(stream: Stream, options: ReaderOptions) -> tuple[bool, Stream]:
    """Whether each row is an item, if that is safe to assume, and the stream from its start.

    This needs two columns with typical names, ids that recur, and one item per cell.
    """
    import pyarrow.compute as pc

    if options.id_column or options.item_column or options.quantity_column:
        return True, stream
    names = stream.schema.names
    named = len(names) == 2 and _ID_NAMES.fullmatch(names[0]) and _ITEM_NAMES.fullmatch(names[1])
    if options.sets or options.item_delimiter or not named or names[1].lower() in SET_NAMES:
        return False, stream
    if not is_text(stream.schema.field(1).type) and "int" not in str(stream.schema.field(1).type):
        return False, stream
    start, stream = with_start(stream, _SAMPLE)
    if len(start.column(0).unique()) == start.num_rows:
        return False, stream
    return not pc.any(pc.match_substring_regex(as_text(start.column(1)), r"[,;|\t]")).as_py(), stream


def free_name(names: Sequence[str], taken: Collection[str]) -> str:
    """Return the first of some names that no column has, or one with a number.

    >>> free_name(("id", "record_id"), ["id", "age"])
    'record_id'
    """
    numbered_names = (f"{names[0]}_{number}" for number in count(2))
    return next(name for name in chain(names, numbered_names) if name not in taken)


def _check_ids(table: Any, ids: list[str]) -> None:
    """Refuse records with the same id, because a reader would merge them."""
    columns = [coded(table.column(name).combine_chunks()) for name in ids]
    for name, column in zip(ids, columns, strict=True):
        missing = missing_values(column, blank=True)
        if missing is not None and missing.any():
            raise DataError(
                f"Column '{shorten(name)}' has no value in record {int(np.argmax(missing)) + 1}, so it cannot be the "
                f"id of long data: {_REMEDY}."
            )
    if ids and len(numbered(columns)[1]) < table.num_rows:
        raise DataError(
            f"Column '{shorten(ids[0])}' has the same id in several records, so long data would merge them: {_REMEDY}."
        )
