"""Attribute: one quasi-identifying column as an axis of whole numbers. Each number is the position of a value.

The position of a number counts steps of its last decimal. The position of a date counts days
(:mod:`shoal.data.ordered`). The position of a category is its leaf in the hierarchy, whose groups cover neighbouring
leaves (:mod:`shoal.data.categories`). All of these are an :class:`IntervalAttribute`: the records of a cluster span an
interval, two clusters are merged by taking the smallest and the largest end, and a published value covers an original
one if that lies between its ends. Categories without a hierarchy are published as collections of values
(:mod:`shoal.data.collections`).

Missing is a value of its own at the far end of every axis. Records without the value can be published together as
missing. Together with any other value they are published as "anything".
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, spans
from shoal.data.scales import Scale, Tree

MISSING = np.int64(2**62)  # the position of missing values on every axis
ANYTHING = "*"  # the published text for any value, or a missing one

Kind = Literal["number", "date", "time", "band", "category"]


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """A column whose values lie on an axis from ``first`` to ``last``."""

    name: str

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """Return the kind of the values."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the possible values, if they are categories."""
        return ()

    @property
    def whole_numbers(self) -> bool:
        """Whether the values are whole numbers that are published as ranges with any ends."""
        return False

    @property
    @abstractmethod
    def first(self) -> int:
        """Return the first position of the domain."""

    @property
    @abstractmethod
    def last(self) -> int:
        """Return the last position of the domain, not counting missing values."""

    @property
    @abstractmethod
    def denominator(self) -> int:
        """Return the numerator that corresponds to a penalty of 1."""

    @abstractmethod
    def numerators(self, low: Counts, high: Counts) -> Counts:
        """Return the NCP of each interval times the denominator; 0 for single values (metrics.md)."""

    @abstractmethod
    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """Return the attribute that holds the published values, and the ends of the value of each group 0, 1, .."""

    @abstractmethod
    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Return whether each published value may represent the value at a position."""

    @abstractmethod
    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """Return which share of the values that each published one represents lies between two positions."""

    @abstractmethod
    def text(self, low: int, high: int) -> str | None:
        """Return the published text of an interval, or None if it is missing."""

    @abstractmethod
    def parse(self, text: str) -> tuple[int, int]:
        """Return the ends of an original or published value. An error says what was wanted."""

    @abstractmethod
    def cost_scale(self, points: Counts, share: Fraction) -> Scale:
        """Return the cost of publishing these ascending values together, in whole numbers.

        A numerator of 1 costs ``share``.
        """

    def penalties(self, low: Counts, high: Counts) -> npt.NDArray[np.float64]:
        """Return the NCP of each interval: 0 for a single value, 1 for "anything"."""
        return self.numerators(low, high) / self.denominator

    def texts(self, low: Counts, high: Counts) -> list[str | None]:
        """Return the published texts of many intervals."""
        lows, low_of = np.unique(low, return_inverse=True)
        highs, high_of = np.unique(high, return_inverse=True)
        pairs, pair_of = np.unique(low_of * max(1, len(highs)) + high_of, return_inverse=True)
        texts = [self.text(int(lows[at // len(highs)]), int(highs[at % len(highs)])) for at in pairs.tolist()]
        return [texts[at] for at in pair_of.tolist()]

    def parsed(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Counts, Counts]:
        """Return the intervals of many values. Blank values and those in ``missing`` are missing."""
        blank = frozenset(missing)
        ends = {
            text: (MISSING, MISSING) if is_missing(text, blank) else self.parse(str(text))
            for text in dict.fromkeys(texts)
        }
        low, high = np.array([ends[text] for text in texts], dtype=np.int64).reshape(-1, 2).T
        return low, high

    def resolved(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Attribute, Counts, Counts]:
        """Return the intervals of many published values, and the attribute they belong to."""
        return self, *self.parsed(texts, missing)


@dataclass(frozen=True, eq=False)
class IntervalAttribute(Attribute):
    """A column whose published values are intervals of its axis."""

    @abstractmethod
    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """Return the smallest intervals that cover these and can be published."""

    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """Return the smallest interval that covers all positions of each group."""
        return self, *self.generalize(*spans(places, group_of))

    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Whether each position lies between the ends."""
        inside: npt.NDArray[np.bool_] = (low <= places) & (places <= high)
        return inside

    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """Return the share of each interval that lies between two positions. "Anything" ends where the domain ends."""
        inner, outer = np.maximum(low, first), np.minimum(high, last)
        if last < MISSING:
            outer = np.where(high == MISSING, np.minimum(outer, self.last), outer)
        meet, share = inner <= outer, np.zeros(len(low))
        share[meet] = self.counts(inner[meet], outer[meet]) / self.counts(low[meet], high[meet])
        return share

    def counts(self, low: Counts, high: Counts) -> Counts:
        """Return the number of values that each interval represents."""
        everything = self.last - self.first + 2  # with missing
        counts: Counts = np.where(high < MISSING, high - low + 1, np.where(low == high, 1, everything))
        return counts

    def cost_scale(self, points: Counts, share: Fraction) -> Scale:
        """Return a tree scale, made of the costs of merging neighbours.

        This suffices if published intervals form a tree.
        """
        rises = self.numerators(*self.generalize(points[:-1], points[1:])).tolist()
        costs = np.array([math.ceil(rise * share) for rise in rises], dtype=np.int64)
        return Tree(costs, math.ceil(self.denominator * share))


def is_missing(text: str | None, missing: Collection[str] = ()) -> bool:
    """Whether a value is missing: it is blank, or one of ``missing``.

    >>> is_missing(None), is_missing(" "), is_missing("?", ["?"]), is_missing("0")
    (True, True, True, False)
    """
    return text is None or not text.strip() or text in missing
