"""Levels of ranges for columns of numbers and dates: by width, by quantiles, by given breaks, by the calendar.

A level is an array of the starts of its ranges. The ranges of each level are unions of ranges of the level below it.
All numbers are positions on the axis of the column (:mod:`shoal.data.attributes`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.ordered import MOST_STEPS, Unit, axis_position
from shoal.errors import OptionError

Levels = tuple[int, int, tuple[Counts, ...]]  # start of the first range, end of the last range, the levels

KINDS = {
    "width": "width:5,10 (ranges of 5, then of 10)",
    "quantiles": "quantiles:8 (8 ranges with about the same number of records, then 4, then 2)",
    "breaks": "breaks:18,30,65/30 (ranges that start at 18, 30 and 65, then at 30)",
    "calendar": "calendar:month,year (also day, week, quarter, decade; for dates)",
}
MOST_RANGES = 1_000_000
PERIODS = ("day", "week", "month", "quarter", "year", "decade")


def is_spec(text: str) -> bool:
    """Whether a text describes levels, and is not the name of a file.

    >>> is_spec("width:5"), is_spec("ages.csv")
    (True, False)
    """
    return text.split(":", 1)[0] in KINDS and ":" in text


def levels(spec: str, points: Counts, counts: Counts, decimals: int, unit: Unit, name: str) -> Levels:
    """Return the levels that a text describes, for a column with these values and their counts.

    >>> first, last, starts = levels("width:5,10", np.array([17, 34]), np.array([1, 1]), 0, "number", "age")
    >>> first, last, [level.tolist() for level in starts]
    (10, 39, [[10, 15, 20, 25, 30, 35], [10, 20, 30]])
    >>> levels("breaks:18,65", np.array([17, 34]), np.array([1, 1]), 0, "number", "age")[2][0].tolist()
    [17, 18, 65]
    """
    kind, _, rest = spec.partition(":")
    low, high = _ends(points)
    try:
        ranges = _BUILDERS[kind](rest, points, counts, decimals, unit)
    except ValueError as error:
        raise OptionError(
            f"Column '{name}': '{spec}' does not describe ranges ({error}): write {KINDS[kind]}."
        ) from None
    ends = max(high, *(level[1] for level in ranges))
    begins = min(low, *(int(level[0][0]) for level in ranges))
    starts = [np.unique(np.append(level[0], begins)) for level in ranges]
    for finer, coarser in itertools.pairwise(starts):
        if not np.isin(coarser, finer).all():
            raise OptionError(
                f"Column '{name}': in '{spec}', ranges of one level are split by the next: each level must consist of "
                f"whole ranges of the level before it."
            )
    return begins, ends, tuple(starts)


LevelRanges = list[tuple[Counts, int]]  # for each level, the starts of its ranges and the end of the last


def _widths(text: str, points: Counts, counts: Counts, decimals: int, unit: Unit) -> LevelRanges:
    """Return ranges of equal width that start at multiples of it. All levels start where the widest does."""
    if unit != "number":
        raise ValueError("dates need calendar, quantiles or breaks")
    widths = [_whole(part, decimals) for part in text.split(",")]
    if any(width < 1 for width in widths) or any(b % a or a == b for a, b in itertools.pairwise(widths)):
        raise ValueError("each width must be a multiple of the one before")
    first = _ends(points)[0] // widths[-1] * widths[-1]
    last = (_ends(points)[1] // widths[-1] + 1) * widths[-1]
    if (last - first) // widths[0] > MOST_RANGES:
        raise ValueError("these are more than a million ranges")
    return [(np.arange(first, last, width, dtype=np.int64), last - 1) for width in widths]


def _quantiles(text: str, points: Counts, counts: Counts, decimals: int, unit: Unit) -> LevelRanges:
    """Return ranges with about the same number of records, merged in pairs. Equal values are never split."""
    wanted = int(text) if text.strip().isdecimal() else 0
    if wanted < 2:
        raise ValueError("wanted at least 2 quantiles")
    if wanted > MOST_RANGES:
        raise ValueError("these are more than a million ranges")
    before = np.cumsum(counts) - counts  # records below each value
    starts, last = [], _ends(points)[1]
    while wanted >= 2:
        shares = np.arange(wanted) * int(counts.sum()) / wanted
        at = np.minimum(np.searchsorted(before, shares), max(0, len(points) - 1))
        starts.append(np.unique(points[at]))
        if wanted % 2:
            break
        wanted //= 2
    return [(level, last) for level in starts]


def _breaks(text: str, points: Counts, counts: Counts, decimals: int, unit: Unit) -> LevelRanges:
    """Return ranges that start at given values, and one more below the first if there are values."""
    ranges = []
    for level in text.split("/"):
        starts = [axis_position(part, unit, decimals) for part in level.split(",")]
        if starts != sorted(set(starts)):
            raise ValueError("breaks must rise")
        ranges.append((np.array(starts, dtype=np.int64), max(_ends(points)[1], starts[-1])))
    return ranges


def _calendar(text: str, points: Counts, counts: Counts, decimals: int, unit: Unit) -> LevelRanges:
    """Return whole days, weeks (from Monday), months, quarters, years or decades."""
    if unit == "number":
        raise ValueError("calendar is for dates")
    periods = [part.strip() for part in text.split(",")]
    ranks = [PERIODS.index(period) if period in PERIODS else -1 for period in periods]
    if -1 in ranks or ranks != sorted(set(ranks)):
        raise ValueError(f"wanted some of {', '.join(PERIODS)}, in this order")
    day = 1 if unit == "date" else 86_400
    zero = date(1970, 1, 1)
    ends = [zero + timedelta(days=_ends(points)[0] // day), zero + timedelta(_ends(points)[1] // day)]
    if ends[0].year < 10 or ends[1].year > 9989:
        raise ValueError("dates must be in the years 10 to 9989: declare others, such as 9999-12-31, as missing")
    begin, stop = _start(ends[0], periods[-1]), _next(_start(ends[1], periods[-1]), periods[-1])
    ranges = []
    for period in periods:
        starts, at = [], _start(begin, period)
        while at < stop:
            starts.append(max(at, begin))
            at = _next(at, period)
        ranges.append(
            (np.array([(start - zero).days * day for start in starts], dtype=np.int64), (stop - zero).days * day - 1)
        )
    return ranges


def _start(day: date, period: str) -> date:
    """Return the first day of the period that contains a day."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "day": day.month}.get(period, 1)
    year = day.year // 10 * 10 if period == "decade" else day.year
    return day if period == "day" else date(year, month, 1)


def _next(start: date, period: str) -> date:
    """Return the first day of the next period."""
    if period in ("day", "week"):
        return start + timedelta(days=1 if period == "day" else 7)
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[period]
    at = start.year * 12 + start.month - 1 + months
    return date(at // 12, at % 12 + 1, 1)


def _ends(points: Counts) -> tuple[int, int]:
    """Return the smallest and the largest value, or 0 if there are none."""
    return (int(points[0]), int(points[-1])) if len(points) else (0, 0)


def _whole(text: str, decimals: int) -> int:
    """Return a width in steps of the axis."""
    try:
        scaled = Decimal(text.strip()).scaleb(decimals)
    except ArithmeticError:  # not a number, or too large for a decimal
        scaled = Decimal("NaN")
    if not scaled.is_finite():
        raise ValueError(f"'{text.strip()}' is not a width")
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{text.strip()} is finer than the values")
    if abs(scaled) >= MOST_STEPS:
        raise ValueError(f"{text.strip()} is too wide")
    return int(scaled)


_BUILDERS: dict[str, Callable[[str, Counts, Counts, int, Unit], LevelRanges]] = {
    "width": _widths,
    "quantiles": _quantiles,
    "breaks": _breaks,
    "calendar": _calendar,
}
