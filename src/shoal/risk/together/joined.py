"""Records that are in several releases, put together: what all of them say about the same record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.published import Published
from shoal.risk.together.overlap import Covers, Overlaps, places_below
from shoal.risk.together.view import REMOVED, View

PAIRS = 1 << 22  # pairs of labels that are looked at together


@dataclass(frozen=True, eq=False)
class Joined:
    """Records that are in several releases.

    A label of it is a label of each release. It stands for the items that all of these represent. A record holds it if
    the record holds all its parts, and they share an item. So whoever knows an item of a record, and has all releases,
    looks for the label of that item here.

    Parameters
    ----------
    rows : Transactions
        The records as sets of these labels.
    covers : Covers
        The items of each label.
    parts : array
        For each label its label in each release; -1 stands for the items that the release leaves out.
    fits : array of bool
        Whether the labels of each record fit each other: whether some set of items is published as all of them.
    """

    rows: Transactions
    covers: Covers
    parts: npt.NDArray[np.int32]
    fits: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, views: Sequence[View]) -> Joined:
        """Put releases together. Row i of each is the same record.

        >>> from shoal.risk.together.view import Source, views_of
        >>> rows = Transactions.from_sets([["ale or tea"], ["ale or tea"]])
        >>> jan = Source("jan", Published.plain(rows), {"ale or tea": ["ale", "tea"]}.get)
        >>> feb = Source("feb", Published.plain(Transactions.from_sets([["tea or rye"], ["rye"]])),
        ...              {"tea or rye": ["tea", "rye"]}.get)
        >>> both = Joined.of(views_of([jan, feb]))
        >>> both.rows.sets(), both.fits.tolist(), both.recovered.tolist()
        ([frozenset({'ale or tea & tea or rye'}), frozenset()], [True, False], [True, False])
        """
        first = views[0].with_removed
        real = len(views[0].rows.labels)
        codes = np.arange(len(first.rows.labels), dtype=np.int32)
        parts = np.where(codes < real, codes, -1)[:, None].astype(np.int32)
        found = cls(first.rows, first.covers, parts, np.ones(len(first), dtype=np.bool_))
        for view in views[1:]:
            found = found._with(view)
        return found._finished(views)

    def _with(self, view: View) -> Joined:
        """Put one more release to it."""
        second, real = view.with_removed, len(view.rows.labels)
        overlaps = Overlaps.of(self.covers, second.covers)
        blocks = _blocks(self.rows.sizes * second.rows.sizes)
        parts_of_rows = ((self.rows.part(*ends), second.rows.part(*ends)) for ends in blocks)
        indptr, numbers = stacked([_paired(one, other, overlaps) for one, other in parts_of_rows])
        used, codes = np.unique(numbers, return_inverse=True)
        mine, theirs = overlaps.first[used], overlaps.second[used]
        parts = np.column_stack([self.parts[mine], np.where(theirs < real, theirs, -1)]).astype(np.int32)
        labels = tuple(map(str, range(len(used))))
        rows = Transactions(indptr, codes.astype(np.int32), labels, self.rows.persons)
        return Joined(rows, _taken(overlaps.covers, used), parts, self.fits)

    def _finished(self, views: Sequence[View]) -> Joined:
        """Return the same without labels that no release says anything about, and with names for the others."""
        kept = np.flatnonzero((self.parts >= 0).any(axis=1))
        code_of = np.full(len(self.parts), -1, dtype=np.int32)
        code_of[kept] = np.arange(len(kept))
        parts = self.parts[kept]
        rows = self.rows.recode(code_of, _names(parts, views))
        fits = np.ones(len(rows), dtype=np.bool_)
        for view, part in zip(views, parts.T, strict=True):
            fits &= _different(rows, part) == view.rows.sizes  # each published label has a possible item
        return Joined(rows, _taken(self.covers, kept), parts, fits)

    @property
    def recovered(self) -> npt.NDArray[np.bool_]:
        """Whether all items of each record are certain, but for those that no release publishes.

        An item is certain if a published label of the record can only mean this item. (Labels of a release must not
        share items.)
        """
        rows, entries = row_ids(self.rows.indptr), self.rows.items
        certain = np.zeros(len(entries), dtype=np.bool_)
        for part in self.parts.T:
            keys = rows * np.int64(part.max(initial=0) + 2) + part[entries] + 1
            _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
            certain |= (times[place] == 1) & (part[entries] >= 0)
        certain &= self.covers.sizes[entries] == 1
        open_ones = np.bincount(rows[~certain], minlength=len(self.rows))
        recovered: npt.NDArray[np.bool_] = (open_ones == 0) & (self.rows.sizes > 0) & self.fits
        return recovered

    def published(self, views: Sequence[View]) -> Published:
        """Return the records as a model verifies them."""
        items = views[-1].published.items
        return Published(self.rows.of_persons(whose(views)), self.covers.indptr, self.covers.items, items)


def whose(views: Sequence[View]) -> Persons | None:
    """Return the persons of records that are in all of these releases. One release that names them is enough."""
    return next((view.persons for view in views if view.persons is not None), None)


def compatible(first: View, second: View) -> npt.NDArray[np.bool_]:
    """Whether row i of two releases can be the same record."""
    return Joined.of([first, second]).fits


def _paired(one: Transactions, other: Transactions, overlaps: Overlaps) -> tuple[Offsets, Codes]:
    """Return the pairs of labels of each record that share an item."""
    row_of = row_ids(one.indptr)
    left, right = places_below(row_of, other.indptr)
    numbers = overlaps.number(one.items[left], other.items[right])
    return csr_from_pairs(row_of[left[numbers >= 0]], numbers[numbers >= 0], len(one))


def _different(rows: Transactions, part: npt.NDArray[np.int32]) -> Counts:
    """Return how many different labels of a release are parts of the labels of each record."""
    labels, row_of = part[rows.items], row_ids(rows.indptr)
    return np.diff(csr_from_pairs(row_of[labels >= 0], labels[labels >= 0], len(rows))[0])


def _blocks(work: Counts) -> Iterator[tuple[int, int]]:
    """Yield parts of the rows with at most about so many pairs."""
    done = np.concatenate([[0], np.cumsum(work)])
    marks = np.arange(0, int(done[-1]) + 1, PAIRS)
    ends = np.unique(np.append(np.searchsorted(done, marks), len(work)))
    yield from pairwise(np.unique(np.append(0, ends)).tolist())


def stacked(pieces: Sequence[tuple[Offsets, Codes]]) -> tuple[Offsets, Codes]:
    """Return the parts of a CSR as one."""
    sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(indptr) for indptr, _ in pieces)])
    codes = np.concatenate([np.zeros(0, dtype=np.int32), *(codes for _, codes in pieces)])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), codes


def _taken(covers: Covers, labels: Codes | Counts) -> Covers:
    """Return the covers of some of the labels."""
    _, places = places_below(labels, covers.indptr)
    indptr = np.concatenate([[0], np.cumsum(covers.sizes[labels])])
    return Covers(indptr, covers.items[places])


def _names(parts: npt.NDArray[np.int32], views: Sequence[View]) -> list[str]:
    """Return a name for each label: the different labels that it is made of."""
    names: dict[str, int] = {}
    listed = []
    for codes in parts.tolist():
        pieces = [view.rows.labels[code] if code >= 0 else REMOVED for code, view in zip(codes, views, strict=True)]
        name = " & ".join(dict.fromkeys(pieces))
        turn = names[name] = names.get(name, 0) + 1
        listed.append(name if turn == 1 else f"{name} #{turn}")
    if len(set(listed)) < len(listed):  # a label ends in such a number itself
        return [f"{name} ({at})" for at, name in enumerate(listed)]
    return listed
