"""mHgHs (Liu and Wang 2010, s.4): HgHs in rounds, for sets of 1 label, then 2, and so on up to m.

A round goes no deeper than the cut of the round before, so there is less to count. What is suppressed is decided again
in each round. Rounds end as soon as no set of any size is too rare, unless all rounds are requested. See
:mod:`shoal.search.suppression`.

Cost: as HgHs, on a hierarchy that shrinks from round to round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import SuppressingAlgorithm, TreeAlgorithm
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.suppression import mhghs


@dataclass(frozen=True)
class MHgHs(SuppressingAlgorithm, TreeAlgorithm):
    """Generalize and suppress items greedily, in rounds for sets of 1 label, then 2, and so on up to m.

    As :class:`HgHs`, but a round never goes below the cut of the round before, so there is less to count. Use it
    instead of HgHs when m is large.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    max_suppressed : float, default 100
        Percentage of the items of all records that may be suppressed.
    never_suppress : list of str, default ()
        Items that must not be suppressed. A group of the hierarchy represents all its items.
    rounds : {"needed", "all"}, default "needed"
        When to stop: as soon as no set of any size is too rare, or after all m rounds, as in the paper.

    References
    ----------
    J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.MHgHs())
    >>> release.data
    [['rye', 'wheat'], ['rye', 'pear'], ['rye', 'wheat', 'pear'], ['wheat', 'pear']]
    """

    name = "mhghs"
    title = "Multi-round generalization with suppression"
    paper = "Liu and Wang 2010, s.4"
    solves = (Km,)
    needs_all_rows = False
    reveals = "certainty"

    rounds: Literal["needed", "all"] = option(
        "needed",
        words=("needed", "all"),
        help="When to stop: as soon as no set of any size is too rare, or after all m rounds.",
    )

    def search(self, problem: Prepared[Km], engine: Engine) -> Solution:
        """Search from the root down, once for each size of sets."""
        return mhghs(problem, self.limits(problem), engine, rounds=self.rounds)
