"""Columns: the roles, types and hierarchies of the columns other than the sets."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data.arrow import arrow_text
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role
from shoal.errors import OptionError, did_you_mean, shorten
from shoal.options import listed

Type = Literal["auto", "number", "date", "time", "category"]
_ID = re.compile(
    r"(.*[\W_])?((?i:id|key|uuid|user|customer|household|person|patient|member|account|client))"
    r"|.*[\W_](?i:no|nr|number)|.*[a-z](ID|Id)"
)
FEW = 20  # with fewer records, values may all differ by chance
NEARLY_ALL = 0.95  # a column is identifying if at least this share of its values differ
TYPES: tuple[Type, ...] = ("auto", "number", "date", "time", "category")


@dataclass(frozen=True)
class Column:
    """The role, type and hierarchy of one column other than the sets.

    Parameters
    ----------
    role : Role or str, optional
        ``"identifier"``, ``"quasi-identifier"``, ``"sensitive"`` or ``"plain"``. Without a role, the column is a
        quasi-identifier if the model protects columns.
    type : {"auto", "number", "date", "time", "category"}
        How values are read. ``"auto"`` decides by the values.
    hierarchy : Hierarchy, str or Path, optional
        For categories, a :class:`Hierarchy` or its file. For numbers and dates, the levels of their ranges:
        ``"width:5,10"``, ``"quantiles:8"``, ``"breaks:18,65"`` or ``"calendar:month,year"``. By default, categories are
        published as collections of values, and numbers and dates as ranges with any ends.
    missing : collection of str
        Values that mean "missing". Blank values always do.
    weight : float, optional
        How much the loss of the column counts, from 0 to 1. By default, all columns count the same.
    order : sequence of str
        The values of an ordered column from the smallest to the largest, such as ``("small", "medium", "large")``.
        Neighbours are published as a range. Bands such as ``25-34`` and ``65+`` need no order.

    Raises
    ------
    OptionError
        A value is out of range, or ``order`` is combined with ``type`` or ``hierarchy``.

    Examples
    --------
    >>> age = Column("quasi-identifier", hierarchy="width:5,10", missing=["?"])
    >>> age.role, age.missing
    (<Role.QUASI_IDENTIFIER: 'quasi-identifier'>, ('?',))
    """

    role: Role | None = None
    type: Type = "auto"
    hierarchy: Hierarchy | str | Path | None = None
    missing: tuple[str, ...] = ()
    weight: float | None = None
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the values."""
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
        order: object = self.order
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise OptionError(f"Column: order must be a list of values, got {order!r}.")
        object.__setattr__(self, "order", tuple(map(str, self.order)))
        if self.order and (len(set(self.order)) < len(self.order) or len(self.order) < 2):
            raise OptionError(f"Column: order must list at least two different values, each once, got {self.order}.")
        if self.order and (self.type != "auto" or self.hierarchy is not None):
            raise OptionError("Column: order cannot be combined with type or hierarchy: leave one out.")


def role_of(given: object, where: str = "Column") -> Role:
    """Return a role, given the role or its name."""
    known = {role.value: role for role in Role}
    if isinstance(given, Role):
        return given
    if not isinstance(given, str) or given not in known:
        raise OptionError(
            f"{where}: a role must be one of {', '.join(known)}, got {given!r}{did_you_mean(str(given), known)}."
        )
    return known[given]


ColumnSpecs = Mapping[str, Column | str]


def with_roles(data: Dataset, columns: ColumnSpecs) -> tuple[Dataset, dict[str, Column]]:
    """Return the data with the role of each column, and the specs of the quasi-identifiers.

    If no column is named as a quasi-identifier, every column without another role is one. If some are named, every
    column needs a role, so that no column is published unchanged by mistake.
    """
    names = () if data.table is None else data.table.names
    specs = {
        name: spec if isinstance(spec, Column) else Column(role_of(spec, f"Column '{name}'"))
        for name, spec in columns.items()
    }
    for name in specs:
        if name not in names:
            others = ", ".join(f"'{column}'" for column in names) or "none"
            why = data.origin.why_missing(name) or f"No column '{name}'{did_you_mean(name, names)}"
            raise OptionError(f"{why} in {data.origin.name}; other columns: {others}.")
    named = [name for name, spec in specs.items() if spec.role is Role.QUASI_IDENTIFIER]
    unspecified = [name for name in names if name not in specs or specs[name].role is None]
    if named and unspecified:
        missing = ", ".join(f"'{shorten(name)}'" for name in unspecified)
        raise OptionError(
            f"No role is given for {missing}: declare each as a quasi-identifier, an identifier (dropped) or plain "
            f"(published unchanged), or publish only the columns that have a role with columns={listed(named)!r}."
        )
    known = Role.QUASI_IDENTIFIER
    specs |= {name: dataclasses.replace(specs.get(name, Column()), role=known) for name in unspecified}
    if data.table is None:
        return data, {}
    roles = {name: specs[name].role or known for name in names}
    table = dataclasses.replace(data.table, roles=roles)
    chosen = {name: specs[name] for name in names if roles[name] is known}
    return dataclasses.replace(data, table=table), chosen


def identifying_columns(data: Dataset, specified: Collection[str] = ()) -> list[str]:
    """Return the columns without a spec that have a different value in nearly every record."""
    import pyarrow as pa
    import pyarrow.compute as pc

    identifying: list[str] = []
    for name in () if data.table is None else data.table.names:
        if name in specified:
            continue
        assert data.table is not None
        column = data.table.arrow.column(name)
        if is_nested(data, name) or isinstance(column.type, pa.BaseExtensionType):
            column = pa.chunked_array([[None if value is None else repr(value) for value in column.to_pylist()]])
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = column.filter(pc.not_equal(pc.utf8_trim_whitespace(column), arrow_text("")))
        known = len(column) - column.null_count
        if known >= FEW and len(column.drop_null().unique()) >= NEARLY_ALL * known:
            identifying.append(name)
    return identifying


def looks_like_id(name: str) -> bool:
    """Whether the name of a column suggests that it holds ids.

    >>> [looks_like_id(name) for name in ("household_id", "CustomerID", "Patient", "order no", "idea", "paid", "week")]
    [True, True, True, True, False, False, False]
    """
    return _ID.fullmatch(name.strip()) is not None


def refuse_identifying(data: Dataset, specified: Collection[str]) -> None:
    """Refuse identifying columns: they may name people, and would be published unchanged."""
    identifying = identifying_columns(data, specified)
    if identifying:
        names, option = ", ".join(f"'{shorten(name)}'" for name in identifying), listed(identifying)
        what, it = (f"Column {names}", "it") if len(identifying) == 1 else (f"Each of the columns {names}", "them")
        raise OptionError(
            f"{what} of {data.origin.name} has a different value in nearly every record, so it may identify people: "
            f"drop {it} with identifiers={option!r}, or publish {it} unchanged with plain={option!r}."
        )


def values_of(data: Dataset, name: str) -> tuple[list[str], Any]:
    """Return the different values of a column as texts, and the index of each row's value."""
    table = data.keep_columns([name]).table
    assert table is not None
    values, codes = table.distinct(name)
    return ["" if value is None else text_of(value) for value in values], codes


def coded_texts(data: Dataset, name: str) -> tuple[list[str | None], Any]:
    """Return the different values of any column as texts, and the index of each row's value.

    Lists and structures are allowed. Different values have different texts. A null is None.
    """
    import pyarrow as pa

    assert data.table is not None
    column = data.table.arrow.column(name)
    if not is_nested(data, name) and not isinstance(column.type, pa.BaseExtensionType):
        values, codes = data.table.distinct(name)
        return list(map(_any_text, values)), codes
    number: dict[str | None, int] = {}
    numbers = [number.setdefault(_any_text(value), len(number)) for value in column.to_pylist()]
    return list(number), np.array(numbers, dtype=np.int64)


def _any_text(value: Any) -> str | None:
    """Return a value of any type as text."""
    return value if value is None or isinstance(value, str) else repr(value)


def is_nested(data: Dataset, name: str) -> bool:
    """Whether a column holds lists or structures."""
    import pyarrow as pa

    assert data.table is not None
    return bool(pa.types.is_nested(data.table.arrow.column(name).type))


def text_of(value: Any) -> str:
    """Return a value as text. Whole floats become integers, dates are in ISO form, and midnight is a date."""
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)
