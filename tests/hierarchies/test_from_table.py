"""Hierarchies from category columns: each kind of dirt, what is said about it, and what is refused.

Covers: hierarchies/table_findings.py, hierarchies/table_summary.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from shoal import hierarchies
from shoal.errors import DataError, HierarchyError, InputError, OptionError
from shoal.hierarchies.from_table import from_table, from_table_with_summary
from shoal.hierarchies.table_summary import Problem

LEVELS = ["id", "type", "department"]


def table(*rows: str) -> dict[str, list[str]]:
    """Rows such as ``1 ale bar``; - is blank."""
    cells = [["" if cell == "-" else cell for cell in row.split()] for row in rows]
    return {name: [row[at] for row in cells] for at, name in enumerate(LEVELS)}


def parents(*rows: str, **options: Any) -> dict[str, str | None]:
    return from_table(table(*rows), LEVELS, **options).parents_by_label()


def sentence(kind: Problem, *rows: str, **options: Any) -> str:
    finding = from_table_with_summary(table(*rows), LEVELS, **options).finding(kind)
    return str(finding) if finding else ""


def test_items_keep_white_space_that_the_data_have_too() -> None:
    """Databases pad codes to a fixed width, in all tables alike."""
    products = {"id": ["a  ", "b  ", "c  "], "type": ["x ", "x", "y"]}
    tree = from_table(products, levels=["id", "type"], items=["a  ", "b", "b"]).parents_by_label()
    assert tree == {"a  ": "x", "b": "x", "c": "y", "x": "*", "y": "*", "*": None}


def test_a_clean_table_has_nothing_to_tell() -> None:
    summary = from_table_with_summary(table("1 ale bar", "2 ale bar", "3 oats shelf"), LEVELS, name="products.csv")
    assert summary.sentences() == ["3 items, height 3: 3 id, 2 type, 2 department."]
    assert summary.hierarchy.name == "products.csv"
    assert from_table(table("1 ale bar"), LEVELS).name == "from a table"
    assert summary.as_dict() == {"levels": {"id": 3, "type": 2, "department": 2}, "findings": []}
    assert hierarchies.check(summary.hierarchy).ok


# ---- several parents

DRINKS = ("1 ale bar", "2 ale pub", "3 ale pub", "4 rum bar")


def test_most_rows_decide() -> None:
    assert parents(*DRINKS)["ale"] == "pub"
    said = sentence("several parents", *DRINKS)
    assert "1 group has several parents (1 type) and was put below the parent that most rows name" in said
    assert "which moved 1 item (several_parents='split' splits them instead): 'ale' under 'pub' (2), 'bar' (1)." in said


def test_the_data_decide_if_they_are_given() -> None:
    assert parents(*DRINKS, items={"1": 3, "2": 1, "3": 1})["ale"] == "bar"
    said = sentence("several parents", *DRINKS, items={"1": 3, "2": 1, "3": 1})
    assert "that the data use most, which moved 2 items" in said
    assert "'ale' under 'bar' (3), 'pub' (2)." in said


def test_of_equally_frequent_parents_the_first_wins() -> None:
    assert parents("1 ale pub", "2 ale bar")["ale"] == "bar"
    assert parents("1 ale 10", "2 ale 9")["ale"] == "9"
    assert parents("1 ale pub", "2 ale bar", items={"1": 1, "2": 1})["ale"] == "bar"


def test_uses_come_before_rows() -> None:
    assert parents("1 ale pub", "2 ale bar", "3 ale bar", items={"1": 1})["ale"] == "pub"


def test_a_group_that_loses_all_it_has_vanishes() -> None:
    tree = parents("1 ale pub", "2 ale bar", "3 ale bar")
    assert "pub" not in tree
    assert "and left 1 group empty" in sentence("several parents", "1 ale pub", "2 ale bar", "3 ale bar")


def test_split_makes_a_group_for_each_parent() -> None:
    tree = parents(*DRINKS, several_parents="split")
    assert (tree["1"], tree["2"], tree["4"]) == ("ale (bar)", "ale (pub)", "rum")
    assert (tree["ale (bar)"], tree["ale (pub)"]) == ("bar", "pub")
    said = sentence("several parents", *DRINKS, several_parents="split")
    assert said == "1 group has several parents and was split: 'ale' is 'ale (bar)', 'ale (pub)'."


def test_what_lies_below_a_split_group_is_split_too() -> None:
    frame = {"id": [1, 2], "type": ["ale", "ale"], "category": ["beer", "beer"], "department": ["bar", "pub"]}
    tree = from_table(frame, ["id", "type", "category", "department"], several_parents="split").parents_by_label()
    assert tree["1"] == "ale (beer (bar))"
    assert tree["ale (beer (bar))"] == "beer (bar)"


def test_an_item_cannot_be_split() -> None:
    rows = ("1 ale bar", "1 rum bar", "1 rum bar")
    for several in ("most-frequent", "split"):
        assert parents(*rows, several_parents=several)["1"] == "rum"
    said = sentence("items under several parents", *rows)
    assert said == (
        "1 item has rows with several parents and was put below the parent that most rows name: "
        "'1' under 'rum' (2), 'ale' (1)."
    )


def test_an_item_that_comes_twice_alike_is_no_dirt() -> None:
    assert from_table_with_summary(table("1 ale bar", "1 ale bar"), LEVELS).findings == ()


def test_several_parents_may_be_an_error() -> None:
    with pytest.raises(HierarchyError, match=r"type 'ale' has 2 parents, 'pub' \(2 rows\), 'bar' \(1 row\)"):
        parents(*DRINKS, several_parents="error")
    with pytest.raises(HierarchyError, match=r"'1' has 2 parents.* Other labels with several parents: 2"):
        parents(*DRINKS, "1 rum bar", "5 rum pub", several_parents="error")
    assert parents("1 ale bar", "2 ale -", "1 ale bar", several_parents="error")["ale"] == "bar"


# ---- blanks


def test_blank_levels_are_skipped() -> None:
    tree = parents("1 - bar", "2 ale bar", "3 - -", "4 rum -")
    assert (tree["1"], tree["3"], tree["4"]) == ("bar", "(no department)", "rum")
    assert (tree["rum"], tree["(no department)"]) == ("(no department)", "*")
    said = sentence("blank levels", "1 - bar", "2 ale bar", "3 - -")
    assert said == (
        "2 items have blank levels, which were skipped (type in 2 rows, department in 1 row): "
        "'1' below 'bar'; '3' below '(no department)'."
    )
    said = sentence("nothing above", "1 - bar", "3 - -")
    assert said == "1 item has no department and was put below '(no department)': '3' below '(no department)'."


def test_a_blank_tells_nothing_where_other_rows_have_a_label() -> None:
    assert parents("1 ale -", "2 ale -", "3 ale bar")["ale"] == "bar"
    assert parents("1 - bar", "1 - bar", "1 ale bar")["1"] == "ale"
    assert sentence("several parents", "1 ale -", "3 ale bar") == ""


def test_a_table_that_says_no_department_itself_means_the_same() -> None:
    frame = {"id": ["1", "2"], "type": ["ale", "rum"], "department": ["(no department)", None]}
    assert from_table(frame, LEVELS).labels[-2:] == ("(no department)", "*")


def test_rows_without_an_item_are_left_out() -> None:
    tree = parents("1 ale bar", "- rum cellar")
    assert set(tree) == {"1", "ale", "bar", "*"}
    assert sentence("rows without an item", "1 ale bar", "- rum cellar") == "1 row has no id and was left out."


# ---- labels


def test_a_label_on_two_levels_gets_its_level() -> None:
    tree = parents("1 GROCERY GROCERY", "2 oats GROCERY")
    assert tree["1"] == "GROCERY (type)"
    assert tree["GROCERY (type)"] == tree["oats"] == "GROCERY (department)"
    said = sentence("same label twice", "1 GROCERY GROCERY")
    assert said == (
        "2 groups have the label of another node and got their level in brackets: "
        "'GROCERY (department)'; 'GROCERY (type)'."
    )


def test_items_keep_their_labels() -> None:
    tree = parents("beer beer drinks", "drinks ale drinks")
    assert (tree["beer"], tree["drinks"], tree["ale"]) == ("beer (type)", "ale", "drinks (department)")


def test_a_chain_of_labels_that_swap_places_makes_no_cycle() -> None:
    tree = parents("1 a b", "2 b a", "a b a", "b a b")
    assert tree["a (type)"] == "b (department)"
    assert tree["b (type)"] == "a (department)"


def test_a_name_that_is_taken_gets_a_number() -> None:
    frame = {"id": ["1", "A (top)"], "type": ["A", "x"], "top": ["A", "A"]}
    tree = from_table(frame, ["id", "type", "top"]).parents_by_label()
    assert tree["A (type)"] == tree["x"] == "A (top, 2)"


def test_the_root_may_be_called_otherwise_but_not_like_an_item() -> None:
    assert parents("1 ale bar", root="all products")["bar"] == "all products"
    assert parents("1 ale *")["* (department)"] == "*"
    for options in ({}, {"items": ["1", "*"], "unknown_items": "root"}):
        with pytest.raises(
            HierarchyError, match=r"the root cannot be called '\*', as an item has that name: choose another"
        ):
            parents(*(["* ale bar"] if not options else ["1 ale bar"]), **options)


def test_floats_that_are_whole_become_integers() -> None:
    summary = from_table_with_summary({"id": [1004906.0, None], "type": ["7.0", "7.0"]}, ["id", "type"])
    assert summary.hierarchy.parents_by_label() == {"1004906": "7", "7": "*", "*": None}
    assert summary.sentences()[1] == (
        "Whole numbers of 2 columns arrived as floats and became integers: id 1004906.0 is '1004906'; type 7.0 is '7'."
    )


def test_texts_that_look_like_floats_stay_if_the_data_write_them_so() -> None:
    assert parents("1.0 ale bar", "2.0 ale bar").keys() >= {"1", "2"}
    assert parents("1.0 ale bar", "2.0 ale bar", items=["1.0"]).keys() >= {"1.0", "2.0"}
    assert parents("1.0 ale bar", "2.0 ale bar", items=["1", "2"]).keys() >= {"1", "2"}
    assert parents("1.0 ale bar", "2.5 ale bar").keys() >= {"1.0", "2.5"}


# ---- the data beside the table

USED = ("1 ale bar", "2 ale bar", "3 rum bar", "007 rum bar")


def test_unused_items_are_kept_unless_asked() -> None:
    assert set(parents(*USED, items=["1"])) >= {"1", "2", "3", "007"}
    assert set(parents(*USED, items=["1"], only_used=True)) == {"1", "ale", "bar", "*"}
    said = "3 items of the table do not occur in the data and were"
    assert sentence("items not used", *USED, items=["1"]) == f"{said} kept: '2'; '3'; '007'."
    assert sentence("items not used", *USED, items=["1"], only_used=True) == f"{said} left out: '2'; '3'; '007'."


def test_levels_in_the_wrong_order_are_told() -> None:
    table = {"id": ["1", "2", "3"], "type": ["a", "b", "b"], "aisle": ["x", "x", "x"]}
    assert hierarchies.from_table_with_summary(table, ["id", "type", "aisle"]).finding("levels out of order") is None
    told = hierarchies.from_table_with_summary(table, ["aisle", "type", "id"]).finding("levels out of order")
    assert str(told) == (
        "'type' has 2 labels, but 'aisle' below it only 1: if the levels are in the wrong order, name the items first, "
        "then their groups up to the widest."
    )


def test_unknown_items_are_put_below_a_group_or_the_root_or_listed() -> None:
    items = {"1": 1, "x": 1, "bar": 5}
    unknown = "2 items of the data are not in the table (used 6 times) and"
    for option, done in {
        "group": "were put below '(no department)'",
        "root": "were put below the root",
        "list": "will be refused, unless unknown_items='group' puts them below a group of their own",
    }.items():
        told = sentence("unknown items", *USED, items=items, unknown_items=option)
        assert told == f"{unknown} {done}: 'bar'; 'x'."
    tree = parents(*USED, items=items, unknown_items="root")
    assert (tree["x"], tree["bar"], tree["ale"]) == ("*", "*", "bar (department)")
    tree = parents(*USED, items=items)
    assert (tree["x"], tree["bar"], tree["(no department)"]) == ("(no department)", "(no department)", "*")


def test_the_group_of_unknown_items_is_that_of_blank_levels_and_has_a_name_of_its_own() -> None:
    tree = hierarchies.from_table(
        {"id": [1, 2], "type": ["a", ""], "aisle": ["b", None]}, ["id", "type", "aisle"], items=[1, 3]
    )
    assert tree.parents_by_label() | {"2": "(no aisle)", "3": "(no aisle)"} == tree.parents_by_label()
    table = {"id": ["(no aisle)"], "type": ["a"], "aisle": ["b"]}
    clash = hierarchies.from_table(table, ["id", "type", "aisle"], items=["3", "(no aisle)"]).parents_by_label()
    assert (clash["3"], clash["(no aisle)"]) == ("(no aisle) (aisle)", "a")


def test_unknown_items_that_are_spelt_otherwise_are_told() -> None:
    said = sentence("unknown items", *USED, items=["1", "7", "8"])
    assert said.endswith(": '7', where the table has '007'.")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["ale", "rum", "gin"], "the items of the data are not in 'id', the first level, but in 'type': put"),
        (["x"], "none of the 1 items of the data is in 'id'.* such as 'x', the table such as '1': name the column"),
        (["07"], "such as '07', the table such as '007': spell both alike"),
        ([], "The data have no items: leave them out"),
        ("1", "Cannot count items in a str"),
    ],
)
def test_data_of_another_column_are_refused(items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parents(*USED, items=items)


def test_few_known_items_are_enough() -> None:
    assert parents(*USED, items=["1", *"abcdefghijklmn"])["1"] == "ale"


# ---- what is refused


@pytest.mark.parametrize(
    ("levels", "options", "message"),
    [
        (["id"], {}, "levels must name at least two columns, got 1"),
        ("id,type", {}, "levels= must be a list of column names, got 'id,type'"),
        ([0, 1], {}, r"levels= must be a list of column names, got \[0, 1\]"),
        (LEVELS, {"root": " "}, "root= must be a label, got an empty text"),
        (["id", "type", "id"], {}, "levels names the column 'id' twice"),
        (
            LEVELS,
            {"several_parents": "some"},
            "several_parents= must be one of most-frequent, split, error, got 'some'",
        ),
        (LEVELS, {"unknown_items": "drop"}, "unknown_items= must be one of group, root, list, got 'drop'"),
        (LEVELS, {"only_used": True}, "only_used=True needs the items of the data"),
    ],
)
def test_options_that_make_no_sense(levels: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        from_table(table("1 ale bar"), levels, **options)


def test_a_table_without_items_is_refused() -> None:
    for rows in ((), ("- ale bar",)):
        with pytest.raises(DataError, match="shop has no label in 'id': a hierarchy needs at least one item"):
            from_table(table(*rows), LEVELS, name="shop")
