"""Reads all rows of a file as they are, without looking for sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from shoal.errors import DataError
from shoal.io.detect import TABULAR, format_of
from shoal.io.format import GuessedWrong, ReaderOptions
from shoal.io.messages import no_column
from shoal.io.parts import open_parts
from shoal.io.source import Source
from shoal.io.stream import Stream

Result = TypeVar("Result")


def read_table(
    source: str | os.PathLike[str] | Source, columns: Collection[str] | None = None, named: Collection[str] = ()
) -> Any:
    """Return all rows of a file, folder or glob as a pyarrow.Table, or only some columns.

    ``named`` lists columns that the header must have, so that the header is not questioned.
    """
    parts = source if isinstance(source, Source) else Source.of(source)
    format = format_of(parts)
    if not format.tabular:
        raise DataError(f"{parts.name} is read as {format.format}, which has no columns: wanted {TABULAR}.")
    options = ReaderOptions(no_sets=True, source=parts.name, wanted=(*named, *(columns or ())))
    return until_sure(lambda options: _selected(open_parts(parts, format, options)[1], columns), parts, options)


def _selected(stream: Stream, columns: Collection[str] | None) -> Any:
    """Return some columns of a stream as a table, without keeping the others in memory."""
    import pyarrow as pa

    for name in columns or ():
        if name not in stream.schema.names:
            raise no_column(name, stream.schema.names, stream.source)
    if columns is None:
        return stream.table()
    batches = (batch.select(list(columns)) for batch in stream.batches)
    schema = pa.schema([stream.schema.field(name) for name in columns])
    return replace(stream, schema=schema, batches=batches).table()


def until_sure(read: Callable[[ReaderOptions], Result], source: Source, options: ReaderOptions) -> Result:
    """Read a source. Read it again if its start led to a wrong guess.

    A folder may need two repetitions: one for the types of its parts, and one for the types inside a part.
    """
    for _ in range(3):
        try:
            return read(options)
        except GuessedWrong as wrong:
            options = wrong.options
        if not all(part.can_be_read_again for part in source.parts):
            raise DataError(
                f"{source.parts[0].name}: its start and its end suggest different delimiters or types, and it can be "
                f"read only once: save it as a file and read that, or pass delimiter= or item_delimiter=."
            )
    raise DataError(
        f"{source.name}: its start and its end suggest different delimiters or types: pass delimiter= or "
        f"item_delimiter=, or give all parts the same."
    )
