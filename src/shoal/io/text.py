"""What the text formats share: line ends, quoting as in RFC 4180, and lines as the unit of writing.

Text is UTF-8. A byte-order mark, CRLF line ends and a missing last line end are kept as they were; mixed line ends
become the one that is used most. UTF-16 is read too, and written as UTF-8.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from shoal.data.arrays import Offsets
from shoal.data.arrow import arrow_text, arrow_texts
from shoal.errors import DataError
from shoal.files import FileBytes
from shoal.io.coding import PART, Batch, Ragged
from shoal.io.layout import Layout, Put
from shoal.io.messages import shown

DELIMITERS = (",", ";", "\t", "|")  # those that are guessed
_PIECE = 1 << 20  # characters of text that are split at a time
_NAMES = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'", " ": "a space"}


def name_of(delimiter: str) -> str:
    """A delimiter in a message."""
    return _NAMES.get(delimiter, repr(delimiter))


@dataclass(frozen=True, kw_only=True, eq=False)
class TextLayout(Layout):
    """A format of lines."""

    newline: str = "\n"
    bom: bool = False
    final_newline: bool = True

    @abstractmethod
    def lines(self, batch: Batch) -> list[str]:
        """The rows as lines without their ends."""

    def head(self, columns: Any) -> list[str]:
        """The lines before the rows."""
        return []

    @contextmanager
    def writer(self, sink: IO[bytes], columns: Any) -> Iterator[Put]:
        """Write lines, with the ends and the byte-order mark of this layout."""
        last: list[str] = []  # the last line, once there is one

        def put_lines(lines: list[str]) -> None:
            if not lines:
                return
            text = "\n".join(lines)
            # A label may start with U+FEFF: only with a mark before it will readers keep it.
            start = "\n" if last else "\ufeff" if self.bom or text.startswith("\ufeff") else ""
            last[:] = lines[-1:]
            sink.write((start + text).replace("\n", self.newline).encode())

        put_lines(self.head(columns))
        yield lambda batch: put_lines(self.lines(batch))
        if last and (self.final_newline or not last[0]):  # an empty last row is only there with its line end
            sink.write(self.newline.encode())


@dataclass(frozen=True, eq=False)
class Text:
    """A file's text without its last line end, and the style to write it again."""

    body: str
    style: dict[str, Any]  # the fields of TextLayout

    @classmethod
    def of(cls, file: FileBytes) -> Text:
        """Decode; an empty file is an error."""
        text = file.text()
        if not text:
            raise DataError(f"{file.path} is empty: it holds no records; is this the right file?")
        crlf = file.data.count(b"\r\n")
        style = {
            "newline": "\r\n" if crlf > file.data.count(b"\n") - crlf else "\n",
            "bom": file.data.startswith(b"\xef\xbb\xbf"),
            "final_newline": text.endswith("\n"),
        }
        return cls(text.removesuffix("\n"), style)

    @property
    def lines(self) -> Iterator[Any]:
        """The lines as Arrow arrays, one after the other."""
        return lines_of(self.body)


def lines_of(body: str) -> Iterator[Any]:
    """The lines of a text as Arrow arrays, some megabytes at a time.

    >>> [part.to_pylist() for part in lines_of("a\\n\\nb\\n")]
    [['a', '', 'b', '']]
    """
    import pyarrow.compute as pc

    start = 0
    while start <= len(body):
        end = body.find("\n", start + _PIECE)
        end = len(body) if end < 0 else end
        yield pc.split_pattern(arrow_texts([body[start:end]]), "\n").flatten()
        start = end + 1


def lines_with(mark: str, body: str) -> int:
    """How many lines contain a mark."""
    import pyarrow.compute as pc

    return sum(pc.sum(pc.match_substring(lines, mark)).as_py() or 0 for lines in lines_of(body))


@dataclass(frozen=True, eq=False)
class Records:
    """Delimited lines: the values of the fields, and their text as it stands in the file."""

    values: Ragged
    raw: Any | None  # pyarrow array beside values.values; None: no field is quoted, so they are the same
    line_of: Offsets | None  # line of each record, from 1; None: every record is one line

    def line(self, record: int) -> int:
        """The line where a record starts."""
        return record + 1 if self.line_of is None else int(self.line_of[record])


def split_records(text: Text, delimiter: str, name: str) -> Records:
    """Split lines into fields, which may be quoted."""
    if '"' not in text.body:
        return Records(Ragged.joined(Ragged.split(lines, delimiter) for lines in text.lines), None, None)
    return _split_quoted(text.body, delimiter, name)


def _split_quoted(body: str, delimiter: str, name: str) -> Records:
    """The same for text with quotes; a quote inside an unquoted field is an ordinary character."""
    import pyarrow as pa

    mark = re.escape(delimiter)
    field = re.compile(rf'("[^"]*(?:""[^"]*)*"|(?!")(?:(?!{mark})[^\n])*)({mark}|\n|\Z)')
    raw: list[str] = []
    parts: list[Any] = []  # those before, in Arrow's memory, which is much smaller
    line, end = 1, 0
    indptr, line_of = array("q", [0]), array("q", [1])
    for count, match in enumerate(field.finditer(body), 1):
        if match.start() != end:
            break
        end = match.end()
        value, stop = match.groups()
        raw.append(value)
        if value.startswith('"'):
            line += value.count("\n")
        if len(raw) == PART:
            parts.append(arrow_texts(raw))
            raw.clear()
        if stop != delimiter:
            indptr.append(count)
            line += 1
            if not stop:
                texts = pa.concat_arrays([*parts, arrow_texts(raw)])
                ragged = Ragged(_without_quotes(texts), np.array(indptr, dtype=np.int64))
                return Records(ragged, texts, np.array(line_of, dtype=np.int64))
            line_of.append(line)
    raise DataError(
        f"{name}, line {line}: a field starts with a quote that does not end before the next {name_of(delimiter)} or "
        f'line end: close it, and write a quote inside a quoted field twice ("").'
    )


def _without_quotes(texts: Any) -> Any:
    """The values of fields as they stand in the file."""
    import pyarrow.compute as pc

    inner = pc.replace_substring(pc.utf8_slice_codeunits(texts, 1, -1), '""', '"')
    return pc.if_else(pc.starts_with(texts, '"'), inner, texts)


def unquoted(body: str) -> str:
    """The text without its quoted parts, for guessing delimiters."""
    return re.sub(r'"[^"]*"', "", body) if '"' in body else body


def spaced(count: Callable[[str], int], delimiter: str) -> str:
    """The delimiter with the space that follows it, if one always does; ``count`` tells how often a text is there.

    >>> spaced("oat milk, beer, bread".count, ","), spaced("1, 5,5".count, ",")
    (', ', ',')
    """
    times = count(delimiter)
    return delimiter + " " if times and count(delimiter + " ") == times else delimiter


def quote(texts: Any, delimiter: str, always: bool = False) -> Any:
    """Quote the texts of an Arrow array where needed: those with the delimiter, a quote or a line end."""
    import pyarrow.compute as pc

    quoted = glued(['"', pc.replace_substring(texts, '"', '""'), '"'])
    if always:
        return quoted
    needed = pc.match_substring_regex(texts, f'["\n]|{re.escape(delimiter)}')
    return pc.if_else(needed, quoted, texts) if pc.any(needed).as_py() else texts


def check_label(label: str, forbidden: str, format: str, holds: str) -> None:
    """Refuse a label that the format would corrupt."""
    for mark in forbidden:
        if mark in label:
            what = {"\0": "a NUL character", "\r": "a carriage return", "\n": "a line end"}.get(mark) or name_of(mark)
            raise DataError(
                f"Item {shown(label)} contains {what}, which format {format} cannot hold: write {holds} "
                f"(a name such as out.jsonl, or --output-format)."
            )
    if not label.strip():
        raise DataError(f"Item {shown(label)} is blank, which is no item in any format: rename it.")


def joined(lists: Any, delimiter: str) -> Any:
    """Each list of an Arrow list array as one text."""
    import pyarrow.compute as pc

    return pc.binary_join(lists, arrow_text(delimiter))


def glued(parts: list[Any], delimiter: str = "") -> Any:
    """Texts side by side: Arrow arrays element by element, and plain strings beside every element."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    columns = [arrow_text(part) if isinstance(part, str) else part.cast(kind) for part in parts]
    return pc.binary_join_element_wise(*columns, arrow_text(delimiter))
