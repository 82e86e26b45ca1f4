"""STN, Sensitive Transaction Neighbors (Wang et al. 2014, s.4.1), for sensitive k-anonymity.

Sensitive rows come in ascending number of sensitive items (ties: input order). Each takes its k - 1 nearest unused rows
without sensitive items, by Hamming distance on the items that are not sensitive (ties: input order). Flips make the
rows of a group the same. When rows without sensitive items run out, the next seed takes the last of them and then the
nearest unused sensitive rows. If fewer than k rows are left, the remaining sensitive rows join the most similar
finished group. With ``shortage="merge"``, the rule of the paper, all remaining seeds join finished groups as soon as
rows without sensitive items run out. Data that satisfy the model already are not changed.

Cost: each sensitive row is compared with all others, either 64 items at a time or along the lists of rows that contain
its items, whichever is cheaper. Memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import FlippingAlgorithm
from shoal.engines import Engine
from shoal.models.sensitive_k import SensitiveK
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.neighbours import SHORTAGE_HELP, SHORTAGES, fewest_sensitive_first, nearest_first


@dataclass(frozen=True)
class STN(FlippingAlgorithm):
    """Group each record that has sensitive items with its nearest records that have none.

    Records with the fewest sensitive items come first. Items are added and deleted until the records of a group are
    the same, so published records can contain false items. Records in no group stay unchanged. Each group gets
    sensitive items of one record only, as long as there are enough records without any.

    Parameters
    ----------
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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.STN())
    >>> release.data
    [['apple', 'rye', 'HIV'], ['apple', 'rye', 'HIV'], ['pear', 'wheat', 'flu'], ['pear', 'wheat', 'flu']]
    """

    name = "stn"
    title = "Sensitive transaction neighbors (STN)"
    paper = "Wang et al. 2014, s.4.1"
    solves = (SensitiveK,)

    shortage: Literal["fill", "merge"] = option("fill", words=SHORTAGES, help=SHORTAGE_HELP)

    def solve(self, problem: Prepared[SensitiveK], engine: Engine) -> Solution:
        """Form groups of nearest records."""
        seeds = fewest_sensitive_first(problem)
        return nearest_first(problem, seeds, engine, candidates="nonsensitive", shortage=self.shortage)
