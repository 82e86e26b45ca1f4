"""A file format from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from shoal.io.format import ReaderOptions
from shoal.io.source import SourceFile
from shoal.io.stream import Stream
from shoal.io.text import TextPieces, check_label
from shoal.io.tokens import TokenFormat
from shoal.kernels.read.tokens import Tokens, split_lines


@dataclass(frozen=True, kw_only=True, eq=False)
class Tilde(TokenFormat):
    """Items separated by tildes."""

    format: ClassVar[str] = "toy-format"
    about: ClassVar[str] = "one row a line, items separated by tildes (.toy)"
    suffixes: ClassVar[tuple[str, ...]] = (".toy",)
    watchful: ClassVar[bool] = False
    separator: ClassVar[str] = "~"

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Split lines at tildes."""
        text = TextPieces(file)
        own = cls(**text.style)
        return own, own.stream(text, file.name, at_end=lambda _: None)

    def split(self, text: bytes, *, last: bool) -> Tokens:
        """No quotes."""
        return split_lines(text, b"~", quotes=False, last=last)

    def items(self, labels: list[str]) -> list[str]:
        """As they are."""
        for label in labels:
            check_label(label, "~\n\r\0", self.format, "jsonl or parquet")
        return labels
