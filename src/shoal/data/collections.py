"""Categories without a hierarchy, published as collections of values (P2, Definition 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.attributes import ANYTHING, MISSING, Attribute, Kind, is_missing
from shoal.data.labels import canonical_order, set_label, set_members
from shoal.data.scales import Values
from shoal.errors import DataError, did_you_mean, shorten

Members = tuple[int, ...]  # places of values, ascending


@dataclass(frozen=True, eq=False)
class CollectionAttribute(Attribute):
    """Categories; published as they are or as collections such as ``(Divorced,Widowed)``, which cost by their size.

    Values stand at 0, 1, .. in the order of labels. A collection reaches from its first value to a place of its own
    beyond all values, so two are equal if their ends are.

    >>> status = CollectionAttribute.of("status", ["Married", "Divorced", "Widowed", "Single"])
    >>> after, low, high = status.merged(np.array([0, 3, 1]), np.array([0, 0, 1]))
    >>> after.texts(low, high), after.penalties(low, high).tolist()
    (['(Divorced,Widowed)', 'Married'], [0.5, 0.0])
    """

    values: tuple[str, ...] = ()
    collections: tuple[Members, ...] = field(default=())  # each of two values or more
    optional: bool = False  # whether values may be missing

    @classmethod
    def of(cls, name: str, values: Iterable[str], *, optional: bool = False) -> CollectionAttribute:
        """The attribute of these values."""
        return cls(name, tuple(canonical_order(values)), optional=optional)

    @property
    def kind(self) -> Kind:
        """Whatever the values are."""
        return "category"

    @property
    def categories(self) -> tuple[str, ...]:
        """All values."""
        return self.values

    @property
    def first(self) -> int:
        """The first value."""
        return 0

    @property
    def last(self) -> int:
        """The last value."""
        return len(self.values) - 1

    @property
    def denominator(self) -> int:
        """The number of values."""
        return max(1, len(self.values))

    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """The different values of each group; anything, if it lacks some of them."""
        known, number = np.unique(places, return_inverse=True)
        group, at = np.divmod(np.unique(group_of * len(known) + number), max(1, len(known)))
        parts = np.split(known[at], np.flatnonzero(np.diff(group)) + 1) if len(group) else []
        return self._publish([tuple(part.tolist()) for part in parts])

    def _publish(self, wanted: Sequence[Members]) -> tuple[Attribute, Counts, Counts]:
        """The ends of some collections (of one value, too; with ``MISSING``: anything), and their attribute.

        Where values may be missing, all of them are published as anything is, so they are the same.
        """
        n = len(self.values)
        anything = [len(one) > 1 and (one[-1] == MISSING or (self.optional and len(one) == n)) for one in wanted]
        new = sorted({one for one, whole in zip(wanted, anything, strict=True) if len(one) > 1 and not whole})
        beyond = {one: at for at, one in enumerate(new, n)}
        ends = [
            (0, MISSING) if whole else (one[0], beyond.get(one, one[0]))
            for one, whole in zip(wanted, anything, strict=True)
        ]
        low, high = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        return replace(self, collections=tuple(new)), low, high

    @cached_property
    def _members(self) -> tuple[Counts, Counts]:
        """Every value of every collection: which collection, which value."""
        sizes = [len(one) for one in self.collections]
        members = np.array([member for one in self.collections for member in one], dtype=np.int64)
        return np.repeat(np.arange(len(sizes)), sizes), members

    def _collection(self, low: Counts, high: Counts) -> Counts:
        """Which collection each published value is; -1: none."""
        return np.where((low < high) & (high < MISSING), high - len(self.values), -1)

    def _by_kind(self, low: Counts, high: Counts, single: Any, each: Any, anything: Any) -> npt.NDArray[Any]:
        """A figure for each published value: for single ones, by collection, and for anything."""
        which = self._collection(low, high)
        of_collection = np.append(each, 0)[which]  # the last one is for those that are none
        return np.where(low == high, single, np.where(which < 0, anything, of_collection))

    @property
    def _sizes(self) -> Counts:
        """The number of values of each collection."""
        return np.bincount(self._members[0], minlength=len(self.collections))

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """The number of values; 0 for a single one."""
        return self._by_kind(low, high, 0, self._sizes, self.denominator)

    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Whether it is the value, one of the collection, or the published value represents anything."""
        width, (owner, member) = len(self.values) + 1, self._members
        inside = np.isin(self._collection(low, high) * width + np.minimum(places, width - 1), owner * width + member)
        covered: npt.NDArray[np.bool_] = np.where(low == high, low == places, inside | (high == MISSING))
        return covered

    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """Each of the values that it represents is as likely; anything: the missing one, too."""
        owner, member = self._members
        asked = np.bincount(owner[(first <= member) & (member <= last)], minlength=len(self.collections))
        single = (first <= low) & (low <= last)
        known = max(0, min(last, self.last) - first + 1) + (last >= MISSING)
        return self._by_kind(low, high, single, asked / self._sizes, known / (len(self.values) + 1))

    def cost_scale(self, points: Counts, share: Fraction) -> Values:
        """By the number of different values."""
        costs = [0, *(0 if number == 1 else math.ceil(number * share) for number in range(1, len(points) + 1))]
        missing = len(points) - 1 if len(points) and points[-1] == MISSING else -1
        return Values(np.array(costs, dtype=np.int64), math.ceil(self.denominator * share), missing)

    def text(self, low: int, high: int) -> str | None:
        """A value, or the values of a collection."""
        if low == MISSING:
            return None
        if low == high:
            return self.values[low]
        members = () if high == MISSING else self.collections[high - len(self.values)]
        return set_label([self.values[one] for one in members]) if 0 < len(members) < len(self.values) else ANYTHING

    def parse(self, text: str) -> tuple[int, int]:
        """A single value; ``*`` is anything."""
        members = self._read(text)
        if len(members) > 1 and members[-1] != MISSING:
            raise DataError(f"Column '{self.name}': '{shorten(text)}' represents several values: wanted one of them.")
        return members[0], members[-1]

    def resolved(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Attribute, Counts, Counts]:
        """Values and collections of them."""
        blank = frozenset(missing)
        wanted = {
            text: (int(MISSING),) if is_missing(text, blank) else self._read(str(text)) for text in dict.fromkeys(texts)
        }
        return self._publish([wanted[text] for text in texts])

    def _read(self, text: str) -> Members:
        """The places of all that a published value represents."""
        if text in self._place_of:
            return (self._place_of[text],)
        if text == ANYTHING:
            return (*range(len(self.values)), *([int(MISSING)] if self.optional else []))
        members = set_members(text)
        unknown = [one for one in members or [text] if one not in self._place_of]
        if unknown:
            near = did_you_mean(unknown[0], self.values)
            raise DataError(
                f"Column '{self.name}': '{shorten(unknown[0])}' is neither a value of the column nor a collection of "
                f"its {len(self.values):,} values, such as {shorten(set_label(self.values[:2]))}{near}."
            )
        return tuple(sorted({self._place_of[one] for one in members}))

    @cached_property
    def _place_of(self) -> dict[str, int]:
        """Where each value stands."""
        return {text: at for at, text in enumerate(self.values)}


def can_be_collected(values: Iterable[str]) -> bool:
    """Whether no value would be taken for a collection of others, or for anything.

    >>> can_be_collected(["a", "b"]), can_be_collected(["a", "(a,b)"]), can_be_collected(["*", "a"])
    (True, False, False)
    """
    return not any(text == ANYTHING or set_members(text) for text in values)
