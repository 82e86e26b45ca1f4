"""Guesses of the levels of a table, and the counts and ranges that a page shows.

Covers: hierarchies/suggest_levels.py, hierarchies/tree_counts.py, hierarchies/ranges.py
"""

from __future__ import annotations

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.ordered import OrderedAttribute
from shoal.data.transactions import Transactions
from shoal.hierarchies.ranges import tree_of_ranges
from shoal.hierarchies.suggest_levels import suggest_levels
from shoal.hierarchies.tree_counts import records_of_nodes

PRODUCTS = {
    "department": ["d1"] * 6 + ["d2"] * 6,
    "id": [float(number) for number in range(12)],
    "type": ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", None],
    "color": ["red", "blue", "green"] * 4,
}


def test_each_level_tells_the_next_and_others_are_left_out() -> None:
    columns, levels = suggest_levels(PRODUCTS, ["1", "2", "11"])
    assert levels == ["id", "type", "department"]
    assert {one.name: one.covered for one in columns} == {"department": 0, "id": 3, "type": 0, "color": 0}


def test_a_table_without_the_items_or_without_groups() -> None:
    assert suggest_levels(PRODUCTS, ["x"])[1] == []
    assert suggest_levels({"id": ["a", "b"], "note": ["x", "y"]}, ["a"])[1] == []
    assert suggest_levels({}, ["a"]) == ([], [])


def test_records_of_groups_are_those_of_a_slow_count() -> None:
    rng = np.random.default_rng(7)
    tree = Hierarchy.from_tree({"*": {"A": {"B": ["a", "b"], "c": []}, "D": {"E": {"F": ["d"]}}, "e": []}})
    rows = [set(rng.choice(["a", "b", "c", "d", "e", "z", "A"], rng.integers(0, 4))) for _ in range(200)]
    counts = records_of_nodes(tree, Transactions.from_sets(rows))
    for node, label in enumerate(tree.labels):
        below = set(tree.items_of(label))
        assert counts[node] == sum(bool(row & below) for row in rows)


def test_ranges_of_a_single_value_are_not_told_twice() -> None:
    axis = OrderedAttribute("n", 1, 4, levels=(np.array([1, 2, 3, 4]), np.array([1, 3])))
    assert tree_of_ranges(axis, ["1", "2", "4"]).parents_by_label() == {
        "1": "[1:2]",
        "2": "[1:2]",
        "4": "[3:4]",
        "[1:2]": "*",
        "[3:4]": "*",
        "*": None,
    }
