"""The best grouping of siblings that the search can find, with bounds (docs/concepts/siblings.md).

1. Find the best cut of the original hierarchy, so that nothing worse is ever returned.
2. Find a start: sort siblings by falling frequency, halve them by occurrences, and run the greedy descent of the exact
   search on that hierarchy.
3. Regroup: simulated annealing over the groups (``shoal.kernels.search.siblings``), a hot and a mild run in parallel,
   then again from the best of them. Each run has a fixed budget of work, so equal input gives equal groups on every
   machine.
4. Build a hierarchy around the groups found, and run the exact search on it. If it finds better groups, regroup again.
5. Compute a bound over all groupings (:mod:`shoal.search.sibling_bound`).
6. If nothing proves that the groups are no worse than the cut of AA on the original hierarchy, run AA, whatever the
   limit.

For models other than k^m-anonymity there is no regrouping: the best of several hierarchies is taken.

Cost: the exact search on a hierarchy with twice as many nodes, and the work of regrouping. Memory is proportional to
the expanded rows and to the square of the number of labels (the cube, for sets of three).
"""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.hierarchies import refine
from shoal.kernels.search.siblings.regroup import Regroup
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Ended, Solution
from shoal.search import solver
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.optimum import best_cut
from shoal.search.sibling_bound import grouping_bound
from shoal.search.sibling_trees import aa_in_time, interrupted, no_worse_than_aa, on_trees, tree_of, with_names

Heats = tuple[tuple[tuple[float, float], ...], ...]  # the runs of each stage: (temperature, share of work)

WORK, WORK_PER_OCCURRENCE = 140_000_000, 80  # of one annealing run; some 100 million take a second
MOST_WORK = 460_000_000  # on more than MANY items of records, runs gain little
WORK_FOR_TRIPLES = 1.25  # factor if sets of three count
MOVES_PER_ITEM = 5_000  # limit on the moves tried in one run: small data need no more
# The first temperatures of runs, relative to the mean cost of an item, and their share of work: a hot run, a mild one
# and, for small data, one in between; then two from the best of these.
HEATS: Heats = (((25.0, 2), (2.5, 1), (8.0, 1)), ((2.5, 1), (1.0, 1)))
HEATS_OF_MANY: Heats = (((2.5, 1), (1.0, 1)),)  # on large data, hot runs gain nothing, and the proof needs the time
SMALL, MANY = 200_000, 4_000_000  # items of records: below, there is time for the third run; above, for mild runs only
MILD = 2.5  # first temperature of a run from a good start
COLD, STEPS = 0.015, 200  # last temperature, and number of temperatures
ROUNDS = 2  # largest number of rounds of regrouping
OWN_SHARE = 0.25  # share of the time limit for the best cut of the original hierarchy
LEAST_SECONDS = 5.0  # least time for the best cut around the groups; it gets as long as all before
PROOF_TIME = 4.0  # time for a proof, relative to the first search, which counts as many pairs
RESERVED = 0.6  # largest share of the time before regrouping that is kept for the proof
PROOF_SHARE = 0.5  # share of the time after the search for the best cut around the groups; the rest is for the bound


def best_grouping(problem: Prepared[ItemsetModel], engine: Engine, clock: Clock, *, needs_proof: bool) -> Solution:
    """Return the best grouping of siblings found in time."""
    if problem.model.demand(problem.items).monotone:
        return SiblingSearch(problem, engine, clock).run(needs_proof=needs_proof)
    search = functools.partial(best_cut, needs_proof=needs_proof)
    solutions = on_trees(problem, lambda part, left: search(part, engine, left), clock, strict=True)
    return no_worse_than_aa(problem, solutions, engine, clock)


def regrouped(problem: Prepared[ItemsetModel], block_of: Codes, work: int, engine: Engine) -> Codes:
    """Return a safe grouping of siblings with less loss than the given one, or that one. ``work`` limits the search."""
    blocks, sizes = np.unique(block_of, return_inverse=True, return_counts=True)[1:]
    n = problem.hierarchy.n_leaves
    cost = int((problem.occurrences[:n] * problem.loss.penalty(sizes, n)[blocks]).sum())
    search = SiblingSearch(problem, engine, Clock(math.inf))
    start = Grouping(blocks.astype(np.int32), cost)
    return search.annealed(Run(start, MILD, 1, problem.seed, work), engine).block_of if cost else start.block_of


def _report(engine: Engine, step: int, share: float) -> None:
    """Report the progress of a run."""
    engine.progress("grouping siblings", (step + share) / STEPS)


def cut_at(tree: Hierarchy, block_of: Codes) -> GlobalCut:
    """Return the cut of a refined hierarchy that publishes each block. ``block_of`` is by original item code."""
    assert tree.refines is not None
    codes = [tree.refines.code_of[label] for label in tree.items]
    block = refine.block_below(tree, np.asarray(block_of)[codes])
    return GlobalCut.raising(tree, np.flatnonzero(block[tree.n_leaves :] >= 0) + tree.n_leaves)


@dataclass(frozen=True, eq=False)
class Grouping:
    """A safe sibling grouping: the block number of each item of the original hierarchy, and the cost."""

    block_of: Codes
    cost: int


def grouping_of(cut: GlobalCut, problem: Prepared[ItemsetModel], owner: Hierarchy) -> Grouping:
    """Return the blocks of a cut of a problem's hierarchy, in the item codes of the original hierarchy."""
    tree = problem.hierarchy
    blocks = np.repeat(np.arange(len(cut.nodes), dtype=np.int32), tree.leaves[cut.nodes])
    codes = [tree.code_of[label] for label in owner.items]
    return Grouping(blocks[codes], int(problem.costs[cut.nodes].sum()))


@dataclass(frozen=True, eq=False)
class Run:
    """One run of simulated annealing."""

    start: Grouping
    heat: float
    share: float
    seed: int
    work: int | None = None  # None: by the size of the data


class SiblingSearch:
    """One search for the best grouping under k^m-anonymity. The clock limits it after a first safe result.

    Parameters
    ----------
    start
        A safe grouping to start from, no worse than the best cut of the original hierarchy. None: one is found first.
    least
        A lower bound on the cost of every safe grouping. None: it is computed last.
    heats
        The annealing runs. None: by the size of the data.
    """

    def __init__(
        self,
        problem: Prepared[ItemsetModel],
        engine: Engine,
        clock: Clock,
        *,
        start: Grouping | None = None,
        least: int | None = None,
        heats: Heats | None = None,
    ) -> None:
        self.problem, self.engine, self.clock = problem, engine, clock
        self.start, self.least = start, least
        self.heats = heats or (HEATS_OF_MANY if problem.items.total_items > MANY else HEATS)
        self.found: Grouping | None = None  # the best grouping, set when the search has ended
        self.beats_aa = False  # whether the start is known to be no worse than the cut of AA
        self.least_cut = 0  # a lower bound on the cost of every cut of the original hierarchy
        demand = problem.model.demand(problem.items)
        self.k, self.m = demand.k, demand.known
        self.small = problem.items.total_items < SMALL
        self.began = time.monotonic()
        self.proof_seconds = 0.0  # that a proof may take
        self.reserved = 0.0  # seconds that runs leave for the proof
        self.statistics: dict[str, float] = {}
        self.ended: Ended | None = None  # set if the clock or the user ended the search early

    def run(self, *, needs_proof: bool) -> Solution:
        """Run the search. If the solver is missing, either fail or go on without a proof."""
        if needs_proof:
            solver.load()  # report a missing solver before any work
        best = self._start(needs_proof)
        if not best.cost:  # nothing has to be grouped
            self.found = best
            return ExactSearch(self.problem, self.engine, self.clock.first(1.0)).run(needs_proof=needs_proof)
        for round_ in range(ROUNDS):
            began = time.monotonic()
            best = self._better(best, self._regrouped(best, round_))
            refined, solution = self._proved(best, needs_proof)
            proved = grouping_of(solution.recoding, refined, self.problem.hierarchy)
            if self.ended or proved.cost == best.cost or not self._has_time(time.monotonic() - began, round_):
                break
            best = proved
        self.found = self._better(proved, best)
        self.clock.conclude()
        bound = self._bound()
        if aa := self._cheaper_aa(self.found.cost, solution, bound):
            refined, solution = self._proved(aa, needs_proof)
            self.found = grouping_of(solution.recoding, refined, self.problem.hierarchy)
        assert solution.optimality is not None
        ended = self.ended or solution.optimality.ended
        optimality = replace(solution.optimality, ended=ended, groupings_bound=bound / refined.scale)
        solution = replace(solution, optimality=optimality, statistics={**solution.statistics, **self.statistics})
        return with_names(self.problem, refined.hierarchy, solution)

    def _start(self, needs_proof: bool) -> Grouping:
        """Return the start, or else the better of a first safe cut and the best cut of the original hierarchy."""
        if self.start is not None:
            self.clock.start()
            return self.start
        refined = self.problem.on(tree_of(self.problem, "frequency"))
        first, began = ExactSearch(refined, self.engine, Clock(math.inf)), time.monotonic()
        first.begin()
        best = grouping_of(first.cut(), refined, self.problem.hierarchy)
        self.proof_seconds = PROOF_TIME * (time.monotonic() - began)
        self.clock.start()
        if not best.cost or not self.clock.left():
            return best
        try:
            search = ExactSearch(self.problem, self.engine, self._clock(OWN_SHARE))
            own = search.run(needs_proof=needs_proof)
        except KeyboardInterrupt:  # before it had a result of its own
            self._interrupt()
            return best
        self.beats_aa, self.least_cut = own.beats_aa, search.bound
        self._note(own)
        return self._better(best, grouping_of(own.recoding, self.problem, self.problem.hierarchy))

    def _has_time(self, seconds: float, round_: int) -> bool:
        """Whether there is time for another round like the last one. A round that is cut short would lose its proof."""
        if self.clock.left() > seconds:
            return True
        if round_ + 1 < ROUNDS:
            self.ended = "time limit"
        return False

    def _clock(self, part: float) -> Clock:
        """Return a clock for a part of the remaining time."""
        unlimited = math.isinf(self.clock.left())
        return Clock(math.inf, strict=True, outer=self.clock) if unlimited else self.clock.part(part)

    def _note(self, solution: Solution) -> None:
        """Stop early if the user interrupted."""
        if interrupted(solution):
            self._interrupt()

    def _interrupt(self) -> None:
        """End the search soon, because the user interrupted. At the second interrupt, give up."""
        if self.ended == "interrupted":
            raise KeyboardInterrupt
        self.ended = "interrupted"
        self.clock.conclude(interrupted=True)

    def _better(self, one: Grouping, other: Grouping) -> Grouping:
        """Return the cheaper grouping, or the first of equals."""
        return other if other.cost < one.cost else one

    def _regrouped(self, start: Grouping, round_: int) -> Grouping:
        """Return the best result of a few annealing runs."""
        if self.ended or not self.clock.left() or start.cost == self.least:
            return start
        began = time.perf_counter()
        self.reserved = min(self.proof_seconds, RESERVED * self.clock.left())
        seed, best = (self.problem.seed * ROUNDS + round_) * sum(map(len, HEATS)), start
        for heats in self.heats[round_:]:  # the result of a proof is good already: skip the hot runs
            some = heats[: 3 if self.small else 2]
            runs = [Run(best, heat, share, seed + at) for at, (heat, share) in enumerate(some)]
            seed += len(heats)
            try:
                groupings = self.engine.map("grouping siblings", self.annealed, runs)
            except KeyboardInterrupt:
                self._interrupt()
                break
            best = min([best, *groupings], key=lambda one: one.cost)
        self._spent("grouping", began)
        return best

    def annealed(self, run: Run, engine: Engine) -> Grouping:
        """Run once, from hot to cold, until the work is done or time is up."""
        problem, owner = self.problem, self.problem.hierarchy
        search = Regroup(
            problem.items.indptr,
            problem.items.items,
            refine.without_chains(owner),
            problem.occurrences[: owner.n_leaves],
            np.ones(owner.n_leaves, dtype=np.int32),
            problem.loss.penalty(np.maximum(1, np.arange(owner.n_leaves + 1)), owner.n_leaves),
            run.start.block_of,
            persons=problem.items.repeaters,
            k=self.k,
            m=self.m,
            seed=run.seed,
        )
        mean = run.start.cost / owner.n_leaves
        work = min(WORK + WORK_PER_OCCURRENCE * problem.items.total_items, MOST_WORK)
        work = int(run.share * (run.work or work) * (WORK_FOR_TRIPLES if self.m > 2 else 1)) // STEPS
        moves = int(run.share * MOVES_PER_ITEM * owner.n_leaves) // STEPS
        for step in range(STEPS):
            if self.clock.left() <= self.reserved:
                self.ended = "time limit"
                break
            temperature = mean * run.heat * (COLD / run.heat) ** (step / (STEPS - 1))
            _report(engine, step, 0.0)  # a short step reports nothing itself
            search.run(temperature, work=work, moves=moves, tick=functools.partial(_report, engine, step))
        return Grouping(search.block_of, search.cost)

    def _proved(self, grouping: Grouping, needs_proof: bool) -> tuple[Prepared[ItemsetModel], CutSolution]:
        """Run the exact search on a hierarchy around the groups. It returns nothing worse, and maybe a proof."""
        try:
            return self._searched(grouping, needs_proof)
        except KeyboardInterrupt:  # while the hierarchy was built
            self._interrupt()
            return self._searched(grouping, needs_proof)

    def _searched(self, grouping: Grouping, needs_proof: bool) -> tuple[Prepared[ItemsetModel], CutSolution]:
        """Run the exact search. After Ctrl-C, it only looks for a bound, for a short time."""
        tree = refine.around(self.problem.hierarchy, grouping.block_of, self.problem.occurrences)
        problem = self.problem.on(tree)
        if self.clock.left() and self.ended != "interrupted":
            spent = max(LEAST_SECONDS, (time.monotonic() - self.began) / 2, self.proof_seconds)
            clock = self._clock(min(1.0, spent / max(spent, self.clock.left())))
        else:
            self.ended = self.ended or "time limit"
            self.clock.conclude()
            clock = self.clock.part(PROOF_SHARE)
        search = ExactSearch(problem, self.engine, clock)
        search.offer(cut_at(tree, grouping.block_of))
        search.beats_aa = True  # what counts is AA on the original hierarchy, and this search compares with it later
        solution = search.run(needs_proof=needs_proof)
        self._note(solution)
        return problem, solution

    def _bound(self) -> int:
        """Return a lower bound on the cost of every grouping."""
        if self.least is not None:
            return self.least
        began = time.perf_counter()
        try:
            return grouping_bound(self.problem, self.engine, deadline=self.clock.until)
        except KeyboardInterrupt:
            self._interrupt()
            return 0
        finally:
            self._spent("bound", began)

    def _cheaper_aa(self, cost: int, solution: CutSolution, bound: int) -> Grouping | None:
        """Return the cut of AA on the original hierarchy if it costs less than the groups, or None.

        AA runs only if no proof shows that the groups are as good. A strict clock has no time for it.
        """
        assert solution.optimality is not None
        known = self.beats_aa or solution.optimality.proven or max(bound, self.least_cut) >= cost
        if known or self.clock.strict:
            return None
        began = time.perf_counter()
        try:
            cut = aa_in_time(self.problem, cost, self.engine, self.clock)
        except KeyboardInterrupt:
            self._interrupt()
            return None
        finally:
            self._spent("AA", began)
        return None if cut is None else grouping_of(cut, self.problem, self.problem.hierarchy)

    def _spent(self, what: str, began: float) -> None:
        """Add up the seconds that a kind of work takes."""
        name = f"seconds_{what}"
        self.statistics[name] = round(self.statistics.get(name, 0.0) + time.perf_counter() - began, 6)
