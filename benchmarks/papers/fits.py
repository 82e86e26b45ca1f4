"""Growth by a fitted power: the exponent of y over x, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

SURE = 0.95  # of the intervals


def exponent(points: Iterable[tuple[float, float]], sure: float = SURE) -> tuple[float, float, float]:
    """Return the slope of log y over log x by least squares, and both ends of its confidence interval.

    The interval is Student's, for errors that are independent and of one size in logarithms. Two points, or points that
    all have the same x, tell nothing about their errors: the interval is then infinite, or all three are NaN.

    >>> slope, low, high = exponent([(1, 2), (2, 4.1), (4, 7.9), (8, 16.2)])
    >>> round(slope, 2), round(low, 2), round(high, 2)
    (1.0, 0.95, 1.05)
    """
    x, y = np.log(np.array(list(points), dtype=np.float64).reshape(-1, 2)).T
    spread = float(((x - x.mean()) ** 2).sum()) if len(x) else 0.0
    if not spread:
        return math.nan, math.nan, math.nan
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    if len(x) < 3:
        return slope, -math.inf, math.inf
    left = y - y.mean() - slope * (x - x.mean())
    error = math.sqrt(float((left**2).sum()) / (len(x) - 2) / spread)
    reach = student(len(x) - 2, sure) * error
    return slope, slope - reach, slope + reach


def told(fit: tuple[float, float, float]) -> str:
    """Write an exponent with its interval.

    >>> told((1.234, 1.1, 1.36))
    '1.23 (1.10 to 1.36)'
    """
    slope, low, high = fit
    return f"{slope:.2f} ({low:.2f} to {high:.2f})"


def student(freedom: int, sure: float = SURE) -> float:
    """Return the t below which the absolute value of Student's t stays with this probability.

    >>> [round(student(freedom), 3) for freedom in (1, 2, 8, 30)]
    [12.706, 4.303, 2.306, 2.042]
    """
    root = math.sqrt(freedom)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)

    def within(t: float) -> float:
        """The probability, with t = sqrt(freedom) tan(angle), by Simpson's rule over the angle."""
        angles = np.linspace(0.0, math.atan(t / root), 2001)
        heights = np.cos(angles) ** (freedom - 1)
        weights = np.full(2001, 2.0)
        weights[1::2], weights[[0, -1]] = 4.0, 1.0
        return float(2 * scale * (heights * weights).sum() * (angles[1] - angles[0]) / 3)

    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < sure else (low, middle)
    return high
