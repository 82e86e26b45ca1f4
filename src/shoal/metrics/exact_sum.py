"""Exact sums of floating-point numbers, as whole numbers that can be added in any order.

``math.fsum`` is exact too, but it needs all numbers in one place, and takes them one by one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_UNIT = 1126  # all floating-point numbers are multiples of 2 to the power of -1126, with 53 bits more than needed
_BITS, _LOW = 53, 26  # of a number; of its lower part: sums of parts have to stay below 2^53


def exact_sum(values: npt.NDArray[np.float64]) -> int:
    """Return the exact sum of numbers that are not negative, as a multiple of the smallest unit.

    >>> rounded(exact_sum(np.array([1e100, 1.0, 1e-300])) - exact_sum(np.array([1e100])))
    1.0
    """
    total = 0
    for start in range(0, len(values), 1 << 24):
        fractions, exponents = np.frexp(values[start : start + (1 << 24)])
        digits = np.ldexp(fractions, _BITS).astype(np.int64)
        least = int(exponents.min(initial=0))
        for shift, part in ((_LOW, digits >> _LOW), (0, digits & ((1 << _LOW) - 1))):
            sums = np.bincount(exponents - least, part)
            for at in np.flatnonzero(sums).tolist():
                total += int(sums[at]) << (least + at - _BITS + shift + _UNIT)
    return total


def rounded(total: int) -> float:
    """Return the number that is nearest to an exact sum.

    >>> rounded(exact_sum(np.array([0.1] * 10)))
    1.0
    """
    return total / (1 << _UNIT)
