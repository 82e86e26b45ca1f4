"""Layout: how a format lays out sets in a file. A format is one class; its fields are its options.

::

    Layout
    ├── TextLayout     lines of UTF-8
    │   ├── Fimi · Basket · Long · Jsonl
    │   └── Csv ── Tsv
    └── ArrowLayout    Parquet · Feather

A layout that was read remembers what the file looked like, so that a release can be written the same way. Those that
are tabular can be read and written without sets; data with several columns of sets are such a table from which
:mod:`shoal.io.several` takes the sets, and into which it puts them back.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import IO, Any, ClassVar, Self

from shoal.data import Dataset, Origin, Table, Transactions
from shoal.data.source_layout import SourceLayout
from shoal.errors import DataError, OptionError
from shoal.files import FileBytes
from shoal.io.coding import Batch, Encoder, Ragged
from shoal.io.messages import listed, shown
from shoal.io.read_options import ReadOptions

Put = Callable[[Batch], None]
_OPTIONS = ("column", "item_delimiter", "delimiter", "id_column", "item_column")  # those that describe a layout
_OF_FILES = (*_OPTIONS, "header", "escaped_formulas")


@dataclass(frozen=True, kw_only=True)
class ReaderOptions(ReadOptions):
    """The options as a reader or writer gets them: for one column of sets at most."""

    column: str | None = None
    item_delimiter: str | None = None
    columns: tuple[str, ...] = ()  # of sets, if there may be several
    source: str = "the data"  # its name, for messages
    sure: bool = False  # the format was named, not guessed: it is not called in question

    def layout(self) -> dict[str, Any]:
        """The options that describe a layout, where given."""
        fields = type(self).__dataclass_fields__
        return {name: value for name in _OF_FILES if (value := getattr(self, name)) != fields[name].default}

    @property
    def named(self) -> frozenset[str]:
        """The columns that the user named."""
        return frozenset(filter(None, (self.column, self.id_column, self.item_column, *self.columns)))

    def encode(self, rows: Ragged | Iterable[Ragged]) -> Transactions:
        """Code the rows, which may come in parts, as the user wants them."""
        encoder = self.encoder()
        for part in rows.parts() if isinstance(rows, Ragged) else rows:
            encoder.add(part)
        self.tell_missing(encoder.dropped)
        return encoder.transactions()

    def encoder(self) -> Encoder:
        """For rows that come one after the other."""
        return Encoder(multiset=self.multiset, drop_items=self.drop_items)

    def tell_missing(self, there: set[str]) -> None:
        """Warn of items to be dropped that are not there."""
        for label in self.drop_items:
            if label not in there:
                warnings.warn(f"drop_items: {shown(label)} does not occur in {self.source}.", stacklevel=2)


@dataclass(frozen=True)
class SetColumn:
    """One of several columns of sets, and how its cells are written."""

    name: str
    item_delimiter: str = "|"  # where cells are text
    list_type: Any = None  # where cells are lists: a pyarrow type; None: list<string>


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout(SourceLayout, ABC):
    """A file format, and how one file uses it."""

    format: ClassVar[str]
    about: ClassVar[str]  # one line for the help
    suffixes: ClassVar[tuple[str, ...]] = ()  # of file names; the first format that has one is the likeliest for it
    tabular: ClassVar[bool] = False  # it can hold a table without sets
    without_sets: bool = False

    @classmethod
    @abstractmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """The data of a file."""

    @property
    def marks(self) -> str:
        """The characters that separate items, or could be taken for that: new labels avoid them."""
        return ""

    @abstractmethod
    def columns(self, table: Any) -> Any:
        """The other columns (a pyarrow.Table) as they will stand in the file; refuses what cannot be held."""

    @abstractmethod
    def writer(self, sink: IO[bytes], columns: Any) -> AbstractContextManager[Put]:
        """A function that writes a batch; ``columns`` is what :meth:`columns` returned, or None."""

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Ragged, SetColumn]:
        """The sets in a column of a table that was read without sets."""
        raise NotImplementedError

    @classmethod
    def cells(cls, rows: Transactions, column: SetColumn, *, fixed: bool) -> tuple[Any, SetColumn, list[str]]:
        """Sets as an Arrow column of the table to be written, how they stand there, and remarks.

        ``fixed``: the item delimiter must not be changed.
        """
        return list_cells(rows, column), column, []

    @classmethod
    def check_options(cls, given: dict[str, Any]) -> None:
        """Refuse options that this format does not have or cannot use."""
        known = {field.name for field in fields(cls)}
        for name, value in given.items():
            flag = ("--no-" if value is False else "--") + name.replace("_", "-")
            if name not in known:
                raise OptionError(f"Format {cls.format} has no option {flag}: leave it out, or pass another --format.")
            if "delimiter" in name and (not value or any(mark in value for mark in '"\r\n')):
                raise OptionError(f"{flag} must be text without quotes or line ends, such as ',', got {shown(value)}.")

    def with_options(self, given: dict[str, Any]) -> Self:
        """The same layout with some options changed."""
        self.check_options(given)
        for name in ("column", "item_delimiter"):
            if self.without_sets and name in given:
                raise OptionError(f"{name} is for data with one column of sets: leave it out.")
        changed = {field.name: getattr(self, field.name) for field in fields(self)} | given
        return type(self)(**changed)

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """The layout with which the data can be written, and remarks; options that the user gave are not changed."""
        return self, []

    def read_options(self) -> dict[str, Any]:
        """The options with which a file of this layout is read for certain."""
        known = {field.name for field in fields(self)}
        options: dict[str, Any] = {name: getattr(self, name) for name in _OPTIONS if name in known}
        if self.without_sets:
            options |= {"column": None, "item_delimiter": None, "sets": False}
        return {"format": self.format} | {name: value for name, value in options.items() if value is not None}

    def dataset(self, file: FileBytes, rows: Transactions, table: Any = None) -> Dataset:
        """The data that were read, with their origin."""
        if len(rows) == 0:
            raise DataError(f"{file.path} holds no records: is this the right file?")
        beside = None if table is None or not table.column_names else Table(table)
        return Dataset(rows, beside, Origin(file.path.name, file.sha256, self, path=file.path))


def list_cells(rows: Transactions, column: SetColumn) -> Any:
    """Sets as an Arrow array of lists."""
    import pyarrow as pa

    batch = Batch.of(rows.indptr, rows.items, rows.labels, None, 0)
    return batch.lists(batch.labels).cast(column.list_type or pa.list_(pa.string()))


def set_position(before: tuple[str, ...] | None, others: list[str]) -> int:
    """Where the set column stands among the others, given those that stood before it (None: last).

    >>> set_position(("id", "age"), ["age", "income"])
    1
    """
    return len(others) if before is None else sum(name in before for name in others)


def refuse_columns(format: str, table: Any) -> None:
    """For formats that hold nothing but sets."""
    if table is not None and table.column_names:
        raise DataError(
            f"Format {format} holds sets only, but the data have the columns {listed(table.column_names)}: "
            f"write csv, jsonl, parquet or feather, or leave the columns out (--columns none)."
        )
