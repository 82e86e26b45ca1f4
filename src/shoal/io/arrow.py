"""Parquet and Feather (Arrow IPC): a list column of sets, other columns untouched.

Items are strings or integers, dictionary-encoded or not; they are written as strings, because a published label may be
any text. A null list is an empty row, and is written as an empty list. Metadata of the input are not published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, ClassVar

import numpy as np

from shoal.data import Dataset, Transactions
from shoal.errors import DataError, did_you_mean
from shoal.files import FileBytes
from shoal.io.clean import clean
from shoal.io.coding import Batch, Ragged
from shoal.io.grid import unnamed
from shoal.io.layout import Layout, Put, ReaderOptions, SetColumn, set_position
from shoal.io.messages import shorten


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrowLayout(Layout):
    """A columnar file with one list column."""

    tabular: ClassVar[bool] = True
    column: str = "items"
    before: tuple[str, ...] | None = None  # the columns before the list column; None: all
    list_type: Any = None  # pyarrow type of the list column; None: list<string>

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Read the table and find the list column."""
        import pyarrow as pa

        try:
            table = cls.read_table(pa.BufferReader(file.data))
            names = [name if name.strip() else unnamed(at) for at, name in enumerate(table.column_names)]
            table = table.rename_columns(names)
            table.validate(full=True)  # Arrow trusts what a file says: a damaged one would end the process
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).strip().split("\n")[0]
            raise DataError(f"{file.path} is not a {cls.format} file ({reason}): pass another --format.") from None
        except DataError as error:
            raise DataError(f"{file.path}: {error}") from None
        if not options.sets:
            return cls(without_sets=True).dataset(file, Transactions.nothing(table.num_rows), table)
        position = list_column(table.schema, options.column, str(file.path))
        field = table.schema.field(position)
        layout = cls(
            column=field.name,
            before=tuple(table.column_names[:position]),
            list_type=text_list_type(field.type),
        )
        rows = options.encode(ragged_column(table.column(position), f"{file.path}, column '{field.name}'"))
        return layout.dataset(file, rows, table.remove_column(position))

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Ragged, SetColumn]:
        """Lists."""
        column = table.column(list_column(table.schema, name, source))
        return ragged_column(column, f"{source}, column '{shorten(name)}'"), SetColumn(
            name, list_type=text_list_type(column.type)
        )

    @classmethod
    def read_table(cls, source: Any) -> Any:
        """The pyarrow.Table in a file."""
        raise NotImplementedError

    def columns(self, table: Any) -> Any:
        """All columns can be held; what is not a value of theirs stays behind."""
        if self.column in table.column_names and not self.without_sets:
            raise DataError(f"Column '{self.column}' is there already: pass another --column for the sets.")
        return clean(table)

    @contextmanager
    def writer(self, sink: IO[bytes], columns: Any) -> Iterator[Put]:
        """Write each batch as a row group or record batch."""
        import pyarrow as pa

        schema = pa.schema([]) if columns is None else columns.schema
        at = set_position(self.before, schema.names)
        list_type = self.list_type or pa.list_(pa.string())
        if not self.without_sets:
            schema = schema.insert(at, pa.field(self.column, list_type))
        with self.table_writer(sink, schema) as target:

            def put(batch: Batch) -> None:
                arrays = [] if batch.columns is None else list(batch.columns.columns)
                if not self.without_sets:
                    arrays.insert(at, batch.lists(batch.labels).cast(list_type))
                target.write_table(pa.table(arrays, schema=schema))

            yield put

    def table_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """A context manager with ``write_table``."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, eq=False)
class Parquet(ArrowLayout):
    """Apache Parquet."""

    format: ClassVar[str] = "parquet"
    about: ClassVar[str] = "Apache Parquet with a list column; other columns pass through (.parquet)"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    @classmethod
    def read_table(cls, source: Any) -> Any:
        """Through pyarrow.parquet."""
        import pyarrow.parquet as pq

        refuse_doubles(pq.read_schema(source).names)  # which read_table would not read
        source.seek(0)
        return pq.read_table(source)

    def table_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """Through pyarrow.parquet."""
        import pyarrow.parquet as pq

        return pq.ParquetWriter(sink, schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class Feather(ArrowLayout):
    """Feather version 2, which is the Arrow IPC file format."""

    format: ClassVar[str] = "feather"
    about: ClassVar[str] = "Feather or Arrow IPC with a list column; other columns pass through (.feather, .arrow)"
    suffixes: ClassVar[tuple[str, ...]] = (".feather", ".arrow")

    @classmethod
    def read_table(cls, source: Any) -> Any:
        """The file format, or the stream format, which also goes by the name .arrow."""
        import pyarrow as pa

        start = source.read(6)
        source.seek(0)
        table = (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(source).read_all()
        refuse_doubles(table.column_names)
        return table

    def table_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """With the compression that is Feather's default."""
        import pyarrow as pa

        return pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))


def refuse_doubles(names: Sequence[str]) -> None:
    """Columns must be told apart by their names."""
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"column '{shorten(name)}' is there twice: rename one.")


def is_list(kind: Any) -> bool:
    """Whether an Arrow type is a list of any kind."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def list_column(schema: Any, wanted: str | None, name: str) -> int:
    """The position of the list column: the one that is wanted, or the only one."""
    names = schema.names
    listed = ", ".join(f"'{shorten(field.name)}' ({shorten(field.type)})" for field in schema) or "no columns"
    if wanted is not None and wanted not in names:
        raise DataError(f"{name} has no column '{wanted}'{did_you_mean(wanted, names)}: it has {listed}.")
    lists = [i for i in range(len(names)) if is_list(schema.field(i).type)]
    if wanted is not None:
        position: int = names.index(wanted)
        if position not in lists:
            kind = schema.field(position).type
            raise DataError(
                f"{name}: column '{wanted}' must hold lists of items, got {shorten(kind)}: make it a list column."
            )
        return position
    if len(lists) != 1:
        count_text = "no list column" if not lists else f"{len(lists)} list columns"
        remedy = "make the sets a list column" if not lists else "pass --column"
        raise DataError(f"{name} has {count_text} ({listed}): {remedy}.")
    return lists[0]


def ragged_column(column: Any, name: str) -> Ragged:
    """The lists of a column as labels; refuses items that are neither strings nor integers."""
    import pyarrow as pa

    kind = column.type.value_type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_fixed_size_list(column.type):
        column = column.cast(pa.list_(column.type.value_type))
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not (text or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        raise DataError(f"{name}: items must be strings or integers, got {shorten(kind)}: convert them to strings.")
    rows = Ragged.from_lists(column)
    if rows.values.null_count:
        at = int(np.argmax(rows.values.is_null().to_numpy(zero_copy_only=False)))
        row = int(np.searchsorted(rows.indptr, at, side="right"))
        raise DataError(f"{name}, row {row}: an item is null: remove it, or give it a label.")
    return rows


def text_list_type(kind: Any) -> Any:
    """The type to write a list column with: the same where it held strings."""
    import pyarrow as pa

    value = pa.large_string() if pa.types.is_large_string(kind.value_type) else pa.string()
    return pa.large_list(value) if pa.types.is_large_list(kind) else pa.list_(value)
