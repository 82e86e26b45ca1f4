"""The best cut and the best suppression of labels together, with a proof: an exact search over the recodings of HgHs.

Suppressing a few rare items can save many others from being generalized. Which items to suppress depends on the cut, so
:mod:`shoal.search.cut_suppression` solves both as one problem. Given enough time, it never loses more than mHgHs or
than the best cut alone, in the loss that is minimised.

Cost: exponential in the worst case; on real data, a few passes that count the sets at a cut, and some solver rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import SuppressingAlgorithm, TimedAlgorithm, time_limit_option
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clock import Clock
from shoal.search.cut_suppression import CutSuppressionSearch


@dataclass(frozen=True)
class OptimalSuppress(SuppressingAlgorithm, TimedAlgorithm):
    """Find the generalization and suppression that lose least together, and prove it.

    An exact search with OR-Tools over the recodings of :class:`HgHs`: a cut of the hierarchy, and items suppressed
    in all records. Given enough time, it never loses more than :class:`MHgHs` or than the best cut without
    suppression. It keeps a lower bound on the way.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    max_suppressed : float, default 100
        Percentage of the items of all records that may be suppressed.
    never_suppress : list of str, default ()
        Items that must not be suppressed. A group of the hierarchy represents all its items.
    time_limit : float or "none", default 120
        Seconds for the search. It ends at most 2 seconds later, unless the first safe result takes longer.

    References
    ----------
    J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.OptimalSuppress())
    >>> release.data
    [['rye', 'wheat'], ['rye', 'pear'], ['rye', 'wheat', 'pear'], ['wheat', 'pear']]
    """

    name = "optimal-suppress"
    title = "Provable optimum with suppression"
    paper = "Shoal; the problem is that of Liu and Wang 2010"
    solves = (Km,)
    needs_all_rows = False
    reveals = "certainty"

    time_limit: float | Literal["none"] = time_limit_option(120.0, compares=False)

    def timed(self, problem: Prepared[Km], engine: Engine, clock: Clock) -> Solution:
        """Search for the best cut and suppression."""
        return CutSuppressionSearch(problem, self.limits(problem), engine, clock).run()
