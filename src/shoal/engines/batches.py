"""Record batches that may be larger than memory: beyond a part of the limit, they are in a file that has no name.

The file is an Arrow stream. It is written, not mapped, so that a full disk is an error and not a crash. Then it is
mapped, and the columns of the table point into it.
"""

from __future__ import annotations

import io
import mmap
import sys
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from shoal.engines.storage import SHARE, open_scratch, write_scratch

_MAPPED: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()  # the files that tables in use point into


class CollectedBatches:
    """Record batches of one schema that become a table.

    Parameters
    ----------
    schema
        The pyarrow.Schema of the batches.
    memory
        The limit on memory for all data, in bytes.
    folder
        Where the file is made. None: the system's temporary folder.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [31, 34], "city": ["Lyon", None]})
    >>> columns = CollectedBatches(table.schema, memory=64)
    >>> columns.extend(table.to_batches(max_chunksize=1))
    >>> columns.table().equals(table)
    True
    """

    def __init__(self, schema: Any, memory: int, folder: Path | None = None) -> None:
        self._schema, self._limit, self._folder = schema, memory // SHARE, folder
        self._batches: list[Any] = []
        self._bytes = 0
        self._file: IO[bytes] | None = None
        self._writer: Any = None

    def append(self, batch: Any) -> None:
        """Add a batch at the end."""
        self._bytes += batch.nbytes
        if self._file is None and self._bytes <= self._limit:
            self._batches.append(batch)
            return
        if self._file is None:
            import pyarrow as pa

            self._file = open_scratch(self._folder)
            self._writer = pa.ipc.new_stream(_Sink(self._file, self._folder), self._schema)
            for earlier in self._batches:
                self._writer.write_batch(earlier)
            self._batches = []
        self._writer.write_batch(batch)

    def extend(self, batches: Iterable[Any]) -> None:
        """Add several batches."""
        for batch in batches:
            self.append(batch)

    def table(self) -> Any:
        """Return all batches as a pyarrow.Table. Nothing can be added afterwards."""
        import pyarrow as pa

        batches, self._batches = self._batches, []
        if self._file is not None:
            self._writer.close()
            with self._file as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            _MAPPED.add(mapped)
            batches = list(pa.ipc.open_stream(pa.py_buffer(mapped)))
            release_batches()
        return pa.Table.from_batches(batches, self._schema)


class _Sink(io.RawIOBase):
    """What Arrow writes to. A full disk is a clear error."""

    def __init__(self, file: IO[bytes], folder: Path | None) -> None:
        self._file, self._folder = file, folder

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return write_scratch(self._file, data, self._folder)


def release_batches() -> None:
    """Let go of the memory that holds columns of mapped tables, and of what Arrow keeps of columns that are gone.

    Mapped columns are read again when needed.
    """
    for mapped in list(_MAPPED):
        if hasattr(mapped, "madvise"):
            mapped.madvise(mmap.MADV_DONTNEED)
    if (pool := getattr(sys.modules.get("pyarrow"), "default_memory_pool", None)) is not None:
        pool().release_unused()  # None: it is not loaded, or another thread is importing it
