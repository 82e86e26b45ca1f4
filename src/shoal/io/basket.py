"""Basket (``.basket``): one row a line, items separated by a delimiter and quoted where needed.

A blank line is an empty row. Spaces around an item belong to it, since hierarchies keep them too; but where a space
follows every delimiter, it is part of the delimiter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.data import Dataset
from shoal.data.arrays import Offsets
from shoal.data.arrow import arrow_texts
from shoal.errors import DataError
from shoal.files import FileBytes
from shoal.io.coding import Batch, Ragged
from shoal.io.layout import ReaderOptions, refuse_columns
from shoal.io.text import (
    DELIMITERS,
    Text,
    TextLayout,
    check_label,
    joined,
    lines_with,
    name_of,
    quote,
    spaced,
    split_records,
    unquoted,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Basket(TextLayout):
    """Items separated by a delimiter."""

    format: ClassVar[str] = "basket"
    about: ClassVar[str] = "one row a line, items separated by commas or another delimiter (.basket)"
    suffixes: ClassVar[tuple[str, ...]] = (".basket",)
    delimiter: str = ","
    quote_all: bool = False
    line_of: Offsets | None = None  # None: every row is one line

    @property
    def marks(self) -> str:
        """What separates items, or could be taken for it."""
        return "".join((self.delimiter.strip(" ") or " ", *DELIMITERS))  # the space of ", " may stand in labels

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Split lines at the delimiter, given or guessed."""
        import pyarrow.compute as pc

        text = Text.of(file)
        delimiter = _delimiter(text, options, str(file.path))
        if '"' not in text.body:
            rows = options.encode(Ragged.split(lines, delimiter) for lines in text.lines)
            return cls(delimiter=delimiter, **text.style).dataset(file, rows)
        records = split_records(text, delimiter, str(file.path))
        raw = records.raw
        quote_all = pc.all(pc.or_(pc.starts_with(raw, '"'), pc.equal(raw, ""))).as_py()
        layout = cls(delimiter=delimiter, quote_all=quote_all, line_of=records.line_of, **text.style)
        return layout.dataset(file, options.encode(records.values))

    def columns(self, table: Any) -> Any:
        """Sets only."""
        refuse_columns(self.format, table)

    def lines(self, batch: Batch) -> list[str]:
        """Labels, quoted where needed, joined by the delimiter."""
        for label in batch.labels:
            check_label(label, "\r\0", self.format, "jsonl or parquet")
        texts = arrow_texts(batch.labels)
        # With a delimiter such as ', ' a comma inside or at the end of a label could pass for a part of it.
        quoted = quote(texts, self.delimiter.strip(" ") or " ", self.quote_all).to_pylist()
        # Without quotes, the space that a label starts with could be taken for a part of the delimiter.
        quoted = [f'"{text}"' if text.startswith(" ") else text for text in quoted]
        lines: list[str] = joined(batch.lists(quoted), self.delimiter).to_pylist()
        return lines

    def place(self, row: int) -> str:
        """The line where the row starts."""
        return f"line {row + 1 if self.line_of is None else self.line_of[row]}"


def _delimiter(text: Text, options: ReaderOptions, name: str) -> str:
    """The delimiter given, if the file bears it out, or the one that most lines contain."""
    plain = unquoted(text.body)
    lines = plain.count("\n") + 1
    uses = {mark: lines_with(mark, plain) for mark in DELIMITERS if mark in plain}
    ranked = sorted(uses, key=lambda mark: -uses[mark])
    if given := options.delimiter:
        if not options.sure and given not in plain and ranked and uses[ranked[0]] * 2 > lines:
            raise DataError(
                f"{name}: the delimiter {name_of(given)} is in no line, but {name_of(ranked[0])} is in most: "
                f"pass --delimiter '{ranked[0]}', or --format basket too if it is right."
            )
        return given
    if not ranked:
        numbers = len(re.findall(r"^\d+(?:[^\S\n]+\d+)+[^\S\n]*$", plain, re.MULTILINE))
        if not options.sure and numbers * 2 > lines:
            raise DataError(f"{name}: read as basket, lines hold numbers separated by spaces only: pass --format fimi.")
        return ","
    if len(ranked) > 1 and uses[ranked[1]] * 2 > uses[ranked[0]]:
        first, second = name_of(ranked[0]), name_of(ranked[1])
        raise DataError(f"{name}: items may be separated by {first} or by {second}: pass --delimiter.")
    return spaced(plain.count, ranked[0])
