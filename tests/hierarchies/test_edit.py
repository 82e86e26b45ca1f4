"""Edits of a hierarchy: what each does, what is refused, and that no sequence of edits loses an item.

Covers: hierarchies/edit.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from shoal.hierarchies import edit

TREE = Hierarchy.from_tree({"*": {"drinks": {"hot": ["tea", "coffee"], "beer": []}, "food": ["rice", "oats"]}})
Parents = dict[str, str | None]


def test_what_is_below_a_group_moves_with_it() -> None:
    moved = edit.move(TREE, ["hot"], "food")
    assert moved.items_of("food") == ("coffee", "tea", "oats", "rice")
    assert moved.items_of("drinks") == ("beer",)


def test_a_group_without_items_is_left_out_and_does_not_become_an_item() -> None:
    moved = edit.move(TREE, ["tea", "coffee", "beer"], "food")
    assert moved.parents_by_label().keys() == {"*", "food", "tea", "coffee", "beer", "rice", "oats"}


@pytest.mark.parametrize(
    ("labels", "parent", "message"),
    [
        (["drinks"], "hot", r"'drinks' cannot be put below 'hot', which is below it: choose a group outside"),
        (["drinks"], "drinks", r"'drinks' cannot be put below itself"),
        (["*"], "food", r"'\*' cannot be put below 'food'"),
        (["tea"], "rice", r"'rice' is an item, and nothing can be below an item"),
        (["tee"], "food", r"'tee' is not in the hierarchy"),
        (["tea"], "fod", r"'fod' is not in the hierarchy \(did you mean 'food'\?\)"),
    ],
)
def test_a_move_that_makes_no_tree(labels: list[str], parent: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        edit.move(TREE, labels, parent)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (" ", "cannot be blank"),
        ("a ", "starts or ends with a space"),
        ("x" * 201, "201 characters"),
        ("a\nb", "invisible character"),
        ("tea", "is an item of this hierarchy already"),
        ("food", "is a group of this hierarchy already"),
        ("a;b", "contains ';', which separates items"),
        ("(a,b)", "looks like a set of labels"),
    ],
)
def test_a_name_that_readers_would_not_see(name: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        edit.rename(TREE, "hot", name, ";")
    with pytest.raises(HierarchyError, match=message):
        edit.add_group(TREE, name, ["rice"], ";")


def test_a_name_needs_the_tag_of_a_column_of_sets() -> None:
    with pytest.raises(HierarchyError, match=r"would be read as 'A\.new' .* start it with the name of its column"):
        edit.rename(TREE, "hot", "new", "", lambda label: f"A.{label}")


def test_items_keep_their_labels() -> None:
    with pytest.raises(HierarchyError, match="the data use its label"):
        edit.rename(TREE, "tea", "chai")
    with pytest.raises(HierarchyError, match="only groups can be removed"):
        edit.remove_group(TREE, "tea")
    with pytest.raises(HierarchyError, match="is the top of the hierarchy"):
        edit.remove_group(TREE, "*")


def test_members_of_a_new_group_stand_next_to_each_other() -> None:
    with pytest.raises(HierarchyError, match="must be next to each other"):
        edit.add_group(TREE, "new", ["tea", "rice"])
    with pytest.raises(HierarchyError, match="has no members"):
        edit.add_group(TREE, "new", [])
    with pytest.raises(HierarchyError, match="must be next to each other"):
        edit.add_group(TREE, "new", ["*"])


def test_items_that_are_there_already_or_blank() -> None:
    with pytest.raises(HierarchyError, match="is in the hierarchy already"):
        edit.add_items(TREE, ["tea"], "food")
    with pytest.raises(HierarchyError, match="blank label"):
        edit.add_items(TREE, [" "], "food")
    with pytest.raises(HierarchyError, match="keep at least one"):
        edit.without_items(TREE, TREE.items)


def test_an_item_of_the_name_of_a_group_whose_other_name_is_taken() -> None:
    tree = Hierarchy.from_tree({"*": {"hot": ["tea"], "hot:group": ["x"]}})
    assert edit.add_items_below_groups(tree, ["hot"]).items_of("hot:group-2") == ("hot", "tea")


def test_nested_groups_that_are_items_too() -> None:
    tree = edit.add_items_below_groups(TREE, ["drinks", "hot"])
    assert tree.items_of("drinks:group") == ("beer", "drinks", "coffee", "hot", "tea")
    assert tree.items_of("hot:group") == ("coffee", "hot", "tea")
    with pytest.raises(HierarchyError, match="is an item"):
        edit.add_items_below_groups(TREE, ["tea"])


def test_a_chain_below_the_root_becomes_one_level() -> None:
    tree = Hierarchy.from_tree({"*": {"all": {"A": ["a", "b"], "B": {"C": ["c"]}}}})
    assert edit.remove_single_groups(tree).parents_by_label() == {"a": "A", "b": "A", "c": "*", "A": "*", "*": None}


def _oracle(parents: Parents, what: str, label: str, other: str, items: set[str]) -> Parents:
    """Do the same to a plain dict."""
    if what == "move":
        new = {**parents, label: other}
    elif what == "rename":
        new = {
            (other if child == label else child): (other if parent == label else parent)
            for child, parent in parents.items()
        }
    elif what == "group":
        new = {**parents, label: other, other: parents[label]}
    else:
        new = {child: (parents[label] if parent == label else parent) for child, parent in parents.items()}
        del new[label]
    while empty := {child for child in new if child not in new.values() and child not in items}:
        new = {child: parent for child, parent in new.items() if child not in empty}
    return new


def _leads_up(parents: Parents, label: str, above: str) -> bool:
    """Whether a label is below another, or is it."""
    here: str | None = label
    while here is not None and here != above:
        here = parents[here]
    return here == above


@pytest.mark.parametrize("seed", range(8))
def test_random_edits_do_what_a_dict_does_and_keep_all_items(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    items = {f"i{number}" for number in range(12)}
    tree = hierarchies.balanced(items, fanout=3)
    parents: Parents = tree.parents_by_label()
    done = 0
    for step in range(80):
        what = str(rng.choice(["move", "rename", "group", "remove"]))
        label, other = (str(rng.choice(sorted(parents))) for _ in range(2))
        group, root = label not in items, parents[label] is None
        if what == "move":
            allowed = other not in items and not _leads_up(parents, other, label)
            change = edit.move, (tree, [label], other)
        elif what == "rename":
            allowed, other = group, f"g{step}"
            change = edit.rename, (tree, label, other)  # type: ignore[assignment]
        elif what == "group":
            allowed, other = not root, f"g{step}"
            change = edit.add_group, (tree, other, [label])  # type: ignore[assignment]
        else:
            allowed = group and not root
            change = edit.remove_group, (tree, label)  # type: ignore[assignment]
        if not allowed:
            with pytest.raises(HierarchyError):
                change[0](*change[1])
            continue
        tree, parents, done = change[0](*change[1]), _oracle(parents, what, label, other, items), done + 1
        assert tree.parents_by_label() == parents
        assert set(tree.items) == items
    assert done > 20
    hierarchies.save(tree, tmp_path / "h.csv")
    assert hierarchies.load(tmp_path / "h.csv").parents_by_label() == parents
