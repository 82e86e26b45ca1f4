"""The size of the count-tree that the papers' algorithms build, counted without building it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import NOBODY, Row, flat, grouped_people, people_of, rows_of
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.label_order import label_order

MOST = 2e11  # limit on the sets of labels in all rows: counting more could take many minutes


@dataclass(frozen=True)
class TreeSize:
    """The number of nodes of a count-tree."""

    up_to_size: int  # distinct sets of 1..size labels: the tree of Alg. 1 (Terrovitis et al. 2008)
    of_size: int  # prefixes of the sets of exactly this size: the tree of an iteration of Alg. 4, as printed


def built_tree(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    raised: Sequence[int],
    size: int,
    *,
    persons: Codes = NOBODY,
    by_leaves: bool = False,
    most: float = MOST,
    tick: Tick = no_progress,
) -> TreeSize | None:
    """Count the nodes of the count-tree of rows that are expanded by all generalizations and reduced by a cut.

    Return None if the distinct rows hold more than ``most`` sets of ``size`` labels in total.
    """
    nodes = np.array(sorted(raised), dtype=np.int32)
    kernel = compiled_or(built_tree_twin)
    found = kernel(indptr, items, persons, parent, flat(span), cost, leaves, nodes, size, by_leaves, most, tick)
    return None if found[0] < 0 else TreeSize(*found)


def built_tree_twin(
    indptr: Offsets,
    items: Codes,
    persons: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    raised: Codes,
    size: int,
    by_leaves: bool,
    most: float,
    tick: Tick,
) -> tuple[int, int]:
    """Walk over the sets, each with the rows that hold it."""
    above, spans = parent.tolist(), span.tolist()
    root = len(above) - 1

    def related(one: int, other: int) -> bool:
        low, high = min(one, other), max(one, other)
        return bool(spans[2 * high] <= spans[2 * low] and spans[2 * low + 1] <= spans[2 * high + 1])

    def upwards(node: int) -> Iterator[int]:
        while node != root:
            yield node
            node = above[node]

    people = grouped_people(rows_of(indptr, items), people_of(indptr, persons))
    expanded = [({node for leaf in row for node in upwards(leaf)}, whose) for row, whose in people.items()]
    rank = {node: at for at, node in enumerate(label_order(expanded, spans, by_leaves))}
    below = {node for node in rank for top in raised.tolist() if node < top and related(node, top)}
    rows = {tuple(sorted(labels - below, key=rank.__getitem__)) for labels, _ in expanded} - {()}
    if sum(math.comb(len(row), size) for row in rows) > most:
        return -1, -1

    def count(rows: set[Row], left: int) -> tuple[int, int]:
        tick(0.0)
        up_to = of = 0
        for first in {label for row in rows for label in row}:
            up_to += 1
            if left == 1:
                of += 1
                continue
            after = {
                tuple(label for label in row[row.index(first) + 1 :] if not related(label, first))
                for row in rows
                if first in row
            }
            more, reached = count(after - {()}, left - 1)
            up_to += more
            of += reached + (reached > 0)
        return up_to, of

    return count(rows, size)
