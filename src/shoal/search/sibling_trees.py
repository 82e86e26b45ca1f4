"""Searches on several hierarchies with groups between siblings: the best of their results.

Every hierarchy has all nodes of the original one, so its best cut is no worse than that of the original.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.hierarchies import codebook, refine
from shoal.hierarchies.names import named
from shoal.metrics.comparison import Comparison
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clock import Clock, OutOfTime

WORDS = ("none", "label", "frequency", "best")

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
    solutions = [search(problem, clock.first(1 / 3))]
    clock.start()
    clock.conclude(interrupted=interrupted(solutions[0]))
    for one, part in (("frequency", 1 / 2), ("label", 1.0)):
        if not interrupted(solutions[-1]):
            with contextlib.suppress(OutOfTime):
                clock.check()
                solutions.append(on_tree(problem, tree_of(problem, one), search, clock.part(part)))
    return min(solutions, key=lambda solution: _loss(problem, solution))  # the first of equals


def on_tree(problem: Prepared[PrivacyModel], tree: Hierarchy, search: Search, clock: Clock) -> Solution:
    """Run a search on a refined hierarchy, and name the groups."""
    return with_names(problem, tree, search(problem.on(tree), clock))


def interrupted(solution: Solution) -> bool:
    """Whether the user interrupted the search."""
    return solution.optimality is not None and solution.optimality.ended == "interrupted"


def with_names(problem: Prepared[PrivacyModel], tree: Hierarchy, solution: Solution) -> Solution:
    """Return a solution on a refined hierarchy with names for the groups."""
    labels = {*problem.data.transactions.labels, *problem.sensitive.labels}
    origin = problem.data.origin
    final = named(tree, solution.recoding.published_nodes, origin.marks, labels, origin.set_columns)
    return replace(solution, recoding=solution.recoding.on(final), hierarchy=final)


def _loss(problem: Prepared[PrivacyModel], solution: Solution) -> float:
    """Return the loss of a solution, in the loss that is minimised."""
    own = problem if solution.hierarchy is None else problem.on(solution.hierarchy)
    total, scale = own.loss.total(Comparison(own.original, solution.recoding.apply(own.items)), own.item_weights)
    return total / scale
