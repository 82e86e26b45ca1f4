"""What codes cost together, against plain loops."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.scales import Scale
from tests.budget import examples
from tests.kernels.search.clusters.scales import columns, cost_of, scale_lists


@examples(200)
@given(scales=scale_lists(), groups=st.lists(st.integers(0, 3), min_size=1, max_size=12), rng=st.randoms())
def test_groups_cost_what_their_codes_cost(scales: list[Scale], groups: list[int], rng: random.Random) -> None:
    numbers = {mark: at for at, mark in enumerate(dict.fromkeys(groups))}
    group_of = np.array([numbers[mark] for mark in groups])
    for scale, column in zip(scales, columns(rng, scales, len(groups)), strict=True):
        rows = [np.flatnonzero(group_of == group).tolist() for group in range(len(numbers))]
        assert scale.costs_of(column, group_of) == [cost_of([column], [scale], own) for own in rows]
        assert scale.cost(column) == cost_of([column], [scale], list(range(len(groups))))


@examples(100)
@given(scales=scale_lists())
def test_codes_may_be_parted_somewhere_unless_there_is_one(scales: list[Scale]) -> None:
    for scale in scales:
        borders = scale.borders(0, scale.codes - 1)
        assert len(borders) == scale.codes - 1
        assert borders.any() or scale.codes == 1
