"""HgHs and mHgHs (Liu and Wang 2010, s.3 and 4): a cut, and the labels of it that are suppressed.

HgHs searches from the root down. At every cut it goes through the labels, those first that would cost most to suppress.
A label is kept unless it completes, with labels kept before, a set of at most m labels in 1..k-1 rows. Of all cuts that
expand one more label, the cheapest is taken, if it is cheaper than the current one. A label with a single child is
replaced by it at once: both represent the same items.

mHgHs does so for sets of 1 label, then 2, and so on up to m. Each round goes no deeper than the cut of the one before.
A round may end above that cut even if nothing at it is rare: the walk is greedy, and a larger set may be rare on the
way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.suppress.suppression import Suppression
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutSolution
from shoal.search.limits import Limits


def hghs(problem: Prepared[ItemsetModel], limits: Limits, engine: Engine) -> CutSolution:
    """Run one walk for sets of up to m labels.

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> rows = [["a1", "b1"], ["a1", "b1"], ["a2", "b1"], ["b2"]]
    >>> problem = shoal.Problem(shoal.read(rows), h, shoal.Km(k=2, m=2)).prepared
    >>> cut = hghs(problem, Limits.of(problem, 100, []), shoal.Engine()).recoding
    >>> cut.labels, cut.suppressed_labels
    (('a1', 'b1'), ('a2', 'b2'))
    """
    return _walks(problem, limits, engine, range(_known(problem), _known(problem) + 1))


def mhghs(
    problem: Prepared[ItemsetModel], limits: Limits, engine: Engine, *, rounds: Literal["needed", "all"] = "needed"
) -> CutSolution:
    """Run a walk for each number of labels up to m; with "needed", stop when no set of any size is rare."""
    return _walks(problem, limits, engine, range(1, _known(problem) + 1), needed=rounds == "needed")


def _known(problem: Prepared[ItemsetModel]) -> int:
    """The largest number of labels that an attacker can know; at least one."""
    return max(1, problem.model.demand(problem.items).known)


def _walks(
    problem: Prepared[ItemsetModel], limits: Limits, engine: Engine, sizes: range, *, needed: bool = True
) -> CutSolution:
    """Run one walk after the other, each down to the cut of the one before. The first goes down to the leaves."""
    kernel, tick = kernel_of(problem, limits), engine.tick("generalizing")
    floor: Sequence[int] = ()
    threats = moves = evaluations = 0
    for size in sizes:
        try:
            done = kernel.run(floor, size, tick=tick)
        except OverflowError:
            hint = "" if len(sizes) > 1 else "use algorithm='mhghs', or "
            raise Infeasible(
                f"There are too many rare sets of up to {size} labels to keep them in memory: {hint}choose a smaller m."
            ) from None
        if not done.allowed:
            raise limits.impossible(problem)
        floor, threats = done.raised, max(threats, done.threats)
        moves, evaluations = moves + done.moves, evaluations + done.evaluations
        if needed and size < sizes[-1] and kernel.whole(done.raised, done.suppressed, tick=tick):
            break
    return CutSolution(
        GlobalCut.raising(problem.hierarchy, done.raised, done.suppressed),
        statistics={"threats": threats, "moves": moves, "evaluations": evaluations, "largest_sets": size},
    )


def kernel_of(problem: Prepared[ItemsetModel], limits: Limits) -> Suppression:
    """Return the kernel for a k^m problem, with the order in which labels are decided."""
    hierarchy, items = problem.hierarchy, problem.items
    gone = problem.occurrences * problem.loss.worst(hierarchy.n_leaves)
    barred = limits.barred(hierarchy)
    order = np.lexsort((hierarchy.leaves, problem.costs - gone, ~barred))  # ties stay in the order of their ids
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return Suppression(
        items.indptr,
        items.items,
        hierarchy.parent,
        hierarchy.span,
        hierarchy.n_leaves,
        problem.model.demand(items).k,
        persons=items.repeaters,
        kept=problem.costs,
        gone=gone,
        occurrences=limits.occurrences,
        barred=barred,
        rank=rank,
        budget=limits.budget,
    )
