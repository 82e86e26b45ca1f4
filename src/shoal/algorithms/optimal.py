"""The optimal global cut with a proof: the optimum of OA, for tens of thousands of items instead of 60.

A cut is a set of expanded nodes. Rare sets of labels are clauses on it, which are found lazily and made as strong as
possible. OR-Tools CP-SAT solves the clauses known so far, and their optimum bounds every cut
(:mod:`shoal.search.exact`). For models that are not monotone, clauses exclude fewer cuts
(:mod:`shoal.search.non_monotone`).

Cost: exponential in the worst case; on real data, a few passes that count the sets at a cut. Memory is proportional to
the rows with all their generalizations; of very many rows, to what the search needs of them
(:mod:`shoal.search.thinning`).
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import ExactAlgorithm
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm


@dataclass(frozen=True)
class Optimal(ExactAlgorithm):
    """Find the cut of the hierarchy that loses least, and prove it.

    An exact search with OR-Tools. It runs until no cut can lose less, and keeps a lower bound on the way. Use it
    when you need the proof. With a time limit it behaves as :class:`Auto`, but it fails if OR-Tools is not
    installed.

    Parameters
    ----------
    siblings : str, default "none"
        As for :class:`Auto`. The default publishes nodes of the hierarchy only.
    time_limit : float or "none", default "none"
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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    >>> release.optimality.proven
    True
    """

    name = "optimal"
    title = "Provable optimum"
    paper = "Shoal; the problem is that of Terrovitis et al. 2008"
    solves = (Km, Lm, KmNegative)
    needs_proof = True
