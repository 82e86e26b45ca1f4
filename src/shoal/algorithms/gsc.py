"""GSC, Gray sort clustering (P1 s.4.2), for sensitive k-anonymity.

All rows are sorted by the Gray codes of what may be known of them. In that order each sensitive row, unless another
took it, takes the k - 1 nearest (Hamming distance; ties: input order) of the unused rows without sensitive items that
stand at most alpha * k places above or below it. Where these are too few, the window is doubled until it holds enough.
Where all the data hold too few, it takes all of them and, in the same way, unused sensitive rows. With fewer than k
rows left, the remaining sensitive ones join the most similar finished group. Data that satisfy the model as they are
stay as they are.

Cost: sorting, and for each sensitive row a look at some alpha * k rows: close to linear. Memory is proportional to the
data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms import FlippingAlgorithm
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.options import option
from shoal.privacy.sensitive_k import SensitiveK
from shoal.problem import Problem
from shoal.search.gray_code import gray_coded_order
from shoal.search.neighbours import finished, sensitive_rows, size_of
from shoal.search.windows import Overlaps, Places
from shoal.solution import Solution


@dataclass(frozen=True)
class GSC(FlippingAlgorithm):
    """Each record with sensitive items takes the nearest of the records around it in the order of Gray codes."""

    name = "gsc"
    title = "Gray sort clustering (GSC)"
    paper = "P1 s.4.2"
    solves = (SensitiveK,)

    alpha: int = option(2, low=1, help="how far to look for similar records: alpha * k (or p) places up and down")

    def solve(self, problem: Problem, engine: Engine) -> Solution:
        """Sort, then group."""
        k, items = size_of(problem), problem.items
        seeds = sensitive_rows(problem)
        if not len(seeds):
            return finished(problem, [], [])
        order = gray_coded_order(items)
        sensitive = problem.sensitive.sizes[order] > 0
        plain, private, overlaps = Places(~sensitive), Places(sensitive), Overlaps(items)
        groups, tick, places = [], engine.tick("grouping"), np.flatnonzero(sensitive).tolist()
        for number, place in enumerate(places):
            if number % 1024 == 0:
                tick(number / len(places))
            if place not in private:
                continue
            if len(plain) + len(private) < k:
                break
            private.take(place)
            chosen = self._nearest(plain, place, k - 1, k, order, overlaps)
            chosen += self._nearest(private, place, k - 1 - len(chosen), k, order, overlaps)
            groups.append([int(order[place]), *order[chosen].tolist()])
        return finished(problem, groups, order[places])

    def _nearest(self, free: Places, place: int, wanted: int, k: int, order: Counts, overlaps: Overlaps) -> list[int]:
        """The nearest free places, as many as wanted, or all that there are; they are taken."""
        reach, wanted = self.alpha * k, min(wanted, len(free))
        while wanted and len(near := free.near(place, reach)) < wanted:
            reach *= 2
        if not wanted:
            return []
        rows = order[near]
        ranked = np.lexsort((rows, overlaps.distances(overlaps.rows.row(int(order[place])), rows)))[:wanted]
        chosen = [near[at] for at in ranked.tolist()]
        for one in chosen:
            free.take(one)
        return chosen
