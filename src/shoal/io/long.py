"""Long data: one row for each item, and a record is all rows of an id.

Rows of an id that follow each other are a *run*. Each batch is taken apart into runs: of their columns one row is kept,
and of their items the codes. So data that are sorted by id need the memory of their records; others need that of a run
for each row. Columns that differ within a record (prices, quantities) are left out.

Records stand in the order of their ids, numbers by size: the order of the rows in the file changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data import Dataset, Transactions
from shoal.data.arrays import Counts
from shoal.data.arrow import arrow_numbers, arrow_text, arrow_texts, numpy_of
from shoal.data.notes import IdsKept, IdsReplaced, Note, NullItemsDropped, VaryingColumns
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.coding import Coded, Encoder, as_labels, as_text, is_whole, slices
from shoal.io.format import Format, ReaderOptions
from shoal.io.header import SET_NAMES
from shoal.io.layout import TableLayout, arrow_table, is_text, with_first
from shoal.io.messages import listed, shorten
from shoal.io.stream import Stream

_ID_NAMES = re.compile(r".*id|user|customer|order|transaction|basket|record|person|patient|session", re.IGNORECASE)
_ITEM_NAMES = re.compile(r"item.?(id|name|code)?|product.?(id|name)?|code|label|sku|page|diagnosis", re.IGNORECASE)
_INTEGER = r"^(0|-?[1-9]\d{0,17})$"


@dataclass(frozen=True, kw_only=True, eq=False)
class Long(TableLayout):
    """One row for each item of a record."""

    shape: ClassVar[str] = "long"
    id_columns: tuple[str, ...] = ("id",)
    item_column: str = "item"
    order: tuple[str, ...] = ()  # the names of all columns, as they stood
    ids: Any = None  # pyarrow.Table of the ids of all records, for messages
    notes: tuple[Note, ...] = field(default=())

    @property
    def set_columns(self) -> tuple[str, ...]:
        """The column of the items."""
        return (self.item_column,)

    def place(self, row: int) -> str:
        """The id tells the record."""
        if self.ids is None:
            return super().place(row)
        values = [(name, self.ids.column(name)[row].as_py()) for name in self.id_columns]
        return ", ".join(f"{shorten(name)} {shorten(value)}" for name, value in values)

    @classmethod
    def read(cls, stream: Stream, format: Format, options: ReaderOptions) -> tuple[Transactions, Any, Self]:
        """Take runs, and put those of an id together."""
        columns = Roles.of(stream, options)
        runs = _Runs(columns, stream, options)
        for batch in stream.batches:
            runs.add(batch)
        rows, table = runs.records()
        beside = [name for name in table.column_names if name not in columns.ids or options.keep_ids]
        own = cls(
            format=format,
            id_columns=columns.ids,
            item_column=columns.item,
            order=tuple(stream.schema.names),
            ids=table.select(columns.ids),
            notes=tuple(runs.notes()),
        )
        return rows, table.select(beside), own

    def with_options(self, given: dict[str, Any]) -> Self:
        """Other names for id and item."""
        known = {name: value for name, value in given.items() if name == "item_column"}
        if given.get("id_column") is not None:
            known["id_columns"] = (given["id_column"],)
        renamed = {
            self.item_column: known.get("item_column"),
            **dict(zip(self.id_columns, known.get("id_columns", ()), strict=False)),
        }
        return replace(self, order=tuple(renamed.get(name) or name for name in self.order), **known)

    def names(self, dataset: Dataset) -> list[str]:
        """All columns, in the order in which they stood."""
        return list(self._schema(dataset, arrow_table(dataset)).names)

    def _schema(self, dataset: Dataset, table: Any) -> Any:
        """The schema to write: one id, unless all the ids are published, the items, and the other columns."""
        import pyarrow as pa

        kept = all(name in table.column_names for name in self.id_columns)
        ids = self.id_columns if kept else self._new_id
        text = not self.format.lists
        own = {self.item_column: pa.large_string() if text else pa.string()}
        own |= {} if kept else {ids[0]: pa.large_string() if text else pa.int64()}
        for name in own:
            if name in table.column_names:
                raise DataError(f"Column '{shorten(name)}' is there already: leave it out (--columns).")
        fields = {**own, **{one.name: one.type for one in table.schema}}
        front = [*ids, self.item_column]
        first = [*self.order] if self.order and set(front) <= set(self.order) else front
        ordered = [name for name in dict.fromkeys([*first, *front, *fields]) if name in fields]
        return pa.schema([(name, fields[name]) for name in ordered])

    @property
    def _new_id(self) -> tuple[str, ...]:
        """What the running numbers are called."""
        return self.id_columns if len(self.id_columns) == 1 else ("id",)

    def batches(self, dataset: Dataset) -> tuple[Any, Iterator[Any]]:
        """A row for each item; a record without items is one row with an empty item."""
        import pyarrow as pa

        given = arrow_table(dataset)
        schema = self._schema(dataset, given)
        _refuse_doubles(given, [name for name in self.id_columns if name in given.column_names])
        table = self.format.prepared(given)
        schema = pa.schema([table.schema.field(one.name) if one.name in table.column_names else one for one in schema])
        self.format.check_labels(dataset.transactions.in_use().labels)

        def batches() -> Iterator[Any]:
            first = 1
            for rows, columns in slices(dataset.transactions, table):
                sizes = np.maximum(rows.sizes, 1)
                row_of = arrow_numbers(np.repeat(np.arange(len(rows)), sizes))
                codes = np.insert(rows.items, rows.indptr[:-1][rows.sizes == 0], len(rows.labels))
                arrays = {name: columns.column(name).combine_chunks().take(row_of) for name in columns.column_names}
                arrays[self.item_column] = arrow_texts([*rows.labels, ""]).take(arrow_numbers(codes))
                arrays.setdefault(self._new_id[0], arrow_numbers(np.arange(first, first + len(rows))).take(row_of))
                first += len(rows)
                yield pa.RecordBatch.from_arrays([arrays[one.name].cast(one.type) for one in schema], schema=schema)

        return schema, batches()

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """Without a header, nobody could tell which column is which if others are left."""
        own, remarks = self.format.for_columns(self.names(dataset))
        return replace(self, format=own), remarks

    def read_options(self) -> dict[str, Any]:
        """The columns by their names."""
        options = super().read_options()
        kept = self.id_columns if self._kept else self._new_id
        ids = kept[0] if len(kept) == 1 else kept
        return {"format": options.pop("format"), "id_column": ids, "item_column": self.item_column, **options}

    @property
    def _kept(self) -> bool:
        """Whether the ids are published."""
        return any(isinstance(note, IdsKept) for note in self.notes)


@dataclass(frozen=True)
class Roles:
    """Which columns of long data are what."""

    ids: tuple[str, ...]
    item: str
    quantity: str | None

    @classmethod
    def of(cls, stream: Stream, options: ReaderOptions) -> Roles:
        """As the user says; what is not said must be plain."""
        names, source = stream.schema.names, stream.source
        ids = options.id_columns
        if len(ids) == 1 and ids[0] not in names and "," in ids[0]:
            ids = tuple(part.strip() for part in ids[0].split(","))
        for wanted in (*ids, options.item_column, options.quantity_column):
            if wanted is not None and wanted not in names:
                hint = did_you_mean(wanted, names)
                raise DataError(f"{source} has no column '{shorten(wanted)}'{hint}: it has {listed(names)}.")
        item = options.item_column
        left = [name for name in names if name not in (*ids, item, options.quantity_column)]
        if not ids and item is not None and len(left) == 1:
            ids = (left[0],)
        elif item is None and ids and len(left) == 1:
            item = left[0]
        elif not ids and item is None and len(left) == 2:
            ids, item = (left[0],), left[1]
        if not ids or item is None:
            missing = "--id-column" if not ids else "--item-column"
            raise DataError(
                f"{source}: which column names the record, and which the item? It has {listed(names)}: pass {missing}."
            )
        if len({*ids, item, options.quantity_column or ""}) < len(ids) + 2:
            raise OptionError(
                f"--id-column, --item-column and --quantity-column must differ, got '{shorten(item)}' twice."
            )
        if options.quantity_column is not None and not options.multiset:
            raise OptionError("--quantity-column is for multisets: pass --multiset too, or leave it out.")
        return cls(ids, item, options.quantity_column)


def is_long(stream: Stream, options: ReaderOptions) -> tuple[bool, Stream]:
    """Whether rows are items, where that is safe to say: two columns with such names, ids that recur, one item a cell.

    The stream is returned as if nobody had looked at its first batch.
    """
    import pyarrow.compute as pc

    if options.id_column or options.item_column or options.quantity_column:
        return True, stream
    names = stream.schema.names
    named = len(names) == 2 and _ID_NAMES.fullmatch(names[0]) and _ITEM_NAMES.fullmatch(names[1])
    if options.column or options.item_delimiter or not named or names[1].lower() in SET_NAMES:
        return False, stream
    if not is_text(stream.schema.field(1).type) and "int" not in str(stream.schema.field(1).type):
        return False, stream
    first, stream = with_first(stream)
    if first is None or len(pc.unique(first.column(0))) == first.num_rows:
        return False, stream
    return not pc.any(pc.match_substring_regex(as_text(first.column(1)), r"[,;|\t]")).as_py(), stream


class _Runs:
    """The runs of a long table, collected batch by batch."""

    def __init__(self, columns: Roles, stream: Stream, options: ReaderOptions) -> None:
        self._columns, self._stream, self._options = columns, stream, options
        self._kept = [name for name in stream.schema.names if name not in (columns.item, columns.quantity)]
        self._varying: list[str] = [] if columns.quantity is None else [columns.quantity]
        self._parts: list[Any] = []  # one row for each run
        self._encoder = Encoder(multiset=options.multiset, drop_items=options.drop_items)
        self._lines = 0
        self._no_id, self._no_item = _Missing(), _Missing()

    def add(self, batch: Any) -> None:
        """Take the runs of a batch; one that goes on in the next batch is put together later."""
        if not batch.num_rows:
            return
        ids = [_codes(batch.column(name)) for name in self._columns.ids]
        for name in self._columns.ids:
            self._no_id.add(_missing(batch.column(name), blank=True), self._lines)
        changes = np.any([codes[1:] != codes[:-1] for codes in ids], axis=0)
        starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
        sizes = np.diff(starts, append=batch.num_rows)
        for name in [name for name in self._kept if name not in self._columns.ids]:
            codes = _codes(batch.column(name))
            if codes is None or bool(np.any(codes != np.repeat(codes[starts], sizes))):
                self._drop(name)
        self._parts.append(batch.select(self._kept).take(arrow_numbers(starts)))
        self._add_items(batch, sizes)
        self._lines += batch.num_rows

    def _add_items(self, batch: Any, sizes: Counts) -> None:
        """Code the items of runs of these sizes."""
        items = batch.column(self._columns.item)
        _check_items(items, f"{self._stream.source}, column '{shorten(self._columns.item)}'")
        missing = _missing(items, blank=False)
        self._no_item.add(missing, self._lines)
        quantities = self._quantities(batch)
        if missing.any():
            kept = ~missing
            sizes = np.add.reduceat(kept.astype(np.int64), np.cumsum(sizes) - sizes)
            items = items.filter(_mask(kept))
            quantities = None if quantities is None else quantities[kept]
        self._encoder.add(Coded.of_texts(items, sizes), quantities)

    def _quantities(self, batch: Any) -> Counts | None:
        """How many of each item; must be whole numbers from 1."""
        import pyarrow as pa

        name = self._columns.quantity
        if name is None:
            return None
        try:
            numbers = as_labels(batch.column(name)).cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise DataError(
                f"{self._stream.source}, column '{shorten(name)}': quantities must be whole numbers ({error})."
            ) from None
        wrong = np.asarray(numbers.is_null()) | (np.asarray(numbers.fill_null(0)) < 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            got = "none" if numbers[row].as_py() is None else str(numbers[row].as_py())
            raise DataError(
                f"{self._stream.source}, {self._stream.place(self._lines + row)}: column '{shorten(name)}' must be a "
                f"whole number from 1, got {got}: leave such rows out with --where '{name} >= 1'."
            )
        return np.asarray(numbers)

    def _drop(self, name: str) -> None:
        """A column that varies within a record is left out."""
        self._kept.remove(name)
        self._varying.append(name)
        self._parts = [part.select([one for one in part.schema.names if one != name]) for part in self._parts]

    def records(self) -> tuple[Transactions, Any]:
        """The sets of all records, and a row of the other columns for each."""
        import pyarrow as pa

        self._refuse_missing()
        if not self._parts:
            return Transactions.nothing(0), pa.table({name: [] for name in self._columns.ids})
        runs = pa.Table.from_batches([part.select(self._kept) for part in self._parts])
        self._parts.clear()
        key, firsts = _numbered([runs.column(name) for name in self._columns.ids])
        if len(firsts) < len(key):
            for name in [name for name in self._kept if name not in self._columns.ids]:
                codes = _codes(runs.column(name).combine_chunks())
                if codes is None or bool(np.any(codes != codes[firsts][key])):
                    self._drop(name)
            runs = runs.select(self._kept)
        rows = self._encoder.transactions(key, len(firsts))
        self._options.tell_missing(self._encoder.dropped)
        in_order = len(firsts) == len(key) and bool(np.all(np.diff(firsts) == 1))
        return rows, runs if in_order else runs.take(arrow_numbers(firsts))

    def _refuse_missing(self) -> None:
        """Ids must be there; items too, unless those without are to be left out."""
        source, place = self._stream.source, self._stream.place
        if self._no_id.count:
            names = " or ".join(f"'{shorten(name)}'" for name in self._columns.ids)
            raise DataError(
                f"{source}, {place(self._no_id.first)}: {names} is empty, so the record has no id "
                f"({self._no_id.count:,} such rows): fill it in, or leave such rows out with --where."
            )
        if self._no_item.count and not self._options.drop_null_items:
            raise DataError(
                f"{source}, {place(self._no_item.first)}: '{shorten(self._columns.item)}' is null "
                f"({self._no_item.count:,} such rows): fill it in, or pass --drop-null-items."
            )

    def notes(self) -> Iterator[Note]:
        """What a publisher must know."""
        yield (IdsKept if self._options.keep_ids else IdsReplaced)(self._columns.ids)
        if self._varying:
            order = self._stream.schema.names
            yield VaryingColumns(tuple(sorted(self._varying, key=order.index)))
        if self._no_item.count:
            yield NullItemsDropped(self._columns.item, self._no_item.count)


class _Missing:
    """How many rows lack something, and the first of them."""

    def __init__(self) -> None:
        self.count, self.first = 0, 0

    def add(self, missing: Any, lines: int) -> None:
        """Count a batch, after so many lines."""
        if missing.any():
            self.first = self.first if self.count else lines + int(np.argmax(missing))
            self.count += int(np.count_nonzero(missing))


def _missing(column: Any, *, blank: bool) -> Any:
    """For each value whether it is null, or a blank text."""
    import pyarrow.compute as pc

    null = pc.is_null(column, nan_is_null=True)
    if blank and is_text(column.type):
        null = pc.or_(null, pc.equal(pc.utf8_trim_whitespace(pc.fill_null(as_text(column), "")), arrow_text("")))
    return np.asarray(null)


def _mask(kept: Any) -> Any:
    """A mask for Arrow."""
    import pyarrow as pa

    return pa.array(kept)


def _check_items(items: Any, where: str) -> None:
    """Items are strings or whole numbers."""
    import pyarrow as pa

    kind = items.type.value_type if pa.types.is_dictionary(items.type) else items.type
    whole = pa.types.is_floating(kind) and is_whole(items)
    if not (is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind) or whole):
        raise DataError(f"{where}: items must be strings or integers, got {shorten(kind)}: convert them to strings.")


def _codes(column: Any) -> Any:
    """A number for each value of an Arrow array, the same for equal ones; none, if they cannot be compared."""
    import pyarrow as pa

    if pa.types.is_nested(column.type):
        return None
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode(null_encoding="encode")
    return numpy_of(column.indices.fill_null(-1) if column.indices.null_count else column.indices)


def _numbered(ids: list[Any]) -> tuple[Counts, Counts]:
    """The record of each run, numbered in the order of the ids, and the first run of each record."""
    key: Any = 0
    for column in ids:
        coded = column.combine_chunks()
        coded = coded if hasattr(coded, "indices") else coded.dictionary_encode()
        rank = _ranks(coded.dictionary)
        key = key * (len(rank) + 1) + rank[numpy_of(coded.indices)]
        _, key = np.unique(key, return_inverse=True)
    _, firsts = np.unique(key, return_index=True)
    return key, firsts


def _ranks(values: Any) -> Counts:
    """The place of each of some different values in their order; texts that are numbers by their size."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(values.type):
        values = as_text(values)
        if pc.all(pc.match_substring_regex(values, _INTEGER)).as_py():
            values = values.cast(pa.int64())
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.asarray(pc.sort_indices(values))] = np.arange(len(values))
    return ranks


def _refuse_doubles(table: Any, ids: list[str]) -> None:
    """Two records of one id would be read as one."""
    if ids and len(_numbered([table.column(name) for name in ids])[1]) < table.num_rows:
        raise DataError(
            f"Column '{shorten(ids[0])}' holds the same id more than once, so long data would merge records: leave it "
            f"out (--columns none) and records are numbered, or write wide data (--output-layout wide)."
        )
