"""Parts: the files of a folder or glob as one stream. All must have the same columns. Their folders may add more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from shoal.data.arrow import is_list
from shoal.errors import DataError, did_you_mean
from shoal.io.format import Format, GuessedWrong, ReaderOptions
from shoal.io.messages import shorten
from shoal.io.source import Source, SourceFile
from shoal.io.stream import Stream, one_after_the_other, with_start

_INTEGER = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)


def open_parts(source: Source, format: type[Format], options: ReaderOptions) -> tuple[Format, Stream]:
    """Return the records of all parts, one after the other. All parts must have the same columns."""
    first, *others = source.parts
    schema = options.schema
    options = replace(options, one_of_several=source.several, schema=None)  # a part guesses without the schema
    own, stream = format.open(first, options)
    _, stream = with_start(stream)  # errors in the first line come before questions about columns
    if not source.several:
        return own, stream
    types = _partition_types(source.partitions)
    stream = _with_partition(stream, first, types)
    wanted = replace(stream, schema=schema or stream.schema)

    def opened() -> Iterator[Stream]:
        for part in others:
            yield _with_partition(format.open(part, options)[1], part, types)

    def streams() -> Iterator[tuple[str, Stream]]:
        yield first.label, _same_columns(stream, wanted)
        for part, more in zip(others, opened(), strict=True):
            try:
                yield part.label, _same_columns(more, wanted)
            except _OnlyNulls:
                kinds = reduce(_known_types, (one.schema for one in opened()), wanted.schema)
                raise GuessedWrong(replace(options, schema=kinds)) from None

    return own, one_after_the_other(streams(), wanted.schema, source.name)


class _OnlyNulls(Exception):
    """A column holds only nulls in the first part, so its type is that of another part."""


def _known_types(schema: Any, other: Any) -> Any:
    """Return the schema, with the types of another schema for columns of nulls."""
    import pyarrow as pa

    kinds = {field.name: field.type for field in other}
    return pa.schema(
        [field.with_type(kinds[field.name]) if _holds_nulls(field.type) else field for field in schema]
        if set(kinds) >= set(schema.names)
        else schema
    )


def _holds_nulls(kind: Any) -> bool:
    """Whether the values of an Arrow type are nulls or lists of nulls."""
    import pyarrow as pa

    return bool(pa.types.is_null(kind) or (is_list(kind) and pa.types.is_null(kind.value_type)))


def _partition_types(partitions: Iterable[Mapping[str, str | None]]) -> dict[str, Any]:
    """Return the Arrow types of columns that folders name: integers, if all values are."""
    import pyarrow as pa

    values: dict[str, set[str]] = {}
    for partition in partitions:
        for name, value in partition.items():
            values.setdefault(name, set()).update([] if value is None else [value])
    whole = {name for name, texts in values.items() if all(map(_INTEGER.fullmatch, texts))}
    return {name: pa.int64() if name in whole else pa.string() for name in values}


def _with_partition(stream: Stream, part: SourceFile, types: dict[str, Any]) -> Stream:
    """Return the records of a part, with the columns that its folders name."""
    import pyarrow as pa

    if not types:
        return stream
    clash = [name for name in types if name in stream.schema.names]
    if clash:
        raise DataError(
            f"{part.name}: column '{shorten(clash[0])}' is in the file and in the name of its folder: rename one."
        )
    schema = pa.schema([*stream.schema, *types.items()])

    def batches() -> Iterator[Any]:
        for batch in stream.batches:
            values = [pa.scalar(part.partition[name]).cast(kind) for name, kind in types.items()]
            columns = [pa.repeat(value, batch.num_rows) for value in values]
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    return replace(stream, schema=schema, batches=batches())


def _same_columns(stream: Stream, first: Stream) -> Stream:
    """Return a part with its columns in the order of the first part. Refuse other columns."""
    import pyarrow as pa

    names, wanted = stream.schema.names, first.schema.names
    for name in (*wanted, *names):
        if name not in names or name not in wanted:
            has, lacks = (first.source, stream.source) if name in wanted else (stream.source, first.source)
            hint = did_you_mean(name, names if name in wanted else wanted)
            raise DataError(
                f"{has} has the column '{shorten(name)}', but {lacks} does not{hint}: give all parts the same columns."
            )
        one, other = first.schema.field(name).type, stream.schema.field(name).type
        if one != other and _holds_nulls(one) and not _holds_nulls(other):
            raise _OnlyNulls
        if one != other and not _holds_nulls(other):
            raise DataError(
                f"Column '{shorten(name)}' is {shorten(other)} in {stream.source}, but {shorten(one)} in "
                f"{first.source}: give all parts the same types."
            )
    if stream.schema.equals(first.schema):
        return stream

    def batches() -> Iterator[Any]:
        for batch in stream.batches:
            columns = [batch.column(field.name).cast(field.type) for field in first.schema]
            yield pa.RecordBatch.from_arrays(columns, schema=first.schema)

    return replace(stream, schema=first.schema, batches=batches())
