"""Numbers in bands, for charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Counts


def bands(firsts: Sequence[int], largest: int) -> list[tuple[int, int]]:
    """The bands that reach up to ``largest``, as lowest and highest value.

    >>> bands((1, 2, 6, 21), 9)
    [(1, 1), (2, 5), (6, 9)]
    >>> bands((1, 2, 6, 21), 0)
    []
    """
    lows = [low for low in firsts if low <= largest]
    return list(zip(lows, [*(low - 1 for low in lows[1:]), largest], strict=False))


def banded(values: Counts, firsts: Sequence[int]) -> list[int]:
    """How many values lie in each band."""
    bands = np.searchsorted(firsts, values, side="right") - 1
    return [int(count) for count in np.bincount(bands, minlength=len(firsts))]
