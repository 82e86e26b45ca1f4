"""Cells in quotes, as RFC 4180 has them, of any length: the reader of the standard library refuses those that are long.

``records`` is strict, for files; ``cells`` takes what people type, for one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)("|\Z)')


def cells(text: str, marks: str = ",") -> list[str]:
    """The cells of one line, separated by any of the marks; spaces before a cell are none of it.

    >>> cells('milk, "beer, light",a "b"'), cells('"a" x,"b'), cells("")
    (['milk', 'beer, light', 'a "b"'], ['a x', 'b'], [''])
    """
    row, at = [], 0
    plain = re.compile(f"[^{re.escape(marks)}]*")
    while True:
        while text.startswith(" ", at):
            at += 1
        cell = ""
        if quoted := _QUOTED.match(text, at):
            cell, at = quoted[1].replace('""', '"'), quoted.end()
        rest = plain.match(text, at)
        assert rest is not None
        row.append(cell + rest[0])
        at = rest.end() + 1
        if at > len(text):
            return row


def records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The records of a file that are not blank, each with the line where it starts.

    A quote inside a cell that has none around it is a character like others. Raises :class:`BadQuotes` where a cell
    goes on behind its quotes, or does not end.

    >>> list(records('a;"b;\\nc"\\n\\nd;""', ";"))
    [(1, ['a', 'b;\\nc']), (4, ['d', ''])]
    """
    if '"' not in text:  # the same, faster
        yield from ((at, line.split(delimiter)) for at, line in enumerate(_LINE_END.split(text), 1) if line)
        return
    line, start, row, at = 1, 1, list[str](), 0
    while at <= len(text):
        match = _field(delimiter).match(text, at)
        if match is None:
            raise BadQuotes(line)
        quoted, plain, stop = match.groups()
        line += 0 if quoted is None else len(_LINE_END.findall(quoted))
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        at = match.end() + (not stop)  # behind the end, there is no other cell
        if stop != delimiter:
            if len(row) > 1 or plain != "":
                yield start, row
            line += 1
            start, row = line, []


class BadQuotes(ValueError):
    """A cell in quotes does not end as it should."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line  # of the text, from 1


_LINE_END = re.compile(r"\r\n|\r|\n")


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    """A cell with what ends it."""
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|((?!")[^{mark}\r\n]*))({mark}|\r\n|\r|\n|\Z)')
