"""Rows of codes become sets, as the readable kernel makes them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.arrays import Codes
from shoal.kernels.read.sorted_rows import sorted_rows, sorted_rows_twin
from tests.budget import examples

ROWS = st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=8)


def int32(numbers: list[int]) -> Codes:
    return np.array(numbers, dtype=np.int32)


@examples(200)
@given(ROWS, st.permutations(range(7)))
def test_both_kernels_make_the_same_sets(rows: list[list[int]], rank: list[int]) -> None:
    arrays = int32([len(row) for row in rows]), int32([code for row in rows for code in row]), int32(rank)
    indptr, items = sorted_rows(*arrays)
    sets = [items[start:end].tolist() for start, end in pairwise(indptr)]
    assert sets == [sorted({rank[code] for code in row}) for row in rows]
    twins = sorted_rows_twin(*arrays)
    assert (indptr.tolist(), items.tolist()) == (twins[0].tolist(), twins[1].tolist())
    assert (indptr.dtype, items.dtype) == (twins[0].dtype, twins[1].dtype)


@pytest.mark.parametrize("kernel", [sorted_rows, sorted_rows_twin])
@pytest.mark.parametrize(("sizes", "codes"), [([1], [2]), ([1], [-1]), ([2], [0]), ([1], [0, 0]), ([-1, 1], [])])
def test_sizes_and_codes_must_fit(kernel: object, sizes: list[int], codes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"fit the codes|has no rank"):
        kernel(int32(sizes), int32(codes), int32([0, 1]))  # type: ignore[operator]
