"""P2's algorithms in plain Python, as one would write them first: the other side of the benchmark, and a test's oracle.

Records are tuples of values and a frozenset of items. Nothing is kept from one step to the next: every merge looks at
all records of the two clusters again, as the public scripts do. Decisions and ties are Shoal's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from shoal.data.relational import Relational

Cluster = list[int]  # numbers of records, ascending
Cost = Callable[[Cluster], Fraction]  # of a record of a cluster


def ncp(raw: Relational) -> Cost:
    """NCP of each record of a cluster, by the definition."""
    import numpy as np

    places = [values.lows.tolist() for values in raw.values]

    def cost(cluster: Cluster) -> Fraction:
        total = Fraction(0)
        for attribute, weight, values in zip(raw.attributes, raw.weights, places, strict=True):
            own = np.array([values[row] for row in cluster])
            after, low, high = attribute.merged(own, np.zeros(len(own), dtype=np.int64))
            total += weight * Fraction(int(after.numerators(low, high)[0]), attribute.denominator)
        return total

    return cost


def norm(raw: Relational, rum: str, unit: int) -> Cost:
    """The Minkowski norm l2 or max of the NCP of each column, in whole units, rounded as Shoal rounds it.

    NCPs must be whole numbers of the unit. A root is rounded up, so that no bound is exceeded.
    """
    columns = [
        (weight, ncp(replace(raw, attributes=(attribute,), values=(values,), weights=(Fraction(1),))))
        for attribute, values, weight in zip(raw.attributes, raw.values, raw.weights, strict=True)
    ]

    def cost(cluster: Cluster) -> Fraction:
        parts = [(weight, column(cluster)) for weight, column in columns]
        if rum == "max":
            return max((part for weight, part in parts if weight), default=Fraction(0))
        squares = sum((weight * (part * unit) ** 2 for weight, part in parts), Fraction(0))
        root = math.isqrt(math.floor(squares))
        return Fraction(root + (root * root < squares), unit)

    return cost


def size(raw: Relational) -> Cost:
    """The number of records, as a share of all."""
    return lambda cluster: Fraction(len(cluster), len(raw))


def cluster(cost: Cost, order: Sequence[int], k: int) -> list[Cluster]:
    """P2 Cluster, lines 1-7: a random seed and its k - 1 nearest; the rest joins what loses least with it."""
    unused, clusters = list(order), []
    while len(unused) >= k:
        seed, rest = unused[0], unused[1:]
        near = sorted(rest, key=lambda row: (cost([seed, row]), row))[: k - 1]
        clusters.append(sorted([seed, *near]))
        unused = [row for row in rest if row not in near]
    for row in sorted(unused):
        best = min(range(len(clusters)), key=lambda at: (cost([*clusters[at], row]), at))
        clusters[best] = sorted([*clusters[best], row])
    return clusters


def united(raw: Relational, clusters: list[Cluster]) -> list[Cluster]:
    """P2 Cluster, lines 8-11: clusters with equal values are one; in the order of their first records."""
    import numpy as np

    of = np.empty(len(raw), dtype=np.int64)
    for at, rows in enumerate(clusters):
        of[rows] = at
    columns = raw.generalized(of).columns()
    classes: dict[tuple[str | None, ...], Cluster] = {}
    for row, values in enumerate(zip(*columns, strict=True)):
        classes.setdefault(values, []).append(row)
    return list(classes.values())


def btd(sets: Sequence[frozenset[str]], rows: Cluster) -> float:
    """The largest distance between two records of a cluster."""

    def distance(one: frozenset[str], other: frozenset[str]) -> float:
        return (len(one ^ other) + 1) * len(one | other) / (len(one & other) + 1)

    return max(distance(sets[one], sets[other]) for one in rows for other in rows)


def stand(cost: Cost, sets: Sequence[frozenset[str]], clusters: list[Cluster], k: int) -> list[Cluster]:
    """Clusters with 1 .. k - 1 sets that are not empty are merged with what costs least, the first ones first."""
    kept: list[Cluster | None] = list(clusters)
    at = 0
    while at < len(kept):
        rows = kept[at]
        others = [other for other in range(len(kept)) if kept[other] is not None and other != at]
        if rows is None or not others or not 0 < sum(bool(sets[row]) for row in rows) < k:
            at += 1
            continue
        best = min(others, key=lambda other: (cost([*rows, *(kept[other] or [])]), other))
        kept[min(at, best)] = sorted([*rows, *(kept[best] or [])])
        kept[max(at, best)] = None
        at = min(at, best)
    return [rows for rows in kept if rows is not None]


def rmerge(
    cost: Cost, distance: Callable[[Cluster], float], clusters: list[Cluster], delta: Fraction, by: str
) -> list[Cluster]:
    """RmergeR, RmergeT, RmergeRT: merge while Rum is within delta; a seed without a partner is set aside."""
    alive: dict[int, Cluster] = dict(enumerate(clusters))
    aside: set[int] = set()
    rows = sum(map(len, clusters))
    while open_ := [at for at in alive if at not in aside]:
        seed = min(open_, key=lambda at: (cost(alive[at]), at))
        others = [at for at in alive if at != seed]
        allowed = {at: _rum(cost, alive, seed, at, rows) <= delta for at in others}
        partner = nearest(cost, distance, alive, seed, by, allowed)
        if partner is None:
            aside.add(seed)
            continue
        aside.discard(partner)
        union = sorted([*alive.pop(seed), *alive.pop(partner)])
        alive[min(seed, partner)] = union
    return [alive[at] for at in sorted(alive)]


def tmerge(
    cost: Cost,
    distance: Callable[[Cluster], float],
    clusters: list[Cluster],
    by: str,
    classes: Relational | None = None,
) -> list[list[Cluster]]:
    """TmergeR, TmergeT, TmergeRT: every state, down to one cluster. With ``classes``, those of equal values are one."""
    alive: dict[int, Cluster] = dict(enumerate(clusters))
    states = [clusters]
    while len(alive) > 1:
        seed = min(alive, key=lambda at: (cost(alive[at]), at))
        partner = nearest(cost, distance, alive, seed, by, {at: True for at in alive if at != seed})
        assert partner is not None
        alive[min(seed, partner)] = sorted([*alive[seed], *alive[partner]])
        del alive[max(seed, partner)]
        for one in united(classes, list(alive.values())) if classes is not None else []:
            same = sorted(at for at, rows in alive.items() if set(rows) <= set(one))
            alive = {at: rows for at, rows in alive.items() if at not in same} | {same[0]: one}
        states.append([alive[at] for at in sorted(alive)])
    return states


def nearest(
    cost: Cost,
    distance: Callable[[Cluster], float],
    alive: dict[int, Cluster],
    seed: int,
    by: str,
    allowed: dict[int, bool],
) -> int | None:
    """The partner of a seed."""
    unions = {at: sorted([*alive[seed], *alive[at]]) for at in allowed}
    by_columns = sorted(allowed, key=lambda at: (cost(unions[at]), at))
    if by == "r":
        return by_columns[0] if by_columns and allowed[by_columns[0]] else None
    by_sets = sorted(allowed, key=lambda at: (distance(unions[at]), at))
    if by == "t":
        return next((at for at in by_sets if allowed[at]), None)
    places = {at: (by_columns.index(at) + by_sets.index(at), by_columns.index(at)) for at in allowed}
    return next((at for at in sorted(allowed, key=lambda at: places[at]) if allowed[at]), None)


def _rum(cost: Cost, alive: dict[int, Cluster], seed: int, partner: int, rows: int) -> Fraction:
    """The mean cost of all records after a merge."""
    union = [*alive[seed], *alive[partner]]
    rest = sum((len(one) * cost(one) for at, one in alive.items() if at not in (seed, partner)), Fraction(0))
    return (rest + len(union) * cost(union)) / rows


def blended(sets: Sequence[frozenset[str]], k: int, m: int) -> dict[str, frozenset[str]]:
    """Set-based generalization of one cluster: for each item, the set that is published in its place."""
    labels = {item: frozenset([item]) for row in sets for item in row}
    while (breach := _breach(sets, labels, k, m)) is not None:
        different = sorted(set(labels.values()), key=min)
        choices = [(one, other) for one in breach for other in different if other != one]

        worth = []
        for one, other in choices:
            first, second = sorted([min(one), min(other)])
            joined = _joined(labels, one | other)
            lost = sum(loss(row, joined) for row in sets)
            worth.append((lost, len(one | other), first, second, one | other))
        labels = _joined(labels, min(worth, key=lambda choice: choice[:4])[4])
    return labels


def _joined(labels: dict[str, frozenset[str]], union: frozenset[str]) -> dict[str, frozenset[str]]:
    """The labels, with those of some items replaced by one."""
    return {item: union if item in union else label for item, label in labels.items()}


def _breach(
    sets: Sequence[frozenset[str]], labels: dict[str, frozenset[str]], k: int, m: int
) -> tuple[frozenset[str], ...] | None:
    """The first set of labels in too few records: the smallest size first, then in the order of items."""
    rows = [sorted({labels[item] for item in row}, key=min) for row in sets]
    for size in range(1, m + 1):
        counts: dict[tuple[frozenset[str], ...], int] = {}
        for row in rows:
            for some in combinations(row, size):
                counts[some] = counts.get(some, 0) + 1
        rare = [some for some, count in counts.items() if count < k]
        if rare:
            return min(rare, key=lambda some: tuple(map(min, some)))
    return None


def loss(row: frozenset[str], labels: dict[str, frozenset[str]]) -> int:
    """UL of a record, in steps of 2^-40."""
    sizes = [len(label) for label in sorted({labels[item] for item in row}, key=min)]
    if not sizes:
        return 0
    s, total = sum(sizes), 0.0
    for size in sizes:
        total += math.ldexp(1.0, size - s) - math.ldexp(1.0, -s) if size > 1 else 0.0
    return math.floor(math.ldexp(total / (1 - math.ldexp(1.0, -s)), 40))
