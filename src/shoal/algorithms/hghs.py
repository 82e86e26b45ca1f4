"""HgHs (Liu and Wang 2010, s.3): generalize by a cut of the hierarchy, and suppress what is still too rare.

A greedy walk from the root towards the leaves, see :mod:`shoal.search.suppression`. For each label it compares the cost
of generalization with the cost of suppression.

Cost: the time to count the sets of up to m labels at the cuts next to the walk; the memory for the sets that are too
rare. Both grow fast with m: use mHgHs for large m.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import SuppressingAlgorithm, TreeAlgorithm
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.suppression import hghs


@dataclass(frozen=True)
class HgHs(SuppressingAlgorithm, TreeAlgorithm):
    """Generalize and suppress items greedily, from the root of the hierarchy down.

    At each step it compares what generalization and suppression cost, and takes the cheaper way. Suppressing a few
    rare items can keep many others detailed. An item is suppressed in all records or in none. For large m, use
    :class:`MHgHs`.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    max_suppressed : float, default 100
        Percentage of the items of all records that may be suppressed.
    never_suppress : list of str, default ()
        Items that must not be suppressed. A group of the hierarchy represents all its items.

    References
    ----------
    J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.HgHs())
    >>> release.data
    [['rye', 'wheat'], ['rye', 'pear'], ['rye', 'wheat', 'pear'], ['wheat', 'pear']]
    """

    name = "hghs"
    title = "Heuristic generalization with heuristic suppression"
    paper = "Liu and Wang 2010, s.3"
    solves = (Km,)
    needs_all_rows = False
    reveals = "certainty"

    def search(self, problem: Prepared[Km], engine: Engine) -> Solution:
        """Search from the root down."""
        return hghs(problem, self.limits(problem), engine)
