"""Records before and after, side by side: which were changed, which fit a search, and what single ones look like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal import io
from shoal.data import Dataset
from shoal.data.arrays import row_ids
from shoal.data.columns import coded_texts, is_nested, values_of
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.io.read_options import ReadOptions
from shoal.report.formatting import label

Where = Literal["either", "before", "after"]
Marks = npt.NDArray[np.bool_]
ITEMS = 100  # of a record that are shown
CELL = 200  # characters of a cell that are shown


@dataclass(frozen=True)
class Column:
    """A column: its different values as texts, and the index of each record's value."""

    name: str
    texts: list[str]
    codes: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Side:
    """The data before or after, in the order of the input."""

    sets: Transactions
    columns: dict[str, Column]

    @classmethod
    def of(cls, data: Dataset) -> Side:
        """Take the sets and the columns of a data set."""
        names = () if data.table is None else data.table.names
        return cls(data.as_read().transactions, {name: _column(data, name) for name in names})

    def holding(self, text: str) -> Marks:
        """Mark the records that hold a text in an item or in a column, in upper or lower case."""
        wanted = text.casefold()
        fits = np.array([wanted in one.casefold() for one in self.sets.labels], dtype=bool)
        found = np.zeros(len(self.sets), dtype=bool)
        if fits.any():
            hits = fits[self.sets.items]
            found[row_ids(self.sets.indptr)[hits]] = True
        for column in self.columns.values():
            fits = np.array([wanted in one.casefold() for one in column.texts], dtype=bool)
            if fits.any():
                found |= fits[column.codes]
        return found

    def items(self, row: int) -> list[str]:
        """Return the items of a record."""
        return [self.sets.labels[code] for code in self.sets.row(row).tolist()]

    def cell(self, name: str, row: int) -> str:
        """Return the value of a column."""
        column = self.columns[name]
        text = column.texts[int(column.codes[row])]
        return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


@dataclass(frozen=True)
class Sides:
    """The original and the published records, one beside the other."""

    before: Side
    after: Side
    changed: Marks  # of each record of the input
    place: npt.NDArray[np.int64] | None  # of each record of the input in the published file; None: the same

    @classmethod
    def of(cls, original: Dataset, published: Dataset, order: npt.NDArray[np.int64] | None) -> Sides:
        """Put data side by side. ``order``: the input row of each published record; None: that of the input."""
        if len(original) != len(published):
            raise DataError(
                f"The release has {len(published):,} records and the input {len(original):,}: the input has changed "
                f"since the run. Put the old file back, or run again."
            )
        place = None
        if order is not None:
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            published = published.take(place)
        before, after = Side.of(original), Side.of(published)
        return cls(before, after, _changed(before, after), place)

    def found(self, find: str, where: Where, *, changed: bool) -> npt.NDArray[np.int64]:
        """Return the records that hold a text, in the order of the input. ``changed``: only those that were changed."""
        marks = np.ones(len(self.changed), dtype=bool)
        if find:
            marks = np.zeros(len(self.changed), dtype=bool)
            if where != "after":
                marks |= self.before.holding(find)
            if where != "before":
                marks |= self.after.holding(find)
        return np.flatnonzero(marks & self.changed if changed else marks)

    def record(self, row: int, find: str, covers: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """Return a record before and after, with marks at what was changed and what was searched for.

        ``covers``: the items that a group represents. What was changed comes first, in the same order on both sides.
        """
        was, now = _aligned(self.before.items(row), self.after.items(row), covers)
        columns = []
        for name in dict.fromkeys((*self.before.columns, *self.after.columns)):
            cells = [side.cell(name, row) if name in side.columns else None for side in (self.before, self.after)]
            columns.append({"name": name, "before": cells[0], "after": cells[1], "changed": cells[0] != cells[1]})
        return {
            "number": row + 1,
            "place": None if self.place is None else int(self.place[row]) + 1,
            "changed": bool(self.changed[row]),
            "columns": columns,
            "before": _marked(was, set(now), find),
            "after": _marked(now, set(was), find),
            "emptied": bool(was) and not now,
        }


def _aligned(was: list[str], now: list[str], covers: Mapping[str, Collection[str]]) -> tuple[list[str], list[str]]:
    """Sort the items of a record so that those which became a group come in the order of the groups, and first.

    >>> _aligned(["beer", "milk", "rice"], ["milk", "FOOD", "DRINKS"], {"FOOD": ["rice"], "DRINKS": ["beer"]})
    (['rice', 'beer', 'milk'], ['FOOD', 'DRINKS', 'milk'])
    """
    same = set(was) & set(now)
    groups = [one for one in now if one not in same]
    place = {item: at for at, one in reversed([*enumerate(groups)]) for item in covers.get(one, ())}

    def rank(item: str) -> int:
        return len(groups) + 1 if item in same else place.get(item, len(groups))

    return sorted(was, key=rank), sorted(now, key=lambda one: one in same)


def _marked(items: list[str], others: set[str], find: str) -> dict[str, Any]:
    """Return items with marks: whether the other side lacks them, and whether they were searched for."""
    wanted = find.casefold()
    shown = [
        {"label": label(item), "changed": item not in others, "found": bool(wanted) and wanted in item.casefold()}
        for item in items
    ]
    shown.sort(key=lambda one: (not one["found"], not one["changed"]) if len(shown) > ITEMS else False)
    return {"items": shown[:ITEMS], "more": max(0, len(items) - ITEMS)}


def _column(data: Dataset, name: str) -> Column:
    """Return a column as texts."""
    if is_nested(data, name):
        values, codes = coded_texts(data, name)
        return Column(name, ["" if value is None else value for value in values], codes)
    texts, codes = values_of(data, name)
    return Column(name, texts, codes)


def _changed(before: Side, after: Side) -> Marks:
    """Mark the records that are published otherwise than they were."""
    code_of = {item: code for code, item in enumerate(before.sets.labels)}
    count = len(code_of)
    same = np.array([code_of.get(one, count) for one in after.sets.labels], dtype=np.int64)
    was = row_ids(before.sets.indptr) * (count + 1) + before.sets.items
    now = row_ids(after.sets.indptr) * (count + 1) + (same[after.sets.items] if len(same) else after.sets.items)
    kept = np.bincount(row_ids(after.sets.indptr)[np.isin(now, was)], minlength=len(before.sets))
    marks: Marks = (kept != before.sets.sizes) | (kept != after.sets.sizes)
    for name, column in before.columns.items():
        other = after.columns.get(name)
        if other is not None:
            number = {text: code for code, text in enumerate(column.texts)}
            same = np.array([number.get(text, -1) for text in other.texts], dtype=np.int64)
            marks |= same[other.codes] != column.codes
    return marks


def load(original: Dataset, release: str, reading: dict[str, Any], order: str) -> Sides:
    """Read a release, and put it beside the original data."""
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    published = io.read_with(release, ReadOptions(**options))
    rows = np.load(order, allow_pickle=False) if Path(order).is_file() else None
    return Sides.of(original, published, rows)
