"""ML^2 and dML^2, multiple level mining loss: which frequent itemsets the published data still show.

Both data sets are mined at every level of the hierarchy. Level 0 has the items. Level i has their ancestors at depth
h - i, where h is the height of the hierarchy. Leaves nearer to the root represent themselves. Level h is the root.

Time: about twice that of mining the original data at each level, because the published rows are counted along with
them. All thresholds are mined at once. Memory: the frequent itemsets of two levels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs, row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError
from shoal.kernels.measure.frequent_itemsets import MOST_ITEMSETS, Itemsets, frequent_itemsets
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.metrics.coverage import check_fit
from shoal.published import Published

THRESHOLDS = (0.01, 0.02, 0.03)  # as in Terrovitis et al. 2011, section 6.2


@dataclass(frozen=True)
class Mined:
    """What became of the itemsets that are frequent at one threshold, over all levels below the root."""

    threshold: float
    least: int  # rows that a frequent itemset needs
    itemsets: int  # of the original data
    found: int  # how many of them are frequent in the published data, at the same level
    levels: int  # sum over the others of how many levels higher they are found, at the latest at the root

    @property
    def ml2(self) -> float:
        """The share of frequent itemsets that are missed (equation 1)."""
        return (self.itemsets - self.found) / max(1, self.itemsets)

    @property
    def dml2(self) -> float:
        """How many levels higher itemsets are found, on average over all (equation 2)."""
        return self.levels / max(1, self.itemsets)

    @property
    def dml2_missed(self) -> float:
        """How many levels higher itemsets are found, on average over those that are missed (section 6.2)."""
        return self.levels / max(1, self.itemsets - self.found)


class ML2(Measure):
    """Multiple level mining loss: the share of frequent itemsets that are missed, and how much higher they are found.

    ``ml2`` is the share of frequent itemsets that the published data miss. ``dml2`` is the number of levels of the
    hierarchy by which they are found higher. Both are means over several thresholds of support. Without a hierarchy,
    the measure has no value.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The hierarchy of the items.
    thresholds : sequence of float, default (0.01, 0.02, 0.03)
        Shares of the rows that make an itemset frequent.
    engine : Engine
        Number of threads, and progress.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. The VLDB
    Journal 20(1), 2011, sections 3.3 and 6.2.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"*": {"drink": ["tea", "rum"], "food": ["rye", "bun"]}})
    >>> before, after = [["tea", "rye"], ["rum", "rye"]], [["drink", "rye"], ["drink", "rye"]]
    >>> losses = shoal.measure(before, after, hierarchy=tree, mining=[0.5]).losses
    >>> losses["ml2"], losses["dml2"]
    (0.5, 0.5)
    """

    name = "ml2"
    meanings = {  # noqa: RUF012
        "ml2": (
            "Frequent itemsets missed (ML²)",
            "The share of the frequent itemsets of the original data, at all levels of the hierarchy, that are not "
            "frequent at the same level in the published data. This is the average over several thresholds. 0: mining "
            "finds all of them.",
        ),
        "dml2": (
            "Levels to climb for frequent itemsets (dML²)",
            "By how many levels of the hierarchy a frequent itemset must be generalized until the published data show "
            "it, on average over all frequent itemsets.",
        ),
        "dml2_missed": (
            "Levels to climb for missed itemsets",
            "The same, on average over the itemsets that are missed at their own level. 0 if none are missed.",
        ),
    }
    paper = "Terrovitis et al. 2011, s.3.3, s.6.2"

    def __init__(
        self, hierarchy: Hierarchy | None = None, thresholds: Sequence[float] = THRESHOLDS, engine: Engine = LOCAL
    ) -> None:
        self.hierarchy, self.thresholds, self.engine = hierarchy, tuple(thresholds), engine

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``ml2`` (0 to 1), ``dml2`` and ``dml2_missed`` (0 to height), or nothing without a hierarchy."""
        if self.hierarchy is None:
            return {}
        original, published = compared.original, compared.published
        return summed_up(mining_loss(original, published, self.hierarchy, self.thresholds, self.engine))


def summed_up(mined: Sequence[Mined]) -> dict[str, float]:
    """Return the means over the thresholds. ``dml2_missed`` skips thresholds at which no itemset is missed.

    >>> summed_up([Mined(0.1, 1, itemsets=4, found=2, levels=4), Mined(0.2, 2, itemsets=3, found=3, levels=0)])
    {'ml2': 0.25, 'dml2': 0.5, 'dml2_missed': 2.0}
    """
    return {
        "ml2": _mean([loss.ml2 for loss in mined]),
        "dml2": _mean([loss.dml2 for loss in mined]),
        "dml2_missed": _mean([loss.dml2_missed for loss in mined if loss.found < loss.itemsets]),
    }


def mining_loss(
    original: Published,
    published: Published,
    hierarchy: Hierarchy,
    thresholds: Sequence[float] = THRESHOLDS,
    engine: Engine = LOCAL,
    most: int = MOST_ITEMSETS,
) -> list[Mined]:
    """Return for each threshold (a share of the rows) what became of the frequent itemsets.

    More than ``most`` frequent itemsets at one level are an error.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> was = Published.plain(h.encode(Transactions.from_sets([["a1", "b1"], ["a1", "b1"], ["a2"]])))
    >>> now = Published.resolve(Transactions.from_sets([["A", "b1"], ["A", "b1"], ["A"]]), h)
    >>> mining_loss(was, now, h, [0.5])  # a1 and (a1, b1) are missed, and found one level up
    [Mined(threshold=0.5, least=2, itemsets=6, found=4, levels=2)]
    """
    check_fit(original.rows, published)
    if hierarchy.items != published.items:
        raise OptionError(
            f"ML2: the hierarchy {hierarchy.name} is not the one that encoded the published items: give that one."
        )
    leasts = [_least(threshold, len(original.rows)) for threshold in _checked(thresholds)]
    tallies = np.zeros((len(leasts), 3), dtype=np.int64)  # for each threshold: itemsets, found, levels
    where, height = smallest_nodes(published, hierarchy), hierarchy.height
    above: _Level | None = None
    for level in range(height - 1, -1, -1):
        at = nodes_at(hierarchy, level)
        mined = frequent_itemsets(
            _rows_at(original.rows, at),
            _rows_at(published.rows, at[where]),
            len(hierarchy),
            min(leasts),
            most=most,
            threads=engine.threads,
            tick=engine.tick("mining"),
        )
        if mined is None:
            raise OptionError(
                f"ML2: there are more than {most:,} frequent itemsets at level {level} of the hierarchy (0: items, "
                f"{height}: root) in at least {min(leasts):,} of {len(original.rows):,} rows: raise the thresholds."
            )
        frequent = mined.support >= np.array(leasts)[:, None]  # [threshold, itemset]
        recovered = frequent & (mined.other >= np.array(leasts)[:, None])
        lowest = np.full(frequent.shape, level)
        missed = np.flatnonzero((frequent & ~recovered).any(axis=0))
        upper = height if above is None else above.lowest_of(mined, missed, nodes_at(hierarchy, level + 1))
        lowest[:, missed] = np.where(recovered[:, missed], level, upper)
        tallies += np.stack([frequent.sum(1), recovered.sum(1), ((lowest - level) * frequent).sum(1)], axis=1)
        above = _Level(mined, lowest)
    return [
        Mined(threshold, least, *map(int, tally))
        for threshold, least, tally in zip(thresholds, leasts, tallies, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Level:
    """The itemsets of a level, and the lowest level at which each is found, for each threshold."""

    itemsets: Itemsets
    lowest: Counts  # [threshold, itemset]

    def lowest_of(self, below: Itemsets, chosen: Counts, at: Codes) -> Counts:
        """Return at which level the generalized forms of some itemsets of the level below are found.

        These are frequent at this level, because a row with a set has its generalized form, too. So each is one of the
        itemsets here. A hash identifies it: random marks are summed, with seeds tried until no two sums are equal.
        """
        sizes = np.diff(below.indptr)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.arange(starts[-1]) + np.repeat(below.indptr[:-1][chosen] - starts[:-1], sizes)
        images = csr_from_pairs(row_ids(starts), at[below.items[entries]], len(chosen))
        for seed in itertools.count():
            marks = np.random.default_rng(seed).integers(2**64, size=len(at), dtype=np.uint64)
            known = _sums(marks, self.itemsets.indptr, self.itemsets.items)
            order = np.argsort(known)
            if not np.any(known[order[1:]] == known[order[:-1]]):
                break
        return self.lowest[:, order[np.searchsorted(known, _sums(marks, *images), sorter=order)]]


def _sums(marks: npt.NDArray[np.uint64], indptr: Offsets, items: Codes) -> npt.NDArray[np.uint64]:
    """Return the sum of the marks of each set, modulo 2^64. No set is empty."""
    return np.add.reduceat(marks[items], indptr[:-1]) if len(items) else np.zeros(0, dtype=np.uint64)


def nodes_at(hierarchy: Hierarchy, level: int) -> Codes:
    """Return what each node counts as at a level: its ancestor, itself, or -1 if it is more general.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b": []}})
    >>> h.labels, [nodes_at(h, level).tolist() for level in range(3)]
    (('a1', 'a2', 'b', 'A', 'ALL'), [[0, 1, 2, -1, -1], [3, 3, 2, 3, -1], [4, 4, 4, 4, 4]])
    """
    depth, wanted = hierarchy.depth, hierarchy.height - level
    at = np.arange(len(hierarchy), dtype=np.int32)
    while (deep := depth[at] > wanted).any():
        at[deep] = hierarchy.parent[at[deep]]
    return np.where((depth[at] < wanted) & (at >= hierarchy.n_leaves), np.int32(-1), at)


def smallest_nodes(published: Published, hierarchy: Hierarchy) -> Codes:
    """Return for each published label the smallest node that covers all its items.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> p = Published.resolve(Transactions.from_sets([["(a1,a2)", "b1", "(a1,b2)"]]), h)
    >>> [(label, h.labels[node]) for label, node in zip(p.rows.labels, smallest_nodes(p, h))]
    [('(a1,a2)', 'A'), ('(a1,b2)', 'ALL'), ('b1', 'b1')]
    """
    if not len(published.rows.labels):
        return np.zeros(0, dtype=np.int32)
    starts = published.cover_indptr[:-1]
    node = np.minimum.reduceat(published.cover_items, starts)
    last = np.maximum.reduceat(published.cover_items, starts)
    while (short := hierarchy.span[node, 1] <= last).any():
        node[short] = hierarchy.parent[node[short]]
    return node


def _rows_at(rows: Transactions, at: Codes) -> tuple[Offsets, Codes]:
    """Return the rows with each label replaced by what it counts as."""
    codes = at[rows.items]
    return csr_from_pairs(row_ids(rows.indptr)[codes >= 0], codes[codes >= 0], len(rows))


def _least(threshold: float, rows: int) -> int:
    """Return how many rows make a set frequent, exactly: 1 % of 700 rows is 7, whatever floating point says."""
    return max(1, math.ceil(Fraction(str(threshold)) * rows))


def _checked(thresholds: Sequence[float]) -> Sequence[float]:
    """Return the thresholds, or raise an error if one is no share above 0 or there are none."""
    for threshold in thresholds:
        if not 0 < threshold <= 1:
            raise OptionError(f"ML2: a threshold must be a share of the rows above 0 and at most 1, got {threshold}.")
    if not thresholds:
        raise OptionError("ML2: there are no thresholds: give at least one, such as 0.01.")
    return thresholds


def _mean(values: list[float]) -> float:
    return math.fsum(values) / max(1, len(values))
