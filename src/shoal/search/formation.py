"""Clusters of at least k records with similar quasi-identifiers: P2's Cluster, and Mondrian (LeFevre et al. 2006).

Where persons are given (as kernels want them: ``Transactions.repeaters``), clusters have records of at least k persons.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from shoal.data.arrays import Codes, Counts, part_of
from shoal.data.persons import Persons
from shoal.data.relational import Relational
from shoal.engines import Engine
from shoal.kernels.arrays import NOBODY
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.search.ncp_scale import NcpScale

MOST, BLOCK = 200_000, 50_000  # records that Cluster takes at once; the least of a block, where there are more


class Formation(Protocol):
    """A way to form clusters."""

    def __call__(
        self, raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY
    ) -> Counts:
        """The cluster of each record."""


def cluster(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """P2's Cluster: a random record and the k - 1 that are nearest to it by NCP, again and again.

    Those that are left at the end join the cluster that loses least by them (its NCP, not its growth; ties: the first).
    With persons, a record takes whatever is nearest until there are k persons: who has several records that are alike
    brings them all, as they lose little there.
    """
    order = np.random.default_rng(seed).permutation(len(raw))
    threads, tick = engine.threads, engine.tick("forming clusters")
    return united(raw, form_clusters(ncp.codes, ncp.scales, order, k, persons=persons, threads=threads, tick=tick))


def mondrian(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """Mondrian: the records are halved by one attribute after the other, as long as both halves keep k.

    The attribute with the greatest NCP comes first (ties: in order), cut nearest to the median: numbers between any two
    values, categories between children of their common ancestor. Strict: equal values stay together. A person may have
    records in both halves.
    """
    return united(raw, part_of(_halved(ncp, len(raw), k, engine, persons), len(raw)))


def blocked(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """Cluster inside blocks of similar records, by Mondrian; above ``MOST`` records Cluster alone takes too long."""
    if len(raw) <= MOST:
        return cluster(raw, ncp, k, seed, engine, persons)
    cluster_of, clusters, done, tick = np.zeros(len(raw), dtype=np.int64), 0, 0, engine.tick("forming clusters")
    for rows in map(np.sort, _halved(ncp, len(raw), max(k, BLOCK), engine, persons)):
        order = np.random.default_rng(seed).permutation(len(rows))
        codes = [column[rows] for column in ncp.codes]
        own = form_clusters(codes, ncp.scales, order, k, persons=_within(persons, rows), threads=engine.threads)
        cluster_of[rows] = clusters + own
        clusters += int(own.max()) + 1
        done += len(rows)
        tick(done / len(raw))
    return united(raw, cluster_of)


def auto(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """The one of Cluster and Mondrian whose clusters lose less; Cluster, if both lose the same."""
    ways = [way(raw, ncp, k, seed, engine, persons) for way in (blocked, mondrian)]
    return min(ways, key=ncp.total)


FORMATIONS: dict[str, Formation] = {"auto": auto, "cluster": cluster, "mondrian": mondrian}


def united(raw: Relational, cluster_of: Counts) -> Counts:
    """Clusters that would be published with equal values become one (P2 Cluster, lines 9-11)."""
    return raw.generalized(cluster_of).classes


def whole_persons(part_of: Counts, persons: Codes) -> Counts:
    """The parts, with all rows of a person in one: that which has most of them (ties: the first). None is empty.

    For shares of persons: those of two parts say nothing about those of both, unless no person is in both. One person
    of two may have a value in each part, but not the same one.

    >>> whole_persons(np.array([0, 1, 1, 2, 2]), np.array([0, 0, 0, -1, 1])).tolist()
    [0, 0, 0, 1, 1]
    """
    rows = np.flatnonzero(persons >= 0)
    pairs, counts = np.unique(np.stack([persons[rows], part_of[rows]]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts, pairs[0]))
    people, first = np.unique(pairs[0][order], return_index=True)
    part_of = part_of.copy()
    part_of[rows] = pairs[1][order][first][np.searchsorted(people, persons[rows])]
    return np.unique(part_of, return_inverse=True)[1].reshape(-1)


def _halved(ncp: NcpScale, n: int, k: int, engine: Engine, persons: Codes) -> list[Counts]:
    """All rows, halved again and again as long as both halves keep k."""
    tick, done = engine.tick("forming clusters"), 0
    people = np.where(persons >= 0, persons, -1 - np.arange(len(persons)))
    waiting, parts = [np.argsort(people, kind="stable") if len(people) else np.arange(n)], []
    while waiting:
        rows = waiting.pop()
        halves = _halves(ncp, rows, people, k)
        if halves is None:
            parts.append(rows)
            done += len(rows)
            tick(done / n)
        else:
            waiting += halves
    return parts


def _within(persons: Codes, rows: Counts) -> Codes:
    """Whose some of the rows are, as kernels want them."""
    if not len(persons):
        return persons
    own = persons[rows]
    return Persons(np.where(own >= 0, own, int(persons.max()) + 1 + np.arange(len(rows)))).repeaters


def _halves(ncp: NcpScale, rows: Counts, people: Counts, k: int) -> list[Counts] | None:
    """Two parts of the rows, each of at least k; none, if no cut leaves such parts.

    With people, rows come person by person: whoever has a value up to the cut is below it, whoever has a higher one
    above it.
    """
    if len(rows) < 2 * k:
        return None
    parts = [codes[rows] for codes in ncp.codes]
    costs = [scale.cost(part) for scale, part in zip(ncp.scales, parts, strict=True)]
    starts = None
    if len(people):
        own = people[rows]
        starts = np.concatenate([[0], 1 + np.flatnonzero(own[1:] != own[:-1])])  # of each person's rows
    for at in sorted(range(len(parts)), key=lambda at: -costs[at]):
        first, last = int(parts[at].min()), int(parts[at].max())
        below = np.cumsum(np.bincount(parts[at] - first))[:-1]  # rows at or below each code but the last
        enough = (below >= k) & (len(rows) - below >= k)
        if starts is not None:
            lowest, highest = (of.reduceat(parts[at], starts) - first for of in (np.minimum, np.maximum))
            up_to = [np.cumsum(np.bincount(ends, minlength=last - first + 1))[:-1] for ends in (lowest, highest)]
            enough = (up_to[0] >= k) & (len(starts) - up_to[1] >= k)
        allowed = enough & ncp.scales[at].borders(first, last)
        allowed &= np.diff(below, prepend=0) > 0  # of several cuts with equal parts the first
        if allowed.any():
            off = np.where(allowed, np.abs(2 * below - len(rows)), len(rows) + 1)
            cut = parts[at] <= first + int(np.argmin(off))
            return [rows[~cut], rows[cut]]
    return None
