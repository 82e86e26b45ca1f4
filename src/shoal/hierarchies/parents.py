"""The format ``parents``: a table of nodes and their parents.

::

    node,parent
    oat milk,drinks
    drinks,*
    *,

The columns may be in either order. The first may be called node, child or item, in any case. Without a header, the
format must be named, and the node comes first. The root has an empty parent, or occurs only as a parent.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.data.hierarchy import Hierarchy
from shoal.hierarchies.delimited import read_rows, write_rows
from shoal.hierarchies.draft import Draft, Edge

DESCRIPTION = "one row per node with its parent: node,parent"
_NODE_NAMES = {"node", "child", "item"}


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row names the columns.

    >>> is_header(["Parent", "Child"]), is_header(["milk", "parent"])
    (True, False)
    """
    names = [cell.strip().lower() for cell in cells]
    return len(names) == 2 and "parent" in names and not _NODE_NAMES.isdisjoint(names)


def read(text: str, name: str, delimiter: str | None) -> Draft:
    """Read rows of a node and its parent."""
    rows = read_rows(text, name, delimiter)
    child_column = 0
    if rows and is_header(rows[0].cells):
        child_column = int(rows[0].cells[0].strip().lower() == "parent")
        rows = rows[1:]
    problems: list[str] = []
    edges: dict[tuple[str, str | None], Edge] = {}
    for row in rows:
        if len(row.cells) != 2:
            problems.append(
                f"{name}, {row.place}: wanted two columns, a node and its parent, got {len(row.cells)}: check the "
                f"delimiter, or pass format='arx' if rows go from the item to the root."
            )
            continue
        child, parent = row.cells[child_column], row.cells[1 - child_column] or None
        if not child:
            problems.append(f"{name}, {row.place}: the node has no label: fill it in.")
        elif (child, parent) in edges:
            first = edges[child, parent]
            problems.append(f"{name}: '{child}' occurs twice ({first.place} and {row.place}): remove one.")
        else:
            edges[child, parent] = Edge(child, parent, row.place)
    return Draft(name, tuple(edges.values()), tuple(problems))


def write(hierarchy: Hierarchy, delimiter: str | None) -> str:
    """Return a header, then every node in canonical order: items, groups, the root last."""
    pairs = [(child, parent or "") for child, parent in hierarchy.parents_by_label().items()]
    return write_rows([("node", "parent"), *pairs], delimiter or ",")
