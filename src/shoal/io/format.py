"""Format: how a kind of file holds records. Formats turn a file into record batches, and batches into a file.

::

    Format
    ├── TextFormat      Fimi · Basket · Csv ── Tsv · Jsonl
    ├── ArrowFormat     Parquet · Feather
    └── FrameFormat     PandasFormat · PolarsFormat      (in memory)

A format knows nothing about sets, ids or joins: a column of lists is an ordinary column. :mod:`shoal.io.layout` knows
where the sets are among the columns. The fields of a format describe one file, so that a release can be written the
same way.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import IO, Any, ClassVar, Self

from shoal.data.transactions import Transactions
from shoal.errors import DataError, OptionError
from shoal.io.messages import listed, shorten, shown
from shoal.io.read_options import ReadOptions
from shoal.io.source import SourceFile
from shoal.io.stream import Stream

Put = Callable[[Any], None]  # writes an encoded pyarrow.RecordBatch
OF_FORMATS = ("delimiter", "header", "escaped_formulas")  # reading options that not every format has
OF_LONG_TABLES = ("id_column", "item_column", "quantity_column", "drop_null_items", "keep_ids")
OF_TABLES = ("sets", "item_delimiter", "person", *OF_LONG_TABLES)


@dataclass(frozen=True, kw_only=True)
class ReaderOptions(ReadOptions):
    """The options as a reader gets them, for at most one column of sets."""

    sets: str | None = None
    item_delimiter: str | None = None
    columns: tuple[str, ...] = ()  # the columns of sets, if there may be several
    wanted: tuple[str, ...] = ()  # other columns that the user named
    source: str = "the data"  # its name, for messages
    one_of_several: bool = False  # the file is a part of a source, so it may hold no records
    schema: Any = None  # pyarrow.Schema of all parts of a source, if a first pass has shown that they differ
    sure: bool = False  # the user named the format, so it is not questioned
    guess: Any = None  # the result of a first pass over the whole file: a delimiter, or types

    @property
    def named(self) -> frozenset[str]:
        """Return the columns that the user named."""
        ids = [part.strip() for name in self.id_columns for part in (name, *name.split(","))]
        one = (self.sets, self.item_column, self.quantity_column, self.person)
        return frozenset(filter(None, (*one, *ids, *self.columns, *self.wanted)))

    @property
    def id_columns(self) -> tuple[str, ...]:
        """Return the columns that together identify a record."""
        given = self.id_column
        return () if given is None else (given,) if isinstance(given, str) else given

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Return those of these options that differ from their defaults."""
        fields = type(self).__dataclass_fields__
        return {name: value for name in names if (value := getattr(self, name)) != fields[name].default}

    def tell_missing(self, there: Iterable[str]) -> None:
        """Warn about items to drop that do not occur."""
        there = set(there)
        for label in self.drop_items:
            if label not in there:
                warnings.warn(f"drop_items=: {shown(label)} does not occur in {self.source}.", stacklevel=2)


class GuessedWrong(Exception):
    """The end of a file shows that a guess from its start was wrong. It must be read again with these options."""

    def __init__(self, options: ReaderOptions) -> None:
        super().__init__("read it again")
        self.options = options


@dataclass(frozen=True, kw_only=True, eq=False)
class Format(ABC):
    """A file format, and how one file uses it."""

    format: ClassVar[str]
    about: ClassVar[str]  # one line for the help
    suffixes: ClassVar[tuple[str, ...]] = ()  # of file names; the first format with a suffix is its default
    tabular: ClassVar[bool] = False  # it has columns; otherwise it holds only one set per record
    lists: ClassVar[bool] = True  # a cell can be a list; otherwise sets are texts with a delimiter

    @classmethod
    @abstractmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Return the description of the file, and its records."""

    @abstractmethod
    def writer(self, sink: IO[bytes], schema: Any) -> AbstractContextManager[Put]:
        """Return a function that writes a record batch of this schema, after it was :meth:`encoded`."""

    def encoded(self, batch: Any) -> Any:
        """Return a record batch in the form in which it is written. Several threads may do this at once."""
        return batch

    @property
    def encodes(self) -> bool:
        """Whether it takes time to encode a batch, so that several threads should do it."""
        return type(self).encoded is not Format.encoded

    def encoded_sets(self, rows: Transactions) -> Any:
        """Return sets in the form in which they are written, for formats that hold nothing else."""
        raise NotImplementedError

    @property
    def marks(self) -> str:
        """Return the characters that separate items or may be mistaken for separators. New labels avoid them."""
        return ""

    @property
    def has_index(self) -> bool:
        """Whether the records have an index that is not a column, as in a data frame."""
        return False

    def without_index(self) -> Self:
        """Return the format without an index, because the records are in another order now."""
        return self

    def without_rows(self) -> Self:
        """Return the format without anything that was read."""
        return self

    def prepared(self, table: Any) -> Any:
        """Return the other columns (a pyarrow.Table) in a form that this format can write.

        Refuse what it cannot hold.
        """
        if table.column_names:
            raise DataError(
                f"Format {self.format} holds only sets, but the data have the columns {listed(table.column_names)}: "
                f"write csv, jsonl, parquet or feather, or leave the columns out with columns='none'."
            )
        return table

    def check_labels(self, labels: Iterable[str]) -> None:
        """Refuse items that cannot be the only text of a cell."""
        return

    def for_columns(self, names: list[str]) -> tuple[Self, list[str]]:
        """Return the format that can be written with columns of these names, and remarks."""
        return self, []

    def read_options(self) -> dict[str, Any]:
        """Return the options with which a file of this description is read exactly."""
        return {"format": self.format}

    @classmethod
    def check_options(cls, given: dict[str, Any]) -> None:
        """Refuse options that this format does not have or cannot use."""
        known = {field.name for field in fields(cls)}
        for name, value in given.items():
            argument = f"{name}={value if isinstance(value, bool) else ''}"
            if name in OF_FORMATS and name not in known:
                raise OptionError(
                    f"Format {cls.format} has no option {argument}: leave it out, or pass another format=."
                )
            if name in OF_TABLES and not cls.tabular:
                raise OptionError(
                    f"Format {cls.format} has no option {argument}: leave it out, or pass another format=."
                )
            if "delimiter" in name:
                check_delimiter(argument, value)

    def with_options(self, given: dict[str, Any]) -> Self:
        """Return the format with some options changed."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**own | {name: value for name, value in given.items() if name in own})


def check_delimiter(argument: str, value: str) -> None:
    """Refuse a text that cannot separate anything."""
    if not value or any(mark in value for mark in '"\r\n'):
        raise OptionError(f"{argument} must be text without quotes or line ends, such as ',', got {shown(value)}.")


def unnamed(position: int) -> str:
    """Return what a column without a name is called.

    >>> unnamed(0)
    '(column 1)'
    """
    return f"(column {position + 1})"


def refuse_doubles(names: Iterable[str], where: str) -> None:
    """Refuse columns with the same name."""
    names = list(names)
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{where}: column '{shorten(double)}' occurs twice: rename one.")
