"""How much of the items can still be read, and what is nearly worthless."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.metrics.comparison import Comparison
from shoal.metrics.usefulness import Usefulness
from shoal.published import Published


def counted(before: list[list[str]], after: list[list[str]], tree: dict[str, Any]) -> Usefulness:
    hierarchy = Hierarchy.from_tree(tree)
    return Comparison(
        Published.plain(hierarchy.encode(Transactions.from_sets(before))),
        Published.resolve(Transactions.from_sets(after), hierarchy),
    ).usefulness


WIDE = {"ALL": {"A": [f"a{n}" for n in range(6)], "B": [f"b{n}" for n in range(4)]}}


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ([["A"], ["A"], ["A"], ["b0"]], "one label"),  # A covers 6 of 10 items, and 3 of 4 items of records
        ([["A"], ["A"], ["a2"], ["b0"]], None),  # exactly half
        ([["a0"], ["a1"], ["a2"], ["B"]], None),
        ([["a0"], [], [], []], "emptied"),
        ([["a0"], ["a1"], [], []], None),
        ([["ALL"], ["a1"], [], ["ALL"]], "removed"),  # neither alone is more than half
        ([["ALL"], ["ALL"], ["ALL"], ["ALL"]], "one label"),
    ],
)
def test_what_is_nearly_worthless(after: list[list[str]], wanted: str | None) -> None:
    assert counted([["a0"], ["a1"], ["a2"], ["b0"]], after, WIDE).worthless == wanted


def test_most_of_what_occurs_under_one_label_is_worthless_however_large_the_hierarchy() -> None:
    tree = {"ALL": {"A": [f"a{n}" for n in range(6)], "B": [f"b{n}" for n in range(500)]}}
    rows = [[f"a{n}"] for n in range(6)]
    made = counted(rows, [["A"]] * 6, tree)
    assert (made.worthless, made.broad) == ("one label", (("A", 6),))
    assert counted(rows, rows, tree).worthless is None


def test_in_tiny_domains_half_of_the_items_is_normal_but_all_of_them_is_not() -> None:
    tree = {"ALL": {"A": ["a1", "a2"], "B": ["b"]}}
    assert counted([["a1"], ["a2"]], [["A"], ["A"]], tree).worthless is None
    assert counted([["a1"], ["a2"]], [["ALL"], ["ALL"]], tree).worthless == "one label"


def test_no_items_are_not_worthless() -> None:
    made = counted([[], []], [[], []], WIDE)
    assert (made.worthless, made.median_items, made.unchanged_share) == (None, None, 1.0)


def test_the_median_and_what_is_unchanged_count_items_of_records() -> None:
    made = counted([["a0", "b0"], ["a0"], ["b1"], ["b0"]], [["a0", "B"], ["a0"], ["B"], []], WIDE)
    assert (made.items, made.unchanged, made.removed) == (5, 2, 1)
    assert made.median_items == 1  # of 1, 1, 4, 4: the lower one
    assert (made.different_items, made.always_unchanged) == (3, 1)
    assert counted([["a0"], ["b0"], ["b1"]], [["a0"], ["B"], ["B"]], WIDE).median_items == 4
