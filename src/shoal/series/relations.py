"""Whether two releases hold the same records, as far as their ids and labels tell.

Every pair of releases gets an answer. Only :data:`SAME` ones are put together, so all others are told to the owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from shoal.risk.together import View, compatible, excess_of_single_matches
from shoal.risk.together.pairing import Pairing, pair_up

How = Literal["id", "position", "order", "partly", "different", "unknown", "large"]
SAME: tuple[How, ...] = ("id", "position", "order")
OPEN: tuple[How, ...] = ("partly", "unknown", "large")
MOST = 0.5  # the share of records that must be paired at the least
ROWS_TELL, PAIRS_TELL, PART_TELLS = 6, 25, 100  # records that chance leaves at the least, or the labels tell too little
SAME_LEFT, PARTLY_LEFT = 0.25, 0.6  # of the records that halves leave, how many are left if releases overlap
CLEAR, CLEAR_IF_ALL = 0.7, 0.92  # shares of halves that are paired, up to which the whole tells something
EXCESS = 4  # times more single matches than chance can explain


@dataclass(frozen=True)
class Relation:
    """Whether two releases hold the same records.

    Parameters
    ----------
    releases : tuple of str
        The two releases, the older one first.
    how : str
        ``"id"``: their ids are known. ``"position"``: rows at the same place are the same records. ``"order"``: they
        hold mostly the same records in another order. ``"partly"``: a large part of the records is in both.
        ``"different"``: most records are others. ``"unknown"``: their labels do not tell. ``"large"``: they are too
        large to be compared.
    share : float or None
        The share of the smaller release whose records can be the same as records of the other, each used once.
    by_chance : float or None
        The same share for rows that are far apart, or for random halves of both: about what chance makes, or more.
    stated_new : bool
        Whether the owner stated that the records of the newer one are new.

    Examples
    --------
    >>> Relation(("jan", "feb"), "different", 0.61, 0.55).same
    False
    """

    releases: tuple[str, str]
    how: How
    share: float | None = None
    by_chance: float | None = None
    stated_new: bool = False

    @property
    def same(self) -> bool:
        """Whether they are put together."""
        return self.how in SAME

    @property
    def open(self) -> bool:
        """Whether nobody can tell if they hold the same records."""
        return self.how in OPEN

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {**vars(self), "releases": list(self.releases)}


def relation(first: View, second: View, *, stated_new: bool = False) -> tuple[Relation, Pairing | None]:
    """Find out whether two releases hold the same records. With the relation, the pairs if their order differs."""
    names = (first.name, second.name)
    if first.persons is None and second.persons is None:  # otherwise records are sorted by content
        fit, by_chance = _at_the_same_place(first, second)
        if _same_rows(fit, by_chance, min(len(first), len(second))):
            return Relation(names, "position", fit, by_chance, stated_new), None
    pairs = pair_up(first, second)
    how: How
    if pairs is None:
        how = "order" if _too_many_single_matches(first, second) else "large"
        return Relation(names, how, stated_new=stated_new), None
    rng = np.random.default_rng(0)
    halves = pair_up(*(view.take(np.sort(rng.permutation(len(view))[::2])) for view in (first, second)))
    by_chance = 1.0 if halves is None else halves.share
    how = _by_pairs(pairs.share, by_chance, min(len(first), len(second)))
    clear = pairs.came is not None or by_chance <= CLEAR or (pairs.share == 1 and by_chance <= CLEAR_IF_ALL)
    if how in ("order", "partly") and not clear and not _too_many_single_matches(first, second):
        how = "unknown"
    return Relation(names, how, pairs.share, by_chance, stated_new), pairs


def _at_the_same_place(first: View, second: View) -> tuple[float, float]:
    """Return the share of rows that fit the row at the same place, and the largest share at some other places.

    Rows next to each other are among these, because equal rows are neighbours in sorted data.
    """
    number = min(len(first), len(second))
    rows = np.arange(number)
    if not number:
        return 0.0, 1.0
    ours = first.take(rows)
    shifts = (0, 1, 7, max(1, number // 2), max(1, number // 3))
    here, *there = (float(compatible(ours, second.take((rows + by) % number)).mean()) for by in shifts)
    return here, max(there)


def _same_rows(share: float, by_chance: float, records: int) -> bool:
    """Whether so many rows fit the row at the same place that they must be the same records.

    >>> _same_rows(0.99, 0.6, 1000), _same_rows(0.7, 0.6, 1000), _same_rows(1.0, 0.999, 1000)
    (True, False, False)
    """
    return records * (1 - by_chance) >= ROWS_TELL and share >= MOST and 1 - share <= SAME_LEFT * (1 - by_chance)


def _by_pairs(share: float, by_chance: float, records: int) -> How:
    """Return what the share of records says that can be paired, in the whole and in random halves.

    If a part q of the records is in both releases, half as large a part is in both halves. Then of the share that
    halves leave, the whole leaves (1 - q) / (1 - q/2): a quarter for q = 0.86, and 0.6 for q = 0.57. Without common
    records it leaves most of it, unless nearly all records of the halves find a pair: see :func:`relation`.

    >>> [_by_pairs(share, 0.6, 1000) for share in (1.0, 0.8, 0.64)], _by_pairs(1.0, 0.99, 1000)
    (['order', 'partly', 'different'], 'unknown')
    """
    if records * (1 - by_chance) < PAIRS_TELL:
        return "unknown"
    left = (1 - share) / (1 - by_chance)
    if share < MOST or left > PARTLY_LEFT:
        return "different"
    if left <= SAME_LEFT:
        return "order"
    return "partly" if records * (1 - by_chance) >= PART_TELLS else "unknown"


def _too_many_single_matches(first: View, second: View) -> bool:
    """Whether more records match exactly one record than chance can explain, in both directions.

    Where nearly all records can be paired, halves say little: a few more records let all find a pair.
    """
    sides = ((first, second), (second, first))
    return all(excess_of_single_matches(*side) >= EXCESS for side in sides)
