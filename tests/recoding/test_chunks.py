"""Rows in chunks: each item gets its code in the chunk of its row, whatever the parts of the engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Hierarchy, Transactions
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.recoding import GlobalCut, LocalCuts, LocalSets, chunks
from shoal.recoding.sets import present
from shoal.testing import all_cuts

TREE = Hierarchy.from_tree({"*": {"A": ["a", "b"], "C": ["c", "d"], "e": []}})
ROWS = st.lists(st.tuples(st.sets(st.sampled_from(TREE.items)), st.integers(0, 2)), min_size=1, max_size=9)
ENGINES = st.builds(Engine, workers=st.integers(1, 3), memory=st.sampled_from([64, 10**6]), part_rows=st.integers(1, 7))


@given(rows=ROWS, engine=ENGINES, data=st.data())
def test_cuts_of_chunks_against_plain_loops(
    rows: list[tuple[set[str], int]], engine: Engine, data: st.DataObject
) -> None:
    cuts: list[GlobalCut] = [data.draw(st.sampled_from(all_cuts(TREE))) for _ in range(3)]
    items = Transactions.from_sets([row for row, _ in rows], TREE.items)
    with engine.in_use():
        made = LocalCuts(tuple(cuts), np.array([chunk for _, chunk in rows])).apply(items).rows
    expected = [
        {label for label in cuts[chunk].labels for item in row if item in TREE.items_of(label)} for row, chunk in rows
    ]
    assert made.sets() == expected


@given(rows=ROWS, engine=ENGINES, data=st.data())
def test_sets_of_chunks_against_plain_loops(
    rows: list[tuple[set[str], int]], engine: Engine, data: st.DataObject
) -> None:
    """Some items of a chunk are in none of its sets, but then no row has them."""
    groups = [data.draw(st.lists(st.integers(0, 4), min_size=5, max_size=5)) for _ in range(3)]
    held = [set().union(*(row for row, own in rows if own == chunk)) for chunk in range(3)]
    codes = {item: code for code, item in enumerate(TREE.items)}
    sets = [
        {item: {other for other in held[at] if own[codes[other]] == own[codes[item]]} for item in held[at]}
        for at, own in enumerate(groups)
    ]
    smallest = [{item: min(map(codes.__getitem__, members)) for item, members in one.items()} for one in sets]
    first_of = [np.array([one.get(item, -1) for item in TREE.items]) for one in smallest]
    items = Transactions.from_sets([row for row, _ in rows], TREE.items)
    recoding = LocalSets.of_chunks([present(one) for one in first_of], np.array([chunk for _, chunk in rows]))
    with engine.in_use():
        made = recoding.apply(items)
    covers = [{frozenset(TREE.items[item] for item in made.cover(int(label))) for label in row} for row in made.rows]
    assert covers == [{frozenset(sets[chunk][item]) for item in row} for row, chunk in rows]
    assert recoding.summary().labels == len({frozenset(one) for own in sets for one in own.values()})
    assert recoding.summary().chunks == 3


def test_labels_must_differ() -> None:
    with pytest.raises(DataError, match="labels must be unique"):
        chunks.recoded(Transactions.from_sets([["a"]]), np.zeros(1, np.int64), lambda _, items: items, ("x", "x"))
