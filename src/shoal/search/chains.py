"""Shortens deep hierarchies: chains of groups that cover the same items are left out of the search.

A group with a single child covers the same items as the child. Of such a chain, every method publishes the lowest
group, so the others can be left out. Counting with them takes time that grows with the square of the depth, or worse.

Only deep hierarchies are shortened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.problem.prepared import Model
from shoal.recoding.solution import CutSolution, Solution

DEEP = 32  # levels


def shortened(problem: Prepared[Model]) -> Prepared[Model]:
    """Return the problem to search: without chains if its hierarchy is deep."""
    tree = problem.hierarchy
    return problem if tree.height <= DEEP else problem.on(tree.without_chains()[0])


def solved(problem: Prepared[PrivacyModel], solve: Callable[[Prepared[PrivacyModel]], Solution]) -> Solution:
    """Solve a problem, without chains if its hierarchy is deep."""
    tree = problem.hierarchy
    if tree.height <= DEEP:
        return solve(problem)
    short, node_of = tree.without_chains()
    solution = solve(problem.on(short))
    if solution.hierarchy is None:
        if isinstance(solution, CutSolution) and solution.bound is not None:
            solution = replace(solution, bound=solution.bound.moved(node_of))
        return replace(solution, recoding=solution.recoding.moved(tree, node_of))
    refined = replace(solution.hierarchy, refines=tree)  # groups of the siblings that remain
    return replace(solution, recoding=solution.recoding.on(refined), hierarchy=refined)
