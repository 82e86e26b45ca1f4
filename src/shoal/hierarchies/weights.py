"""How much the loss of each item counts: keep medicines precise, toys may blur.

A weight is given for an item or for a group, where it holds for all items below that have none of their own, nor a
group nearer to them that has one. Items without any weight 1. Weights are exact decimals, so that a search can
compare costs as whole numbers.
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

DIGITS = 6  # behind the decimal point
LARGEST = 1_000_000


@dataclass(frozen=True, eq=False)
class Weights:
    """Label of an item or group -> weight.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> Weights({"A": 2.5, "a2": 0}).per_item(h).tolist()  # in halves
    [5, 0, 2, 2]
    """

    values: Mapping[str, float]
    name: str = "weights"
    places: Mapping[str, str] = field(default_factory=dict)  # label -> where it was given
    sha256: str | None = None  # of the file

    def __post_init__(self) -> None:
        """Refuse what is not a weight."""
        for label, value in self.values.items():
            _parse(str(value), self._where(label))

    def __repr__(self) -> str:
        """In figures."""
        return f"Weights({self.name}, {len(self.values):,} labels)"

    @classmethod
    def load(cls, path: str | Path) -> Weights:
        """Read a table of two columns, a label and its weight; a header ``item,weight`` may come first."""
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
                raise OptionError(f"{place}: wanted an item or group and its weight, got {len(row.cells)} cell(s).")
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
        """The weight of every item as a whole number, all in the same unit. ``sensitive``: labels that have none."""
        weights = [Decimal(1)] * hierarchy.n_leaves
        nodes = {}
        for label, value in self.values.items():
            if label not in hierarchy.code_of and label in sensitive:
                raise OptionError(
                    f"{self._where(label)} is sensitive and never generalized, so its weight counts for nothing: "
                    f"remove it."
                )
            if label not in hierarchy.code_of:
                raise OptionError(
                    f"{self._where(label)} is neither an item nor a group of the hierarchy {hierarchy.name}"
                    f"{did_you_mean(label, hierarchy.labels)}: correct or remove it."
                )
            nodes[hierarchy.code_of[label]] = _parse(str(value), self._where(label))
        for node in sorted(nodes, reverse=True):  # groups come before what is in them
            first, stop = hierarchy.span[node]
            weights[first:stop] = [nodes[node]] * int(stop - first)
        units = [int(weight.scaleb(DIGITS)) for weight in weights]
        divisor = math.gcd(*units) or 1
        return np.array([unit // divisor for unit in units], dtype=np.int64)

    def _where(self, label: str) -> str:
        """The weight of a label, for messages."""
        place = self.places.get(label)
        return f"{place + ': ' if place else self.name + ': '}'{shorten(label)}'"


def _parse(text: str, where: str) -> Decimal:
    """An exact weight, or an error that says where."""
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
