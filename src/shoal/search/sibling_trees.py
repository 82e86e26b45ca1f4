"""Searches on several hierarchies with groups between siblings: the best of their results.

Every hierarchy has all nodes of the original one, so its best cut is no worse than that of the original.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.hierarchies import codebook, refine
from shoal.hierarchies.names import named
from shoal.metrics.comparison import Comparison
from shoal.models.base import ItemsetModel, PrivacyModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Solution
from shoal.search.clock import Clock, OutOfTime
from shoal.search.direct import cheaper_aa

WORDS = ("none", "label", "frequency", "best")
AA_SHARE = 0.5  # share of the time that is left after Ctrl-C
WAYS = (("frequency", 1 / 2), ("label", 1.0))  # of grouping siblings, and their shares of the time that is left

Search = Callable[[Prepared[Any], Clock], Solution]


def tree_of(problem: Prepared[PrivacyModel], how: str) -> Hierarchy:
    """Return the hierarchy of a problem with groups of siblings: by label, by frequency, or from a file."""
    owner, occurrences = problem.hierarchy, problem.occurrences
    if how == "label":
        ranks = refine.by_label(owner)
        return refine.refined(owner, refine.halved(owner, np.ones_like(occurrences), ranks))
    if how == "frequency":
        return refine.refined(owner, refine.halved(owner, occurrences, refine.by_frequency(owner, occurrences)))
    return codebook.load(how).tree(owner)


def with_siblings(problem: Prepared[PrivacyModel], how: str, search: Search, clock: Clock) -> Solution:
    """Run a search that may publish groups of siblings. "best" returns the least loss of several ways to group them."""
    if how == "none":
        return search(problem, clock)
    if how != "best":
        return on_tree(problem, tree_of(problem, how), search, clock)
    return least(problem, on_trees(problem, search, clock))


def on_trees(problem: Prepared[PrivacyModel], search: Search, clock: Clock, *, strict: bool = False) -> list[Solution]:
    """Run a search on the original hierarchy and, as long as there is time, with siblings by frequency and by label.

    ``strict``: the first search is not compared with AA beyond its time, because the caller does that.
    """
    solutions = [search(problem, clock.first(1 / 3, strict=strict))]
    clock.start()
    clock.conclude(interrupted=interrupted(solutions[0]))
    for one, part in WAYS:
        if not interrupted(solutions[-1]):
            with contextlib.suppress(OutOfTime, Infeasible):
                clock.check()
                solutions.append(on_tree(problem, tree_of(problem, one), search, clock.part(part)))
    return solutions


def least(problem: Prepared[PrivacyModel], solutions: Sequence[Solution]) -> Solution:
    """Return the solution with the least loss, or the first of equals."""
    return min(solutions, key=lambda solution: _loss(problem, solution))


def least_with_end(problem: Prepared[PrivacyModel], solutions: Sequence[Solution]) -> Solution:
    """Return the least of the solutions of :func:`on_trees`, which says if any search was stopped early."""
    best = least(problem, solutions)
    if any(map(interrupted, solutions)):
        return _changed(best, ended="interrupted")
    ends = {solution.optimality.ended for solution in solutions if solution.optimality is not None}
    return _changed(best, ended="time limit") if "time limit" in ends or len(solutions) <= len(WAYS) else best


def on_tree(problem: Prepared[PrivacyModel], tree: Hierarchy, search: Search, clock: Clock) -> Solution:
    """Run a search on a refined hierarchy, and name the groups."""
    return with_names(problem, tree, search(problem.on(tree), clock))


def interrupted(solution: Solution) -> bool:
    """Whether the user interrupted the search."""
    return solution.optimality is not None and solution.optimality.ended == "interrupted"


def with_names(problem: Prepared[PrivacyModel], tree: Hierarchy, solution: Solution) -> Solution:
    """Return a solution on a refined hierarchy with names for the groups."""
    labels = {*problem.all_data.transactions.labels, *problem.sensitive.labels}
    origin = problem.origin
    final = named(tree, solution.recoding.published_nodes, origin.marks, labels, origin.set_columns)
    return replace(solution, recoding=solution.recoding.on(final), hierarchy=final)


def _loss(problem: Prepared[PrivacyModel], solution: Solution) -> float:
    """Return the loss of a solution, in the loss that is minimised."""
    own = problem if solution.hierarchy is None else problem.on(solution.hierarchy)
    cut = solution.recoding.global_cut
    if cut is not None and not len(cut.suppressed):
        return int(own.costs[cut.nodes].sum()) / own.scale
    total, scale = own.loss.total(Comparison(own.original, solution.recoding.apply(own.items)), own.item_weights)
    return total / scale


def no_worse_than_aa(
    problem: Prepared[ItemsetModel], solutions: Sequence[Solution], engine: Engine, clock: Clock
) -> Solution:
    """Return the best of the solutions of :func:`on_trees`, or the cut of AA if that is better.

    AA runs on the original hierarchy, unless a proof or an earlier comparison shows that it is no better.
    """
    own, best = solutions[0], least(problem, solutions)
    if (isinstance(own, CutSolution) and own.beats_aa) or any(map(_proven, solutions)):
        return best
    try:
        cut = aa_in_time(problem, round(_loss(problem, best) * problem.scale), engine, clock)
    except KeyboardInterrupt:
        if any(map(interrupted, solutions)):  # the second interrupt: give up
            raise
        return _changed(best, ended="interrupted")
    if cut is None:
        return best
    return replace(_changed(own, loss=int(problem.costs[cut.nodes].sum()) / problem.scale), recoding=cut)


def aa_in_time(problem: Prepared[ItemsetModel], most: int, engine: Engine, clock: Clock) -> GlobalCut | None:
    """Return the cut of AA if it costs less than ``most``, or None. After Ctrl-C also None if there is no time."""
    cut = None
    with clock.as_needed(AA_SHARE):
        cut = cheaper_aa(problem, most, clock.limited(engine))
    return cut


def _proven(solution: Solution) -> bool:
    """Whether no cut of the hierarchy that was searched loses less."""
    return solution.optimality is not None and solution.optimality.proven


def _changed(solution: Solution, **changes: Any) -> Solution:
    """Return a solution with another statement about how good it is."""
    assert solution.optimality is not None
    return replace(solution, optimality=replace(solution.optimality, **changes))
