"""K-NN, nearest neighbors for k-anonymization (P1 s.4.3), for sensitive k-anonymity.

As STN, with another choice of which sensitive row comes next: at random (the paper's own; by the seed of the problem),
as STN does, or in the order of the Gray codes, as GSC does. By default a seed may take any unused row, sensitive or
not, which needs fewer operations; P1 takes rows without sensitive items (``candidates="nonsensitive"``), as STN does.

Cost: as STN.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.algorithms.base import FlippingAlgorithm
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.models.sensitive_k import SensitiveK
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.neighbours import SHORTAGE_HELP, SHORTAGES, fewest_sensitive_first, nearest_first, sensitive_rows


@dataclass(frozen=True)
class KNN(FlippingAlgorithm):
    """Each record with sensitive items, in random order, takes its nearest records."""

    name = "knn"
    title = "Nearest neighbors for k-anonymization (K-NN)"
    paper = "P1 s.4.3"
    solves = (SensitiveK,)

    order: Literal["random", "stn", "gsc"] = option(
        "random", words=("random", "stn", "gsc"), help="which record with sensitive items comes next"
    )
    candidates: Literal["all", "nonsensitive"] = option(
        "all", words=("all", "nonsensitive"), help="which records it takes: any, or first those without sensitive items"
    )
    shortage: Literal["fill", "merge"] = option("fill", words=SHORTAGES, help=SHORTAGE_HELP)

    def solve(self, problem: Prepared[SensitiveK], engine: Engine) -> Solution:
        """Group, nearest first."""
        seeds = self._seeds(problem)
        return nearest_first(problem, seeds, engine, candidates=self.candidates, shortage=self.shortage)

    def _seeds(self, problem: Prepared[SensitiveK]) -> Counts:
        """The sensitive rows in the chosen order."""
        if self.order == "stn":
            return fewest_sensitive_first(problem)
        rows = sensitive_rows(problem)
        if self.order == "gsc":
            order = gray_coded_order(problem.items.indptr, problem.items.items)
            return order[np.isin(order, rows)]
        shuffled = rows.tolist()
        random.Random(problem.seed).shuffle(shuffled)
        return np.array(shuffled, dtype=np.int64)
