"""AxisValues: the values of one attribute for many rows. Few of them differ, so each row has a small number only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts, frozen
from shoal.engines import current


@dataclass(frozen=True, eq=False)
class AxisValues:
    """The value of row r lies between ``low[of[r]]`` and ``high[of[r]]``.

    Two numbers may stand for the same value, and a number may stand for a value that no row has.

    >>> ages = AxisValues.of_rows(np.array([19, 70, 19]), np.array([22, 70, 22]))
    >>> ages.of.tolist(), ages.low.tolist(), ages.high.tolist(), ages.of.dtype
    ([0, 1, 0], [19, 70], [22, 70], dtype('uint8'))
    """

    of: npt.NDArray[np.integer[Any]]  # the number of each row's value
    low: Counts
    high: Counts

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "of", frozen(self.of, self.of.dtype.type))
        object.__setattr__(self, "low", frozen(self.low, np.int64))
        object.__setattr__(self, "high", self.low if self.high is self.low else frozen(self.high, np.int64))

    @classmethod
    def of_rows(cls, low: npt.ArrayLike, high: npt.ArrayLike) -> AxisValues:
        """Build it from the ends of each row's value."""
        pairs, of = np.unique(np.stack([np.asarray(low), np.asarray(high)]), axis=1, return_inverse=True)
        return cls(narrow(of.reshape(-1), pairs.shape[1]), *pairs)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.of)

    def take(self, rows: Counts) -> AxisValues:
        """Return some of the rows, in the given order."""
        return AxisValues(self.of[rows], self.low, self.high)

    def part(self, rows: slice) -> AxisValues:
        """Return some consecutive rows without copying them."""
        return AxisValues(self.of[rows], self.low, self.high)

    @property
    def lows(self) -> Counts:
        """The low end of each row's value."""
        lows: Counts = self.low[self.of]
        return lows

    @property
    def highs(self) -> Counts:
        """The high end of each row's value."""
        highs: Counts = self.high[self.of]
        return highs

    @cached_property
    def counts(self) -> Counts:
        """The number of rows that have each of the values."""
        return np.bincount(self.of, minlength=len(self.low)).astype(np.int64)

    @property
    def used(self) -> Counts:
        """The numbers of the values that some row has."""
        return np.flatnonzero(self.counts)


def narrow(numbers: npt.NDArray[np.integer[Any]], different: int) -> npt.NDArray[np.integer[Any]]:
    """Return numbers below ``different`` in the smallest type that holds them.

    >>> narrow(np.array([0, 299]), 300).dtype
    dtype('uint16')
    """
    return numbers.astype(narrowest(different), copy=False)


def narrowest(different: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type for numbers below ``different``."""
    return np.min_scalar_type(max(0, different - 1)).type


def collected(pieces: Iterable[npt.NDArray[np.integer[Any]]], different: int, rows: int) -> npt.NDArray[Any]:
    """Return numbers below ``different`` that come in pieces as one array, in a file if they are very many."""
    numbers = current().collect(narrowest(different), rows)
    numbers.extend(pieces)
    return numbers.array()
