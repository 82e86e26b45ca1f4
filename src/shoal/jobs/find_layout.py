"""Find out how a file holds its records: sets in a column, one item a row, lines of sets, or a table without sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal import io
from shoal.data import Dataset
from shoal.data.arrow import is_list, is_text
from shoal.data.columns import looks_like_id
from shoal.data.person_column import with_persons
from shoal.data.persons import NOUNS
from shoal.errors import InputError
from shoal.io.read_options import ReadOptions
from shoal.io.several import MultiSetLayout
from shoal.options import changed

_RECORD = re.compile(
    r".*(order|basket|transaction|receipt|invoice|visit|session|case|encounter|admission|record).*", re.IGNORECASE
)
_ITEM = re.compile(
    r".*(item|product|article|sku|diagnosis|code|drug|medication|procedure|page|movie|video|song|book|tag|label).*",
    re.IGNORECASE,
)
_MARKS = ("|", ";", ",")  # what may separate the items of a cell; a space separates the words of any text
_CELLS = 2_000  # that are looked at
_SHARE = 0.3  # of the cells that hold several items, for a column of sets
_NEW_RECORD = 1.2  # rows for each record at least, where every row is an item


@dataclass(frozen=True)
class FoundLayout:
    """The data as read, the options that read them so, and why."""

    data: Dataset
    options: dict[str, Any]  # of ReadOptions: those that were given, and those that were found
    why: str  # one sentence


def find_layout(source: Path, given: ReadOptions) -> FoundLayout:
    """Read a file; what is not said about its layout is found out from its columns."""
    try:
        return _with_person(_as_read(source, given, "Shoal recognises this layout by itself."), source)
    except InputError as error:
        if given.sets or given.id_column or given.item_column or given.no_sets:
            raise
        try:
            table = io.read_with(source, given.changed(no_sets=True))
        except InputError:
            raise error from None  # it is no table either: the first message tells more
    return _with_person(_of_table(source, given, table), source)


def _of_table(source: Path, given: ReadOptions, table: Dataset) -> FoundLayout:
    """Sets that the reader did not find by itself: by what the columns of a table hold."""
    fields = [] if table.table is None else list(table.table.arrow.schema)
    lists = tuple(field.name for field in fields if is_list(field.type))
    texts = [field.name for field in fields if is_text(field.type)]
    if len(lists) > 1:
        why = "The columns that hold lists are taken as sets."
        return _as_read(source, given.changed(sets=lists), why)
    for name in texts:
        if mark := _separator(table, name):
            why = f"Many cells of '{name}' hold several values, separated by '{mark}'."
            return _as_read(source, given.changed(sets=name, item_delimiter=mark), why)
    if columns := _long_columns(table):
        record, item = columns
        why = f"Every row is one item: values of '{record}' repeat, and '{item}' names the item."
        return _as_read(source, given.changed(id_column=record, item_column=item), why)
    return _described(table, given.changed(no_sets=True), "No column holds sets.")


def _as_read(source: Path, given: ReadOptions, why: str) -> FoundLayout:
    """Read with these options."""
    return _described(io.read_with(source, given), given, why)


def _described(data: Dataset, given: ReadOptions, why: str) -> FoundLayout:
    """The data with all options that read them so."""
    layout: Any = data.origin.layout
    if isinstance(layout, MultiSetLayout):
        return FoundLayout(data, changed(given), why)
    found = {name: value for name, value in layout.read_options().items() if name != "delimiter" or value != ","}
    return FoundLayout(data, {**found, **changed(given)}, why)


def _separator(table: Dataset, name: str) -> str:
    """What separates items in the cells of a text column; empty, if it is no column of sets."""
    cells = [cell for cell in _cells(table, name) if cell]
    for mark in _MARKS:
        several = [cell for cell in cells if mark in cell]
        items = [item.strip() for cell in several for item in cell.split(mark)]
        if len(several) > _SHARE * len(cells) and 2 * len(set(items)) <= len(items):
            return mark
    return ""


def _cells(table: Dataset, name: str) -> list[str]:
    """The first cells of a text column."""
    assert table.table is not None
    return [cell or "" for cell in table.table.arrow.column(name).slice(0, _CELLS).to_pylist()]


def _long_columns(table: Dataset) -> tuple[str, str] | None:
    """The columns of the record and of the item, where every row is one item; None if it does not look so."""
    names = () if table.table is None else table.table.names
    counts = {name: _different(table, name) for name in names}
    ids = [name for name in names if looks_like_id(name) or _RECORD.fullmatch(name)]
    items = [name for name in names if _ITEM.fullmatch(name) and not _RECORD.fullmatch(name)]
    records = [name for name in ids if name not in items and 1 < counts[name] * _NEW_RECORD <= len(table)]
    if not records or not items:
        return None
    preferred = [name for name in records if _RECORD.fullmatch(name)] or records
    return max(preferred, key=lambda name: counts[name]), _finest(items, counts, len(table))


def _finest(items: Sequence[str], counts: dict[str, int], rows: int) -> str:
    """Of several columns that may name the item, the one with most values that recur."""
    recurring = [name for name in items if counts[name] * _NEW_RECORD <= rows] or list(items)
    return max(recurring, key=lambda name: counts[name])


def _different(table: Dataset, name: str) -> int:
    """How many different values a column has."""
    assert table.table is not None
    column = table.table.arrow.column(name)
    return 0 if is_list(column.type) else len(column.unique())


def _with_person(found: FoundLayout, source: Path) -> FoundLayout:
    """The same, with the column that says whose a record is, if a person has several."""
    data = found.data
    if data.transactions.persons is not None or data.table is None:
        return found
    for name in data.table.names:
        words = set(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").casefold().split())
        if words & NOUNS and looks_like_id(name) and _different(data, name) * _NEW_RECORD <= len(data):
            try:
                data = with_persons(data, name)
            except InputError:  # some cells are blank
                continue
            return FoundLayout(data, {**found.options, "person": name}, found.why)
    return found
