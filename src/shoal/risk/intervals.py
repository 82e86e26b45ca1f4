"""Intervals of estimates that hold for every sample size and for rare events: exact binomial, and empirical Bernstein.

Each interval holds the true number with a probability of at least 95 %. No normal approximation is used.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

ERROR = 0.05  # the probability that the true number is outside
_STEPS = 40  # of the bisection: the ends are exact to 12 digits
_DIGITS = 6  # significant digits that the ends are rounded to, outwards


def share_bounds(low: int, high: int, draws: int) -> tuple[float, float]:
    """Return the interval of a share (Clopper and Pearson 1934).

    ``low`` and ``high``: at least and at most how many of the draws have the property.

    >>> share_bounds(0, 0, 100), share_bounds(50, 50, 100)
    ((0.0, 0.0362167), (0.398321, 0.601679))
    """
    return outwards(1 - _highest(draws - low, draws), _highest(high, draws))


def mean_bounds(low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], most: float) -> tuple[float, float]:
    """Return the interval of a mean of numbers between 0 and ``most`` (Maurer and Pontil 2009, theorem 4).

    ``low`` and ``high``: the least and the largest that each drawn number can be.

    >>> drawn = np.full(10_000, 0.5)
    >>> mean_bounds(drawn, drawn, 1.0)
    (0.498977, 0.501023)
    """
    return outwards(
        max(0.0, math.fsum(low.tolist()) / len(low) - _margin(low, most)),
        min(most, math.fsum(high.tolist()) / len(high) + _margin(high, most)),
    )


def outwards(low: float, high: float) -> tuple[float, float]:
    """Round the ends of an interval, so that it grows. Then every processor writes the same.

    >>> outwards(0.0012345678, 0.98765432)
    (0.00123456, 0.987655)
    """
    return _rounded(max(0.0, low), math.floor), _rounded(high, math.ceil)


@functools.lru_cache(maxsize=64)
def quantile_ranks(share: float, draws: int) -> tuple[int, int]:
    """Return two ranks among sorted draws: the true quantile is between the draws with these ranks (1 is the lowest).

    The lower rank may be 0, and the higher ``draws`` + 1. Then the draws give no bound.

    >>> quantile_ranks(0.5, 100), quantile_ranks(0.01, 100)
    ((40, 61), (0, 4))
    """
    below = np.cumsum(_probabilities(draws, share))  # [c]: of at most c draws up to the quantile
    low = int(np.searchsorted(below, ERROR / 2))
    high = int(np.searchsorted(below, 1 - ERROR / 2, side="left")) + 1
    return low, min(high, draws + 1)


def _rounded(number: float, to_whole: Callable[[float], int]) -> float:
    """Round a number to some digits."""
    if number <= 0:
        return 0.0
    decimals = _DIGITS - 1 - math.floor(math.log10(number))
    scale = math.pow(10, decimals)
    return to_whole(number * scale) / scale


def _margin(drawn: npt.NDArray[np.float64], most: float) -> float:
    """Return how far the mean of drawn numbers may be from the true mean, on one side."""
    if len(drawn) < 2:
        return most
    log = math.log(4 / ERROR)  # ln(2/error) of the theorem, with half of the error for each side
    spread = float(drawn.var(ddof=1))
    return math.sqrt(2 * spread * log / len(drawn)) + 7 * most * log / (3 * (len(drawn) - 1))


@functools.lru_cache(maxsize=4096)
def _highest(successes: int, draws: int) -> float:
    """Return the largest share under which this few successes have a probability of half the error."""
    if successes >= draws:
        return 1.0
    low, high = successes / draws, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if float(_probabilities(draws, middle)[: successes + 1].sum()) > ERROR / 2:
            low = middle
        else:
            high = middle
    return high


def _probabilities(draws: int, share: float) -> npt.NDArray[np.float64]:
    """Return the probabilities of 0, 1, .. successes."""
    wins = np.arange(draws + 1)
    logs = _log_choices(draws) + wins * math.log(share) + (draws - wins) * math.log1p(-share)
    return np.asarray(np.exp(logs), dtype=np.float64)


@functools.lru_cache(maxsize=8)
def _log_choices(draws: int) -> npt.NDArray[np.float64]:
    """Return the logarithm of the number of ways to choose 0, 1, .. of the draws."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, draws + 1)))])
    return np.asarray(factorials[-1] - factorials - factorials[::-1], dtype=np.float64)
