"""Tables of counts: native ≡ Python ≡ oracle, in ranges and merged.

Covers: models/set_counting.py.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.engines import Engine
from shoal.models import rare, set_counting
from shoal.models.km import Km
from shoal.published import Published
from tests import oracles
from tests.budget import examples
from tests.kernels.rows import Sets, csr, row_lists


@examples(300)
@given(rows=row_lists, k=st.integers(2, 5), m=st.integers(1, 3), data=st.data())
def test_set_counts(kernel: ModuleType, rows: Sets, k: int, m: int, data: st.DataObject) -> None:
    rank = np.array(data.draw(st.permutations(range(8))), dtype=np.int32)
    split, cut = data.draw(st.integers(0, 8)), data.draw(st.integers(0, len(rows)))
    wide = data.draw(st.sampled_from([kernel.SetCounts, kernel.WideSetCounts]))
    found = []
    for first, stop in ((0, split), (split, 8)):
        tables = [wide(rank, k, m, first, stop) for _ in range(2)]
        for table, part in zip(tables, (rows[:cut], rows[cut:]), strict=True):
            table.add(*csr(part)[:2])
        tables[0].merge(tables[1])
        found.append(tables[0].result())
    counts = oracles.supports([frozenset(map(str, row)) for row in rows], m)
    assert tuple(map(sum, zip(*found, strict=True))) == (len(counts), sum(count < k for count in counts.values()))


@pytest.mark.parametrize("rank", [[0, 0], [0, 2], [-1, 0]])
def test_ranks_must_be_a_permutation(rank: list[int]) -> None:
    from shoal.kernels import choice

    if choice.native is None:
        pytest.skip("only the compiled kernel checks")
    with pytest.raises(ValueError, match="permutation"):
        choice.native.SetCounts(np.array(rank, dtype=np.int32), 2, 2, 0, 2)


@pytest.mark.parametrize("memory", [0, 16, 200])
@pytest.mark.parametrize("part_rows", [1, 2, 7, 1000])
@examples(50)
@given(rows=row_lists, k=st.integers(2, 4), m=st.integers(1, 3))
def test_the_verdict_is_the_same(part_rows: int, memory: int, rows: Sets, k: int, m: int) -> None:
    """Whatever the size of the parts and of the tables, and however many threads."""
    published = Published.plain(Transactions.from_sets([{f"i{item}" for item in row} for row in rows]))
    model = Km(k=k, m=m)
    expected = model.verify(published)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_counting, "LARGE", 0)
        patch.setattr(set_counting, "QUICK", 1 << 30)
        assert model.verify(published, Engine(workers=2, memory=memory, part_rows=part_rows)) == expected


def test_any_k(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that fits no table: no support is so high."""
    monkeypatch.setattr(set_counting, "LARGE", 0)
    published = Published.plain(Transactions.from_sets([["a", "b"]] * 300 + [["a", "b", "c", "d"]] * 300))
    for k in (255, 256, 300, 301, 2**32, 10**20):
        assert Km(k=k, m=2).verify(published).holds == (k <= 300)


def test_the_table_is_used_for_many_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]])
    monkeypatch.setattr(set_counting, "LARGE", 4)
    assert set_counting.counts_by_table(rows, 2, Engine())
    assert not set_counting.counts_by_table(rows, 4, Engine())
    assert not set_counting.counts_by_table(rows.of_persons([0, 0, 1, 1]), 2, Engine())
    monkeypatch.setattr(set_counting, "QUICK", 2)
    assert not set_counting.counts_by_table(rows, 2, Engine())
    assert set_counting.counts_by_table(rows, 2, Engine(memory=100))  # the rows do not fit
    monkeypatch.setattr(rare, "rare_itemsets", None)  # not called
    assert rare.rare_sets(rows, 2, 2, Engine(memory=100)).checked == 6
