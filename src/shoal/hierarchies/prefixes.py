"""Hierarchies of codes with meaningful prefixes, such as ICD's "250.01": groups are common prefixes.

A code is split before every separator and at given lengths. A code that is also such a prefix becomes an item of that
group: "250" and "250.01" lie below "250*". Groups with a single child are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.errors import HierarchyError


def from_prefixes(
    labels: Iterable[str], *, lengths: Iterable[int] | None = None, separators: str = ".", root: str = "*"
) -> Hierarchy:
    """Group codes by their text before each of the separators, and by their first ``lengths`` characters.

    Parameters
    ----------
    labels : iterable of str
        The codes.
    lengths : iterable of int, optional
        Lengths of prefixes to group by.
    separators : str
        Characters before which a prefix ends.
    root : str
        The label of the root.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        There are no codes, a length is below 1, or a code is called like the root.

    Examples
    --------
    >>> h = from_prefixes(["250", "250.01", "250.02", "401.1", "V10"])
    >>> h.parents_by_label()
    {'401.1': '*', '250': '250*', '250.01': '250*', '250.02': '250*', 'V10': '*', '250*': '*', '*': None}
    """
    items = canonical_order(set(labels))
    cuts = sorted(set(lengths or ()))
    if not items:
        raise HierarchyError("from_prefixes: a hierarchy needs at least one item, got none.")
    if cuts and cuts[0] < 1:
        raise HierarchyError(f"from_prefixes: lengths must be at least 1, got {cuts[0]}.")
    if root in items:
        raise HierarchyError(
            f"from_prefixes: '{root}' is an item, so it cannot be the root: pass another label for the root."
        )
    children: dict[str, dict[tuple[str, bool], None]] = {"": {}}  # prefix -> (prefix or item, is it an item)
    prefixes = {prefix for item in items for prefix in _prefixes(item, cuts, separators)}
    for item in items:
        path = ["", *_prefixes(item, cuts, separators), *([item] if item in prefixes else [])]
        for upper, lower in pairwise(path):
            children.setdefault(upper, {})[lower, False] = None
        children.setdefault(path[-1], {})[item, True] = None

    parent_of: dict[str, str | None] = {root: None}
    taken = {root, *items}
    stack = [("", root)]
    while stack:
        prefix, group = stack.pop()
        below = _without_chains(list(children[prefix]), children, at_root=not prefix)
        for label, is_item in below:
            if not is_item:
                stack.append((label, name := _free(label, taken)))
                taken.add(name)
            parent_of[label if is_item else name] = group
    return Hierarchy.from_parents(parent_of, "by prefixes")


def _prefixes(item: str, cuts: list[int], separators: str) -> list[str]:
    """Return the proper prefixes to group an item by, shortest first."""
    ends = {i for i, character in enumerate(item) if i and character in separators}
    return [item[:end] for end in sorted(ends.union(cut for cut in cuts if cut < len(item)))]


def _without_chains(
    below: list[tuple[str, bool]], children: dict[str, dict[tuple[str, bool], None]], at_root: bool
) -> list[tuple[str, bool]]:
    """Replace every group with a single child by that child. At the root, replace a single group by its children."""
    short = []
    for label, is_item in below:
        while not is_item and len(children[label]) == 1:
            label, is_item = next(iter(children[label]))
        short.append((label, is_item))
    if at_root and len(short) == 1 and not short[0][1]:
        return _without_chains(list(children[short[0][0]]), children, at_root)
    return short


def _free(prefix: str, taken: set[str]) -> str:
    """Return a label for a prefix that nothing else has."""
    name = prefix + "*"
    while name in taken:
        name += "*"
    return name
