"""GraySort with CAHD (Ghinita et al. 2011), for privacy degree p. Wang et al. 2014 compare with it.

All rows are sorted by the Gray codes of their items that are not sensitive. In that order, each sensitive row that is
still unused gathers p - 1 of the unused rows at most alpha * p places above or below it. Rows that share most items
with it come first (ties: input order). A row that shares a sensitive item with one gathered before is skipped. The
group is formed if there are enough rows, and if no sensitive item is in more than 1 of p of the remaining rows. All
rows that are in no group at the end form one last group. Sensitive items are shuffled within each group, item by item
(:class:`shoal.recoding.Reshuffled`).

Cost: sorting, and 2 * alpha * p comparisons for each sensitive row: close to linear. Memory is proportional to the
data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.models.privacy_degree import PrivacyDegree
from shoal.options import option
from shoal.problem import Prepared
from shoal.published import Grouping
from shoal.recoding import Reshuffled
from shoal.recoding.solution import Solution
from shoal.search.overlaps import Overlaps


@dataclass(frozen=True)
class GraySort(Algorithm):
    """Group similar records, and shuffle the sensitive items within each group.

    In each group, at most one in p records has the same sensitive item, so an attacker links it with a probability
    of at most 1/p. All other items are published unchanged. Use it when the sensitive items may be separated from
    their records. A column of the published data names the group of each record.

    Parameters
    ----------
    alpha : int, default 2
        Size of the search window: records up to ``alpha * p`` places away are compared.

    References
    ----------
    G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data. IEEE TKDE 23(2), 2011.

    Examples
    --------
    >>> import shoal
    >>> baskets = [["apple", "rye"], ["apple", "rye", "HIV"], ["pear", "rye", "wheat"], ["pear", "wheat", "flu"]]
    >>> data = shoal.read(baskets)
    >>> no_groups = shoal.Hierarchy.flat(data.transactions.labels)
    >>> problem = shoal.Problem(data, no_groups, shoal.models.PrivacyDegree(p=2, sensitive=["flu", "HIV"]))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.GraySort())
    >>> release.data["group"].to_pylist()
    [1, 1, 2, 2]
    """

    name = "graysort"
    title = "GraySort with CAHD"
    paper = "Ghinita et al. 2011"
    solves = (PrivacyDegree,)
    truthful = False
    generalizes = False
    needs_hierarchy = False

    alpha: int = option(2, low=1, help="Size of the search window: records up to alpha * p places away are compared.")

    def solve(self, problem: Prepared[PrivacyDegree], engine: Engine) -> Solution:
        """Sort the rows, then form groups."""
        p, items, values = problem.model.p, problem.items, problem.sensitive
        order = gray_coded_order(items.indptr, items.items)
        free, overlaps = np.ones(len(items), dtype=bool), Overlaps(items)  # places of rows that are in no group
        held = [frozenset(values.row(row).tolist()) for row in range(len(items))]
        left = values.supports.copy()  # support of each sensitive item in the rows that are in no group
        marks, groups = np.full(len(items), -1, dtype=np.int64), 0
        tick, places = engine.tick("grouping"), np.flatnonzero(values.sizes[order]).tolist()
        for number, place in enumerate(places):
            if number % 1024 == 0:
                tick(number / len(places))
            if not free[place]:
                continue
            seed, first = int(order[place]), max(0, place - self.alpha * p)
            near = first + np.flatnonzero(free[first : place + self.alpha * p + 1])
            near = near[near != place]
            rows = order[near]
            ranked = near[np.lexsort((rows, -overlaps.shared(items.row(seed), rows)))].tolist()
            group, secrets = [place], set(held[seed])
            for other in ranked:
                if len(group) == p:
                    break
                theirs = held[order[other]]
                if secrets.isdisjoint(theirs):
                    group.append(other)
                    secrets |= theirs
            after = left.copy()
            after[list(secrets)] -= 1
            if len(group) == p and int(after.max()) * p <= len(items) - (groups + 1) * p:
                free[group] = False
                marks[order[group]], left, groups = groups, after, groups + 1
        ungrouped = marks < 0
        marks[ungrouped] = groups
        statistics: dict[str, float] = {
            "groups": groups + int(ungrouped.any()),
            "rows_of_last_group": int(ungrouped.sum()),
        }
        return Solution(Reshuffled(Grouping.numbered(marks, p), problem.seed), statistics=statistics)
