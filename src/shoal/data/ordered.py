"""Numbers, dates and times as attributes: values on a line, published unchanged or as ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from shoal.data.arrays import Counts, frozen
from shoal.data.attributes import ANYTHING, MISSING, IntervalAttribute, Kind
from shoal.data.scales import Line, Scale
from shoal.errors import DataError, shorten

MOST_STEPS = 2**60  # positions must be closer to 0 than this

Unit = Literal["number", "date", "time"]
_DAY = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, eq=False)
class OrderedAttribute(IntervalAttribute):
    """Numbers, dates or times, published unchanged or as ranges with any ends or with the ends of given levels.

    >>> age = OrderedAttribute("age", 19, 70)
    >>> age.text(19, 22), age.text(55, 55), age.penalties(np.array([19, 55]), np.array([70, 55])).tolist()
    ('[19:22]', '55', [1.0, 0.0])
    >>> tens = OrderedAttribute("age", 10, 79, levels=(np.arange(10, 80, 10),))
    >>> [end.tolist() for end in tens.generalize(np.array([22, 22, 22]), np.array([22, 28, 34]))]
    [[22, 20, 10], [22, 29, 79]]
    """

    begins: int = 0
    ends: int = 0
    decimals: int = 0  # digits after the decimal point
    unit: Unit = "number"
    levels: tuple[Counts, ...] = field(default=())  # the starts of the ranges of each level, finest level first

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "levels", tuple(frozen(level, np.int64) for level in self.levels))

    @property
    def kind(self) -> Kind:
        """Return the unit of the values."""
        return self.unit

    @property
    def whole_numbers(self) -> bool:
        """Whether these are numbers without decimals and levels."""
        return self.kind == "number" and not self.decimals and not self.levels

    @property
    def first(self) -> int:
        """Return the position of the smallest value."""
        return self.begins

    @property
    def last(self) -> int:
        """Return the position of the largest value."""
        return self.ends

    @property
    def denominator(self) -> int:
        """Return the length of the domain."""
        return max(1, self.ends - self.begins)

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """Return the length of each range, at most that of the domain.

        Ranges that include missing values have that length.
        """
        mixed = (high == MISSING) & (low < high)
        return np.minimum(np.where(mixed, self.denominator, high - low), self.denominator)

    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """Return the finest ranges of the levels that cover both ends, or the ends themselves without levels."""
        low = np.where((high == MISSING) & (low < high), self.begins, low)
        if not self.levels:
            return low, high
        done = (low == high) | (high == MISSING)
        wide_low, wide_high = np.where(done, low, self.begins), np.where(done, high, self.ends)
        for level in self.levels:
            at = np.searchsorted(level, low, side="right") - 1
            stop = np.append(level[1:], self.ends + 1)[at] - 1
            fits = ~done & (at >= 0) & (high <= stop)
            wide_low, wide_high = np.where(fits, level[at], wide_low), np.where(fits, stop, wide_high)
            done |= fits
        return wide_low, wide_high

    def cost_scale(self, points: Counts, share: Fraction) -> Scale:
        """Return a line scale, or a tree scale if only ranges of levels can be published."""
        if self.levels:
            return super().cost_scale(points, share)
        whole = math.ceil(self.denominator * share)
        known = [math.floor((point - self.first) * share) for point in points.tolist() if point != MISSING]
        missing = len(known) if len(known) < len(points) else -1
        positions = [*known, *([whole] if missing >= 0 else [])]
        return Line(np.array(positions, dtype=np.int64), whole, missing)

    def text(self, low: int, high: int) -> str | None:
        """Return a value, or a range such as ``[19:22]``."""
        if high == MISSING:
            return None if low == high else ANYTHING
        return self._say(low) if low == high else f"[{self._say(low)}:{self._say(high)}]"

    def parse(self, text: str) -> tuple[int, int]:
        """Return the ends of a value or a range. ``*`` is "anything"."""
        text = text.strip()
        if text == ANYTHING:
            return self.begins, int(MISSING)
        if text.startswith("[") and text.endswith("]"):
            for at in (at for at, mark in enumerate(text) if mark == ":"):  # times contain colons too
                try:
                    low, high = self._read(text[1:at]), self._read(text[at + 1 : -1])
                except ValueError:
                    continue
                if low <= high:
                    return low, high
        else:
            try:
                return (at := self._read(text)), at
            except ValueError:
                pass
        what = {"number": "a number", "date": "a date such as 2020-12-31", "time": "a time such as 2020-12-31T23:59:59"}
        raise DataError(
            f"Column '{self.name}': '{shorten(text)}' is neither {what[self.unit]} nor a range such as "
            f"{self.text(self.begins, self.ends) if self.begins < self.ends else '[1:2]'}."
        )

    def _say(self, at: int) -> str:
        """Format the value at a position."""
        if self.unit == "date":
            return date.fromordinal(at + _DAY).isoformat()
        if self.unit == "time":
            return datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat()
        return f"{Decimal(at).scaleb(-self.decimals):f}"

    def _read(self, text: str) -> int:
        """Return the position of a value. Raise ValueError if it is malformed."""
        return axis_position(text, self.unit, self.decimals)


def axis_position(text: str, unit: Unit, decimals: int = 0) -> int:
    """Return the position of a value on its line. Raise ValueError if it is malformed.

    >>> axis_position("1.50", "number", 2), axis_position("1970-01-03", "date")
    (150, 2)
    >>> axis_position("1970-01-01T00:01:00", "time")
    60
    >>> axis_position("1970-01-01T02:00:00+02:00", "time"), axis_position("1969-12-31T23:59:59.5", "time")
    (0, -1)
    """
    if unit == "date":
        return date.fromisoformat(text.strip()).toordinal() - _DAY
    if unit == "time":
        when = datetime.fromisoformat(text.strip())
        return (when.replace(tzinfo=when.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    try:
        number = Decimal(text.strip())
        scaled = number.scaleb(decimals)
        if not number.is_finite() or scaled != scaled.to_integral_value() or abs(scaled) >= MOST_STEPS:
            raise ValueError(text)
    except ArithmeticError:  # not a number, or too large for a decimal
        raise ValueError(text) from None
    return int(scaled)
