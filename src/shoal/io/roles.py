"""Roles: the id, item and quantity columns of long data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.errors import DataError, OptionError
from shoal.io.format import ReaderOptions
from shoal.io.messages import listed, no_column, shorten
from shoal.io.stream import Stream


@dataclass(frozen=True)
class Roles:
    """The id, item and quantity columns of long data."""

    ids: tuple[str, ...]
    item: str
    quantity: str | None

    @classmethod
    def of(cls, stream: Stream, options: ReaderOptions) -> Roles:
        """Take the columns that the user named, and find the others if there is only one possibility."""
        names, source = stream.schema.names, stream.source
        ids = options.id_columns
        if len(ids) == 1 and ids[0] not in names and "," in ids[0]:
            ids = tuple(part.strip() for part in ids[0].split(","))
        for wanted in (*ids, options.item_column, options.quantity_column):
            if wanted is not None and wanted not in names:
                raise no_column(wanted, names, source)
        item = options.item_column
        left = [name for name in names if name not in (*ids, item, options.quantity_column)]
        if not ids and item is not None and len(left) == 1:
            ids = (left[0],)
        elif item is None and ids and len(left) == 1:
            item = left[0]
        elif not ids and item is None and len(left) == 2:
            ids, item = (left[0],), left[1]
        if not ids or item is None:
            missing = "id_column=" if not ids else "item_column="
            raise DataError(
                f"{source}: which column is the record id, and which the item? It has {listed(names)}: pass {missing}."
            )
        return cls(ids, item, options.quantity_column).checked(stream, options)

    def checked(self, stream: Stream, options: ReaderOptions) -> Roles:
        """Return the same, or raise an error if the roles make no sense."""
        columns = [*self.ids, self.item, *([] if self.quantity is None else [self.quantity])]
        if twice := [name for at, name in enumerate(columns) if name in columns[:at]]:
            raise OptionError(
                f"id_column=, item_column= and quantity_column= must differ, got '{shorten(twice[0])}' twice."
            )
        if self.quantity is not None and not options.multiset:
            raise OptionError("quantity_column= is for multisets: pass multiset=True too, or leave it out.")
        for name in self.ids:
            kind = stream.schema.field(name).type
            if not _can_be_sorted(kind):
                raise DataError(
                    f"{stream.source}: column '{shorten(name)}' cannot be an id, as it holds {shorten(kind)}: name "
                    f"a column of texts, numbers or dates with id_column=."
                )
        return self


def _can_be_sorted(kind: Any) -> bool:
    """Whether Arrow can sort values of a type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = kind.value_type if pa.types.is_dictionary(kind) else getattr(kind, "storage_type", kind)
    try:
        pc.array_sort_indices(pa.nulls(0, kind))
    except pa.ArrowNotImplementedError:
        return False
    return not pa.types.is_nested(kind)
