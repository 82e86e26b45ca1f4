"""Crowds by table: native ≡ Python ≡ all records at once, whatever the parts.

Covers: kernels/measure/support_table.py.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.metrics import crowds
from shoal.metrics.risk import Risk
from tests.budget import examples
from tests.kernels.rows import Sets, csr
from tests.metrics.test_risk import crowds as oracle
from tests.metrics.test_risk import row_lists

numbers = st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12)


@examples(300)
@given(rows=numbers, m=st.integers(1, 3), data=st.data())
def test_support_table(kernel: ModuleType, rows: Sets, m: int, data: st.DataObject) -> None:
    rank = np.array(data.draw(st.permutations(range(6))), dtype=np.int32)
    cut = data.draw(st.integers(0, len(rows)))
    table, other = kernel.SupportTable(rank, m), kernel.SupportTable(rank, m)
    table.add(*csr(rows[:cut])[:2])
    other.add(*csr(rows[cut:])[:2])
    table.merge_cells(other.cells())
    least = table.least(*csr(rows)[:2], len(rows)).reshape(m, -1)
    texts = [set(map(str, row)) for row in rows]
    assert least.tolist() == [oracle(texts, size) for size in range(1, m + 1)]


@examples(200)
@given(rows=row_lists, k=st.integers(2, 30), m=st.integers(1, 5), part_rows=st.sampled_from([1, 2, 7]))
def test_the_risk_is_the_same(rows: list[set[str]], k: int, m: int, part_rows: int) -> None:
    items = Transactions.from_sets(rows)
    expected = Risk.of(items, k, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crowds, "LARGE", 0)
        patch.setattr(crowds, "QUICK", 3)
        assert Risk.of(items, k, m, Engine(workers=2, part_rows=part_rows)) == expected


def test_the_table_is_used_if_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Transactions.from_sets([["a", "b"], ["a", "b", "c"]])
    monkeypatch.setattr(crowds, "LARGE", 1)
    assert crowds.counts_by_table(rows, 2, Engine())
    assert not crowds.counts_by_table(rows, 3, Engine())  # the records fit, too
    assert crowds.counts_by_table(rows, 3, Engine(workers=1, memory=5 * 64 - 1))
    assert not crowds.counts_by_table(rows, 2, Engine(workers=1, memory=50))
    assert not crowds.counts_by_table(rows.of_persons([0, 0]), 2, Engine())
