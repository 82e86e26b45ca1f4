"""Tells which clusters of records can be made safe by themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, row_ids
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared

Flags = npt.NDArray[np.bool_]


class Needs:
    """Tells which clusters can be made safe by themselves, if necessary with all items at the root.

    A cluster must have no non-empty set, or non-empty sets of at least k persons. For models about columns it must have
    at least k persons. No sensitive value may be too frequent, counted by records and by persons, among all records and
    among those with a set. If attackers may know absent items, the cluster must also have no empty set, or empty sets
    of at least k persons.
    """

    def __init__(self, problem: Prepared[ItemsetModel]) -> None:
        demand, items = problem.model.demand(problem.items), problem.items
        self.k, self.l, self.values = demand.k, demand.one_in, problem.sensitive
        self.least = self.k if problem.model.relational else 0
        self.absent = demand.absent
        self.filled = items.sizes > 0
        records: Counts = np.arange(len(items), dtype=np.int64)
        self.persons = records if items.persons is None else items.persons.of.astype(np.int64)
        self.units = [records] if items.persons is None else [records, self.persons]

    def is_feasible(self, rows: Counts) -> bool:
        """Whether a cluster of these rows can be made safe."""
        return self.feasible(rows, np.zeros(len(rows), dtype=np.int64))[0]

    def can_be_class(self, rows: Counts) -> bool:
        """Whether these rows are safe against an attacker who knows their columns and no item."""
        alone = np.zeros(len(rows), dtype=np.int64)
        enough = bool(_different(self.persons[rows], alone, 1)[0] >= self.least)
        return enough and all(self._hidden(rows, alone, 1, unit)[0] for unit in (self.units if self.l else ()))

    def feasible(self, rows: Counts, cluster_of: Counts) -> list[bool]:
        """Whether each cluster of some rows can be made safe."""
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
        """For each cluster, whether no sensitive value is in more than 1 of l records, or persons."""
        values = self.values.take(rows)
        ids, width = row_ids(values.indptr), max(1, len(values.labels))
        holders = _different(unit[rows[ids]], cluster_of[ids] * width + values.items, clusters * width)
        most, of = holders.reshape(clusters, width).max(axis=1), _different(unit[rows], cluster_of, clusters)
        hidden: Flags = self.l * most <= of
        return hidden


def _different(units: Counts, group_of: Counts, groups: int) -> Counts:
    """Count the different units of each group.

    >>> _different(np.array([7, 7, 8]), np.array([0, 0, 2]), 3).tolist()
    [1, 0, 1]
    """
    order = np.lexsort((units, group_of))
    units, group_of = units[order], group_of[order]
    new = np.ones(len(units), dtype=np.bool_)
    new[1:] = (units[1:] != units[:-1]) | (group_of[1:] != group_of[:-1])
    return np.bincount(group_of[new], minlength=groups).astype(np.int64)
