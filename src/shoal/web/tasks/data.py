"""What a file holds: its layout, its columns with suggested roles, and its first rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal import io
from shoal.data import Dataset
from shoal.data.columns import values_of
from shoal.errors import InputError, OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.find_layout import FoundLayout, find_layout
from shoal.jobs.init import left_out, suggest_model
from shoal.jobs.suggest_roles import suggest_roles
from shoal.report.wording import worded
from shoal.web.words import in_page
from shoal.web.worker import Session, file_key

ROWS = 20  # of the preview
ITEMS = 40  # of a record in the preview
KEY, PEM = ".key", b"-----BEGIN "  # the suffix of private keys, and how keys begin
CELL = 200  # characters of a cell in the preview


def reading_of(given: dict[str, Any]) -> tuple[str, ReadOptions]:
    """Return the file and the reading options of the table [data] of a draft."""
    options: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in given.items()}
    file, reading = str(options.pop("file")), ReadOptions(**options)
    if any(is_key(path) for path in (file, *reading.joined_files)):
        raise InputError("Private keys are never shown: choose a file with data.")
    return file, reading


def is_key(path: str) -> bool:
    """Return whether a file is a private key, by its name or its content."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(PEM))
    except OSError:
        start = b""
    return start == PEM or any(name.lower().endswith(KEY) for name in (path, os.path.realpath(path)))


def found(session: Session, given: dict[str, Any]) -> FoundLayout:
    """Read a file, and find out what is not said about its layout. It is kept for the next call."""
    file, reading = reading_of(given)
    session.progress("reading", 0.0)
    layout: FoundLayout = session.keep("data", data_key(given), lambda: find_layout(Path(file), reading))
    return layout


def data_key(given: dict[str, Any]) -> list[Any]:
    """Return what changes when a file must be read anew."""
    file, reading = reading_of(given)
    return [given, file_key(file, *reading.joined_files)]


def inspect(session: Session, data: dict[str, Any]) -> dict[str, Any]:
    """Describe a file. ``data``: what is said about it, as the table [data] of a problem file."""
    layout = found(session, data)
    dataset, rows = layout.data, layout.data.transactions
    roles = list(suggest_roles(dataset))
    try:
        model = suggest_model(dataset, roles)
    except OptionError:  # every column is an identifier: the user decides
        model = None
    origin = dataset.origin
    options = {name: list(value) if isinstance(value, tuple) else value for name, value in layout.options.items()}
    session.rename("data", data_key({"file": data["file"], **options}))
    return {
        "options": options,
        "records": len(dataset),
        "sets": list(origin.set_columns),
        "without_sets": origin.layout.without_sets,
        "different_items": len(rows.labels),
        "total_items": rows.total_items,
        "persons": rows.persons
        and {"count": rows.persons.count(), "noun": rows.persons.noun, "nouns": rows.persons.nouns},
        "left_out": {name: reason for names, reason in left_out(dataset) for name in names},
        "model": model and {"name": model.name, **model.values()},
        "columns": [
            {"name": one.column, "role": one.role.value, "type": one.type, "kind": one.kind, "reason": one.reason}
            for one in roles
        ],
    }


def preview(session: Session, data: dict[str, Any]) -> dict[str, Any]:
    """Return the first rows as they are in the file, or the first records if it holds only sets, and remarks.

    Remarks can quote the data, so they are told here and never kept in a file.
    """
    file, reading = reading_of(data)
    kept = {name: value for name, value in data.items() if name in ("file", "format", "delimiter", "header", "join")}
    dataset = found(session, data).data
    notes = [in_page(worded(note)) for note in dataset.origin.notes if not note.left_out]
    try:
        table = session.keep("table", data_key(kept), lambda: _table(file, reading, kept))
    except InputError:
        return {"columns": [], "records": _records(dataset), "notes": notes}
    return {**table, "notes": notes}


def _table(file: str, reading: ReadOptions, kept: dict[str, Any]) -> dict[str, Any]:
    """Return the first rows of a table."""
    told = {name: getattr(reading, name) for name in kept if name != "file"}
    table = io.read_with(file, ReadOptions(**told, no_sets=True)).table
    assert table is not None
    first = table.arrow.slice(0, ROWS)
    columns = [[_text(cell) for cell in first.column(name).to_pylist()] for name in table.names]
    return {"columns": list(table.names), "rows": [list(row) for row in zip(*columns, strict=True)], "records": []}


def _records(data: Dataset) -> list[dict[str, Any]]:
    """Return the items of the first records."""
    rows = data.transactions
    sets = [[rows.labels[code] for code in rows.row(at)] for at in range(min(ROWS, len(rows)))]
    return [{"items": [_text(one) for one in items[:ITEMS]], "more": max(0, len(items) - ITEMS)} for items in sets]


def _text(cell: Any) -> str:
    """Return a cell as text, not too long."""
    text = "" if cell is None else ", ".join(map(str, cell)) if isinstance(cell, list) else str(cell)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


def values(session: Session, data: dict[str, Any], column: str) -> list[str]:
    """Return the different values of a column, for instance to name the sensitive ones."""
    texts, _ = values_of(found(session, data).data, column)
    return [text for text in texts if text][:1000]
