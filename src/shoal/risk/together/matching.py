"""Which records of two releases can be the same, as far as their labels tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids
from shoal.data.transactions import Transactions
from shoal.published import Grouping
from shoal.risk.together.overlap import Overlaps
from shoal.risk.together.view import View

BITS = 1 << 25  # pairs of records that are looked at together
GATHERED = 1 << 26  # bytes of marks that are read together

Marks = npt.NDArray[np.uint8]  # one bit for each record


@dataclass(frozen=True, eq=False)
class Kinds:
    """Equal records of a release: one of each kind, and how many there are."""

    view: View  # one record of each kind
    of: Counts  # the kind of each record
    times: Counts  # the records of each kind
    whose: Codes  # the person of each record, in the order of their kinds; a number of its own if persons are unknown

    @classmethod
    def in_view(cls, view: View) -> Kinds:
        """Return the kinds of records of a release."""
        of = Grouping.of_equal_rows(view.rows, np.ones(len(view), dtype=np.bool_)).of
        first = np.unique(of, return_index=True)[1]
        order = np.argsort(of, kind="stable")
        whose = order.astype(np.int32) if view.persons is None else view.persons.of[order]
        return cls(view.take(first), of, np.bincount(of, minlength=len(first)).astype(np.int64), whose)

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self.times)

    @property
    def starts(self) -> Offsets:
        """Where the records of each kind begin in ``whose``, and the end."""
        return np.concatenate([[0], np.cumsum(self.times)])


def matches(first: View, second: View) -> Iterator[tuple[Counts, Counts]]:
    """Yield pairs of records that can be the same, some records of the first release at a time.

    Two records can be the same if each label of one shares an item with a label of the other, or may stand for an item
    that the other release leaves out.

    >>> from shoal.published import Published
    >>> from shoal.risk.together.view import Source, views_of
    >>> cups = {"ale or tea": ["ale", "tea"], "tea or rye": ["tea", "rye"]}
    >>> jan = Source("jan", Published.plain(Transactions.from_sets([["ale or tea"], ["rye"]])), cups.get)
    >>> feb = Source("feb", Published.plain(Transactions.from_sets([["tea or rye"], ["ale"]])), cups.get)
    >>> [(left.tolist(), right.tolist()) for left, right in matches(*views_of([jan, feb]))]
    [([0, 0, 1], [0, 1, 0])]
    """
    overlaps = Overlaps.of(first.with_removed.covers, second.with_removed.covers)
    ours, theirs = len(first.rows.labels), len(second.rows.labels)
    seen = _marked(second.rows, overlaps.first, overlaps.second, ours, theirs)
    step = max(1, BITS // max(1, len(second)))
    for start in range(0, len(first), step):
        part = first.rows.part(start, min(start + step, len(first)))
        forth = _bits(_all_of(part, seen), len(second))
        back = _bits(_all_of(second.rows, _marked(part, overlaps.second, overlaps.first, theirs, ours)), len(part))
        left, right = np.nonzero(forth & back.T)
        yield left + start, right


def _marked(rows: Transactions, asked: Codes, held: Codes, labels: int, own: int) -> Marks:
    """Return for each label of the other release a bit for each record: whether it holds a label that shares an item.

    Every record may hold what its release leaves out, the label ``own``.
    """
    width = (len(rows) + 7) // 8
    holders = csr_from_pairs(rows.items.astype(np.int64), row_ids(rows.indptr), own)
    marks = np.zeros((labels, width), dtype=np.uint8)
    for label, other in zip(asked.tolist(), held.tolist(), strict=True):
        if label >= labels:
            continue
        if other >= own:
            marks[label] = 255
            continue
        who = holders[1][holders[0][other] : holders[0][other + 1]]
        np.bitwise_or.at(marks[label], who >> 3, (128 >> (who & 7)).astype(np.uint8))
    return marks


def _all_of(rows: Transactions, marks: Marks) -> Marks:
    """Return for each record the bits that all of its labels have."""
    found = np.full((len(rows), marks.shape[1]), 255, dtype=np.uint8)
    step = max(1, GATHERED // max(1, marks.shape[1]))
    for start, stop in _of_entries(rows.indptr, step):
        some = np.flatnonzero(np.diff(rows.indptr[start : stop + 1])) + start
        if len(some):
            low, high = rows.indptr[start], rows.indptr[stop]
            found[some] = np.bitwise_and.reduceat(marks[rows.items[low:high]], rows.indptr[some] - low, axis=0)
    return found


def _of_entries(indptr: Offsets, most: int) -> Iterator[tuple[int, int]]:
    """Yield parts of the rows with about so many entries."""
    start = 0
    while start < len(indptr) - 1:
        stop = max(start + 1, int(np.searchsorted(indptr, indptr[start] + most, side="right")) - 1)
        yield start, stop
        start = stop


def _bits(marks: Marks, number: int) -> npt.NDArray[np.bool_]:
    """Return the bits of each row as true and false."""
    return np.unpackbits(marks, axis=1, count=number).astype(np.bool_)
