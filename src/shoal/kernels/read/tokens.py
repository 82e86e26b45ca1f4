"""Splits lines or cells into tokens, and gives every different token a code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.choice import compiled_or

TextBytes: TypeAlias = npt.NDArray[np.uint8]  # UTF-8
Buffer: TypeAlias = bytes | memoryview | TextBytes

LINE_END, QUOTE = b"\n", b'"'


class Tokens(NamedTuple):
    """The tokens of some rows as codes, numbered from 0 in the order in which tokens first appear."""

    sizes: Codes  # number of tokens of each row
    codes: Codes  # codes of all tokens, row by row
    label_offsets: Offsets  # code c represents label_bytes[label_offsets[c]:label_offsets[c + 1]]
    label_bytes: TextBytes
    consumed: int  # number of bytes of these rows; the rest belongs before the next piece
    bad: int  # position of a malformed quoted field, or -1
    breaks: Offsets  # the row of each line end inside quotes, ascending


def split_lines(data: Buffer, delimiter: bytes, *, quotes: bool, last: bool) -> Tokens:
    r"""Split lines at the delimiter.

    A line ends with ``\n``: the caller has replaced ``\r\n``. An empty line has no tokens. In any other line, n
    delimiters make n + 1 tokens, some of them perhaps empty.

    Splitting stops before a row with a malformed quoted field. If something else than a delimiter or a line end follows
    the closing quote, ``bad`` is where that stands. If the field is never closed, ``bad`` is its opening quote.

    Parameters
    ----------
    data
        UTF-8 text that starts where a row starts.
    delimiter
        One or several bytes. Empty: runs of blanks (space, tab, ``\v``, ``\f``), except at the ends of a line.
    quotes
        Fields may be quoted as in RFC 4180. A quote inside an unquoted field is an ordinary character.
    last
        The text ends here, so a last line without ``\n`` is a row, too. Otherwise such a line is not consumed.

    Examples
    --------
    >>> tokens = split_lines(b'b,a\na,"x, y"\nb', b",", quotes=True, last=False)
    >>> tokens.sizes.tolist(), tokens.codes.tolist(), tokens.consumed
    ([2, 2], [0, 1, 1, 2], 13)
    >>> tokens.label_bytes.tobytes(), tokens.label_offsets.tolist()
    (b'bax, y', [0, 1, 2, 6])
    """
    if LINE_END in delimiter or (quotes and (not delimiter or QUOTE in delimiter)):
        raise ValueError(f"the delimiter {delimiter!r} cannot separate the fields of a line")
    return Tokens(*compiled_or(split_lines_twin)(as_array(data), delimiter, quotes, last))


def split_cells(data: Buffer, offsets: Offsets, delimiter: bytes) -> Tokens:
    r"""Split cells at the delimiter: as lines, but each row is ``data[offsets[row]:offsets[row + 1]]``.

    Quotes and line ends are text. Raises ValueError if the offsets are not ascending positions in the data.

    >>> split_cells(b"a;ba", np.array([0, 3, 3, 4]), b";").codes.tolist()
    [0, 1, 0]
    """
    return Tokens(*compiled_or(split_cells_twin)(as_array(data), offsets, delimiter))


def as_array(data: Buffer) -> TextBytes:
    """Return the bytes as an array, without a copy."""
    return data if isinstance(data, np.ndarray) else np.frombuffer(data, dtype=np.uint8)


Parts: TypeAlias = tuple[Codes, Codes, Offsets, TextBytes, int, int, Offsets]  # as in Tokens
Row: TypeAlias = Sequence[bytes]

_NOT_BLANK = re.compile(rb"[^ \t\v\f]+")
_QUOTED = re.compile(rb'"((?:[^"]|"")*+)"')


def split_lines_twin(data: TextBytes, delimiter: bytes, quotes: bool, last: bool) -> Parts:
    """Split record by record, or line by line if nothing is quoted."""
    text = data.tobytes()
    if quotes:
        return _split_quoted(text, delimiter, last)
    end = len(text) if last else text.rfind(LINE_END) + 1
    lines = text[:end].removesuffix(LINE_END).split(LINE_END) if end else []
    return _coded([_split(line, delimiter) for line in lines], end)


def split_cells_twin(data: TextBytes, offsets: Offsets, delimiter: bytes) -> Parts:
    """Split cell by cell."""
    ends = offsets.tolist()
    if not ends or ends[0] < 0 or ends[-1] > len(data) or ends != sorted(ends):
        raise ValueError("the offsets of cells must ascend within the data")
    text = data.tobytes()
    return _coded([_split(text[start:stop], delimiter) for start, stop in pairwise(ends)], ends[-1])


def _split(line: bytes, delimiter: bytes) -> Row:
    if not delimiter:
        return _NOT_BLANK.findall(line)
    return line.split(delimiter) if line else []


def _split_quoted(text: bytes, delimiter: bytes, last: bool) -> Parts:
    rows: list[Row] = []
    breaks: list[int] = []
    consumed, bad = 0, -1
    while consumed < len(text):
        row, end, bad = _record(text, consumed, delimiter, last)
        if row is None:
            break
        breaks += [len(rows)] * text.count(LINE_END, consumed, end - 1)
        rows.append(row)
        consumed = end
    return _coded(rows, consumed, bad, breaks)


def _record(text: bytes, start: int, delimiter: bytes, last: bool) -> tuple[Row | None, int, int]:
    """Return the fields of a record and its end; or None and the position of the error (-1: it is unfinished)."""
    if text.startswith(LINE_END, start):
        return [], start + 1, -1
    row: list[bytes] = []
    plain = re.compile(rb"(?s:.)*?(?=\n|\Z|" + re.escape(delimiter) + rb")")
    at = start
    while True:
        quoted = text.startswith(QUOTE, at)
        field = (_QUOTED if quoted else plain).match(text, at)
        if field is None:  # not closed
            return None, start, at if last else -1
        row.append(field[1].replace(b'""', b'"') if quoted else field[0])
        at = field.end()
        if at == len(text):
            return (row, at, -1) if last else (None, start, -1)
        if text.startswith(LINE_END, at):
            return row, at + 1, -1
        if not text.startswith(delimiter, at):
            cut = delimiter.startswith(text[at:]) and not last  # the rest of the delimiter may follow
            return None, start, -1 if cut else at
        at += len(delimiter)


def _coded(rows: Sequence[Row], consumed: int, bad: int = -1, breaks: Sequence[int] = ()) -> Parts:
    codes: dict[bytes, int] = {}
    coded = [codes.setdefault(token, len(codes)) for row in rows for token in row]
    return (
        np.array([len(row) for row in rows], dtype=np.int32),
        np.array(coded, dtype=np.int32),
        np.cumsum([0, *map(len, codes)], dtype=np.int64),
        np.frombuffer(b"".join(codes), dtype=np.uint8),
        consumed,
        bad,
        np.array(breaks, dtype=np.int64),
    )
