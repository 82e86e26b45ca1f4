"""Deep hierarchies: chains of groups that cover the same items are left out of the search.

A group with a single child says no more than the child does. Of such a chain every method publishes the lowest group,
so nothing is lost without the others; but counting with them takes time that grows with the depth, squared or worse.

Hierarchies that are not deep are searched as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.problem.prepared import Model
from shoal.recoding.solution import Solution

DEEP = 32  # levels


def shortened(problem: Prepared[Model]) -> Prepared[Model]:
    """The problem as searches get it: without chains if its hierarchy is deep."""
    tree = problem.hierarchy
    return problem if tree.height <= DEEP else problem.on(tree.without_chains()[0])


def solved(problem: Prepared[PrivacyModel], solve: Callable[[Prepared[PrivacyModel]], Solution]) -> Solution:
    """The solution of a problem, found without chains if its hierarchy is deep."""
    tree = problem.hierarchy
    if tree.height <= DEEP:
        return solve(problem)
    short, node_of = tree.without_chains()
    solution = solve(problem.on(short))
    if solution.hierarchy is None:
        return replace(solution, recoding=solution.recoding.moved(tree, node_of))
    refined = replace(solution.hierarchy, refines=tree)  # groups between the siblings that are left
    return replace(solution, recoding=solution.recoding.on(refined), hierarchy=refined)
