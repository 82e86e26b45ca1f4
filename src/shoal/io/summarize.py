"""A one-line summary of what was read. It shows if a record was taken for a header, or a delimiter guessed wrong."""

from __future__ import annotations

from typing import Any

from shoal.data import Dataset
from shoal.data.reading_notes import Filtered, IdentifyingColumns, Joined, PersonColumn, VaryingColumns
from shoal.io.frames import FrameFormat
from shoal.io.layout import TableLayout
from shoal.io.long import Long
from shoal.io.messages import listed, shorten
from shoal.io.several import MultiSetLayout
from shoal.io.text import name_of


def summary(dataset: Dataset) -> str:
    """Return how many records were read, in which format, from which columns.

    >>> from shoal.io import read
    >>> summary(read([{"milk", "beer"}, set()]))
    'Read data: 2 records, 2 different items.'
    """
    rows = dataset.transactions
    layout: Any = dataset.origin.layout
    counts = [f"{len(rows):,} record{'' if len(rows) == 1 else 's'}"]
    if rows.persons is not None:
        counts[0] += f" of {rows.persons.name(rows.persons.count())}"
    if not layout.without_sets:
        counts.append(f"{len(rows.labels):,} different item{'' if len(rows.labels) == 1 else 's'}")
    how = [*_format(layout), *_sets(dataset), *_columns(dataset)]
    layout_text = f" ({'; '.join(how)})" if how else ""
    return f"Read {shorten(dataset.origin.name)}: {', '.join(counts)}{layout_text}."


def _format(layout: Any) -> list[str]:
    """Return the format of a file."""
    table = layout.layout if isinstance(layout, MultiSetLayout) else layout
    if not isinstance(table, TableLayout) or isinstance(table.format, FrameFormat):
        return []
    return [table.format.format + ("" if getattr(table.format, "header", True) else " without a header")]


def _sets(dataset: Dataset) -> list[str]:
    """Return where the sets are."""
    layout: Any = dataset.origin.layout
    if isinstance(layout, MultiSetLayout):
        return [f"sets in {listed(layout.set_columns)}"]
    if isinstance(layout, Long):
        return [f"ids in {listed(layout.id_columns)}", f"items in '{shorten(layout.item_column)}'"]
    if not dataset.origin.set_columns or not getattr(getattr(layout, "format", None), "tabular", True):
        return []
    if getattr(getattr(layout, "format", None), "arrays", False):
        return []
    mark = getattr(layout, "item_delimiter", None)
    separated = "" if mark is None else f" separated by {name_of(mark)}"
    return [f"sets in '{shorten(layout.column)}'{separated}"]


def _columns(dataset: Dataset) -> list[str]:
    """Return the other columns, those that were left out, and those that were added."""
    others = [] if dataset.table is None else list(dataset.table.names)
    more = "" if dataset.origin.layout.without_sets else "other "
    facts = [f"{more}columns {listed(others)}"] if others else []
    for note in dataset.origin.notes:
        if isinstance(note, PersonColumn):
            facts.insert(0, f"persons in {listed(note.columns)}")
        elif isinstance(note, VaryingColumns):
            facts.append(f"left out, because they vary within a record: {listed(note.columns)}")
        elif isinstance(note, IdentifyingColumns):
            facts.append(f"left out, because nearly every record has its own value: {listed(note.columns)}")
        elif isinstance(note, Joined):
            which = f" ({note.example})" if note.example else ""
            facts.append(f"joined with {note.file}" + (f": {note.unmatched}{which}" if note.unmatched else ""))
        elif isinstance(note, Filtered):
            facts.append(f"{note.kept:,} of {note.total:,} rows fulfil {note.condition!r}")
    return facts
