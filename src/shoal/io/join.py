"""Columns of a second table, added to a stream by a left join (``--join``).

A key must be unique in the second table. So the join is a lookup: every record stays, in its order, with the columns of
its match or nulls. Acero's hash join is as fast but moves records without a match to the end (apache/arrow#37542), and
needs the whole left table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_text
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.messages import listed, shorten, shown
from shoal.io.stream import Stream

_LOOKUP = 2  # records that are looked up at a time, for each key: then building the table of keys costs little
_MOST_ROWS = 1 << 20  # that are looked up at a time
_SHAPE = "write FILE:KEY, or FILE:LEFT=RIGHT if the key has another name in FILE"


@dataclass(frozen=True)
class JoinSpec:
    """Which file to join, and by which columns."""

    file: str
    left: str  # the key's column in the data
    right: str  # the key's column in the file

    @classmethod
    def parse(cls, text: str) -> JoinSpec:
        """Read ``FILE:KEY`` or ``FILE:LEFT=RIGHT``. The file's name may contain colons and equals signs.

        >>> JoinSpec.parse("shop/day=3/products.csv:item=product_id")
        JoinSpec(file='shop/day=3/products.csv', left='item', right='product_id')
        """
        file, _, key = text.rpartition(":")
        if not file or "/" in key or "\\" in key:
            raise OptionError(f"Join {shown(text)} names no key: {_SHAPE}.")
        left, equals, right = key.partition("=")
        left, right = left.strip(), (right if equals else left).strip()
        if not left or not right or "=" in right:
            raise OptionError(f"Join {shown(text)} has the key {shown(key)}, which names no columns: {_SHAPE}.")
        return cls(file, left, right)


@dataclass
class JoinCount:
    """How many keys had no match. Complete when the joined stream has been consumed."""

    records: int = 0  # on the left
    unmatched: int = 0  # records whose key is not in the file
    without_key: int = 0  # records whose key is null or blank
    ignored: int = 0  # rows of the file whose key is null or blank
    _keys: list[Any] = field(default_factory=list, repr=False)  # arrays of unmatched keys, different within each

    @property
    def unmatched_keys(self) -> int:
        """The number of different keys that are not in the file."""
        self._merge()
        return len(self._keys[0]) if self._keys else 0

    @property
    def example(self) -> str | None:
        """The first key that is not in the file, shortened for a message."""
        self._merge()
        return shorten(self._keys[0][0].as_py()) if self._keys else None

    def remark(self, spec: JoinSpec, right_name: str) -> str:
        """One sentence on what had no match, or an empty text."""
        parts = []
        if self.unmatched:
            keys = f"{self.unmatched_keys:,} different keys, such as" if self.unmatched_keys > 1 else "key"
            parts.append(
                f"{self.unmatched:,} of {self.records:,} rows have no match in {right_name} by "
                f"'{shorten(spec.right)}' ({keys} {shown(self.example or '')})"
            )
        if self.without_key:
            parts.append(f"{self.without_key:,} of {self.records:,} rows have no '{shorten(spec.left)}'")
        if self.ignored:
            rows = "1 row" if self.ignored == 1 else f"{self.ignored:,} rows"
            parts.append(f"{rows} of {right_name} without '{shorten(spec.right)}' had to be ignored")
        return "; ".join(parts) + "." if parts else ""

    def add(self, keys: Any, index: Any) -> None:
        """Count a batch of keys, whose rows in the file are ``index``, null without a match."""
        import pyarrow.compute as pc

        self.records += len(keys)
        if not index.null_count:
            return
        missing = keys.filter(index.is_null())
        known = missing.filter(_is_key(missing))
        self.without_key += len(missing) - len(known)
        self.unmatched += len(known)
        if len(known):
            self._keys.append(pc.unique(known))
            if sum(map(len, self._keys[1:])) > len(self._keys[0]):  # so each key is merged a few times only
                self._merge()

    def _merge(self) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if len(self._keys) > 1:
            self._keys = [pc.unique(pa.concat_arrays(self._keys))]


def join(stream: Stream, right: Any, spec: JoinSpec, right_name: str) -> tuple[Stream, JoinCount]:
    """Add the columns of a table to a stream, by a left join.

    Text columns of ``right`` that are dictionary-coded stay so, which makes the join faster and its result smaller.

    Raises
    ------
    DataError
        A key column is missing, or cannot be compared with the other; a key occurs twice in ``right``; another column
        is on both sides.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    left_type = _type_of(stream.schema, spec.left, stream.source)
    right_type = _type_of(right.schema, spec.right, right_name)
    common = _common_type(left_type, right_type)
    if common is None:
        raise DataError(
            f"Join by '{shorten(spec.left)}': its type {left_type} in {stream.source} cannot be compared with the type "
            f"{right_type} of '{shorten(spec.right)}' in {right_name}: convert one of them to the other's type."
        )
    parse = any(map(_is_number, (left_type, right_type)))
    keys = _as_keys(right.column(spec.right), common, parse)
    usable = _is_key(keys)
    count = JoinCount(ignored=usable.false_count)
    if count.ignored:
        right, keys = right.filter(usable), keys.filter(usable)
    _check_unique(keys, spec.right, right_name)
    added = right.drop_columns([spec.right]).combine_chunks()
    if twice := [name for name in added.column_names if name in stream.schema.names]:
        raise DataError(
            f"Join by '{shorten(spec.left)}': {stream.source} and {right_name} both have {listed(twice)}: rename or "
            f"drop {'it' if len(twice) == 1 else 'them'} in one of the two."
        )
    fields = [one.with_nullable(True) for one in added.schema]
    schema = pa.schema([*stream.schema, *fields], metadata=stream.schema.metadata)
    place = stream.schema.names.index(spec.left)

    def joined() -> Iterator[pa.RecordBatch]:
        for group in _groups(stream.batches, _LOOKUP * len(keys)):
            left = pa.concat_arrays([_as_keys(batch.column(place), common, parse) for batch in group])
            index = pc.index_in(left, value_set=keys, skip_nulls=True)
            count.add(left, index)
            for batch in group:
                row, index = index.slice(0, len(batch)), index.slice(len(batch))
                columns = [_one_chunk(column.take(row)) for column in added.columns]
                yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    sources = {**stream.joined, **dict.fromkeys(added.column_names, right_name)}
    return replace(stream, schema=schema, batches=joined(), joined=sources), count


def _groups(batches: Iterator[Any], rows: int) -> Iterator[list[Any]]:
    """Batches in groups of so many rows or a few more, because each lookup builds its table of keys anew."""
    group, size = list[Any](), 0
    for batch in batches:
        group.append(batch)
        size += len(batch)
        if size >= min(rows, _MOST_ROWS):
            yield group
            group, size = [], 0
    if group:
        yield group


def _type_of(schema: Any, name: str, source: str) -> Any:
    """The type of a key's column, without dictionary coding."""
    import pyarrow as pa

    if name not in schema.names:
        raise DataError(
            f"Join by '{shorten(name)}': no such column{did_you_mean(name, schema.names)} in {source}, which has "
            f"{listed(schema.names)}."
        )
    kind = schema.field(schema.names.index(name)).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_number(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_null(kind))


def _common_type(left: Any, right: Any) -> Any:
    """The type in which keys of two types are compared, or None: integers as integers, other mixtures as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = {left, right}
    if all(map(pa.types.is_integer, kinds)) and pa.uint64() not in kinds:
        return pa.int64()
    if all(_is_number(kind) or _is_text(kind) for kind in kinds):
        return pa.large_string()
    if any(map(_is_text, kinds)) and pa.date32() in kinds:
        return pa.large_string()
    try:
        pc.index_in(pa.nulls(0, left), value_set=pa.nulls(0, left))
    except pa.ArrowException:  # lists, structs, extension types
        return None
    return left if left == right else None


def _as_keys(column: Any, common: Any, parse: bool) -> Any:
    """The keys of a column in the common type, as one array. ``parse``: texts are compared with numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    column, kind = _one_chunk(column), column.type
    if not pa.types.is_large_string(common):
        return column.cast(common)
    if pa.types.is_floating(kind):
        return _float_texts(column.cast(pa.float64()))
    texts = column.cast(common)
    if pa.types.is_integer(kind) or not parse or not pc.any(pc.match_substring(texts, ".")).as_py():
        return texts
    # 1004906.0 is the integer 1004906, and the decimal 1.50 is 1.5
    return pc.replace_substring_regex(texts, r"^(-?\d+)(?:\.0*|(\.\d*[1-9])0*)$", r"\1\2")


def _float_texts(floats: Any) -> Any:
    """Floats as text: those that are integers without a fraction, and NaN as null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing = pa.nulls(len(floats), pa.float64())
    floats = pc.if_else(pc.is_nan(floats), nothing, floats)
    fits = pc.less(pc.abs(floats), arrow_numbers(np.array([2.0**63]))[0])
    whole = pc.and_(fits, pc.equal(pc.trunc(floats), floats))
    integers = pc.if_else(whole, floats, nothing).cast(pa.int64(), safe=False).cast(pa.large_string())
    if integers.null_count == floats.null_count:
        return integers
    return pc.coalesce(integers, floats.cast(pa.large_string()))


def _is_key(keys: Any) -> Any:
    """Which keys are there: neither null nor blank."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_large_string(keys.type):
        return keys.is_valid()
    return pc.and_kleene(keys.is_valid(), pc.not_equal(pc.utf8_trim_whitespace(keys), arrow_text("")))


def _check_unique(keys: Any, name: str, source: str) -> None:
    import pyarrow.compute as pc

    if len(pc.unique(keys)) == len(keys):
        return
    counts = pc.value_counts(keys)  # in the order of first occurrence
    counts = counts.filter(pc.greater(counts.field("counts"), 1))
    first = counts[0].as_py()
    more = f" ({len(counts)} keys occur more than once)" if len(counts) > 1 else ""
    raise DataError(
        f"{source}: the key '{shorten(name)}' of a join must be unique, but {shown(str(first['values']))} occurs "
        f"{first['counts']} times{more}: remove the extra rows, or join by another column."
    )


def _one_chunk(column: Any) -> Any:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column
