"""The first line of a delimited file: whether it names the columns, and what separates them.

Columns of a file without a header are called ``(column 1)``, ``(column 2)``, and so are columns with a blank name. The
user may say whether there is a header (``header=``). Otherwise it is guessed. If the first line looks like a record, an
error asks: a record must never be published as a header.
"""

from __future__ import annotations

import re
from typing import Any

from shoal.data.arrow import arrow_text
from shoal.errors import DataError
from shoal.io.format import unnamed
from shoal.io.messages import listed, shorten
from shoal.io.text import DELIMITERS, TextPieces, unquoted

SET_NAMES = frozenset(
    {"items", "itemset", "item_set", "transaction", "transactions", "basket", "set", "products", "codes"}
)
_SAMPLE = 1000  # records that are compared with the first line
_NAME = re.compile(r"[^\W\d][^|;,\t]+")  # a word of two letters or more
_MISSING = frozenset({"", "na", "n/a", "nan", "nil", "none", "null", "unknown"})


def guess_delimiter(text: TextPieces, name: str) -> str:
    """Return the delimiter of the first line: the only one in it, or the one that all lines contain equally often."""
    lines = unquoted(text.head.encode()).decode().split("\n")
    marks = [mark for mark in DELIMITERS if mark in lines[0]]
    if len(marks) > 1:
        full = [line for line in lines[:-1][:50] or lines if line]  # the last line may be incomplete
        marks = [mark for mark in marks if len({line.count(mark) for line in full}) == 1]
        if len(marks) != 1:
            raise DataError(f"{name}, line 1: more than one delimiter is possible: pass delimiter=.")
    return marks[0] if marks else ","


def recurring(names: list[str], batch: Any) -> str:
    """Return why the first line may be a record: a column contains its own name. Otherwise return an empty string."""
    import pyarrow.compute as pc

    for at, name in enumerate(names):
        if name != unnamed(at) and pc.any(pc.equal(batch.column(at), arrow_text(name))).as_py():
            return f"'{shorten(name)}' also occurs further down in column {at + 1}"
    return ""


def doubt(names: list[str], batch: Any) -> str:
    """Return why the first line may be a record, as a sentence without a full stop.

    It is empty if the line is a header.
    """
    sure, record = False, ""
    for at, name in enumerate(names):
        if name == unnamed(at):
            continue
        cells = [cell for cell in batch.column(at).slice(0, _SAMPLE).to_pylist() if cell.strip()]
        numbers = 2 * sum(not _has_letters(cell) for cell in cells) > len(cells)
        word = _has_letters(name) and not any(map(str.isdigit, name))
        sure = sure or (numbers and word and name.strip().lower() not in _MISSING)
        if not record and 2 * sum(_alike(name, cell) for cell in cells) > len(cells):
            record = f"'{shorten(name)}' looks like the values below it"
    if again := recurring(names, batch):
        return again
    if sure:
        return ""
    if record:
        return record
    if len(names) == 1:
        known = {name.removesuffix("s") for name in SET_NAMES}
        sure = names[0].strip().lower().removesuffix("s") in known
        return "" if sure else f"'{shorten(names[0])}' may be a name or an item"
    return "" if any(map(_NAME.fullmatch, names)) else f"{listed(names)} do not look like names"


def _has_letters(text: str) -> bool:
    """Whether a text is more than a number or a date."""
    return any(map(str.isalpha, text))


def _alike(name: str, cell: str) -> bool:
    """Whether a name looks like a cell below it in a way that names do not: digits, or several items.

    >>> _alike("s1", "s23"), _alike("2020", "-7.5"), _alike("a|b", "c|d|e"), _alike("milk", "beer")
    (True, True, True, False)
    """
    if any(mark in name and mark in cell for mark in DELIMITERS):
        return True
    if not _has_letters(name):
        return not _has_letters(cell)
    return any(map(str.isdigit, name)) and _shape(name) == _shape(cell)


def _shape(text: str) -> str:
    """Return the text with each run of letters and of digits replaced by one character."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))
