"""Counts the records that hold an item of each group of a hierarchy."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions


def records_of_nodes(tree: Hierarchy, rows: Transactions) -> Counts:
    """Return the number of records with at least one item of each node.

    Items that the tree lacks do not count.

    >>> tree = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["rice"]}})
    >>> counts = records_of_nodes(tree, Transactions.from_sets([{"beer", "milk"}, {"milk", "rice"}, {"tea"}]))
    >>> dict(zip(tree.labels, counts.tolist()))
    {'beer': 1, 'milk': 2, 'rice': 1, 'drinks': 2, 'food': 1, '*': 2}
    """
    counts = np.zeros(len(tree), dtype=np.int64)
    codes = np.array([tree.code_of.get(label, -1) for label in rows.labels], dtype=np.int32)
    codes[codes >= tree.n_leaves] = -1
    for depth in range(tree.height, -1, -1):
        here = tree.depth == depth
        counts[here] = rows.recode(codes, tree.labels).supports[here]
        deep = (codes >= 0) & (tree.depth[codes] == depth)
        codes[deep] = tree.parent[codes[deep]]
    return counts
