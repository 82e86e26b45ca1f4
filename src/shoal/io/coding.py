"""Labels to codes and back: what every format does with its items once it has found them.

An item that is empty or only white space is no item: it is dropped, in every format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.data import Transactions, canonical_order
from shoal.data.arrays import Codes, Offsets, csr_from_pairs, row_ids
from shoal.data.arrow import arrow_numbers, arrow_texts, numpy_of
from shoal.errors import DataError
from shoal.io.messages import shown

BATCH_ROWS = 100_000  # rows written at a time: large enough to be fast, small enough to need little memory
PART = 1 << 18  # texts that are coded at a time
PART_ROWS = 1 << 15  # rows that are split at a time


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of texts of any length: row r is ``values[indptr[r]:indptr[r + 1]]``."""

    values: Any  # pyarrow array of large_string
    indptr: Offsets

    @classmethod
    def split(cls, texts: Any, delimiter: str) -> Ragged:
        """Split every text of an Arrow array at a delimiter."""
        import pyarrow.compute as pc

        return cls.from_lists(pc.split_pattern(texts, delimiter))

    @classmethod
    def split_parts(cls, texts: Any, delimiter: str) -> Iterator[Ragged]:
        """The same, some thousand texts at a time."""
        for first in range(0, len(texts), PART_ROWS):
            yield cls.split(texts.slice(first, PART_ROWS), delimiter)

    @classmethod
    def from_lists(cls, lists: Any) -> Ragged:
        """From an Arrow list array (chunked or not); a null list is an empty row."""
        import pyarrow as pa
        import pyarrow.compute as pc

        sizes = pc.list_value_length(lists)
        sizes = numpy_of(pc.fill_null(sizes, 0) if sizes.null_count else sizes)
        chunks = lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]
        values = [as_text(chunk.flatten()) for chunk in chunks]
        return cls(pa.concat_arrays(values) if values else arrow_texts([]), _offsets(sizes))

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[str]]) -> Ragged:
        """From lists of Python strings."""
        return cls.from_flat([item for row in rows for item in row], [len(row) for row in rows])

    @classmethod
    def from_flat(cls, texts: Sequence[str], sizes: Sequence[int]) -> Ragged:
        """From the texts of all rows, and how many each has."""
        return cls(arrow_texts(texts), _offsets(np.array(sizes, dtype=np.int64)))

    @classmethod
    def joined(cls, parts: Iterable[Ragged]) -> Ragged:
        """All rows of some parts; there is at least one."""
        import pyarrow as pa

        all_parts = list(parts)
        sizes = np.concatenate([part.sizes for part in all_parts])
        return cls(pa.concat_arrays([part.values for part in all_parts]), _offsets(sizes))

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def parts(self) -> Iterator[Ragged]:
        """The rows in parts of about :data:`PART` texts."""
        starts = [0, *np.flatnonzero(np.diff(self.indptr[1:] // PART)) + 1, len(self)]
        for first, last in pairwise(starts):
            indptr = self.indptr[first : last + 1]
            yield Ragged(self.values.slice(indptr[0], indptr[-1] - indptr[0]), indptr - indptr[0])

    @property
    def sizes(self) -> Offsets:
        """Number of texts of each row."""
        return np.diff(self.indptr)


def as_text(column: Any) -> Any:
    """The values of an Arrow array, chunked or not, as text."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([as_text(chunk) for chunk in column.chunks], pa.large_string())
    if pa.types.is_dictionary(column.type):  # Arrow cannot decode a dictionary of views, as polars makes them
        column = pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(pa.large_string()))
    return column.cast(pa.large_string())


def _offsets(sizes: Any) -> Offsets:
    """Row starts from row sizes."""
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=indptr[1:])
    return indptr


def encode(rows: Iterable[Ragged], *, multiset: bool = False, drop_items: Collection[str] = ()) -> Transactions:
    """Code the rows, with the labels that occur in canonical order.

    With ``multiset``, an item that occurs c times in a row becomes the item ``label*c``.

    >>> rows = Ragged.from_rows([["b", "a", "b"], ["", "x"]])
    >>> encode([rows], multiset=True, drop_items=["x"]).sets()
    [frozenset({...*...}), frozenset()]
    """
    encoder = Encoder(multiset=multiset, drop_items=drop_items)
    for part in rows:
        encoder.add(part)
    return encoder.transactions()


class Encoder:
    """Codes rows as they come, a part at a time: only the codes of the others are in memory."""

    def __init__(self, *, multiset: bool = False, drop_items: Collection[str] = ()) -> None:
        self._multiset, self._dropped = multiset, frozenset(drop_items)
        self._code_of: dict[str, int] = {}  # in the order of their first use
        self._parts: list[tuple[Codes, Codes]] = []  # the size of each row, and the codes of all rows
        self._counted: set[str] = set()  # the items of multisets, without their counts
        self.dropped: set[str] = set()  # those of the items to drop that were there

    def add(self, rows: Ragged) -> None:
        """Append rows."""
        coded = rows.values.dictionary_encode()
        labels: list[str] = coded.dictionary.to_pylist()
        codes, row = numpy_of(coded.indices), row_ids(rows.indptr)
        self.dropped.update(self._dropped.intersection(labels))
        kept = np.array([bool(label.strip()) and label not in self._dropped for label in labels], dtype=np.bool_)
        if not kept.all():
            row, codes = row[kept[codes]], codes[kept[codes]]
        if self._multiset:
            self._counted.update(label for label, keep in zip(labels, kept.tolist(), strict=True) if keep)
            row, codes, labels = _count(row, codes.astype(np.int64), labels)
            kept = np.ones(len(labels), dtype=np.bool_)
        code_of = [
            self._code_of.setdefault(label, len(self._code_of)) if keep else -1
            for label, keep in zip(labels, kept.tolist(), strict=True)
        ]
        sizes = np.bincount(row, minlength=len(rows)).astype(np.int32)
        self._parts.append((sizes, np.array(code_of, dtype=np.int32)[codes]))

    def transactions(self) -> Transactions:
        """All rows; nothing can be added after that."""
        for label in sorted(self._counted.intersection(self._code_of)):
            item, _, times = label.rpartition("*")
            raise DataError(
                f"Item {shown(label)} is called as item {shown(item)} will be where it is given {times} times in a "
                f"record: rename it, or leave out --multiset."
            )
        order = canonical_order(self._code_of)
        rank = np.empty(len(order), dtype=np.int32)
        rank[[self._code_of[label] for label in order]] = np.arange(len(order), dtype=np.int32)
        indptr = np.zeros(sum(len(sizes) for sizes, _ in self._parts) + 1, dtype=np.int64)
        items = np.empty(sum(len(codes) for _, codes in self._parts), dtype=np.int32)
        row = used = 0
        for at, (sizes, codes) in enumerate(self._parts):
            starts, part = csr_from_pairs(row_ids(_offsets(sizes)), rank[codes], len(sizes))
            indptr[row + 1 : row + len(starts)] = starts[1:] + used
            items[used : used + len(part)] = part
            row, used = row + len(sizes), used + len(part)
            self._parts[at] = codes[:0].copy(), codes[:0].copy()  # gives back the memory
        items = items if used == len(items) else items[:used].copy()
        indptr.flags.writeable = items.flags.writeable = False  # so that nobody copies them to be sure of that
        return Transactions(indptr, items, tuple(order))


def _count(row: Offsets, codes: Offsets, labels: list[str]) -> tuple[Offsets, Offsets, list[str]]:
    """Multisets as sets: each (item, count) pair is an item of its own."""
    width = max(1, len(labels))
    keys, counts = np.unique(row * width + codes, return_counts=True)
    row, codes = np.divmod(keys, width)
    top = int(counts.max(initial=0)) + 1
    pairs, codes = np.unique(codes * top + counts, return_inverse=True)
    return row, codes.astype(np.int64), [f"{labels[pair // top]}*{pair % top}" for pair in pairs.tolist()]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some consecutive rows to write: only the labels that they use, and the columns beside them."""

    indptr: Offsets
    codes: Codes
    labels: tuple[str, ...]
    columns: Any  # pyarrow.Table of the columns beside, as the layout prepared them, or None
    first: int  # number of rows before these

    @classmethod
    def of(cls, indptr: Offsets, codes: Codes, labels: Sequence[str], columns: Any, first: int) -> Batch:
        """Renumber the labels to those in use."""
        used, compact = np.unique(codes, return_inverse=True)
        return cls(indptr, compact.astype(np.int32), tuple(labels[code] for code in used.tolist()), columns, first)

    @classmethod
    def of_rows(cls, rows: Transactions | Sequence[Sequence[str]], first: int) -> Batch:
        """From coded rows, or from lists of labels in the order to be written."""
        if isinstance(rows, Transactions):
            return cls.of(rows.indptr, rows.items, rows.labels, None, first)
        ragged = Ragged.from_rows(rows)
        coded = ragged.values.dictionary_encode()
        return cls.of(ragged.indptr, numpy_of(coded.indices), coded.dictionary.to_pylist(), None, first)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def lists(self, texts: Sequence[str]) -> Any:
        """The rows as an Arrow list array, with ``texts[u]`` for label u."""
        import pyarrow as pa

        values = arrow_texts(texts).take(arrow_numbers(self.codes))
        return pa.ListArray.from_arrays(arrow_numbers(self.indptr).cast(pa.int32()), values)


def batches(rows: Transactions, columns: Any) -> Iterator[Batch]:
    """The rows in batches of :data:`BATCH_ROWS`."""
    for first in range(0, len(rows), BATCH_ROWS):
        indptr = rows.indptr[first : first + BATCH_ROWS + 1]
        beside = None if columns is None else columns.slice(first, BATCH_ROWS)
        yield Batch.of(indptr - indptr[0], rows.items[indptr[0] : indptr[-1]], rows.labels, beside, first)
