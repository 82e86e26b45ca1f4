"""Finds the least generalization above a given cut, for a recoding that does not suit new data.

The labels of the given cut take the place of the items: the *floor*. The hierarchy above them is searched as usual. So
nothing below the floor can be published, whatever the search does. What is removed stays removed.

A node costs what it loses beyond the floor (:class:`FloorLoss`), so the cut with the least cost changes the release as
little as possible, in the loss that the first release minimised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.hierarchies import refine
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.comparison import Comparison
from shoal.problem import Prepared
from shoal.problem.prepared import Model
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution, Solution
from shoal.search.clock import Clock
from shoal.search.optimum import best_cut
from shoal.search.sibling_trees import least_with_end, on_trees
from shoal.search.thinning import thinned_problem


@dataclass(frozen=True, eq=False)
class Coarser:
    """A recoding at or above a floor."""

    blocks: tuple[tuple[str, ...], ...]  # what each published label is made of: one label or node, or several siblings
    gone: tuple[str, ...]  # the labels of the floor that are removed
    solution: Solution


class FloorLoss(AdditiveLoss):
    """What nodes above the floor lose beyond it, in another loss.

    Parameters
    ----------
    problem
        The problem on the hierarchy of the floor.
    floor
        The given cut of that hierarchy.
    """

    name = "floor"

    def __init__(self, problem: Prepared[Model], floor: GlobalCut) -> None:
        self.base, self.items = problem.loss, problem.hierarchy.n_leaves
        kept = floor.kept
        left = floor.left(problem.items).supports
        weights = 1 if problem.item_weights is None else problem.item_weights
        sums = np.concatenate([[0], np.cumsum(left * weights)])
        first, stop = problem.hierarchy.span[kept].T
        self.sizes = dict(zip(floor.labels, (stop - first).tolist(), strict=True))
        self.occurrences = dict(zip(floor.labels, (sums[stop] - sums[first]).tolist(), strict=True))

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return the values of the measure itself."""
        return self.base.of(compared)

    def penalty(self, sizes: Counts, items: int) -> Counts:
        """Return the penalty of labels of these sizes, of all items."""
        return self.base.penalty(sizes, self.items)

    def worst(self, items: int) -> int:
        """Return the penalty that counts as a loss of 1."""
        return self.base.worst(self.items)

    def node_costs(self, hierarchy: Hierarchy, occurrences: Counts) -> Counts:
        """Return for each node what it loses beyond the floor."""
        sizes, times = (
            _summed(hierarchy, np.array([known[label] for label in hierarchy.items], dtype=np.int64))
            for known in (self.sizes, self.occurrences)
        )
        costs = times * self.base.penalty(sizes, self.items)
        beyond: Counts = costs - _summed(hierarchy, costs[: hierarchy.n_leaves])
        return beyond

    def scale(self, hierarchy: Hierarchy, occurrences: int) -> int:
        """Return the number that a total cost is divided by to get the loss."""
        return max(1, int(self.base.worst(self.items) * sum(self.occurrences.values())))


def _summed(hierarchy: Hierarchy, values: Counts) -> Counts:
    """Return the sum of the values of the leaves below each node."""
    sums = np.concatenate([[0], np.cumsum(values)])
    below: Counts = sums[hierarchy.span[:, 1]] - sums[hierarchy.span[:, 0]]
    return below


def above_floor(problem: Prepared[Model], floor: GlobalCut) -> Prepared[Model]:
    """Return the problem in which the labels of a cut are the items, below the owner's nodes above the cut.

    >>> import shoal
    >>> tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> problem = shoal.Problem(shoal.read([["a1", "b1"], ["a2"]]), tree, shoal.Km(k=2, m=1)).prepared
    >>> above = above_floor(problem, GlobalCut.raising(tree, [tree.code_of["A"]]))
    >>> above.hierarchy.parents_by_label(), above.items.sets()[0] == {"A", "b1"}
    ({'A': 'ALL', 'b1': 'B', 'b2': 'B', 'B': 'ALL', 'ALL': None}, True)
    """
    tree = problem.hierarchy
    owner = tree.refines or tree
    parents: dict[str, str | None] = {}
    for node in floor.kept.tolist():
        below = tree.labels[node]
        for above in tree.ancestors(node)[1:]:
            if tree.labels[above] in owner.code_of and below not in parents:
                parents[below] = below = tree.labels[above]
        parents.setdefault(below, None)
    rows = floor.apply(problem.items).rows
    hierarchy = Hierarchy.from_parents(parents, tree.name)
    return replace(
        problem,
        hierarchy=hierarchy,
        items=hierarchy.encode(rows.of_persons(problem.persons)),
        loss=FloorLoss(problem, floor),
        item_weights=None,
        all_items=None,
    )


def coarsened(
    problem: Prepared[Model], floor: GlobalCut, search: Callable[[Prepared[Model]], Solution], engine: Engine
) -> Coarser:
    """Return the recoding at or above a cut that a search finds.

    Parameters
    ----------
    problem
        The problem on the hierarchy of the cut.
    floor
        The cut.
    search
        The search, which gets the problem above the floor.
    engine
        The number of threads, and progress.

    Raises
    ------
    Infeasible
        Everything is published as the root already, or is removed.
    """
    if len(floor.kept) < 2:
        raise Infeasible(
            f"The recoding publishes {'one label' if len(floor.kept) else 'nothing'} already, and still violates "
            f"{problem.model.short}: nothing is left to generalize. Collect more records, or weaken the guarantee."
        )
    above = above_floor(problem, floor)
    solution = search(thinned_problem(above, engine).gathered)
    cut = solution.recoding.global_cut
    assert cut is not None, "searches above a floor return cuts"
    tree = cut.hierarchy
    gone = dict.fromkeys(label for node in cut.suppressed for label in tree.items[slice(*tree.span[node])])
    used = {label for label, times in zip(above.items.labels, above.items.supports.tolist(), strict=True) if times}
    blocks = [refine.members(tree, node) for node in cut.kept.tolist()]
    return Coarser(tuple(_without_absent(blocks, above.hierarchy, used.union(gone))), tuple(gone), solution)


def _without_absent(
    blocks: Iterable[tuple[str, ...]], hierarchy: Hierarchy, used: Collection[str]
) -> Iterator[tuple[str, ...]]:
    """Yield blocks without labels that do not occur, which stay as they are: no guarantee needs to change them.

    A node of the owner that occurs keeps all its items.
    """
    for block in blocks:
        left = tuple(label for label in block if any(below in used for below in hierarchy.items_of(label)))
        if left:
            yield left
        yield from ((below,) for label in block if label not in left for below in hierarchy.items_of(label))


def least_cut(clock: Clock, engine: Engine, *, siblings: bool) -> Callable[[Prepared[Model]], Solution]:
    """Return the search for the best cut above a floor. ``siblings``: also join some children of a node."""

    def best(problem: Prepared[Model], left: Clock) -> CutSolution:
        return best_cut(problem, engine, left, needs_proof=False)  # type: ignore[arg-type]

    def search(problem: Prepared[Model]) -> Solution:
        if not siblings:
            return best(problem, clock)
        return least_with_end(problem, on_trees(problem, best, clock, strict=True))

    return search
