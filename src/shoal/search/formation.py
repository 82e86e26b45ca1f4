"""Clusters of at least k records with similar quasi-identifiers: P2's Cluster, and Mondrian (LeFevre et al. 2006)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.data.arrays import Counts, part_of
from shoal.data.attributes import Scale
from shoal.data.relational import Relational
from shoal.engines import Engine
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.search.ncp_scale import NcpScale

MOST, BLOCK = 200_000, 50_000  # records that Cluster takes at once; the least of a block, where there are more

Formation = Callable[[Relational, NcpScale, int, int, Engine], Counts]


def cluster(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine) -> Counts:
    """P2's Cluster: a random record and the k - 1 that are nearest to it by NCP, again and again.

    Those that are left at the end join the cluster that loses least by them (its NCP, not its growth; ties: the first).
    """
    order = np.random.default_rng(seed).permutation(len(raw))
    return united(
        raw,
        form_clusters(ncp.codes, ncp.scales, order, k, threads=engine.threads, tick=engine.tick("forming clusters")),
    )


def mondrian(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine) -> Counts:
    """Mondrian: the records are halved by one attribute after the other, as long as both halves keep k.

    The attribute with the greatest NCP comes first (ties: in order), cut nearest to the median: numbers between any two
    values, categories between children of their common ancestor. Strict: equal values stay together.
    """
    return united(raw, part_of(_halved(ncp, len(raw), k, engine), len(raw)))


def blocked(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine) -> Counts:
    """Cluster inside blocks of similar records, by Mondrian; above ``MOST`` records Cluster alone takes too long."""
    if len(raw) <= MOST:
        return cluster(raw, ncp, k, seed, engine)
    cluster_of, clusters, done, tick = np.zeros(len(raw), dtype=np.int64), 0, 0, engine.tick("forming clusters")
    for rows in _halved(ncp, len(raw), max(k, BLOCK), engine):
        order = np.random.default_rng(seed).permutation(len(rows))
        codes = [column[rows] for column in ncp.codes]
        own = form_clusters(codes, ncp.scales, order, k, threads=engine.threads)
        cluster_of[rows] = clusters + own
        clusters += int(own.max()) + 1
        done += len(rows)
        tick(done / len(raw))
    return united(raw, cluster_of)


def auto(raw: Relational, ncp: NcpScale, k: int, seed: int, engine: Engine) -> Counts:
    """The one of Cluster and Mondrian whose clusters lose less; Cluster, if both lose the same."""
    ways = [way(raw, ncp, k, seed, engine) for way in (blocked, mondrian)]
    return min(ways, key=ncp.total)


FORMATIONS: dict[str, Formation] = {"auto": auto, "cluster": cluster, "mondrian": mondrian}


def united(raw: Relational, cluster_of: Counts) -> Counts:
    """Clusters that would be published with equal values become one (P2 Cluster, lines 9-11)."""
    return raw.generalized(cluster_of).classes


def _halved(ncp: NcpScale, n: int, k: int, engine: Engine) -> list[Counts]:
    """All rows, halved again and again as long as both halves keep k."""
    tick, done = engine.tick("forming clusters"), 0
    waiting, parts = [np.arange(n)], []
    while waiting:
        rows = waiting.pop()
        halves = _halves(ncp, rows, k)
        if halves is None:
            parts.append(rows)
            done += len(rows)
            tick(done / n)
        else:
            waiting += halves
    return parts


def _halves(ncp: NcpScale, rows: Counts, k: int) -> list[Counts] | None:
    """Two parts of the rows, each of at least k; none, if no cut leaves such parts."""
    if len(rows) < 2 * k:
        return None
    parts = [codes[rows] for codes in ncp.codes]
    costs = [scale.cost(int(part.min()), int(part.max())) for scale, part in zip(ncp.scales, parts, strict=True)]
    for at in sorted(range(len(parts)), key=lambda at: -costs[at]):
        first, last = int(parts[at].min()), int(parts[at].max())
        below = np.cumsum(np.bincount(parts[at] - first))[:-1]  # rows at or below each code but the last
        allowed = (below >= k) & (len(rows) - below >= k) & _borders(ncp.scales[at], first, last)
        allowed &= np.diff(below, prepend=0) > 0  # of several cuts with equal parts the first
        if allowed.any():
            off = np.where(allowed, np.abs(2 * below - len(rows)), len(rows) + 1)
            cut = parts[at] <= first + int(np.argmin(off))
            return [rows[~cut], rows[cut]]
    return None


def _borders(scale: Scale, first: int, last: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """After which codes a cut may lie: of a tree, only between the children of what all have in common."""
    if scale.along:
        return np.ones(last - first, dtype=np.bool_)
    rises = scale.costs[first:last]
    at_top: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = rises == rises.max(initial=0)
    return at_top
