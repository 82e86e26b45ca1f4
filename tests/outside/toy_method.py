"""An algorithm from outside, with a recoding of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.base import Algorithm
from shoal.data.arrays import Codes
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import Recoding, RecodingSummary
from shoal.recoding.solution import Solution
from tests.outside.toy_model import NoRareLabel


@dataclass(frozen=True, eq=False)
class Dropped(Recoding):
    """Some items are removed from every record."""

    items: Codes

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Without them; the labels stay."""
        code_of = np.arange(len(items.labels), dtype=np.int32)
        code_of[self.items] = -1
        return Published.plain(items.recode(code_of, items.labels), hidden)

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """How many are gone."""
        return RecodingSummary("toy recoding", suppressed_labels=len(self.items))


@dataclass(frozen=True)
class DropRare(Algorithm):
    """Removes rare items."""

    name = "toy-method"
    title = "Toy suppression"
    paper = "none"
    solves = (NoRareLabel,)
    suppresses = True
    generalizes = False
    needs_hierarchy = False

    def solve(self, problem: Prepared[NoRareLabel], engine: Engine) -> Solution:
        """Drop what is in fewer than k records."""
        supports = problem.items.supports
        rare = np.flatnonzero((supports > 0) & (supports < problem.model.k))
        return Solution(Dropped(rare.astype(np.int32)), statistics={"dropped": len(rare)})
