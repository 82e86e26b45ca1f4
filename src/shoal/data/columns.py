"""Columns: what a publisher says about the columns beside the sets."""

from __future__ import annotations

import dataclasses
import re
import shlex
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
FEW = 20  # records below which it is chance that values differ
NEARLY_ALL = 0.95  # of the records with a value, a share of different values that makes the column an identifier
TYPES: tuple[Type, ...] = ("auto", "number", "date", "time", "category")


@dataclass(frozen=True)
class Column:
    """What is said about one column. Without a role it is a quasi-identifier, where a model is about such.

    ``hierarchy`` is for categories a :class:`Hierarchy` or a file of one (none: no groups but "anything"), for numbers
    and dates the levels of their ranges, such as ``width:5,10``, ``quantiles:8``, ``breaks:18,65`` or
    ``calendar:month,year`` (none: ranges of any ends). ``missing`` are the values that mean "not known", beside blanks.
    ``weight`` says how much its loss counts, from 0 to 1 (none: all columns the same, together 1). ``order`` lists the
    values of an ordered column from the least to the greatest, such as ``("small", "medium", "large")``; neighbours are
    published as a range. Bands such as ``25-34`` and ``65+`` need no list.
    """

    role: Role | None = None
    type: Type = "auto"
    hierarchy: Hierarchy | str | Path | None = None
    missing: tuple[str, ...] = ()
    weight: float | None = None
    order: tuple[str, ...] = ()

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
        order: object = self.order
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise OptionError(f"Column: order must be a list of values, got {order!r}.")
        object.__setattr__(self, "order", tuple(map(str, self.order)))
        if self.order and (len(set(self.order)) < len(self.order) or len(self.order) < 2):
            raise OptionError("Column: order must list at least two values, each once.")
        if self.order and (self.type != "auto" or self.hierarchy is not None):
            raise OptionError("Column: a column with an order has no type and no hierarchy: leave one out.")


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


ColumnSpecs = Mapping[str, Column | str]


def with_roles(data: Dataset, columns: ColumnSpecs) -> tuple[Dataset, dict[str, Column]]:
    """The data with the role of each column, and what is said about the quasi-identifiers.

    Who names no quasi-identifier has them all: every column that has no other role. Who names one must say of every
    column what it is: none is published untouched by mistake.
    """
    names = () if data.table is None else data.table.names
    specs = {
        name: spec if isinstance(spec, Column) else Column(role_of(spec, f"Column '{name}'"))
        for name, spec in columns.items()
    }
    for name in specs:
        if name not in names:
            beside = ", ".join(f"'{column}'" for column in names) or "none"
            why = data.origin.why_missing(name) or f"No column '{name}'{did_you_mean(name, names)}"
            raise OptionError(f"{why} in {data.origin.name}; other columns: {beside}.")
    named = [name for name, spec in specs.items() if spec.role is Role.QUASI_IDENTIFIER]
    unspecified = [name for name in names if name not in specs or specs[name].role is None]
    if named and unspecified:
        missing = ", ".join(f"'{shorten(name)}'" for name in unspecified)
        raise OptionError(
            f"No role is given for {missing}: a quasi-identifier, an identifier "
            f"(dropped) or plain (published unchanged)? Or publish only the columns that have one: "
            f"--columns {shlex.quote(listed(named))}."
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
    """The columns of which nothing is said, and which have a different value in nearly every record."""
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
    """Whether a column is called as one that tells persons or things apart.

    >>> [looks_like_id(name) for name in ("household_id", "CustomerID", "Patient", "order no", "idea", "paid", "week")]
    [True, True, True, True, False, False, False]
    """
    return _ID.fullmatch(name.strip()) is not None


def refuse_identifying(data: Dataset, specified: Collection[str]) -> None:
    """Refuse such a column: it may name people, and would be published as it is."""
    identifying = identifying_columns(data, specified)
    if identifying:
        names, option = ", ".join(f"'{shorten(name)}'" for name in identifying), shlex.quote(listed(identifying))
        what, it = (f"Column {names}", "it") if len(identifying) == 1 else (f"Each of the columns {names}", "them")
        raise OptionError(
            f"{what} of {data.origin.name} has a different value in nearly every record, so it may tell who a record "
            f"is about: drop {it} (--identifiers {option}), or publish {it} unchanged (--plain {option})."
        )


def values_of(data: Dataset, name: str) -> tuple[list[str], Any]:
    """The different values of a column as texts, and which of them each row has."""
    table = data.keep_columns([name]).table
    assert table is not None
    encoded = table.values(name).dictionary_encode(null_encoding="encode")
    values = ["" if value is None else text_of(value) for value in encoded.dictionary.to_pylist()]
    return values, encoded.indices.to_numpy(zero_copy_only=False)


def coded_texts(data: Dataset, name: str) -> tuple[list[str | None], Any]:
    """The different values of any column as texts, lists and structures too, and which of them each row has.

    Different values have different texts; a null is None.
    """
    import pyarrow as pa

    assert data.table is not None
    column = data.table.arrow.column(name)
    if not is_nested(data, name) and not isinstance(column.type, pa.BaseExtensionType):
        encoded = data.table.values(name).dictionary_encode(null_encoding="encode")
        return list(map(_any_text, encoded.dictionary.to_pylist())), encoded.indices.to_numpy(zero_copy_only=False)
    number: dict[str | None, int] = {}
    codes = [number.setdefault(_any_text(value), len(number)) for value in column.to_pylist()]
    return list(number), np.array(codes, dtype=np.int64)


def _any_text(value: Any) -> str | None:
    """A value of any type as text."""
    return value if value is None or isinstance(value, str) else repr(value)


def is_nested(data: Dataset, name: str) -> bool:
    """Whether a column holds lists or structures."""
    import pyarrow as pa

    assert data.table is not None
    return bool(pa.types.is_nested(data.table.arrow.column(name).type))


def text_of(value: Any) -> str:
    """A value as text: whole floats as whole numbers, dates in ISO form; midnight is a date."""
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)
