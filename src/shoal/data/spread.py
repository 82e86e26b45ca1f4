"""Transactions whose rows are on the workers of a cluster. Work goes to the rows (:mod:`shoal.engines.dask`).

The object itself holds only how many rows there are, how the codes of each part become codes of all data, and counts.
Whoever asks for the rows themselves (``items``, ``indptr``) gets them gathered in one place. Only code that runs on a
worker can do that: the object cannot leave the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, Offsets, frozen
from shoal.data.labels import canonical_order
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import SomeRows
from shoal.engines.shipping import Held, Remote, Shipped, contents_of, pack
from shoal.errors import DataError

if TYPE_CHECKING:
    from shoal.engines.dask import DaskEngine

Result = TypeVar("Result")

MOST_ROWS = 1 << 19  # of a part that a task gets
MANY_LABELS = 2_000  # are sent to each worker once, and not with every task


@dataclass(frozen=True, eq=False)
class HeldPart:
    """A part of the rows, as a worker holds it."""

    rows: Transactions
    sha256: str  # of its file

    def __sizeof__(self) -> int:
        """Return the size in memory."""
        return self.rows.indptr.nbytes + self.rows.items.nbytes


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a part that a worker holds."""

    future: Any  # of Held(HeldPart)
    name: str  # of its file
    sha256: str  # that its file had when it was read first
    start: int
    stop: int
    code_of: Codes | None = None  # the code of each item of the part; None: the same

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.stop - self.start

    def codes(self, code_of: Codes) -> Codes:
        """Return the code of each item of the part, after another recoding."""
        if self.code_of is None:
            return code_of
        return np.where(self.code_of >= 0, code_of[self.code_of], -1).astype(np.int32)


class SpreadTransactions(Transactions, Remote):
    """Rows on workers. Make it with :meth:`of_parts`."""

    _home: DaskEngine
    _pieces: tuple[Piece, ...]
    _whole: SpreadTransactions | None  # the rows that these are some of
    _together: Callable[[], SpreadTransactions]  # makes by_person

    @classmethod
    def _made(
        cls, home: DaskEngine, pieces: Sequence[Piece], labels: tuple[str, ...], persons: Persons | None = None
    ) -> Self:
        rows = object.__new__(cls)
        vars(rows).update(_home=home, _pieces=tuple(pieces), labels=labels, persons=persons, _whole=None)
        return rows

    @classmethod
    def of_parts(cls, home: DaskEngine, pieces: Sequence[Piece], labels: Sequence[Sequence[str]]) -> Self:
        """Build it from parts with labels of their own, each in canonical order."""
        order = canonical_order({label for own in labels for label in own})
        rank = {label: code for code, label in enumerate(order)}
        codes = [np.array([rank[label] for label in own], dtype=np.int32) for own in labels]
        own = [replace(piece, code_of=code_of) for piece, code_of in zip(pieces, codes, strict=True)]
        return cls._made(home, own, tuple(order))

    def __repr__(self) -> str:
        """Describe the size without showing any data."""
        return f"SpreadTransactions({len(self):,} rows, {len(self.labels):,} items)"

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(map(len, self._pieces))

    @cached_property
    def bounds(self) -> list[int]:
        """The first row of each part that a task gets, and the number of rows."""
        sizes = []
        for piece in self._pieces:
            slices = max(1, -(-len(piece) // MOST_ROWS))
            cuts = [at * len(piece) // slices for at in range(slices + 1)]
            sizes += [stop - start for start, stop in pairwise(cuts)]
        return [0, *accumulate(sizes)]

    @property
    def futures(self) -> Sequence[Any]:
        """The futures of the parts, and of the labels if they are many."""
        shared = self._shared_labels if self._whole is None else self._whole._shared_labels
        return [*(piece.future for piece in self._pieces), *shared]

    @cached_property
    def _shared_labels(self) -> tuple[Any, ...]:
        """The future of the labels, so that they are not sent with every task."""
        if len(self.labels) < MANY_LABELS:
            return ()
        return (self._home.submit("sending labels", _hold, Shipped.of(self.labels)),)

    @property
    def recipe(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """How to make the rows from the parts."""
        pieces = [replace(piece, future=None) for piece in self._pieces]
        return _assembled, (pieces, self.labels if len(self.labels) < MANY_LABELS else None)

    @cached_property
    def gathered(self) -> Transactions:
        """All rows in one place. Code that works part by part does not need it."""
        parts = self._home.over("gathering rows", lambda part, _: (part.indptr, part.items), self)
        return Transactions.joined(parts, self.labels, self.persons, rows=len(self), most=self.total_items)

    @property
    def indptr(self) -> Offsets:
        """Where the items of each row start."""
        return self.gathered.indptr

    @property
    def items(self) -> Codes:
        """The items of all rows."""
        return self.gathered.items

    @property
    def total_items(self) -> int:
        """The number of items of all rows."""
        return int(np.arange(len(self.size_counts)) @ self.size_counts)

    def part(self, start: int, stop: int) -> Self:
        """Return rows ``start`` to ``stop``, which stay where they are."""
        pieces, before = [], 0
        for piece in self._pieces:
            first, last = max(start - before, 0), min(stop - before, len(piece))
            if first < last:
                pieces.append(replace(piece, start=piece.start + first, stop=piece.start + last))
            before += len(piece)
        if not pieces:  # a task needs something to depend on
            pieces = [replace(self._pieces[0], stop=self._pieces[0].start)]
        rows = self._made(self._home, pieces, self.labels)
        vars(rows)["_whole"] = self if self._whole is None else self._whole
        return rows

    def _each_part(self, work: Callable[[Transactions], Result]) -> Iterator[Result]:
        """Run ``work`` on the parts. Yield the results."""
        return self._home.over("counting items", lambda part, _: work(part), self)

    def release(self) -> None:
        """Do nothing: the rows are elsewhere."""

    def recode(self, code_of: Codes, labels: Sequence[str], stage: str = "recoding") -> Transactions:
        """Replace every item i by ``code_of[i]``, on the workers."""
        code_of = np.asarray(code_of, dtype=np.int32)
        if len(code_of) < len(self.labels) or code_of.max(initial=-1) >= len(labels):
            raise DataError(f"Transactions: every item needs a code below {len(labels)}, or a negative one.")
        if len(set(labels)) != len(labels):
            raise DataError("Transactions: labels must be unique.")
        pieces = [replace(piece, code_of=piece.codes(code_of)) for piece in self._pieces]
        rows = self._made(self._home, pieces, tuple(labels), self.persons)
        vars(rows)["_together"] = lambda: self.by_person.recode(code_of, labels, stage)
        own = code_of[: len(self.labels)]
        if not bool(np.all(own >= 0) and np.all(np.diff(own) > 0)):  # otherwise it is cheap enough for each task
            vars(rows)["_pieces"] = rows._stored(stage)
        if bool(np.all(own >= 0)) and len(np.unique(own)) == len(own):  # each label has its own code
            supports = np.zeros(len(labels), dtype=np.int64)
            supports[own] = self.supports
            rows.with_counts(supports, self.size_counts)
        return rows

    def _stored(self, stage: str) -> tuple[Piece, ...]:
        """Return the same rows, recoded once and kept on the workers."""
        stored = []
        ends = [0, *accumulate(map(len, self._pieces))]
        for piece, (start, stop) in zip(self._pieces, pairwise(ends), strict=True):
            shipped, futures = pack(self.part(start, stop))
            future = self._home.submit(stage, _store, shipped, piece.sha256, *futures)
            stored.append(replace(piece, future=future, start=0, stop=len(piece), code_of=None))
        return tuple(stored)

    def derived(
        self,
        stage: str,
        work: Callable[[SomeRows], tuple[Offsets, Codes]],
        rows: SomeRows,
        labels: tuple[str, ...],
        most: int,
    ) -> Transactions:
        """Return new sets for these records. They are made on the workers, and stay there."""
        shipped, pieces = self._home.shared(stage, Shipped.of((work, labels))), list[Piece]()
        for start, stop in pairwise(self.bounds):
            part, futures = pack(rows.part(start, stop))
            future = self._home.submit(stage, _derive, shipped, part, *futures)
            pieces.append(Piece(future, "rows that were made anew", "", 0, stop - start))
        made = self._made(self._home, pieces, labels, self.persons)
        vars(made)["_together"] = made._brought_together
        return made

    @cached_property
    def sizes(self) -> Counts:
        """The number of items of each row."""
        return np.concatenate(list(self._each_part(lambda part: part.sizes)))

    def take(self, rows: Counts) -> Transactions:
        """Return some of the rows, in the given order, fetched from the workers."""
        wanted, back = np.unique(rows, return_inverse=True)
        cuts = np.searchsorted(wanted, self.bounds)

        def tasks() -> Iterator[tuple[Transactions, Counts]]:
            for (start, stop), (first, last) in zip(pairwise(self.bounds), pairwise(cuts.tolist()), strict=True):
                if first < last:
                    yield self.part(start, stop), wanted[first:last] - start

        def picked(task: tuple[Transactions, Counts]) -> tuple[Offsets, Codes]:
            some = task[0].take(task[1])
            return some.indptr, some.items

        parts = list(self._home.send("fetching rows", picked, tasks()))
        most = sum(len(items) for _, items in parts)
        fetched = Transactions.joined(parts, self.labels, rows=len(wanted), most=most)
        if not np.array_equal(back, np.arange(len(wanted))):
            fetched = fetched.take(back)
        return fetched if self.persons is None else fetched.of_persons(self.persons.take(rows))

    def of_persons(self, persons: Persons | npt.ArrayLike | None) -> Transactions:
        """Return the same rows with their persons. They stay where they are."""
        if persons is not None and not isinstance(persons, Persons):
            persons = Persons(np.asarray(persons))
        if persons is self.persons:
            return self
        if persons is not None and len(persons) != len(self):
            raise DataError(f"Transactions: {len(self):,} rows but {len(persons):,} persons.")
        rows = self._made(self._home, self._pieces, self.labels, persons)
        vars(rows)["_together"] = rows._brought_together
        return rows.with_counts(self.supports, self.size_counts)

    @cached_property
    def by_person(self) -> Transactions:
        """The rows in the order of :attr:`repeaters`, so that all rows of a person are in one part."""
        return self._together()

    def _brought_together(self) -> Transactions:
        """Move the rows of each person to one worker (:mod:`shoal.data.together`)."""
        from shoal.data.together import bring_together

        pieces = bring_together(self._home, self, self.repeaters)
        return self._made(self._home, pieces, self.labels).with_counts(self.supports, self.size_counts)

    def united(self, record_of: Counts) -> SpreadTransactions:
        """Return a row for each record, with the items of all its rows. Records are numbered from 0."""
        from shoal.data.together import bring_together

        return self._made(self._home, bring_together(self._home, self, record_of, unite=True), self.labels)

    def with_counts(self, supports: Counts, size_counts: Counts) -> Self:
        """Return the same rows, with counts that are already known."""
        vars(self).update(supports=frozen(supports, np.int64), size_counts=frozen(size_counts, np.int64))
        return self


def _assembled(pieces: Sequence[Piece], labels: tuple[str, ...] | None, *contents: Any) -> Transactions:
    """Return rows from the parts of a worker. Refuse a part that is not the one that was read first.

    ``contents``: the parts and, if they were not sent with the task, the labels.
    """
    found, parts = list[Transactions](), contents[: len(pieces)]
    labels = contents[-1] if labels is None else labels
    for piece, part in zip(pieces, parts, strict=True):
        check_same(part, piece.name, piece.sha256)
        whole = piece.start == 0 and piece.stop == len(part.rows)
        rows = part.rows if whole else part.rows.part(piece.start, piece.stop)
        if piece.code_of is not None:
            rows = rows.recode(piece.code_of, labels)
        found.append(rows)
    if len(found) == 1:
        return found[0]
    every = [(rows.indptr, rows.items) for rows in found]
    return Transactions.joined(every, labels, rows=sum(map(len, found)), most=sum(len(items) for _, items in every))


def check_same(part: HeldPart, name: str, sha256: str) -> None:
    """Refuse a part that was read again, after a worker was lost, if its file has another hash now."""
    if part.sha256 != sha256:
        raise DataError(f"{name} changed while it was read: wait until it is complete, and try again.")


def _hold(value: Shipped) -> Held:
    """Keep a value on a worker."""
    return Held(value.open())


def _derive(how: Shipped, part: Shipped, *held: Held) -> Held:
    """Make new rows, and keep them on the worker."""
    from shoal.engines.dask import hold

    def derive() -> HeldPart:
        work, labels = how.open()
        indptr, items = work(part.open(contents_of(held)))
        return HeldPart(Transactions(indptr, items, labels), "")

    return hold(derive)


def _store(rows: Shipped, sha256: str, *held: Held) -> Held:
    """Keep recoded rows on a worker."""
    from shoal.engines.dask import hold

    return hold(lambda: HeldPart(rows.open(contents_of(held)), sha256))
