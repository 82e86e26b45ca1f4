"""Attribute: one quasi-identifying column as an axis of whole numbers, each of which is a place for a value.

A number of an :class:`OrderedAttribute` stands at as many steps of its last decimal, a date at its day; a category of a
:class:`CategoricalAttribute` stands at its leaf of the hierarchy, whose groups cover neighbouring leaves. So for both,
an :class:`IntervalAttribute`, the records of a cluster span an interval, clusters are united by taking the least and
the greatest ends, and a published value covers an original one if it lies between its ends. Categories without a
hierarchy are published as collections of values (:mod:`shoal.data.collections`).

Missing is a value of its own at the far end of every axis: records without the value can be published together as
missing; together with any other value they are published as everything.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, frozen, spans
from shoal.data.hierarchy import Hierarchy
from shoal.data.scales import Line, Scale, Tree
from shoal.errors import DataError, did_you_mean, shorten

MISSING = np.int64(2**62)  # where missing values stand on every axis
MOST_STEPS = 2**60  # a value must lie nearer to 0
ANYTHING = "*"  # any number, or none

Unit = Literal["number", "date", "time"]
Kind = Literal["number", "date", "time", "band", "category"]
_DAY = date(1970, 1, 1).toordinal()


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


@dataclass(frozen=True, eq=False)
class OrderedAttribute(IntervalAttribute):
    """Numbers, dates or times; published as they are or as ranges, of any ends or of the given levels.

    >>> age = OrderedAttribute("age", 19, 70)
    >>> age.text(19, 22), age.text(55, 55), age.penalties(np.array([19, 55]), np.array([70, 55])).tolist()
    ('[19:22]', '55', [1.0, 0.0])
    >>> tens = OrderedAttribute("age", 10, 79, levels=(np.arange(10, 80, 10),))
    >>> [end.tolist() for end in tens.generalize(np.array([22, 22, 22]), np.array([22, 28, 34]))]
    [[22, 20, 10], [22, 29, 79]]
    """

    begins: int = 0
    ends: int = 0
    decimals: int = 0  # digits behind the point, of numbers
    unit: Unit = "number"
    levels: tuple[Counts, ...] = field(default=())  # where the ranges of each level begin, the finest level first

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "levels", tuple(frozen(level, np.int64) for level in self.levels))

    @property
    def kind(self) -> Kind:
        """What one step is."""
        return self.unit

    @property
    def whole_numbers(self) -> bool:
        """Numbers without decimals and levels."""
        return self.kind == "number" and not self.decimals and not self.levels

    @property
    def first(self) -> int:
        """The least number."""
        return self.begins

    @property
    def last(self) -> int:
        """The greatest."""
        return self.ends

    @property
    def denominator(self) -> int:
        """The length of the domain."""
        return max(1, self.ends - self.begins)

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """The length of each range, at most that of the domain; everything, if missing values are among it."""
        mixed = (high == MISSING) & (low < high)
        return np.minimum(np.where(mixed, self.denominator, high - low), self.denominator)

    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """The ranges of the finest level that reach from end to end; without levels the ends themselves."""
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
        """Along a line, unless only ranges of levels can be published."""
        if self.levels:
            return super().cost_scale(points, share)
        whole = math.ceil(self.denominator * share)
        known = [math.floor((point - self.first) * share) for point in points.tolist() if point != MISSING]
        missing = len(known) if len(known) < len(points) else -1
        positions = [*known, *([whole] if missing >= 0 else [])]
        return Line(np.array(positions, dtype=np.int64), whole, missing)

    def text(self, low: int, high: int) -> str | None:
        """A number, or a range such as ``[19:22]``."""
        if high == MISSING:
            return None if low == high else ANYTHING
        return self._say(low) if low == high else f"[{self._say(low)}:{self._say(high)}]"

    def parse(self, text: str) -> tuple[int, int]:
        """A number or a range; ``*`` is everything."""
        text = text.strip()
        if text == ANYTHING:
            return self.begins, int(MISSING)
        if text.startswith("[") and text.endswith("]"):
            for at in (at for at, mark in enumerate(text) if mark == ":"):  # times hold colons too
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
        """A value in the user's form."""
        if self.unit == "date":
            return date.fromordinal(at + _DAY).isoformat()
        if self.unit == "time":
            return datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat()
        return f"{Decimal(at).scaleb(-self.decimals):f}"

    def _read(self, text: str) -> int:
        """The place of a value; ValueError if it is none."""
        return axis_position(text, self.unit, self.decimals)


@dataclass(frozen=True, eq=False)
class CategoricalAttribute(IntervalAttribute):
    """Categories; published as they are or as groups of a hierarchy.

    >>> countries = Hierarchy.from_tree({"All": {"Africa": ["Algeria", "Nigeria"], "Asia": ["Iran"]}})
    >>> origin = CategoricalAttribute("origin", countries)
    >>> low, high = origin.generalize(np.array([0, 0, 1]), np.array([1, 0, 2]))
    >>> origin.texts(low, high), origin.penalties(low, high).tolist()
    (['Africa', 'Algeria', 'All'], [0.666..., 0.0, 1.0])
    """

    hierarchy: Hierarchy = field(default_factory=lambda: Hierarchy.flat(["?"]))
    optional: bool = False  # whether values may be missing: then the root represents that too

    @property
    def kind(self) -> Kind:
        """Whatever the hierarchy is."""
        return "category"

    @property
    def categories(self) -> tuple[str, ...]:
        """The leaves."""
        return self.hierarchy.items

    @property
    def first(self) -> int:
        """The first leaf."""
        return 0

    @property
    def last(self) -> int:
        """The last leaf."""
        return self.hierarchy.n_leaves - 1

    @property
    def denominator(self) -> int:
        """The number of leaves."""
        return self.hierarchy.n_leaves

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """The leaves of each group; 0 for a leaf."""
        return np.where(low == high, 0, np.where(high == MISSING, self.denominator, high - low + 1))

    def generalize(self, low: Counts, high: Counts) -> tuple[Counts, Counts]:
        """The leaves of the lowest common ancestors."""
        span, parent = self.hierarchy.span, self.hierarchy.parent
        mixed = (high == MISSING) & (low < high)
        nodes = np.where(low == MISSING, 0, low)
        inside = np.where(high == MISSING, nodes, high)
        while len(short := np.flatnonzero(inside >= span[nodes, 1])):
            nodes[short] = parent[nodes[short]]
        wide_low = np.where(low == MISSING, low, np.where(mixed, 0, span[nodes, 0]))
        whole = (high == MISSING) | (self.optional & (nodes == self.hierarchy.root))
        return wide_low, np.where(whole, MISSING, span[nodes, 1] - 1)

    @cached_property
    def _node_of(self) -> dict[tuple[int, int], int]:
        """First and last leaf -> the lowest node above just these."""
        spans = self.hierarchy.span.tolist()
        return {(first, stop - 1): node for node, (first, stop) in reversed(list(enumerate(spans)))}

    def text(self, low: int, high: int) -> str | None:
        """The label of a leaf or group."""
        if low == MISSING:
            return None
        if high == MISSING:
            return self.hierarchy.labels[-1]
        return self.hierarchy.labels[self._node_of[low, high]]

    def parse(self, text: str) -> tuple[int, int]:
        """A label of the hierarchy."""
        node = self.hierarchy.code_of.get(text)
        if node is None:
            near = did_you_mean(text, self.hierarchy.labels)
            raise DataError(
                f"Column '{self.name}': '{shorten(text)}' is neither a value nor a group of the hierarchy "
                f"{self.hierarchy.name}{near}."
            )
        first, stop = self.hierarchy.span[node].tolist()
        if self.optional and node == self.hierarchy.root:
            return first, int(MISSING)
        return first, stop - 1


def is_missing(text: str | None, missing: Collection[str] = ()) -> bool:
    """Whether a value is not known: it is blank, or said to mean that.

    >>> is_missing(None), is_missing(" "), is_missing("?", ["?"]), is_missing("0")
    (True, True, True, False)
    """
    return text is None or not text.strip() or text in missing


def axis_position(text: str, unit: Unit, decimals: int = 0) -> int:
    """The place of a value on its line; ValueError if it has none.

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
    except ArithmeticError:  # not a number, or one beyond what decimals can hold
        raise ValueError(text) from None
    return int(scaled)
