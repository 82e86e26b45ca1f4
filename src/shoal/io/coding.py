"""Convert labels to codes and back, after a format has found the items.

Items that are empty or only white space are dropped, in every format.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data import Transactions, canonical_order
from shoal.data.arrays import Codes, Counts, Offsets
from shoal.data.arrow import arrow_numbers, arrow_texts, is_text, numpy_of
from shoal.engines import Engine, current, release
from shoal.errors import DataError
from shoal.io.messages import shorten, shown
from shoal.kernels.read.sorted_rows import sorted_rows
from shoal.kernels.read.tokens import Tokens, split_cells

_BLOCK = 1 << 16  # rows whose codes are counted together, or codes that are replaced together
BATCH_ROWS = 100_000  # rows written at a time: large enough to be fast, small enough to need little memory


@dataclass(frozen=True, eq=False)
class Coded:
    """Rows of items as codes. Row r has the next ``sizes[r]`` items, which are dictionary-coded."""

    sizes: Codes
    items: Any  # pyarrow.DictionaryArray of text

    @classmethod
    def of_texts(cls, texts: Any, sizes: Any) -> Coded:
        """Build it from the texts of all rows, an Arrow array of any type, and the size of each row."""
        import pyarrow as pa

        coded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
        items = pa.DictionaryArray.from_arrays(coded.indices.cast(pa.int32()), as_labels(coded.dictionary))
        return cls(np.asarray(sizes, np.int32), items)

    @classmethod
    def of_lists(cls, lists: Any) -> Coded:
        """Build it from an Arrow list array. A null list is an empty row."""
        import pyarrow.compute as pc

        sizes = pc.list_value_length(lists)
        sizes = pc.fill_null(sizes, 0) if sizes.null_count else sizes
        return cls.of_texts(lists.flatten(), numpy_of(sizes))

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[str]]) -> Coded:
        """Build it from lists of Python strings."""
        sizes = np.array([len(row) for row in rows], dtype=np.int32)
        return cls.of_texts(arrow_texts([item for row in rows for item in row]), sizes)

    @classmethod
    def of_cells(cls, cells: Any, delimiter: str) -> Coded:
        """Build it from an Arrow array of texts that are split at a delimiter."""
        data, offsets = text_buffers(cells)
        return cls.of_tokens(split_cells(data, offsets, delimiter.encode()))

    @classmethod
    def of_tokens(cls, tokens: Tokens) -> Coded:
        """Build it from the tokens of a kernel."""
        import pyarrow as pa

        return cls(tokens.sizes, pa.DictionaryArray.from_arrays(arrow_numbers(tokens.codes), labels_of(tokens)))

    @property
    def labels(self) -> list[str]:
        """Return the different items."""
        labels: list[str] = self.items.dictionary.to_pylist()
        return labels


def labels_of(tokens: Tokens) -> Any:
    """Return the labels of tokens as an Arrow array."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(tokens.label_offsets), pa.py_buffer(tokens.label_bytes)]
    return pa.Array.from_buffers(pa.large_string(), len(tokens.label_offsets) - 1, buffers)


def text_buffers(cells: Any) -> tuple[Any, Offsets]:
    """Return the bytes of an Arrow array of texts, and where each text starts. A null is an empty text."""
    texts = as_text(cells)
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(data or b""), starts


def as_text(column: Any) -> Any:
    """Return the values of an Arrow array, chunked or not, as text."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([as_text(chunk) for chunk in column.chunks], pa.large_string())
    if pa.types.is_dictionary(column.type):  # Arrow cannot decode the dictionaries of views that polars makes
        column = pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(pa.large_string()))
    return column.cast(pa.large_string())


def as_labels(column: Any) -> Any:
    """Return ids or items as text. Whole numbers that came as floats lose their ``.0``.

    >>> import pyarrow as pa
    >>> as_labels(pa.array([7.0, None])).to_pylist(), as_labels(pa.array(["7.0"])).to_pylist()
    (['7', None], ['7.0'])
    """
    import pyarrow as pa

    return as_text(column.cast(pa.int64()) if pa.types.is_floating(column.type) and is_whole(column) else column)


def is_whole(column: Any) -> bool:
    """Whether all floats of an Arrow array are whole numbers, as pandas stores integers with missing values."""
    import pyarrow.compute as pc

    return bool(pc.all(are_whole(column), min_count=0).as_py())


def are_whole(decimals: Any) -> Any:
    """Return for each float of an Arrow array whether it is a whole number that a float holds exactly."""
    import pyarrow.compute as pc

    return pc.and_(pc.equal(pc.floor(decimals), decimals), pc.less(pc.abs(decimals), 2.0**53))


class Encoder:
    """Code rows part by part. Of earlier parts, only the codes are kept, in a file if they are very many."""

    def __init__(self, *, multiset: bool = False, drop_items: Collection[str] = ()) -> None:
        self._multiset, self._drop_items = multiset, frozenset(drop_items)
        self._code_of: dict[str, int] = {}  # of each label, in the order of their first use
        self._sizes, self._codes = current().collect(np.int32), current().collect(np.int32)
        self._background = current().background()
        self._quantities: list[Counts] = []
        self.dropped: set[str] = set()  # the items to drop that occurred; known at the end

    def add(self, rows: Coded, quantities: Counts | None = None) -> None:
        """Append rows. ``quantities`` holds how many of each item, for multisets."""
        known = self._code_of
        codes = np.array([known.setdefault(label, len(known)) for label in rows.labels], dtype=np.int32)
        self._background.run(self._append, codes, numpy_of(rows.items.indices), rows.sizes)
        if quantities is not None:
            self._quantities.append(quantities)

    def _append(self, codes: Codes, indices: Codes, sizes: Codes) -> None:
        for start in range(0, len(indices), _BLOCK):  # NumPy copies the indices, so there are few at a time
            self._codes.append(codes.take(indices[start : start + _BLOCK]))
        self._sizes.append(sizes)

    def transactions(self, record_of: Counts | None = None, records: int = 0) -> Transactions:
        """Return all rows. Nothing can be added afterwards.

        ``record_of`` holds the number of the record that each row belongs to, and ``records`` how many there are.
        """
        self._background.finish()
        labels, rows = list(self._code_of), CodedRows(self._sizes.array(), self._codes.array())
        if not len(rows):
            return Transactions.nothing(records)
        self.dropped = set(self._drop_items.intersection(labels))
        kept = np.array([bool(label.strip()) and label not in self._drop_items for label in labels], dtype=np.bool_)
        if record_of is not None or self._multiset:
            quantities = np.concatenate(self._quantities) if self._quantities else None
            sizes, codes, quantities = _only(kept, rows.sizes, rows.codes, quantities)
            if record_of is not None:
                sizes, codes, quantities = _regrouped(sizes, codes, quantities, record_of, records)
            if self._multiset:
                sizes, codes, labels = _count(sizes, codes, labels, quantities)
                _refuse_clash(labels, {label.rpartition("*")[0] for label in labels})
                kept = np.ones(len(labels), dtype=np.bool_)
            rows = CodedRows(sizes, codes)
        order = canonical_order(label for label, keep in zip(labels, kept.tolist(), strict=True) if keep)
        rank_of = {label: rank for rank, label in enumerate(order)}
        rank = np.array([rank_of.get(label, -1) for label in labels], dtype=np.int32)

        def in_order(part: CodedRows, _: Engine) -> tuple[Offsets, Codes]:
            sizes, codes = _only(kept, part.sizes, part.codes, None)[:2]
            return sorted_rows(sizes, codes, rank)

        parts = current().over("sorting", in_order, rows)
        # The sorted items of a part are written over the codes. Sorting removes items, or none, so they end no later
        # than the codes of their part. Parts are written in their order, after they were sorted, so whatever threads
        # still read lies behind.
        return Transactions.joined(parts, tuple(order), rows=len(rows), most=len(rows.codes), over=rows.codes)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of codes in any order. Row r holds the next ``sizes[r]`` codes.

    >>> rows = CodedRows(np.array([2, 0, 1], dtype=np.int32), np.array([7, 5, 7], dtype=np.int32))
    >>> rows.part(1, 3).codes.tolist()
    [7]
    """

    sizes: Codes
    codes: Codes

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.sizes)

    @cached_property
    def _starts(self) -> Counts:
        """The number of codes before each block of rows."""
        sums = [int(self.sizes[at : at + _BLOCK].sum()) for at in range(0, len(self.sizes), _BLOCK)]
        return np.cumsum([0, *sums])

    def _start(self, row: int) -> int:
        """Return the number of codes before a row."""
        block = row // _BLOCK
        return int(self._starts[block]) + int(self.sizes[block * _BLOCK : row].sum())

    def part(self, start: int, stop: int) -> CodedRows:
        """Return some consecutive rows."""
        return CodedRows(self.sizes[start:stop], self.codes[self._start(start) : self._start(stop)])

    def release(self) -> None:
        """Let go of the memory of rows that are in a file."""
        release(self.sizes)
        release(self.codes)


def _only(
    kept: npt.NDArray[np.bool_], sizes: Codes, codes: Codes, quantities: Counts | None
) -> tuple[Codes, Codes, Counts | None]:
    """Leave out the codes that are not kept."""
    if kept.all():
        return sizes, codes, quantities
    there = kept[codes]
    ends = np.concatenate([[0], np.cumsum(there)])
    sizes = np.diff(ends[np.concatenate([[0], np.cumsum(sizes)])]).astype(np.int32)
    return sizes, codes[there], None if quantities is None else quantities[there]


def _refuse_clash(counted: list[str], items: set[str]) -> None:
    """Refuse an item that has the name of another item with a count."""
    for label in sorted(items.intersection(counted)):
        item, _, times = label.rpartition("*")
        raise DataError(
            f"Item {shown(label)} has the name that item {shown(item)} gets if it occurs {times} times in a record: "
            f"rename it, or leave out multiset=True."
        )


def _regrouped(
    sizes: Codes, codes: Codes, quantities: Counts | None, record_of: Counts, records: int
) -> tuple[Codes, Codes, Counts | None]:
    """Put the rows of each record one after the other, as one row."""
    if not bool(np.all(record_of[1:] >= record_of[:-1])):
        order = np.argsort(np.repeat(record_of, sizes))  # the order of items within a record does not matter
        codes, quantities = codes[order], None if quantities is None else quantities[order]
    return np.bincount(record_of, sizes, records).astype(np.int32), codes, quantities


def _count(sizes: Codes, codes: Codes, labels: list[str], quantities: Counts | None) -> tuple[Codes, Codes, list[str]]:
    """Turn multisets into sets, in which each (item, count) pair is an item."""
    width = max(1, len(labels))
    keys, back = np.unique(np.repeat(np.arange(len(sizes)), sizes) * width + codes, return_inverse=True)
    counts = np.bincount(back, minlength=len(keys)) if quantities is None else _sums(back, quantities, len(keys))
    row, codes = np.divmod(keys, width)
    top = int(counts.max(initial=0)) + 1
    pairs, pair_of = np.unique(codes * top + counts, return_inverse=True)
    sizes = np.bincount(row, minlength=len(sizes)).astype(np.int32)
    return sizes, pair_of.astype(np.int32), [f"{labels[pair // top]}*{pair % top}" for pair in pairs.tolist()]


def _sums(group_of: Counts, numbers: Counts, groups: int) -> Counts:
    """Return the sum of the numbers of each group."""
    sums = np.zeros(groups, dtype=np.int64)
    np.add.at(sums, group_of, numbers)
    return sums


def label_lists(rows: Transactions) -> Any:
    """Return rows as an Arrow array of lists of labels."""
    import pyarrow as pa

    used = np.flatnonzero(rows.supports)
    compact = np.zeros(len(rows.labels), dtype=np.int32)
    compact[used] = np.arange(len(used))
    labels = arrow_texts(rows.used_labels).take(arrow_numbers(compact[rows.items]))
    return pa.ListArray.from_arrays(arrow_numbers(rows.indptr.astype(np.int32)), labels)


def slices(rows: Transactions, columns: Any = None) -> Iterator[tuple[Transactions, Any]]:
    """Iterate over the rows and their other columns, if any, in slices of :data:`BATCH_ROWS`."""
    for first in range(0, len(rows), BATCH_ROWS):
        part = rows.part(first, min(first + BATCH_ROWS, len(rows)))
        yield part, None if columns is None else columns.slice(first, BATCH_ROWS)


def coded_lists(lists: Any, where: str, place: Callable[[int], str]) -> Coded:
    """Code the lists of a column. Refuse nulls, and items that are neither strings nor integers."""
    import pyarrow as pa

    kind = lists.type.value_type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        raise DataError(f"{where}: items must be strings or integers, got {shorten(kind)}: convert them to strings.")
    if pa.types.is_fixed_size_list(lists.type):
        lists = lists.cast(pa.list_(lists.type.value_type))
    values = lists.flatten()
    if pa.types.is_dictionary(values.type) and values.dictionary.null_count:  # a null in the dictionary is an item
        values = values.dictionary.take(values.indices)
        lists = pa.ListArray.from_arrays(arrow_numbers(np.append(0, _ends(lists)).astype(np.int32)), values)
    if values.null_count:
        at = int(np.argmax(np.asarray(values.is_null())))
        row = int(np.searchsorted(_ends(lists), at, side="right"))
        raise DataError(f"{where}, {place(row)}: an item is null: remove it, or give it a label.")
    return Coded.of_lists(lists)


def _ends(lists: Any) -> Any:
    """Return where each list of an Arrow array ends among the items of all."""
    import pyarrow.compute as pc

    return np.cumsum(numpy_of(pc.fill_null(pc.list_value_length(lists), 0)))
