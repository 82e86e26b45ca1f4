"""Clusters of records that are merged until a bound is met (P2's frameworks Rum-bound and Tum-bound).

Rum is the loss of the columns: the mean over the records of what their cluster costs. Cost is NCP of a record of the
cluster or, for discernibility and class size, the number of its records. UL is the loss of the sets once each cluster
is generalized by itself.

What P2 leaves open, or prints wrong, is decided in algorithms.md: merges are accepted while Rum is within the bound; a
seed without an acceptable partner is set aside until somebody else merges with it; ties go to the cluster with the
lower number, which is in the order of first records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, part_of, row_ids
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.kernels.search.clusters.merging import Merging
from shoal.options import format_value
from shoal.privacy import ItemsetModel
from shoal.problem import Prepared
from shoal.search.ncp_scale import NcpScale
from shoal.search.set_generalizer import STEPS, SetGeneralizer

By = Literal["r", "t", "rt"]  # whose likeness decides: that of columns, of sets, of both
Rum = Literal["ncp", "discernibility", "class-size"]
Flags = npt.NDArray[np.bool_]
UNBOUNDED = 2**62
RESCUERS = 100  # clusters that one which is not safe is tried with


@dataclass(frozen=True, eq=False)
class Merge:
    """Two clusters became one."""

    number: int  # of the cluster, from now on
    gone: int
    rows: Counts  # of both


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
        within: SetGeneralizer | None = None,  # given: sets are compared by UL of the generalized union, not by BTD
        parted: bool = False,  # persons have records in several clusters: a union of safe ones may not be safe
    ) -> None:
        self.problem, self.ncp, self.engine, self.by, self.rum, self.within = problem, ncp, engine, by, rum, within
        self.parted, self.by_class = parted, parted or rum != "ncp"
        items, self.n = problem.items, len(problem.items)
        self.merging = Merging(
            ncp.codes,
            ncp.scales,
            items.indptr,
            items.items,
            len(items.labels),
            cluster_of,
            by_size=rum != "ncp",
            threads=engine.threads,
        )
        order = np.argsort(cluster_of, kind="stable")
        self.rows = dict(enumerate(np.split(order, np.cumsum(np.bincount(cluster_of))[:-1])))
        self.needs = Needs(problem)
        every = np.arange(self.n)
        self.feasible = dict(enumerate(self.needs.feasible(every, cluster_of)))  # of clusters that were looked at
        self.losses: dict[tuple[int, int], float] = {}  # mean UL of unions that were looked at
        self.set_aside = 0
        # where classes are counted: what each cluster is published as
        self.values = {number: self._published(rows) for number, rows in self.rows.items()} if self.by_class else {}

    def copy(self) -> Clusters:
        """The same clusters, to be merged in another way."""
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
        """Clusters that there are now."""
        return self.merging.alive

    def members(self) -> list[Counts]:
        """The rows of each cluster, in the order of their numbers."""
        return [self.rows[number] for number in sorted(self.rows)]

    @property
    def loss(self) -> float:
        """Rum: between 0 and 1, but for weights of columns that sum up to more."""
        if self.rum == "class-size":
            return 1 / len(self)
        unit = self.ncp.unit if self.rum == "ncp" else self.n
        return self.merging.total / (self.n * unit)

    def beyond(self, delta: float) -> bool:
        """Whether the bound is broken already."""
        bound = Fraction(str(delta))
        if self.rum == "class-size":
            return bound * len(self) < 1
        if self.rum == "ncp" and self.ncp.slack:  # costs are rounded: look exactly, once
            return self._exact() > bound
        return self.merging.total > self.most(delta)

    def _exact(self) -> Fraction:
        """Mean NCP by the definition."""
        raw = self.problem.relational
        assert raw is not None
        generalized = raw.generalized(part_of(self.members(), self.n))
        parts = zip(generalized.attributes, generalized.weights, generalized.low, generalized.high, strict=True)
        return sum(
            (
                weight * Fraction(sum(attribute.numerators(low, high).tolist()), attribute.denominator * self.n)
                for attribute, weight, low, high in parts
            ),
            Fraction(0),
        )

    @property
    def worst(self) -> float:
        """What Rum is if all records are one cluster of different values, at most."""
        raw = self.problem.relational
        return float(sum(raw.weights)) if self.rum == "ncp" and raw is not None else 1.0

    def most(self, delta: float) -> int:
        """The greatest total of costs within the bound."""
        raw = self.problem.relational
        if self.rum == "ncp" and raw is not None and Fraction(str(delta)) >= sum(raw.weights):
            return UNBOUNDED  # nothing can lose more
        if self.rum == "ncp":
            return self.ncp.most(delta, self.n)
        if self.rum == "discernibility":
            return math.floor(Fraction(str(delta)) * self.n * self.n)
        return UNBOUNDED

    def merge(self, one: int, other: int) -> Merge:
        """Make one cluster of two."""
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
        """Merge every cluster that cannot be made safe by itself with the one that costs least; how many were."""
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
        """The cluster to merge with one that is not safe by itself: the one that costs least.

        If clusters part persons, of those that cost least the first one with which it is safe, if there is any.
        """
        if self.parted:
            costs = self.merging.costs_with(number)
            others = np.array(sorted(self.rows.keys() - {number}))
            for other in others[np.argsort(costs[others], kind="stable")][:RESCUERS].tolist():
                if self.needs.is_feasible(np.concatenate([self.rows[number], self.rows[other]])):
                    return int(other)
        return self.merging.nearest(number, "r", UNBOUNDED)

    def merge_within_bound(self, delta: float) -> None:
        """Rmerge: merge while Rum stays within the bound."""
        tick, limit, start = self.engine.tick("merging clusters"), self.most(delta), len(self)
        fewest = math.ceil(1 / Fraction(str(delta))) if self.rum == "class-size" and delta > 0 else 1
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
        """Whether two clusters, with all that are published like their union, must not become one."""
        if self.parted and not self.needs.is_feasible(np.concatenate([self.rows[one] for one in numbers])):
            return True
        if len(numbers) == 2 or self.rum == "ncp":  # equal values lose the same
            return False
        sizes = [len(self.rows[one]) for one in numbers]
        total = self.merging.total - sum(size * size for size in sizes) + sum(sizes) ** 2
        return total > limit or len(self) + 1 - len(numbers) < fewest

    def _published(self, rows: Counts) -> tuple[str | None, ...]:
        """The values that these rows would be published with."""
        assert self.problem.relational is not None
        alike = self.problem.relational.take(rows).generalized(np.zeros(len(rows), dtype=np.int64))
        return tuple(column[0] for column in alike.take(np.zeros(1, dtype=np.int64)).columns())

    def _equal(self, one: int, other: int) -> list[int]:
        """The clusters that the union of two would be published like: sizes of classes count them together."""
        values = self._published(np.concatenate([self.rows[one], self.rows[other]]))
        return [number for number, own in self.values.items() if own == values and number not in (one, other)]

    def unite(self) -> None:
        """Clusters that would be published with equal values become one, where classes are counted."""
        first: dict[tuple[str | None, ...], int] = {}
        for number in sorted(self.values):
            earlier = first.setdefault(self.values[number], number)
            if earlier != number:
                self.merge(earlier, number)

    def merges(self) -> Iterator[Merge]:
        """Tmerge's merges, one after the other, down to one cluster; none, if clusters part persons."""
        while len(self) > 1 and not self.parted:
            seed = self.merging.seed()
            yield self.merge(seed, self.nearest(seed, UNBOUNDED))

    def nearest(self, seed: int, limit: int) -> int:
        """The cluster to merge a seed with such that the total stays within the limit; -1: none."""
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
        """Mean UL of the union of a seed with each of some clusters."""
        assert self.within is not None
        within, new = self.within, [other for other in others.tolist() if (seed, other) not in self.losses]
        unions = [np.sort(np.concatenate([self.rows[seed], self.rows[other]])) for other in new]
        losses = self.engine.map("comparing sets", lambda rows, one: within.loss(rows, one) / len(rows), unions)
        for other, loss in zip(new, losses, strict=True):
            self.losses[seed, other] = self.losses[other, seed] = loss
        return np.array([self.losses[seed, other] for other in others.tolist()])


def merge_until_bound(
    clusters: Clusters, within: SetGeneralizer, delta: float, engine: Engine, *, nearest: bool = False
) -> list[Counts]:
    """Tmerge: merge until UL is within the bound, or one cluster is left: the first such state.

    If no state is within it, that is an error; or, ``nearest``, the state with the least UL is taken.
    Which clusters merge does not depend on UL (but for the exact distance), so many unions are generalized at once.
    """
    tick, start = engine.tick("merging clusters"), len(clusters)
    rows = dict(clusters.rows)
    sums = dict(zip(rows, engine.map("generalizing sets", within.loss, list(rows.values())), strict=True))
    total = sum(sums.values())
    best, at = total, dict(rows)
    merges, most = clusters.merges(), math.floor(Fraction(str(delta)) * clusters.n * STEPS)
    while total > most:
        ahead = list(islice(merges, 1 if clusters.within is not None else 8 * engine.threads))
        if not ahead and nearest:
            return [at[number] for number in sorted(at)]
        if not ahead:
            raise Infeasible(_unreached(clusters, delta, best / clusters.n / STEPS, len(at)))
        losses = engine.map("generalizing sets", within.loss, [merge.rows for merge in ahead])
        for merge, loss in zip(ahead, losses, strict=True):
            del rows[merge.gone], sums[merge.gone]
            rows[merge.number], sums[merge.number] = merge.rows, loss
            total = sum(sums.values())
            if total < best:
                best, at = total, dict(rows)
            if total <= most:
                break
        tick((start - len(rows)) / start)
    return [rows[number] for number in sorted(rows)]


class Needs:
    """Which clusters can be made safe by themselves, at the latest with everything at the root.

    Of none or at least k persons with a set that is not empty and, for models about columns, of at least k persons. No
    sensitive value may be too frequent, neither by records nor by persons: of all records, and of those with a set.
    Where attackers may know what is missing, of none or at least k persons with an empty set, too.
    """

    def __init__(self, problem: Prepared[ItemsetModel]) -> None:
        demand, items = problem.privacy.demand(problem.items), problem.items
        self.k, self.l, self.values = demand.k, demand.one_in, problem.sensitive
        self.least = self.k if problem.privacy.relational else 0
        self.absent = demand.absent
        self.filled = items.sizes > 0
        records: Counts = np.arange(len(items), dtype=np.int64)
        self.persons = records if items.persons is None else items.persons.of.astype(np.int64)
        self.units = [records] if items.persons is None else [records, self.persons]

    def is_feasible(self, rows: Counts) -> bool:
        """Whether a cluster of these rows can."""
        return self.feasible(rows, np.zeros(len(rows), dtype=np.int64))[0]

    def can_be_class(self, rows: Counts) -> bool:
        """Whether these rows hold for who knows their columns and no item, whatever becomes of their sets."""
        alone = np.zeros(len(rows), dtype=np.int64)
        enough = bool(_different(self.persons[rows], alone, 1)[0] >= self.least)
        return enough and all(self._hidden(rows, alone, 1, unit)[0] for unit in (self.units if self.l else ()))

    def feasible(self, rows: Counts, cluster_of: Counts) -> list[bool]:
        """Whether each of the clusters of some rows can."""
        clusters = int(cluster_of.max(initial=0)) + 1
        persons = _different(self.persons[rows], cluster_of, clusters)
        some = self.filled[rows]
        filled = _different(self.persons[rows[some]], cluster_of[some], clusters)
        fine: Flags = (persons >= self.least) & ((filled == 0) | (filled >= self.k))
        if self.absent:
            empty = _different(self.persons[rows[~some]], cluster_of[~some], clusters)
            fine &= (empty == 0) | (empty >= self.k)
        for unit in self.units if self.l else ():
            fine &= self._hidden(rows, cluster_of, clusters, unit)
            fine &= self._hidden(rows[some], cluster_of[some], clusters, unit)
        return [bool(one) for one in fine]

    def _hidden(self, rows: Counts, cluster_of: Counts, clusters: int, unit: Counts) -> Flags:
        """For each cluster, whether no sensitive value is in more than 1 of l of its records, or persons."""
        values = self.values.take(rows)
        ids, width = row_ids(values.indptr), max(1, len(values.labels))
        holders = _different(unit[rows[ids]], cluster_of[ids] * width + values.items, clusters * width)
        most, of = holders.reshape(clusters, width).max(axis=1), _different(unit[rows], cluster_of, clusters)
        hidden: Flags = self.l * most <= of
        return hidden


def _different(units: Counts, group_of: Counts, groups: int) -> Counts:
    """How many different units each group has.

    >>> _different(np.array([7, 7, 8]), np.array([0, 0, 2]), 3).tolist()
    [1, 0, 1]
    """
    order = np.lexsort((units, group_of))
    units, group_of = units[order], group_of[order]
    new = np.ones(len(units), dtype=np.bool_)
    new[1:] = (units[1:] != units[:-1]) | (group_of[1:] != group_of[:-1])
    return np.bincount(group_of[new], minlength=groups).astype(np.int64)


def _ranks(keys: np.ndarray[tuple[int, ...], np.dtype[np.generic]], numbers: Counts) -> Counts:
    """The place of each in the order of keys; ties: of numbers."""
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.lexsort((numbers, keys))] = np.arange(len(keys))
    return ranks


def _unreached(clusters: Clusters, delta: float, best: float, at: int) -> str:
    """Why a bound on UL cannot be met, and what could be done."""
    m = clusters.problem.privacy.values()["m"]
    less = "a smaller --k" if m == 1 else "a smaller --k or --m"
    allowed = math.ceil(best * 1e4) / 1e4
    return (
        f"UL of the sets cannot be brought down to --delta {format_value(delta)} by merging clusters: the best is "
        f"{best:.4f}, "
        f"with {at:,} cluster{'' if at == 1 else 's'}. Allow --delta {allowed:g}, or choose {less}, another --within "
        f"(sets-ul, aa, optimal), or a finer hierarchy of the items."
    )
