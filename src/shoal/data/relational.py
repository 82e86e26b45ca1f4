"""Relational: the quasi-identifying columns of each record, as positions on the axes of their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts, frozen
from shoal.data.attributes import Attribute
from shoal.data.axis_values import AxisValues, narrow, narrowest
from shoal.errors import DataError

_ROWS = 1 << 18  # rows whose values are compared at a time


@dataclass(frozen=True, eq=False)
class Relational:
    """The quasi-identifiers of many rows: the values of each attribute (:class:`AxisValues`).

    Raw values have equal ends.

    >>> from shoal.data.ordered import OrderedAttribute
    >>> raw = Relational.of_rows((OrderedAttribute("age", 19, 70),), [np.array([19, 22, 70])])
    >>> generalized = raw.generalized(np.array([0, 0, 1]))
    >>> generalized.columns(), generalized.classes.tolist(), bool(generalized.covers(raw).all())
    ([['[19:22]', '[19:22]', '70']], [0, 0, 1], True)
    """

    attributes: tuple[Attribute, ...]
    values: tuple[AxisValues, ...]
    weights: tuple[Fraction, ...] = ()  # the share of each attribute in the loss; default: equal shares

    def __post_init__(self) -> None:
        """Set default weights."""
        if not self.attributes or len(self.attributes) != len(self.values):
            raise DataError("Relational: wanted at least one attribute, and low and high values for each.")
        if not self.weights:
            object.__setattr__(self, "weights", (Fraction(1, len(self.attributes)),) * len(self.attributes))

    @classmethod
    def of_rows(
        cls,
        attributes: Iterable[Attribute],
        low: Sequence[Counts],
        high: Sequence[Counts] | None = None,
        weights: Iterable[Fraction] = (),
    ) -> Relational:
        """Build it from the ends of each row's value, attribute by attribute. Without ``high``, both are the same."""
        ends = zip(low, low if high is None else high, strict=True)
        return cls(tuple(attributes), tuple(AxisValues.of_rows(*both) for both in ends), tuple(weights))

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.values[0])

    def __repr__(self) -> str:
        """Describe the size and the columns without showing any data."""
        return f"Relational({len(self):,} rows, {', '.join(attribute.name for attribute in self.attributes)})"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def _columns(self) -> Iterator[tuple[Attribute, AxisValues]]:
        """Iterate over the attributes and their values."""
        return zip(self.attributes, self.values, strict=True)

    def take(self, rows: Counts) -> Relational:
        """Return some of the rows, in the given order."""
        return replace(self, values=tuple(values.take(rows) for values in self.values))

    def generalized(self, group_of: Counts) -> Relational:
        """Return the rows with equal values in each group: the smallest generalization that covers its rows."""
        merged = [attribute.merged(values.lows, group_of) for attribute, values in self._columns]
        of = frozen(narrow(group_of, len(merged[0][1])), narrowest(len(merged[0][1])))
        values = tuple(AxisValues(of, low, high) for _, low, high in merged)
        return replace(self, attributes=tuple(attribute for attribute, *_ in merged), values=values)

    @cached_property
    def classes(self) -> Counts:
        """Return the class of each row.

        Rows with equal values in all attributes share one. Classes are numbered by their first rows.
        """
        first = self.values[0].of
        if all(values.of is first for values in self.values):  # the rows of a group have equal values
            return numbered([numbered([ends for one in self.values for ends in (one.low, one.high)])[first]])
        return numbered(numbered([one.low, one.high])[one.of] for one in self.values)

    def covers(self, raw: Relational) -> npt.NDArray[np.bool_]:
        """Return for each row whether its values cover the original ones."""
        inside = np.ones(len(self), dtype=np.bool_)
        for start in range(0, len(self), _ROWS):
            rows = slice(start, start + _ROWS)
            for (attribute, values), was in zip(self._columns, raw.values, strict=True):
                part, places = values.part(rows), was.part(rows)
                inside[rows] &= attribute.covers(part.lows, part.highs, places.lows)
        return inside

    def texts(self) -> list[list[str | None]]:
        """Return the published text of each of the numbered values, attribute by attribute. None is a missing value."""
        return [attribute.texts(values.low, values.high) for attribute, values in self._columns]

    def columns(self) -> list[list[str | None]]:
        """Return the published text of each row, column by column."""
        parts = zip(self.texts(), self.values, strict=True)
        return [[texts[at] for at in values.of.tolist()] for texts, values in parts]

    def penalties(self) -> list[npt.NDArray[np.float64]]:
        """Return the NCP of each row, attribute by attribute."""
        return [attribute.penalties(values.low, values.high)[values.of] for attribute, values in self._columns]


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


def first_rows(group_of: Counts) -> Counts:
    """Return the first row of each group. Groups are 0, 1, .. in the order of their first rows.

    >>> first_rows(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    highest = np.maximum.accumulate(group_of)
    return np.flatnonzero(np.diff(highest, prepend=-1))


def _coded(values: npt.NDArray[np.generic]) -> tuple[Counts, int]:
    """Return a number for each value, by first rows, and how many there are. Arrow hashes, which beats sorting."""
    import pyarrow as pa

    encoded = pa.array(values).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)
