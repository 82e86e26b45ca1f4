"""The order of labels in the count-tree (Terrovitis et al. 2008, s.4.1), for the readable twins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def label_order(
    expanded: Iterable[tuple[set[int], set[int]]],
    span: Sequence[int],
    by_leaves: bool,
    supports: Sequence[int] | None = None,
) -> list[int]:
    """Sort the labels of expanded rows by falling support (ties: lower id). Each row is given with its persons.

    ``by_leaves``: sort by the number of leaves below them instead, most first. That needs no scan of the rows.
    ``supports``: the support of each node, if these are not all rows.

    >>> rows = [({0, 4}, {0}), ({1, 2, 4, 5}, {1}), ({2, 5}, {2})]  # nodes 4 and 5 have two leaves each
    >>> span = [0, 1, 1, 2, 2, 3, 3, 4, 0, 2, 2, 4]
    >>> label_order(rows, span, False), label_order(rows, span, True)
    ([2, 4, 5, 0, 1], [4, 5, 0, 1, 2])
    """
    holders: dict[int, set[int]] = {}
    for labels, people in expanded:
        for label in labels:
            holders.setdefault(label, set()).update(people)
    if by_leaves:
        return sorted(holders, key=lambda node: (span[2 * node] - span[2 * node + 1], node))
    if supports is not None:
        return sorted((node for node in holders if supports[node]), key=lambda node: (-supports[node], node))
    return sorted(holders, key=lambda node: (-len(holders[node]), node))
