"""Rows as arrays, and random ones, for tests of verifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.data import Transactions


def arrays(t: Transactions) -> tuple[Any, Any, int]:
    return t.indptr, t.items, len(t.labels)


def with_persons(t: Transactions) -> tuple[Any, Any, Any, int]:
    """As kernels want them."""
    return t.indptr, t.items, t.repeaters, len(t.labels)


def records(sets: st.SearchStrategy[Any], max_size: int) -> st.SearchStrategy[list[tuple[Any, int]]]:
    """Rows with their persons: every row of another one, or a few persons with many rows."""
    few = st.lists(st.tuples(sets, st.integers(0, 6)), min_size=1, max_size=max_size)
    alone = st.lists(sets, min_size=1, max_size=max_size).map(lambda rows: [(row, at) for at, row in enumerate(rows)])
    return few | alone


def random_rows(rows: int, labels: int, share: float, seed: int) -> tuple[Any, Any, Any]:
    """A boolean matrix, and the same as offsets and codes."""
    has = np.random.default_rng(seed).random((rows, labels)) < share * np.linspace(0.3, 1.7, labels)
    return has, *offsets(has)


def offsets(has: Any) -> tuple[Any, Any]:
    return np.concatenate([[0], has.sum(axis=1).cumsum()]), np.nonzero(has)[1].astype(np.int32)
