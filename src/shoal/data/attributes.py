"""Attribute: one quasi-identifying column as an axis of whole numbers, each of which is a place for a value.

A number stands at as many steps of its last decimal, a date at its day (:mod:`shoal.data.ordered`); a category stands
at its leaf of the hierarchy, whose groups cover neighbouring leaves (:mod:`shoal.data.categories`). So for both, an
:class:`IntervalAttribute`, the records of a cluster span an interval, clusters are united by taking the least and the
greatest ends, and a published value covers an original one if it lies between its ends. Categories without a hierarchy
are published as collections of values (:mod:`shoal.data.collections`).

Missing is a value of its own at the far end of every axis: records without the value can be published together as
missing; together with any other value they are published as everything.
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

MISSING = np.int64(2**62)  # where missing values stand on every axis
ANYTHING = "*"  # any number, or none

Kind = Literal["number", "date", "time", "band", "category"]


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """A column whose values lie on an axis from ``first`` to ``last``."""

    name: str

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What the values are, in a word."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The values that there may be, if they are categories."""
        return ()

    @property
    def whole_numbers(self) -> bool:
        """Whether the values are whole numbers that are published as ranges of any ends."""
        return False

    @property
    @abstractmethod
    def first(self) -> int:
        """Where the domain begins."""

    @property
    @abstractmethod
    def last(self) -> int:
        """Where it ends, missing values apart."""

    @property
    @abstractmethod
    def denominator(self) -> int:
        """What a penalty of 1 is measured by."""

    @abstractmethod
    def numerators(self, low: Counts, high: Counts) -> Counts:
        """NCP of the intervals times the denominator; 0 for single values (metrics.md)."""

    @abstractmethod
    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """What is published for each group of values (groups are 0, 1, ..), and the attribute that it belongs to."""

    @abstractmethod
    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Whether each published value may represent the value at a place."""

    @abstractmethod
    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """Which share of the values that each published one represents lies between two places."""

    @abstractmethod
    def text(self, low: int, high: int) -> str | None:
        """The published form of an interval; none: missing."""

    @abstractmethod
    def parse(self, text: str) -> tuple[int, int]:
        """The ends of what a value represents, original or published; an error says what was wanted."""

    @abstractmethod
    def cost_scale(self, points: Counts, share: Fraction) -> Scale:
        """What these values, ascending, cost together if a numerator of 1 costs a share: rounded to whole numbers."""

    def penalties(self, low: Counts, high: Counts) -> npt.NDArray[np.float64]:
        """NCP of each interval: 0 for a single value, 1 for everything."""
        return self.numerators(low, high) / self.denominator

    def texts(self, low: Counts, high: Counts) -> list[str | None]:
        """The published forms of many intervals."""
        pairs, back = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        texts = [self.text(*pair) for pair in pairs.T.tolist()]
        return [texts[at] for at in back.ravel().tolist()]

    def parsed(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Counts, Counts]:
        """The intervals of many values; blank ones, and those that are said to be missing, are."""
        blank = frozenset(missing)
        ends = {
            text: (MISSING, MISSING) if is_missing(text, blank) else self.parse(str(text))
            for text in dict.fromkeys(texts)
        }
        low, high = np.array([ends[text] for text in texts], dtype=np.int64).reshape(-1, 2).T
        return low, high

    def resolved(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Attribute, Counts, Counts]:
        """The same for published values, and the attribute that they belong to."""
        return self, *self.parsed(texts, missing)


@dataclass(frozen=True, eq=False)
class IntervalAttribute(Attribute):
    """A column of which every published value is an interval of its axis."""

    @abstractmethod
    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """The smallest intervals that can be published and cover these."""

    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """The smallest interval that reaches from the least to the greatest place of each group."""
        return self, *self.generalize(*spans(places, group_of))

    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Whether it lies between the ends."""
        inside: npt.NDArray[np.bool_] = (low <= places) & (places <= high)
        return inside

    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """The length of what both have in common; what represents anything ends where the domain does."""
        inner, outer = np.maximum(low, first), np.minimum(high, last)
        if last < MISSING:
            outer = np.where(high == MISSING, np.minimum(outer, self.last), outer)
        meet, share = inner <= outer, np.zeros(len(low))
        share[meet] = self.counts(inner[meet], outer[meet]) / self.counts(low[meet], high[meet])
        return share

    def counts(self, low: Counts, high: Counts) -> Counts:
        """How many values each interval represents."""
        everything = self.last - self.first + 2  # with missing
        counts: Counts = np.where(high < MISSING, high - low + 1, np.where(low == high, 1, everything))
        return counts

    def cost_scale(self, points: Counts, share: Fraction) -> Scale:
        """By the rises between neighbours, which is enough if published intervals form a tree."""
        rises = self.numerators(*self.generalize(points[:-1], points[1:])).tolist()
        costs = np.array([math.ceil(rise * share) for rise in rises], dtype=np.int64)
        return Tree(costs, math.ceil(self.denominator * share))


def is_missing(text: str | None, missing: Collection[str] = ()) -> bool:
    """Whether a value is not known: it is blank, or said to mean that.

    >>> is_missing(None), is_missing(" "), is_missing("?", ["?"]), is_missing("0")
    (True, True, True, False)
    """
    return text is None or not text.strip() or text in missing
