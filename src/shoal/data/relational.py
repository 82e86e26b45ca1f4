"""Relational: the quasi-identifying columns of each record, as positions on the axes of their attributes."""

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
    """The quasi-identifiers. The value of row r in attribute a lies between ``low[a][r]`` and ``high[a][r]``.

    Raw values have equal ends.

    >>> from shoal.data.ordered import OrderedAttribute
    >>> raw = Relational((OrderedAttribute("age", 19, 70),), (np.array([19, 22, 70]),), (np.array([19, 22, 70]),))
    >>> generalized = raw.generalized(np.array([0, 0, 1]))
    >>> generalized.columns(), generalized.classes.tolist(), bool(generalized.covers(raw).all())
    ([['[19:22]', '[19:22]', '70']], [0, 0, 1], True)
    """

    attributes: tuple[Attribute, ...]
    low: tuple[Counts, ...]
    high: tuple[Counts, ...]
    weights: tuple[Fraction, ...] = ()  # the share of each attribute in the loss; default: equal shares

    def __post_init__(self) -> None:
        """Freeze."""
        for name in ("low", "high"):
            object.__setattr__(self, name, tuple(frozen(ends, np.int64) for ends in getattr(self, name)))
        if not self.attributes or len({len(self.attributes), len(self.low), len(self.high)}) > 1:
            raise DataError("Relational: wanted at least one attribute, and low and high values for each.")
        if not self.weights:
            object.__setattr__(self, "weights", (Fraction(1, len(self.attributes)),) * len(self.attributes))

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.low[0])

    def __repr__(self) -> str:
        """Describe the size and the columns without showing any data."""
        return f"Relational({len(self):,} rows, {', '.join(attribute.name for attribute in self.attributes)})"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(attribute.name for attribute in self.attributes)

    def take(self, rows: Counts) -> Relational:
        """Return some of the rows, in the given order."""
        low, high = (tuple(part[rows] for part in ends) for ends in (self.low, self.high))
        return replace(self, low=low, high=high)

    def generalized(self, group_of: Counts) -> Relational:
        """Return the rows with equal values in each group: the smallest generalization that covers its rows."""
        merged = [attribute.merged(low, group_of) for attribute, low in zip(self.attributes, self.low, strict=True)]
        attributes, low, high = zip(*merged, strict=True)
        low, high = (tuple(ends[group_of] for ends in side) for side in (low, high))
        return replace(self, attributes=attributes, low=low, high=high)

    @cached_property
    def classes(self) -> Counts:
        """Return the class of each row.

        Rows with equal values in all attributes share one. Classes are numbered by their first rows.
        """
        return numbered([part for ends in (self.low, self.high) for part in ends])

    def covers(self, raw: Relational) -> npt.NDArray[np.bool_]:
        """Return for each row whether its values cover the original ones."""
        inside = np.ones(len(self), dtype=np.bool_)
        for attribute, low, high, places in zip(self.attributes, self.low, self.high, raw.low, strict=True):
            inside &= attribute.covers(low, high, places)
        return inside

    def columns(self) -> list[list[str | None]]:
        """Return the published text of each value, column by column. None is a missing value."""
        ends = zip(self.attributes, self.low, self.high, strict=True)
        return [attribute.texts(low, high) for attribute, low, high in ends]

    def penalties(self) -> list[npt.NDArray[np.float64]]:
        """Return the NCP of each row, attribute by attribute."""
        ends = zip(self.attributes, self.low, self.high, strict=True)
        return [attribute.penalties(low, high) for attribute, low, high in ends]


def numbered(parts: Iterable[npt.NDArray[np.generic]]) -> Counts:
    """Return one number for each row of some columns. Equal rows share a number. Numbers follow the first rows.

    >>> numbered([np.array([7, 3, 7]), np.array(["a", "a", "a"])]).tolist()
    [0, 1, 0]
    """
    marks: Counts | None = None
    for part in parts:
        codes, different = _coded(part)
        marks = codes if marks is None else _coded(marks * different + codes)[0]
    assert marks is not None, "there must be a column"
    return marks


def _coded(values: npt.NDArray[np.generic]) -> tuple[Counts, int]:
    """Return a number for each value, by first rows, and how many there are. Arrow hashes, which beats sorting."""
    import pyarrow as pa

    encoded = pa.array(values).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)
