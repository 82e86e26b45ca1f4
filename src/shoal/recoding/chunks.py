"""Recodes rows that are split into chunks, part by part, so that the rows may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids
from shoal.data.transactions import Transactions
from shoal.errors import DataError

CodeOf = Callable[[Counts, Codes], Codes]  # (chunks, items) -> the code of each item in its chunk


@dataclass(frozen=True, eq=False)
class _Chunked:
    """Rows and the chunk of each."""

    rows: Transactions
    chunk_of: Counts

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def bounds(self) -> Sequence[int] | None:
        return self.rows.bounds

    def part(self, start: int, stop: int) -> Self:
        return type(self)(self.rows.part(start, stop), self.chunk_of[start:stop])

    def release(self) -> None:
        self.rows.release()


def recoded(items: Transactions, chunk_of: Counts, code_of: CodeOf, labels: tuple[str, ...]) -> Transactions:
    """Replace every item by its code in the chunk of its row. Equal codes in a row collapse.

    >>> rows = Transactions.from_sets([["a", "b"], ["b"]])
    >>> recoded(rows, np.array([0, 1]), lambda chunks, items: chunks.astype(np.int32), ("x", "y")).sets()
    [frozenset({'x'}), frozenset({'y'})]
    """
    if len(set(labels)) != len(labels):
        raise DataError("Transactions: labels must be unique.")

    def one(part: _Chunked) -> tuple[Offsets, Codes]:
        rows = row_ids(part.rows.indptr)
        codes = code_of(part.chunk_of[rows], part.rows.items)
        assert codes.min(initial=0) >= 0, "every item of a chunk has a code"
        return csr_from_pairs(rows, codes, len(part))

    rows = items.of_persons(None)
    return rows.derived("recoding", one, _Chunked(rows, chunk_of), labels, items.total_items)


def by_start(starts: Counts, codes: Codes, width: int) -> CodeOf:
    """Return the code that begins at or before each item of each chunk.

    ``starts`` holds chunk * ``width`` + the first item of each code, ascending.

    >>> by_start(np.array([0, 2, 3]), np.array([7, 8, 9]), 3)(np.array([0, 0, 1]), np.array([1, 2, 2])).tolist()
    [7, 8, 9]
    """
    return lambda chunks, items: codes[np.searchsorted(starts, chunks * np.int64(width) + items, side="right") - 1]
