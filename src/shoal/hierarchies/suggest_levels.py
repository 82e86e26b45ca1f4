"""Guesses which columns of a table are the items and their groups, such as product_id, product_type, department."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.hierarchies.level_columns import LevelColumn, level_columns

_SURE = 0.8  # how much better a column must tell another than its most common label does
_MOST = 0.5  # a group column has at most this share of the number of items as labels


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    name : str
        Its name.
    labels : int
        The number of different labels.
    covered : int
        How many items of the data are among them.

    Examples
    --------
    >>> TableColumn("product_id", 92331, 68509).covered
    68509
    """

    name: str
    labels: int
    covered: int = 0


def suggest_levels(table: Any, items: Collection[str]) -> tuple[list[TableColumn], list[str]]:
    """Return the columns of a table, and those that probably form a hierarchy: the items first, the widest last.

    Parameters
    ----------
    table
        A pyarrow.Table, or a dict of lists.
    items : collection of str
        The items of the data.

    Returns
    -------
    list of TableColumn, list of str
        All columns, and the levels. No levels: no column has the items, or none groups them.

    Examples
    --------
    >>> products = {"id": list(range(8)), "type": list("aabbccdd"), "size": list("xyxyxyxy"), "aisle": list("ppppqqqq")}
    >>> suggest_levels(products, ["1", "2", "3", "9"])[1]
    ['id', 'type', 'aisle']
    """
    wanted = frozenset(items)
    names = list(table.column_names if hasattr(table, "column_names") else table)
    names = [name for name in names if names.count(name) == 1]
    columns = [column.without_fractions() for column in level_columns(table, names, "The table", wanted)]
    found = [TableColumn(one.name, len(one.labels), len(wanted.intersection(one.labels))) for one in columns]
    leaf = max(range(len(found)), key=lambda at: (found[at].covered, -at), default=None)
    if leaf is None or not found[leaf].covered:
        return found, []
    rows = columns[leaf].codes >= 0
    groups = [
        column.at(rows)
        for at, column in enumerate(columns)
        if at != leaf and 2 <= len(column.labels) <= _MOST * len(columns[leaf].labels)
    ]
    groups.sort(key=lambda column: -len(column.labels))  # stable: ties stay in the order of the table
    chain = _longest(groups)
    return found, [columns[leaf].name, *(groups[at].name for at in chain)] if chain else []


def _longest(groups: list[LevelColumn]) -> list[int]:
    """Return the longest chain of columns in which each tells the next. Columns are given from fine to coarse."""
    best: list[list[int]] = [[at] for at in range(len(groups))]
    for at in reversed(range(len(groups))):
        for above in range(at + 1, len(groups)):
            wider = len(groups[above].labels) < len(groups[at].labels) and len(best[above]) + 1 > len(best[at])
            if wider and _tells(groups[at].codes, groups[above].codes) >= _SURE:
                best[at] = [at, *best[above]]
    return max(best, key=len, default=[])


def _tells(below: npt.NDArray[np.int64], above: npt.NDArray[np.int64]) -> float:
    """Return how well the labels of one column tell those of another, from 0 (not at all) to 1 (always)."""
    both = (below >= 0) & (above >= 0)
    if not both.any():
        return 0.0
    low, high = below[both], above[both]
    pairs, counts = np.unique(low * (int(high.max()) + 1) + high, return_counts=True)
    right = np.zeros(int(low.max()) + 1, dtype=np.int64)
    np.maximum.at(right, pairs // (int(high.max()) + 1), counts)
    share, blind = right.sum() / len(low), np.bincount(high).max() / len(low)
    return float((share - blind) / (1 - blind)) if blind < 1 else 0.0
