"""Parquet and Feather (Arrow IPC), through pyarrow. Metadata of the input are not published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, ClassVar, Self

from shoal.errors import DataError
from shoal.io.clean import clean
from shoal.io.format import Format, Put, ReaderOptions, refuse_doubles, unnamed
from shoal.io.source import SourceFile
from shoal.io.stream import Stream, nth_row

_ROWS = 1 << 17  # rows that are read at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrowFormat(Format):
    """A columnar file with typed columns."""

    tabular: ClassVar[bool] = True

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Read the schema now, and the batches later."""
        import pyarrow as pa

        with _refused(cls, file):
            schema, batches = cls.read_batches(file.whole())
            _look_at_names(schema)
        refuse_doubles(schema.names, file.name)
        names = [name if name.strip() else unnamed(at) for at, name in enumerate(schema.names)]
        schema = pa.schema([field.with_name(name).remove_metadata() for field, name in zip(schema, names, strict=True)])
        return cls(), Stream(schema, cls._checked(batches, schema, file), file.name, nth_row)

    @classmethod
    def _checked(cls, batches: Iterator[Any], schema: Any, file: SourceFile) -> Iterator[Any]:
        """Validate each batch. Arrow trusts its input, so a damaged file would crash the process."""
        import pyarrow as pa

        with _refused(cls, file):
            for batch in batches:
                batch.validate(full=True)
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)

    @classmethod
    def read_batches(cls, source: Any) -> tuple[Any, Iterator[Any]]:
        """Return the schema of a file, and its record batches."""
        raise NotImplementedError

    def prepared(self, table: Any) -> Any:
        """Return the table without metadata. Any column can be written."""
        return clean(table)

    @contextmanager
    def writer(self, sink: IO[bytes], schema: Any) -> Iterator[Put]:
        """Write each batch as a row group or record batch."""
        with self.batch_writer(sink, schema) as target:
            yield target.write_batch

    def batch_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """Return a context manager with ``write_batch``."""
        raise NotImplementedError


def _look_at_names(fields: Iterable[Any]) -> None:
    """Raise UnicodeDecodeError for names that are not text, also in nested types. Arrow does not check them."""
    import pyarrow as pa

    for field in fields:
        kind, _ = field.type, field.name
        if pa.types.is_struct(kind) or pa.types.is_union(kind):
            _look_at_names(kind)
        elif hasattr(kind, "value_field"):  # a list of any kind
            _look_at_names([kind.value_field])
        elif pa.types.is_map(kind):
            _look_at_names([kind.key_field, kind.item_field])


@contextmanager
def _refused(kind: type[Format], file: SourceFile) -> Iterator[None]:
    """Name the damaged file in the error."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise DataError(
            f"{file.name} is not a {kind.format} file, or it is damaged ({reason}): get a complete copy, or pass "
            f"another format=."
        ) from None


@dataclass(frozen=True, kw_only=True, eq=False)
class Parquet(ArrowFormat):
    """Apache Parquet."""

    format: ClassVar[str] = "parquet"
    about: ClassVar[str] = "Apache Parquet: a column of lists, or one row per item of a record (.parquet)"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    @classmethod
    def read_batches(cls, source: Any) -> tuple[Any, Iterator[Any]]:
        """Read through pyarrow.parquet."""
        import pyarrow.parquet as pq

        file = pq.ParquetFile(source)
        return file.schema_arrow, file.iter_batches(_ROWS, use_threads=False)

    def batch_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """Write through pyarrow.parquet."""
        import pyarrow.parquet as pq

        return pq.ParquetWriter(sink, schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class Feather(ArrowFormat):
    """Feather version 2, which is the Arrow IPC file format."""

    format: ClassVar[str] = "feather"
    about: ClassVar[str] = "Feather or Arrow IPC, like Parquet (.feather, .arrow)"
    suffixes: ClassVar[tuple[str, ...]] = (".feather", ".arrow")

    @classmethod
    def read_batches(cls, source: Any) -> tuple[Any, Iterator[Any]]:
        """Read the file format, or the stream format, whose files may also end in .arrow."""
        import pyarrow as pa

        start = source.read(6)
        source.seek(0)
        if start != b"ARROW1":
            stream = pa.ipc.open_stream(source)
            return stream.schema, iter(stream)
        file = pa.ipc.open_file(source)
        return file.schema, (file.get_batch(at) for at in range(file.num_record_batches))

    def batch_writer(self, sink: IO[bytes], schema: Any) -> Any:
        """Write with Feather's default compression."""
        import pyarrow as pa

        return pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))
