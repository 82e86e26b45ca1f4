"""Rows as arrays, and random ones, for tests of verifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data import Transactions


def arrays(t: Transactions) -> tuple[Any, Any, int]:
    return t.indptr, t.items, len(t.labels)


def random_rows(rows: int, labels: int, share: float, seed: int) -> tuple[Any, Any, Any]:
    """A boolean matrix, and the same as offsets and codes."""
    has = np.random.default_rng(seed).random((rows, labels)) < share * np.linspace(0.3, 1.7, labels)
    return has, *offsets(has)


def offsets(has: Any) -> tuple[Any, Any]:
    return np.concatenate([[0], has.sum(axis=1).cumsum()]), np.nonzero(has)[1].astype(np.int32)
