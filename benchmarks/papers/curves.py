"""Curves of a figure along an axis, and how two methods compare on them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from benchmarks.papers import fits
from benchmarks.papers.reading import Figures, Missing, Rows, TooShort, pick, series, times, value
from benchmarks.papers.verdict import SIMILAR

Fit = tuple[float, float, float]  # an exponent, and both ends of its interval
Pair = tuple[float, float]  # how many times as much, and how much more
LINEAR = 0.8, 1.2  # growth is linear if the interval of its exponent meets this one
WIDE = 1.0  # an interval that is wider says nothing
HARDLY = 0.001  # a difference of losses that is nothing: 0.1 percentage points


def over(rows: Rows, first: str, second: str, what: str) -> float:
    """How many times as much one method has as another."""
    return ratio(*(value(rows, what, algorithm=name) for name in (first, second)))


def along_ratio(rows: Rows, first: str, second: str, across: str, what: str) -> dict[float, float]:
    """How many times as much one method has as another, along an axis."""
    above, below = (series(pick(rows, status="ok"), across, what, algorithm=name) for name in (first, second))
    return {at: ratio(above[at], below[at]) for at in above if at in below}


def curve(rows: Rows, across: str, what: str, **where: object) -> dict[float, float]:
    """Figures along an axis, at two places or more."""
    found = series(rows, across, what, **where)
    if len(found) < 2:
        raise TooShort(f"one place along {across}")
    return found


def ratio(above: float, below: float) -> float:
    """How many times as much; nothing beside nothing is as much.

    >>> ratio(3, 2), ratio(0, 0)
    (1.5, 1.0)
    """
    return above / below if below else 1.0 if not above else float("inf")


def grown(found: Figures) -> float:
    """The value at the end of an axis, times that at its start."""
    return ratio(found[max(found)], found[min(found)])


def steps(found: Figures) -> dict[float, float]:
    """Each value, times the one before.

    >>> steps({1: 2, 2: 6})
    {2: 3.0}
    """
    if len(found) < 2:
        raise TooShort("one place")
    return {at: ratio(now, before) for (_, before), (at, now) in pairwise(found.items())}


def changes(found: Figures) -> dict[float, float]:
    """Each value less the one before."""
    return {at: now - before for (_, before), (at, now) in pairwise(found.items())}


def power(rows: Rows, name: str, across: str, what: str) -> Fit:
    """The exponent of a method's figure over an axis, with its interval; points without a figure are left out."""
    points = [(at, one) for at, one in series(rows, across, what, algorithm=name).items() if one > 0]
    if len(points) < 3:
        raise Missing(f"three points of {name} over {across}")
    return fits.exponent(points)


def powers(rows: Rows, names: Iterable[str], across: str, what: str) -> dict[str, Fit]:
    """The exponents of several methods."""
    return {name.upper(): power(rows, name, across, what) for name in names}


def linear(fit: Fit) -> bool | None:
    """Whether growth may be linear; None if the exponent is too uncertain to tell."""
    if fit[2] - fit[1] > WIDE:
        return None
    return fit[1] <= LINEAR[1] and fit[2] >= LINEAR[0]


def loss_over(rows: Rows, first: str, second: str) -> Pair:
    """How many times as much one method loses as another, and how much more."""
    one, other = (value(rows, "ncp", algorithm=name) for name in (first, second))
    return ratio(one, other), one - other


def losses_over(rows: Rows, first: str, second: str, across: str) -> dict[float, Pair]:
    """How many times as much one method loses as another, and how much more, along an axis."""
    one, other = (series(pick(rows, status="ok"), across, "ncp", algorithm=name) for name in (first, second))
    return {at: (ratio(one[at], other[at]), one[at] - other[at]) for at in one if at in other}


def similar(pair: Pair) -> bool:
    """Whether a loss is at most 1.25 times another one, or at most 0.1 percentage points above it.

    >>> similar((1.2, 0.002)), similar((2, 0.01)), similar((9, 0.0009))
    (True, False, True)
    """
    return pair[0] <= SIMILAR or pair[1] <= HARDLY


def shown(pair: Pair) -> str:
    """How many times as much, for people."""
    return times(pair[0])
