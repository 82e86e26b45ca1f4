"""DA, direct anonymization (P0 Alg. 3, P3 s.4.3).

One preorder walk over the count-tree of all itemsets of up to m labels, generalized or not. Every leaf below k is
repaired: of the ways to raise its items that lift it to k, the one of lowest information loss is committed (only the
items that are raised; ties: fewer leaves, then lower ids), and the walk goes on where no item of the path has been
raised.

Cost: unlike AA it must enumerate m-itemsets of all labels from the start; meant for small m and small domains.
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
    """Greedy, all sizes at once; slower than AA and often as good."""

    name = "da"
    title = "Direct anonymization"
    paper = "P0 Alg. 3, P3 s.4.3"
    solves = (Km, Lm, KmNegative)

    label_order: Literal["support", "leaves"] = label_order_option()

    def cut(self, problem: Prepared[ItemsetModel], engine: Engine) -> CutSolution:
        """One walk over the sets of up to m labels."""
        by_leaves = is_by_leaves(self.label_order, problem.model, problem.items)
        done = all_at_once(CutInput.of(problem), problem.model, engine, by_leaves=by_leaves)
        return done.solution(problem.hierarchy)
