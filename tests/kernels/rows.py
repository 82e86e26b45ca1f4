"""What tests of kernels share: rows as arrays, results as lists, and a callback that interrupts."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

Sets = list[set[int]]
row_lists = st.lists(st.tuples(st.sets(st.integers(0, 7), max_size=6), st.integers(1, 3)), max_size=12).map(
    lambda groups: [row for row, copies in groups for _ in range(copies)]
)


def interrupt(share: float) -> None:
    raise KeyboardInterrupt


def csr(rows: Sets) -> tuple[Any, Any, int]:
    indptr = np.array([0, *itertools.accumulate(map(len, rows))], dtype=np.int64)
    items = np.array([item for row in rows for item in sorted(row)], dtype=np.int32)
    return indptr, items, max((item + 1 for row in rows for item in row), default=0)


def random_rows(count: int, labels: int, mean: float, seed: int) -> Sets:
    """Rows some of which are equal, or nearly so, or empty."""
    rng = random.Random(seed)
    kinds = [{item for item in range(labels) if rng.random() < mean / labels} for _ in range(max(1, count // 3))]
    return [rng.choice(kinds) ^ {item for item in range(labels) if rng.random() < 0.3 / labels} for _ in range(count)]


def wide_rows(rows: int, seed: int) -> tuple[Any, Any, int]:
    """So many rows of ten items each, out of 900."""
    items = np.random.default_rng(seed).integers(0, 90, size=(rows, 10), dtype=np.int32)
    items += np.arange(10, dtype=np.int32) * 90
    return np.arange(rows + 1, dtype=np.int64) * 10, items.reshape(-1), 900


def plain(result: Any) -> Any:
    """A result with lists in the place of arrays, which can be compared."""
    if isinstance(result, tuple):
        return tuple(map(plain, result))
    return result.tolist() if isinstance(result, np.ndarray) else result
