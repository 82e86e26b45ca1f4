"""Text in pieces: UTF-8 without a byte-order mark, and one kind of line end. Binary data are refused."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_text, arrow_texts
from shoal.errors import DataError
from shoal.files import encoding_of, not_utf8
from shoal.io.coding import as_text
from shoal.io.format import Format, Put
from shoal.io.messages import shown
from shoal.io.source import SourceFile

DELIMITERS = (",", ";", "\t", "|")  # what may be guessed as a delimiter
_NAMES = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'", " ": "a space"}
_QUOTED = re.compile(rb'(?:(?<![^,;|\t\n])|(?<=[,;|\t] ))"[^"]*+(?:""[^"]*+)*+"')  # fields, wherever one may start
_UTF8_MARK = b"\xef\xbb\xbf"


def name_of(delimiter: str) -> str:
    """Return a delimiter as messages show it."""
    return _NAMES.get(delimiter, repr(delimiter))


def malformed_quote(where: str, delimiter: str) -> DataError:
    """Return the error for a quoted field that does not end properly."""
    return DataError(
        f"{where}: a field starts with a quote that does not end before the next {name_of(delimiter)} or line end: "
        f'close it, and write a quote inside a quoted field twice ("").'
    )


class TextPieces:
    """The text of a file, as pieces of UTF-8 that do not split characters."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        start = file.start
        if not start:
            raise DataError(f"{file.name} is empty: is this the right file?")
        self.bom = start.startswith(_UTF8_MARK)
        crlf = start.count(b"\r\n")
        self.newline = "\r\n" if crlf > start.count(b"\n") - crlf else "\n"
        self._pieces = self._clean()
        self.start = next(self._pieces, b"")  # the first piece or more, to guess from
        if not self.start:
            raise DataError(f"{file.name} is empty: is this the right file?")

    @property
    def style(self) -> dict[str, Any]:
        """Return the fields of :class:`TextFormat` for this file."""
        return {"newline": self.newline, "bom": self.bom}

    @property
    def head(self) -> str:
        """Return the first characters."""
        return self.start[:100_000].decode(errors="ignore")

    def extend(self) -> bool:
        """Read one more piece into ``start``. Return whether there is one."""
        piece = next(self._pieces, b"")
        self.start += piece
        return bool(piece)

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over all pieces, once."""
        yield self.start
        yield from self._pieces

    def _clean(self) -> Iterator[bytes]:
        """Iterate over the pieces with one kind of line end."""
        carried = b""
        for piece in self._utf8():
            piece = carried + piece
            carried = b"\r" if piece.endswith(b"\r") else b""
            piece = piece[: len(piece) - len(carried)]
            if b"\r" in piece:
                piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if piece:
                yield piece
        if carried:
            yield b"\n"

    def _utf8(self) -> Iterator[bytes]:
        """Iterate over the pieces as valid UTF-8 without a byte-order mark."""
        encoding = encoding_of(self._file.start)
        if encoding is not None:
            yield from self._converted(encoding)
            return
        line, tail, first = 1, b"", True
        for piece in self._file.pieces():
            piece = tail + (piece.removeprefix(_UTF8_MARK) if first else piece)
            first = False
            self._check(piece, line)
            tail = b"" if piece.isascii() else _unfinished(piece)
            piece = piece[: len(piece) - len(tail)]
            line += piece.count(b"\n")
            yield piece
        if tail:
            raise not_utf8(self._file.name, line, tail[0])

    def _check(self, piece: bytes, line: int) -> None:
        """Raise an error with its line, unless the piece is UTF-8. Its last character may be incomplete."""
        if b"\0" in piece:
            line += piece.count(b"\n", 0, piece.index(b"\0"))
            if piece.startswith(b"PK\x03\x04"):
                raise DataError(f"{self._file.name} is an Excel file or another archive: save the table as CSV.")
            raise DataError(
                f"{self._file.name}, line {line}: expected text, got binary data: is this the right file or format?"
            )
        if not piece.isascii():
            try:
                piece[: len(piece) - len(_unfinished(piece))].decode()
            except UnicodeDecodeError as error:
                raise not_utf8(self._file.name, line + piece.count(b"\n", 0, error.start), piece[error.start]) from None

    def _converted(self, encoding: str) -> Iterator[bytes]:
        """Iterate over text of another encoding, which a byte-order mark announces."""
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            line = 1
            for piece in chain(self._file.pieces(), [b""]):
                text = decoder.decode(piece, final=not piece).encode()
                self._check(text, line)
                line += text.count(b"\n")
                yield text
        except UnicodeError:
            raise DataError(
                f"{self._file.name} is not text: it starts like {encoding.upper()} but cannot be decoded."
            ) from None


def _unfinished(piece: bytes) -> bytes:
    """Return the bytes at the end that may be the start of a character.

    >>> _unfinished("a€".encode()[:-1]), _unfinished("a€".encode())
    (b'\\xe2\\x82', b'')
    """
    for size in range(1, min(4, len(piece) + 1)):
        byte = piece[-size]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return piece[-size:] if size < needed else b""
        if byte < 0x80:
            return b""
    return b""


@dataclass(frozen=True, kw_only=True, eq=False)
class TextFormat(Format):
    """A format of lines."""

    newline: str = "\n"
    bom: bool = False

    def lines(self, batch: Any) -> Any:
        """Return the records of a batch as an Arrow array of lines without line ends."""
        raise NotImplementedError

    def head(self, schema: Any) -> list[str]:
        """Return the lines before the records."""
        return []

    @contextmanager
    def writer(self, sink: IO[bytes], schema: Any) -> Iterator[Put]:
        """Write lines, with the line ends and the byte-order mark of this format."""
        begun = False

        def put(text: bytes) -> None:
            nonlocal begun
            # A label may start with U+FEFF. Readers keep it only if a byte-order mark comes before it.
            if text and not begun and (self.bom or text.startswith(_UTF8_MARK)):
                sink.write(_UTF8_MARK)
            begun = begun or bool(text)
            sink.write(text)

        put("".join(f"{line}\n" for line in self.head(schema)).replace("\n", self.newline).encode())
        yield put

    def encoded(self, batch: Any) -> bytes:
        """Return the lines of a batch as bytes."""
        lines = as_text(self.lines(batch))
        text: bytes = joined(one_list(lines), "\n").cast("large_binary")[0].as_py() + b"\n" if len(lines) else b""
        return text if self.newline == "\n" else text.replace(b"\n", self.newline.encode())


def unquoted(body: bytes) -> bytes:
    """Return the text without its quoted fields, for guessing delimiters.

    A quote inside a field is an ordinary character.

    >>> unquoted(b'"a, ""b"" c";d, "e;f", 5" wide, 7" high')
    b';d, , 5" wide, 7" high'
    """
    return _QUOTED.sub(b"", body) if b'"' in body else body


def quote(texts: Any, delimiter: str) -> Any:
    """Quote the texts of an Arrow array that contain the delimiter, a quote or a line end."""
    import pyarrow.compute as pc

    needed = pc.match_substring_regex(texts, f'["\n]|{re.escape(delimiter)}')
    if not pc.any(needed).as_py():
        return texts
    return pc.if_else(needed, glued(['"', pc.replace_substring(texts, '"', '""'), '"']), texts)


def check_label(label: str, forbidden: str, format: str, holds: str) -> None:
    """Refuse a label that the format would corrupt."""
    for mark in forbidden:
        if mark in label:
            what = {"\0": "a NUL character", "\r": "a carriage return", "\n": "a line end"}.get(mark) or name_of(mark)
            raise DataError(
                f"Item {shown(label)} contains {what}, which format {format} cannot hold: write {holds} "
                f"instead, for instance to out.jsonl."
            )
    if not label.strip():
        raise DataError(f"Item {shown(label)} is blank, but no format can hold a blank item: rename it.")


def one_list(values: Any) -> Any:
    """Return an Arrow array as the only element of an array of lists."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(arrow_numbers(np.array([0, len(values)])), values)


def joined(lists: Any, delimiter: str) -> Any:
    """Return each list of an Arrow list array as one text."""
    import pyarrow.compute as pc

    return pc.binary_join(lists, arrow_text(delimiter))


def with_texts(lists: Any, rename: Callable[[list[str]], list[str]]) -> Any:
    """Return an Arrow array of lists of texts (without nulls) with each different text replaced."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = lists.flatten().dictionary_encode()
    texts = arrow_texts(rename(coded.dictionary.to_pylist())).take(coded.indices)
    start = lists.offsets[0]  # not 0 if the array is a slice of another one
    return pa.ListArray.from_arrays(pc.subtract(lists.offsets, start), texts)


def glued(parts: list[Any], delimiter: str = "") -> Any:
    """Join Arrow arrays of texts element by element. A plain string is repeated for every element."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    columns = [arrow_text(part) if isinstance(part, str) else part.cast(kind) for part in parts]
    return pc.binary_join_element_wise(*columns, arrow_text(delimiter))
