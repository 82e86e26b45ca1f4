"""Transactions: rows of item sets, as CSR arrays with labels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, frozen, row_ids
from shoal.data.labels import canonical_order
from shoal.data.persons import Persons
from shoal.engines import SomeRows, current, release
from shoal.errors import DataError

_ROWS = 1 << 20  # rows that are checked at a time
_BLOCK = 1 << 13  # rows that are recoded at a time
_SHORT = 1 << 31  # items that are counted with 32 bits
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Transactions:
    """A list of sets of items. Row r holds the codes ``items[indptr[r]:indptr[r + 1]]``, strictly increasing.

    ``persons`` holds the person behind each row. Without it, every row is a different person.

    >>> t = Transactions.from_sets([{"milk", "bread"}, [], ["beer"]])
    >>> t.labels, t.indptr.tolist(), t.items.tolist()
    (('beer', 'bread', 'milk'), [0, 2, 2, 3], [1, 2, 0])
    >>> t.sets()
    [frozenset({...}), frozenset(), frozenset({'beer'})]
    """

    indptr: Offsets
    items: Codes
    labels: tuple[str, ...]
    persons: Persons | None = None

    def __post_init__(self) -> None:
        """Validate and freeze."""
        object.__setattr__(self, "indptr", frozen(self.indptr, np.int64))
        object.__setattr__(self, "items", frozen(self.items, np.int32))
        object.__setattr__(self, "labels", tuple(self.labels))
        indptr, items = self.indptr, self.items
        if indptr.ndim != 1 or len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(items):
            raise DataError(f"Transactions: indptr must run from 0 to the number of items, {len(items)}.")
        for start in range(0, len(self), _ROWS):
            self._check(indptr[start : start + _ROWS + 1])
        if len(set(self.labels)) != len(self.labels):
            raise DataError("Transactions: labels must be unique.")
        if self.persons is not None and len(self.persons) != len(self):
            raise DataError(f"Transactions: {len(self):,} rows but {len(self.persons):,} persons.")

    def _check(self, indptr: Offsets) -> None:
        """Refuse rows that are malformed."""
        if bool(np.any(indptr[1:] < indptr[:-1])):
            raise DataError("Transactions: indptr must not decrease.")
        items = self.items[indptr[0] : indptr[-1]]
        if len(items) and (items.min() < 0 or items.max() >= len(self.labels)):
            raise DataError(f"Transactions: item codes must lie in 0..{len(self.labels) - 1}.")
        rising = np.append(True, items[1:] > items[:-1])
        rising[indptr[:-1][indptr[:-1] < indptr[-1]] - indptr[0]] = True  # a new row may start with a lower code
        if not bool(rising[: len(items)].all()):
            raise DataError("Transactions: item codes must be strictly increasing in each row.")
        release(indptr)
        release(items)

    @classmethod
    def _valid(cls, indptr: Offsets, items: Codes, labels: tuple[str, ...], persons: Persons | None = None) -> Self:
        """Build it from arrays that are known to be valid, without checking them again."""
        rows = object.__new__(cls)
        for array in (indptr, items):
            array.flags.writeable = False
        vars(rows).update(indptr=indptr, items=items, labels=labels, persons=persons)
        return rows

    @classmethod
    def joined(
        cls,
        parts: Iterable[tuple[Offsets, Codes]],
        labels: tuple[str, ...],
        persons: Persons | None = None,
        *,
        rows: int,
        most: int,
        over: Codes | None = None,
    ) -> Self:
        """Build it from valid parts: the row starts and the items of each. It may be larger than memory.

        ``rows``: the number of rows. ``most``: the largest possible number of items. ``over``: an array that the items
        may be written over.
        """
        indptr, items = current().collect(np.int64, rows + 1), current().collect(np.int32, most, over)
        indptr.append(np.zeros(1, dtype=np.int64))

        def append(starts: Offsets, codes: Codes, before: int) -> None:
            indptr.append(starts[1:] + before if before else starts[1:])
            items.append(codes)

        before = 0
        with current().background() as background:
            for starts, codes in parts:
                background.run(append, starts, codes, before)
                before += len(codes)
        return cls._valid(indptr.array(), items.array(), labels, persons)

    def derived(
        self,
        stage: str,
        work: Callable[[SomeRows], tuple[Offsets, Codes]],
        rows: SomeRows,
        labels: tuple[str, ...],
        most: int,
    ) -> Transactions:
        """Return new sets for these records: ``work`` returns the row starts and the items of each part of ``rows``.

        ``rows`` are these records, with what else is needed to make the new sets. ``most``: the largest possible number
        of items.
        """
        parts = current().over(stage, lambda part, _: work(part), rows)
        return Transactions.joined(parts, labels, self.persons, rows=len(self), most=most)

    @classmethod
    def from_sets(cls, rows: Iterable[Iterable[str]], labels: Sequence[str] | None = None) -> Transactions:
        """Build transactions from sets of labels. By default, the labels are those that occur, in canonical order."""
        lists = [list(row) for row in rows]
        if labels is None:
            labels = canonical_order({item for row in lists for item in row})
        code = {label: i for i, label in enumerate(labels)}
        flat = np.array([code[item] for row in lists for item in row], dtype=np.int64)
        ids = np.repeat(np.arange(len(lists), dtype=np.int64), [len(row) for row in lists])
        return cls(*csr_from_pairs(ids, flat, len(lists)), tuple(labels))

    @classmethod
    def nothing(cls, rows: int) -> Transactions:
        """Build transactions with a number of empty rows."""
        return cls._valid(np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), ())

    def __repr__(self) -> str:
        """Describe the size without showing any data."""
        return f"Transactions({len(self):,} rows, {len(self.labels):,} items)"

    def __len__(self) -> int:
        """Return the number of rows, including empty ones."""
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[Codes]:
        """Iterate over the rows as arrays of codes."""
        for start, stop in zip(self.indptr[:-1], self.indptr[1:], strict=True):
            yield self.items[start:stop]

    def row(self, row: int) -> Codes:
        """Return the codes of a row."""
        return self.items[self.indptr[row] : self.indptr[row + 1]]

    def sets(self) -> list[frozenset[str]]:
        """Return the rows as sets of labels."""
        return [frozenset(self.labels[code] for code in row) for row in self]

    @property
    def sizes(self) -> Counts:
        """Return the number of items of each row."""
        return np.diff(self.indptr)

    @property
    def total_items(self) -> int:
        """Return the number of items of all rows.

        >>> Transactions.from_sets([["a", "b"], [], ["b"]]).total_items
        3
        """
        return len(self.items)

    @property
    def gathered(self) -> Transactions:
        """The same rows in one place, for work that keeps a state of its own while it goes over them."""
        return self

    @property
    def by_person(self) -> Transactions | None:
        """The rows in the order of :attr:`repeaters`, if they are on several machines; else None.

        All rows of a person are in one part then (:attr:`bounds`).
        """
        return None

    @property
    def bounds(self) -> Sequence[int] | None:
        """The first row of each part and the number of rows, if the rows are on several machines; else None."""
        return None

    @cached_property
    def size_counts(self) -> Counts:
        """Return the number of rows with 0, 1, 2, .. items.

        >>> Transactions.from_sets([["a", "b"], [], ["b"], ["a"]]).size_counts.tolist()
        [1, 2, 1]
        """
        parts = list(self._each_part(lambda part: np.bincount(part.sizes, minlength=1)))
        counts = np.zeros(max(map(len, parts)), dtype=np.int64)
        for part in parts:
            counts[: len(part)] += part
        return frozen(counts, np.int64)

    @property
    def longest(self) -> int:
        """Return the number of items of the largest row."""
        return len(self.size_counts) - 1

    @property
    def non_empty(self) -> int:
        """Return the number of rows with at least one item."""
        return len(self) - int(self.size_counts[0])

    @cached_property
    def supports(self) -> Counts:
        """Return the number of rows that hold each item."""
        labels = len(self.labels)
        counts = np.zeros(labels, dtype=np.int64)
        for part in self._each_part(lambda part: np.bincount(part.items, minlength=labels)):
            counts += part
        return frozen(counts, np.int64)

    @property
    def used_labels(self) -> list[str]:
        """Return the labels that occur."""
        return [self.labels[code] for code in np.flatnonzero(self.supports).tolist()]

    @property
    def repeaters(self) -> Codes:
        """Return the number of each row's person if that person has several rows (:attr:`Persons.repeaters`)."""
        return np.zeros(0, dtype=np.int32) if self.persons is None else self.persons.repeaters

    def count_persons(self, rows: npt.NDArray[np.bool_] | None = None) -> int:
        """Return the number of different persons among all rows or the marked ones. Without persons, count rows.

        >>> rows = Transactions.from_sets([["a"], ["b"], []]).of_persons([4, 4, 1])
        >>> rows.count_persons(), rows.count_persons(rows.sizes > 0)
        (2, 1)
        """
        if self.persons is None:
            return len(self) if rows is None else int(np.count_nonzero(rows))
        return self.persons.count(rows)

    def of_persons(self, persons: Persons | npt.ArrayLike | None) -> Transactions:
        """Return the same rows with their persons."""
        if persons is not None and not isinstance(persons, Persons):
            persons = Persons(np.asarray(persons))
        if persons is self.persons:
            return self  # very many rows take long to check again
        return replace(self, persons=persons)

    @property
    def sha256(self) -> str:
        """Return the hash of the rows, for data that did not come from a file."""
        digest = hashlib.sha256("\0".join(self.labels).encode())
        digest.update(self.indptr.tobytes())
        digest.update(self.items.tobytes())
        return digest.hexdigest()

    def part(self, start: int, stop: int) -> Self:
        """Return rows ``start`` to ``stop`` without copying their items. They have no persons.

        >>> Transactions.from_sets([["a"], ["b"], ["a", "b"]]).part(1, 3).sets()
        [frozenset({'b'}), frozenset({...})]
        """
        indptr = self.indptr[start : stop + 1]
        own = indptr - indptr[0]
        first = int(indptr[0])
        release(indptr)
        return self._valid(own, self.items[first : first + own[-1]], self.labels)

    def _each_part(self, work: Callable[[Transactions], Result]) -> Iterator[Result]:
        """Run ``work`` on parts of the rows, without progress, because it takes little time. Yield the results."""
        rows = current().part_rows

        def run(start: int) -> Result:
            part = self.part(start, min(start + rows, len(self)))
            result = work(part)
            part.release()
            return result

        return current().each(run, range(0, max(1, len(self)), rows))

    def release(self) -> None:
        """Let go of the memory of rows that are in a file. They are read again when needed."""
        release(self.items)
        release(self.indptr)

    def recode(self, code_of: Codes, labels: Sequence[str], stage: str = "recoding") -> Transactions:
        """Replace every item i by ``code_of[i]``. Equal codes in a row collapse. A negative code removes the item.

        ``stage``: what progress calls it.
        """
        code_of = np.asarray(code_of, dtype=np.int32)
        if len(code_of) < len(self.labels) or code_of.max(initial=-1) >= len(labels):
            raise DataError(f"Transactions: every item needs a code below {len(labels)}, or a negative one.")
        if len(set(labels)) != len(labels):
            raise DataError("Transactions: labels must be unique.")
        if np.array_equal(code_of, np.arange(len(code_of))):
            return Transactions._valid(self.indptr, self.items, tuple(labels), self.persons)
        if bool(np.all(code_of >= 0) and np.all(np.diff(code_of) > 0)):  # then rows keep their length and order
            return Transactions._valid(self.indptr, self._replaced(code_of, stage), tuple(labels), self.persons)
        rising = bool(np.all(np.diff(code_of[code_of >= 0]) >= 0))
        if len(self) <= current().part_rows:
            return Transactions._valid(*_recoded(self, code_of, rising), tuple(labels), self.persons)
        parts = current().over(stage, lambda part, _: _recoded(part, code_of, rising), self)
        return Transactions.joined(parts, tuple(labels), self.persons, rows=len(self), most=len(self.items))

    def _replaced(self, code_of: Codes, stage: str) -> Codes:
        """Replace every item i by ``code_of[i]``. The result may be larger than memory."""
        if len(self) <= current().part_rows:
            return code_of.take(self.items)
        items = current().collect(np.int32, len(self.items))
        with current().background() as background:
            for codes in current().over(stage, lambda part, _: code_of.take(part.items), self):
                background.run(items.append, codes)
        return items.array()

    def in_use(self) -> Transactions:
        """Return the same rows with only the labels that occur."""
        used = np.flatnonzero(self.supports)
        code_of = np.full(len(self.labels), -1, dtype=np.int32)
        code_of[used] = np.arange(len(used), dtype=np.int32)
        return self.recode(code_of, [self.labels[code] for code in used])

    def followed_by(self, other: Transactions) -> Transactions:
        """Return these rows, then those of another list with the same labels.

        >>> one, other = Transactions.from_sets([["a"]], ["a", "b"]), Transactions.from_sets([["b"], []], ["a", "b"])
        >>> one.followed_by(other).sets()
        [frozenset({'a'}), frozenset({'b'}), frozenset()]
        """
        if other.labels != self.labels:
            raise DataError("Transactions: rows can follow others only if the labels are the same.")
        indptr = np.concatenate([self.indptr, self.indptr[-1] + other.indptr[1:]])
        return Transactions(indptr, np.concatenate([self.items, other.items]), self.labels)

    def take(self, rows: Counts) -> Transactions:
        """Return some of the rows, in the given order.

        >>> Transactions.from_sets([["a"], ["b"], ["a", "b"]]).take(np.array([2, 0])).sets()
        [frozenset({...}), frozenset({'a'})]
        """
        sizes = self.indptr[rows + 1] - self.indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], sizes)
        return Transactions(indptr, self.items[at], self.labels, self.persons and self.persons.take(rows))


def _recoded(rows: Transactions, code_of: Codes, rising: bool) -> tuple[Offsets, Codes]:
    """Replace the items of rows by codes. ``rising``: the order of items and codes is the same, so rows stay sorted.

    This is done in blocks, so that the arrays in between are small enough for the cache.
    """
    starts = range(0, max(1, len(rows)), _BLOCK)
    blocks = [_recoded_block(rows.part(at, min(at + _BLOCK, len(rows))), code_of, rising) for at in starts]
    if len(blocks) == 1:
        return blocks[0]
    indptr, before = np.zeros(len(rows) + 1, dtype=np.int64), 0
    for at, (ends, codes) in zip(starts, blocks, strict=True):
        np.add(ends[1:], before, out=indptr[at + 1 : at + len(ends)])
        before += len(codes)
    return indptr, np.concatenate([codes for _, codes in blocks])


def _recoded_block(rows: Transactions, code_of: Codes, rising: bool) -> tuple[Offsets, Codes]:
    """Replace the items of some rows."""
    codes = code_of.take(rows.items)
    if not rising:
        ids = row_ids(rows.indptr)
        if len(codes) and codes.min() < 0:
            ids, codes = ids[codes >= 0], codes[codes >= 0]
        return csr_from_pairs(ids, codes, len(rows))
    kept = np.empty(len(codes) + 1, dtype=np.bool_)
    kept[1:-1] = codes[1:] != codes[:-1]
    kept[rows.indptr] = True  # the first item of a row
    kept = kept[:-1]
    if len(codes) and codes.min() < 0:  # then equal codes need not be neighbours
        there = codes >= 0
        ids = row_ids(rows.indptr)
        return csr_from_pairs(ids[there], codes[there], len(rows))
    ends = np.zeros(len(codes) + 1, dtype=np.int32 if len(codes) < _SHORT else np.int64)
    np.cumsum(kept, dtype=ends.dtype, out=ends[1:])
    different = codes.compress(kept)  # faster than codes[kept], and without the GIL
    return ends[rows.indptr].astype(np.int64, copy=False), different
