"""Stream: record batches as they are read. Formats turn a file into one, and every stage takes and returns one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from shoal.engines import current


@dataclass(frozen=True, eq=False)
class Stream:
    """Record batches of one schema, read on demand."""

    schema: Any  # pyarrow.Schema
    batches: Iterator[Any]  # pyarrow.RecordBatch; can be consumed once
    source: str  # the path, for messages
    place: Callable[[int], str]  # where record r (from 0, over all batches) is: "line 12", "row 7"
    joined: Mapping[str, str] = field(default_factory=dict)  # the file of each column that a join has added

    def table(self) -> Any:
        """Return all batches as a pyarrow.Table, which may be larger than memory."""
        columns = current().collect_batches(self.schema)
        columns.extend(self.batches)
        return columns.table()


def nth_row(row: int) -> str:
    """Return where a record is in a source without lines."""
    return f"row {row + 1}"


def with_start(stream: Stream, rows: int = 1) -> tuple[Any, Stream]:
    """Return at least the first rows of a stream as a table, and the stream from its start."""
    import pyarrow as pa

    start: list[Any] = []
    while sum(map(len, start)) < rows and (batch := next(stream.batches, None)) is not None:
        start.append(batch)
    table = pa.Table.from_batches(start, stream.schema)
    return table, replace(stream, batches=chain(start, stream.batches))


def one_after_the_other(parts: Iterable[tuple[str, Stream]], schema: Any, source: str) -> Stream:
    """Return the records of several named parts of a source. All parts have this schema."""
    starts: list[tuple[int, str, Stream]] = []  # the number of records before each part

    def batches() -> Iterator[Any]:
        rows = 0
        for name, stream in parts:
            starts.append((rows, name, stream))
            for batch in stream.batches:
                rows += batch.num_rows
                yield batch

    def place(row: int) -> str:
        start, name, stream = next(part for part in reversed(starts) if part[0] <= row)
        return f"file {name}, {stream.place(row - start)}"

    return Stream(schema, batches(), source, place)
