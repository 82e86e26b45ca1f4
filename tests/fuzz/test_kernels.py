"""The stand-in that calls a kernel and its twin notices where they differ."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import pytest

from fuzz.kernels import arrays
from fuzz.kernels.both import Both, Differ, same


def test_twins_that_differ_are_noticed() -> None:
    calls: Counter[str] = Counter()
    both = Both(SimpleNamespace(count=len, double=lambda n: 2 * n), SimpleNamespace(count=len, double=abs), calls)
    assert both.count([1, 2]) == 2
    with pytest.raises(Differ, match="double: 6 and 3"):
        both.double(3)
    assert calls == {"count": 1, "double": 1}


def test_results_are_compared_part_by_part() -> None:
    assert same([(1, 2.0), b"a"], ([1, 2.0 + 1e-12], b"a"))
    assert not same([1], [1, 2])


def test_random_arrays_suit_the_kernels() -> None:
    for seed in range(60):
        arrays.one(random.Random(seed))
