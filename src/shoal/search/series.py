"""The best recodings for several pairs (k, m) on the same data, with shared work.

A pair is *stricter* than another if neither its k nor its m is smaller. Then

- a recoding that is safe for it is safe for the other: a search for the other can start there and returns nothing
  worse;
- a threat or a lower bound that was found for the other holds for it, too.

**Cuts of one hierarchy** go from the weakest pair to the strictest. Each search starts from the threats and the bound
of those before it (:meth:`shoal.search.exact.ExactSearch.follow`), and finds a first safe cut, whatever the limit. A
pair whose search was interrupted may take over the cut of a stricter one.

**Groups of siblings.** First come the bounds over all groupings, from the weakest pair to the strictest. The bounds for
m > 2 are those for m = 2, because the bound knows no rare sets of three. Then come the groupings, from the strictest
pair to the weakest. Each starts from the best grouping of a stricter pair. The first pair of each m gets all annealing
runs, the others get two. A grouping that costs no more than the bound is optimal and needs no run. The best cut of the
original hierarchy is searched only if the bounds allow that it is better.

Clocks are strict: results without a proof are not compared with AA beyond the limit, because there are many pairs.

So losses never fall from a pair to a stricter one. Cost: 15 pairs take about three times as long as one. The memory is
that of one search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding.solution import CutSolution, Solution
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.sibling_bound import grouping_bound
from shoal.search.sibling_trees import interrupted, tree_of, with_names
from shoal.search.siblings import HEATS, OWN_SHARE, Grouping, Heats, SiblingSearch, grouping_of

# The annealing runs that start from the grouping of a pair with a larger m, and with a larger k.
OTHER_M: Heats = (((25.0, 1.0), (8.0, 1.0)), ((2.5, 1.0), (1.0, 1.0)))
OTHER_K: Heats = (((5.0, 0.6), (1.5, 0.6)),)
SPARE = 1.25  # a pair may take so many times its fair share of the remaining time
FLOOR = 0.25  # a pair gets at least this part of its fair share of the limit; else the last might get nothing
PROOF = 2.0  # weight of a proof in that share, in annealing runs
LARGE, LESS = 200_000, 0.4  # from so many items of records on, bounds get this part of the effort
KNOWN_TO_BOUND = 2  # size of the rare sets that bounds over all groupings know
BOUND_SHARE = 0.2  # share of the time limit for the bounds over all groupings


class Pair(NamedTuple):
    """How many records must match an attacker's knowledge, and how many items the attacker may know.

    >>> Pair(10, 3).covers(Pair(5, 2)), Pair(10, 2).covers(Pair(5, 3))
    (True, False)
    """

    k: int
    m: int

    def covers(self, other: Pair) -> bool:
        """Whether a recoding that is safe for this pair is safe for the other."""
        return self.k >= other.k and self.m >= other.m


Problems = Mapping[Pair, Prepared[ItemsetModel]]


def solve_all(problems: Problems, siblings: str, engine: Engine, clock: Clock) -> Iterator[tuple[Pair, Solution]]:
    """Yield the solution of each pair. ``siblings`` is the option of the algorithm ``auto``.

    If the user interrupts a search, only the pairs that are finished or optimal are returned.
    """
    if not problems:
        return iter(())
    if siblings == "best":
        return _groupings(problems, engine, clock)
    return _cuts(problems, siblings, engine, clock)


def _cuts(problems: Problems, siblings: str, engine: Engine, clock: Clock) -> Iterator[tuple[Pair, Solution]]:
    """Find cuts of one hierarchy, which is refined in the same way for all pairs."""
    first = next(iter(problems.values()))
    tree = first.hierarchy if siblings == "none" else tree_of(first, siblings)
    searches: dict[Pair, ExactSearch] = {}
    solutions: dict[Pair, CutSolution] = {}
    order = sorted(problems)
    weights = [1.0] * len(order)
    for at, pair in enumerate(order):
        problem = problems[pair] if siblings == "none" else problems[pair].on(tree)
        left = _part(clock, weights, at, safe=False)
        search = searches[pair] = ExactSearch(problem, _named(engine, pair), left)
        search.follow(searches[one] for one in solutions if pair.covers(one))
        for weaker in [one for one in solutions if one.k < pair.k]:
            searches[weaker].forget_counter()
        solutions[pair] = search.run(needs_proof=False)
        if interrupted(solutions[pair]):
            break
    best: dict[Pair, CutSolution] = {}
    for pair in sorted(solutions, reverse=True):
        stricter = [best[one] for one in best if one.covers(pair)]
        best[pair] = _taken_over(solutions[pair], stricter)
        yield pair, best[pair] if siblings == "none" else with_names(problems[pair], tree, best[pair])


def _taken_over(own: CutSolution, stricter: Iterable[CutSolution]) -> CutSolution:
    """Return the best of a pair's own cut and those of stricter pairs, with the bound that is proved for the pair."""
    best = min([own, *stricter], key=_loss)
    if best is own or own.optimality is None:
        return own
    return replace(own, recoding=best.recoding, optimality=replace(own.optimality, loss=_loss(best)))


def _groupings(problems: Problems, engine: Engine, clock: Clock) -> Iterator[tuple[Pair, Solution]]:
    """Find the best groups of siblings for each pair."""
    least = _bounds(problems, engine, time.monotonic() + clock.limit * BOUND_SHARE)
    owners = _OwnCuts(problems, engine)
    found: dict[Pair, Grouping] = {}
    order = sorted(problems, key=lambda pair: (pair.m, pair.k), reverse=True)
    heats = [_heats(pair, order[:at]) for at, pair in enumerate(order)]
    weights = [PROOF + sum(share for stage in runs for _, share in stage) for runs in heats]
    for at, pair in enumerate(order):
        part = _part(clock, weights, at, safe=True)
        start = min((found[one] for one in found if one.covers(pair)), key=lambda one: one.cost, default=None)
        search = SiblingSearch(
            problems[pair],
            _named(engine, pair),
            part,
            start=start and owners.better(pair, start, part),
            least=least[pair],
            heats=heats[at],
        )
        solution = search.run(needs_proof=False)
        assert search.found is not None
        found[pair] = search.found
        yield pair, solution
        if interrupted(solution):
            return


def _heats(pair: Pair, before: Sequence[Pair]) -> Heats:
    """Return the annealing runs of a pair. The first pair, and the first with each m, get more."""
    if not before:
        return HEATS
    return OTHER_M if pair.m > 1 and all(one.m != pair.m for one in before) else OTHER_K


def _bounds(problems: Problems, engine: Engine, deadline: float) -> dict[Pair, int]:
    """Return a lower bound on the cost of every grouping, for each pair."""
    least: dict[Pair, int] = {}
    for pair in sorted(problems):
        weaker = [least[one] for one in least if pair.covers(one)]
        own = 0
        if pair.m <= KNOWN_TO_BOUND or not any(one.k == pair.k for one in least):
            effort = LESS if len(problems[pair].items.items) > LARGE else 1.0
            own = grouping_bound(problems[pair], engine, effort=effort, deadline=deadline)
        least[pair] = max([own, *weaker])
    return least


class _OwnCuts:
    """The best cuts of the original hierarchy, searched where they may be better than a grouping."""

    def __init__(self, problems: Problems, engine: Engine) -> None:
        self.problems, self.engine = problems, engine
        self.searches: dict[Pair, ExactSearch] = {}

    def better(self, pair: Pair, grouping: Grouping, clock: Clock) -> Grouping:
        """Return the grouping, or the best cut of the original hierarchy if that is better and there is time."""
        if not clock.left():
            return grouping
        small = [one for one in self.problems if pair.covers(one) and one.m <= KNOWN_TO_BOUND]
        weak = min(small, key=lambda one: (-one.m, one.k), default=pair)
        for one in dict.fromkeys((weak, pair)):
            bound = max((search.bound for known, search in self.searches.items() if pair.covers(known)), default=0)
            if bound >= grouping.cost:
                return grouping
            self._search(one, clock)
        cut, problem = self.searches[pair].cut(), self.problems[pair]
        return min(grouping, grouping_of(cut, problem, problem.hierarchy), key=lambda one: one.cost)

    def _search(self, pair: Pair, clock: Clock) -> None:
        """Search once, from the threats that are known."""
        if pair in self.searches:
            return
        search = ExactSearch(self.problems[pair], _named(self.engine, pair), clock.part(OWN_SHARE))
        search.follow(self.searches[one] for one in self.searches if pair.covers(one))
        search.run(needs_proof=False)
        search.forget_counter()
        self.searches[pair] = search


def _part(clock: Clock, weights: Sequence[float], at: int, *, safe: bool) -> Clock:
    """Return a clock for one of several searches, by their weights. The first of them finds the first safe result.

    ``safe``: whether that result is safe for the others, too.
    """
    share = min(1.0, SPARE * weights[at] / sum(weights[at:]))
    if not at:
        return clock.first(share)
    least = 0.0 if math.isinf(clock.limit) else FLOOR * clock.limit * weights[at] / sum(weights)
    return clock.part(share, least=least, safe=safe)


def _named(engine: Engine, pair: Pair) -> Engine:
    """Return an engine that names the pair in its progress."""
    return replace(engine, progress=lambda _, share: engine.progress(f"k={pair.k}, m={pair.m}", share))


def _loss(solution: Solution) -> float:
    """The loss of a solution."""
    assert solution.optimality is not None
    return solution.optimality.loss
