"""Needed items: native ≡ Python ≡ oracle, in one pass and in several."""

from __future__ import annotations

from itertools import combinations
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import NOBODY
from shoal.kernels.search.thin import LEFT_OUT, RARE
from tests.budget import examples
from tests.kernels.rows import Sets, csr, row_lists

LABELS = 8


def needed(rows: Sets, people: list[int], rank: list[int], k: int, m: int) -> list[bool]:
    """The definition: an item is needed for the first k persons of a set that holds it, in their first row with it."""
    marks = {(row, item): False for row, items in enumerate(rows) for item in sorted(items)}
    holders: dict[tuple[int, ...], list[int]] = {}
    for row, items in enumerate(rows):
        ranks = {rank[item]: item for item in sorted(items, reverse=True) if rank[item] >= 0}
        for size in range(1, m + 1):
            for labels in combinations(sorted(ranks), size):
                known = holders.setdefault(labels, [])
                if people[row] not in known and len(known) < k:
                    known.append(people[row])
                    for label in labels:
                        marks[row, ranks[label]] = True
        if any(rank[item] == RARE for item in items):
            for item in items:
                marks[row, item] |= rank[item] != LEFT_OUT
    return list(marks.values())


@examples(400)
@given(rows=row_lists, k=st.integers(1, 4), m=st.integers(1, 3), data=st.data())
def test_thin(kernel: ModuleType, rows: Sets, k: int, m: int, data: st.DataObject) -> None:
    """Some items share a label, some have none; persons with several rows; tables in two ranges; rows in two parts."""
    rank = data.draw(st.lists(st.integers(RARE, LABELS - 1), min_size=LABELS, max_size=LABELS))
    persons = sorted(data.draw(st.lists(st.integers(-1, 3), min_size=len(rows), max_size=len(rows))))
    people = [person if person >= 0 else -1 - row for row, person in enumerate(persons)]
    split, cut = data.draw(st.integers(0, LABELS)), data.draw(st.integers(0, len(rows)))
    indptr, items, _ = csr(rows)
    marks = np.zeros(len(items), dtype=np.uint8)
    for first, stop in ((0, split), (split, LABELS)):
        thin = kernel.Thin(np.array(rank, dtype=np.int32), LABELS, k, m, first, stop, True)
        for start, end in ((0, cut), (cut, len(rows))):
            part = slice(indptr[start], indptr[end])
            own = np.array(persons[start:end], dtype=np.int32)
            if start < end:
                marks[part] |= thin.mark(indptr[start : end + 1] - indptr[start], items[part], own)
    assert marks.astype(bool).tolist() == needed(rows, people, rank, k, m)


@pytest.mark.parametrize("k", [255, 256, 65_535, 65_536])
def test_large_counts(kernel: ModuleType, k: int) -> None:
    """Counts of one, two and four bytes stop exactly at k."""
    rows = 70_000 if k > 60_000 else 300
    thin = kernel.Thin(np.zeros(1, dtype=np.int32), 1, k, 2, 0, 1, False)
    marks = thin.mark(np.arange(rows + 1, dtype=np.int64), np.zeros(rows, dtype=np.int32), NOBODY)
    assert marks.sum() == min(k, rows)
    assert marks[: min(k, rows)].all()


@pytest.mark.parametrize(("m", "first", "stop"), [(4, 0, 1), (0, 0, 1), (2, 0, 2), (2, -1, 1), (2, 1, 0)])
def test_nonsense_is_refused(m: int, first: int, stop: int) -> None:
    from shoal.kernels import choice

    if choice.native is None:
        pytest.skip("only the compiled kernel checks")
    with pytest.raises(ValueError, match=r"sets of 1 to 3|range"):
        choice.native.Thin(np.zeros(1, dtype=np.int32), 1, 2, m, first, stop, False)
