"""Combinations of up to three nodes, each present or absent, as one number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]

KEY_BITS = 21  # for each node
MOST_NODES = (1 << (KEY_BITS - 1)) - 1


def key_of(present: Iterable[int], absent: Iterable[int] = ()) -> int:
    """Return the number of a combination.

    >>> labels_of(key_of([7, 2], [5]))
    ((2, 7), (5,))
    """
    key = 0
    for number in sorted([*(2 * node for node in present), *(2 * node + 1 for node in absent)]):
        key = key << KEY_BITS | (number + 1)
    return key


def labels_of(key: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the present and the absent nodes of a combination, each in ascending order."""
    present, absent = list[int](), list[int]()
    while key:
        number = (key & ((1 << KEY_BITS) - 1)) - 1
        (absent if number & 1 else present).append(number // 2)
        key >>= KEY_BITS
    return tuple(reversed(present)), tuple(reversed(absent))


def sizes_of(keys: Keys) -> Keys:
    """Return the number of nodes of each combination.

    >>> sizes_of(np.array([key_of([3]), key_of([0, 5]), key_of([1, 2, 3])])).tolist()
    [1, 2, 3]
    """
    sizes: Keys = np.sum([keys >> KEY_BITS * place > 0 for place in range(3)], axis=0, dtype=np.int64)
    return sizes


def nodes_of(keys: Keys, size: int) -> Keys:
    """Return the nodes of sets of present nodes, with a line for each set, in ascending order.

    >>> nodes_of(np.array([key_of([0, 5])]), 2).tolist()
    [[0, 5]]
    """
    mask = (1 << KEY_BITS) - 1
    columns = [((keys >> KEY_BITS * place & mask) - 1) // 2 for place in reversed(range(size))]
    return np.stack(columns, axis=1) if columns else np.zeros((len(keys), 0), dtype=np.int64)


def parts_of(keys: Keys, size: int) -> list[Keys]:
    """Return the keys of all smaller sets in sets of this size.

    >>> [part.tolist() for part in parts_of(np.array([key_of([0, 5])]), 2)] == [[key_of([0])], [key_of([5])]]
    True
    """
    mask = (1 << KEY_BITS) - 1
    columns = [keys >> KEY_BITS * place & mask for place in reversed(range(size))]
    found = []
    for smaller in range(1, size):
        for some in combinations(columns, smaller):
            part = np.zeros_like(keys)
            for column in some:
                part = part << KEY_BITS | column
            found.append(part)
    return found
