"""AA, apriori-based anonymization (Terrovitis et al. 2008, Alg. 4; Terrovitis et al. 2011, s.4.4).

For i = 1..m, AA walks the count-tree of the i-itemsets of all transactions. The transactions are expanded by all
generalizations of their items and reduced by the cut so far. Every set below k is repaired as DA does. Sets of i-1
items are safe by then, which prunes most of what DA has to count.

The count-tree is not materialised: the children of a node are counted when the walk gets to it. The walk is the paper's
preorder with labels by falling support (ties: lower id), so the cuts are those of the paper's algorithm. Tests compare
them with the count-tree reference in :mod:`shoal.search.count_tree`.

Cost: if a table of all small sets of labels fits, time is that of one pass over the transactions for sets of up to 2
items, and of another for sets of 3 (:mod:`shoal.search.set_tables`). Memory is one byte for each possible set. Else
time is proportional to the i-itemsets visited, and memory to m times the expanded transactions. Of very many
transactions, only what the walk needs is expanded (:mod:`shoal.search.thinning`).
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
from shoal.search.direct import CutInput, is_by_leaves, label_order_option, level_by_level, walks_by_table


@dataclass(frozen=True)
class AA(CutAlgorithm):
    """Generalize greedily, one set size after the other: sets of 1 item, then 2, and so on up to m.

    A set that too few records contain is generalized in the cheapest way that makes it frequent. Sets of i - 1
    items are safe before sets of i items are counted, so there is little to count. Use it when speed matters more
    than the last bit of detail: :class:`Auto` usually loses less.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    name = "aa"
    title = "Apriori-based anonymization"
    paper = "Terrovitis et al. 2008, Alg. 4; Terrovitis et al. 2011, s.4.4"
    solves = (Km, Lm, KmNegative)
    needs_all_rows = False

    label_order: Literal["support", "leaves"] = label_order_option()

    def keeps_rows(self, problem: Prepared[ItemsetModel], engine: Engine) -> bool:
        """Whether the walk is over rows, and not over a table of small sets or a list of violations."""
        by_table = not self.groups_siblings and not self.polish and walks_by_table(problem, engine)
        return not by_table and super().keeps_rows(problem, engine)

    def cut(self, problem: Prepared[ItemsetModel], engine: Engine) -> CutSolution:
        """Repair sets of one size after another."""
        by_leaves = is_by_leaves(self.label_order, problem.model, problem.items)
        done = level_by_level(CutInput.needed(problem, engine), problem.model, engine, by_leaves=by_leaves)
        return done.solution(problem.hierarchy)
