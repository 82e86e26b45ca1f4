"""Puts numbers into bands for charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Counts


def bands(firsts: Sequence[int], largest: int) -> list[tuple[int, int]]:
    """Return the lowest and the highest value of each band, up to ``largest``.

    >>> bands((1, 2, 6, 21), 9)
    [(1, 1), (2, 5), (6, 9)]
    >>> bands((1, 2, 6, 21), 0)
    []
    """
    lows = [low for low in firsts if low <= largest]
    return list(zip(lows, [*(low - 1 for low in lows[1:]), largest], strict=False))


def sized(sizes: Counts, firsts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the bands that are not empty: smallest size, largest size, and how many there are.

    >>> sized(np.array([3, 9, 4]), (1, 2, 6, 21))
    [(3, 5, 2), (6, 9, 1)]
    """
    largest = int(sizes.max(initial=0))
    smallest = int(sizes.min(initial=largest))
    counted = zip(bands(firsts, largest), banded(sizes, firsts), strict=False)
    return [(max(low, smallest), high, number) for (low, high), number in counted if number]


def banded(values: Counts, firsts: Sequence[int], times: Counts | None = None) -> list[int]:
    """Count the values in each band. ``times``: how often each value counts."""
    bands = np.searchsorted(firsts, values, side="right") - 1
    counts = np.zeros(len(firsts), dtype=np.int64)
    np.add.at(counts, bands, 1 if times is None else times)
    return counts.tolist()
