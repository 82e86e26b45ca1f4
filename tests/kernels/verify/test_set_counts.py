"""Tables of counts: native ≡ Python ≡ oracle, in ranges and merged.

Covers: models/set_counting.py kernels/verify/fact_counts.py kernels/verify/share_counts.py.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Dataset, Transactions
from shoal.engines import Engine
from shoal.models import rare, set_counting
from shoal.models.base import PrivacyModel
from shoal.models.hkp import Hkp
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.published import Published
from shoal.testing import persons
from tests import oracles
from tests.budget import examples
from tests.kernels.rows import Sets, csr, row_lists


@examples(300)
@given(rows=row_lists, k=st.integers(2, 5), m=st.integers(1, 3), data=st.data())
def test_set_counts(kernel: ModuleType, rows: Sets, k: int, m: int, data: st.DataObject) -> None:
    rank = np.array(data.draw(st.permutations(range(8))), dtype=np.int32)
    nobody = np.zeros(0, dtype=np.int32)
    split, cut = data.draw(st.integers(0, 8)), data.draw(st.integers(0, len(rows)))
    wide = data.draw(st.sampled_from([kernel.SetCounts, kernel.WideSetCounts]))
    found = []
    for first, stop in ((0, split), (split, 8)):
        tables = [wide(rank, k, m, first, stop, False) for _ in range(2)]
        for table, part in zip(tables, (rows[:cut], rows[cut:]), strict=True):
            table.add(*csr(part)[:2], nobody)
        tables[0].merge_cells(tables[1].cells())
        found.append(tables[0].result())
    counts = oracles.supports([frozenset(map(str, row)) for row in rows], m)
    assert tuple(map(sum, zip(*found, strict=True))) == (len(counts), sum(count < k for count in counts.values()))


@pytest.mark.parametrize("rank", [[0, 0], [0, 2], [-1, 0]])
def test_ranks_must_be_a_permutation(rank: list[int]) -> None:
    from shoal.kernels import choice

    if choice.native is None:
        pytest.skip("only the compiled kernel checks")
    with pytest.raises(ValueError, match="permutation"):
        choice.native.SetCounts(np.array(rank, dtype=np.int32), 2, 2, 0, 2, False)


MODELS: list[Callable[[int, int], PrivacyModel]] = [
    lambda k, m: Km(k=k, m=m),
    lambda k, m: KmNegative(k=k, m=m),
    lambda l, m: Lm(l=l, m=m, sensitive=("i6", "i7")),
    lambda k, p: Hkp(h=0.4, k=k, p=p, sensitive=("i6", "i7")),
]


@pytest.mark.parametrize("make", MODELS, ids=["km", "km-negative", "lm", "hkp"])
@examples(400)
@given(
    rows=row_lists,
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    engine=st.builds(
        Engine,
        workers=st.integers(1, 3),
        memory=st.sampled_from([0, 16, 200, 2000]),
        part_rows=st.sampled_from([1, 2, 7, 1000]),
    ),
    data=st.data(),
)
def test_the_verdict_is_the_same(
    make: Callable[[int, int], PrivacyModel], rows: Sets, k: int, m: int, engine: Engine, data: st.DataObject
) -> None:
    """Whatever the size of the parts and of the tables, and however many threads: of records and of persons."""
    model = make(k, m)
    labels = [f"i{item}" for item in range(8)]
    items = Transactions.from_sets([{f"i{item}" for item in row} for row in rows], labels)
    if model.counts_persons:
        items = items.of_persons(data.draw(persons(len(rows))))
    published = model.validated_view(Dataset(items))
    expected = model.verify(published)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_counting, "LARGE", 0)
        patch.setattr(set_counting, "QUICK", 1 << 30)
        assert model.verify(published, engine) == expected


@pytest.mark.parametrize("make", MODELS, ids=["km", "km-negative", "lm", "hkp"])
def test_safe_rows_are_not_counted_twice(
    make: Callable[[int, int], PrivacyModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nothing violates the model, the other ways of counting are not asked."""
    rows = [{"i0", "i1", "i2"}, {"i0", "i1"}, {"i2"}, {"i0"}, {"i1"}, set[str]()] * 5 + [{"i0", "i6"}, {"i1", "i7"}]
    model = make(2, 2)
    if not model.sensitive_labels:
        rows = rows[:-2]
    published = model.validated_view(Dataset(Transactions.from_sets(rows, [f"i{item}" for item in range(8)])))
    monkeypatch.setattr(set_counting, "LARGE", 0)
    for module, name in (
        ("rare", "rare_itemsets"),
        ("rare", "rare_rows"),
        ("lm", "disclosing_sets"),
        ("hkp", "disclosing_sets"),
        ("km_negative", "rare_negative_itemsets"),
    ):
        monkeypatch.setattr(f"shoal.models.{module}.{name}", None)
    assert model.verify(published, Engine(workers=2, part_rows=3)).holds


def test_any_k(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that fits no table: no support is so high."""
    monkeypatch.setattr(set_counting, "LARGE", 0)
    published = Published.plain(Transactions.from_sets([["a", "b"]] * 300 + [["a", "b", "c", "d"]] * 300))
    for k in (255, 256, 300, 301, 2**32, 10**20):
        assert Km(k=k, m=2).verify(published).holds == (k <= 300)


@pytest.mark.parametrize("huge", [2**32, 2**63, 10**20])
def test_any_l_and_any_k_of_shares(huge: int) -> None:
    rows = Transactions.from_sets([["i0", "i1", "i6"], ["i0", "i1"], ["i0", "i1", "i2"], ["i0"]] * 5)
    models: list[PrivacyModel] = [
        Lm(l=huge, m=2, sensitive=("i6",)),
        Hkp(h=0.4, k=huge, p=2, sensitive=("i6",)),
        KmNegative(k=huge, m=2),
    ]
    for model in models:
        published = model.validated_view(Dataset(rows))
        expected = model.verify(published)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(set_counting, "LARGE", 0)
            assert model.verify(published) == expected
            assert not expected.holds


def test_the_table_is_used_for_many_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]])
    monkeypatch.setattr(set_counting, "LARGE", 4)
    assert set_counting.counts_by_table(rows, 2, Engine())
    assert not set_counting.counts_by_table(rows, 4, Engine())
    assert set_counting.facts_by_table(rows, 2, Engine())
    assert not set_counting.facts_by_table(rows, 3, Engine())
    assert not set_counting.facts_by_table(rows.of_persons([0, 0, 1, 1]), 2, Engine())  # their counts do not add up
    monkeypatch.setattr(set_counting, "QUICK", 2)
    assert not set_counting.counts_by_table(rows, 2, Engine())
    assert set_counting.counts_by_table(rows, 2, Engine(memory=100))  # the rows do not fit
    monkeypatch.setattr(rare, "rare_itemsets", None)  # not called
    assert rare.rare_sets(rows, 2, 2, Engine(memory=100)).checked == 6
