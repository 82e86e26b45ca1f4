"""Conflicts: native ≡ Python, and both against all cuts with all ways to suppress labels of small hierarchies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Hierarchy
from shoal.kernels.choice import no_progress
from shoal.recoding import GlobalCut
from shoal.testing import all_cuts
from tests import oracles
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.search.cuts.test_threats import ANY, LONGEST, Case, cases, expanded


def conflicts(case: Case, kernel: ModuleType | None = None, threads: int = 1) -> Any:
    h, (kernel, *_) = case.hierarchy, [kernel] if kernel else implementations()
    span = np.ascontiguousarray(h.span).reshape(-1)
    rows = (case.items.indptr, case.items.items, case.items.repeaters)
    return kernel.Conflicts(*rows, h.parent, span, h.n_leaves, case.k, threads, no_progress)


def suppressing_cuts(hierarchy: Hierarchy) -> Iterator[GlobalCut]:
    """Every cut with every choice of leaves of it to suppress: all that any suppression of labels amounts to."""
    for cut in all_cuts(hierarchy):
        leaves = [int(node) for node in cut.nodes if node < hierarchy.n_leaves]
        for size in range(len(leaves) + 1):
            for some in itertools.combinations(leaves, size):
                yield GlobalCut(hierarchy, cut.nodes, np.array(some, dtype=np.int32))


def safe(case: Case, cut: GlobalCut, m: int) -> bool:
    return oracles.is_km_anonymous(cut.apply(case.items).rows.sets(), case.k, min(m, LONGEST))


def met(conflict: tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], cut: GlobalCut) -> bool:
    parents, groups = conflict
    gone = set(cut.suppressed.tolist())
    return not set(parents) <= expanded(cut) or any(gone.issuperset(group) for group in groups)


@examples(60)
@given(cases(5), st.sampled_from([1, 2, 3, ANY]))
def test_conflicts_are_what_every_safe_recoding_meets_and_they_settle_the_others(case: Case, m: int) -> None:
    kernel = conflicts(case)
    both = [(cut, safe(case, cut, m)) for cut in suppressing_cuts(case.hierarchy)]
    for cut, is_safe in both[:: 1 + len(both) // 40]:
        found = kernel.at(cut.raised, cut.suppressed.tolist(), m, no_progress)
        assert bool(found) != is_safe
        for conflict in found:
            assert not met(conflict, cut)
            assert all(met(conflict, other) for other, fine in both if fine)


@examples(150)
@given(cases(9), st.data(), st.sampled_from([1, 2, 3, 5, ANY]))
def test_native_and_python_find_the_same(case: Case, data: st.DataObject, m: int) -> None:
    h = case.hierarchy
    inner = range(h.n_leaves, h.root)
    raised = data.draw(st.sets(st.sampled_from(inner), max_size=2) if inner else st.just(set()))
    cut = GlobalCut.raising(h, raised)
    leaves = [int(node) for node in cut.nodes if node < h.n_leaves]
    suppressed = sorted(data.draw(st.sets(st.sampled_from(leaves), max_size=3) if leaves else st.just(set())))
    found = [
        conflicts(case, kernel, threads).at(cut.raised, suppressed, m, no_progress)
        for kernel in implementations()
        for threads in (1, 3)
    ]
    assert all(other == found[0] for other in found[1:])
