"""Hierarchies from dirty tables against a slow oracle that says what each option means.

Covers: hierarchies/table_tree.py.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import label_key
from shoal.data.transactions import Transactions
from tests.budget import examples

Cell = str | None
Key = tuple[int, str]  # a group: its level and its label
GROUPS = st.sampled_from(
    [None, "", " ", "A", " A ", "B", "b", "10", "9", "1", "*", "(no top)", "A (mid)", "A (B)", "A (top)"]
)
LEAVES = st.sampled_from(["1", "2", " 2", "3", "02", "A", "B", "A (top)", "(no top)", None, " "])
NAMES = {2: ["leaf", "top"], 3: ["leaf", "mid", "top"], 4: ["leaf", "low", "mid", "top"]}


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[Cell, ...]]:
    """Rows, the first with an item for certain."""
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(LEAVES, *[GROUPS] * width), max_size=12))
    return [("1", *draw(st.tuples(*[GROUPS] * width))), *rows]


USES = st.none() | st.dictionaries(st.sampled_from(["2", "3", "A", "x", "y", "7"]), st.integers(1, 3)).map(
    lambda uses: {"1": 2, **uses}
)


def columns(rows: Sequence[tuple[Cell, ...]]) -> dict[str, list[Cell]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(NAMES[len(rows[0])])}


def cleaned(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[str, ...]]:
    """Rows with an item; what is blank is empty."""
    texts = [tuple((cell or "").strip() for cell in row) for row in rows]
    return [(*row[:-1], row[-1] if row[-1] != "(no top)" else "") for row in texts if row[0]]


def best(votes: Mapping[Any, tuple[int, int]], order: Any) -> Any:
    """The key with the most uses, then with the most rows, then the first one."""
    return min(votes, key=lambda key: (-votes[key][0], -votes[key][1], order(key)))


def most_frequent(rows: list[tuple[str, ...]], uses: Mapping[str, int] | None) -> dict[str, tuple[Key, ...]]:
    """The groups above each item, if each label has one parent."""
    width = len(rows[0])

    def parent(level: int, label: str) -> Key | None:
        for above in range(level + 1, width):
            named = [row for row in rows if row[level] == label and row[above]]
            if named:
                weight = Counter[str]()
                for row in named:
                    weight[row[above]] += 1 if uses is None else uses.get(row[0], 0)
                count = Counter(row[above] for row in named)
                return above, best({one: (weight[one], count[one]) for one in count}, label_key)
        return (width, "(no top)") if level < width - 1 else None

    paths = {}
    for leaf in {row[0] for row in rows}:
        path, node = [], parent(0, leaf)
        while node is not None:
            path.append(node)
            node = parent(*node)
        paths[leaf] = tuple(path)
    return paths


def split(rows: list[tuple[str, ...]], uses: Mapping[str, int] | None) -> dict[str, tuple[Key, ...]]:
    """The groups above each item, if each row keeps its own."""
    width = len(rows[0])
    paths = {}
    for leaf in {row[0] for row in rows}:
        votes = Counter[tuple[Key, ...]]()
        for row in rows:
            if row[0] == leaf:
                groups = [(level, label) for level, label in enumerate(row) if level and label]
                votes[(*groups, *([] if row[-1] else [(width, "(no top)")]))] += 1
        nearest = min(path[0][0] for path in votes)
        near = {path: (0, count) for path, count in votes.items() if path[0][0] == nearest}
        paths[leaf] = best(near, lambda path: [(-level, label_key(label)) for level, label in path])
    return paths


def assert_like(
    tree: Hierarchy, paths: Mapping[str, tuple[Key, ...]], level_names: Sequence[str], splits: bool
) -> None:
    """The items lie below the same groups, and groups are called as they should be."""
    names: dict[tuple[Key, ...], str] = {}
    for leaf, path in paths.items():
        above = [tree.labels[node] for node in tree.ancestors(tree.code_of[leaf])][1:-1]
        assert len(above) == len(path), (leaf, above, path)
        for at, name in enumerate(above):
            node = path[at:] if splits else path[at : at + 1]
            assert names.setdefault(node, name) == name
    assert len(set(names.values())) == len(names)
    labels = Counter([label for ((_, label), *_) in names] + [*tree.items, tree.labels[-1]])
    on_level = Counter(node[0] for node in names)
    for node, name in names.items():
        level, label = node[0]
        if labels[label] == 1:
            assert name == label
        else:
            mark = names[node[1:]] if on_level[level, label] > 1 else level_names[min(level, len(level_names) - 1)]
            assert name.startswith(f"{label} ({mark}")


@given(tables(), USES, st.booleans(), st.booleans(), st.booleans())
@examples(300)
def test_the_tree_is_what_the_options_mean(
    rows: list[tuple[Cell, ...]], uses: dict[str, int] | None, splits: bool, only_used: bool, unknown_below_root: bool
) -> None:
    only_used, unknown_below_root = only_used and uses is not None, unknown_below_root and uses is not None
    summary = hierarchies.from_table_with_summary(
        columns(rows),
        NAMES[len(rows[0])],
        several_parents="split" if splits else "most-frequent",
        items=uses,
        only_used=only_used,
        unknown_items="root" if unknown_below_root else "list",
    )
    tree = summary.hierarchy
    kept = [row for row in cleaned(rows) if not only_used or (uses and row[0] in uses)]
    paths = (split if splits else most_frequent)(kept, uses)
    unknown = set(uses or ()) - {row[0] for row in cleaned(rows)}
    assert set(tree.items) == paths.keys() | (unknown if unknown_below_root else set())
    assert_like(tree, paths, NAMES[len(rows[0])], splits)
    for item in unknown if unknown_below_root else ():
        assert tree.parent[tree.code_of[item]] == tree.root
    finding = summary.finding("unknown items")
    assert (finding.count if finding else 0) == len(unknown)


@given(tables(), USES, st.sampled_from(["most-frequent", "split"]), st.randoms())
@examples(100)
def test_the_order_of_rows_changes_nothing(
    rows: list[tuple[Cell, ...]], uses: dict[str, int] | None, several: Any, order: random.Random
) -> None:
    before = hierarchies.from_table_with_summary(
        columns(rows), NAMES[len(rows[0])], several_parents=several, items=uses
    )
    order.shuffle(rows)
    after = hierarchies.from_table_with_summary(columns(rows), NAMES[len(rows[0])], several_parents=several, items=uses)
    assert after.hierarchy.parents_by_label() == before.hierarchy.parents_by_label()
    assert (after.levels, after.findings) == (before.levels, before.findings)


@pytest.mark.parametrize(("format", "suffix"), [("arx", ".csv"), ("parents", ".csv"), ("amnesia-json", ".json")])
@given(rows=tables(), uses=USES, several=st.sampled_from(["most-frequent", "split"]))
@examples(60)
def test_every_dirty_table_gives_a_clean_hierarchy(
    tmp_path_factory: pytest.TempPathFactory,
    format: str,
    suffix: str,
    rows: list[tuple[Cell, ...]],
    uses: dict[str, int] | None,
    several: Any,
) -> None:
    tree = hierarchies.from_table(
        columns(rows),
        NAMES[len(rows[0])],
        several_parents=several,
        items=uses,
    )
    file = tmp_path_factory.getbasetemp() / f"from_table_{format}{suffix}"
    hierarchies.save(tree, file, format=format)
    assert hierarchies.problems(file) == []
    assert hierarchies.load(file).parents_by_label() == tree.parents_by_label()
    assert hierarchies.check(tree, Transactions.from_sets([set(uses or tree.items)])).ok
