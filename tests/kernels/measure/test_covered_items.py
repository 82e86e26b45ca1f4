"""Covered items: native ≡ Python; the counts of a comparison ≡ the size of the label of each item.

Covers: metrics/coverage.py.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.engines import Engine
from shoal.metrics.coverage import Covered, covered_sizes
from shoal.published import Published
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import Sets, csr, row_lists

ITEMS = tuple(f"i{item}" for item in range(8))


@given(rows=row_lists, label_of=st.lists(st.integers(-1, 3), min_size=8, max_size=8), data=st.data())
def test_twins(rows: Sets, label_of: list[int], data: st.DataObject) -> None:
    published = [data.draw(st.sets(st.integers(0, 3))) for _ in rows]
    expected = [
        sum(item in row and label_of[item] in labels for row, labels in zip(rows, published, strict=True))
        for item in range(8)
    ]
    for kernel in implementations():
        args = (*csr(rows)[:2], *csr(published)[:2], np.array(label_of, dtype=np.int32), 4)
        assert kernel.covered_items(*args).tolist() == expected


@examples(300)
@given(rows=row_lists, data=st.data(), part_rows=st.integers(1, 7))
def test_counts_are_those_of_the_single_items(rows: Sets, data: st.DataObject, part_rows: int) -> None:
    """With labels that overlap, and with labels that do not."""
    covers = data.draw(st.lists(st.sets(st.integers(0, 7), min_size=1), min_size=1, max_size=4))
    if data.draw(st.booleans()):
        covers = [cover.difference(*covers[:at]) for at, cover in enumerate(covers)]
        covers = [cover for cover in covers if cover]
    original = Transactions.from_sets([{ITEMS[item] for item in row} for row in rows], ITEMS)
    names = [f"label {at}" for at in range(len(covers))]
    labels = [data.draw(st.sets(st.sampled_from(names))) for _ in rows]
    published = Published(
        Transactions.from_sets(labels, names),
        np.cumsum([0, *map(len, covers)]),
        np.array([item for cover in covers for item in sorted(cover)], dtype=np.int32),
        ITEMS,
    )
    covered = Covered.of(original, published, Engine(workers=2, part_rows=part_rows))
    sizes = covered_sizes(original, published)
    expected = Counter(zip(original.items.tolist(), sizes.tolist(), strict=True))
    found = zip(covered.items.tolist(), covered.sizes.tolist(), strict=True)
    assert dict(zip(found, covered.counts.tolist(), strict=True)) == expected
    assert covered.total == len(original.items)
    assert covered.emptied == sum(bool(row) and not label for row, label in zip(rows, labels, strict=True))
