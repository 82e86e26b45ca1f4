"""Dataset: the sets, the columns beside them, and where they came from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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

    ``layout`` is the format's own description of how the data were laid out, so that a release can be written the same
    way; outside of :mod:`shoal.io` it is asked what a :class:`~shoal.data.source_layout.SourceLayout` can tell.
    """

    name: str = "data"
    sha256: str | None = None
    layout: SourceLayout = field(default_factory=SourceLayout)
    dropped: tuple[str, ...] = ()  # items that were left out when the data were read
    avoid: str = ""  # characters that separate items in the file that will be written, if that is laid out otherwise
    codebook: Any = None  # shoal.hierarchies.codebook.CodeBook: what the labels of published data represent
    path: Path | None = None  # the file, if they came from one
    notes: tuple[Note, ...] = ()  # what a publisher must know about how they were read

    @property
    def source(self) -> str:
        """The path of the file, or the name of data that came from none."""
        return str(self.path or self.name)

    @property
    def joined(self) -> tuple[Joined, ...]:
        """The files whose columns were added."""
        return tuple(note for note in self.notes if isinstance(note, Joined))

    def why_missing(self, name: str) -> str:
        """Why the data lack a column that their file has; empty, if it has none."""
        for note in self.notes:
            if name in getattr(note, "columns", ()) and note.left_out:
                return f"Column '{name}' {note.left_out}, so it is left out"
        return f"Column '{name}' holds the items" if name in self.set_columns else ""

    def place(self, row: int) -> str:
        """Where row ``row`` (from 0) stands, in the user's terms."""
        return self.layout.place(row)

    @property
    def marks(self) -> str:
        """The characters that separate items: no part of a new label, if that can be helped."""
        return self.layout.marks + self.avoid

    def as_read(self, label: str) -> str:
        """A label as a reader of the written file gets it; "" if none, as blank text is no item."""
        return self.layout.as_read(label)

    @property
    def has_index(self) -> bool:
        """Whether the rows have an index of their own, which is no column."""
        return self.layout.has_index

    @property
    def set_columns(self) -> tuple[str, ...]:
        """The columns that hold the sets, where they have names."""
        return self.layout.set_columns


@dataclass(frozen=True, eq=False)
class Dataset:
    """Transactions with the table beside them (row i of one belongs to row i of the other)."""

    transactions: Transactions
    table: Table | None = None
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        """Rows must match."""
        if self.table is not None and len(self.table) != len(self.transactions):
            raise DataError(f"Dataset: {len(self.transactions)} sets but {len(self.table)} rows in the table.")

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Dataset({self.origin.name}: {self.transactions!r})"

    def __len__(self) -> int:
        """Number of rows."""
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
        """The same data with other sets, for instance the published ones."""
        return replace(self, transactions=transactions)

    def as_read(self) -> Dataset:
        """The data as a reader of the written file gets them; labels that are read as the same become one."""
        rows = self.transactions
        texts = [self.origin.as_read(label) for label in rows.labels]
        if texts == list(rows.labels):
            return self
        labels = canonical_order({text for text in texts if text})
        rank = {label: code for code, label in enumerate(labels)}
        codes = np.array([rank.get(text, -1) for text in texts], dtype=np.int32)
        return self.with_transactions(rows.recode(codes, labels))

    def take(self, rows: Counts) -> Dataset:
        """Some of the rows, in the given order."""
        table = self.table.take(rows) if self.table is not None and self.table.names else None
        return Dataset(self.transactions.take(rows), table, Origin(self.origin.name))

    def reordered(self, rows: Counts) -> Dataset:
        """The same rows in another order, to be laid out as before."""
        table = None if self.table is None else self.table.take(rows) if self.table.names else self.table
        origin = replace(self.origin, layout=self.origin.layout.reordered())
        return Dataset(self.transactions.take(rows), table, origin)

    def keep_columns(self, names: Sequence[str]) -> Dataset:
        """The same data with only these other columns, in their old order."""
        known = self.table.names if self.table is not None else ()
        for name in names:
            if name not in known:
                listed = ", ".join(f"'{column}'" for column in known) or "none"
                why = self.origin.why_missing(name) or f"No column '{name}'{did_you_mean(name, known)}"
                raise DataError(f"{why} in {self.origin.name}; other columns: {listed}.")
        return replace(self, table=self.table.keep(names) if self.table is not None else None)

    def first_use(self, code: int) -> str:
        """The place of the first use of an item."""
        at = int(np.argmax(self.transactions.items == code))
        return self.origin.place(int(np.searchsorted(self.transactions.indptr, at, side="right")) - 1)
