"""Native ≡ Python ≡ oracle.

Covers: privacy/km.py, privacy/rare.py, kernels/_python.py, kernels/search.py, kernels/verify.py.
"""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from shoal.algorithms.aa import AA
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.engines import Engine
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem
from shoal.testing import problems
from tests import oracles
from tests.conftest import implementations, still

row_lists = st.lists(st.sets(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=20)
km = st.builds(KmAnonymity, k=st.integers(2, 5), m=st.integers(1, 4))


def coded(rows: list[set[str]]) -> tuple[Transactions, list[frozenset[str]]]:
    return Transactions.from_sets(rows), [frozenset(row) for row in rows]


@given(rows=row_lists, k=st.integers(1, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_rare_itemsets(kernel: ModuleType, rows: list[set[str]], k: int, m: int, threads: int) -> None:
    t, sets = coded(rows)
    checked, violations, found = kernel.rare_itemsets(
        t.indptr, t.items, len(t.labels), k, m, 1000, False, threads, still
    )
    expected = {labels: count for labels, count in oracles.supports(sets, m).items() if count < k}
    minimal = oracles.minimal_rare(sets, k, m)
    reported = {frozenset(t.labels[code] for code in codes): support for codes, support in found}
    assert violations == len(found) == len(reported)
    assert minimal.items() <= reported.items() <= expected.items()
    if k == 1:
        assert checked == len(oracles.supports(sets, m))


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_the_first_size_that_fails(kernel: ModuleType, rows: list[set[str]], k: int, m: int, threads: int) -> None:
    t, sets = coded(rows)
    _, violations, found = kernel.rare_itemsets(t.indptr, t.items, len(t.labels), k, m, 1000, True, threads, still)
    rare = {labels: count for labels, count in oracles.supports(sets, m).items() if count < k}
    smallest = min(map(len, rare), default=0)
    reported = {frozenset(t.labels[code] for code in codes): support for codes, support in found}
    assert reported == {labels: count for labels, count in rare.items() if len(labels) == smallest}
    assert violations == len(reported)


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), keep=st.integers(0, 5), first=st.booleans())
def test_twins_report_the_same(rows: list[set[str]], k: int, m: int, keep: int, first: bool) -> None:
    t, _ = coded(rows)
    results: list[Any] = []
    for kernel in implementations():
        for threads in (1, 3):
            rare = kernel.rare_itemsets(t.indptr, t.items, len(t.labels), k, m, keep, first, threads, still)
            whole = kernel.rare_rows(t.indptr, t.items, len(t.labels), k, keep, still)
            results.append((rare, whole))
    assert all(result == results[0] for result in results)


@given(rows=row_lists, k=st.integers(2, 6), m=st.integers(1, 4), threads=st.integers(1, 4))
def test_smallest_rare(kernel: ModuleType, rows: list[set[str]], k: int, m: int, threads: int) -> None:
    t, sets = coded(rows)
    smallest = kernel.smallest_rare(t.indptr, t.items, len(t.labels), k, m, threads, still)
    assert list(smallest) == oracles.smallest_identifying(sets, k, m)


@given(rows=row_lists, k=st.integers(2, 6))
def test_rare_rows(kernel: ModuleType, rows: list[set[str]], k: int) -> None:
    t, sets = coded(rows)
    checked, violations, found = kernel.rare_rows(t.indptr, t.items, len(t.labels), k, 1000, still)
    distinct = {row for row in sets if row}
    assert checked == len(distinct)
    assert violations == sum(sum(row <= other for other in sets) < k for row in distinct)
    assert (violations == 0) == oracles.is_km_anonymous(sets, k, 6)
    assert (violations == 0) == (found == [])
    for codes, support in found:
        labels = frozenset(t.labels[code] for code in codes)
        assert support == sum(labels <= row for row in sets) < k
        assert all(sum(labels - {label} <= row for row in sets) >= k for label in labels if len(labels) > 1)


@given(problem=problems(km), data=st.data())
def test_direct_pass_twins(problem: Problem, data: st.DataObject) -> None:
    """From any cut, to any size, with and without the early stop."""
    privacy, items, h = problem.privacy, problem.prepared.items, problem.hierarchy
    assert isinstance(privacy, KmAnonymity)
    assert isinstance(privacy.m, int)
    if items.non_empty < privacy.k:
        return
    inner = list(range(h.n_leaves, len(h)))
    raised = np.array(sorted(data.draw(st.sets(st.sampled_from(inner)))) if inner else [], dtype=np.int32)
    sizes = (data.draw(st.integers(1, privacy.m)), privacy.m, data.draw(st.booleans()))
    bounded = data.draw(st.booleans())
    tree = (h.parent, np.ascontiguousarray(h.span).reshape(-1), problem.prepared.costs, h.n_leaves)
    results = [
        kernel.direct_pass(items.indptr, items.items, *tree, privacy.k, *sizes, raised, bounded, still)
        for kernel in implementations()
    ]
    assert all(result == results[0] for result in results)
    if bounded:
        assert h.root not in results[0][0] or h.root in raised


def test_a_repair_that_only_the_root_can_make_is_quick() -> None:
    """Each of 7 deep items is missing in some rows: nothing below the root lifts the full set."""
    items = [f"i{n}" for n in range(7)]
    parents: dict[str, str | None] = {"root": None}
    for item in items:
        path = [item, *(f"{item}-{level}" for level in range(8)), "root"]
        parents.update(itertools.pairwise(path))
    rows = [items, *([other for other in items if other != item] for item in items for _ in range(5))]
    h = Hierarchy.from_parents(parents)
    problem = Problem(Dataset(Transactions.from_sets(rows)), h, KmAnonymity(k=5, m=7))
    assert AA().search(problem.prepared, Engine()).recoding.apply(problem.prepared.items).rows.labels == ("root",)


def test_an_exception_in_the_callback_stops_the_kernel(kernel: ModuleType) -> None:
    rng = np.random.default_rng(0)
    t = Transactions.from_sets([[str(item) for item in rng.choice(300, 60)] for _ in range(200)])

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel.rare_itemsets(t.indptr, t.items, len(t.labels), 1, 4, 0, False, 2, interrupt)


def test_native_kernels_are_built() -> None:
    """CI sets SHOAL_REQUIRE_NATIVE: there the fallback must not pass unnoticed."""
    import os

    if os.environ.get("SHOAL_REQUIRE_NATIVE") == "1":
        assert kernels.KIND == "native"
