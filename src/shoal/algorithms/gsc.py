"""GSC, Gray sort clustering (Wang et al. 2014, s.4.2), for sensitive k-anonymity.

All rows are sorted by the Gray codes of their items that are not sensitive. In that order, each sensitive row that is
still unused takes the k - 1 nearest unused rows (Hamming distance; ties: input order) at most alpha * k places above or
below it. If these are too few, the window is doubled until it holds enough. The paper can be read in three ways.
``all`` rows may be taken. In the ``pool``, which is the window, rows without sensitive items come first. Or the window
is doubled until it holds enough ``nonsensitive`` rows; if all data hold too few, it takes all of them, and then
sensitive rows in the same way. If fewer than k rows are left, the remaining sensitive rows join the most similar
finished group. Data that satisfy the model already are not changed.

Cost: sorting, and about alpha * k comparisons for each sensitive row: close to linear. Memory is proportional to the
data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.algorithms.base import FlippingAlgorithm
from shoal.engines import Engine
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.kernels.search.neighbours.windowed_groups import windowed_groups
from shoal.models.sensitive_k import SensitiveK
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.neighbours import finished, sensitive_rows


@dataclass(frozen=True)
class GSC(FlippingAlgorithm):
    """Group each record that has sensitive items with the nearest of its neighbours in Gray-code order.

    As :class:`STN`, but only records within a window of the sorted list are compared. Its time grows about linearly
    with the data, so use it for large data.

    Parameters
    ----------
    alpha : int, default 2
        Size of the search window: records up to ``alpha * k`` places away are compared.
    candidates : {"all", "pool", "nonsensitive"}, default "all"
        Records that may join a group: all in the window; those without sensitive items first (``"pool"``); or those
        without sensitive items first, in a window that grows until it has enough of them (``"nonsensitive"``).

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence 41, 2014.

    Examples
    --------
    >>> import shoal
    >>> baskets = [["apple", "rye"], ["apple", "rye", "HIV"], ["pear", "rye", "wheat"], ["pear", "wheat", "flu"]]
    >>> data = shoal.read(baskets)
    >>> no_groups = shoal.Hierarchy.flat(data.transactions.labels)
    >>> problem = shoal.Problem(data, no_groups, shoal.models.SensitiveK(k=2, sensitive=["flu", "HIV"]))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.GSC())
    >>> release.data
    [['apple', 'rye', 'HIV'], ['apple', 'rye', 'HIV'], ['pear', 'wheat', 'flu'], ['pear', 'wheat', 'flu']]
    """

    name = "gsc"
    title = "Gray sort clustering (GSC)"
    paper = "Wang et al. 2014, s.4.2"
    solves = (SensitiveK,)

    alpha: int = option(2, low=1, help="Size of the search window: records up to alpha * k places away are compared.")
    candidates: Literal["all", "pool", "nonsensitive"] = option(
        "all",
        words=("all", "pool", "nonsensitive"),
        help="Records that may join a group: all nearby ones, or those without sensitive items first, nearby (pool) or "
        "anywhere (nonsensitive).",
    )

    def solve(self, problem: Prepared[SensitiveK], engine: Engine) -> Solution:
        """Sort the rows, then form groups."""
        if not len(sensitive_rows(problem)):
            return finished(problem, [], [])
        k, order = problem.model.k, gray_coded_order(problem.items.indptr, problem.items.items)
        rows, seeds = problem.items.take(order), problem.sensitive_items.sizes[order] > 0
        groups = windowed_groups(
            rows.indptr,
            rows.items,
            len(rows.labels),
            order,
            seeds,
            np.zeros_like(seeds) if self.candidates == "all" else seeds,
            k - 1,
            self.alpha * k,
            widen=self.candidates != "pool",
            tick=engine.tick("grouping"),
        )
        return finished(problem, order[groups].tolist(), order[seeds])
