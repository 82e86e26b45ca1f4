"""SourceLayout: what the rest of Shoal asks about how data were laid out; each format answers in :mod:`shoal.io`."""

from __future__ import annotations

from typing import Any, Self

MARKS = ",;\t|"  # what separates items in text files: data in memory may be written to one later


class SourceLayout:
    """The answers of data without a layout of their own: rows in memory."""

    without_sets: bool = False  # it is a table that was read without sets

    @property
    def marks(self) -> str:
        """The characters that separate items, or could be taken for that: new labels avoid them."""
        return MARKS

    @property
    def has_index(self) -> bool:
        """Whether the rows have an index of their own, which is no column."""
        return False

    @property
    def set_columns(self) -> tuple[str, ...]:
        """The columns that hold the sets, where they have names."""
        column: str | None = getattr(self, "column", None)  # a field of the formats that have columns
        return () if self.without_sets or column is None else (column,)

    def place(self, row: int) -> str:
        """Where a row (from 0) stands, in the user's terms."""
        return f"row {row + 1}"

    def id_values(self, name: str) -> Any:
        """A column of the ids of records as an Arrow array; None, if it is not one of them."""
        return None

    def reordered(self) -> Self:
        """The layout of the same records in another order: nothing in it tells where each one stood."""
        return self

    def as_read(self, label: str) -> str:
        """A label as a reader of the written data gets it; "" if none, as blank text is no item."""
        return label if label.strip() else ""
