"""Clusters of rows that are close together (Poulis et al. 2013, Cluster, lines 2-7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.scales import Scale
from shoal.kernels.arrays import NOBODY, people_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.clusters.scale import Cost, ScaleTuple, as_tuples, cost_of


def form_clusters(
    codes: Sequence[Codes],
    scales: Sequence[Scale],
    order: Counts,
    k: int,
    *,
    persons: Codes = NOBODY,
    threads: int = 1,
    tick: Tick = no_progress,
) -> Counts:
    """Put rows that are close together into clusters of at least k. Return the cluster of each row.

    As long as k rows are unused, the first of them in ``order`` is a seed. It takes the k - 1 other rows that cost
    least together with it. Each row that is left then joins the cluster that costs least with it. Ties go to the lower
    number.

    If persons have several rows, k persons are needed: a seed takes the nearest rows until there are k persons.

    >>> from shoal.data.scales import Line
    >>> line = Line(np.array([0, 10, 11, 25, 26]), 26)
    >>> form_clusters([np.array([0, 1, 2, 3, 4], dtype=np.int32)], [line], np.array([4, 0, 1, 2, 3]), 2).tolist()
    [1, 1, 1, 0, 0]
    """
    people = len(order) - np.count_nonzero(persons >= 0) + persons.max(initial=-1) + 1
    if not 1 <= k <= people:
        of = "" if people == len(order) else f" of {people} persons"
        raise ValueError(f"{len(order)} rows{of} cannot be put into clusters of at least {k}")
    columns = [np.ascontiguousarray(column, dtype=np.int32) for column in codes]
    rows = np.ascontiguousarray(order, dtype=np.int64)
    return compiled_or(form_clusters_twin)(columns, persons, as_tuples(scales), rows, k, threads, tick)


def form_clusters_twin(
    codes: Sequence[Codes],
    persons: Codes,
    scales: Sequence[ScaleTuple],
    order: Counts,
    k: int,
    threads: int,
    tick: Tick,
) -> Counts:
    """Let each seed take the unused rows that cost least with it. Remaining rows join the cheapest cluster."""
    people = people_of(np.arange(len(order) + 1), persons)
    rows = list(zip(*(column.tolist() for column in codes), strict=True)) if codes else [()] * len(order)
    costs = [Cost(*scale) for scale in scales]
    unused, clusters = dict.fromkeys(range(len(rows))), list[list[int]]()
    for seed in order.tolist():
        if seed not in unused:
            continue
        if len({people[row] for row in unused}) < k:
            break
        tick(1 - len(unused) / len(rows))
        nearest = sorted(
            (row for row in unused if row != seed), key=lambda row: cost_of(costs, [rows[seed], rows[row]])
        )
        clusters.append([seed])
        while len({people[row] for row in clusters[-1]}) < k:
            clusters[-1].append(nearest.pop(0))
        for row in clusters[-1]:
            del unused[row]
    inside = [{rows[row] for row in cluster} for cluster in clusters]
    for row in unused:
        added = [cost_of(costs, [*own, rows[row]]) for own in inside]
        best = added.index(min(added))
        clusters[best].append(row)
        inside[best].add(rows[row])
    cluster_of = np.full(len(rows), -1, dtype=np.int64)
    for number, cluster in enumerate(clusters):
        cluster_of[cluster] = number
    return cluster_of
