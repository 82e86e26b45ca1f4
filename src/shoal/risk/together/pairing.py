"""How many records of two releases can be the same, if each record is used once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.transactions import Transactions
from shoal.published import Grouping
from shoal.risk.together.joined import stacked
from shoal.risk.together.matching import Kinds, matches
from shoal.risk.together.overlap import Covers, Overlaps
from shoal.risk.together.view import View

PAIRS = 5_000_000  # pairs of different records that can be the same; of more, nothing is said
EVERY = 2_000_000_000  # pairs of different records that are compared


@dataclass(frozen=True, eq=False)
class Pairing:
    """As many pairs as possible of a record and a record that it can be.

    Parameters
    ----------
    records : tuple of int
        How many records the two releases have.
    paired : int
        How many pairs there are.
    left, came : View or None
        The records of each release that are in no pair. None: other records could be left as well.
    """

    records: tuple[int, int]
    paired: int
    left: View | None = None
    came: View | None = None

    @property
    def share(self) -> float:
        """The share of the smaller release that is paired."""
        return self.paired / max(1, min(self.records))


def pair_up(first: View, second: View) -> Pairing | None:
    """Pair the records of two releases. None: there are too many that can be the same.

    If the second release groups items as the first, or more, a record has one possible image, and equal ones are
    paired. Otherwise this is a flow from records to those that they can be.

    >>> from shoal.published import Published
    >>> from shoal.risk.together.view import Source, views_of
    >>> cups = {"ale or tea": ["ale", "tea"]}
    >>> jan = Source("jan", Published.plain(Transactions.from_sets([["ale"], ["tea"], ["rye"]])), cups.get)
    >>> feb = Source("feb", Published.plain(Transactions.from_sets([["rye"], ["ale or tea"], ["rye"]])), cups.get)
    >>> forth, back = pair_up(*views_of([jan, feb])), pair_up(*views_of([feb, jan]))
    >>> (forth.paired, forth.left.rows.sets(), forth.came.rows.sets()), (back.paired, back.left)
    ((2, [frozenset({'ale or tea'})], [frozenset({'rye'})]), (2, None))
    """
    becomes = _image(first, second)
    return _flow(first, second) if becomes is None else _equal(first, second, becomes)


def _image(first: View, second: View) -> Codes | None:
    """Return the label of the second release that each label of the first becomes, or None if it is not certain.

    Labels from the number of those of the second on are in the first alone. -1: the second leaves its items out.
    """
    one, other = first.with_removed, second.with_removed
    overlaps = Overlaps.of(one.covers, other.covers)
    real, theirs = len(first.rows.labels), len(second.rows.labels)
    becomes = theirs + np.arange(len(one.rows.labels), dtype=np.int32)
    becomes[overlaps.first] = np.where(overlaps.second < theirs, overlaps.second, -1)
    several = np.bincount(overlaps.first, minlength=len(becomes)) > 1
    shown_later = (overlaps.first >= real) & (overlaps.second < theirs)
    return None if several.any() or shown_later.any() else becomes[:real]


def _equal(first: View, second: View, becomes: Codes) -> Pairing:
    """Pair records that are equal in the labels of the second release."""
    labels = (*second.rows.labels, *(f"{label} (in {first.name} only)" for label in first.rows.labels))
    image = first.rows.recode(becomes, labels)
    both = Transactions(*stacked([(image.indptr, image.items), (second.rows.indptr, second.rows.items)]), labels)
    kinds = Grouping.of_equal_rows(both, np.ones(len(both), dtype=np.bool_)).of
    ours, theirs = kinds[: len(first)], kinds[len(first) :]
    number = int(kinds.max(initial=-1)) + 1
    before, after = np.bincount(ours, minlength=number), np.bincount(theirs, minlength=number)
    covers = Covers.joined(second.covers, first.covers)
    seen = replace(first.published, rows=image, cover_indptr=covers.indptr, cover_items=covers.items)
    return Pairing(
        (len(first), len(second)),
        int(np.minimum(before, after).sum()),
        replace(first, published=seen, covers=covers).take(_beyond(ours, after)),
        second.take(_beyond(theirs, before)),
    )


def _beyond(kinds: Counts, paired: Counts) -> Counts:
    """Return the records of each kind that are left when so many of its first ones are paired."""
    order = np.argsort(kinds, kind="stable")
    starts = np.searchsorted(kinds[order], np.arange(len(paired)))
    turn = np.arange(len(kinds)) - starts[kinds[order]]
    left: Counts = np.sort(order[turn >= paired[kinds[order]]])
    return left


def _flow(first: View, second: View) -> Pairing | None:
    """Pair records that match each other."""
    ours, theirs = Kinds.in_view(first), Kinds.in_view(second)
    if len(ours) * len(theirs) > EVERY:
        return None
    found, number = [(np.zeros(0, dtype=np.int64),) * 2], 0
    for part in matches(ours.view, theirs.view):
        found.append(part)
        number += len(part[0])
        if number > PAIRS:
            return None
    left, right = (np.concatenate([part[side] for part in found]) for side in (0, 1))
    return Pairing((len(first), len(second)), _largest(ours.times, theirs.times, left, right))


def _largest(ours: Counts, theirs: Counts, left: Counts, right: Counts) -> int:
    """Return the largest number of pairs of records of matching kinds, each record in one pair.

    >>> _largest(np.array([2, 1]), np.array([1, 5]), np.array([0, 0, 1]), np.array([0, 1, 0]))
    3
    """
    if not len(left):
        return 0
    from ortools.graph.python import max_flow

    source, sink = len(ours) + len(theirs), len(ours) + len(theirs) + 1
    network = max_flow.SimpleMaxFlow()
    mine, others = np.arange(len(ours)), len(ours) + np.arange(len(theirs))
    network.add_arcs_with_capacity(np.full(len(ours), source), mine, ours)
    network.add_arcs_with_capacity(left, len(ours) + right, np.minimum(ours[left], theirs[right]))
    network.add_arcs_with_capacity(others, np.full(len(theirs), sink), theirs)
    if network.solve(source, sink) != network.OPTIMAL:
        return 0
    return int(network.optimal_flow())
