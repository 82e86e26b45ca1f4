"""K-NN, nearest neighbors for k-anonymization (Wang et al. 2014, s.4.3), for sensitive k-anonymity.

As STN, but the sensitive rows come in another order: random (as in the paper; by the seed of the problem), as in STN,
or in the order of the Gray codes, as in GSC. By default a seed may take any unused row, sensitive or not, which needs
fewer changes. The paper takes rows without sensitive items (``candidates="nonsensitive"``), as STN does.

Cost: as STN.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.algorithms.base import FlippingAlgorithm
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.models.sensitive_k import SensitiveK
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.neighbours import SHORTAGE_HELP, SHORTAGES, fewest_sensitive_first, nearest_first, sensitive_rows


@dataclass(frozen=True)
class KNN(FlippingAlgorithm):
    """Group each record that has sensitive items, in random order, with its nearest records.

    As :class:`STN`, but by default a group may contain several records with sensitive items. That changes fewer
    items and forms fewer groups.

    Parameters
    ----------
    order : {"random", "stn", "gsc"}, default "random"
        Order in which records with sensitive items form groups: random, as in :class:`STN`, or as in :class:`GSC`.
    candidates : {"all", "nonsensitive"}, default "all"
        Records that may join a group: all, or those without sensitive items first.
    shortage : {"fill", "merge"}, default "fill"
        What to do when records without sensitive items run out: fill groups with sensitive records, or merge the
        remaining records into finished groups.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.KNN())
    >>> release.data
    [['apple', 'rye', 'HIV'], ['apple', 'rye', 'HIV'], ['pear', 'wheat', 'flu'], ['pear', 'wheat', 'flu']]
    """

    name = "knn"
    title = "Nearest neighbors for k-anonymization (K-NN)"
    paper = "Wang et al. 2014, s.4.3"
    solves = (SensitiveK,)

    order: Literal["random", "stn", "gsc"] = option(
        "random", words=("random", "stn", "gsc"), help="Order in which records with sensitive items form groups."
    )
    candidates: Literal["all", "nonsensitive"] = option(
        "all",
        words=("all", "nonsensitive"),
        help="Records that may join a group: all, or those without sensitive items first.",
    )
    shortage: Literal["fill", "merge"] = option("fill", words=SHORTAGES, help=SHORTAGE_HELP)

    def solve(self, problem: Prepared[SensitiveK], engine: Engine) -> Solution:
        """Form groups of nearest records."""
        seeds = self._seeds(problem)
        return nearest_first(problem, seeds, engine, candidates=self.candidates, shortage=self.shortage)

    def _seeds(self, problem: Prepared[SensitiveK]) -> Counts:
        """Return the sensitive rows in the chosen order."""
        if self.order == "stn":
            return fewest_sensitive_first(problem)
        rows = sensitive_rows(problem)
        if self.order == "gsc":
            order = gray_coded_order(problem.items.indptr, problem.items.items)
            return order[np.isin(order, rows)]
        shuffled = rows.tolist()
        random.Random(problem.seed).shuffle(shuffled)
        return np.array(shuffled, dtype=np.int64)
