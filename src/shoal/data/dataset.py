"""Dataset: the sets, the other columns of each record, and where both came from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Counts
from shoal.data.labels import canonical_order
from shoal.data.note import Note
from shoal.data.reading_notes import Joined
from shoal.data.source_layout import SourceLayout
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import DataError, did_you_mean


@dataclass(frozen=True)
class Origin:
    """Where data came from, for messages and provenance.

    ``layout`` describes how the format had laid out the data, so that a release can be written the same way. Only
    :mod:`shoal.io` knows the concrete class. All other modules use the methods of
    :class:`~shoal.data.source_layout.SourceLayout`.
    """

    name: str = "data"
    sha256: str | None = None
    layout: SourceLayout = field(default_factory=SourceLayout)
    dropped: tuple[str, ...] = ()  # items that were left out when the data were read
    avoid: str = ""  # characters that separate items in the output, if its layout differs from the input
    codebook: Any = None  # shoal.hierarchies.codebook.CodeBook: the items behind the labels of published data
    path: Path | None = None  # the file they came from, if any
    notes: tuple[Note, ...] = ()  # what a publisher must know about how the data were read
    reading: Mapping[str, Any] = field(default_factory=dict)  # the options of shoal.read that were given

    @property
    def source(self) -> str:
        """Return the path of the file, or the name of data that did not come from a file."""
        return str(self.path or self.name)

    @property
    def joined(self) -> tuple[Joined, ...]:
        """Return a note for each file whose columns were joined."""
        return tuple(note for note in self.notes if isinstance(note, Joined))

    @property
    def of_some_rows(self) -> Origin:
        """The origin of some of the rows: places and layout of the file do not hold for them."""
        return Origin(self.name)

    def why_missing(self, name: str) -> str:
        """Explain why the data lack a column that their file has. Return an empty string if the file lacks it too."""
        for note in self.notes:
            if name in getattr(note, "columns", ()) and note.left_out:
                return f"Column '{name}' {note.left_out}, so it is left out"
        return f"Column '{name}' holds the items" if name in self.set_columns else ""

    def place(self, row: int) -> str:
        """Return where row ``row`` (counted from 0) is, as users know it, such as "line 12"."""
        return self.layout.place(row)

    @property
    def marks(self) -> str:
        """Return the characters that separate items. New labels should avoid them."""
        return self.layout.marks + self.avoid

    def as_read(self, label: str) -> str:
        """Return a label as a reader of the written file gets it.

        It is empty if the label is blank, as blank text is no item.
        """
        return self.layout.as_read(label)

    @property
    def has_index(self) -> bool:
        """Whether the rows have an index that is not a column."""
        return self.layout.has_index

    @property
    def set_columns(self) -> tuple[str, ...]:
        """Return the columns that hold the sets, if they have names."""
        return self.layout.set_columns


@dataclass(frozen=True, eq=False)
class Dataset:
    """Sets of items and the other columns of the same records.

    Row i of ``transactions`` and row i of ``table`` belong to the same record. :func:`shoal.read` makes a data set
    from a file, a data frame or a list of sets.

    Parameters
    ----------
    transactions : Transactions
        The sets.
    table : Table, optional
        The other columns.
    origin : Origin, optional
        Where the data came from.

    Raises
    ------
    DataError
        Sets and table differ in their number of rows.

    Examples
    --------
    >>> data = Dataset(Transactions.from_sets([["milk", "beer"], []]))
    >>> data, len(data)
    (Dataset(data: Transactions(2 rows, 2 items)), 2)
    """

    transactions: Transactions
    table: Table | None = None
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        """Check that both parts have the same number of rows."""
        if self.table is not None and len(self.table) != len(self.transactions):
            raise DataError(f"Dataset: {len(self.transactions)} sets but {len(self.table)} rows in the table.")

    def __repr__(self) -> str:
        """Describe the size of the data without showing any of them."""
        return f"Dataset({self.origin.name}: {self.transactions!r})"

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.transactions)

    @property
    def sha256(self) -> str:
        """A hash of the records and their other columns."""
        digest = hashlib.sha256(self.transactions.sha256.encode())
        if self.table is not None:
            for name in self.table.names:
                values = self.table.arrow.column(name).to_pylist()
                digest.update("\0".join([name, *map(str, values)]).encode())
        return digest.hexdigest()

    def with_transactions(self, transactions: Transactions) -> Dataset:
        """Return the same data with other sets, for instance the published ones."""
        return replace(self, transactions=transactions)

    def as_read(self) -> Dataset:
        """Return the data as a reader of the written file gets them. Labels that are read as the same become one."""
        rows = self.transactions
        texts = [self.origin.as_read(label) for label in rows.labels]
        if texts == list(rows.labels):
            return self
        labels = canonical_order({text for text in texts if text})
        rank = {label: code for code, label in enumerate(labels)}
        codes = np.array([rank.get(text, -1) for text in texts], dtype=np.int32)
        return self.with_transactions(rows.recode(codes, labels))

    def take(self, rows: Counts) -> Dataset:
        """Return some of the rows, in the given order."""
        table = self.table.take(rows) if self.table is not None and self.table.names else None
        return Dataset(self.transactions.take(rows), table, self.origin.of_some_rows)

    def reordered(self, rows: Counts) -> Dataset:
        """Return the same rows, or some of them, in another order. They will be written in the same layout."""
        table = None if self.table is None else self.table.take(rows)
        origin = replace(self.origin, layout=self.origin.layout.reordered())
        return Dataset(self.transactions.take(rows), table, origin)

    def keep_columns(self, names: Sequence[str]) -> Dataset:
        """Return the same data with only these other columns, in their old order."""
        known = self.table.names if self.table is not None else ()
        for name in names:
            if name not in known:
                listed = ", ".join(f"'{column}'" for column in known) or "none"
                why = self.origin.why_missing(name) or f"No column '{name}'{did_you_mean(name, known)}"
                raise DataError(f"{why} in {self.origin.name}; other columns: {listed}.")
        return replace(self, table=self.table.keep(names) if self.table is not None else None)

    def first_use(self, code: int) -> str:
        """Return the place where an item is used first."""
        at = int(np.argmax(self.transactions.items == code))
        return self.origin.place(int(np.searchsorted(self.transactions.indptr, at, side="right")) - 1)
