"""What became of the data: what a run tells about its release, its groups and code book, and single records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.data import Dataset
from shoal.errors import InputError
from shoal.hierarchies.codebook import CodeBook
from shoal.web.tasks.data import data_key, found
from shoal.web.tasks.run import ORDER, TOLD
from shoal.web.tasks.sides import Sides, Where, load
from shoal.web.worker import Session, file_key

RECORDS, GROUPS, LABELS = 25, 30, 50  # on a page
NAMED = 12  # items of a group that are shown at once
MOST = 1000  # items of a group that are shown at all


def overview(session: Session, folder: str) -> dict[str, Any]:
    """Return the sentences and figures of a run, without its groups."""
    told = _told(session, folder)
    return {name: value for name, value in told.items() if name != "groups"} | {"n_groups": len(told["groups"])}


def _told(session: Session, folder: str) -> dict[str, Any]:
    """Return what a run tells."""
    file = Path(folder) / TOLD
    told: dict[str, Any] = session.keep("told", file_key(file), lambda: json.loads(file.read_text(encoding="utf-8")))
    return told


def groups(session: Session, folder: str, find: str = "", page: int = 1) -> dict[str, Any]:
    """Return what became of groups whose label or items contain a text; the largest loss comes first."""
    told = _told(session, folder)
    wanted = find.casefold()
    fitting = [
        one
        for one in told["groups"]
        if wanted in one["label"].casefold() or any(wanted in item.casefold() for item, _ in one["items"])
    ]
    part, page, pages = _page(fitting, page, GROUPS)
    shown = []
    for one in part:
        hits = [pair for pair in one["items"] if wanted and wanted in pair[0].casefold()]
        others = [pair for pair in one["items"] if pair not in hits] if hits else one["items"]
        items = [[item, count, bool(wanted) and at < len(hits)] for at, (item, count) in enumerate([*hits, *others])]
        more = max(0, len(items) - MOST) + one["unnamed"]
        shown.append({**one, "items": items[:NAMED], "others": items[NAMED:MOST], "more": more})
    return {
        "groups": shown,
        "parted": all(one["lost"] is not None for one in shown),
        "fitting": len(fitting),
        "all": len(told["groups"]),
        "page": page,
        "pages": pages,
        "explained": told["explained"],
        "columns": told["columns"],
        "made_up": told["made_up"],
        "overlap": told["overlap"],
    }


def codebook(session: Session, file: str, find: str = "", page: int = 1) -> dict[str, Any]:
    """Return the labels of a code book that contain a text, or represent items that do."""
    book: CodeBook = session.keep("codebook", file_key(file), lambda: CodeBook.load(file))
    wanted = find.casefold()
    fitting = [
        one
        for one in book.entries
        if wanted in one.label.casefold() or any(wanted in item.casefold() for item in one.items)
    ]
    part, page, pages = _page(fitting, page, LABELS)
    shown = [
        {"label": one.label, "parent": one.parent, "items": list(one.items[:MOST]), "count": len(one.items)}
        for one in part
    ]
    return {"labels": shown, "fitting": len(fitting), "all": len(book.entries), "page": page, "pages": pages}


def records(
    session: Session,
    data: dict[str, Any],
    input: dict[str, Any],
    folder: str,
    release: str,
    reading: dict[str, Any],
    find: str = "",
    where: Where = "either",
    changed: bool = False,
    page: int = 1,
) -> dict[str, Any]:
    """Return records before and after, side by side. The data and the release are read once, and kept.

    Parameters
    ----------
    data
        How the input was read, as the table [data] of the run.
    input
        What the run has noted about the input: its hash, and those of joined tables.
    folder
        The folder of the run.
    release, reading
        The published file, and how it is read.
    find, where
        A text that records hold, in either, before or after.
    changed
        Only records that were changed.
    page
        The page, from 1.
    """
    original = found(session, data).data
    _refuse_changed(original, input)
    key = [data_key(data), file_key(release), folder]
    session.progress("reading the release", 0.0)
    sides: Sides = session.keep("sides", key, lambda: load(original, release, reading, f"{folder}/{ORDER}"))
    session.progress("searching", 0.0)
    rows = session.keep("fitting", [key, find, where, changed], lambda: sides.found(find, where, changed=changed))
    part, page, pages = _page(rows, page, RECORDS)
    covers = session.keep("covers", file_key(Path(folder) / TOLD), lambda: _covers(_told(session, folder)["groups"]))
    return {
        "records": [sides.record(int(row), find, covers) for row in part],
        "fitting": len(rows),
        "all": len(sides.changed),
        "changed": int(sides.changed.sum()),
        "reordered": sides.place is not None,
        "page": page,
        "pages": pages,
    }


def _refuse_changed(data: Dataset, input: dict[str, Any]) -> None:
    """Refuse to show other data than those of the run as what they were before."""
    now = [data.origin.sha256 or data.transactions.sha256, *(one.sha256 for one in data.origin.joined)]
    if now != [input["sha256"], *(one["sha256"] for one in input["joined"])]:
        raise InputError(
            "The input has changed since the run, so it does not show what the records were before: put the old file "
            "back, or run again."
        )


def _covers(groups: list[dict[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the items that each group represents."""
    return {one["label"]: frozenset(item for item, _ in one["items"]) for one in groups if not one["removed"]}


def _page(all: Any, page: int, size: int) -> tuple[Any, int, int]:
    """Return a part of a list, the number of its page, and how many pages there are.

    >>> _page(list("abcde"), 2, 2), _page([], 7, 2)
    ((['c', 'd'], 2, 3), ([], 1, 1))
    """
    pages = max(1, -(-len(all) // size))
    page = min(max(1, page), pages)
    return all[(page - 1) * size : page * size], page, pages
