"""FIMI (``.dat``) and basket (``.basket``): one record per line, and nothing but the items of its set.

In FIMI files, white space separates items. In baskets, a delimiter does, and items are quoted where needed. Spaces
around an item belong to it, since hierarchies keep them, too. But if a space follows every delimiter, it is part of the
delimiter. A blank line is an empty record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_texts
from shoal.data.transactions import Transactions
from shoal.engines import current
from shoal.errors import DataError
from shoal.io.coding import labels_of
from shoal.io.format import GuessedWrong, ReaderOptions
from shoal.io.source import SourceFile
from shoal.io.stream import Stream
from shoal.io.text import (
    DELIMITERS,
    TextFormat,
    TextPieces,
    check_label,
    joined,
    malformed_quote,
    name_of,
    quote,
    unquoted,
    with_texts,
)
from shoal.kernels.read.tokens import Tokens, split_lines
from shoal.kernels.write.joined_lines import joined_lines

COLUMN = "items"


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenFormat(TextFormat):
    """Lines of tokens."""

    watchful: ClassVar[bool]  # whether to look for other delimiters even if records have several items

    def split(self, text: bytes, *, last: bool) -> Tokens:
        """Return the tokens of the complete lines."""
        raise NotImplementedError

    def items(self, labels: list[str]) -> list[str]:
        """Return the labels as they are written to the file. Refuse those that cannot be written."""
        raise NotImplementedError

    @property
    def separator(self) -> str:
        """Return the text between two items."""
        raise NotImplementedError

    def tokens(self, text: TextPieces) -> Iterator[tuple[bytes, Tokens]]:
        """Return pieces of the text with their tokens."""
        left, pieces = b"", iter(text)
        piece = next(pieces, None)
        while piece is not None:
            after = next(pieces, None)
            whole = left + piece
            tokens = self.split(whole, last=after is None)
            yield piece, tokens
            left, piece = whole[tokens.consumed :], after

    def stream(self, text: TextPieces, name: str, at_end: Callable[[_Marks], None]) -> Stream:
        """Return the records of a file. ``at_end`` gets the separators that it contained."""
        import pyarrow as pa

        schema = pa.schema([(COLUMN, pa.list_(pa.dictionary(pa.int32(), pa.large_string())))])
        breaks: list[Any] = []

        def batches() -> Iterator[Any]:
            marks, rows = _Marks(numbers=self.watchful), 0
            for piece, tokens in self.tokens(text):
                if self.watchful or not marks.several:
                    marks.add(piece)
                if tokens.bad >= 0:
                    line = rows + len(tokens.sizes) + 1 + sum(map(len, breaks)) + len(tokens.breaks)
                    raise malformed_quote(f"{name}, line {line}", self.separator)
                breaks.append(tokens.breaks + rows)
                rows += len(tokens.sizes)
                marks.several = marks.several or bool((tokens.sizes > 1).any())
                yield _batch(tokens, schema)
            at_end(marks)

        def place(row: int) -> str:
            return f"line {row + 1 + sum(int(np.searchsorted(part, row)) for part in breaks)}"

        return Stream(schema, batches(), name, place)

    def lines(self, batch: Any) -> Any:
        """Join the items by the separator."""
        return joined(with_texts(batch.column(0), self.items), self.separator)

    def encoded_sets(self, rows: Transactions) -> bytes:
        """Return the lines of rows as bytes."""
        labels = [b""] * len(rows.labels)
        used = np.flatnonzero(rows.supports).tolist()
        for code, label in zip(used, self.items(rows.used_labels), strict=True):
            labels[code] = label.encode()
        text = joined_lines(rows.indptr, rows.items, labels, self.separator.encode())
        rows.release()
        return text if self.newline == "\n" else text.replace(b"\n", self.newline.encode())


def _batch(tokens: Tokens, schema: Any) -> Any:
    """Return tokens as a record batch."""
    import pyarrow as pa

    offsets = np.zeros(len(tokens.sizes) + 1, dtype=np.int32)
    np.cumsum(tokens.sizes, out=offsets[1:])
    values = pa.DictionaryArray.from_arrays(arrow_numbers(tokens.codes), labels_of(tokens))
    return pa.RecordBatch.from_arrays([pa.ListArray.from_arrays(arrow_numbers(offsets), values)], schema=schema)


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Return pieces of text that end where a line ends.

    >>> list(whole_lines([b"a", b"b\nc d\ne", b"f"]))
    [b'ab\nc d\n', b'ef']
    """
    left = b""
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((left, memoryview(piece)[:end]))  # one copy, not two
            left = piece[end:]
        else:
            left += piece
    if left:
        yield left


class _Marks:
    """Count the lines that contain each possible delimiter. Pieces of text may end anywhere."""

    def __init__(self, *, numbers: bool) -> None:
        self._numbers = numbers
        self.lines_with = dict.fromkeys(DELIMITERS, 0)
        self.spaced = dict.fromkeys(DELIMITERS, True)  # whether a space follows every occurrence
        self.lines = 0
        self.numbers = 0  # lines of several numbers, if they are counted
        self.several = False  # a record has several items
        self._left = b""

    def add(self, piece: bytes) -> None:
        """Count a piece."""
        whole = self._left + piece
        end = whole.rfind(b"\n") + 1
        self._add(whole[:end])
        self._left = whole[end:]

    def end(self) -> _Marks:
        """Count the rest."""
        self._add(self._left)
        self._left = b""
        return self

    def _add(self, lines: bytes) -> None:
        """Count whole lines."""
        if not lines:
            return
        self.lines += lines.count(b"\n") + (not lines.endswith(b"\n"))
        lines = unquoted(lines)
        ends: Any = None
        for mark in DELIMITERS:
            if (byte := mark.encode()) in lines:
                array = np.frombuffer(lines, np.uint8)
                ends = np.flatnonzero(array == 10) if ends is None else ends
                at = np.flatnonzero(array == byte[0])
                line_of = np.searchsorted(ends, at)  # ascending
                self.lines_with[mark] += 1 + int(np.count_nonzero(line_of[1:] != line_of[:-1]))
                self.spaced[mark] = self.spaced[mark] and lines.count(byte + b" ") == len(at)
        if ends is None and self._numbers:
            self.numbers += len(re.findall(rb"^\d+(?:[^\S\n]+\d+)+[^\S\n]*$", lines, re.MULTILINE))

    @property
    def ranked(self) -> list[str]:
        """Return the delimiters that occur, the most frequent first."""
        return sorted(filter(self.lines_with.get, DELIMITERS), key=lambda mark: -self.lines_with[mark])


@dataclass(frozen=True, kw_only=True, eq=False)
class Fimi(TokenFormat):
    """Items separated by white space."""

    format: ClassVar[str] = "fimi"
    about: ClassVar[str] = "one record per line, items separated by spaces (.dat)"
    suffixes: ClassVar[tuple[str, ...]] = (".dat", ".fimi")
    watchful: ClassVar[bool] = False
    space: str = " "

    @property
    def marks(self) -> str:
        """Return white space and the other separators.

        A file of single labels that contain one could be mistaken for another format.
        """
        return "".join((" ", *DELIMITERS))

    @property
    def separator(self) -> str:
        """Return a space or a tab."""
        return self.space

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Split lines at ASCII white space."""
        text = TextPieces(file)
        space = re.search(rb"(?<=\S)[ \t](?=\S)", text.start)
        own = cls(space=space[0].decode() if space else " ", **text.style)

        def at_end(marks: _Marks) -> None:
            if not options.sure and not marks.several:
                _refuse_other_delimiter(marks.end(), file.name)

        return own, own.stream(text, file.name, at_end)

    def split(self, text: bytes, *, last: bool) -> Tokens:
        """Split at white space."""
        return split_lines(text, b"", quotes=False, last=last)

    def tokens(self, text: TextPieces) -> Iterator[tuple[bytes, Tokens]]:
        """Return whole lines with their tokens. No line end is inside an item, so several threads can split them."""
        return current().each(lambda lines: (lines, self.split(lines, last=True)), whole_lines(text))

    def items(self, labels: list[str]) -> list[str]:
        """Return the labels unchanged. Refuse those with white space."""
        for label in labels:
            check_label(label, " \t\n\v\f\r\0", self.format, "basket, jsonl or parquet")
        return labels


def _refuse_other_delimiter(marks: _Marks, name: str) -> None:
    """Refuse a file with single items per line of which most contain another delimiter."""
    for mark, lines in marks.lines_with.items():
        if lines * 2 > marks.lines:
            raise DataError(
                f"{name}: as fimi, no line has more than one item, but most lines contain {name_of(mark)}: "
                f"pass format='basket' and delimiter={mark!r}."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Basket(TokenFormat):
    """Items separated by a delimiter."""

    format: ClassVar[str] = "basket"
    about: ClassVar[str] = "one record per line, items separated by commas or another delimiter (.basket)"
    suffixes: ClassVar[tuple[str, ...]] = (".basket",)
    watchful: ClassVar[bool] = True
    delimiter: str = ","

    @property
    def marks(self) -> str:
        """Return the characters that separate items or may be mistaken for separators."""
        return "".join((self.delimiter.strip(" ") or " ", *DELIMITERS))  # the space of ", " may be in labels

    @property
    def separator(self) -> str:
        """Return the delimiter."""
        return self.delimiter

    @classmethod
    def open(cls, file: SourceFile, options: ReaderOptions) -> tuple[Self, Stream]:
        """Split lines at the delimiter. It is given, or guessed from the start of the file and confirmed at its end."""
        text = TextPieces(file)
        start = _Marks(numbers=True)
        start.add(text.start)
        guess = options.delimiter or options.guess or _delimiter(start.end(), options, file.name)
        own = cls(delimiter=guess, **text.style)

        def at_end(marks: _Marks) -> None:
            confirmed = _delimiter(marks.end(), options, file.name)
            if options.delimiter is None and confirmed != guess:
                raise GuessedWrong(replace(options, guess=confirmed))

        return own, own.stream(text, file.name, at_end)

    def split(self, text: bytes, *, last: bool) -> Tokens:
        """Split at the delimiter, except inside quotes."""
        return split_lines(text, self.delimiter.encode(), quotes=b'"' in text, last=last)

    def read_options(self) -> dict[str, Any]:
        """Return the format and the delimiter."""
        return {"format": self.format, "delimiter": self.delimiter}

    def items(self, labels: list[str]) -> list[str]:
        """Quote the labels where needed."""
        for label in labels:
            check_label(label, "\r\0", self.format, "jsonl or parquet")
        # With a delimiter such as ', ', a comma in a label could be mistaken for a part of the delimiter.
        quoted = quote(arrow_texts(labels), self.delimiter.strip(" ") or " ").to_pylist()
        # Without quotes, a space at the start of a label could be mistaken for a part of the delimiter.
        return [f'"{text}"' if text.startswith(" ") else text for text in quoted]


def _delimiter(marks: _Marks, options: ReaderOptions, name: str) -> str:
    """Return the given delimiter if the file uses it, or the one that most lines contain."""
    ranked, uses = marks.ranked, marks.lines_with
    if given := options.delimiter:
        most = ranked[0] if ranked and uses[ranked[0]] * 2 > marks.lines else None
        if not options.sure and most and not marks.several and not uses.get(given.strip(" ") or given):
            raise DataError(
                f"{name}: the delimiter {name_of(given)} is in no line, but {name_of(most)} is in most: "
                f"pass delimiter={most!r}, or add format='basket' if it is right."
            )
        return given
    if not ranked:
        if not options.sure and marks.numbers * 2 > marks.lines:
            raise DataError(f"{name}: lines hold numbers that are separated only by spaces: pass format='fimi'.")
        return ","
    if len(ranked) > 1 and uses[ranked[1]] * 2 > uses[ranked[0]]:
        first, second = name_of(ranked[0]), name_of(ranked[1])
        raise DataError(f"{name}: items may be separated by {first} or by {second}: pass delimiter=.")
    return ranked[0] + " " * marks.spaced[ranked[0]]
