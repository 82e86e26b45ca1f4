"""Runs of long data: consecutive rows with the same id, collected batch by batch and merged by id.

For each run, one row of the other columns is kept, and the codes of its items. So data that are sorted by id need
memory for their records only. Unsorted data need memory for one run per row. Texts are dictionary-coded as they arrive.
Very many runs are in a file until they are merged, column by column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data import Transactions
from shoal.data.arrays import Counts
from shoal.data.arrow import arrow_numbers, arrow_text, is_text, numpy_of
from shoal.data.note import Note
from shoal.data.reading_notes import notes_on_records
from shoal.engines import CollectedBatches, current, release_batches
from shoal.errors import DataError
from shoal.io.coding import Coded, Encoder, are_whole, as_text, is_whole
from shoal.io.format import ReaderOptions
from shoal.io.messages import in_filter, shorten, shown
from shoal.io.roles import Roles
from shoal.io.stream import Stream

Mask = npt.NDArray[np.bool_]
_INTEGER = r"^(0|-?[1-9]\d{0,17})$"
_WHOLE = r"^\+?0*(\d{1,10})(\.0*)?$"  # a quantity that is stored as text
_MOST = 10**9  # the largest quantity of an item in a row


class Runs:
    """The runs of a long table, collected batch by batch."""

    def __init__(self, columns: Roles, stream: Stream, options: ReaderOptions) -> None:
        self._columns, self._stream, self._options = columns, stream, options
        self._kept = [name for name in stream.schema.names if name not in (columns.item, columns.quantity)]
        self._varying: list[str] = [] if columns.quantity is None else [columns.quantity]
        self._parts: dict[str, CollectedBatches] = {}  # the columns of all batches, with one row for each run
        self._encoder = Encoder(multiset=options.multiset, drop_items=options.drop_items)
        self._lines = 0
        self._no_id, self._no_item = _Missing(), _Missing()

    def add(self, batch: Any) -> None:
        """Add the runs of a batch. A run that continues in the next batch is merged later."""
        if not batch.num_rows:
            return
        inside = np.ones(batch.num_rows - 1, np.bool_)  # for each row except the first, whether it continues a run
        for name in self._columns.ids:
            changes = _changes(batch.column(name))
            assert changes is not None  # ids can be compared
            inside &= ~changes
        for name in [name for name in self._kept if name not in self._columns.ids and inside.any()]:
            changes = _changes(batch.column(name))
            if changes is None or bool(np.any(changes & inside)):
                self._drop(name)
        starts = np.concatenate([[0], np.flatnonzero(~inside) + 1])
        sizes = np.diff(starts, append=batch.num_rows)
        runs = batch.select(self._kept)
        runs = runs if len(starts) == batch.num_rows else runs.take(arrow_numbers(starts))
        self._add_runs({name: coded(runs.column(name)) for name in self._kept}, sizes)
        self._add_items(batch, sizes)
        self._lines += batch.num_rows

    def _add_runs(self, runs: dict[str, Any], sizes: Counts) -> None:
        """Store the columns of runs of these sizes. All rows of a run have the same id, or none."""
        import pyarrow as pa

        missing = _either([missing_values(runs[name], blank=True) for name in self._columns.ids])
        self._no_id.add(None if missing is None else np.repeat(missing, sizes), self._lines)
        if not self._lines and not self._no_id.count:
            self._drop_varying(runs, *numbered([runs[name] for name in self._columns.ids]))
        for name in self._kept:
            batch = pa.record_batch({name: runs[name]})
            self._parts.setdefault(name, current().collect_batches(batch.schema)).append(batch)

    def _add_items(self, batch: Any, sizes: Counts) -> None:
        """Code the items of runs of these sizes."""
        items = coded(batch.column(self._columns.item))
        missing = missing_values(items, blank=self._columns.item in self._stream.joined)
        self._no_item.add(missing, self._lines)
        quantities = self._quantities(batch, items)
        if missing is not None and missing.any():
            kept = ~missing
            sizes = np.add.reduceat(kept.astype(np.int64), np.cumsum(sizes) - sizes)
            items = items.filter(_mask(kept))
            quantities = None if quantities is None else quantities[kept]
        _check_items(items, f"{self._stream.source}, column '{shorten(self._columns.item)}'")
        self._encoder.add(Coded.of_texts(items, sizes), quantities)

    def _quantities(self, batch: Any, items: Any) -> Counts | None:
        """Return how many of each item there are.

        Wherever there is an item, it must be a whole number of at least 1.
        """
        name = self._columns.quantity
        if name is None:
            return None
        given = batch.column(name)
        numbers = numpy_of(_whole_numbers(given).fill_null(0))
        wrong = (numbers < 1) | (numbers > _MOST)
        if wrong.any() and (none := missing_values(items, blank=True)) is not None:
            wrong &= ~none
        if wrong.any():
            row = int(np.argmax(wrong))
            got = "nothing" if given[row].as_py() is None else shown(str(given[row].as_py()))
            fraction = "." in got and not got.strip("'").startswith(("-", "0."))
            remedy = "leave out quantity_column=" if fraction else f"pass where='{in_filter(name)} >= 1'"
            raise DataError(
                f"{self._stream.source}, {self._stream.place(self._lines + row)}: column '{shorten(name)}' must be a "
                f"whole number from 1 to {_MOST:,}, got {got}: correct it, or {remedy}."
            )
        counts: Counts = numbers
        return counts

    def _drop_varying(self, columns: Mapping[str, Any], record_of: Counts, firsts: Counts) -> None:
        """Leave out columns that vary within a record. It is called for the first batch, too, to save memory."""
        for name in [name for name in self._kept if name in columns and name not in self._columns.ids]:
            if varies(columns[name], record_of, firsts):
                self._drop(name)

    def _drop(self, name: str) -> None:
        """Leave out a column that varies within a record."""
        self._kept.remove(name)
        self._varying.append(name)
        self._parts.pop(name, None)

    def records(self) -> tuple[Transactions, Any]:
        """Return the sets of all records, and one row of the other columns for each."""
        import pyarrow as pa

        self._refuse_missing()
        types = {name: self._stream.schema.field(name).type for name in self._kept}
        if not self._lines:
            return Transactions.nothing(0), pa.schema(types.items()).empty_table()
        ids = {name: self._taken(name) for name in self._columns.ids}
        key, firsts = numbered(list(ids.values()))
        unordered = len(firsts) < len(key) or bool(np.any(np.diff(firsts) != 1))
        first_rows = arrow_numbers(firsts)
        records: dict[str, Any] = {}
        for name in list(self._kept):
            column = ids.pop(name) if name in ids else self._taken(name)
            self._drop_varying({name: column}, key, firsts)
            if name in self._kept:
                column = column.take(first_rows) if unordered else column
                records[name] = column if pa.types.is_dictionary(types[name]) else as_plain(column, types[name])
        table = current().collect_batches(pa.schema([(name, column.type) for name, column in records.items()]))
        table.extend(pa.table(records).to_batches(current().part_rows))
        records.clear()
        rows = self._encoder.transactions(key, len(firsts))
        self._options.tell_missing(self._encoder.dropped)
        return rows, table.table()

    def _taken(self, name: str) -> Any:
        """Return a column of all runs, as one array."""
        column = self._parts.pop(name).table().column(0).unify_dictionaries().combine_chunks()
        release_batches()
        return column

    def _refuse_missing(self) -> None:
        """Refuse rows without an id, and rows without an item unless these are to be left out."""
        source, place = self._stream.source, self._stream.place
        if self._no_id.count:
            names = " or ".join(f"'{shorten(name)}'" for name in self._columns.ids)
            condition = " and ".join(f"{in_filter(name)} is not null" for name in self._columns.ids)
            raise DataError(
                f"{source}, {place(self._no_id.first)}: {names} is empty, so the record has no id "
                f"({self._no_id}){self._joined(*self._columns.ids)}: fill it in, or leave such rows "
                f"out with where='{condition}'."
            )
        if self._no_item.count and not self._options.drop_null_items:
            raise DataError(
                f"{source}, {place(self._no_item.first)}: '{shorten(self._columns.item)}' is null "
                f"({self._no_item}){self._joined(self._columns.item)}: fill it in, or pass drop_null_items=True."
            )

    def _joined(self, *names: str) -> str:
        """Explain where missing values come from, if a join added the column."""
        files = [self._stream.joined[name] for name in names if name in self._stream.joined]
        return f", because the joined file {files[0]} has no match or no value for it" if files else ""

    def notes(self) -> Iterator[Note]:
        """Iterate over the notes for a publisher."""
        columns, order, keep_ids = self._columns, self._stream.schema.names, self._options.keep_ids
        return notes_on_records(columns.ids, columns.item, order, self._varying, self._no_item.count, keep_ids=keep_ids)


def varies(column: Any, record_of: Counts, firsts: Counts) -> bool:
    """Whether a coded column has different values in rows of a record. ``firsts``: the first row of each record."""
    if len(firsts) == len(record_of):
        return False
    values = _comparable(column)
    return values is None or bool(np.any(values != values[firsts][record_of]))


class _Missing:
    """The number of rows that lack a value, and the first of them."""

    def __init__(self) -> None:
        self.count, self.first = 0, 0

    def __str__(self) -> str:
        return f"{self.count:,} such {'row' if self.count == 1 else 'rows'}"

    def add(self, missing: Mask | None, lines: int) -> None:
        """Count a batch that follows a number of lines."""
        if missing is not None and missing.any():
            self.first = self.first if self.count else lines + int(np.argmax(missing))
            self.count += int(np.count_nonzero(missing))


def missing_values(column: Any, *, blank: bool) -> Mask | None:
    """Return for each value of a coded column whether it is null, NaN or, with ``blank``, a blank text.

    Return None if no value is missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        none = missing_values(column.dictionary, blank=blank)
        codes = numpy_of(column.indices.fill_null(0)) if column.null_count else numpy_of(column.indices)
        masks = [
            None if none is None or not none.any() else none[codes],
            _flags(column.is_null()) if column.null_count else None,
        ]
        return _either(masks)
    if blank and is_text(column.type):
        texts = pc.fill_null(as_text(column), arrow_text(""))
        return _flags(pc.equal(pc.utf8_trim_whitespace(texts), arrow_text("")))
    if not column.null_count and not pa.types.is_floating(column.type):
        return None
    return _flags(pc.is_null(column, nan_is_null=True))


def _either(masks: list[Mask | None]) -> Mask | None:
    """Return where any of some masks is set."""
    there = [mask for mask in masks if mask is not None]
    return np.logical_or.reduce(there) if there else None


def _flags(booleans: Any) -> Mask:
    """Convert an Arrow array of booleans to numpy."""
    import pyarrow as pa

    flags: Mask = numpy_of(booleans.cast(pa.uint8())).view(np.bool_)
    return flags


def _mask(kept: Mask) -> Any:
    """Convert a mask to Arrow."""
    import pyarrow as pa

    return arrow_numbers(kept.view(np.uint8)).cast(pa.bool_())


def _check_items(items: Any, where: str) -> None:
    """Refuse items that are neither strings nor whole numbers."""
    import pyarrow as pa

    kind = items.type.value_type if pa.types.is_dictionary(items.type) else items.type
    values = items.dictionary if pa.types.is_dictionary(items.type) else items
    whole = pa.types.is_floating(kind) and is_whole(values)
    if not (is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind) or whole):
        raise DataError(f"{where}: items must be strings or integers, got {shorten(kind)}: convert them to strings.")


def _whole_numbers(column: Any) -> Any:
    """Return quantities as integers, with null for values that are not whole numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = as_plain(column, column.type.value_type)
    if pa.types.is_integer(column.type):
        return column.cast(pa.int64(), safe=False)
    if pa.types.is_floating(column.type):
        return pc.if_else(are_whole(column), column, None).cast(pa.int64())
    texts = pc.utf8_trim_whitespace(as_text(column))
    texts = pc.if_else(pc.match_substring_regex(texts, _WHOLE), texts, None)
    return pc.replace_substring_regex(texts, _WHOLE, r"\1").cast(pa.int64())


def coded(column: Any) -> Any:
    """Return a column whose texts are dictionary-coded without duplicates. Numbers and other types stay unchanged."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column.dictionary_encode() if is_text(column.type) else column
    values = column.dictionary.cast(pa.large_string()) if is_text(column.type) else column.dictionary
    if values.null_count or len(values.unique()) < len(values):
        return values.take(column.indices).dictionary_encode()
    return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), values)


def as_plain(column: Any, kind: Any) -> Any:
    """Return a column without dictionary coding."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    return as_text(column).cast(kind) if is_text(kind) else column.cast(column.type.value_type)


def stored(column: Any) -> Any:
    """Return the storage of an extension type such as UUID, because Arrow can only compare that."""
    return getattr(column, "storage", column)


def _changes(column: Any) -> Mask | None:
    """Return for each value except the first whether it differs from the previous one.

    Return None if they cannot be compared.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(column.type) and not pa.types.is_dictionary(column.type) and not column.null_count:
        return _flags(pc.not_equal(column.slice(1), column.slice(0, max(0, len(column) - 1))))
    values = _comparable(coded(column))
    changes: Mask | None = None if values is None else values[1:] != values[:-1]
    return changes


def _comparable(column: Any) -> Any:
    """Return a number for each value of a coded column, the same for equal values.

    Return None if they cannot be compared.
    """
    import pyarrow as pa

    column = stored(column)
    if pa.types.is_nested(column.type):
        return None
    if not pa.types.is_dictionary(column.type):
        if pa.types.is_primitive(column.type) and column.type.bit_width in (8, 16, 32, 64) and not column.null_count:
            bits = np.frombuffer(column.buffers()[1], f"i{column.type.bit_width // 8}")
            return bits[column.offset : column.offset + len(column)]
        column = column.dictionary_encode(null_encoding="encode")
    return numpy_of(column.indices.fill_null(-1) if column.indices.null_count else column.indices)


def numbered(ids: list[Any]) -> tuple[Counts, Counts]:
    """Return the record of each row, numbered in the order of the ids, and the first row of each record."""
    key: Any = None
    for column in ids:
        rank, codes = _ranks(column)
        ranked = rank[codes]
        if key is None:
            key = ranked
            continue
        pairs = arrow_numbers(key.astype(np.int64) * len(rank) + ranked)
        rank, codes = _ranks(pairs)
        key = rank[codes]
    records = int(key.max(initial=-1)) + 1
    firsts = np.empty(records, dtype=np.int64)
    firsts[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    return key, firsts


def _ranks(column: Any) -> tuple[Counts, Any]:
    """Return the rank of each different value of a column, and the codes of the values.

    Texts that are numbers rank by size.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = stored(column)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    codes, values = numpy_of(coded.indices), coded.dictionary
    used = np.zeros(len(values), np.bool_)
    used[codes] = True
    if not used.all():  # some categories are not used
        values = values.filter(_mask(used))
        codes = (np.cumsum(used) - 1)[codes]
    if is_text(values.type):
        values = as_text(values)
        if pc.all(pc.match_substring_regex(values, _INTEGER)).as_py():
            values = values.cast(pa.int64())
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[numpy_of(pc.sort_indices(values))] = np.arange(len(values))
    return ranks, codes
