"""Re-identification risk: the least support of what may be known of each record, against brute force.

Covers: kernels/measure/min_supports.py.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.choice import no_progress
from shoal.metrics.risk import Risk, min_matching
from shoal.testing import persons
from tests import oracles

row_lists = st.lists(st.sets(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=20)


def crowds(rows: list[set[str]], m: int, people: list[int] | None = None) -> list[int]:
    """For each row the least number of rows, or persons, that hold all of some m items of it, or fewer."""
    whose = range(len(rows)) if people is None else people
    return [
        min(
            len({person for row, person in zip(rows, whose, strict=True) if set(known) <= row})
            for size in range(m + 1)
            for known in itertools.combinations(own, size)
        )
        for own in rows
    ]


@given(data=st.data(), rows=row_lists, m=st.integers(1, 5), threads=st.integers(1, 3))
def test_min_supports(kernel: ModuleType, data: st.DataObject, rows: list[set[str]], m: int, threads: int) -> None:
    people = data.draw(persons(len(rows)))
    t = Transactions.from_sets(rows).of_persons(people)
    supports = kernel.min_supports(t.indptr, t.items, t.repeaters, len(t.labels), m, threads, no_progress)
    assert supports.reshape(m, -1).tolist() == [crowds(rows, size, people) for size in range(1, m + 1)]


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 9))
def test_the_figures(rows: list[set[str]], k: int, m: int) -> None:
    """More known items than any row has are as good as all."""
    t, sets = Transactions.from_sets(rows), [frozenset(row) for row in rows]
    risk = Risk.of(t, k, m, Engine(workers=2))
    for at in range(m):
        left = crowds(rows, at + 1)
        assert risk.prosecutor[at] == 1 / min(left)
        assert risk.average[at] == pytest.approx(float(sum(Fraction(1, size) for size in left) / len(rows)), abs=1e-12)
        for counted, limit in ((risk.below_k, k), (risk.unique, 2)):
            by_size = oracles.smallest_identifying(sets, limit, at + 1)
            assert counted[at] == np.count_nonzero(by_size)  # of rows without items nothing is known
    assert (risk.records, len(risk.below_k)) == (len(rows), m)


def test_of_some_records() -> None:
    rows = Transactions.from_sets([["a"], ["a", "b"], ["a"], ["a"]])
    risk = Risk.of(rows, 3, 1, holders=np.array([True, False, True, False]))
    assert (risk.records, risk.below_k, risk.prosecutor, risk.average) == (2, (0,), (1 / 4,), (1 / 4,))
    none = Risk.of(rows, 3, 2, holders=np.zeros(4, dtype=np.bool_))
    assert (none.records, none.prosecutor, none.average) == (0, (0.0, 0.0), (0.0, 0.0))


def test_no_items_and_no_rows() -> None:
    empty = Risk.of(Transactions.from_sets([[], [], []]), 5, 2)
    assert (empty.below_k, empty.prosecutor, empty.average) == ((0, 0), (1 / 3, 1 / 3), (1 / 3, 1 / 3))
    assert Risk.of(Transactions.from_sets([]), 2, 2) == Risk(2, 0, (0, 0), (0, 0), (0.0, 0.0), (0.0, 0.0))
    assert [left.tolist() for left in min_matching(Transactions.from_sets([]), 2)] == [[], []]


def test_a_k_m_anonymous_release_is_at_most_one_in_k() -> None:
    """What the guarantee says, in the measure's words."""
    data = shoal.read([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=2, m=2)))
    before, after = (Risk.of(rows, 2, 2) for rows in (release.problem.original.rows, release.published.rows))
    assert before.prosecutor == (1 / 2, 1.0)
    assert before.average == pytest.approx((5 / 12, 3 / 4), abs=1e-12)
    assert after.prosecutor == (1 / 3, 1 / 2)
    assert after.average == pytest.approx((1 / 3, 5 / 12), abs=1e-12)
