"""The format ``arx``: one row per item, from the item up to the root, as the tool ARX writes it.

::

    oat milk;plant drinks;drinks;*
    beer;beer;drinks;*

Equal neighbours are one node. If leaves have different depths, rows are padded to equal length by repeating the item.
Labels are unique in a tree, so nothing is lost. But if other items lie below that label, it is a group, and the row
belongs to an item below the group of the same name. Rows may also differ in length (or end in empty cells), as long as
the last label is the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.data.hierarchy import Hierarchy
from shoal.hierarchies.delimited import Row, read_rows, write_rows
from shoal.hierarchies.draft import Draft, Edge
from shoal.hierarchies.parents import is_header

DESCRIPTION = "one row per item, from the item up to the root (ARX): item;group;...;*"


def read(text: str, name: str, delimiter: str | None) -> Draft:
    """Read rows of labels from the item to the root."""
    problems: list[str] = []
    paths = _paths(read_rows(text, name, delimiter), name, problems)
    # Many items have the same groups, so each row of groups is checked once: the first, in the order of the last ones.
    rows_of = dict(reversed([(tuple(path[1:]), row) for row, path in paths]))
    by_line = sorted(rows_of.items(), key=lambda one: -one[1].line)
    group_at = {label: row for labels, row in by_line for label in labels}
    parent_of = {label: labels[at + 1 : at + 2] for labels in reversed(rows_of) for at, label in enumerate(labels)}
    item_at: dict[str, Row] = {}
    edges: dict[tuple[str, str | None], Edge] = {}
    known: set[tuple[str, ...]] = set()  # groups whose edges were added
    for row, path in paths:
        item, labels = path[0], tuple(path[1:])
        if item in item_at:
            problems.append(f"{name}: item '{item}' occurs twice ({item_at[item].place} and {row.place}): remove one.")
            continue
        item_at[item] = row
        if item in group_at and row.cells[1:2] == (item,) and parent_of.get(item, labels[:1]) == labels[:1]:
            path = [item, *path]  # below the group of the same name
        elif item in group_at:
            problems.append(
                f"{name}: '{item}' is both an item ({row.place}) and a group ({group_at[item].place}): "
                f"rename one of the two."
            )
            continue
        elif labels and labels in known:
            edges[item, labels[0]] = Edge(item, labels[0], row.place)
            continue
        known.add(labels)
        for child, parent in pairwise([*path, None] if len(set(path)) == 1 else path):
            assert child is not None
            if (child, parent) not in edges:
                edges[child, parent] = Edge(child, parent, row.place)
    edge_of = {edge.child: edge for edge in edges.values() if edge.parent not in (None, edge.child)}
    for row, path in paths:
        if path[-1] in edge_of and len(path) > 1:
            above = edge_of[path[-1]]
            problems.append(
                f"{name}, {row.place}: the row ends in '{path[-1]}', which lies below '{above.parent}' "
                f"({above.place}): write every row up to the root."
            )
    return Draft(name, tuple(edges.values()), tuple(problems))


def write(hierarchy: Hierarchy, delimiter: str | None) -> str:
    """Return a row of equal length for every item, in canonical order."""
    labels, parent, leaves = hierarchy.labels, hierarchy.parent.tolist(), hierarchy.n_leaves
    above: dict[int, list[str]] = {-1: []}  # the path of each group, shared by all its items
    for node in range(len(labels) - 1, leaves - 1, -1):
        above[node] = [labels[node], *above[parent[node]]]
    width = hierarchy.height + 1
    if is_header([labels[0], *above[parent[0]]]):
        width += 1  # item 'node' below root 'parent' would look like the header of ``parents``
    paths = ((labels[leaf], above[parent[leaf]]) for leaf in range(leaves))
    return write_rows(([item] * (width - len(groups)) + groups for item, groups in paths), delimiter or ";")


def _paths(rows: list[Row], name: str, problems: list[str]) -> list[tuple[Row, list[str]]]:
    """Return the labels of each row without repetitions. Rows that are no path are reported as problems."""
    widest = max((len(_trimmed(cells)) for cells in {row.cells[1:] for row in rows}), default=0) + 1
    clean: dict[tuple[str, ...], list[str]] = {}  # groups of rows -> the same without blanks and repetitions
    paths = []
    for row in rows:
        item, groups = row.cells[0], row.cells[1:]
        if groups not in clean:
            labels = _without_repetitions(_trimmed(groups))
            clean[groups] = [] if "" in labels or len(set(labels)) < len(labels) else labels
        if item and clean[groups] and item not in clean[groups]:
            paths.append((row, [item, *clean[groups]]))
            continue
        cells = _trimmed(row.cells)
        path = _without_repetitions(cells)
        if "" in path or not path:
            problems.append(
                f"{name}, {row.place}, column {cells.index('') + 1 if path else 1}: empty label: fill it in, or repeat "
                f"the label to its left."
            )
        elif len(cells) == 1 < widest:
            problems.append(
                f"{name}, {row.place}: the row has one column ('{path[0]}'), but other rows have {widest}: "
                f"add its groups up to the root, or check the delimiter."
            )
        elif len(set(path)) < len(path):
            again = next(label for i, label in enumerate(path) if label in path[:i])
            start = path.index(again)
            cycle = " -> ".join(f"'{label}'" for label in path[start : path.index(again, start + 1) + 1])
            problems.append(f"{name}, {row.place}: cycle {cycle}: every node must lead up to one root.")
        else:
            paths.append((row, path))
    return paths


def _without_repetitions(cells: Sequence[str]) -> list[str]:
    """Return the cells that differ from the previous one."""
    return [label for i, label in enumerate(cells) if i == 0 or label != cells[i - 1]]


def _trimmed(cells: Sequence[str]) -> list[str]:
    """Return the cells without empty ones at the end, which spreadsheets add."""
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return list(cells[:end])
