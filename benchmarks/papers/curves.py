"""Curves of a figure along an axis, and how two methods compare on them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from benchmarks.papers import fits
from benchmarks.papers.reading import Figures, Missing, Rows, TooShort, pick, series, value

Fit = tuple[float, float, float]  # an exponent, and both ends of its interval
LINEAR = 0.8, 1.2  # growth is linear if the interval of its exponent meets this one
WIDE = 1.0  # an interval that is wider says nothing


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
    """The exponents that are known well enough to call growth linear or not: their intervals are at most 1 wide."""
    fits_ = {name.upper(): power(rows, name, across, what) for name in names}
    sure = {name: fit for name, fit in fits_.items() if fit[2] - fit[1] <= WIDE}
    if not sure:
        unsure = ", ".join(f"{name} {fits.told(fit)}" for name, fit in fits_.items())
        raise Missing(f"the exponents are too uncertain: {unsure}")
    return sure


def linear(fit: Fit) -> bool:
    """Whether growth may be linear."""
    return fit[1] <= LINEAR[1] and fit[2] >= LINEAR[0]
