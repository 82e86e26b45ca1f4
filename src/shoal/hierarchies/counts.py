"""Multisets: items with counts, such as ``milk*2``, below the items of a hierarchy."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.data.counts import without_count
from shoal.data.hierarchy import Hierarchy


def with_counts(hierarchy: Hierarchy, labels: Iterable[str]) -> Hierarchy:
    """Put each counted label (``milk*2``) below its item, which becomes a group, or is the group of such labels.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy of the items without counts.
    labels : iterable of str
        The labels of the data. Labels whose item is not in the hierarchy are left out.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> h = with_counts(Hierarchy.from_tree({"*": ["beer", "milk"]}), ["milk*1", "milk*2", "beer"])
    >>> h.parents_by_label()
    {'beer': '*', 'milk*1': 'milk', 'milk*2': 'milk', 'milk': '*', '*': None}
    """
    items = {*hierarchy.items, *_counted(hierarchy)}
    below: dict[str, str | None] = {}
    for label in labels:
        item = without_count(label)
        if item != label and item in items and label not in hierarchy.code_of:
            below[label] = item
    return Hierarchy.from_parents(hierarchy.parents_by_label() | below, hierarchy.name) if below else hierarchy


def _counted(hierarchy: Hierarchy) -> list[str]:
    """Return the groups that hold nothing but counts of themselves."""
    groups = range(hierarchy.n_leaves, len(hierarchy))
    named = {node: {without_count(hierarchy.labels[child]) for child in hierarchy.children[node]} for node in groups}
    return [hierarchy.labels[node] for node, items in named.items() if items == {hierarchy.labels[node]}]


def without_counts(labels: Iterable[str]) -> list[str]:
    """Return the different items of counted labels. Other labels stay unchanged.

    Parameters
    ----------
    labels : iterable of str
        Labels with or without counts.

    Returns
    -------
    list of str

    Examples
    --------
    >>> without_counts(["milk*1", "milk*2", "beer", "*"])
    ['milk', 'beer', '*']
    """
    return list(dict.fromkeys(map(without_count, labels)))
