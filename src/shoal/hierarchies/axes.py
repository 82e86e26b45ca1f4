"""Axes: the quasi-identifying columns of data as attributes, by their specs and their values."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from shoal import hierarchies
from shoal.data import bands
from shoal.data.arrays import frozen
from shoal.data.attributes import MISSING, Attribute, is_missing
from shoal.data.axis_values import AxisValues
from shoal.data.categories import CategoricalAttribute
from shoal.data.collections import CollectionAttribute, can_be_collected
from shoal.data.columns import Column, values_of
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.ordered import OrderedAttribute, Unit, axis_position
from shoal.data.relational import Relational
from shoal.errors import DataError, OptionError, did_you_mean, shorten
from shoal.hierarchies import intervals


def relational(data: Dataset, columns: Mapping[str, Column]) -> Relational:
    """Return the quasi-identifiers of the data on their axes.

    >>> import shoal
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["19", "22", ""], "origin": ["France", "Greece", "France"], "items": [["a"]] * 3})
    >>> axes = relational(shoal.read(table), {"age": Column(), "origin": Column()})
    >>> axes, [attribute.denominator for attribute in axes.attributes]
    (Relational(3 rows, age, origin), [3, 2])
    """
    assert data.table is not None
    attributes, placed = [], []
    for name, column in columns.items():
        values, codes = values_of(data, name)
        counts = np.bincount(codes, minlength=len(values)).tolist()
        known = {
            text: count for text, count in zip(values, counts, strict=True) if not is_missing(text, column.missing)
        }
        missing = sum(known.values()) < len(data)
        attribute = _attribute(name, column, list(known), known, optional=missing)
        positions = [_place(attribute, text, column.missing, data, codes, at) for at, text in enumerate(values)]
        places = frozen(positions, np.int64)
        attributes.append(attribute)
        placed.append(AxisValues(codes, places, places))
    weights = [
        Fraction(1, len(columns)) if column.weight is None else Fraction(str(column.weight))
        for column in columns.values()
    ]
    return Relational(tuple(attributes), tuple(placed), tuple(weights))


def resolved(data: Dataset, original: Relational, columns: Mapping[str, Column]) -> Relational:
    """Return published quasi-identifiers on the axes of the original ones. Any tool may have made the file."""
    published = []
    for attribute in original.attributes:
        values, codes = values_of(data, attribute.name)
        try:
            own, low, high = attribute.resolved(values, columns[attribute.name].missing)
        except DataError as error:
            raise DataError(f"{data.origin.name}: {error}") from None
        published.append((own, AxisValues(codes, low, high)))
    attributes, places = zip(*published, strict=True)
    return dataclasses.replace(original, attributes=attributes, values=places)


def _place(attribute: Attribute, text: str, missing: Sequence[str], data: Dataset, codes: Any, at: int) -> int:
    """Return the position of a raw value. An error names its place in the file."""
    if is_missing(text, missing):
        return int(MISSING)
    try:
        low, high = attribute.parse(text)
    except DataError as error:
        raise DataError(f"{data.origin.name}, {data.origin.place(int(np.argmax(codes == at)))}: {error}") from None
    if low != high:
        raise DataError(
            f"{data.origin.name}, {data.origin.place(int(np.argmax(codes == at)))}: column '{attribute.name}' must "
            f"hold single values, but '{shorten(text)}' represents several: give the raw data."
        )
    return low


def _attribute(
    name: str, column: Column, values: Sequence[str], counts: Mapping[str, int], *, optional: bool
) -> Attribute:
    """Return the attribute of a column, by its spec and its values."""
    if column.order:
        return _in_stated_order(name, column.order, values, optional=optional)
    levels = column.hierarchy if isinstance(column.hierarchy, str) and intervals.is_spec(column.hierarchy) else None
    unit = _unit(values, column, levels is not None)
    if unit is None or (column.hierarchy is not None and levels is None):
        if levels is not None and column.type == "category":
            raise OptionError(
                f"Column '{name}': '{levels}' is for numbers and dates, but the column is a category: "
                f"give a hierarchy file, or declare another type."
            )
        if levels is not None or (column.type not in ("auto", "category") and column.hierarchy is None):
            raise _unfit(name, column, values)
        if column.type == "auto" and column.hierarchy is None and (order := bands.recognised(values)):
            return bands.BandedAttribute.of(name, order, optional=optional)
        if column.hierarchy is None and can_be_collected(values):
            return CollectionAttribute.of(name, values, optional=optional)
        return CategoricalAttribute(name, _hierarchy(name, column, values), optional)
    decimals = max([_decimals(text) for text in values], default=0) if unit == "number" else 0
    try:
        places = {axis_position(text, unit, decimals) for text in values}
    except ValueError:
        raise _unfit(name, column, values) from None
    first, last = min(places, default=0), max(places, default=0)
    if levels is None or not values:
        return OrderedAttribute(name, first, last, decimals, unit)
    points = np.array(sorted(places), dtype=np.int64)
    at = np.searchsorted(points, [axis_position(text, unit, decimals) for text in values])
    weighed = np.zeros_like(points)
    np.add.at(weighed, at, [counts[text] for text in values])  # 1.5 and 1.50 are one value
    begins, ends, starts = intervals.levels(levels, points, weighed, decimals, unit, name)
    return OrderedAttribute(name, min(first, begins), max(last, ends), decimals, unit, starts)


def _in_stated_order(name: str, order: Sequence[str], values: Sequence[str], *, optional: bool) -> Attribute:
    """Return the attribute of a column whose values have a given order."""
    if unknown := [text for text in values if text not in order]:
        raise DataError(
            f"Column '{name}': '{shorten(unknown[0])}' is not in the given order"
            f"{did_you_mean(unknown[0], order)} ({shorten(', '.join(order))}): add it, or declare it as missing."
        )
    return bands.BandedAttribute.of(name, order, optional=optional)


def _hierarchy(name: str, column: Column, values: Sequence[str]) -> Hierarchy:
    """Return the hierarchy of a category column. It is flat if none is given."""
    if column.hierarchy is None:
        return Hierarchy.flat(values or ["?"], f"of column '{name}'")
    if isinstance(column.hierarchy, Hierarchy):
        return column.hierarchy
    if isinstance(column.hierarchy, str) and ":" in column.hierarchy and not os.path.exists(column.hierarchy):
        near = did_you_mean(column.hierarchy.partition(":")[0], intervals.KINDS)
        raise OptionError(
            f"Column '{name}': '{column.hierarchy}' is neither a file nor a description of ranges{near}: write for "
            f"instance {'; '.join(intervals.KINDS.values())}."
        )
    return hierarchies.load(column.hierarchy)


def _unit(values: Sequence[str], column: Column, ordered: bool) -> Unit | None:
    """Return the unit of the values, or None for categories. Codes such as 007 are numbers only if the spec says so."""
    if column.type != "auto":
        return None if column.type == "category" else column.type
    if not values:
        return "number" if ordered else None
    if all(_is_number(text) for text in values):
        return "number"
    for unit in ("date", "time"):
        try:
            for text in values:
                axis_position(text, unit)
        except ValueError:
            continue
        return unit
    return None


def _is_number(text: str) -> bool:
    """Whether a text is a number as people write it, and not a code such as 007, +7 or 1_000."""
    return _NUMBER.fullmatch(text.strip()) is not None


_NUMBER = re.compile(r"-?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d+)?(?<=[\d])", re.ASCII)


def _decimals(text: str) -> int:
    """Return the number of digits after the decimal point."""
    try:
        exponent = Decimal(text.strip()).normalize().as_tuple().exponent
    except ArithmeticError:  # not a number, or too large for a decimal
        return 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _is_finite(text: str) -> bool:
    """Whether a text is a number, however large."""
    try:
        return Decimal(text.strip()).is_finite()
    except ArithmeticError:  # not a number, or too large for a decimal
        return False


def _unfit(name: str, column: Column, values: Sequence[str]) -> DataError:
    """Return the error for the first value that does not have the requested type."""
    wanted = column.type if column.type != "auto" else "number"
    unit: Unit = "number" if wanted == "category" else wanted
    for text in values:
        try:
            axis_position(text, unit, _decimals(text))
        except ValueError:
            if unit == "number" and _is_finite(text):
                break
            return DataError(
                f"Column '{name}': '{shorten(text)}' is not a {wanted}: correct it, declare it as missing, or declare "
                f"the column as a category."
            )
    return DataError(
        f"Column '{name}' holds numbers with more digits than can be compared exactly (about 18, before and after the "
        f"decimal point together): round them, or declare the column as a category."
    )
