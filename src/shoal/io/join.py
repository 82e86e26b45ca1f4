"""Columns of a second table, added to a stream by a left join (``join=``).

A key must be unique in the second table. So the join is a lookup: every record keeps its place, and gets the columns of
its match or nulls. Acero's hash join is as fast, but moves records without a match to the end (apache/arrow#37542), and
needs the whole left table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from shoal.data.arrow import arrow_text
from shoal.data.reading_notes import Joined
from shoal.errors import DataError
from shoal.io.coding import as_labels
from shoal.io.join_spec import JoinSpec
from shoal.io.messages import listed, no_column, shorten, shown
from shoal.io.stream import Stream

_MOST_ROWS = 1 << 20  # rows that are looked up at a time
_NUMBERS = (pt.is_integer, pt.is_floating, pt.is_decimal)
_AS_TEXT = (*_NUMBERS, pt.is_string, pt.is_large_string, pt.is_null, pt.is_date)


@dataclass
class JoinCount:
    """How many keys had no match. Complete when the joined stream has been consumed."""

    records: int = 0  # on the left
    unmatched: int = 0  # records whose key is not in the file
    without_key: int = 0  # records whose key is null or blank
    ignored: int = 0  # rows of the file whose key is null or blank
    _missing: list[Any] = field(default_factory=list, repr=False)  # arrays of keys that are not in the file

    def add(self, keys: Any, rows: Any) -> None:
        """Count keys and the matching rows of the file, which are null without a match."""
        self.records += len(keys)
        self.without_key += keys.null_count
        if rows.null_count > keys.null_count:
            self.unmatched += rows.null_count - keys.null_count
            self._missing.append(keys.filter(rows.is_null()).drop_null().unique())

    def merge(self, other: JoinCount) -> None:
        """Add what was counted in other records, for the same file."""
        self.records += other.records
        self.unmatched += other.unmatched
        self.without_key += other.without_key
        self._missing += other._missing

    @property
    def unmatched_keys(self) -> Any:
        """Return the different keys that are not in the file, as an Arrow array in the order of the records."""
        return pa.concat_arrays(self._missing).unique() if self._missing else pa.nulls(0)

    def note(self, spec: JoinSpec, sha256: str) -> Joined:
        """Return the note on rows without a match, for a file with this hash."""
        parts, file, which = list[str](), Path(spec.file).name, ""
        if self.unmatched:
            keys = self.unmatched_keys
            which = f"{len(keys):,} different keys, such as" if len(keys) > 1 else "key"
            which = f"{which} {shown(str(keys[0]))}"
            parts.append(
                f"{self.unmatched:,} of {self.records:,} rows have no match in {file} by '{shorten(spec.right)}'"
            )
        if self.without_key:
            parts.append(f"{self.without_key:,} of {self.records:,} rows have no '{shorten(spec.left)}'")
        if self.ignored:
            rows = "1 row" if self.ignored == 1 else f"{self.ignored:,} rows"
            parts.append(f"{rows} of {file} without '{shorten(spec.right)}' are ignored")
        return Joined(file, spec.right, sha256, "; ".join(parts), which)


def join(stream: Stream, right: Any, spec: JoinSpec) -> tuple[Stream, JoinCount]:
    """Add the columns of a table to a stream, by a left join.

    Raises
    ------
    DataError
        A key column is missing, or cannot be compared with the other. A key occurs twice in ``right``. Another column
        is on both sides.
    """
    left_type = _type_of(stream.schema, spec.left, stream.source)
    right_type = _type_of(right.schema, spec.right, spec.file)
    as_keys = _comparable(left_type, right_type)
    if as_keys is None:
        raise DataError(
            f"Join by '{shorten(spec.left)}': its type {left_type} in {stream.source} cannot be compared with the type "
            f"{right_type} of '{shorten(spec.right)}' in {spec.file}: convert both to text."
        )
    keys = as_keys(right.column(spec.right).combine_chunks())
    count = JoinCount(ignored=keys.null_count)
    right, keys = right.filter(keys.is_valid()), keys.drop_null()
    if len(keys.unique()) < len(keys):
        raise _not_unique(keys, spec.right, spec.file)
    added = right.drop_columns([spec.right]).combine_chunks()
    if twice := [name for name in added.column_names if name in stream.schema.names]:
        raise DataError(
            f"Join by '{shorten(spec.left)}': {stream.source} and {spec.file} both have {listed(twice)}: rename or "
            f"drop {'it' if len(twice) == 1 else 'them'} in one of the two."
        )
    fields = [one.with_nullable(True) for one in added.schema]
    schema = pa.schema([*stream.schema, *fields], metadata=stream.schema.metadata)
    position = stream.schema.names.index(spec.left)

    def batches() -> Iterator[Any]:
        for group in _groups(stream.batches, min(2 * len(keys), _MOST_ROWS)):
            left = pa.concat_arrays([as_keys(batch.column(position)) for batch in group])
            rows = pc.index_in(left, value_set=keys)
            count.add(left, rows)
            for batch in group:
                match, rows = rows.slice(0, len(batch)), rows.slice(len(batch))
                columns = [column.take(match).combine_chunks() for column in added.columns]
                yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    sources = {**stream.joined, **dict.fromkeys(added.column_names, spec.file)}
    return replace(stream, schema=schema, batches=batches(), joined=sources), count


def _not_unique(keys: Any, name: str, source: str) -> DataError:
    counts = pc.value_counts(keys)
    repeated = counts.filter(pc.greater(counts.field("counts"), 1)).to_pylist()
    more = f" ({len(repeated):,} keys occur more than once)" if len(repeated) > 1 else ""
    return DataError(
        f"{source}: the key '{shorten(name)}' of a join must be unique, but {shown(str(repeated[0]['values']))} occurs "
        f"{repeated[0]['counts']} times{more}: remove the extra rows, or join by another column."
    )


def _groups(batches: Iterator[Any], rows: int) -> Iterator[list[Any]]:
    """Yield groups of batches with at least this number of rows, because every lookup builds its key table again."""
    group = list[Any]()
    for batch in batches:
        group.append(batch)
        if sum(map(len, group)) >= rows:
            yield group
            group = []
    if group:
        yield group


def _type_of(schema: Any, name: str, source: str) -> Any:
    """Return the type of a key column, without dictionary coding."""
    if name not in schema.names:
        raise no_column(name, schema.names, source)
    kind = schema.field(schema.names.index(name)).type
    return kind.value_type if pt.is_dictionary(kind) else kind


def _comparable(left: Any, right: Any) -> Callable[[Any], Any] | None:
    """Return a function that makes keys of two types comparable, or None if there is none."""
    if pt.is_integer(left) and pt.is_integer(right) and pa.uint64() not in (left, right):
        return lambda column: column.cast(pa.int64())
    if all(any(is_kind(kind) for is_kind in _AS_TEXT) for kind in (left, right)):
        numeric = any(is_number(kind) for is_number in _NUMBERS for kind in (left, right))
        return lambda column: _as_texts(column, numeric)
    return (lambda column: column.cast(left)) if left == right and pt.is_primitive(left) else None


def _as_texts(column: Any, numeric: bool) -> Any:
    """Return keys as texts, with NaN and blank texts as null. ``numeric``: texts are compared with numbers."""
    if pt.is_floating(column.type):
        floats = column.cast(pa.float64())
        column = pc.add(pc.if_else(pc.is_nan(floats), None, floats), 0.0)  # so that -0.0 is 0.0
    texts = as_labels(column)
    if numeric and pc.any(pc.match_substring(texts, ".")).as_py():  # 1004906.0 is 1004906, and 1.50 is 1.5
        texts = pc.replace_substring_regex(texts, r"^(-?\d+)(?:\.0*|(\.\d*[1-9])0*)$", r"\1\2")
    blank = pc.equal(pc.utf8_trim_whitespace(texts), arrow_text(""))
    return pc.if_else(blank, pa.nulls(len(texts), texts.type), texts) if blank.true_count else texts
