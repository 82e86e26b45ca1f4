"""A hierarchy drawn as text."""

from __future__ import annotations

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from shoal.visible import visible


def show(hierarchy: Hierarchy, *, depth: int | None = None, width: int | None = 10) -> str:
    """Draw a hierarchy as text.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to draw.
    depth : int, optional
        The number of levels below the root to draw. The default draws all.
    width : int, optional
        The most children of a group to draw.

    Returns
    -------
    str

    Raises
    ------
    HierarchyError
        ``width`` is below 1.

    Examples
    --------
    >>> print(show(Hierarchy.from_tree({"*": {"A": ["a1", "a2", "a3", "a4"], "B": ["b"]}}), width=2))
    * (5 items)
    ├── A (4 items)
    │   ├── a1
    │   ├── a2
    │   └── ... 2 more
    └── B (1 item)
        └── b
    """
    if width is not None and width < 1:
        raise HierarchyError(f"show: width must be at least 1, got {width}.")
    lines = []
    stack: list[tuple[int | str, str, str]] = [(hierarchy.root, "", "")]  # node or text, its branch, indent below
    while stack:
        node, branch, indent = stack.pop()
        if isinstance(node, str):
            lines.append(branch + node)
            continue
        children: tuple[int | str, ...] = hierarchy.children[node]
        n = int(hierarchy.leaves[node])
        lines.append(
            f"{branch}{visible(hierarchy.labels[node])}" + (f" ({n} item{'s' * (n != 1)})" if children else "")
        )
        if depth is not None and hierarchy.depth[node] >= depth:
            continue
        if width is not None and len(children) > width:
            children = (*children[:width], f"... {len(children) - width} more")
        for i, child in enumerate(reversed(children)):
            stack.append((child, indent + ("├── " if i else "└── "), indent + ("│   " if i else "    ")))
    return "\n".join(lines)
