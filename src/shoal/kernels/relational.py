"""The kernels behind methods for rows that have attributes beside their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.data.attributes import Scale
from shoal.kernels.choice import Tick, capped, kernels, still

How = Literal["r", "t", "rt"]
_HOW: dict[How, int] = {"r": 0, "t": 1, "rt": 2}
_MOST = 2**63 - 1


def _told(scales: Sequence[Scale]) -> list[tuple[bool, Counts, int, int]]:
    """Scales as kernels want them."""
    return [
        (scale.along, np.ascontiguousarray(scale.costs, dtype=np.int64), scale.whole, scale.missing) for scale in scales
    ]


def form_clusters(
    codes: Sequence[Codes], scales: Sequence[Scale], order: Counts, k: int, *, threads: int = 1, tick: Tick = still
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
    return np.frombuffer(kernels().form_clusters(columns, _told(scales), rows, k, threads, tick), dtype=np.int64)


class Merging:
    """Clusters that are merged two at a time: those that cost least first, with the partner that suits them best.

    A cluster costs, for each attribute, what the interval of its codes costs; or, ``by_size``, its number of rows. Its
    distance (P2's BTD) is the largest of any two of its rows, (x + 1) / (c + 1) * o for item sets with c items in
    common, x in only one of them, o in all.

    >>> line = Scale(True, np.array([0, 1, 5]), 5)
    >>> rows = np.array([0, 1, 2, 3]), np.array([0, 1, 0], dtype=np.int32)
    >>> ends = [np.array([0, 1, 2], dtype=np.int32)]
    >>> merging = Merging(ends, ends, np.array([1, 1, 1]), [line], *rows, 2, np.array([0, 1, 2]))
    >>> [merging.nearest(merging.seed(), how, limit=10) for how in ("r", "t")], merging.distances_with(0).tolist()
    ([1, 2], [-1.0, 6.0, 0.5])
    >>> merging.merge(0, 2)
    >>> merging.alive, merging.total, merging.seed(), merging.result().tolist()
    (2, 10, 1, [0, 1, 0])
    """

    def __init__(
        self,
        lo: Sequence[Codes],
        hi: Sequence[Codes],
        sizes: Counts,
        scales: Sequence[Scale],
        indptr: Offsets,
        items: Codes,
        labels: int,
        cluster_of: Counts,
        *,
        by_size: bool = False,
        threads: int = 1,
    ) -> None:
        ends = [[np.ascontiguousarray(column, dtype=np.int32) for column in side] for side in (lo, hi)]
        counts, clusters = (np.ascontiguousarray(numbers, dtype=np.int64) for numbers in (sizes, cluster_of))
        self._kernel = kernels().Merging(
            *ends, counts, _told(scales), indptr, items, labels, clusters, by_size, threads
        )

    @property
    def total(self) -> int:
        """The cost of every living cluster, once for each of its rows."""
        return int(self._kernel.total())

    @property
    def alive(self) -> int:
        """How many clusters there are now."""
        return int(self._kernel.alive())

    def seed(self) -> int:
        """The cluster that costs least, then the lowest, of those that are not set aside; -1 if there is none."""
        return int(self._kernel.seed())

    def set_aside(self, c: int) -> None:
        """From now on the cluster is no seed, unless it is merged."""
        self._kernel.set_aside(c)

    def costs_with(self, c: int) -> Counts:
        """What the union with each other living cluster costs; -1 for all that are none."""
        return np.frombuffer(self._kernel.costs_with(c), dtype=np.int64)

    def totals_with(self, c: int) -> Counts:
        """The total after merging with each other living cluster; -1 for all that are none."""
        return np.frombuffer(self._kernel.totals_with(c), dtype=np.int64)

    def distances_with(self, c: int) -> npt.NDArray[np.float64]:
        """The distance of the union with each other living cluster; -1 for all that are none."""
        return np.frombuffer(self._kernel.distances_with(c), dtype=np.float64)

    def nearest(self, c: int, how: How, limit: int) -> int:
        """The best other cluster to merge with, or -1; ties go to the lower number.

        "r": the one whose union costs least, if the total stays within the limit. Of those with which it does, "t": the
        one with the lowest distance; "rt": with the lowest sum of its ranks by cost and by distance among all, then by
        cost.
        """
        return int(self._kernel.nearest(c, _HOW[how], max(-1, min(limit, _MOST))))

    def merge(self, c: int, p: int) -> None:
        """Make one cluster of two; it has the lower number and is not set aside."""
        self._kernel.merge(c, p)

    def result(self) -> Counts:
        """For each initial cluster the number of the living one that it is in now."""
        return np.frombuffer(self._kernel.result(), dtype=np.int64)


def blended(
    indptr: Offsets,
    items: Codes,
    labels: int,
    hidden_indptr: Offsets,
    hidden_items: Codes,
    hidden_labels: int,
    k: int,
    l: int,
    m: int,
    *,
    tick: Tick = still,
) -> Codes | None:
    """Blend the items of one cluster of rows into labels until no set of up to m labels is in breach.

    In breach: fewer than k rows, but some, have the set; or, unless l is 0, more than one in l of them the same hidden
    item. The first breach, by size and then in order, is ended by merging one of its labels with another, where that
    adds least to what the rows lose (P2's UL). Told is the smallest item of each item's label, -1 for items that do not
    occur; or nothing if all are one label and still in breach.

    >>> rows = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 2, 3], dtype=np.int32)
    >>> none = np.array([0, 0, 0, 0]), np.array([], dtype=np.int32)
    >>> blended(*rows, 5, *none, 0, 2, 0, 2)
    array([ 0,  1,  1,  0, -1], dtype=int32)
    >>> blended(*rows, 5, *none, 0, 4, 0, 1) is None
    True
    """
    longest = int(np.diff(indptr).max(initial=0))
    limits = capped(k, indptr), capped(l, indptr), min(m, longest)
    found = kernels().blended(indptr, items, labels, hidden_indptr, hidden_items, hidden_labels, *limits, tick)
    return np.frombuffer(found, dtype=np.int32) if found or not labels else None
