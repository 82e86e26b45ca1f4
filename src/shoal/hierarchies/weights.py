"""How much the loss of each item counts, for instance to keep medicines more precise than toys.

A weight is given for an item or for a group. The weight of a group holds for all items below it, unless the item or a
nearer group has its own weight. All other items have weight 1. Weights are exact decimals, so that a search can compare
costs as whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from shoal import files
from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError, OptionError, did_you_mean, shorten
from shoal.hierarchies.delimited import read_rows

DIGITS = 6  # after the decimal point
LARGEST = 1_000_000


@dataclass(frozen=True, eq=False)
class Weights:
    """How much the loss of each item counts.

    Parameters
    ----------
    values : mapping of str to float
        The weight of each item or group, from 0 to 1,000,000 with at most six decimals. Other items have weight 1.
    name : str
        The file they came from, for messages.
    places : mapping of str to str
        Where each weight is given, for messages.
    sha256 : str, optional
        The hash of the file.

    Raises
    ------
    OptionError
        A weight is not a number in this range.

    Examples
    --------
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> Weights({"A": 2.5, "a2": 0}).per_item(h).tolist()  # in halves
    [5, 0, 2, 2]
    """

    values: Mapping[str, float]
    name: str = "weights"
    places: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None

    def __post_init__(self) -> None:
        """Refuse invalid weights."""
        for label, value in self.values.items():
            _parse(str(value), self._where(label))

    def __repr__(self) -> str:
        """Describe the size."""
        return f"Weights({self.name}, {len(self.values):,} labels)"

    @classmethod
    def load(cls, path: str | Path) -> Weights:
        """Read weights from a table of two columns: a label and its weight.

        Parameters
        ----------
        path : path
            The file. A header ``item,weight`` may come first.

        Returns
        -------
        Weights

        Raises
        ------
        OptionError
            The file does not have two columns, or a weight is invalid. The message names the line.
        """
        name = str(path)
        content = files.load(path)
        try:
            rows = read_rows(content.text(), name, None)
        except HierarchyError:
            raise OptionError(f"{name}: wanted two columns, an item or group and its weight, got one.") from None
        values: dict[str, float] = {}
        places: dict[str, str] = {}
        for at, row in enumerate(rows):
            place = f"{name}, {row.place}"
            if len(row.cells) != 2:
                raise OptionError(f"{place}: wanted an item or group and its weight, got {len(row.cells)} cells.")
            label, value = row.cells
            if at == 0 and value.strip().lower() == "weight":
                continue
            if label in values:
                raise OptionError(f"{place}: '{shorten(label)}' has a weight already ({places[label]}): remove one.")
            values[label], places[label] = float(_parse(value.strip(), place)), place
        if not values:
            raise OptionError(f"{name} holds no weights: wanted rows such as 'milk,2.5'.")
        return cls(values, Path(path).name, places, content.sha256)

    def per_item(self, hierarchy: Hierarchy, sensitive: Collection[str] = ()) -> Counts:
        """Return the weight of every item as a whole number, all in the same unit.

        Parameters
        ----------
        hierarchy : Hierarchy
            The hierarchy of the items.
        sensitive : collection of str
            Labels that cannot have a weight, because they are never generalized.

        Returns
        -------
        array of int

        Raises
        ------
        OptionError
            A label is unknown or sensitive.
        """
        weights = [Decimal(1)] * hierarchy.n_leaves
        nodes = {}
        for label, value in self.values.items():
            if label not in hierarchy.code_of and label in sensitive:
                raise OptionError(
                    f"{self._where(label)} is sensitive and never generalized, so its weight has no effect: remove it."
                )
            if label not in hierarchy.code_of:
                raise OptionError(
                    f"{self._where(label)} is neither an item nor a group of the hierarchy {hierarchy.name}"
                    f"{did_you_mean(label, hierarchy.labels)}: correct or remove it."
                )
            nodes[hierarchy.code_of[label]] = _parse(str(value), self._where(label))
        for node in sorted(nodes, reverse=True):  # groups come before their members
            first, stop = hierarchy.span[node]
            weights[first:stop] = [nodes[node]] * int(stop - first)
        units = [int(weight.scaleb(DIGITS)) for weight in weights]
        divisor = math.gcd(*units) or 1
        return np.array([unit // divisor for unit in units], dtype=np.int64)

    def _where(self, label: str) -> str:
        """Return the place of a label's weight, for messages."""
        place = self.places.get(label)
        return f"{place + ': ' if place else self.name + ': '}'{shorten(label)}'"


def _parse(text: str, where: str) -> Decimal:
    """Return an exact weight, or raise an error with its place."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value <= LARGEST or value.scaleb(DIGITS) % 1:
        raise OptionError(
            f"{where}: a weight must be a number from 0 to {LARGEST} with at most {DIGITS} decimals, got "
            f"'{shorten(text)}'."
        )
    return value
