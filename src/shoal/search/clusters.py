"""Clusters of records that are merged until a bound is met (Rum-bound and Tum-bound of Poulis et al. 2013).

Rum is the loss of the columns: the mean over the records of the cost of their cluster (:mod:`shoal.search.rum`). UL is
the loss of the sets if each cluster is generalized by itself.

Where the paper leaves a choice or has a misprint, we decided: merges are accepted while Rum is within the bound. A seed
without an acceptable partner is set aside until another cluster merges with it. Ties go to the cluster with the lower
number; clusters are numbered by their first records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from shoal.data.arrays import Counts, part_of
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.search.ncp_scale import NcpScale
from shoal.search.needs import Needs
from shoal.search.rum import UNBOUNDED, ColumnLoss, Rum
from shoal.search.set_generalizer import SetGeneralizer

By = Literal["r", "t", "rt"]  # which similarity decides: of the columns, of the sets, or of both
RESCUERS = 100  # how many partners are tried for a cluster that is not safe


@dataclass(frozen=True, eq=False)
class Merge:
    """The record of one merge of two clusters."""

    number: int  # number of the merged cluster
    gone: int
    rows: Counts  # rows of both clusters


class Clusters:
    """Clusters of one problem while they are merged."""

    def __init__(
        self,
        problem: Prepared[ItemsetModel],
        ncp: NcpScale,
        cluster_of: Counts,
        engine: Engine,
        *,
        by: By,
        rum: Rum = "ncp",
        within: SetGeneralizer | None = None,  # if given, sets are compared by UL of the generalized union, not by BTD
        parted: bool = False,  # persons may have records in several clusters; a union of safe clusters may be unsafe
    ) -> None:
        self.problem, self.ncp, self.engine, self.by, self.rum, self.within = problem, ncp, engine, by, rum, within
        raw = problem.relational
        assert raw is not None
        self.columns = ColumnLoss(rum, raw, ncp)
        self.parted, self.by_class = parted, parted or self.columns.by_class
        self.n = len(problem.items)
        self.merging = self.columns.merging(problem.items, cluster_of, engine.threads)
        order = np.argsort(cluster_of, kind="stable")
        self.rows = dict(enumerate(np.split(order, np.cumsum(np.bincount(cluster_of))[:-1])))
        self.needs = Needs(problem)
        every = np.arange(self.n)
        self.feasible = dict(enumerate(self.needs.feasible(every, cluster_of)))  # of the clusters examined so far
        self.losses: dict[tuple[int, int], float] = {}  # mean UL of the unions examined so far
        self.set_aside = 0
        # Only for measures that count classes: the published values of each cluster.
        self.values = {number: self._published(rows) for number, rows in self.rows.items()} if self.by_class else {}

    def copy(self) -> Clusters:
        """Return a copy, to be merged in another way."""
        cluster_of = part_of(self.members(), self.n)
        return Clusters(
            self.problem,
            self.ncp,
            cluster_of,
            self.engine,
            by=self.by,
            rum=self.rum,
            within=self.within,
            parted=self.parted,
        )

    def __len__(self) -> int:
        """The current number of clusters."""
        return self.merging.alive

    def members(self) -> list[Counts]:
        """The rows of each cluster, in the order of their numbers."""
        return [self.rows[number] for number in sorted(self.rows)]

    @property
    def loss(self) -> float:
        """Rum: between 0 and 1, unless the weights of the columns sum up to more."""
        return self.columns.share(self.merging.total, len(self))

    @property
    def worst(self) -> float:
        """The largest possible Rum: all records in one cluster of different values."""
        return self.columns.worst

    @property
    def exact_loss(self) -> Fraction:
        """Rum without rounding errors."""
        return self.columns.exact(self.merging.total, self.members())

    def beyond(self, delta: float) -> bool:
        """Whether Rum is above the bound."""
        return self.columns.beyond(delta, self.merging.total, self.members())

    def merge(self, one: int, other: int) -> Merge:
        """Merge two clusters."""
        self.merging.merge(one, other)
        number, gone = min(one, other), max(one, other)
        self.rows[number] = np.sort(np.concatenate([self.rows[number], self.rows.pop(gone)]))
        for changed in (number, gone):
            self.feasible.pop(changed, None)
        self.losses = {pair: loss for pair, loss in self.losses.items() if not {one, other}.intersection(pair)}
        if self.by_class:
            del self.values[gone]
            self.values[number] = self._published(self.rows[number])
        return Merge(number, gone, self.rows[number])

    def is_feasible(self, number: int) -> bool:
        """Whether a cluster can be made safe by itself."""
        if number not in self.feasible:
            self.feasible[number] = self.needs.is_feasible(self.rows[number])
        return self.feasible[number]

    def merge_infeasible(self) -> int:
        """Merge each cluster that cannot be made safe with the cheapest other one. Return how many were merged."""
        merged = 0
        for number in sorted(self.rows):
            grown = number
            while grown in self.rows and len(self) > 1 and not self.is_feasible(grown):
                grown = self.merge(grown, self._rescuer(grown)).number
                merged += 1
        before = len(self)
        self.unite()
        return merged + self.merge_infeasible() if self.parted and len(self) < before else merged

    def _rescuer(self, number: int) -> int:
        """Return the cluster to merge an unsafe one with: the one where that costs least.

        If a person may have records in several clusters, the first of the cheapest clusters is taken whose union is
        safe.
        """
        if self.parted:
            costs = self.merging.costs_with(number)
            others = np.array(sorted(self.rows.keys() - {number}))
            for other in others[np.argsort(costs[others], kind="stable")][:RESCUERS].tolist():
                if self.needs.is_feasible(np.concatenate([self.rows[number], self.rows[other]])):
                    return int(other)
        return self.merging.nearest(number, "r", UNBOUNDED)

    def merge_within_bound(self, delta: float) -> None:
        """Merge clusters while Rum stays within the bound (Rmerge)."""
        tick, limit, start = self.engine.tick("merging clusters"), self.columns.most(delta), len(self)
        fewest = self.columns.fewest(delta)
        while len(self) > fewest and (seed := self.merging.seed()) >= 0:
            tick((start - len(self) + self.set_aside) / start)
            partner = self.nearest(seed, limit)
            more = self._equal(seed, partner) if partner >= 0 and self.by_class else []
            if partner < 0 or self._forbidden([seed, partner, *more], limit, fewest):
                self.merging.set_aside(seed)
                self.set_aside += 1
                continue
            number = self.merge(seed, partner).number
            for other in more:
                number = self.merge(number, other).number

    def _forbidden(self, numbers: list[int], limit: int, fewest: int) -> bool:
        """Whether two clusters must not be merged, together with all clusters that are published like their union."""
        if self.parted and not self.needs.is_feasible(np.concatenate([self.rows[one] for one in numbers])):
            return True
        if len(numbers) == 2 or not self.columns.by_class:  # equal values lose the same
            return False
        sizes = [len(self.rows[one]) for one in numbers]
        total = self.merging.total - sum(size * size for size in sizes) + sum(sizes) ** 2
        return total > limit or len(self) + 1 - len(numbers) < fewest

    def _published(self, rows: Counts) -> tuple[str | None, ...]:
        """Return the values that these rows would be published with."""
        assert self.problem.relational is not None
        alike = self.problem.relational.take(rows).generalized(np.zeros(len(rows), dtype=np.int64))
        return tuple(column[0] for column in alike.take(np.zeros(1, dtype=np.int64)).columns())

    def _equal(self, one: int, other: int) -> list[int]:
        """Return the clusters that are published like the union of two. Class sizes count them together."""
        values = self._published(np.concatenate([self.rows[one], self.rows[other]]))
        return [number for number, own in self.values.items() if own == values and number not in (one, other)]

    def unite(self) -> None:
        """Merge clusters that would be published with equal values, if the measure counts classes."""
        first: dict[tuple[str | None, ...], int] = {}
        for number in sorted(self.values):
            earlier = first.setdefault(self.values[number], number)
            if earlier != number:
                self.merge(earlier, number)

    def merges(self) -> Iterator[Merge]:
        """Yield the merges of Tmerge down to one cluster; none if a person may have records in several clusters."""
        while len(self) > 1 and not self.parted:
            seed = self.merging.seed()
            partner = self.nearest(seed, UNBOUNDED)
            more = self._equal(seed, partner) if self.by_class else []
            for other in (partner, *more):
                merge = self.merge(seed, other)
                seed = merge.number
                yield merge

    def nearest(self, seed: int, limit: int) -> int:
        """Return the cluster to merge a seed with such that the total stays within the limit, or -1."""
        if self.within is None or self.by == "r":
            return self.merging.nearest(seed, self.by, limit)
        totals = self.merging.totals_with(seed)
        others = np.flatnonzero(totals >= 0)
        allowed = totals[others] <= limit
        if self.by == "t":
            others = others[allowed]
            losses = self._losses_with(seed, others)
            return int(others[np.lexsort((others, losses))[0]]) if len(others) else -1
        if not allowed.any():
            return -1
        costs = self.merging.costs_with(seed)[others]
        like_columns, like_sets = _ranks(costs, others), _ranks(self._losses_with(seed, others), others)
        order = np.lexsort((like_columns, like_columns + like_sets))
        return int(others[order[allowed[order]][0]])

    def _losses_with(self, seed: int, others: Counts) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the mean UL of the union of a seed with each of some clusters."""
        assert self.within is not None
        within, new = self.within, [other for other in others.tolist() if (seed, other) not in self.losses]
        unions = [np.sort(np.concatenate([self.rows[seed], self.rows[other]])) for other in new]
        losses = self.engine.map("comparing sets", lambda rows, one: within.loss(rows, one) / len(rows), unions)
        for other, loss in zip(new, losses, strict=True):
            self.losses[seed, other] = self.losses[other, seed] = loss
        return np.array([self.losses[seed, other] for other in others.tolist()])


def _ranks(keys: np.ndarray[tuple[int, ...], np.dtype[np.generic]], numbers: Counts) -> Counts:
    """Return the rank of each key. Ties are ranked by number."""
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.lexsort((numbers, keys))] = np.arange(len(keys))
    return ranks
