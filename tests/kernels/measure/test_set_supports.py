"""Supports of given sets: native ≡ Python ≡ looking for every set in every row, with and without persons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import Sets, csr, random_rows, row_lists

EIGHT = st.permutations(range(8)).map(lambda order: np.array(order, dtype=np.int32))


def expected(rows: Sets, asked: Sets, people: list[int]) -> list[int]:
    """Count persons; a negative one is a person without other rows."""
    who = [person if person >= 0 else -1 - at for at, person in enumerate(people)]
    return [len({person for row, person in zip(rows, who, strict=True) if labels <= row}) for labels in asked]


@examples(300)
@given(row_lists, st.lists(st.sets(st.integers(0, 7), max_size=4), max_size=8), EIGHT, st.data())
def test_twins(rows: Sets, asked: Sets, rank: Any, data: st.DataObject) -> None:
    people = sorted(data.draw(st.lists(st.integers(-1, 3), min_size=len(rows), max_size=len(rows))))
    none = np.zeros(0, dtype=np.int32)
    for kernel in implementations():
        supports = kernel.SetSupports(*csr(asked)[:2], rank)
        assert supports.count(*csr(rows)[:2], none).tolist() == expected(rows, asked, [-1] * len(rows))
        assert supports.count(*csr(rows)[:2], np.array(people, dtype=np.int32)).tolist() == expected(
            rows, asked, people
        )


def test_many_sets_and_long_rows() -> None:
    rows, asked = random_rows(300, 60, 20, seed=1), random_rows(400, 60, 3, seed=2)
    rank = np.arange(60, dtype=np.int32)[::-1].copy()
    for kernel in implementations():
        found = kernel.SetSupports(*csr(asked)[:2], rank).count(*csr(rows)[:2], np.zeros(0, dtype=np.int32))
        assert found.tolist() == expected(rows, asked, [-1] * len(rows))
    assert len(set(found.tolist())) > 20


def test_labels_that_have_no_rank_are_refused() -> None:
    kernel = implementations()[0]
    rank = np.arange(2, dtype=np.int32)
    with pytest.raises(ValueError, match="a label is unknown"):
        kernel.SetSupports(*csr([{5}])[:2], rank)
    with pytest.raises(ValueError, match="a label is unknown"):
        kernel.SetSupports(*csr([{1}])[:2], rank).count(*csr([{5}])[:2], np.zeros(0, dtype=np.int32))
    with pytest.raises(ValueError, match="a rank is out of range"):
        kernel.SetSupports(*csr([{1}])[:2], rank + 1)
