"""The most frequent sets are those of an enumeration of all sets, ties included."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.metrics import top_sets
from shoal.metrics.top_sets import LEAST, most_frequent_sets, supports_of
from tests.budget import examples

LABELS = ["10", "9", "a", "b", "c", "d", "e"]  # not in the order of their labels: 9 comes before 10
ORDER = ["9", "10", "a", "b", "c", "d", "e"]
rows_of = st.lists(st.sets(st.sampled_from(LABELS), max_size=6), max_size=14)
Ranked = list[tuple[tuple[str, ...], int]]


def enumerated(rows: list[set[str]], number: int) -> Ranked:
    """Every set of at least two items by support, then size, then the order of its items."""
    counts = Counter(
        some
        for row in rows
        for size in range(2, len(row) + 1)
        for some in itertools.combinations(sorted(row, key=ORDER.index), size)
    )
    places = {some: [ORDER.index(label) for label in some] for some in counts}
    ranked = sorted(counts.items(), key=lambda one: (-one[1], len(one[0]), places[one[0]]))
    return [one for one in ranked if one[1] >= LEAST][:number]


def found(rows: Transactions, number: int, engine: Engine | None = None) -> Ranked:
    top = most_frequent_sets(rows, number, engine)
    named = (tuple(rows.labels[code] for code in codes) for codes in top.sets)
    return list(zip(named, top.supports, strict=True))


@given(rows=rows_of, number=st.integers(1, 60))
@examples(1500)
def test_brute_force(rows: list[set[str]], number: int) -> None:
    assert found(Transactions.from_sets(rows, LABELS), number) == enumerated(rows, number)


@given(rows=rows_of, number=st.integers(1, 30), first=st.integers(1, 4), cells=st.integers(1, 9))
@examples(500)
def test_few_items_and_pairs_at_once_change_nothing(rows: list[set[str]], number: int, first: int, cells: int) -> None:
    """Items are tried in several turns, and pairs are counted in several blocks."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("_FIRST", first), ("_FACTOR", 2), ("_CELLS", cells)):
            patched.setattr(top_sets, name, value)
        assert found(Transactions.from_sets(rows, LABELS), number) == enumerated(rows, number)


def test_parts_of_the_rows_and_workers_change_nothing() -> None:
    rng = np.random.default_rng(4)
    rows = Transactions.from_sets([{str(item) for item in rng.geometric(0.15, 6)} for _ in range(500)])
    whole = found(rows, 200)
    assert len(whole) == 200
    for engine in (Engine(workers=1, part_rows=7), Engine(workers=3, part_rows=100)):
        assert found(rows, 200, engine) == whole


def test_dense_rows_do_not_explode() -> None:
    """Two equal rows of 60 items have 2^60 sets of equal support."""
    rows = [{f"i{at}" for at in range(60)}] * 2
    top = most_frequent_sets(Transactions.from_sets(rows), 100)
    assert len(top) == 100
    assert {len(one) for one in top.sets} == {2}


@given(rows=rows_of, sets=st.lists(st.sets(st.integers(0, 6)), max_size=5))
@examples(300)
def test_supports(rows: list[set[str]], sets: list[set[int]]) -> None:
    asked = [tuple(sorted(one)) for one in sets]
    counted = supports_of(Transactions.from_sets(rows, LABELS), asked)
    assert counted == [sum({LABELS[code] for code in one} <= row for row in rows) for one in sets]
