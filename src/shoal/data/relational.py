"""Relational: the quasi-identifying columns of each record, as intervals on the axes of their attributes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, frozen
from shoal.data.attributes import Attribute
from shoal.errors import DataError


@dataclass(frozen=True, eq=False)
class Relational:
    """Row r has, in attribute a, the values from ``low[a][r]`` to ``high[a][r]``; raw values are single ones.

    >>> from shoal.data.attributes import OrderedAttribute
    >>> raw = Relational((OrderedAttribute("age", 19, 70),), (np.array([19, 22, 70]),), (np.array([19, 22, 70]),))
    >>> generalized = raw.generalized(np.array([0, 0, 1]))
    >>> generalized.columns(), generalized.classes.tolist(), bool(generalized.covers(raw).all())
    ([['[19:22]', '[19:22]', '70']], [0, 0, 1], True)
    """

    attributes: tuple[Attribute, ...]
    low: tuple[Counts, ...]
    high: tuple[Counts, ...]
    weights: tuple[Fraction, ...] = ()  # how much the loss of each attribute counts; none: the same, together 1

    def __post_init__(self) -> None:
        """Freeze."""
        for name in ("low", "high"):
            object.__setattr__(self, name, tuple(frozen(ends, np.int64) for ends in getattr(self, name)))
        if not self.attributes or len({len(self.attributes), len(self.low), len(self.high)}) > 1:
            raise DataError("Relational: every attribute needs its values, and there must be at least one.")
        if not self.weights:
            object.__setattr__(self, "weights", (Fraction(1, len(self.attributes)),) * len(self.attributes))

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.low[0])

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Relational({len(self):,} rows, {', '.join(attribute.name for attribute in self.attributes)})"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(attribute.name for attribute in self.attributes)

    def take(self, rows: Counts) -> Relational:
        """Some of the rows, in the given order."""
        low, high = (tuple(part[rows] for part in ends) for ends in (self.low, self.high))
        return replace(self, low=low, high=high)

    def spans(self, group_of: Counts) -> tuple[tuple[Counts, ...], tuple[Counts, ...]]:
        """For each attribute, between which ends the rows of each group lie (groups are 0, 1, ..)."""
        groups = int(group_of.max(initial=-1)) + 1
        low = [np.full(groups, np.iinfo(np.int64).max) for _ in self.attributes]
        high = [np.full(groups, np.iinfo(np.int64).min) for _ in self.attributes]
        for at in range(len(self.attributes)):
            np.minimum.at(low[at], group_of, self.low[at])
            np.maximum.at(high[at], group_of, self.high[at])
        return tuple(low), tuple(high)

    def generalized(self, group_of: Counts) -> Relational:
        """The rows of each group with the same values: the smallest that can be published for all of them."""
        ends = [
            attribute.generalize(low, high)
            for attribute, low, high in zip(self.attributes, *self.spans(group_of), strict=True)
        ]
        low, high = (tuple(pair[side][group_of] for pair in ends) for side in (0, 1))
        return replace(self, low=low, high=high)

    @cached_property
    def classes(self) -> Counts:
        """Which rows have equal values in all attributes: classes numbered by their first rows."""
        return numbered([part for ends in (self.low, self.high) for part in ends])

    def covers(self, raw: Relational) -> npt.NDArray[np.bool_]:
        """For each row, whether its values cover those of the other."""
        inside = np.ones(len(self), dtype=np.bool_)
        for low, high, inner, outer in zip(self.low, self.high, raw.low, raw.high, strict=True):
            inside &= (low <= inner) & (outer <= high)
        return inside

    def columns(self) -> list[list[str | None]]:
        """The published form of each column; none: missing."""
        ends = zip(self.attributes, self.low, self.high, strict=True)
        return [attribute.texts(low, high) for attribute, low, high in ends]

    def penalties(self) -> list[npt.NDArray[np.float64]]:
        """For each attribute, NCP of each row."""
        ends = zip(self.attributes, self.low, self.high, strict=True)
        return [attribute.penalties(low, high) for attribute, low, high in ends]


def numbered(parts: Iterable[npt.NDArray[np.generic]]) -> Counts:
    """One number for each row of some columns, the same for equal rows, in the order of their first rows.

    >>> numbered([np.array([7, 3, 7]), np.array(["a", "a", "a"])]).tolist()
    [0, 1, 0]
    """
    marks: Counts | None = None
    for part in parts:
        values, codes = np.unique(part, return_inverse=True)
        joint = codes.astype(np.int64) if marks is None else marks * len(values) + codes
        _, first, back = np.unique(joint, return_index=True, return_inverse=True)
        marks = np.argsort(np.argsort(first))[back]
    assert marks is not None, "there must be a column"
    return marks
