"""The choice of a hierarchy: a file, levels of ranges, one built from the data or made of a table's columns."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.data.columns import TYPES
from shoal.errors import InputError, OptionError
from shoal.hierarchies import FORMATS, intervals
from shoal.visible import visible
from shoal.web.crew import Task, TaskError
from shoal.web.forms import Form, read_form
from shoal.web.page import Desk, go, render, waiting
from shoal.web.pages.hierarchy_edit import about, address, carry_out, folder, ticket
from shoal.web.subject import Subject
from shoal.web.tasks.data import KEY

BY = {
    "frequency": "items that are about equally common",
    "label": "neighbours in alphabetical order",
    "prefix": "codes that begin alike",
    "random": "items at random",
}
SEVERAL = {
    "most-frequent": "keep the parent that your data use most",
    "split": "make a group for each parent",
}
TEXT = (".csv", ".tsv", ".txt", ".json", ".csv.gz", ".tsv.gz", ".txt.gz", ".json.gz")  # names of hierarchies
UNKNOWN = {"group": "in groups of their own", "root": "directly below the top"}


async def choose(request: Request) -> Response:
    """Use a file, or nothing. A table leads to the form that makes a hierarchy of its columns."""
    form, desk = await read_form(request), Desk.of(request)
    subject = Subject.of(desk.draft, form.text("of"))
    if not form.text("file"):
        subject.choose("")
        desk.save()
        return go(request, address(desk, subject))
    file, format = _file(desk, form.text("file")), form.text("format")
    if format and format not in FORMATS:
        raise OptionError(f"There is no format '{visible(format[:40])}': choose one of {', '.join(FORMATS)}.")
    task = _recognize(desk, subject, file, asked=True)

    def then(desk: Desk, result: Any) -> str:
        here = Subject.of(desk.draft, subject.key)
        if result["kind"] == "table" and not format and (result["levels"] or not file.endswith(TEXT)):
            return address(desk, here, table=file)
        here.choose(file, format)
        desk.save()
        return address(desk, here)

    return await carry_out(request, desk, task, then)


async def levels(request: Request) -> Response:
    """Use ranges of a column of numbers or dates, or say how its values are read."""
    form, desk = await read_form(request), Desk.of(request)
    subject = Subject.of(desk.draft, form.text("of"))
    if subject.kind != "column":
        raise OptionError("Ranges are for columns of numbers and dates: choose a column.")
    kind, text = form.text("kind"), form.text("levels").replace(" ", "")
    if kind and kind not in intervals.KINDS:
        raise OptionError(f"There are no such ranges: choose one of {', '.join(intervals.KINDS)}.")
    if kind and not text:
        raise OptionError(f"Write the ranges, such as {intervals.KINDS[kind].partition(' ')[0].partition(':')[2]}.")
    type = "auto" if kind and form.text("type") == "category" else form.text("type", "auto")
    if type not in TYPES:
        raise OptionError(f"Values are read as one of {', '.join(TYPES)}: choose one.")

    def say(subject: Subject) -> None:
        """Put it into the draft."""
        subject.read_as(type)
        subject.choose(f"{kind}:{text}" if kind else "")

    say(subject)
    task = desk.ask("hierarchy.view_size", data=desk.draft.data, of=subject.key, spec=subject.spec)

    def then(desk: Desk, result: Any) -> str:
        here = Subject.of(desk.draft, subject.key)
        say(here)
        desk.save()
        return address(desk, here)

    return await carry_out(request, desk, task, then)


async def make(request: Request) -> Response:
    """Build a hierarchy, make one of a table, or repair a copy of the chosen file."""
    form, desk = await read_form(request), Desk.of(request)
    subject = Subject.of(desk.draft, form.text("of"))
    how = _MAKERS.get(form.text("kind"))
    if how is None:
        raise OptionError("Choose how the hierarchy is made.")
    task = desk.ask(
        "hierarchy_change.make",
        data=desk.draft.data,
        of=subject.key,
        spec=subject.spec,
        folder=folder(desk),
        how=how(desk, form),
        ticket=ticket(),
    )

    def then(desk: Desk, result: Any) -> str:
        here = Subject.of(desk.draft, subject.key)
        here.choose(result["file"])
        desk.save()
        return address(desk, here)

    return await carry_out(request, desk, task, then)


def _build(desk: Desk, form: Form) -> dict[str, Any]:
    """Return how to build a hierarchy from the data."""
    by = form.text("by", "frequency")
    if by not in BY:
        raise OptionError(f"Items are grouped by one of {', '.join(BY)}: choose one.")
    fanout, seed = form.number("fanout", 5), form.number("seed", 0)
    if not 2 <= fanout <= 10_000:
        raise OptionError(f"The members of a group must be at least 2 and at most 10,000, got {fanout}.")
    parts = [part.strip() for part in form.text("lengths").split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 1000 for part in parts):
        raise OptionError("The lengths of the beginnings must be whole numbers above 0, separated by commas.")
    lengths = [int(part) for part in parts] if by == "prefix" else []
    return {"kind": "build", "by": by, "fanout": fanout, "seed": seed if by == "random" else 0, "lengths": lengths}


def _table(desk: Desk, form: Form) -> dict[str, Any]:
    """Return which columns of a table become the levels."""
    several, unknown = form.text("several_parents", "most-frequent"), form.text("unknown_items", "group")
    if several not in SEVERAL or unknown not in UNKNOWN:
        raise OptionError("Choose one of the listed answers.")
    return {
        "kind": "table",
        "file": _file(desk, form.text("file")),
        "levels": [name for name in form.texts("level") if name],
        "several_parents": several,
        "unknown_items": unknown,
        "only_used": "only_used" in form,
    }


async def files(request: Request) -> Response:
    """List the files of the workspace, those first that fit the subject."""
    desk = Desk.of(request)
    subject = Subject.of(desk.draft, request.query_params.get("of", ""))
    names = [file for file in _files(desk) if file != desk.draft.data["file"]]
    tasks = [(file, _recognize(desk, subject, file, asked=False)) for file in names]
    for _, task in tasks:
        shown = await waiting(request, task)
        if shown is not None and not task.work.done():
            return shown
    found = [(file, _result(task)) for file, task in tasks]
    order = {"hierarchy": 0, "table": 1}
    found.sort(key=lambda one: (order.get(one[1]["kind"], 2), -one[1].get("covered", 0)))
    joined = desk.draft.data.get("join", [])
    joins = [joined] if isinstance(joined, str) else list(joined)
    return render(
        "hierarchy_files.html",
        **about(desk, subject),
        found=found,
        joins=[one.partition(":")[0] for one in joins],
        formats=FORMATS,
        data=desk.draft.data["file"],
    )


def _result(task: Task) -> dict[str, Any]:
    """Return what is known of a file, even if reading it failed."""
    try:
        found: dict[str, Any] = task.result()
    except TaskError:
        return {"kind": "other", "problems": 0}
    return found


async def table(request: Request) -> Response:
    """Show the columns of a table, with those chosen that are probably the levels."""
    desk = Desk.of(request)
    subject = Subject.of(desk.draft, request.query_params.get("of", ""))
    file = _file(desk, request.query_params.get("table", ""))
    task = _recognize(desk, subject, file, asked=True)
    if shown := await waiting(request, task):
        return shown
    return render(
        "hierarchy_table.html",
        **about(desk, subject),
        file=file,
        result=task.result(),
        several=SEVERAL,
        unknown=UNKNOWN,
    )


def _recognize(desk: Desk, subject: Subject, file: str, *, asked: bool) -> Task:
    """Ask what a file is."""
    return desk.ask(
        "hierarchy_change.recognize",
        data=desk.draft.data,
        of=subject.key,
        missing=subject.spec.get("missing"),
        file=file,
        reads=[file],
        asked=asked,
    )


def _repair(desk: Desk, form: Form) -> dict[str, Any]:
    """Return that a copy of the chosen file is repaired."""
    return {"kind": "repair"}


_MAKERS = {"build": _build, "table": _table, "repair": _repair}


def _files(desk: Desk) -> list[str]:
    """List the files that can be chosen. Keys are never read."""
    return [file for file in desk.files() if not file.lower().endswith(KEY)]


def _file(desk: Desk, name: str) -> str:
    """Return the path of a file that was chosen or uploaded."""
    known = _files(desk)
    for path in (name, f"inputs/{name}"):
        if path in known:
            return path
    raise InputError(f"There is no file '{visible(name[:80])}' in the workspace: choose one of the list.")


routes = [
    Route("/hierarchy/choose", choose, methods=["POST"]),
    Route("/hierarchy/levels", levels, methods=["POST"]),
    Route("/hierarchy/make", make, methods=["POST"]),
    Route("/hierarchy/files", files),
    Route("/hierarchy/table", table),
]
