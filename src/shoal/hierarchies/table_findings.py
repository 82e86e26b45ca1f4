"""The kinds of problems in a table that a hierarchy is made from, and sentences on what was done about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from shoal.data.labels import canonical_order
from shoal.errors import shorten
from shoal.hierarchies.level_columns import LevelColumn, without_fraction
from shoal.hierarchies.table_summary import Finding, count_of
from shoal.hierarchies.table_tree import NOTHING_ABOVE, ROOT, Numbers, Parents, TableTree

EXAMPLES = 3


def in_tree(tree: TableTree, names: Sequence[str]) -> list[Finding | None]:
    """Return the findings about the tree: several parents, blank levels, and labels of two nodes."""
    return [
        _split(tree, names) if tree.split else _most_frequent(tree),
        _items_with_several(tree.several(0, names)),
        _blank_levels(tree, names),
        _nothing_above(tree, names),
        _same_label(tree.qualified(names)),
    ]


def out_of_order(columns: Sequence[LevelColumn]) -> Finding | None:
    """Find levels with more labels than the level below. Levels should get wider from the items up."""
    pairs = [(one, other) for one, other in pairwise(columns) if len(other.labels) > len(one.labels)]
    if not pairs:
        return None
    below, above = pairs[0]
    action = (
        f"'{shorten(above.name)}' has {len(above.labels):,} labels, but '{shorten(below.name)}' below it only "
        f"{len(below.labels):,}: if the levels are in the wrong order, name the items first, then their "
        f"groups up to the widest"
    )
    return Finding("levels out of order", len(pairs), action)


def floats(columns: Sequence[LevelColumn]) -> Finding | None:
    """Find columns of whole numbers that arrived as floats."""
    columns = [column for column in columns if column.was_float]
    if not columns:
        return None
    examples = [f"{shorten(one.name)} {one.was_float} is {quoted(without_fraction(one.was_float))}" for one in columns]
    action = f"Whole numbers of {count_of(len(columns), 'column')} arrived as floats and became integers"
    return Finding("whole numbers as floats", len(columns), action, tuple(examples[:EXAMPLES]))


def rows_without_item(leaf: str, count: int) -> Finding | None:
    """Find rows whose item is blank."""
    if not count:
        return None
    action = f"{count_of(count, 'row', 'has', 'have')} no {shorten(leaf)} and {_were(count)} left out"
    return Finding("rows without an item", count, action)


def unused(labels: Sequence[str], *, left_out: bool) -> Finding | None:
    """Find items of the table that do not occur in the data."""
    if not labels:
        return None
    does_not = count_of(len(labels), "item", "of the table does not", "of the table do not")
    action = f"{does_not} occur in the data and {_were(len(labels))} {'left out' if left_out else 'kept'}"
    return Finding("items not used", len(labels), action, _first(labels))


def unknown(labels: Sequence[str], known: Iterable[str], uses: Mapping[str, int], place: str | None) -> Finding | None:
    """Find items of the data that the table lacks. They go below ``place``, or nowhere."""
    if not labels:
        return None
    is_not = count_of(len(labels), "item", "of the data is not", "of the data are not")
    times = count_of(sum(uses[label] for label in labels), "time")
    if place is not None:
        done = f"and {_were(len(labels))} put below {place}"
    else:
        done = "and will be refused, unless unknown_items='group' puts them below a group of their own"
    often = sorted(labels, key=lambda label: -uses[label])  # stable: ties stay in order
    examples = [f"{quoted(item)}, where the table has {quoted(other)}" for item, other in lookalikes(often, known)]
    action = f"{is_not} in the table (used {times}) {done}"
    return Finding("unknown items", len(labels), action, tuple(examples or map(quoted, often))[:EXAMPLES])


def lookalikes(unknown: Sequence[str], known: Iterable[str]) -> list[tuple[str, str]]:
    """Pair unknown items with a known one that differs only in leading zeros, ``.0``, case or white space.

    >>> lookalikes(["7", "MILK ", "8"], ["007", "milk"])
    [('7', '007'), ('MILK ', 'milk')]
    """
    cores = set(map(_core, unknown))
    alike = canonical_order(label for label in known if _core(label) in cores)
    by_core = {_core(label): label for label in reversed(alike)}
    return [(label, by_core[core]) for label in unknown if (core := _core(label)) in by_core]


def quoted(label: str) -> str:
    """Return a label as messages show it."""
    return f"'{shorten(label)}'"


def counted_parents(parents: Parents, noun: str = "") -> str:
    """Return parents with their votes.

    >>> counted_parents([("bar", 2), ("pub", 1)], "row"), counted_parents([("bar", 2)])
    ("'bar' (2 rows), 'pub' (1 row)", "'bar' (2)")
    """
    return _listed([f"{quoted(one)} ({count_of(count, noun) if noun else f'{count:,}'})" for one, count in parents])


def _most_frequent(tree: TableTree) -> Finding | None:
    """Find groups with several parents, of which one was chosen."""
    several = {column.name: tree.several(level) for level, column in enumerate(tree.columns) if level}
    groups = [group for level in several.values() for group in level]
    if not groups:
        return None
    levels = ", ".join(f"{len(level):,} {shorten(name)}" for name, level in several.items() if level)
    chosen = "the parent that the data use most" if tree.weighted else "the parent that most rows name"
    moved = count_of(tree.moved, "item") + (
        f" and left {count_of(tree.emptied, 'group')} empty" if tree.emptied else ""
    )
    action = (
        f"{count_of(len(groups), 'group', 'has', 'have')} several parents ({levels}) and "
        f"{_were(len(groups))} put below {chosen}, which moved {moved} (several_parents='split' splits them instead)"
    )
    return Finding("several parents", len(groups), action, _with_parents(groups))


def _split(tree: TableTree, names: Sequence[str]) -> Finding | None:
    """Find groups with several parents that were split. Those that became the most groups come first."""
    groups = sorted(tree.split_labels(names), key=lambda group: -len(group[1]))
    if not groups:
        return None
    examples = [f"{quoted(label)} is {_listed(list(map(quoted, parts)))}" for label, parts in groups[:EXAMPLES]]
    action = f"{count_of(len(groups), 'group', 'has', 'have')} several parents and {_were(len(groups))} split"
    return Finding("several parents", len(groups), action, tuple(examples))


def _items_with_several(items: Sequence[tuple[str, Parents]]) -> Finding | None:
    """Find items for which rows name several parents."""
    if not items:
        return None
    have = count_of(len(items), "item", "has", "have")
    action = f"{have} rows with several parents and {_were(len(items))} put below the parent that most rows name"
    return Finding("items under several parents", len(items), action, _with_parents(items))


def _blank_levels(tree: TableTree, names: Sequence[str]) -> Finding | None:
    """Find items of rows in which a level is blank."""
    blank_rows = {column.name: column.codes < 0 for column in tree.columns[1:]}
    items = np.unique(tree.columns[0].codes[np.any(list(blank_rows.values()), axis=0)])
    if not len(items):
        return None
    counts = {name: int(np.count_nonzero(blank)) for name, blank in blank_rows.items()}
    rows = ", ".join(f"{shorten(name)} in {count_of(count, 'row')}" for name, count in counts.items() if count)
    action = f"{count_of(len(items), 'item', 'has', 'have')} blank levels, which were skipped ({rows})"
    return Finding("blank levels", len(items), action, _paths(tree, names, items))


def _nothing_above(tree: TableTree, names: Sequence[str]) -> Finding | None:
    """Find items that are in no group of the widest level."""
    items = np.flatnonzero(tree.without_top[tree.start[0] :])
    if not len(items):
        return None
    without = f"{count_of(len(items), 'item', 'has', 'have')} no {shorten(tree.columns[-1].name)}"
    action = f"{without} and {_were(len(items))} put below {quoted(names[NOTHING_ABOVE])}"
    return Finding("nothing above", len(items), action, _paths(tree, names, items))


def _same_label(names: Sequence[str]) -> Finding | None:
    """Find groups that got another name."""
    if not names:
        return None
    have = count_of(len(names), "group", "has", "have")
    action = f"{have} the label of another node and got {'its' if len(names) == 1 else 'their'} level in brackets"
    return Finding("same label twice", len(names), action, tuple(map(quoted, names[:EXAMPLES])))


def _paths(tree: TableTree, names: Sequence[str], items: Numbers) -> tuple[str, ...]:
    """Return the first of some items, each with the groups above it."""
    labels = tree.columns[0].labels
    node_of = {labels[item]: tree.start[0] + item for item in items.tolist()}
    paths = []
    for label in canonical_order(node_of)[:EXAMPLES]:
        node, path = node_of[label], []
        while node != ROOT:
            path.append(quoted(names[node]))
            node = int(tree.parent[node])
        paths.append(" below ".join(path))
    return tuple(paths)


def _with_parents(nodes: Sequence[tuple[str, Parents]]) -> tuple[str, ...]:
    """Return the nodes whose other parents have the most votes, each with its parents."""
    most = sorted(nodes, key=lambda node: -sum(count for _, count in node[1][1:]))[:EXAMPLES]
    return tuple(f"{quoted(label)} under {counted_parents(parents)}" for label, parents in most)


def _listed(texts: Sequence[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    return ", ".join(texts[:EXAMPLES]) + (f" and {len(texts) - EXAMPLES} more" if len(texts) > EXAMPLES else "")


def _first(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the first of some labels, in canonical order."""
    return tuple(map(quoted, canonical_order(labels)[:EXAMPLES]))


def _core(label: str) -> str:
    """Return a label without what spreadsheets and data frames change."""
    return without_fraction(label.strip()).casefold().lstrip("0") or "0"


def _were(count: int) -> str:
    """Return "was" or "were"."""
    return "was" if count == 1 else "were"
