"""Sort APX Cover, for transactional k-anonymity: consecutive groups in the order of Gray codes.

Wang et al. 2014 compare with it. All rows are sorted by Gray code; sensitive items count as any others. The sorted rows
are split into consecutive groups of k to 2k - 1. Flips make the rows of a group the same by majority. Dynamic
programming finds the split of this order that needs the fewest flips. In an exact tie, the item is deleted: that costs
the same and adds no false item.

Cost: sorting, then time proportional to k times the items. Memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.base import FlippingAlgorithm
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.neighbours.consecutive_groups import consecutive_groups
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.models.transactional_k import TransactionalK
from shoal.problem import Prepared
from shoal.published import Grouping
from shoal.recoding import Flips
from shoal.recoding.solution import Solution


@dataclass(frozen=True)
class ApxCover(FlippingAlgorithm):
    """Add and delete items so that similar records become the same.

    The records are sorted by Gray code and split into groups of k to 2k - 1 neighbours, such that the fewest items
    change. Each group publishes the items of the majority. It needs no hierarchy, but published records can contain
    items that the original records do not have. This is a reconstruction of a method that Wang et al. (2014)
    compare with.

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence 41, 2014.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.models.TransactionalK(k=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.ApxCover())
    >>> release.data
    [['wheat', 'apple'], ['rye', 'pear'], ['rye', 'pear'], ['wheat', 'apple']]
    """

    name = "apx-cover"
    title = "Sort APX Cover"
    paper = "Sort APX Cover, as Wang et al. 2014 compare it"
    solves = (TransactionalK,)

    def feasible(self, problem: Prepared[TransactionalK]) -> None:
        """Refuse fewer than k records. Flips can make any records the same, so only their number matters."""
        k, rows = problem.model.k, len(problem.items)
        if rows < k:
            raise Infeasible(
                f"Transactional k-anonymity with k={k} needs at least {k} records, got {rows}: choose a smaller k, or "
                f"add data."
            )

    def solve(self, problem: Prepared[TransactionalK], engine: Engine) -> Solution:
        """Sort the rows, then split them into groups."""
        k, order = problem.model.k, gray_coded_order(problem.items.indptr, problem.items.items)
        rows = problem.items.take(order)
        cost, ends = consecutive_groups(
            rows.indptr,
            rows.items,
            len(rows.labels),
            k,
            threads=engine.threads,
            tick=engine.tick("splitting"),
        )
        marks = np.zeros(len(order), dtype=np.int64)
        marks[order] = np.searchsorted(ends, np.arange(len(order)), side="right")
        grouping = Grouping.numbered(marks, k)
        return Solution(Flips(grouping, np.full(len(grouping), -1)), statistics={"groups": len(ends), "flips": cost})
