"""A file format from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.data import Dataset
from shoal.files import FileBytes
from shoal.io.coding import Batch, Ragged
from shoal.io.layout import ReaderOptions, refuse_columns
from shoal.io.text import Text, TextLayout


@dataclass(frozen=True, kw_only=True, eq=False)
class Tilde(TextLayout):
    """Items separated by tildes."""

    format: ClassVar[str] = "toy-format"
    about: ClassVar[str] = "one row a line, items separated by tildes (.toy)"
    suffixes: ClassVar[tuple[str, ...]] = (".toy",)

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Split lines at tildes."""
        text = Text.of(file)
        return cls(**text.style).dataset(file, options.encode(Ragged.split(lines, "~") for lines in text.lines))

    def columns(self, table: Any) -> Any:
        """Sets only."""
        refuse_columns(self.format, table)

    def lines(self, batch: Batch) -> list[str]:
        """Labels joined by tildes."""
        return ["~".join(row) for row in batch.lists(batch.labels).to_pylist()]
