"""ML2 and dML2 against brute force, and by hand.

Covers: kernels/measure/frequent_itemsets.py.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.kernels.choice import no_progress
from shoal.kernels.measure.frequent_itemsets import frequent_itemsets
from shoal.metrics.comparison import Comparison
from shoal.metrics.ml2 import ML2, Mined, mining_loss
from shoal.published import Published
from tests.conftest import implementations
from tests.kernels.rows import plain

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": {"A1": ["a", "b"], "A2": ["c"]}, "B": ["d", "e"], "f": []}})
rows_of = st.lists(st.sets(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=12)
labels = ("a", "b", "c", "d", "e", "f", "A1", "A2", "A", "B", "ALL", "(a,b)", "(a,c)", "(d,f)", "(a,b,c)", "(d,e)")
published_of = st.lists(st.sets(st.sampled_from(labels), max_size=4), min_size=12, max_size=12)

Sets = dict[frozenset[str], int]


def frequent(rows: list[frozenset[str]], least: int) -> Sets:
    """Every set of labels that so many rows hold."""
    known = sorted(set().union(*rows))
    every = (frozenset(some) for size in range(1, len(known) + 1) for some in itertools.combinations(known, size))
    counts = {some: sum(some <= row for row in rows) for some in every}
    return {some: count for some, count in counts.items() if count >= least}


def up(label: str, level: int) -> str | None:
    """The label at a level of TREE, by walking up from its node; none, if it is above the level."""
    node = TREE.code_of[label]
    wanted = TREE.height - level
    while TREE.depth[node] > wanted:
        node = int(TREE.parent[node])
    return TREE.labels[node] if TREE.depth[node] == wanted or node < TREE.n_leaves else None


def node_of(label: str) -> str:
    """The smallest node over all that a label stands for, trying every one."""
    members = set(label.strip("()").split(",")) if label.startswith("(") else set(TREE.items_of(label))
    fitting = [node for node in TREE.labels if members <= set(TREE.items_of(node))]
    return min(fitting, key=lambda node: (len(TREE.items_of(node)), -TREE.depth[TREE.code_of[node]]))


def at_level(rows: list[set[str]], level: int) -> list[frozenset[str]]:
    named = [{up(node_of(label), level) for label in row} for row in rows]
    return [frozenset(label for label in row if label is not None) for row in named]


def oracle(was: list[set[str]], now: list[set[str]], threshold: float) -> tuple[int, int, int]:
    """Itemsets, those found, levels to climb: each set is lifted level by level and looked for."""
    least = max(1, math.ceil(Fraction(str(threshold)) * len(was)))
    height = TREE.height
    mined = [frequent(at_level(now, level), least) for level in range(height)]
    itemsets = found = levels = 0
    for level in range(height):
        for some in frequent(at_level(was, level), least):
            itemsets += 1
            found += some in mined[level]
            forms = (frozenset(str(up(label, upper)) for label in some) for upper in range(level, height))
            lowest = [upper for upper, form in enumerate(forms, level) if form in mined[upper]]
            levels += min(lowest, default=height) - level
    return itemsets, found, levels


@given(was=rows_of, now=published_of, threshold=st.sampled_from([0.1, 0.2, 0.25, 0.5, 1.0]))
def test_brute_force(was: list[set[str]], now: list[set[str]], threshold: float) -> None:
    """Whatever is published, also what is untrue: labels of any level, sets of items, suppressed or added ones."""
    now = now[: len(was)]
    original = Published.plain(TREE.encode(Transactions.from_sets(was)))
    published = Published.resolve(Transactions.from_sets(now), TREE)
    [found] = mining_loss(original, published, TREE, [threshold])
    assert (found.itemsets, found.found, found.levels) == oracle(was, now, threshold)


@given(was=rows_of, now=published_of)
def test_several_thresholds_are_each_as_if_alone(was: list[set[str]], now: list[set[str]]) -> None:
    original = Published.plain(TREE.encode(Transactions.from_sets(was)))
    published = Published.resolve(Transactions.from_sets(now[: len(was)]), TREE)
    thresholds = [0.5, 0.1, 0.3]
    together = mining_loss(original, published, TREE, thresholds)
    assert together == [one for t in thresholds for one in mining_loss(original, published, TREE, [t])]
    means = ML2(TREE, thresholds).of(Comparison(original, published))
    assert means["ml2"] == pytest.approx(sum(one.ml2 for one in together) / 3)
    assert means["dml2"] == pytest.approx(sum(one.dml2 for one in together) / 3)
    missed = [one.dml2_missed for one in together if one.found < one.itemsets]
    assert means["dml2_missed"] == pytest.approx(sum(missed) / max(1, len(missed)))
    assert mining_loss(original, original_as_published(original), TREE, [0.1])[0].levels == 0


def original_as_published(original: Published) -> Published:
    return Published.resolve(original.rows.in_use(), TREE)


@given(rows=rows_of, other=rows_of, least=st.integers(0, 5), threads=st.integers(1, 3))
def test_the_kernel(kernel: ModuleType, rows: list[set[str]], other: list[set[str]], least: int, threads: int) -> None:
    first, second = coded(rows), coded(other)
    mined = kernel.frequent_itemsets(*first, *second, 6, least, 1000, threads, no_progress)
    sizes, items, support, others = mined
    ends = np.cumsum(sizes)
    told = [tuple(items[end - size : end].tolist()) for end, size in zip(ends, sizes, strict=True)]
    assert len(set(told)) == len(told)
    assert all(list(codes) == sorted(codes) for codes in told)
    named = [frozenset("abcdef"[code] for code in codes) for codes in told]
    assert dict(zip(named, support.tolist(), strict=True)) == frequent([frozenset(row) for row in rows], max(1, least))
    assert others.tolist() == [sum(some <= row for row in other) for some in named]


@given(rows=rows_of, other=rows_of, least=st.integers(1, 5), most=st.integers(0, 40))
def test_twins_tell_the_same_in_the_same_order(
    rows: list[set[str]], other: list[set[str]], least: int, most: int
) -> None:
    results = [
        plain(kernel.frequent_itemsets(*coded(rows), *coded(other), 6, least, most, threads, no_progress))
        for kernel in implementations()
        for threads in (1, 3)
    ]
    assert all(result == results[0] for result in results)
    assert (results[0] is None) == (len(frequent([frozenset(row) for row in rows], least)) > most)


def coded(rows: list[set[str]]) -> tuple[np.ndarray, np.ndarray]:
    made = shoal.Hierarchy.flat("abcdef").encode(Transactions.from_sets(rows))
    return made.indptr, made.items


def test_least_support_is_exact() -> None:
    """0.07 * 100 is above 7 in floating point; sets in 7 of 100 rows are frequent at 7 %."""
    assert 0.07 * 100 > 7
    tree = shoal.Hierarchy.flat(["x", "y"])
    rows = Transactions.from_sets([["x"]] * 7 + [["y"]] * 93)
    raw = Published.plain(tree.encode(rows))
    [found] = mining_loss(raw, Published.resolve(rows, tree), tree, [0.07])
    assert (found.least, found.itemsets) == (7, 2)


def test_what_is_refused() -> None:
    rows = Transactions.from_sets([list("abcdef")] * 2)
    raw, now = Published.plain(TREE.encode(rows)), Published.resolve(rows, TREE)
    with pytest.raises(OptionError, match=r"more than 5 frequent itemsets at level 2 .* raise the thresholds"):
        mining_loss(raw, now, TREE, [0.5], most=5)
    for wrong in (0.0, 1.5, -1, math.nan):
        with pytest.raises(OptionError, match="above 0 and at most 1"):
            mining_loss(raw, now, TREE, [wrong])
    with pytest.raises(OptionError, match="at least one"):
        mining_loss(raw, now, TREE, [])
    with pytest.raises(OptionError, match="not the one that encoded the published items"):
        mining_loss(raw, now, shoal.Hierarchy.flat("abcdefg"), [0.5])
    assert ML2().of(Comparison(raw, now)) == {}


def test_nothing_is_frequent_or_nothing_is_left() -> None:
    none = Transactions.from_sets([[], []])
    raw = Published.plain(TREE.encode(none))
    assert mining_loss(raw, Published.resolve(none, TREE), TREE, [1.0]) == [Mined(1.0, 2, 0, 0, 0)]
    assert ML2(TREE).of(Comparison(raw, Published.resolve(none, TREE))) == {"ml2": 0, "dml2": 0, "dml2_missed": 0}
    raw = Published.plain(TREE.encode(Transactions.from_sets([["a"], ["a"]])))
    [found] = mining_loss(raw, Published.resolve(none, TREE), TREE, [1.0])  # all suppressed: as if found at the root
    assert found == Mined(1.0, 2, 3, 0, 3 + 2 + 1)
    assert (found.ml2, found.dml2, found.dml2_missed) == (1, 2, 2)


def test_a_lone_item_has_no_level_below_the_root() -> None:
    lone = shoal.Hierarchy.from_parents({"x": None})
    raw = Published.plain(lone.encode(Transactions.from_sets([["x"]])))
    assert mining_loss(raw, Published.resolve(raw.rows, lone), lone, [0.5]) == [Mined(0.5, 1, 0, 0, 0)]


def test_too_many_from_the_wrapper() -> None:
    assert frequent_itemsets(coded([{"a", "b"}]), coded([]), 6, 1, most=2) is None
    found = frequent_itemsets(coded([{"a", "b"}]), coded([]), 6, 1, most=3)
    assert found is not None
    assert len(found) == 3
