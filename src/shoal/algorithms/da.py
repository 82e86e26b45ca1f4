"""DA, direct anonymization (Terrovitis et al. 2008, Alg. 3; Terrovitis et al. 2011, s.4.3).

DA makes one preorder walk over the count-tree of all itemsets of up to m labels, generalized or not. Every leaf below k
is repaired. Of all ways to raise its items that give it a support of k, the one with the lowest information loss is
committed, for the items that it raises (ties: fewer leaves, then lower ids). The walk goes on where no item of the path
has been raised.

Cost: unlike AA, it must enumerate m-itemsets of all labels from the start. It is meant for small m and few items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import CutAlgorithm
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.problem import Prepared
from shoal.recoding.solution import CutSolution
from shoal.search.direct import CutInput, all_at_once, is_by_leaves, label_order_option


@dataclass(frozen=True)
class DA(CutAlgorithm):
    """Generalize greedily, all sets of up to m items in one pass.

    As :class:`AA`, but sets of all sizes are counted at once. It is slower than AA and often as good. Use it for
    small m and few items, or to compare with the paper.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    polish : bool, default False
        Split groups of the result again wherever the guarantee still holds. Only for the model ``km``.
    label_order : {"support", "leaves"}, default "support"
        Order of the labels in the count-tree: by falling support, or by the number of items below them.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.DA())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    name = "da"
    title = "Direct anonymization"
    paper = "Terrovitis et al. 2008, Alg. 3; Terrovitis et al. 2011, s.4.3"
    solves = (Km, Lm, KmNegative)
    needs_all_rows = False

    label_order: Literal["support", "leaves"] = label_order_option()

    def cut(self, problem: Prepared[ItemsetModel], engine: Engine) -> CutSolution:
        """One walk over the sets of up to m labels."""
        by_leaves = is_by_leaves(self.label_order, problem.model, problem.items)
        done = all_at_once(CutInput.needed(problem, engine), problem.model, engine, by_leaves=by_leaves)
        return done.solution(problem.hierarchy)
