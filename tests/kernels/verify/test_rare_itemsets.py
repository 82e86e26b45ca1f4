"""Rare sets and rows: native ≡ Python ≡ oracle.

Covers: models/km.py, models/rare.py.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.kernels.choice import no_progress
from tests import oracles
from tests.conftest import implementations
from tests.kernels.verify.tables import records

Records = list[tuple[set[str], int]]  # sets, and whose they are
row_lists = records(st.sets(st.sampled_from("abcdef"), max_size=5), max_size=20)


def coded(rows: Records) -> tuple[Transactions, list[frozenset[str]], list[int]]:
    people = [person for _, person in rows]
    sets = [frozenset(row) for row, _ in rows]
    return Transactions.from_sets(sets).of_persons(people), sets, people


@given(rows=row_lists, k=st.integers(1, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_rare_itemsets(kernel: ModuleType, rows: Records, k: int, m: int, threads: int) -> None:
    t, sets, people = coded(rows)
    checked, violations, found = kernel.rare_itemsets(
        t.indptr, t.items, t.repeaters, len(t.labels), k, m, 1000, False, threads, no_progress
    )
    expected = {labels: count for labels, count in oracles.supports(sets, m, people).items() if count < k}
    minimal = oracles.minimal_rare(sets, k, m, people)
    reported = {frozenset(t.labels[code] for code in codes): support for codes, support in found}
    assert violations == len(found) == len(reported)
    assert minimal.items() <= reported.items() <= expected.items()
    if k == 1:
        assert checked == len(oracles.supports(sets, m, people))


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_the_first_size_that_fails(kernel: ModuleType, rows: Records, k: int, m: int, threads: int) -> None:
    t, sets, people = coded(rows)
    _, violations, found = kernel.rare_itemsets(
        t.indptr, t.items, t.repeaters, len(t.labels), k, m, 1000, True, threads, no_progress
    )
    rare = {labels: count for labels, count in oracles.supports(sets, m, people).items() if count < k}
    smallest = min(map(len, rare), default=0)
    reported = {frozenset(t.labels[code] for code in codes): support for codes, support in found}
    assert reported == {labels: count for labels, count in rare.items() if len(labels) == smallest}
    assert violations == len(reported)


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), keep=st.integers(0, 5), first=st.booleans())
def test_twins_report_the_same(rows: Records, k: int, m: int, keep: int, first: bool) -> None:
    t, _, _ = coded(rows)
    results: list[Any] = []
    for kernel in implementations():
        for threads in (1, 3):
            rare = kernel.rare_itemsets(
                t.indptr, t.items, t.repeaters, len(t.labels), k, m, keep, first, threads, no_progress
            )
            whole = kernel.rare_rows(t.indptr, t.items, t.repeaters, len(t.labels), k, keep, no_progress)
            results.append((rare, whole))
    assert all(result == results[0] for result in results)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    rows=st.sampled_from([40, 63, 64, 65, 130]),
    labels=st.integers(3, 8),
    k=st.integers(2, 12),
    m=st.integers(3, 6),
    repeated=st.booleans(),
    share=st.sampled_from([0.4, 0.75]),
)
def test_dense_rows(seed: int, rows: int, labels: int, k: int, m: int, repeated: bool, share: float) -> None:
    """Rows with many of few labels, which are counted by bitmaps: of several words, with weights, and with persons."""
    rng = np.random.default_rng(seed)
    sets = [frozenset("abcdefgh"[at] for at in np.flatnonzero(rng.random(labels) < share)) for _ in range(rows)]
    people = [int(person) for person in rng.integers(0, rows // 2, rows)] if repeated else list(range(rows))
    t, _, _ = coded([(set(row), person) for row, person in zip(sets, people, strict=True)])
    supports = oracles.supports(sets, m, people)
    results = []
    for kernel in implementations():
        args = (t.indptr, t.items, t.repeaters, len(t.labels), k, m)
        all_sizes = kernel.rare_itemsets(*args, 5_000, False, 2, no_progress)
        first_size = kernel.rare_itemsets(*args, 5_000, True, 1, no_progress)
        marked = kernel.smallest_rare(*args, 2, no_progress).tolist()
        results.append((all_sizes, first_size, marked))
    assert all(result == results[0] for result in results)
    (checked, violations, found), (_, _, first), marked = results[0]
    reported = {frozenset(t.labels[code] for code in codes): support for codes, support in found}
    rare = {labels: count for labels, count in supports.items() if count < k}
    assert oracles.minimal_rare(sets, k, m, people).items() <= reported.items() <= rare.items()
    assert violations == len(reported)
    assert checked <= len(supports)
    if not rare:
        assert checked == len(supports)
    smallest = min(map(len, rare), default=0)
    assert {frozenset(t.labels[code] for code in codes) for codes, _ in first} == {
        s for s in rare if len(s) == smallest
    }
    assert marked == oracles.smallest_identifying(sets, k, m, people)


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_smallest_rare(kernel: ModuleType, rows: Records, k: int, m: int, threads: int) -> None:
    t, sets, people = coded(rows)
    smallest = kernel.smallest_rare(t.indptr, t.items, t.repeaters, len(t.labels), k, m, threads, no_progress)
    assert smallest.tolist() == oracles.smallest_identifying(sets, k, m, people)


@given(rows=row_lists, k=st.integers(2, 6))
def test_rare_rows(kernel: ModuleType, rows: Records, k: int) -> None:
    t, sets, people = coded(rows)
    checked, violations, found = kernel.rare_rows(t.indptr, t.items, t.repeaters, len(t.labels), k, 1000, no_progress)
    distinct = {row for row in sets if row}

    def support(labels: frozenset[str]) -> int:
        return len({person for row, person in zip(sets, people, strict=True) if labels <= row})

    assert checked == len(distinct)
    assert violations == sum(support(row) < k for row in distinct)
    assert (violations == 0) == oracles.is_km_anonymous(sets, k, 6, people)
    assert (violations == 0) == (found == [])
    for codes, count in found:
        labels = frozenset(t.labels[code] for code in codes)
        assert count == support(labels) < k
        assert all(support(labels - {label}) >= k for label in labels if len(labels) > 1)


def test_an_exception_in_the_callback_stops_the_kernel(kernel: ModuleType) -> None:
    rng = np.random.default_rng(0)
    t = Transactions.from_sets([[str(item) for item in rng.choice(300, 60)] for _ in range(200)])

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel.rare_itemsets(t.indptr, t.items, t.repeaters, len(t.labels), 1, 4, 0, False, 2, interrupt)
