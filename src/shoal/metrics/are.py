"""ARE, the average relative error of queries that count records (Poulis et al. 2013).

The published data answer a query with the expected count, if all originals of a record are equally likely. A published
value may be any value that it represents, independently for each column. A label over n items may be any of the
2^n - 1 sets of at least one of them, so it holds j given items with probability 2^(n-j) / (2^n - 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, row_ids
from shoal.data.relational import Relational
from shoal.errors import OptionError
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.metrics.coverage import check_fit
from shoal.metrics.workload import Query, Workload
from shoal.published import Published

Figures = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AreResult:
    """The mean error, and the relative error, true count and expected count of each query."""

    mean: float
    errors: Figures
    true: Counts
    expected: Figures
    sizes: tuple[str, ...]  # of each query: "2 items", or "1 value, 2 items"

    @property
    def by_size(self) -> dict[str, float]:
        """The mean error of the queries of each size."""
        errors_of: dict[str, list[float]] = {}
        for size, error in zip(self.sizes, self.errors.tolist(), strict=True):
            errors_of.setdefault(size, []).append(error)
        return {size: _mean(errors) for size, errors in errors_of.items()}

    def __repr__(self) -> str:
        """Show the mean and the number of queries."""
        return f"AreResult(mean={self.mean:.6f}, {len(self.errors):,} queries)"


class ARE(Measure):
    """Average relative error: how wrong answers to counting queries on the published data are.

    Mean over queries of |a - e| / max(a, s), where a is the true count, e the expected count, and s a sanity bound that
    keeps queries with few matches from dominating. Without a workload, it has no value.

    Parameters
    ----------
    workload : Workload, optional
        The queries.
    sanity : float, default 1.0
        The bound s. Above 0.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013, section 6.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> ARE(Workload((Query(items=("a",)),))).of(Comparison(data, data))
    {'are': 0.0}
    """

    name = "are"
    meanings = {  # noqa: RUF012
        "are": (
            "Average relative error of queries (ARE)",
            "A query counts the records with certain values and items. The error is the difference between the count "
            "that the published data suggest and the true count, as a share of the true count. This is the average "
            "over all queries. 0: every answer is right.",
        )
    }
    paper = "Poulis et al. 2013, s.6"

    def __init__(self, workload: Workload | None = None, sanity: float = 1.0) -> None:
        self.workload, self.sanity = workload, sanity

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``are`` (0 or more), or nothing without a workload."""
        if self.workload is None:
            return {}
        return {"are": are(compared.original, compared.published, self.workload, self.sanity).mean}


def are(original: Published, published: Published, workload: Workload, sanity: float = 1.0) -> AreResult:
    """Return the relative error of each query, and their mean.

    >>> from shoal.data.hierarchy import Hierarchy
    >>> from shoal.data.transactions import Transactions
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b": []}})
    >>> was = Published.plain(h.encode(Transactions.from_sets([["a1", "b"], ["a2"]])))
    >>> now = Published.resolve(Transactions.from_sets([["A", "b"], ["A"]]), h)
    >>> result = are(was, now, Workload((Query(items=("a1", "b")), Query(items=("a1", "a2")))))
    >>> result.true.tolist(), result.expected.tolist()  # each A is a1, a2 or both
    ([1, 0], [0.666..., 0.666...])
    >>> result.mean, result.by_size
    (0.5, {'2 items': 0.5})
    """
    if not sanity > 0:
        raise OptionError(f"are: the sanity bound must be above 0, got {sanity}. A common value is 1.")
    check_fit(original.rows, published)
    true, expected = true_counts(original, workload), expected_counts(published, workload)
    errors = np.abs(true - expected) / np.maximum(true, sanity)
    sizes = tuple(query.size for query in workload)
    return AreResult(_mean(errors.tolist()), errors, true, expected, sizes)


def _mean(errors: list[float]) -> float:
    """Return the mean, without rounding in between."""
    return math.fsum(errors) / len(errors)


def true_counts(original: Published, workload: Workload) -> Counts:
    """Count the original records that match each query."""
    return np.rint(expected_counts(original, workload)).astype(np.int64)  # in raw data, a record matches or does not


def expected_counts(published: Published, workload: Workload) -> Figures:
    """Return how many records are expected to match each query, given the published data."""
    chances = _Chances(published)
    return np.array([chances.of(query).sum() for query in workload])


class _Chances:
    """The probabilities that records match queries."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.code_of = {item: code for code, item in enumerate(published.items)}
        rows = published.rows
        order = np.argsort(rows.items, kind="stable")
        self.holders = row_ids(rows.indptr)[order]  # of label 0, then of label 1, ..
        self.begins = np.concatenate([[0], np.cumsum(rows.supports)])
        sizes = published.cover_sizes
        labels = np.repeat(np.arange(len(sizes)), sizes)
        order = np.lexsort((-labels, -sizes[labels], published.cover_items))  # of each item the best label comes last
        self.labels = labels[order]
        self.first = np.searchsorted(published.cover_items[order], np.arange(published.n_items + 1))
        self.boost = 1 / (1 - np.ldexp(1.0, -np.minimum(sizes, 2000).astype(np.int32)))
        self.columns = None if published.relational is None else _Columns(published.relational)

    def of(self, query: Query) -> Figures:
        """Return the probability of each record that may match."""
        rows, chance = self._items(query.codes(self.code_of))
        for at, ends in query.intervals(self.published.relational).items():
            assert self.columns is not None, "a query for columns that are not there is an error"
            share = self.columns.shares(at, *ends, rows)
            rows, chance = rows[share > 0], (chance * share)[share > 0]
        return chance

    def _items(self, asked: Iterable[int]) -> tuple[Counts, Figures]:
        """Return the records that may hold all given items, and with which probability.

        2^(n-j) / (2^n - 1) = 2^-j / (1 - 2^-n): every item halves it, and every label that covers one divides it.
        """
        rows = np.arange(len(self.published.rows))
        meant: list[Counts] = []  # for each item asked for, the label of each record that it would be in
        for item in asked:
            label = self._label_for(item)[rows]
            held = label >= 0
            rows, meant = rows[held], [*(labels[held] for labels in meant), label[held]]
        if not meant:
            return rows, np.ones(len(rows))
        labels = np.sort(np.stack(meant), axis=0)
        again = labels[1:] == labels[:-1]  # the same label for another item
        factors = self.boost[labels]
        factors[1:][again] = 1.0
        return rows, np.ldexp(factors.prod(axis=0), -len(meant))

    def _label_for(self, item: int) -> Counts:
        """Return the smallest label of each record that covers an item (the first of equal ones), or -1."""
        labels = self.labels[self.first[item] : self.first[item + 1]]
        sizes = self.begins[labels + 1] - self.begins[labels]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.begins[labels] - (ends - sizes), sizes)
        best = np.full(len(self.published.rows), -1, dtype=np.int64)
        best[self.holders[at]] = np.repeat(labels, sizes)  # the best label of a record comes last and stays
        return best


class _Columns:
    """The published values of columns. Each different value is computed once."""

    def __init__(self, relational: Relational) -> None:
        self.attributes, self.values = relational.attributes, relational.values

    def shares(self, at: int, first: int, last: int, rows: Counts) -> Figures:
        """Return for some rows which share of the values behind the published one is asked for."""
        values = self.values[at]
        shares: Figures = self.attributes[at].shares(values.low, values.high, first, last)[values.of[rows]]
        return shares
