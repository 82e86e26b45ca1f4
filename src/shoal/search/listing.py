"""Lists all violations of a model in a pass over very many rows, so that a search needs the list and not the rows.

A search under k^m-anonymity needs few of many rows (:mod:`shoal.search.thinning`). Models with shares of sensitive
values and with absent labels need exact counts, and a set that violates them may be in very many rows. But supports
add up over parts of the rows. So every set of at most m nodes of the hierarchy is counted, in tables, part by part.
Those that violate the model are kept, with the nodes of all levels. For a cut, or a way to raise one, the search then
asks whether a set is in the list. The answers are those that the rows would give, in the same order, so the cut of a
repair is the same.

Cost: one pass over the sets of the nodes above the items of all rows, and one over those of rows with sensitive values.
A table has 12 bytes for each possible set. Larger tables are split into passes. Rows on other machines are counted
there; only those with sensitive values are fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.choice import Tick
from shoal.kernels.search.repair.breaches import Breaches
from shoal.kernels.search.repair.combination_key import MOST_NODES, nodes_of, parts_of, sizes_of
from shoal.kernels.search.repair.listed import Unit, listed_breaches, repair_listed
from shoal.kernels.search.repair.node_sets import NodeSets
from shoal.kernels.search.repair.repair import Repaired
from shoal.models.base import Demand, PrivacyModel
from shoal.problem import Prepared
from shoal.search.memory import refuse_too_many
from shoal.search.thinning import LARGE, PAYS, RowsByPerson, count_nodes, count_sets

MOST_LABELS = 3  # size of the largest sets that can be counted in tables
MOST_FACTS = 2  # the same, if some labels may be absent
MOST_LISTED = 5_000_000  # violations; with more, a search takes longer than with the rows
TABLE_SHARE = 4  # tables of all threads may take this part of the memory
BYTES_OF_CELL, BYTES_OF_PERSON = 12, 8


@dataclass(frozen=True, eq=False)
class Listing:
    """All violations of a model among the nodes of a hierarchy."""

    hierarchy: Hierarchy
    units: tuple[Unit, ...]  # among rows, and among persons if both count

    def repair(self, costs: Counts, sizes: range, raised: Sequence[int], *, bounded: bool, tick: Tick) -> Repaired:
        """Raise a cut until it has no violation."""
        tree = (self.hierarchy.parent, self.hierarchy.span, costs, self.hierarchy.n_leaves)
        return repair_listed(self.units, *tree, sizes, raised, bounded=bounded, tick=tick)

    def breaches(self, threads: int, tick: Tick) -> Breaches:
        """Return the kernel that lists the violations at a cut as constraints on every cut."""
        tree = (self.hierarchy.parent, self.hierarchy.span, self.hierarchy.n_leaves)
        return listed_breaches(self.units, *tree, threads=threads, tick=tick)

    def minimal_sets(self, supports: Counts) -> list[Codes]:
        """Return the sets of items that violate the model and contain no other: for each size, an array of lines.

        In a set, the label with the lowest support comes first (ties: the lower code), and the sets are sorted in that
        order.
        """
        order = np.lexsort((np.arange(len(supports)), supports))
        place = np.empty(len(supports), dtype=np.int64)
        place[order] = np.arange(len(supports))
        keys = self.units[0][1]
        keys = keys[nodes_of(keys, MOST_LABELS).max(axis=1, initial=-1) < self.hierarchy.n_leaves]
        smaller, sets = np.zeros(0, dtype=np.int64), list[Codes]()
        for size in range(1, MOST_LABELS + 1):
            some = keys[sizes_of(keys) == size]
            within = np.zeros(len(some), dtype=bool)
            for part in parts_of(some, size):
                within |= np.isin(part, smaller)
            places = np.sort(place[nodes_of(some[~within], size)], axis=1)
            places = places[np.lexsort(places.T[::-1])] if len(places) else places
            sets.append(order[places].astype(np.int32))
            smaller = np.concatenate([smaller, some])
        while sets and not len(sets[-1]):
            sets.pop()
        return sets


def can_list(problem: Prepared[PrivacyModel], hierarchy: Hierarchy | None = None) -> bool:
    """Whether a list is better than the rows. This depends on the data alone.

    ``hierarchy``: whose nodes are counted; by default that of the problem.
    """
    nodes = len(problem.hierarchy if hierarchy is None else hierarchy)
    demand, items = problem.model.demand(problem.items), problem.items
    if demand is None or demand.monotone or items.total_items < LARGE or nodes > MOST_NODES:
        return False
    if demand.absent and (demand.known > MOST_FACTS or len(items.repeaters)):  # counts of persons do not add up
        return False
    if not 1 <= demand.known <= MOST_LABELS:
        return False
    return PAYS * sum(comb(nodes, size) for size in range(1, demand.known + 1)) <= count_sets(items, demand.known)


def list_violations(
    problem: Prepared[PrivacyModel], engine: Engine, hierarchy: Hierarchy | None = None
) -> Listing | None:
    """Return all violations, or None if a search should look at the rows. Refuse rows that do not fit into memory.

    ``hierarchy``: whose nodes are counted; by default that of the problem. It must have the same items, with the same
    codes.
    """
    if not can_list(problem, hierarchy):
        return None
    demand, tree = problem.model.demand(problem.items), problem.hierarchy if hierarchy is None else hierarchy
    assert demand is not None
    by_person = (False, True) if demand.one_in and len(problem.items.repeaters) else (False,)
    units = [_Counting(problem, tree, demand, engine, by_person=persons).unit() for persons in by_person]
    listed = tuple(unit for unit in units if unit is not None)
    if len(listed) < len(units):
        refuse_too_many(problem.items.total_items, engine)
        return None
    return Listing(tree, listed)


@dataclass(frozen=True, eq=False)
class _Counting:
    """The count of all sets of nodes, by rows or by persons."""

    problem: Prepared[PrivacyModel]
    tree: Hierarchy
    demand: Demand
    engine: Engine
    by_person: bool

    @cached_property
    def items(self) -> Transactions:
        """The rows, with their persons if these count."""
        return self.problem.items if self.by_person else self.problem.items.of_persons(None)

    @cached_property
    def rows(self) -> RowsByPerson:
        return RowsByPerson.of(self.items)

    @cached_property
    def supports(self) -> Counts:
        """The support of each node."""
        leaves = np.arange(self.tree.n_leaves, dtype=np.int32)
        return count_nodes(self.items, leaves, self.tree.parent, self.engine)

    @cached_property
    def rank(self) -> Codes:
        """The place of each node in the tables: the root, then by falling support; -1 if it is in no row."""
        order = np.argsort(-self.supports[:-1], kind="stable")
        rank = np.full(len(self.supports), -1, dtype=np.int32)
        rank[order] = np.where(self.supports[order] > 0, np.arange(1, len(order) + 1), -1)
        rank[-1] = 0 if self.supports[-1] else -1
        return rank

    def unit(self) -> Unit | None:
        """Return the violations, or None if there are too many."""
        values = [] if self.demand.absent else self._with_values()
        listed = partial(self._listed, values)
        found = self.engine.map("counting sets", listed, self._ranges())
        keys, counts = (np.concatenate([one[at] for one in found]) for at in (0, 1))
        if len(keys) >= MOST_LISTED:
            return None
        order = np.argsort(keys, kind="stable")
        return self.supports, keys[order], counts[order] if len(counts) else counts

    def _listed(self, values: Sequence[RowsByPerson], within: range, engine: Engine) -> tuple[Counts, Counts]:
        """Count and list the sets whose highest rank is in a range. ``values``: the rows with each sensitive value."""
        tree, demand, persons = self.tree, self.demand, len(self.rows.persons) > 0
        make = partial(NodeSets, tree.parent, tree.span, self.rank, demand.known, within=within, persons=persons)
        sets = engine.accumulate("counting sets", make, lambda own, part: own.add(*part.arrays), self.rows)
        most = len(self.rows) + 1  # no support is higher, so larger numbers ask for the same
        if demand.absent:
            return sets.violating_facts(min(demand.k, most), len(self.rows), self.supports, most=MOST_LISTED)
        for rows in values:
            for _ in engine.over("counting sets", lambda part, _: sets.add_with_value(*part.arrays), rows):
                pass
            sets.close_value()
        part, whole = demand.max_share.as_integer_ratio()
        share = (part, min(whole, most) if part == 1 else whole)
        keys = sets.violating(min(demand.k, most), share, most=MOST_LISTED)
        return keys, np.zeros(0, dtype=np.int64)

    def _with_values(self) -> list[RowsByPerson]:
        """Return the rows with each sensitive value. If they are on other machines, they are fetched once."""
        values, rows, held = self.problem.sensitive, self.rows, list[Counts]()
        row_of, codes = _rows_and_codes(values, self.engine)
        if rows.bounds is not None:
            there, row_of = np.unique(row_of, return_inverse=True)
            rows = RowsByPerson.of(self.items.take(there))
        for some in np.split(row_of[np.argsort(codes, kind="stable")], np.cumsum(values.supports)[:-1]):
            held.append(some[np.argsort(rows.persons[some], kind="stable")] if len(rows.persons) else some)
        return [replace(rows, order=some) for some in held if len(some)]

    def _ranges(self) -> list[range]:
        """Split the ranks, so that tables fit into the memory and each thread has about the same work."""
        labels, known = int(self.rank.max(initial=-1)) + 1, self.demand.known
        counts = np.sort(self.supports)[::-1][:labels].astype(np.float64)
        work = np.cumsum(counts * np.cumsum(counts) ** (known - 1))  # sets of rows whose highest rank is at most this
        bytes_of_cell = BYTES_OF_CELL + BYTES_OF_PERSON * (len(self.rows.persons) > 0)
        cells = self.engine.memory_limit // TABLE_SHARE // (self.engine.threads * bytes_of_cell)
        share = work[-1] / self.engine.threads if labels else 0.0
        ranges, first = list[range](), 0
        for label in range(1, labels):
            table = sum(comb(label + 1, size) - comb(first, size) for size in range(1, known + 1))
            before = work[first - 1] if first else 0.0
            if table > cells or work[label] - before > share:
                ranges.append(range(first, label))
                first = label
        return [*ranges, range(first, labels)]


def _rows_and_codes(values: Transactions, engine: Engine) -> tuple[Counts, Codes]:
    """Return the row and the code of each sensitive value. Only these come from other machines."""
    parts = list(engine.over("counting items", lambda part, _: (row_ids(part.indptr), part.items, len(part)), values))
    starts = np.cumsum([0, *(length for _, _, length in parts)])
    row_of = [own + start for (own, _, _), start in zip(parts, starts, strict=False)]
    return np.concatenate(row_of), np.concatenate([codes for _, codes, _ in parts])
