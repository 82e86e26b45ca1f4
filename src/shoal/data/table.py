"""Table: the columns other than the sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.arrow import numpy_of
from shoal.data.axis_values import collected
from shoal.engines import release_batches
from shoal.errors import DataError


class Role(Enum):
    """What a column means for privacy."""

    IDENTIFIER = "identifier"  # identifies a person; dropped before publishing
    QUASI_IDENTIFIER = "quasi-identifier"  # an attacker may know it
    SENSITIVE = "sensitive"  # an attacker must not learn it
    PLAIN = "plain"  # published unchanged


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, held as one Arrow table, with a role each (default: plain)."""

    arrow: Any  # pyarrow.Table; not imported here, so that `import shoal` stays light
    roles: Mapping[str, Role] = field(default_factory=dict)
    added: frozenset[str] = frozenset()  # columns of a release that the data did not have

    def __post_init__(self) -> None:
        """Refuse duplicate columns, and roles of columns that do not exist."""
        for name in self.names:
            if self.names.count(name) > 1:
                raise DataError(f"Table: column '{name}' occurs twice: rename one.")
        for name in self.roles:
            if name not in self.names:
                raise DataError(f"Table: a role is given for column '{name}', which is not one of {list(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return tuple(self.arrow.column_names)

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.arrow.num_rows)

    def distinct(self, name: str) -> tuple[list[Any], npt.NDArray[Any]]:
        """Return the different values of a column, in the order of their first rows, and the number of each row's.

        A missing value is one of them, None. NaN is missing.
        """
        chunks = self._plain(name).dictionary_encode(null_encoding="encode").chunks  # all have the same dictionary
        values = chunks[0].dictionary.to_pylist() if chunks else []
        codes = collected((numpy_of(chunk.indices) for chunk in chunks), len(values), len(self))
        release_batches()
        return values, codes

    def values(self, name: str) -> Any:
        """Return one column as an Arrow array of plain values. NaN is missing."""
        return self._plain(name).combine_chunks()

    def _plain(self, name: str) -> Any:
        """Return one column as a chunked Arrow array of plain values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self.arrow.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_nested(column.type):
            raise DataError(
                f"Column '{name}' holds lists or structures: pass sets={name!r} if it holds the sets, or leave it out."
            )
        if pa.types.is_float16(column.type) or pa.types.is_float32(column.type):
            column = column.cast(pa.float32()).cast(pa.string()).cast(pa.float64())  # 0.1 is not 0.10000000149011612
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        return column

    def keep(self, names: Collection[str]) -> Table:
        """Return only these columns, in their old order."""
        kept = [name for name in self.names if name in names]
        roles = {name: role for name, role in self.roles.items() if name in kept}
        return Table(self.arrow.select(kept), roles, self.added.intersection(kept))

    def take(self, rows: Counts) -> Table:
        """Return some of the rows, in the given order."""
        import pyarrow as pa

        arrow = self.arrow
        if not self.names:  # Arrow forgets the number of rows
            return Table(arrow.slice(0, len(rows)))
        for at, kind in enumerate(arrow.schema.types):
            if "_view" in str(kind) and not pa.types.is_dictionary(kind):  # polars makes views, Arrow cannot take them
                arrow = arrow.set_column(at, arrow.column_names[at], arrow.column(at).cast(_without_views(kind)))
        return Table(arrow.take(rows), self.roles, self.added)

    def with_column(self, name: str, values: Any) -> Table:
        """Return the table with one more column that the data did not have."""
        return Table(self.arrow.append_column(name, [values]), self.roles, self.added | {name})


def _without_views(kind: Any) -> Any:
    """Return the Arrow type with plain strings and bytes instead of views."""
    import pyarrow as pa

    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_struct(kind):
        return pa.struct([part.with_type(_without_views(part.type)) for part in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = kind.value_field.with_type(_without_views(kind.value_type))
        return (pa.list_ if pa.types.is_list(kind) else pa.large_list)(inner)
    return kind
