"""For intruders who do not know which records of two releases belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.persons import Persons
from shoal.engines import LOCAL, Engine
from shoal.metrics.risk import min_matching
from shoal.models.base import PrivacyModel
from shoal.risk.figure import Figure
from shoal.risk.intervals import quantile_ranks, share_bounds
from shoal.risk.together.findings import Matched
from shoal.risk.together.joined import Joined
from shoal.risk.together.linked import demand_of
from shoal.risk.together.matching import Kinds, matches
from shoal.risk.together.overlap import places_below
from shoal.risk.together.view import View

EVERY = 2_000_000_000  # pairs of different records; of more, some records of the first release are drawn
DRAWS = 2_000
FEW = 20  # records with a single match that tell something
PAIRS = 5_000_000  # pairs of different records that are kept
ROWS = 2_000_000  # pairs of a record and a kind of record that it matches, for crowds


def matched(
    first: View, second: View, model: PrivacyModel, *, seed: int = 0, engine: Engine = LOCAL, every: int = EVERY
) -> Matched:
    """Return what is learned of records that are in both releases, by whoever compares their labels.

    Each pair of records is looked at alone. Whoever solves the puzzle as a whole, such as "this record can only be that
    one, so another cannot", may do better.

    Parameters
    ----------
    first, second
        The releases.
    model
        The guarantee.
    seed
        The seed of draws, if there are too many pairs.
    engine
        Where the work is done.
    every
        How many pairs of different records are looked at. If there are more, records of the first release are drawn.
    """
    ours, theirs = Kinds.in_view(first), Kinds.in_view(second)
    draws, which, times = 0, np.arange(len(ours)), ours.times
    if len(ours) * len(theirs) > every:
        draws = DRAWS
        drawn = np.random.default_rng(seed).integers(0, len(first), draws)
        which, times = np.unique(ours.of[drawn], return_counts=True)
    found = _Found.of(ours.view.take(which), theirs)
    number, single = found.number, found.number == 1
    alone = single[found.left]
    left, right = found.left[alone], found.right[alone]
    recovered = np.zeros(len(which), dtype=np.bool_)
    recovered[left] = Joined.of([ours.view.take(which[left]), theirs.view.take(right)]).recovered
    below = maybe = None
    least = None if draws or not found.complete else _least(ours, theirs, found.left, found.right, model, engine)
    if least is not None:
        small = np.zeros(len(which), dtype=np.bool_)
        small[found.left[least]] = True
        below, maybe = _share(small & (found.kinds == 1), times, 0), _share(small, times, 0)
    return Matched(
        releases=(first.name, second.name),
        records=len(first),
        draws=draws,
        unmatched=_share(number == 0, times, draws),
        single=_share(single, times, draws),
        fewest=_fewest(number[number > 0], draws),
        median=_median(np.repeat(number, times), draws, len(second)),
        below=below,
        maybe_below=maybe,
        recovered=_share(recovered, times, draws),
    )


def excess_of_single_matches(first: View, second: View, seed: int = 0) -> float:
    """Return how many times more records match exactly one record than chance can explain. 0: there are too few.

    Only records that no other equals are looked at. Let a record match L of those in the other release by chance, on
    average. Then it matches none, one and two with the probabilities exp(-L), L exp(-L) and L^2 exp(-L) / 2. However L
    differs among records, the square of the share with one match is at most twice the product of the other two
    (Cauchy and Schwarz). Records that are in both releases have one match more, so few have none. The excess is that
    square, divided by twice the product.
    """
    ours, theirs = (Kinds.in_view(view) for view in (first, second))
    mine, others = (np.flatnonzero(kinds.times == 1) for kinds in (ours, theirs))
    if len(mine) > DRAWS:
        mine = np.sort(np.random.default_rng(seed).choice(mine, DRAWS, replace=False))
    if not len(mine) or not len(others):
        return 0.0
    number = _Found.of(ours.view.take(mine), Kinds.in_view(theirs.view.take(others))).number
    none, one, two = (int(np.count_nonzero(number == times)) for times in (0, 1, 2))
    return 0.0 if one < FEW else one * one / (2 * max(1, none) * max(1, two))


@dataclass(frozen=True, eq=False)
class _Found:
    """The matches of some records of the first release, one of each kind, with kinds of the second."""

    number: Counts  # of records that each matches
    kinds: Counts  # of different records among them
    left: Counts  # the pairs; without ``complete`` only those of records that match one kind
    right: Counts
    complete: bool

    @classmethod
    def of(cls, first: View, second: Kinds) -> _Found:
        """Find them."""
        number, kinds = (np.zeros(len(first), dtype=np.int64) for _ in range(2))
        pairs: list[tuple[Counts, Counts]] = []
        complete = True
        for left, right in matches(first, second.view):
            np.add.at(number, left, second.times[right])
            np.add.at(kinds, left, 1)
            pairs.append((left, right))
            complete = complete and sum(len(some) for some, _ in pairs) <= PAIRS
            if not complete:
                pairs = [(some[kinds[some] == 1], others[kinds[some] == 1]) for some, others in pairs]
        empty = np.zeros(0, dtype=np.int64)
        sides = [np.concatenate([empty, *(pair[side] for pair in pairs)]) for side in (0, 1)]
        return cls(number, kinds, sides[0], sides[1], complete)


def _least(
    ours: Kinds, theirs: Kinds, left: Counts, right: Counts, model: PrivacyModel, engine: Engine
) -> npt.NDArray[np.bool_] | None:
    """Return for each pair of kinds whether some items leave a crowd below k. None: there are too many records.

    The crowd of some items are the records of a release that can hold them and match a record of the other that can.
    """
    sides = [(ours, left), (theirs, right)]
    if max(int(kinds.times[place].sum()) for kinds, place in sides) > ROWS:
        return None
    both = Joined.of([ours.view.take(left), theirs.view.take(right)])
    small = np.zeros(len(left), dtype=np.bool_)
    for kinds, place in sides:
        pair, record = places_below(place, kinds.starts)
        rows = both.rows.take(pair).of_persons(Persons(kinds.whose[record]))
        demand = demand_of(model, rows)
        if demand is None or demand.k < 2:
            return None
        least = min_matching(rows, max(1, min(demand.known, rows.longest)), engine)[-1]
        small[pair[least < demand.k]] = True
    return small


def _share(marked: npt.NDArray[np.bool_], times: Counts, draws: int) -> Figure:
    """Return the share of records of the marked kinds."""
    total, number = int(times.sum()), int(times[marked].sum())
    if not draws:
        return Figure.of(number / max(1, total))
    return Figure.within(number / draws, *share_bounds(number, number, draws))


def _fewest(numbers: Counts, draws: int) -> Figure:
    """Return the smallest number."""
    least = int(numbers.min(initial=np.iinfo(np.int64).max)) if len(numbers) else 0
    return Figure.within(least, min(1, least), least) if draws else Figure.of(least)


def _median(numbers: Counts, draws: int, most: int) -> Figure:
    """Return the median."""
    ranked = np.sort(numbers)
    if not len(ranked):
        return Figure.of(0)
    middle = int(ranked[(len(ranked) - 1) // 2])
    if not draws:
        return Figure.of(middle)
    low, high = quantile_ranks(0.5, draws)
    return Figure.within(middle, int(ranked[low - 1]) if low else 0, int(ranked[high - 1]) if high <= draws else most)
