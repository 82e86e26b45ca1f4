"""Ordered values in text: bands such as ``25-34``, ``65+`` and ``Under 15K``, and orders that a publisher lists.

Bands are recognised if every value is a band or a number, at least one is not a number, and none overlaps another.
Neighbouring bands are published together as a range in the same style: ``25-44``, ``55+``, ``Up to 24K``. All bands
together are published as ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, pairwise

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.data.attributes import ANYTHING, MISSING, Kind
from shoal.data.ordered import OrderedAttribute
from shoal.errors import DataError, did_you_mean, shorten

MOST = 200  # with more different values, they are hardly bands
_NUMBER = r"(?P<{0}>[$€£]?\s?\d[\d,]*(?:\.\d+)?)\s?(?P<{0}_unit>[kKmM%]?)"
_UNITS = {"": 1, "%": 1, "k": 1_000, "m": 1_000_000}
_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        _NUMBER.format("low") + r"\s*(?:-|–|to)\s*" + _NUMBER.format("high"),
        _NUMBER.format("low") + r"\s*(?:\+|(?:and|or) (?:more|over|above|older))",
        r"(?P<over>>=?|≥|over|above|more than)\s*" + _NUMBER.format("low"),
        r"(?P<under><=?|≤|under|below|less than|up to)\s*" + _NUMBER.format("high"),
        _NUMBER.format("low"),
    )
]


@dataclass(frozen=True)
class Band:
    """One band: its ends as numbers and as texts. None is an open end. A number is a band of its own."""

    low: Decimal | None
    high: Decimal | None
    low_text: str = ""
    high_text: str = ""

    @classmethod
    def of(cls, text: str) -> Band | None:
        """Read a text. Return None if it is not a band.

        >>> Band.of("15-24K")
        Band(low=Decimal('15000'), high=Decimal('24000'), low_text='15K', high_text='24K')
        >>> Band.of("65+").high, Band.of("Under 15K").high, Band.of("blue"), Band.of("2020-01")
        (None, Decimal('15000'), None, None)
        """
        found = next((match for form in _FORMS if (match := form.fullmatch(text.strip()))), None)
        if found is None:
            return None
        parts = found.groupdict()
        unit = parts.get("high_unit") or ""  # the unit of the upper end applies to both ends
        low, low_text = _end(parts.get("low"), parts.get("low_unit") or unit)
        high, high_text = _end(parts.get("high"), unit)
        if found.re is _FORMS[-1]:
            high, high_text = low, low_text
        return None if low is not None and high is not None and low > high else cls(low, high, low_text, high_text)

    def to(self, last: Band) -> str | None:
        """Return the range from here to a later band in the same style, or None if it is open at both ends.

        >>> Band.of("15-24K").to(Band.of("35-49K")), Band.of("3").to(Band.of("5+"))
        ('15-49K', '3+')
        """
        if self.low is None:
            return f"Up to {last.high_text}" if last.high_text else None
        if not last.high_text:
            return f"{self.low_text}+"
        unit = last.high_text.lstrip("$€£ 0123456789,.")
        return f"{self.low_text.removesuffix(unit)}-{last.high_text}"


def _end(number: str | None, unit: str) -> tuple[Decimal | None, str]:
    """Return an end of a band, as a number and as a text."""
    if number is None:
        return None, ""
    return Decimal(re.sub(r"[^\d.]", "", number)) * _UNITS[unit.lower()], number.strip() + unit


def recognised(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values in their order if they are bands, otherwise an empty tuple.

    >>> recognised(["65+", "25-34", "35-44"]), recognised(["5+", "1", "2"]), recognised(["a-b", "c"])
    (('25-34', '35-44', '65+'), ('1', '2', '5+'), ())
    >>> recognised(["555-1234", "556-2345"]), recognised(["1", "2"])  # ranges that overlap; numbers
    ((), ())
    """
    read = {text: Band.of(text) for text in dict.fromkeys(values)}
    bands = {text: band for text, band in read.items() if band is not None}
    if not 2 <= len(read) <= MOST or len(bands) < len(read) or all(band.low == band.high for band in bands.values()):
        return ()
    order = sorted(bands, key=lambda text: (bands[text].low is not None, bands[text].low or Decimal(0)))
    for one, other in pairwise(order):
        end, low = bands[one].high, bands[other].low
        if end is None or low is None or end > low:
            return ()
    return tuple(order)


@dataclass(frozen=True, eq=False)
class BandedAttribute(OrderedAttribute):
    """Values in a given order, published unchanged or as ranges of neighbours.

    >>> age = BandedAttribute.of("age", ("19-24", "25-34", "35-44", "65+"))
    >>> age.text(1, 2), age.text(2, 3), age.text(1, 1), age.text(0, 3), age.parse("25-44")
    ('25-44', '35+', '25-34', '*', (1, 2))
    >>> BandedAttribute.of("size", ("small", "medium", "large")).text(0, 1)
    'small .. medium'
    """

    order: tuple[str, ...] = field(default=())
    optional: bool = False  # whether values may be missing; "*" then covers missing values too

    @classmethod
    def of(cls, name: str, order: Sequence[str], *, optional: bool = False) -> BandedAttribute:
        """Build the attribute of values in this order."""
        return cls(name, 0, max(0, len(order) - 1), order=tuple(order), optional=optional)

    @property
    def kind(self) -> Kind:
        """Return "band"."""
        return "band"

    @property
    def _everything(self) -> tuple[int, int]:
        """Return the ends of the range that is published as ``*``."""
        return self.begins, int(MISSING) if self.optional or self.begins == self.ends else self.ends

    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """Return the ends. A range of all values also covers missing ones, as a reader cannot tell these apart."""
        low, high = super().generalize(low, high)
        whole = (low == self.begins) & (high == self.ends) & (low < high)
        return low, np.where(whole, self._everything[1], high)

    def text(self, low: int, high: int) -> str | None:
        """Return a value, a range of values, or ``*`` for all values."""
        if high == MISSING:
            return None if low == high else ANYTHING
        return ANYTHING if self.begins == low < high == self.ends else self._texts[low, high]

    def parse(self, text: str) -> tuple[int, int]:
        """Return the ends of a value or a range. ``*`` and a range of all values are the same."""
        text = text.strip()
        if text == ANYTHING:
            return self._everything
        if text not in self._ends:
            raise DataError(
                f"Column '{self.name}': '{shorten(text)}' is neither one of its ordered values nor a range of them"
                f"{did_you_mean(text, self.order)}: wanted {shorten(', '.join(self.order))}."
            )
        return self._ends[text]

    @cached_property
    def _texts(self) -> dict[tuple[int, int], str]:
        """Return the text of each range. All texts differ."""
        bands = [Band.of(text) for text in self.order] if recognised(self.order) == self.order else []
        texts = {(at, at): text for at, text in enumerate(self.order)}
        taken = set(self.order)
        for low, high in combinations(range(len(self.order)), 2):
            first, last = (bands[low], bands[high]) if bands else (None, None)
            text = first.to(last) if first and last else None
            texts[low, high] = f"{self.order[low]} .. {self.order[high]}" if text is None or text in taken else text
            taken.add(texts[low, high])
        return texts

    @cached_property
    def _ends(self) -> dict[str, tuple[int, int]]:
        """Map each text to its range."""
        return {text: ends for ends, text in self._texts.items()}

    def _say(self, at: int) -> str:
        """Return the value at a position."""
        return self.order[at]
