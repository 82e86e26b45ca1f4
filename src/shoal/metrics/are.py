"""ARE, the average relative error of queries that count records (P2): how wrong answers from the published data are.

What the published data answer is the expected count, if every original that a record may come from is as likely: a
published value is any value it represents, independently for each column; a label over n items is any of the 2^n - 1
sets of at least one of them, so it holds j given ones with probability 2^(n-j) / (2^n - 1).
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
    """The mean error, and of each query its relative error, the true and the expected count."""

    mean: float
    errors: Figures
    true: Counts
    expected: Figures
    sizes: tuple[str, ...]  # what each asks for: "2 items", or "1 value, 2 items"

    @property
    def by_size(self) -> dict[str, float]:
        """The mean error of the queries of each size, in the order of their first ones."""
        errors_of: dict[str, list[float]] = {}
        for size, error in zip(self.sizes, self.errors.tolist(), strict=True):
            errors_of.setdefault(size, []).append(error)
        return {size: _mean(errors) for size, errors in errors_of.items()}

    def __repr__(self) -> str:
        """In figures."""
        return f"AreResult(mean={self.mean:.6f}, {len(self.errors):,} queries)"


class ARE(Measure):
    """Mean over queries of |a - e| / max(a, s): a the true count, e the expected one, s a bound that keeps queries that
    match next to nothing from counting too much. It says nothing without a workload.
    """

    name = "are"
    meanings = {  # noqa: RUF012
        "are": (
            "Average relative error of queries (ARE)",
            "By how much the number of records with certain values and items, as estimated from the published data, "
            "is off its true number, as a share of that; averaged over the queries of a workload. 0: every answer is "
            "right.",
        )
    }
    paper = "P2 s.6"

    def __init__(self, workload: Workload | None = None, sanity: float = 1.0) -> None:
        self.workload, self.sanity = workload, sanity

    def of(self, compared: Comparison) -> dict[str, float]:
        """``are``, from 0; nothing, without a workload."""
        if self.workload is None:
            return {}
        return {"are": are(compared.original, compared.published, self.workload, self.sanity).mean}


def are(original: Published, published: Published, workload: Workload, sanity: float = 1.0) -> AreResult:
    """The relative error of each query, and their mean.

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
        raise OptionError(f"are: the sanity bound must be above 0, got {sanity}: 1 is common.")
    check_fit(original.rows, published)
    true, expected = true_counts(original, workload), expected_counts(published, workload)
    errors = np.abs(true - expected) / np.maximum(true, sanity)
    sizes = tuple(query.size for query in workload)
    return AreResult(_mean(errors.tolist()), errors, true, expected, sizes)


def _mean(errors: list[float]) -> float:
    """Without rounding in between."""
    return math.fsum(errors) / len(errors)


def true_counts(original: Published, workload: Workload) -> Counts:
    """How many of the original records match each query."""
    return np.rint(expected_counts(original, workload)).astype(np.int64)  # of raw data, where each matches or not


def expected_counts(published: Published, workload: Workload) -> Figures:
    """How many records are to be expected to match each query, as far as published data tell."""
    chances = _Chances(published)
    return np.array([chances.of(query).sum() for query in workload])


class _Chances:
    """With which probability records match queries."""

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
        """The probability of each record that may match, other than 0."""
        rows, chance = self._items(query.codes(self.code_of))
        for at, ends in query.intervals(self.published.relational).items():
            assert self.columns is not None, "a query for columns that are not there is an error"
            share = self.columns.shares(at, *ends, rows)
            rows, chance = rows[share > 0], (chance * share)[share > 0]
        return chance

    def _items(self, asked: Iterable[int]) -> tuple[Counts, Figures]:
        """The records that may hold all items asked for, and with which probability.

        2^(n-j) / (2^n - 1) = 2^-j / (1 - 2^-n): every item asked for halves it, every label that is meant divides it.
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
        """The smallest label of each record that covers an item, and of equal ones the first; -1: none does."""
        labels = self.labels[self.first[item] : self.first[item + 1]]
        sizes = self.begins[labels + 1] - self.begins[labels]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.begins[labels] - (ends - sizes), sizes)
        best = np.full(len(self.published.rows), -1, dtype=np.int64)
        best[self.holders[at]] = np.repeat(labels, sizes)  # the best label of a record comes last and stays
        return best


class _Columns:
    """The published values of columns: each different one is looked at once."""

    def __init__(self, relational: Relational) -> None:
        self.attributes = relational.attributes
        pairs = [
            np.unique(np.stack(ends), axis=1, return_inverse=True)
            for ends in zip(relational.low, relational.high, strict=True)
        ]
        self.ends = [values for values, _ in pairs]
        self.value_of = [back.ravel() for _, back in pairs]

    def shares(self, at: int, first: int, last: int, rows: Counts) -> Figures:
        """For some rows, the share of the values that a published one represents that are asked for."""
        low, high = self.ends[at]
        shares: Figures = self.attributes[at].shares(low, high, first, last)[self.value_of[at][rows]]
        return shares
