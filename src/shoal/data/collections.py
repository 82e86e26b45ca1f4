"""Categories without a hierarchy, published as collections of values (Poulis et al. 2013, Definition 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.data.attributes import ANYTHING, MISSING, Attribute, Kind, is_missing
from shoal.data.labels import canonical_order, set_label, set_members
from shoal.data.scales import Values
from shoal.errors import DataError, did_you_mean, shorten

Members = tuple[int, ...]  # positions of values, ascending


@dataclass(frozen=True, eq=False)
class CollectionAttribute(Attribute):
    """Categories that are published unchanged or as collections such as ``(Divorced,Widowed)``.

    A collection costs as much as its size. Values are at the positions 0, 1, .. in the order of their labels. A
    collection goes from its first value to a unique position beyond all values, so two collections are equal if their
    ends are.

    >>> status = CollectionAttribute.of("status", ["Married", "Divorced", "Widowed", "Single"])
    >>> after, low, high = status.merged(np.array([0, 3, 1]), np.array([0, 0, 1]))
    >>> after.texts(low, high), after.penalties(low, high).tolist()
    (['(Divorced,Widowed)', 'Married'], [0.5, 0.0])
    """

    values: tuple[str, ...] = ()
    collections: tuple[Members, ...] = field(default=())  # each has at least two values
    optional: bool = False  # whether values may be missing

    @classmethod
    def of(cls, name: str, values: Iterable[str], *, optional: bool = False) -> CollectionAttribute:
        """Build the attribute of these values."""
        return cls(name, tuple(canonical_order(values)), optional=optional)

    @property
    def kind(self) -> Kind:
        """Return "category"."""
        return "category"

    @property
    def categories(self) -> tuple[str, ...]:
        """Return all values."""
        return self.values

    @property
    def first(self) -> int:
        """Return the position of the first value."""
        return 0

    @property
    def last(self) -> int:
        """Return the position of the last value."""
        return len(self.values) - 1

    @property
    def denominator(self) -> int:
        """Return the number of values."""
        return max(1, len(self.values))

    def merged(self, places: Counts, group_of: Counts) -> tuple[Attribute, Counts, Counts]:
        """Return the different values of each group as a collection, or "anything" if one of them is missing."""
        known, number = np.unique(places, return_inverse=True)
        group, at = np.divmod(np.unique(group_of * len(known) + number), max(1, len(known)))
        parts = np.split(known[at], np.flatnonzero(np.diff(group)) + 1) if len(group) else []
        return self._publish([tuple(part.tolist()) for part in parts])

    def _publish(self, wanted: Sequence[Members]) -> tuple[Attribute, Counts, Counts]:
        """Return the attribute with these collections, and their ends.

        A collection may have one value. With ``MISSING`` in it, it is "anything". Where values may be missing, a
        collection of all values is published like "anything", so both are the same.
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
        """Return the collection and the value of every member of every collection."""
        sizes = [len(one) for one in self.collections]
        members = np.array([member for one in self.collections for member in one], dtype=np.int64)
        return np.repeat(np.arange(len(sizes)), sizes), members

    def _collection(self, low: Counts, high: Counts) -> Counts:
        """Return the collection of each published value, or -1 if it is not a collection."""
        return np.where((low < high) & (high < MISSING), high - len(self.values), -1)

    def _by_kind(self, low: Counts, high: Counts, single: Any, each: Any, anything: Any) -> npt.NDArray[Any]:
        """Return a figure for each published value, by its kind: single value, collection or "anything"."""
        which = self._collection(low, high)
        of_collection = np.append(each, 0)[which]  # the last entry is for values that are no collection
        return np.where(low == high, single, np.where(which < 0, anything, of_collection))

    @property
    def _sizes(self) -> Counts:
        """Return the number of values of each collection."""
        return np.bincount(self._members[0], minlength=len(self.collections))

    def numerators(self, low: Counts, high: Counts) -> Counts:
        """Return the number of values of each collection, and 0 for a single value."""
        return self._by_kind(low, high, 0, self._sizes, self.denominator)

    def covers(self, low: Counts, high: Counts, places: Counts) -> npt.NDArray[np.bool_]:
        """Whether each published value is the value itself, a collection that contains it, or "anything"."""
        width, (owner, member) = len(self.values) + 1, self._members
        inside = np.isin(self._collection(low, high) * width + np.minimum(places, width - 1), owner * width + member)
        covered: npt.NDArray[np.bool_] = np.where(low == high, low == places, inside | (high == MISSING))
        return covered

    def shares(self, low: Counts, high: Counts, first: int, last: int) -> npt.NDArray[np.float64]:
        """Return the share of the represented values that lies between two positions.

        All of them are equally likely.
        """
        owner, member = self._members
        asked = np.bincount(owner[(first <= member) & (member <= last)], minlength=len(self.collections))
        single = (first <= low) & (low <= last)
        known = max(0, min(last, self.last) - first + 1) + (last >= MISSING)
        return self._by_kind(low, high, single, asked / self._sizes, known / (len(self.values) + 1))

    def cost_scale(self, points: Counts, share: Fraction) -> Values:
        """Return a scale that counts different values."""
        costs = [0, *(0 if number == 1 else math.ceil(number * share) for number in range(1, len(points) + 1))]
        missing = len(points) - 1 if len(points) and points[-1] == MISSING else -1
        return Values(np.array(costs, dtype=np.int64), math.ceil(self.denominator * share), missing)

    def text(self, low: int, high: int) -> str | None:
        """Return a value, or the values of a collection."""
        if low == MISSING:
            return None
        if low == high:
            return self.values[low]
        members = () if high == MISSING else self.collections[high - len(self.values)]
        return set_label([self.values[one] for one in members]) if 0 < len(members) < len(self.values) else ANYTHING

    def parse(self, text: str) -> tuple[int, int]:
        """Return the ends of a single value. ``*`` is "anything"."""
        members = self._read(text)
        if len(members) > 1 and members[-1] != MISSING:
            raise DataError(f"Column '{self.name}': '{shorten(text)}' represents several values: wanted one value.")
        return members[0], members[-1]

    def resolved(self, texts: Sequence[str | None], missing: Iterable[str] = ()) -> tuple[Attribute, Counts, Counts]:
        """Return the attribute and the ends of published values and collections."""
        blank = frozenset(missing)
        wanted = {
            text: (int(MISSING),) if is_missing(text, blank) else self._read(str(text)) for text in dict.fromkeys(texts)
        }
        return self._publish([wanted[text] for text in texts])

    def _read(self, text: str) -> Members:
        """Return the positions of all values that a published value represents."""
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
        """Map each value to its position."""
        return {text: at for at, text in enumerate(self.values)}


def can_be_collected(values: Iterable[str]) -> bool:
    """Whether no value looks like a collection of others, or like "anything".

    >>> can_be_collected(["a", "b"]), can_be_collected(["a", "(a,b)"]), can_be_collected(["*", "a"])
    (True, False, False)
    """
    return not any(text == ANYTHING or set_members(text) for text in values)
