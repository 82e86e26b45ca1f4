"""Checks the quotes of a delimited text, piece by piece."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import Offsets
from shoal.kernels.choice import compiled_or
from shoal.kernels.read.tokens import Buffer, TextBytes, as_array


class State(IntEnum):
    """The place in a record where a piece of text starts or ends."""

    FIELD_START = 0
    PLAIN = 1  # inside a field without quotes
    QUOTED = 2  # inside a quoted field: a text that ends here is malformed
    QUOTE = 3  # after a quote inside a quoted field: the field ends here, or one more quote follows


class Quotes(NamedTuple):
    """The contents of a piece of text, up to its end or the first error."""

    state: State  # at the end
    records: int  # line ends outside of quotes
    bad: int  # the byte after a quoted field that is neither a delimiter nor a line end, or -1
    breaks: Offsets  # for each line end inside quotes the record that it is in, from 0 in this piece; ascending


def scan_quotes(data: Buffer, delimiter: bytes, state: State = State.FIELD_START) -> Quotes:
    r"""Scan a piece of text whose fields may be quoted as in RFC 4180.

    Lines end with ``\n``: the caller has replaced ``\r\n``. A quote inside an unquoted field is an ordinary character.

    Parameters
    ----------
    data
        UTF-8 text.
    delimiter
        A single byte.
    state
        What the scan of the piece before returned.

    Examples
    --------
    >>> piece = scan_quotes(b'a,"b\n', b",")
    >>> piece.state, piece.records, piece.breaks.tolist()
    (<State.QUOTED: 2>, 0, [0])
    >>> scan_quotes(b'c"d\n', b",", piece.state).bad
    2
    """
    if len(delimiter) != 1 or delimiter in b'\n"':
        raise ValueError(f"the delimiter {delimiter!r} cannot separate the fields of a line")
    end, records, bad, breaks = compiled_or(scan_quotes_twin)(as_array(data), delimiter[0], int(state))
    return Quotes(State(end), records, bad, breaks)


def scan_quotes_twin(data: TextBytes, delimiter: int, state: int) -> tuple[int, int, int, Offsets]:
    """Go from state to state, byte by byte."""
    records, bad, breaks = 0, -1, list[int]()
    for at, byte in enumerate(data.tolist()):
        if state == State.QUOTED:
            if byte == ord('"'):
                state = State.QUOTE
            elif byte == ord("\n"):
                breaks.append(records)
        elif byte == ord('"') and state != State.PLAIN:
            state = State.QUOTED
        elif byte in (delimiter, ord("\n")):
            state = State.FIELD_START
            records += byte == ord("\n")
        elif state == State.QUOTE:
            bad = at
            break
        else:
            state = State.PLAIN
    return int(state), records, bad, np.array(breaks, dtype=np.int64)
