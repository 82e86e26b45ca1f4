"""Cells in quotes, as in RFC 4180, of any length. The standard library's reader refuses very long cells.

``records`` is strict, for files. ``cells`` is lenient, for a line that a person typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)("|\Z)')


def cells(text: str, marks: str = ",") -> list[str]:
    """Return the cells of one line, separated by any of the marks. Spaces before a cell are dropped.

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
    """Iterate over the non-blank records of a file, each with the line where it starts.

    A quote inside an unquoted cell is an ordinary character. :class:`BadQuotes` is raised if text follows the closing
    quote of a cell, or if the closing quote is missing.

    >>> list(records('a;"b;\\nc"\\n\\nd;""', ";"))
    [(1, ['a', 'b;\\nc']), (4, ['d', ''])]
    """
    if '"' not in text:  # a fast path with the same result
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
        at = match.end() + (not stop)  # step past the end of the text after the last cell
        if stop != delimiter:
            if len(row) > 1 or plain != "":
                yield start, row
            line += 1
            start, row = line, []


class BadQuotes(ValueError):
    """A quoted cell does not end properly."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line  # counted from 1


_LINE_END = re.compile(r"\r\n|\r|\n")


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell and the mark that ends it."""
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|((?!")[^{mark}\r\n]*))({mark}|\r\n|\r|\n|\Z)')
