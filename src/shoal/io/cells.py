"""Sets as text in cells: guess the item delimiter when they are read, and choose one when they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shoal.data import Transactions
from shoal.errors import DataError
from shoal.io.messages import shorten, shown
from shoal.io.text import check_label, name_of

ITEM_DELIMITERS = ("|", ";", ",", "\t")  # what may be guessed as a delimiter inside a cell


class CellStatistics:
    """Count which possible separators the cells contain, batch by batch."""

    def __init__(self) -> None:
        self._cells = self._lists = 0
        self._marks = dict.fromkeys((*ITEM_DELIMITERS, " "), 0)
        self._spaced = dict.fromkeys(self._marks, 0)

    def add(self, cells: Any) -> None:
        """Count an Arrow array of texts."""
        import pyarrow.compute as pc

        self._cells += len(cells)
        self._lists += pc.sum(pc.match_substring_regex(cells, r"^\s*(\[.*\]|\{.*\})\s*$"), min_count=0).as_py()
        for mark in self._marks:
            if mark == " " and any(self._marks[other] for other in ITEM_DELIMITERS):
                continue
            if pc.any(pc.match_substring(cells, mark)).as_py():
                self._marks[mark] += pc.sum(pc.count_substring(cells, mark)).as_py()
                self._spaced[mark] += pc.sum(pc.count_substring(cells, mark + " ")).as_py()

    def guess(self, column: str, name: str) -> str:
        """Guess the delimiter inside the cells. '|' wins, because it is hardly ever a part of a label."""
        if self._lists * 2 > self._cells:
            raise DataError(
                f"{name}: the cells of column '{shorten(column)}' look like lists in brackets: separate the items by a "
                f"delimiter without brackets, or use jsonl or parquet; if the brackets are part of the items, pass "
                f"item_delimiter=."
            )
        likely = _likely(lambda mark: self._marks[mark] > 0)
        if len(likely) > 1:
            marks = " or ".join(name_of(mark) for mark in likely)
            raise DataError(
                f"{name}: the items in column '{shorten(column)}' may be separated by {marks}: pass item_delimiter=."
            )
        mark = likely[0]
        return mark + " " * (0 < self._marks[mark] == self._spaced[mark])


def fitting(rows: Transactions, mark: str, column: str, format: str) -> tuple[str, list[str]]:
    """Return an item delimiter that no label contains, if possible this one, and remarks.

    There is a remark if the delimiter changed, or if a reader would guess it wrong.
    """
    labels = [rows.labels[code] for code in np.unique(rows.items).tolist()]
    sets = any(label.startswith("(") and "," in label for label in labels)  # with (A,B), a comma would be guessed
    marks = ["|"] * sets + [mark, *ITEM_DELIMITERS, "/", "~", "^"]
    chosen = next((mark for mark in marks if all(_holds(label, mark) for label in labels)), None)
    if chosen is None:
        raise DataError(
            f"Format {format} cannot hold the items of column '{shorten(column)}': they contain every possible "
            f"delimiter: write jsonl or parquet, for instance to out.jsonl."
        )
    remarks = []
    items = f"Items in column '{shorten(column)}' are"
    if chosen != mark:
        why = (
            "labels such as (A,B) contain commas"
            if sets and mark != ","
            else f"a published label contains {name_of(mark)}"
        )
        remarks.append(f"{items} now separated by {name_of(chosen)}: {why}.")
    if _misread(labels, chosen, single=rows.longest < 2):
        remarks.append(
            f"{items} separated by {name_of(chosen)}, which a reader of the file would not guess: "
            f"pass item_delimiter={chosen!r} to read it."
        )
    return chosen, remarks


def check_items(labels: Iterable[str], mark: str, format: str) -> None:
    """Refuse labels that a reader would split."""
    for label in labels:
        if not _holds(label, mark):
            raise DataError(
                f"Item {shown(label)} contains {name_of(mark)}, which separates the items of a cell: pass another "
                f"item_delimiter=, or write jsonl or parquet."
            )
        check_label(label, "\r\0", format, "jsonl or parquet")


def _likely(there: Callable[[str], bool]) -> list[str]:
    """Return the likely item delimiters: one, unless it is unclear. ``there`` tells whether a text occurs."""
    marks = [mark for mark in ITEM_DELIMITERS if there(mark)]
    return marks[:1] if marks[:1] == ["|"] else marks or ([" "] if there(" ") else ["|"])


def _holds(label: str, delimiter: str) -> bool:
    """Whether a label that is followed by the delimiter is split where the label ends.

    >>> _holds("oat milk", "|"), _holds("oat milk", " "), _holds("a|", "||")
    (True, False, False)
    """
    return (label + delimiter).find(delimiter) == len(label)


def _spaced(count: Callable[[str], int], delimiter: str) -> str:
    """Return the delimiter, with a space if one always follows. ``count`` returns how often a text occurs.

    >>> _spaced("oat milk, beer, bread".count, ","), _spaced("1, 5,5".count, ",")
    (', ', ',')
    """
    times = count(delimiter)
    return delimiter + " " if times and count(delimiter + " ") == times else delimiter


def _misread(labels: list[str], delimiter: str, *, single: bool) -> bool:
    """Whether a reader would split these labels wrong without an error. ``single``: each is alone in its cell."""
    cells = labels if single else [delimiter.join(labels)]
    body = "\n".join(cells)
    likely = _likely(body.__contains__)
    if len(likely) > 1:
        return False
    guess = _spaced(body.count, likely[0])
    read_back = [label for cell in cells for label in cell.split(guess)]
    return read_back != labels or (not single and any(label.startswith(" ") for label in labels))
