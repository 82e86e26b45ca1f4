"""Hierarchies that are built, checked and drawn.

Covers: hierarchies/check.py, hierarchies/show.py, hierarchies/prefixes.py, hierarchies/counts.py,
hierarchies/groups.py.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions
from shoal.errors import HierarchyError
from tests.conftest import DATA

LABELS = st.lists(st.text("ab .0159:#-*", min_size=1, max_size=4), unique=True, min_size=1, max_size=60)


def groups(h: Hierarchy) -> int:
    return len(h) - h.n_leaves


def fanouts(h: Hierarchy) -> list[int]:
    return [len(children) for children in h.children[h.n_leaves :]]


# ---- balanced


@pytest.mark.parametrize(("n", "wanted"), [(497, 125), (3_340, 838), (1_657, 417)])
def test_balanced_has_as_many_groups_as_the_spec_says(n: int, wanted: int) -> None:
    h = hierarchies.balanced(map(str, range(10_000, 10_000 + n)))
    assert groups(h) == wanted
    assert min(fanouts(h)) > 1
    assert max(fanouts(h)) == 5


@pytest.mark.parametrize(("folder", "wanted"), [("bms-webview-1", 125), ("bms-webview-2", 838)])
def test_balanced_over_real_ids(folder: str, wanted: int) -> None:
    path = DATA / folder / "transactions.dat"
    if not path.exists():
        pytest.skip(f"{path} is not there: set SHOAL_DATA")
    supports = Counter(path.read_text().split())
    h = hierarchies.balanced(supports)
    assert groups(h) == wanted
    assert list(h.labels[: h.n_leaves]) == sorted(supports, key=int)  # leaves are in ascending order of ids
    lowest = [h.span[node].tolist() for node in range(h.n_leaves, len(h)) if h.height - h.depth[node] == 1]
    assert [b - a for a, b in lowest[:-2]] == [5] * (len(lowest) - 2)
    by_frequency = hierarchies.balanced(supports, order="frequency", supports=supports)
    assert groups(by_frequency) == wanted
    most = by_frequency.code_of[supports.most_common(1)[0][0]]
    first = by_frequency.children[by_frequency.parent[most]]
    assert sum(supports[by_frequency.labels[node]] for node in first) == sum(n for _, n in supports.most_common(5))


@given(labels=LABELS, fanout=st.integers(2, 6))
def test_balanced_keeps_the_order_it_was_built_in(labels: list[str], fanout: int) -> None:
    h = hierarchies.balanced(labels, fanout=fanout, root="(all)")
    assert list(h.labels[: h.n_leaves]) == canonical_order(labels)
    assert h.labels[-1] == "(all)"
    assert set(h.depth[: h.n_leaves].tolist()) == {h.height}
    sizes = fanouts(h)
    assert max(sizes) <= max(fanout, 3)  # with fanout 2, a remainder of one joins the last class
    assert min(sizes) > 1 or len(labels) == 1


@given(labels=LABELS, fanout=st.integers(2, 6), data=st.data())
def test_balanced_by_frequency_groups_neighbours(labels: list[str], fanout: int, data: st.DataObject) -> None:
    supports = {label: data.draw(st.integers(0, 5)) for label in labels}
    h = hierarchies.balanced(labels, fanout=fanout, order="frequency", supports=supports, root="(all)")
    ranked = sorted(canonical_order(labels), key=lambda label: -supports[label])
    position = {label: i for i, label in enumerate(ranked)}
    for start, stop in h.span.tolist():  # every class is a range of ranks
        ranks = sorted(position[h.labels[leaf]] for leaf in range(start, stop))
        assert ranks == list(range(ranks[0], ranks[0] + stop - start))


def test_balanced_labels() -> None:
    assert hierarchies.balanced(["9", "10", "11", "12"], fanout=2).labels[4:] == ("1:9..10", "2:11..12", "*")
    clash = hierarchies.balanced(["a", "a..b", "b", "c", "d"], fanout=3)
    assert clash.labels[5:] == ("1:a..b", "2:c..d", "*")
    twice = hierarchies.balanced(["1:9..10", "9", "10", "11", "12", "13"], fanout=2)
    assert twice.labels[6:] == ("#1:9..10", "#2:11..12", "#3:13..1:9..10", "*")
    assert hierarchies.balanced(["a"]).parents_by_label() == {"a": "*", "*": None}


def test_balanced_says_what_is_wrong() -> None:
    with pytest.raises(HierarchyError, match="at least one item, got none"):
        hierarchies.balanced([])
    with pytest.raises(HierarchyError, match="fanout must be at least 2, got 1"):
        hierarchies.balanced(["a"], fanout=1)
    with pytest.raises(HierarchyError, match=r"'\*' is an item, so it cannot be the root: pass another label"):
        hierarchies.balanced(["a", "*"])
    with pytest.raises(HierarchyError, match="order='frequency' needs supports="):
        hierarchies.balanced(["a"], order="frequency")
    with pytest.raises(HierarchyError, match="order must be 'label', 'frequency' or 'random', got 'size'"):
        hierarchies.balanced(["a"], order="size")  # type: ignore[arg-type]


# ---- prefixes


def test_codes_are_grouped_before_separators_and_by_length() -> None:
    codes = ["250", "250.01", "250.02", "251.1", "251.2", "401.1", "V10"]
    h = hierarchies.from_prefixes(codes, lengths=[2])
    assert h.parents_by_label() == {
        **dict.fromkeys(["250", "250.01", "250.02"], "250*"),
        **dict.fromkeys(["251.1", "251.2"], "251*"),
        **dict.fromkeys(["250*", "251*"], "25*"),
        **dict.fromkeys(["25*", "401.1", "V10"], "*"),
        "*": None,
    }
    deep = hierarchies.from_prefixes(["a.b-c", "a.b-d", "a.e", "x"], separators=".-")
    assert deep.parents_by_label() == {
        **{"a.b-c": "a.b*", "a.b-d": "a.b*", "a.b*": "a*", "a.e": "a*"},
        **{"a*": "*", "x": "*", "*": None},
    }
    assert hierarchies.from_prefixes(["1.1", "1.2"]).height == 1  # one group for all says no more than the root


@given(labels=LABELS, lengths=st.lists(st.integers(1, 3)))
def test_prefixes_make_groups_worth_having(labels: list[str], lengths: list[int]) -> None:
    h = hierarchies.from_prefixes(labels, lengths=lengths, separators=".:", root="(all)")
    assert set(h.labels[: h.n_leaves]) == set(labels)
    assert min(fanouts(h)) > 1 or len(labels) == 1
    for node in range(h.n_leaves, h.root):
        start, stop = h.span[node].tolist()
        prefix = h.labels[node].rstrip("*")
        assert all(label.startswith(prefix) for label in h.labels[start:stop])


def test_prefixes_say_what_is_wrong() -> None:
    with pytest.raises(HierarchyError, match="at least one item, got none"):
        hierarchies.from_prefixes([])
    with pytest.raises(HierarchyError, match="lengths must be at least 1, got 0"):
        hierarchies.from_prefixes(["a"], lengths=[3, 0])
    with pytest.raises(HierarchyError, match="'a' is an item, so it cannot be the root"):
        hierarchies.from_prefixes(["a"], root="a")
    assert "a**" in hierarchies.from_prefixes(["a.1", "a.2", "a*", "b"]).code_of  # the item keeps its label


# ---- counts


def test_counted_items_go_below_their_item() -> None:
    h = Hierarchy.from_tree({"*": {"dairy": ["milk", "a*b"], "old": ["beer*2"]}})
    counted = hierarchies.with_counts(h, ["milk*1", "milk*12", "beer*2", "a*b*3", "wine*1", "milk*x", "dairy*2", "old"])
    assert counted.parents_by_label() == h.parents_by_label() | {"milk*1": "milk", "milk*12": "milk", "a*b*3": "a*b"}
    assert hierarchies.with_counts(h, ["milk", "beer*2"]) is h


# ---- check and show

SHOP = Hierarchy.from_tree(
    {"*": {"drinks": {"beers": ["ale"], "juices": ["apple", "orange"]}, "bread": []}}, "shop.csv"
)


def test_check_measures_the_shape() -> None:
    report = hierarchies.check(SHOP)
    assert report.ok
    assert (report.items, report.groups, report.height, report.min_depth, report.max_depth) == (4, 4, 3, 1, 3)
    assert (report.min_fanout, report.mean_fanout, report.max_fanout, report.single_children) == (1, 1.75, 2, 1)
    assert dict(report.rows()) == {
        "items": "4",
        "groups": "4",
        "height": "3",
        "depth of items": "1 to 3",
        "children of a group": "1 to 2, mean 1.75",
        "groups with a single child": "1",
    }
    lone = hierarchies.check(Hierarchy.from_tree({"a": []}))
    assert (lone.items, lone.groups, lone.height, lone.max_fanout) == (1, 0, 0, 0)


def test_check_compares_with_data() -> None:
    data = Transactions.from_sets(
        [["ale", "aple", "beers"], ["ale", "aple"], []], labels=["ale", "aple", "beers", "wine"]
    )
    report = hierarchies.check(SHOP, data)
    assert not report.ok
    assert (report.data_items, report.covered, report.total_missing_items) == (3, 1, 3)
    assert report.missing == (hierarchies.Missing("aple", 2, " (did you mean 'apple'?)"),)
    assert report.items_that_are_groups == ("beers",)
    assert report.unused == ("bread", "apple", "orange")
    assert report.rows()[6:] == [
        ("items in the data", "3"),
        ("covered", "1"),
        ("missing", "1: 'aple' (did you mean 'apple'?)"),
        ("items that are groups", "1: 'beers'"),
        ("missing items in all records", "3"),
        ("items not in the data", "3"),
    ]
    many = hierarchies.check(SHOP, Transactions.from_sets([[f"z{i:02}" for i in range(30)]]))
    assert dict(many.rows())["missing"].startswith("30: 'z00', 'z01'")
    assert dict(many.rows())["missing"].endswith(", and 20 more")
    assert hierarchies.check(SHOP, Transactions.from_sets([["ale", "bread"]])).ok


def test_show_draws_a_tree() -> None:
    assert hierarchies.show(SHOP).splitlines() == [
        "* (4 items)",
        "├── bread",
        "└── drinks (3 items)",
        "    ├── beers (1 item)",
        "    │   └── ale",
        "    └── juices (2 items)",
        "        ├── apple",
        "        └── orange",
    ]
    assert hierarchies.show(SHOP, depth=1).splitlines() == ["* (4 items)", "├── bread", "└── drinks (3 items)"]
    assert hierarchies.show(SHOP, depth=0) == "* (4 items)"
    wide = Hierarchy.from_tree({"*": [f"i{i:02}" for i in range(15)]})
    assert hierarchies.show(wide, width=3).splitlines()[-2:] == ["├── i02", "└── ... 12 more"]
    assert len(hierarchies.show(wide, width=None).splitlines()) == 16
    with pytest.raises(HierarchyError, match="width must be at least 1, got 0"):
        hierarchies.show(SHOP, width=0)


def test_deep_chains_do_not_overflow(tmp_path: Path) -> None:
    nodes = [f"n{i}" for i in range(3_000)]
    h = Hierarchy.from_parents(dict(zip(nodes, [None, *nodes], strict=False)))
    assert hierarchies.show(h).count("\n") == 2_999
    for file in ("h.csv", "h.txt", "h.json"):
        hierarchies.save(h, tmp_path / file)
        assert hierarchies.load(tmp_path / file).labels == h.labels
