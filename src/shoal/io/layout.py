"""Layout: where the sets are among the columns of a source.

::

    TableLayout
    ├── Wide     one record per row: the set is a list or a delimited text in one cell
    ├── Long     one item per row: all rows with the same id are a record      (shoal.io.long)
    └── Plain    no sets at all

A layout works the same for every format: it extracts the sets from a stream of record batches, and makes batches to be
written. Data with several columns of sets are read as :class:`Plain`. :mod:`shoal.io.several` extracts the sets, and
puts them back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from shoal.data import Dataset, Transactions
from shoal.data.arrays import Counts
from shoal.data.arrow import arrow_text, is_list, is_text, text_list_type
from shoal.data.note import Note
from shoal.data.source_layout import SourceLayout
from shoal.engines import current, release_batches
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.cells import CellStatistics, check_items, fitting
from shoal.io.coding import Coded, Encoder, as_text, coded_lists, label_lists, slices
from shoal.io.format import Format, GuessedWrong, ReaderOptions
from shoal.io.header import SET_NAMES
from shoal.io.messages import listed, shorten
from shoal.io.stream import Stream, nth_row
from shoal.io.text import joined

Encode = Callable[[Any], Any]  # turns a record batch into what a format writes


def as_it_is(batch: Any) -> Any:
    """Return a batch unchanged."""
    return batch


@dataclass(frozen=True, kw_only=True, eq=False)
class TableLayout(SourceLayout):
    """Where the sets are in a file of some format."""

    shape: ClassVar[str]
    format: Format
    place_of: Callable[[int], str] = nth_row
    notes: tuple[Note, ...] = ()  # what a publisher must know about how the records were found

    @property
    def signature(self) -> tuple[Any, ...]:
        """Return what parts of a source must have in common."""
        return type(self), type(self.format)

    def without_rows(self) -> Self:
        """Return the layout without anything that was read."""
        return replace(self, format=self.format.without_rows(), place_of=nth_row)

    def columns_with_ids(self, table: Any) -> Any:
        """Return all columns of the records, with those that :meth:`merged` needs, as a pyarrow.Table or None."""
        return table

    def starting_at(self, record: int) -> Self:
        """Return the layout for a part of the data whose first record is this one, counted from 0."""
        return self

    def check_records(self, dataset: Dataset) -> None:
        """Refuse records that a reader could not tell apart."""

    @classmethod
    def merged(cls, layouts: Sequence[Self], table: Any) -> tuple[Counts | None, Any, Self]:
        """Merge the records of parts that were read on their own, one after the other.

        ``table``: all their columns. Return the record that each row belongs to (None: every row is one), the columns
        of the records, and the layout.
        """
        return None, table, layouts[0]

    @property
    def marks(self) -> str:
        """Return the characters that separate items or may be mistaken for separators."""
        return self.format.marks

    @property
    def has_index(self) -> bool:
        """Whether the rows of a frame have an index."""
        return self.shape == "wide" and self.format.has_index

    def place(self, row: int) -> str:
        """Return where a record (counted from 0) is."""
        return self.place_of(row)

    def reordered(self) -> Self:
        """Return the layout without the places of records and without the index of a frame."""
        return replace(self, format=self.format.without_index(), place_of=nth_row)

    def with_options(self, given: dict[str, Any]) -> Self:
        """Return the layout with some options of the user."""
        return self

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """Return the layout with which the data can be written, and remarks. Options of the user are not changed."""
        own, remarks = self.format.for_columns(self.names(dataset))
        return replace(self, format=own), remarks

    @abstractmethod
    def names(self, dataset: Dataset) -> list[str]:
        """Return the columns of the file that the data will be written to."""

    @abstractmethod
    def batches(self, dataset: Dataset, encode: Encode = as_it_is) -> tuple[Any, Iterator[Any]]:
        """Return the schema and the record batches to write. ``encode`` is called for each batch, in a thread."""

    def encoded(self, dataset: Dataset) -> tuple[Any, Iterator[Any]]:
        """Return the schema, and the encoded pieces to write."""
        return self.batches(dataset, self.format.encoded)

    def read_options(self) -> dict[str, Any]:
        """Return the options with which a file of this layout is read exactly."""
        return self.format.read_options()


@dataclass(frozen=True)
class SetColumn:
    """One of several columns of sets, and how its cells are written."""

    name: str
    item_delimiter: str | None = None  # if cells are texts
    list_type: Any = None  # if cells are lists: their pyarrow type; None: list<string>


@dataclass(frozen=True, kw_only=True, eq=False)
class Plain(TableLayout):
    """A table without sets. Columns of sets can be extracted from it."""

    shape: ClassVar[str] = "wide"
    without_sets: bool = True

    @classmethod
    def read(cls, stream: Stream, format: Format) -> tuple[Transactions, Any, Self]:
        """Read all columns."""
        table = stream.table()
        return Transactions.nothing(table.num_rows), table, cls(format=format, place_of=stream.place)

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Coded, SetColumn]:
        """Return the sets in a column of lists, or of texts that are split."""
        column = table.column(name).combine_chunks()
        at = table.column_names.index(name)
        options = ReaderOptions(sets=name, item_delimiter=item_delimiter)
        set_column(table.schema, options, source, typed=self.format.lists)
        if is_list(table.schema.field(at).type):
            coded = coded_lists(column, f"{source}, column '{shorten(name)}'", self.place)
            return coded, SetColumn(name, list_type=text_list_type(column.type))
        cells = as_text(column).fill_null(arrow_text(""))
        if item_delimiter is None:
            statistics = CellStatistics()
            statistics.add(cells)
            item_delimiter = statistics.guess(name, source)
        return Coded.of_cells(cells, item_delimiter), SetColumn(name, item_delimiter)

    def names(self, dataset: Dataset) -> list[str]:
        """Return all columns."""
        return list(arrow_table(dataset).column_names)

    def batches(self, dataset: Dataset, encode: Encode = as_it_is) -> tuple[Any, Iterator[Any]]:
        """Return the columns unchanged."""
        table = self.format.prepared(arrow_table(dataset)).combine_chunks()
        return table.schema, current().each(encode, table.to_batches())

    def read_options(self) -> dict[str, Any]:
        """Return the options that tell a reader not to look for sets and not to question the header."""
        return {
            **super().read_options(),
            "no_sets": True,
            **({"header": True} if getattr(self.format, "header", False) else {}),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Wide(TableLayout):
    """One record per row, with its set in a cell."""

    shape: ClassVar[str] = "wide"
    column: str = "items"
    before: tuple[str, ...] | None = None  # the columns before the sets; None: all
    item_delimiter: str | None = None  # if the sets are texts; None: they are lists
    list_type: Any = None  # pyarrow type of the lists; None: list<string>

    def __post_init__(self) -> None:
        """Set an item delimiter if cells cannot be lists."""
        if not self.format.lists and self.item_delimiter is None:
            object.__setattr__(self, "item_delimiter", "|")

    @property
    def signature(self) -> tuple[Any, ...]:
        """Return where the sets are, and how cells are split."""
        return (*super().signature, self.column, self.before, self.item_delimiter, self.list_type)

    @property
    def marks(self) -> str:
        """Return the characters that separate items or may be mistaken for separators."""
        return (self.item_delimiter or "").strip(" ") + self.format.marks + " " * (self.item_delimiter == " ")

    @classmethod
    def read(cls, stream: Stream, format: Format, options: ReaderOptions) -> tuple[Transactions, Any, Self]:
        """Find the column of sets, and code its items batch by batch."""
        at = set_column(stream.schema, options, stream.source, typed=format.lists)
        field = stream.schema.field(at)
        kept = [name for name in stream.schema.names if name != field.name]
        others = current().collect_batches(stream.schema.remove(at))
        reader = SetReader(field, options, stream)
        for batch in stream.batches:
            reader.add(batch.column(at))
            others.append(batch.select(kept))
        own = cls(
            format=format,
            column=field.name,
            before=tuple(stream.schema.names[:at]),
            item_delimiter=reader.item_delimiter,
            list_type=text_list_type(field.type) if is_list(field.type) else None,
            place_of=stream.place,
        )
        rows, table = reader.rows(), others.table() if kept else None
        release_batches()
        return rows, table, own

    def with_options(self, given: dict[str, Any]) -> Self:
        """Return the layout with another column, or another delimiter in its cells."""
        fields = {"sets": "column", "item_delimiter": "item_delimiter"}
        return replace(self, **{fields[name]: value for name, value in given.items() if name in fields})

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """Return the layout with an item delimiter that no label contains, and remarks.

        There is a remark if the delimiter changed, or if a reader would guess it wrong.
        """
        own, remarks = super().fitted(dataset, given)
        if self.item_delimiter is None or "item_delimiter" in given:
            return own, remarks
        mark, more = fitting(dataset.transactions, self.item_delimiter, self.column, self.format.format)
        return replace(own, item_delimiter=mark), remarks + more

    def names(self, dataset: Dataset) -> list[str]:
        """Return all columns, with the sets in their place."""
        others = list(arrow_table(dataset).column_names)
        at = set_position(self.before, others)
        return [*others[:at], self.column, *others[at:]]

    def batches(self, dataset: Dataset, encode: Encode = as_it_is) -> tuple[Any, Iterator[Any]]:
        """Return the other columns, with the sets in their place."""
        import pyarrow as pa

        table = self.format.prepared(arrow_table(dataset))
        if self.column in table.column_names:
            raise DataError(
                f"Column '{shorten(self.column)}' exists already: pass another name for the sets with sets=."
            )
        at = set_position(self.before, table.column_names)
        kind = (self.list_type or pa.list_(pa.string())) if self.item_delimiter is None else pa.string()
        schema = table.schema.insert(at, pa.field(self.column, kind))

        def batch(part: tuple[Transactions, Any]) -> Any:
            rows, columns = part
            arrays = [column.combine_chunks() for column in columns.columns]
            arrays.insert(at, set_cells(rows, self.item_delimiter, kind, self.format.format))
            rows.release()
            release_batches()
            return encode(pa.RecordBatch.from_arrays(arrays, schema=schema))

        ahead = self.format.encodes  # otherwise texts of several batches would wait for the writer
        return schema, current().each(batch, slices(dataset.transactions, table), ahead=ahead)

    def encoded(self, dataset: Dataset) -> tuple[Any, Iterator[Any]]:
        """Return the schema, and the encoded pieces to write. Formats without columns write sets without batches."""
        schema, batches = self.batches(dataset, self.format.encoded)
        if self.format.tabular:
            return schema, batches
        return schema, current().each(self.format.encoded_sets, (part for part, _ in slices(dataset.transactions)))

    def read_options(self) -> dict[str, Any]:
        """Return the column and its item delimiter, among others."""
        options = super().read_options()
        if not self.format.tabular or getattr(self.format, "arrays", False):
            return options
        first = {"format": options.pop("format"), "sets": self.column}
        first |= {} if self.item_delimiter is None else {"item_delimiter": self.item_delimiter}
        return first | options


class SetReader:
    """Code the cells of a column of sets, batch by batch."""

    def __init__(self, field: Any, options: ReaderOptions, stream: Stream) -> None:
        self._field, self._options, self._stream = field, options, stream
        self._encoder = Encoder(multiset=options.multiset, drop_items=options.drop_items)
        self._where = f"{stream.source}, column '{shorten(field.name)}'"
        self._statistics = None if is_list(field.type) or options.item_delimiter else CellStatistics()
        self._rows = 0
        self.item_delimiter = None if is_list(field.type) else options.item_delimiter or options.guess

    def add(self, cells: Any) -> None:
        """Add more cells."""
        if is_list(self._field.type):
            place, before = self._stream.place, self._rows
            self._encoder.add(coded_lists(cells, self._where, lambda row: place(before + row)))
        else:
            texts = as_text(cells)
            texts = texts.fill_null(arrow_text("")) if texts.null_count else texts
            if self._statistics is not None:
                self._statistics.add(texts)
                self.item_delimiter = self.item_delimiter or self._guess()
            assert self.item_delimiter is not None
            self._encoder.add(Coded.of_cells(texts, self.item_delimiter))
        self._rows += len(cells)

    def rows(self) -> Transactions:
        """Return all sets."""
        if self._statistics is not None and self._rows and (guess := self._guess()) != self.item_delimiter:
            raise GuessedWrong(replace(self._options, guess=guess))
        rows = self._encoder.transactions()
        self._options.tell_missing(self._encoder.dropped)
        return rows

    def _guess(self) -> str:
        assert self._statistics is not None
        return self._statistics.guess(self._field.name, self._stream.source)


def set_column(schema: Any, options: ReaderOptions, source: str, *, typed: bool) -> int:
    """Return the position of the column of sets: the named one, or the only likely one.

    Otherwise raise an error that asks.
    """
    names, wanted = schema.names, options.sets
    kinds = (
        ", ".join(f"'{shorten(field.name)}' ({shorten(field.type)})" for field in schema) if typed else listed(names)
    )
    if wanted is not None and wanted not in names:
        raise DataError(f"{source} has no column '{wanted}'{did_you_mean(wanted, names)}: it has {kinds or 'none'}.")
    lists = [at for at, field in enumerate(schema) if is_list(field.type)]
    texts = [at for at, field in enumerate(schema) if is_text(field.type)]
    if wanted is not None:
        at: int = names.index(wanted)
        if at in lists and options.item_delimiter is not None:
            raise OptionError(
                f"item_delimiter= is for strings, but column '{wanted}' of {source} holds lists: leave it out."
            )
        if at in lists or (at in texts and (not typed or options.item_delimiter is not None)):
            return at
        remedy = "pass item_delimiter= to split them" if at in texts else "make it a list column"
        got = "strings" if at in texts else shorten(schema.field(at).type)
        raise DataError(f"{source}: column '{wanted}' must hold lists of items, got {got}: {remedy}.")
    long = "if every row is one item of a record, pass id_column= and item_column="
    if typed and options.item_delimiter is None:
        if len(lists) != 1:
            count = "no list column" if not lists else f"{len(lists)} list columns"
            remedy = f"make the sets a list column; {long}" if not lists else "pass sets='NAME'"
            raise DataError(f"{source} has {count} ({kinds or 'no columns'}): {remedy}.")
        return lists[0]
    if typed:
        if len(texts) != 1:
            raise DataError(f"{source} has {len(texts)} columns of strings ({listed(names)}): pass sets='NAME'.")
        return texts[0]
    likely = [at for at, name in enumerate(names) if name.strip().lower() in SET_NAMES]
    if len(likely) == 1 or len(names) == 1:
        return likely[0] if likely else 0
    raise DataError(
        f"{source}: which column holds the sets? It has {listed(names)}: pass sets='NAME' ({long}; if every line is a "
        f"set, pass format='basket')."
    )


def set_cells(rows: Transactions, item_delimiter: str | None, kind: Any, format: str) -> Any:
    """Return sets as an Arrow array of lists or, with a delimiter, of texts."""
    if item_delimiter is not None:
        check_items(rows.used_labels, item_delimiter, format)
        return joined(label_lists(rows), item_delimiter).cast(kind)
    return label_lists(rows).cast(kind)


def set_position(before: tuple[str, ...] | None, others: list[str]) -> int:
    """Return the position of the set column among the others, given those before it (None: it is the last).

    >>> set_position(("id", "age"), ["age", "income"])
    1
    """
    return len(others) if before is None else sum(name in before for name in others)


def arrow_table(dataset: Dataset) -> Any:
    """Return the columns other than the sets, as a pyarrow.Table."""
    import pyarrow as pa

    return pa.table({}) if dataset.table is None else dataset.table.arrow
