"""Clusters of rows that are close together (P2 Cluster, lines 2-7)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.attributes import Scale
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.clusters.scale import Cost, ScaleTuple, as_tuples, cost_of, ends_of


def form_clusters(
    codes: Sequence[Codes],
    scales: Sequence[Scale],
    order: Counts,
    k: int,
    *,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Put rows that are close together into clusters of at least k: the cluster of each row (P2 Cluster, lines 2-7).

    As long as k rows are unused the first of them in ``order`` is a seed: it takes the k - 1 others that cost least
    together with it. Each row that is left then joins the cluster that costs least with it. Ties: the lower number.

    >>> line = Scale(True, np.array([0, 10, 11, 25, 26]), 26)
    >>> form_clusters([np.array([0, 1, 2, 3, 4], dtype=np.int32)], [line], np.array([4, 0, 1, 2, 3]), 2).tolist()
    [1, 1, 1, 0, 0]
    """
    if not 1 <= k <= len(order):
        raise ValueError(f"{len(order)} rows cannot be put into clusters of at least {k}")
    columns = [np.ascontiguousarray(column, dtype=np.int32) for column in codes]
    rows = np.ascontiguousarray(order, dtype=np.int64)
    return compiled_or(form_clusters_twin)(columns, as_tuples(scales), rows, k, threads, tick)


def form_clusters_twin(
    codes: Sequence[Codes], scales: Sequence[ScaleTuple], order: Counts, k: int, threads: int, tick: Tick
) -> Counts:
    """Each seed takes the k - 1 unused rows that cost least with it; what is left joins where that costs least."""
    rows = list(zip(*(column.tolist() for column in codes), strict=True)) if codes else [()] * len(order)
    costs = [Cost(*scale) for scale in scales]
    unused, clusters = dict.fromkeys(range(len(rows))), list[list[int]]()
    for seed in order.tolist():
        if seed not in unused:
            continue
        if len(unused) < k:
            break
        tick(1 - len(unused) / len(rows))
        del unused[seed]
        keys = ((cost_of(costs, [rows[seed], rows[row]]), row) for row in unused)
        clusters.append([seed, *(row for _, row in heapq.nsmallest(k - 1, keys))])
        for row in clusters[-1][1:]:
            del unused[row]
    ends = [ends_of([rows[row] for row in cluster]) for cluster in clusters]  # lowest and highest codes
    for row in unused:
        added = [cost_of(costs, [*both, rows[row]]) for both in ends]
        best = added.index(min(added))
        clusters[best].append(row)
        ends[best] = ends_of([*ends[best], rows[row]])
    cluster_of = np.full(len(rows), -1, dtype=np.int64)
    for number, cluster in enumerate(clusters):
        cluster_of[cluster] = number
    return cluster_of
