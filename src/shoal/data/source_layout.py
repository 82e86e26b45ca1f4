"""SourceLayout: what other modules may ask about the layout of data. The formats in :mod:`shoal.io` implement it."""

from __future__ import annotations

from typing import Any, Self

MARKS = ",;\t|"  # what separates items in text files, as data in memory may be written to one later


class SourceLayout:
    """The layout of data in memory, and the default answers for all other layouts."""

    without_sets: bool = False  # the data are a table without sets

    @property
    def marks(self) -> str:
        """Return the characters that separate items or may be mistaken for separators. New labels avoid them."""
        return MARKS

    @property
    def has_index(self) -> bool:
        """Whether the rows have an index that is not a column."""
        return False

    @property
    def set_columns(self) -> tuple[str, ...]:
        """Return the columns that hold the sets, if they have names."""
        column: str | None = getattr(self, "column", None)  # only layouts with columns have this field
        return () if self.without_sets or column is None else (column,)

    def place(self, row: int) -> str:
        """Return where a row (counted from 0) is, as users know it."""
        return f"row {row + 1}"

    def id_values(self, name: str) -> Any:
        """Return a column of record ids as an Arrow array, or None if it is not one."""
        return None

    def reordered(self) -> Self:
        """Return the layout of the same records in another order, without anything that shows the old order."""
        return self

    def as_read(self, label: str) -> str:
        """Return a label as a reader of the written data gets it, or "" if it is blank."""
        return label if label.strip() else ""
