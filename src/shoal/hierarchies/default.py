"""The hierarchy that is built where a method needs one and none was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from shoal.data.counts import without_count
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.reading_notes import HierarchyBuilt
from shoal.hierarchies.build import in_order
from shoal.hierarchies.counts import with_counts

FANOUT = 5
NAME = f"built from the data, by frequency, fanout {FANOUT}"  # what reports and provenance call it


def build_default(
    data: Dataset, sensitive: Collection[str] = (), *, multiset: bool = False
) -> tuple[Dataset, Hierarchy]:
    """Build the hierarchy that the documentation recommends: items that are about equally common share a group.

    It is the one that ``shoal hierarchy build`` writes to a file.

    Parameters
    ----------
    data
        What :func:`shoal.read` returned.
    sensitive
        Items that are published apart: they stand in no group.
    multiset
        The items have counts, such as ``milk*2``. These stand below their items.

    Returns
    -------
    Dataset, Hierarchy
        The data with a note that says what was built, and the hierarchy.

    Examples
    --------
    >>> import shoal
    >>> data, tree = build_default(shoal.read([["tea", "rum"], ["tea", "ale"], ["tea", "ale"], ["oat"]]))
    >>> tree.name, tree.height, data.origin.notes[-1].groups
    ('built from the data, by frequency, fanout 5', 1, 1)
    """
    rows = data.transactions
    supports: Counter[str] = Counter()
    for label, support in zip(rows.labels, rows.supports.tolist(), strict=True):
        item = without_count(label) if multiset else label
        if label not in sensitive and item not in sensitive:
            supports[item] += support
    if not supports:
        return data, Hierarchy.flat(())
    tree = in_order(data.origin, supports, "frequency", fanout=FANOUT)
    note = HierarchyBuilt(len(supports), len(tree) - tree.n_leaves, FANOUT)
    tree = replace(with_counts(tree, rows.labels) if multiset else tree, name=NAME)
    return replace(data, origin=replace(data.origin, notes=(*data.origin.notes, note))), tree


def was_built(data: Dataset) -> bool:
    """Whether the hierarchy of these data is such a one: no file holds it."""
    return any(isinstance(note, HierarchyBuilt) for note in data.origin.notes)
