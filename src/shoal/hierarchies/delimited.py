"""Rows of cells as in RFC 4180, with any delimiter, for the formats ``arx`` and ``parents``.

Cells are verbatim: nothing is stripped. If no delimiter is given, it is found among ``;`` ``,`` tab and ``|``. We quote
every cell that contains one of those, so that the delimiter of a file we wrote is always found again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from shoal.errors import HierarchyError
from shoal.quoting import BadQuotes, records

DELIMITERS = (";", ",", "\t", "|")
_QUOTED = re.compile(r'(?:^|(?<=[;,\t|\n]))"(?:[^"]|"")*"')
_NAMES = {"\t": "a tab", " ": "a space"}


class Row(NamedTuple):
    """The cells of one row and the line it starts on."""

    line: int
    cells: tuple[str, ...]

    @property
    def place(self) -> str:
        """Return its place, for a message."""
        return f"line {self.line}"


def read_rows(text: str, name: str, delimiter: str | None) -> list[Row]:
    """Return the rows that are not blank. Raise an error if the delimiter cannot be right."""
    if delimiter is not None:
        check_delimiter(delimiter)
    likely = sniff(text)
    chosen = delimiter or likely or DELIMITERS[0]
    rows = _parse(text, name, chosen)
    if rows and all(len(row.cells) == 1 for row in rows):
        if delimiter is not None and likely is not None:
            raise HierarchyError(
                f"{name} has only one column with {_name(delimiter)} as the delimiter, but looks separated by "
                f"{_name(likely)}: pass that, or leave out delimiter=."
            )
        if len(rows) > 1:
            raise HierarchyError(
                f"{name} has only one column: wanted rows such as item;group;root, separated by ; , | or a tab."
            )
    return rows


def write_rows(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Return the rows as text."""
    check_delimiter(delimiter)
    special = {*DELIMITERS, delimiter, '"', "\n"}

    @cache  # most labels are in many rows
    def cell(label: str) -> str:
        # White space at the ends is quoted only to make it visible. Readers keep it in any case.
        plain = special.isdisjoint(label) and label == label.strip()
        return label if plain else '"' + label.replace('"', '""') + '"'

    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows)


def check_delimiter(delimiter: str) -> None:
    """Refuse a text that cannot separate cells."""
    if len(delimiter) != 1 or delimiter in '"\n\r\0':
        raise HierarchyError(f"The delimiter must be one character, but no quote or line end, got {delimiter!r}.")


def sniff(text: str) -> str | None:
    """Return the likely delimiter, or None.

    It is the one on most lines. Among equals, it is the one with the most common last cell (the root).

    >>> sniff("bread, white;bakery;*\\nbeer;drinks;*\\n"), sniff('"a;b"'), sniff("a,b;*\\nc,d;*\\n")
    (';', None, ';')
    """
    unquoted = _QUOTED.sub("x", text) if '"' in text else text
    lines = [line for line in unquoted.split("\n") if line]
    best, best_score = None, (0, 0)
    for delimiter in filter(unquoted.__contains__, DELIMITERS):
        last = Counter(line.rpartition(delimiter)[2] for line in lines if delimiter in line)
        if last and (score := (last.total(), max(last.values()))) > best_score:
            best, best_score = delimiter, score
    return best


def _parse(text: str, name: str, delimiter: str) -> list[Row]:
    """Return the rows, without empty lines."""
    try:
        return [Row(line, tuple(cells)) for line, cells in records(text, delimiter)]
    except BadQuotes as error:
        raise HierarchyError(
            f"{name}, line {error.line}: malformed quotes: a cell that starts with a quote must end with one, "
            f'and a quote inside it must be written as "".'
        ) from None


def _name(delimiter: str) -> str:
    """Return a delimiter as a message shows it."""
    return _NAMES.get(delimiter, f"'{delimiter}'")
