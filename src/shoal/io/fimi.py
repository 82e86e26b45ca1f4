"""FIMI (``.dat``): one row a line, items separated by white space. A blank line is an empty row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.data import Dataset
from shoal.errors import DataError
from shoal.files import FileBytes
from shoal.io.coding import Batch, Ragged
from shoal.io.layout import ReaderOptions, refuse_columns
from shoal.io.text import DELIMITERS, Text, TextLayout, check_label, joined, lines_with, name_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Fimi(TextLayout):
    """Items separated by white space."""

    format: ClassVar[str] = "fimi"
    about: ClassVar[str] = "one row a line, items separated by spaces (.dat)"
    suffixes: ClassVar[tuple[str, ...]] = (".dat", ".fimi")
    separator: str = " "

    @property
    def marks(self) -> str:
        """No label has white space; with other separators in it, a file of single labels could be taken for another."""
        return "".join((" ", *DELIMITERS))

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Split lines at ASCII white space."""
        text = Text.of(file)
        space = re.search(r"(?<=\S)[ \t](?=\S)", text.body, re.ASCII)
        rows = options.encode(_split(lines) for lines in text.lines)
        if not options.sure and space is None and len(rows.items):
            _refuse_other_delimiter(text, file)
        return cls(separator=space[0] if space else " ", **text.style).dataset(file, rows)

    def columns(self, table: Any) -> Any:
        """Sets only."""
        refuse_columns(self.format, table)

    def lines(self, batch: Batch) -> list[str]:
        """Labels joined by the separator."""
        for label in batch.labels:
            check_label(label, " \t\n\v\f\r\0", self.format, "basket, jsonl or parquet")
        lines: list[str] = joined(batch.lists(batch.labels), self.separator).to_pylist()
        return lines

    def place(self, row: int) -> str:
        """Every row is one line."""
        return f"line {row + 1}"


def _split(lines: Any) -> Ragged:
    """At ASCII white space."""
    import pyarrow.compute as pc

    return Ragged.from_lists(pc.ascii_split_whitespace(lines))


def _refuse_other_delimiter(text: Text, file: FileBytes) -> None:
    """A file without any white space inside a line but with commas in most is no FIMI file."""
    lines = text.body.count("\n") + 1
    for mark in DELIMITERS:
        if lines_with(mark, text.body) * 2 > lines:
            raise DataError(
                f"{file.path}: read as fimi, no line has more than one item, but most contain {name_of(mark)}: "
                f"pass --format basket --delimiter '{mark}'."
            )
