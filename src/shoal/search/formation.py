"""Clusters of at least k records with similar quasi-identifiers: Cluster (Poulis et al. 2013) and Mondrian.

Mondrian is from LeFevre et al. 2006. If persons are given (as ``Transactions.repeaters``), clusters have records of at
least k persons.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from shoal.data.arrays import Codes, Counts, part_of
from shoal.data.relational import Relational, numbered
from shoal.engines import Engine
from shoal.kernels.arrays import NOBODY
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.search.ncp_scale import NcpScale

CLUSTER = 0.7  # the share of Cluster in the time of both ways, for progress


class Formation(Protocol):
    """A method to form clusters."""

    def __call__(
        self, raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY
    ) -> Counts:
        """Return the cluster of each record."""


def cluster(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """Form clusters of a random record and the k - 1 nearest to it by NCP, again and again (Cluster).

    Records that are left at the end join the cluster with the lowest NCP after that (ties: the first). With persons, a
    record takes the nearest records until there are k persons. A person with several similar records brings all of
    them, because they lose little there.
    """
    if not raw.classes.any():  # records with equal values would be united again
        return raw.classes
    order = np.random.default_rng(seed).permutation(len(raw))
    threads, tick = engine.threads, engine.tick("forming clusters")
    return united(raw, form_clusters(ncp.codes, ncp.scales, order, k, persons=persons, threads=threads, tick=tick))


def mondrian(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """Halve the records by one attribute after the other, as long as both halves keep k (Mondrian).

    The attribute with the greatest NCP comes first (ties: in order) and is cut nearest to the median. Numbers are cut
    between any two values, categories between children of their common ancestor. Equal values stay together (strict). A
    person may have records in both halves.
    """
    return united(raw, part_of(_halved(ncp, len(raw), k, engine, persons), len(raw)))


def auto(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine, persons: Codes = NOBODY) -> Counts:
    """Return the clusters of Cluster or Mondrian, whichever lose less. Ties go to Cluster."""
    sections = engine.section(0, CLUSTER), engine.section(CLUSTER, 1)
    ways = zip((cluster, mondrian), sections, strict=True)
    return min((way(raw, ncp, k, seed, section, persons) for way, section in ways), key=ncp.total)


FORMATIONS: dict[str, Formation] = {"auto": auto, "cluster": cluster, "mondrian": mondrian}


def united(raw: Relational, cluster_of: Counts) -> Counts:
    """Merge clusters that would be published with equal values (Poulis et al. 2013, Cluster, lines 9-11)."""
    first = np.unique(cluster_of, return_index=True)[1]  # one row of each cluster is enough to compare them
    return numbered([raw.generalized(cluster_of).take(first).classes[cluster_of]])


def whole_persons(part_of: Counts, persons: Codes) -> Counts:
    """Put all rows of a person into one part: the one with most of them (ties: the first). Empty parts are removed.

    This is for shares of persons: the shares in two parts determine that in their union only if no person is in both.
    In each part, one of two persons may have a value, but not the same person.

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
    """Halve all rows again and again, as long as both halves keep k."""
    tick, done = engine.tick("forming clusters"), 0
    people = numbered_people(persons)
    waiting, parts = [by_person(people, n)], []
    while waiting:
        rows = waiting.pop()
        halves = next(cuts(ncp, rows, people, k), None)
        if halves is None:
            parts.append(rows)
            done += len(rows)
            tick(done / n)
        else:
            waiting += halves
    return parts


def numbered_people(persons: Codes) -> Counts:
    """Return a number for each row's person, different for all persons with one row. Empty: nobody has several."""
    return np.where(persons >= 0, persons, -1 - np.arange(len(persons)))


def by_person(people: Counts, n: int) -> Counts:
    """Return all rows, those of a person together."""
    return np.argsort(people, kind="stable") if len(people) else np.arange(n)


def cuts(ncp: NcpScale, rows: Counts, people: Counts, k: int) -> Iterator[list[Counts]]:
    """Yield the best cut of each attribute into two parts of at least k rows, the attribute with the highest NCP first.

    With people, rows are sorted by person, and both parts have rows of k persons. A person with a value up to the cut
    counts below it, and a person with a higher value counts above it.
    """
    if len(rows) < 2 * k:
        return
    parts = [codes[rows] for codes in ncp.codes]
    costs = [scale.cost(part) for scale, part in zip(ncp.scales, parts, strict=True)]
    starts = None
    if len(people):
        own = people[rows]
        starts = np.concatenate([[0], 1 + np.flatnonzero(own[1:] != own[:-1])])  # first row of each person
    for at in sorted(range(len(parts)), key=lambda at: -costs[at]):
        first, last = int(parts[at].min()), int(parts[at].max())
        below = np.cumsum(np.bincount(parts[at] - first))[:-1]  # rows at or below each code except the last
        enough = (below >= k) & (len(rows) - below >= k)
        if starts is not None:
            lowest, highest = (of.reduceat(parts[at], starts) - first for of in (np.minimum, np.maximum))
            up_to = [np.cumsum(np.bincount(ends, minlength=last - first + 1))[:-1] for ends in (lowest, highest)]
            enough = (up_to[0] >= k) & (len(starts) - up_to[1] >= k)
        allowed = enough & ncp.scales[at].borders(first, last)
        allowed &= np.diff(below, prepend=0) > 0  # the first of several cuts with equal parts
        if allowed.any():
            off = np.where(allowed, np.abs(2 * below - len(rows)), len(rows) + 1)
            cut = parts[at] <= first + int(np.argmin(off))
            yield [rows[~cut], rows[cut]]
