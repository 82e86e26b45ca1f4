"""Columns: what a publisher says about the columns beside the sets, and the attributes that follow from it."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal import hierarchies
from shoal.data.attributes import MISSING, Attribute, Line, Tree, Unit, is_missing, steps
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.relational import Relational
from shoal.data.table import Role
from shoal.errors import DataError, OptionError, cut, did_you_mean
from shoal.hierarchies import intervals
from shoal.options import listed

Type = Literal["auto", "number", "date", "time", "category"]
FEW = 20  # records below which it is chance that values differ
NEARLY_ALL = 0.95  # of the records with a value, a share of different values that makes the column an identifier
TYPES: tuple[Type, ...] = ("auto", "number", "date", "time", "category")


@dataclass(frozen=True)
class Column:
    """What is said about one column. Without a role it is a quasi-identifier, where a model is about such.

    ``hierarchy`` is for categories a :class:`Hierarchy` or a file of one (none: no groups but "anything"), for numbers
    and dates the levels of their ranges, such as ``width:5,10``, ``quantiles:8``, ``breaks:18,65`` or
    ``calendar:month,year`` (none: ranges of any ends). ``missing`` are the values that mean "not known", beside blanks.
    ``weight`` says how much its loss counts, from 0 to 1 (none: all columns the same, together 1).
    """

    role: Role | None = None
    type: Type = "auto"
    hierarchy: Hierarchy | str | Path | None = None
    missing: tuple[str, ...] = ()
    weight: float | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.type not in TYPES:
            near = did_you_mean(str(self.type), TYPES)
            raise OptionError(f"Column: type must be one of {', '.join(TYPES)}, got '{self.type}'{near}.")
        if self.role is not None:
            object.__setattr__(self, "role", role_of(self.role))
        number = isinstance(self.weight, int | float) and not isinstance(self.weight, bool)
        if self.weight is not None and not (number and 0 <= self.weight <= 1):
            raise OptionError(f"Column: weight must be a number from 0 to 1, got {self.weight}.")
        missing: object = self.missing
        if isinstance(missing, str) or not isinstance(missing, Iterable):
            raise OptionError(f"Column: missing must be a collection of values, got {missing!r}: put it in a list.")
        if not isinstance(self.hierarchy, Hierarchy | str | Path | None):
            raise OptionError(f"Column: hierarchy must be a Hierarchy, a file or levels, got {self.hierarchy!r}.")
        object.__setattr__(self, "missing", tuple(map(str, self.missing)))


def role_of(given: object, where: str = "Column") -> Role:
    """A role, or the one of that name."""
    known = {role.value: role for role in Role}
    if isinstance(given, Role):
        return given
    if not isinstance(given, str) or given not in known:
        raise OptionError(
            f"{where}: a role must be one of {', '.join(known)}, got {given!r}{did_you_mean(str(given), known)}."
        )
    return known[given]


Said = Mapping[str, Column | str]


def with_roles(data: Dataset, columns: Said) -> tuple[Dataset, dict[str, Column]]:
    """The data with the role of each column, and what is said about the quasi-identifiers.

    Who names no quasi-identifier has them all: every column that has no other role. Who names one must say of every
    column what it is: none is published untouched by mistake.
    """
    names = () if data.table is None else data.table.names
    said = {
        name: one if isinstance(one, Column) else Column(role_of(one, f"Column '{name}'"))
        for name, one in columns.items()
    }
    for name in said:
        if name not in names:
            beside = ", ".join(f"'{column}'" for column in names) or "none"
            raise OptionError(
                f"No column '{name}'{did_you_mean(name, names)} in {data.origin.name}: beside the sets there are "
                f"{beside}."
            )
    named = [name for name, one in said.items() if one.role is Role.QUASI_IDENTIFIER]
    unsaid = [name for name in names if name not in said or said[name].role is None]
    if named and unsaid:
        missing = ", ".join(f"'{cut(name)}'" for name in unsaid)
        raise OptionError(
            f"No role is given for {missing}: a quasi-identifier, an identifier "
            f"(dropped) or plain (published unchanged)? Or publish only the columns that have one: "
            f"--columns {shlex.quote(listed(named))}."
        )
    known = Role.QUASI_IDENTIFIER
    said |= {name: dataclasses.replace(said.get(name, Column()), role=known) for name in unsaid}
    if data.table is None:
        return data, {}
    roles = {name: said[name].role or known for name in names}
    table = dataclasses.replace(data.table, roles=roles)
    chosen = {name: said[name] for name in names if roles[name] is known}
    return dataclasses.replace(data, table=table), chosen


def relational(data: Dataset, columns: Mapping[str, Column]) -> Relational:
    """The quasi-identifiers of the data on their axes.

    >>> import shoal
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["19", "22", ""], "origin": ["France", "Greece", "France"], "items": [["a"]] * 3})
    >>> found = relational(shoal.read(table), {"age": Column(), "origin": Column()})
    >>> found, [attribute.denominator for attribute in found.attributes]
    (Relational(3 rows, age, origin), [3, 2])
    """
    assert data.table is not None
    attributes, places = [], []
    for name, said in columns.items():
        values, codes = values_of(data, name)
        counts = np.bincount(codes, minlength=len(values)).tolist()
        known = {text: count for text, count in zip(values, counts, strict=True) if not is_missing(text, said.missing)}
        missing = sum(known.values()) < len(data)
        attribute = _attribute(name, said, list(known), known, optional=missing)
        found = np.array([_place(attribute, text, said.missing, data, codes, at) for at, text in enumerate(values)])
        attributes.append(attribute)
        places.append(found.astype(np.int64)[codes])
    weights = [
        Fraction(1, len(columns)) if said.weight is None else Fraction(str(said.weight)) for said in columns.values()
    ]
    return Relational(tuple(attributes), tuple(places), tuple(places), tuple(weights))


def resolved(data: Dataset, original: Relational, columns: Mapping[str, Column]) -> Relational:
    """Published quasi-identifiers on the axes of the original ones: ranges and groups of a file made by any tool."""
    ends = []
    for attribute in original.attributes:
        values, codes = values_of(data, attribute.name)
        try:
            low, high = attribute.parsed(values, columns[attribute.name].missing)
        except DataError as error:
            raise DataError(f"{data.origin.name}: {error}") from None
        ends.append((low[codes], high[codes]))
    return dataclasses.replace(original, low=tuple(pair[0] for pair in ends), high=tuple(pair[1] for pair in ends))


def refuse_identifying(data: Dataset, said: Collection[str]) -> None:
    """Refuse a column of which nothing is said, and which has a different value in nearly every record.

    Such a column may name people, and would be published as it is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found: list[str] = []
    for name in () if data.table is None else data.table.names:
        if name in said:
            continue
        assert data.table is not None
        column = data.table.arrow.column(name)
        if is_nested(data, name):
            column = pa.chunked_array([[None if value is None else repr(value) for value in column.to_pylist()]])
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = column.filter(pc.not_equal(pc.utf8_trim_whitespace(column), ""))
        known = len(column) - column.null_count
        different = len(column.drop_null().unique())
        if known >= FEW and different >= NEARLY_ALL * known:
            found.append(name)
    if found:
        names, option = ", ".join(f"'{cut(name)}'" for name in found), shlex.quote(listed(found))
        what, it = (f"Column {names}", "it") if len(found) == 1 else (f"Each of the columns {names}", "them")
        raise OptionError(
            f"{what} of {data.origin.name} has a different value in nearly every record, so it may tell who a record "
            f"is about: drop {it} (--identifiers {option}), or publish {it} unchanged (--plain {option})."
        )


def values_of(data: Dataset, name: str) -> tuple[list[str], Any]:
    """The different values of a column as texts, and which of them each row has."""
    table = data.keep_columns([name]).table
    assert table is not None
    encoded = table.values(name).dictionary_encode(null_encoding="encode")
    values = ["" if value is None else _text(value) for value in encoded.dictionary.to_pylist()]
    return values, encoded.indices.to_numpy(zero_copy_only=False)


def is_nested(data: Dataset, name: str) -> bool:
    """Whether a column holds lists or structures."""
    import pyarrow as pa

    assert data.table is not None
    return bool(pa.types.is_nested(data.table.arrow.column(name).type))


def _text(value: Any) -> str:
    """A value as text: whole floats as whole numbers, dates in ISO form; midnight is a date."""
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)


def _place(attribute: Attribute, text: str, missing: Sequence[str], data: Dataset, codes: Any, at: int) -> int:
    """Where a raw value stands; an error says where it is."""
    if is_missing(text, missing):
        return int(MISSING)
    try:
        low, high = attribute.parse(text)
    except DataError as error:
        raise DataError(f"{data.origin.name}, {data.origin.place(int(np.argmax(codes == at)))}: {error}") from None
    if low != high:
        raise DataError(
            f"{data.origin.name}, {data.origin.place(int(np.argmax(codes == at)))}: column '{attribute.name}' must "
            f"hold single values, but '{cut(text)}' stands for several: give the raw data."
        )
    return low


def _attribute(
    name: str, said: Column, values: Sequence[str], counts: Mapping[str, int], *, optional: bool
) -> Attribute:
    """What a column is, by what is said about it and by its values."""
    levels = said.hierarchy if isinstance(said.hierarchy, str) and intervals.is_spec(said.hierarchy) else None
    unit = _unit(values, said, levels is not None)
    if unit is None or (said.hierarchy is not None and levels is None):
        if levels is not None and said.type == "category":
            raise OptionError(
                f"Column '{name}': '{levels}' is for numbers and dates, but the column is declared as a category: "
                f"give a hierarchy file, or another type."
            )
        if levels is not None or (said.type not in ("auto", "category") and said.hierarchy is None):
            raise _unfit(name, said, values)
        return Tree(name, _hierarchy(name, said, values), optional)
    decimals = max([_decimals(text) for text in values], default=0) if unit == "number" else 0
    try:
        places = {steps(text, unit, decimals) for text in values}
    except ValueError:
        raise _unfit(name, said, values) from None
    first, last = min(places, default=0), max(places, default=0)
    if levels is None or not values:
        return Line(name, first, last, decimals, unit)
    points = np.array(sorted(places), dtype=np.int64)
    at = np.searchsorted(points, [steps(text, unit, decimals) for text in values])
    weighed = np.zeros_like(points)
    np.add.at(weighed, at, [counts[text] for text in values])  # 1.5 and 1.50 are one value
    begins, ends, made = intervals.levels(levels, points, weighed, decimals, unit, name)
    return Line(name, min(first, begins), max(last, ends), decimals, unit, made)


def _hierarchy(name: str, said: Column, values: Sequence[str]) -> Hierarchy:
    """The hierarchy of a category column; flat if none is given."""
    if said.hierarchy is None:
        return Hierarchy.flat(values or ["?"], f"of column '{name}'")
    if isinstance(said.hierarchy, Hierarchy):
        return said.hierarchy
    if isinstance(said.hierarchy, str) and ":" in said.hierarchy and not os.path.exists(said.hierarchy):
        near = did_you_mean(said.hierarchy.partition(":")[0], intervals.KINDS)
        raise OptionError(
            f"Column '{name}': '{said.hierarchy}' is neither a file nor a kind of ranges{near}: write for instance "
            f"{'; '.join(intervals.KINDS.values())}."
        )
    return hierarchies.load(said.hierarchy)


def _unit(values: Sequence[str], said: Column, ordered: bool) -> Unit | None:
    """What the values can be read as; none: categories. Codes such as 007 are no numbers, unless it is said."""
    if said.type != "auto":
        return None if said.type == "category" else said.type
    if not values:
        return "number" if ordered else None
    if all(_is_number(text) for text in values):
        return "number"
    for unit in ("date", "time"):
        try:
            for text in values:
                steps(text, unit)
        except ValueError:
            continue
        return unit
    return None


def _is_number(text: str) -> bool:
    """Whether a text is a number as people write it, and not a code such as 007, +7 or 1_000."""
    return _NUMBER.fullmatch(text.strip()) is not None


_NUMBER = re.compile(r"-?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d+)?(?<=[\d])", re.ASCII)


def _decimals(text: str) -> int:
    """Digits behind the point."""
    try:
        exponent = Decimal(text.strip()).normalize().as_tuple().exponent
    except ArithmeticError:  # not a number, or one beyond what decimals can hold
        return 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _is_finite(text: str) -> bool:
    """Whether a text is a number, however large."""
    try:
        return Decimal(text.strip()).is_finite()
    except ArithmeticError:  # not a number, or one beyond what decimals can hold
        return False


def _unfit(name: str, said: Column, values: Sequence[str]) -> DataError:
    """The first value that is not of the type that was asked for."""
    wanted = said.type if said.type != "auto" else "number"
    unit: Unit = "number" if wanted == "category" else wanted
    for text in values:
        try:
            steps(text, unit, _decimals(text))
        except ValueError:
            if unit == "number" and _is_finite(text):
                break
            return DataError(
                f"Column '{name}': '{cut(text)}' is not a {wanted}: correct it, name it as missing, or declare the "
                f"column as a category."
            )
    return DataError(
        f"Column '{name}' holds numbers with more digits, before and behind the point together, than can be told apart "
        f"exactly (about 18): round them, or declare it as a category."
    )
