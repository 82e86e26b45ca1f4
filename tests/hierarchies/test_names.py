"""Names of groups of siblings: unique, stable, and read back as they are.

Covers: data/labels.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import set_members
from shoal.data.tags import Tags
from shoal.hierarchies.names import Namer, Style, groups, named
from shoal.hierarchies.refine import halved, refined


def halves(owner: Hierarchy) -> Hierarchy:
    """With groups between all siblings."""
    ones = np.ones(len(owner), dtype=np.int64)
    return refined(owner, halved(owner, ones, np.arange(len(owner))))


def group_names(owner: Hierarchy, marks: str = "", columns: tuple[str, ...] = ()) -> list[str]:
    tree = halves(owner)
    made = named(tree, groups(tree), marks, columns=columns)
    assert [label for label in made.labels if label in owner.code_of] == [
        label for label in tree.labels if label in owner.code_of
    ]
    return [label for label in made.labels if label not in owner.code_of]


def test_a_few_members_or_the_parent_and_a_number() -> None:
    owner = Hierarchy.from_tree({"ALL": {"DAIRY": [f"d{at}" for at in range(8)], "DRINKS": ["beer", "gin", "wine"]}})
    names = {
        *("d0 | d1", "d2 | d3", "d4 | d5", "d6 | d7", "gin | wine"),
        *("DAIRY, group 1 of 2 (4 items)", "DAIRY, group 2 of 2 (4 items)"),
    }
    assert set(group_names(owner)) == names


def test_numbers_count_what_is_published_only() -> None:
    owner = Hierarchy.from_tree({"DAIRY": [f"d{at}" for at in range(16)]})
    tree = halves(owner)
    published = [node for node, group in groups(tree).items() if group.size == 4][:3]
    names = [named(tree, published).labels[node] for node in published]
    assert names == [f"DAIRY, group {at} of 3 (4 items)" for at in (1, 2, 3)]
    other = next(node for node, group in groups(tree).items() if group.size == 8)
    assert named(tree, published).labels[other] == "DAIRY, d0 .. d15 (8 items)"  # d0, d1, d10, .. in canonical order


def test_clashes() -> None:
    flat = Hierarchy.flat(["a", "b", "c", "a | b", "a | b (2)"], "codes")
    tree = refined(flat, {flat.root: [[flat.code_of["a"], flat.code_of["b"]], flat.code_of["c"]]})
    assert named(tree, [], taken=["a | b (3)"]).labels[-2] == "a | b (4)"
    long = Hierarchy.flat([*map(str, range(9)), "*, group 1 of 2 (4 items)"], "codes")
    assert len(set(group_names(long))) == len(group_names(long))


def test_chains_and_lone_items_have_no_groups() -> None:
    assert group_names(Hierarchy.from_tree({"a": []})) == []
    assert group_names(Hierarchy.from_tree({"ALL": {"A": {"B": ["a"]}}})) == []


@pytest.mark.parametrize(
    ("marks", "few", "many"),
    [
        ("", "new milk | tea", "ALL STUFF, group 1 of 2 (4 items)"),
        (",;|\t", "new milk or tea", "ALL STUFF: group 1 of 2 (4 items)"),
        (",:", "new milk | tea", "ALL STUFF - group 1 of 2 (4 items)"),
        (" \t", "new_milk|tea", "ALL_STUFF:group-1-of-2"),
        (" ,;|\t", "new_milk/tea", "ALL_STUFF:group-1-of-2"),
        (" :|/", "new_milk+tea", "ALL_STUFF=group-1-of-2"),
    ],
)
def test_names_avoid_what_separates_items(marks: str, few: str, many: str) -> None:
    style = Style.avoiding(marks)
    assert style.listed(["new milk", "tea"]) == few
    assert style.numbered("ALL STUFF", 1, 2, 4) == many


def test_no_name_has_white_space_where_that_separates_items() -> None:
    """Even if the owner's nodes have: they cannot be written there, but the groups can."""
    owner = Hierarchy.from_tree({"all of it": {"fresh things": list("abcdefgh"), "b b": ["x", "y", "z"]}})
    assert not any(" " in label for label in group_names(owner, " \t"))


def test_no_name_looks_like_a_set() -> None:
    """A label such as (a), group 1 of 2 (9 items) would be read as the set of its two parts."""
    owner = Hierarchy.from_tree({"(all)": [f"({at},x)" for at in range(9)]})
    for label in group_names(owner):
        assert len(set_members(label)) < 2


@given(st.data())
def test_names_read_back_in_data_with_several_columns(data: st.DataObject) -> None:
    columns = ("drugs", "tests", "visits", "wards")
    trees = {
        column: Hierarchy.flat(data.draw(st.sets(st.text("ab(), |.+", min_size=1, max_size=4), min_size=1, max_size=9)))
        for column in columns
    }
    tags = Tags(columns)
    try:
        owner = shoal.hierarchies.joined(trees)
    except shoal.errors.ShoalError:
        return  # two items become one
    for label in group_names(owner, data.draw(st.sampled_from(["", ",;|\t"])), columns=columns):
        column, text = tags.place(label)
        assert tags.label(column, text) == label, (column, text)


def test_tags_are_said_once() -> None:
    namer = Namer(Style(), (), ("drugs", "tests"))
    assert namer.listed(["drugs.a", "drugs.b", "drugs.c"]) == "drugs.a | b | c"
    assert Tags(("drugs", "tests")).place("drugs.a | b | c") == ("drugs", "a | b | c")
    assert namer.listed(["drugs.a", "tests.b"]) == "drugs.a | tests.b"


def test_large_groups_are_named_in_one_walk() -> None:
    owner = Hierarchy.flat([f"item {at}" for at in range(10_000)], "codes")
    comb: list[object] = [1, 2]
    for at in range(3, 2_000):
        comb = [comb, at]
    tree = refined(owner, {owner.root: [comb, *range(2_000, 10_000), 0]})
    names = named(tree, list(groups(tree))).labels  # a walk for each group would take minutes
    assert len(set(names)) == len(names)


@given(st.permutations(list("abcdefgh")), st.lists(st.integers(0, 9), min_size=9, max_size=9))
def test_names_depend_on_the_groups_alone(order: list[str], weights: list[int]) -> None:
    """The same sets have the same names, whatever tree they were found in."""
    owner = Hierarchy.flat("abcdefgh", "codes")
    rank = np.array([order.index(label) if label in order else 9 for label in owner.labels])
    tree = refined(owner, halved(owner, np.array(weights), rank))
    large = [node for node, group in groups(tree).items() if group.size == 4]
    made = named(tree, large)
    found = {frozenset(made.items_of(made.labels[node])): made.labels[node] for node in large}
    wanted = sorted(found, key=min)
    assert [found[items] for items in wanted] == [
        f"*, group {at} of {len(wanted)} (4 items)" for at in range(1, len(wanted) + 1)
    ]
