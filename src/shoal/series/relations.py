"""Whether two releases hold the same records, as far as their ids and labels tell.

Every pair of releases gets an answer. Only :data:`SAME` ones are put together, so all others are told to the owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from shoal.risk.together import View, compatible
from shoal.risk.together.pairing import Pairing, pair_up

How = Literal["id", "position", "order", "different", "unknown"]
SAME: tuple[How, ...] = ("id", "position", "order")
MOST = 0.5  # the share of records that must be paired at the least
FEWER = 4  # so many times fewer records are left than by chance
TELLING = 4  # records that chance leaves at the least, or the labels tell too little


@dataclass(frozen=True)
class Relation:
    """Whether two releases hold the same records.

    Parameters
    ----------
    releases : tuple of str
        The two releases, the older one first.
    how : str
        ``"id"``: their ids are known. ``"position"``: rows at the same place are the same records. ``"order"``: they
        hold mostly the same records in another order. ``"different"``: they hold mostly other records. ``"unknown"``:
        their labels do not tell.
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

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {**vars(self), "releases": list(self.releases)}


def relation(first: View, second: View, *, stated_new: bool = False) -> tuple[Relation, Pairing | None]:
    """Find out whether two releases hold the same records. With the relation, the pairs if their order differs."""
    names = (first.name, second.name)
    if first.persons is None and second.persons is None:  # otherwise records are sorted by content
        fit, by_chance = _at_the_same_place(first, second)
        if _likely(fit, by_chance, min(len(first), len(second))):
            return Relation(names, "position", fit, by_chance, stated_new), None
    pairs = pair_up(first, second)
    if pairs is None:
        return Relation(names, "unknown", stated_new=stated_new), None
    rng = np.random.default_rng(0)
    halves = pair_up(*(view.take(np.sort(rng.permutation(len(view))[::2])) for view in (first, second)))
    by_chance = 1.0 if halves is None else halves.share
    found = _likely(pairs.share, by_chance, min(len(first), len(second)))
    how: How = "unknown" if found is None else "order" if found else "different"
    return Relation(names, how, pairs.share, by_chance, stated_new), pairs


def _at_the_same_place(first: View, second: View) -> tuple[float, float]:
    """Return the share of rows that fit the row at the same place, and that of rows that fit one far away."""
    number = min(len(first), len(second))
    rows = np.arange(number)
    if not number:
        return 0.0, 1.0
    ours = first.take(rows)
    shifts = (0, max(1, number // 2), max(1, number // 3))
    here, *there = (float(compatible(ours, second.take((rows + by) % number)).mean()) for by in shifts)
    return here, min(there)


def _likely(share: float, by_chance: float, records: int) -> bool | None:
    """Whether so many records fit each other that they must be the same. None: nobody can tell.

    >>> _likely(0.99, 0.6, 1000), _likely(0.7, 0.6, 1000), _likely(1.0, 0.999, 1000)
    (True, False, None)
    """
    if records * (1 - by_chance) < TELLING:
        return None
    return share >= MOST and (1 - share) * FEWER <= 1 - by_chance
