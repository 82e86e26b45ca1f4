"""The default: the exact search within a time limit (:mod:`shoal.algorithms.optimal`).

Without OR-Tools it takes the better of the greedy descent and AA, and polishes it. The bound then knows only threats of
a single node, which almost never gives a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import ExactAlgorithm, time_limit_option
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.options import option
from shoal.search.sibling_trees import WORDS


@dataclass(frozen=True)
class Auto(ExactAlgorithm):
    """Search for the least loss within a time limit, and prove how close the result is.

    The default for the models ``km``, ``lm`` and ``km-negative``. It searches the cuts of the hierarchy, and by
    default also groups of siblings, which keep more detail. The release carries a lower bound on the loss of all
    recodings of this kind. Without OR-Tools, it takes the better of two greedy results and seldom proves it
    optimal.

    Parameters
    ----------
    siblings : str, default "best"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` groups that the search finds, or the path of a file
        with the groups.
    time_limit : float or "none", default 60
        Seconds for the search. It ends at most 2 seconds later, unless the first safe result or, without a proof, a
        comparison with :class:`AA` takes longer. So no result without a proof is worse than AA's, unless you
        interrupt the search.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008.

    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. VLDB
    Journal 20(1), 2011.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    >>> release.optimality.proven
    True
    """

    name = "auto"
    title = "Exact within a time limit"
    paper = "Shoal; the problem is that of Terrovitis et al. 2008"
    solves = (Km, Lm, KmNegative)
    needs_proof = False

    siblings: str = option(
        "best",
        words=WORDS,
        file=True,
        help="Groups of siblings that may be published as one label: none, halves by label or by frequency, the best "
        "that the search finds, or those in a FILE.",
    )
    time_limit: float | Literal["none"] = time_limit_option(60.0)
