"""The levels of a column of numbers or dates as a tree: its values below their ranges."""

from __future__ import annotations

import numpy as np

from shoal.data.attributes import ANYTHING
from shoal.data.hierarchy import Hierarchy
from shoal.data.ordered import OrderedAttribute


def tree_of_ranges(axis: OrderedAttribute, values: list[str]) -> Hierarchy:
    """Return the values of a column below the ranges of its levels. Ranges without a value are left out.

    >>> tens = OrderedAttribute("age", 10, 29, levels=(np.arange(10, 30, 5), np.arange(10, 30, 10)))
    >>> tree_of_ranges(tens, ["17", "21"]).labels
    ('17', '21', '[15:19]', '[10:19]', '[20:24]', '[20:29]', '*')
    """
    parents: dict[str, str | None] = {ANYTHING: None}
    for text in values:
        place = axis.parse(text)[0]
        child = text
        for level in axis.levels:
            at = int(np.searchsorted(level, place, side="right")) - 1
            stop = int(level[at + 1]) - 1 if at + 1 < len(level) else axis.ends
            label = str(axis.text(int(level[at]), stop))
            if label == child:  # a range of one value
                continue
            parents.setdefault(child, label)
            child = label
        parents.setdefault(child, ANYTHING)
    return Hierarchy.from_parents(parents, f"the levels of column '{axis.name}'")
