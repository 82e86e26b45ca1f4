"""Changes of a hierarchy: edits, undo, and work that takes longer than a click."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.crew import Task
from shoal.web.forms import read_form
from shoal.web.page import Desk, go, render, waiting
from shoal.web.subject import Subject

SOON = 1.0  # seconds that a form waits for its work before a page shows how far it is
MOST = 100  # works that are remembered
Then = Callable[[Desk, Any], str]  # what to do with the result; returns the address to go to


@dataclass
class Work:
    """A change that is being carried out."""

    project: str
    task: Task
    then: Then


_works: dict[str, Work] = {}


async def carry_out(request: Request, desk: Desk, task: Task, then: Then) -> Response:
    """Wait for a task, then go on. If it takes longer, a page shows how far it is."""
    if await task.wait(SOON):
        return go(request, then(Desk.of(request), task.result()))  # another form may have changed it meanwhile
    name = secrets.token_hex(8)
    _works[name] = Work(desk.project.name, task, then)
    while len(_works) > MOST:
        _works.pop(next(iter(_works)))
    return go(request, f"{desk.base}/hierarchy/work?{urlencode({'name': name})}")


async def work(request: Request) -> Response:
    """Show that a change is being carried out."""
    desk = Desk.of(request)
    return render(
        "hierarchy_work.html",
        step="hierarchy",
        project=desk.project,
        draft=desk.draft,
        base=desk.base,
        query=request.url.query,
    )


async def work_part(request: Request) -> Response:
    """Show how far a change is, and go on when it is done."""
    desk = Desk.of(request)
    name = request.query_params.get("name", "")
    found = _works.get(name)
    if found is None or found.project != desk.project.name:
        return go(request, f"{desk.base}/hierarchy")
    if shown := await waiting(request, found.task):
        return shown
    _works.pop(name, None)
    return go(request, found.then(Desk.of(request), found.task.result()))


def ticket() -> str:
    """Return a word that makes a call differ from all others, so that it is carried out."""
    return secrets.token_hex(8)


def folder(desk: Desk) -> str:
    """Return the folder of the project's own hierarchies."""
    return f"{desk.project.path}/hierarchies"


def address(desk: Desk, subject: Subject, **query: Any) -> str:
    """Return the address of the step for a subject."""
    return f"{desk.base}/hierarchy?{urlencode({'of': subject.key, **query})}"


def about(desk: Desk, subject: Subject) -> dict[str, Any]:
    """Return what all parts of the page show."""
    step = f"{desk.base}/hierarchy"

    def link(place: str = "", **query: Any) -> str:
        """Return an address of the step for the same subject."""
        return f"{step}{place}?{urlencode({'of': subject.key, **query})}"

    return {
        "desk": desk,
        "base": desk.base,
        "step": step,
        "subject": subject,
        "link": link,
    }


async def edit(request: Request) -> Response:
    """Change the tree. The input is copied before its first change."""
    form, desk = await read_form(request), Desk.of(request)
    subject = Subject.of(desk.draft, form.text("of"))
    lines = [line.strip() for line in form.text("labels").split("\n")]
    change = {
        "what": form.text("what"),
        "label": [*form.texts("label"), *(line for line in lines if line)],
        "name": form.text("name"),
        "parent": form.text("parent"),
    }
    given: dict[str, Any] = {"data": desk.draft.data, "of": subject.key, "spec": subject.spec, "folder": folder(desk)}
    used = _is_used(desk, subject.spec["file"])
    task = desk.ask("hierarchy_change.change", edit=change, used=used, ticket=ticket(), **given)

    def then(desk: Desk, result: Any) -> str:
        here = Subject.of(desk.draft, subject.key)
        here.choose(result["file"])
        desk.save()
        at = {"at": result["at"]} if result["at"] >= 0 else {}
        return address(desk, subject, **at)

    return await carry_out(request, desk, task, then)


async def undo(request: Request) -> Response:
    """Take back the last change."""
    form, desk = await read_form(request), Desk.of(request)
    subject = Subject.of(desk.draft, form.text("of"))
    file = subject.spec["file"]
    used = _is_used(desk, file)
    task = desk.ask("hierarchy_change.undo", file=file, folder=folder(desk), used=used, ticket=ticket())

    def then(desk: Desk, result: Any) -> str:
        here = Subject.of(desk.draft, subject.key)
        if result["from"] is None:
            here.choose(result["file"])
            desk.save()
        else:
            here.choose(result["from"]["file"], result["from"]["format"])
            desk.save()
            if not used and f"'{file}'" not in str(desk.draft.tables):
                desk.ask("hierarchy_change.discard", file=file, folder=folder(desk), ticket=ticket())
        return address(desk, subject)

    return await carry_out(request, desk, task, then)


def _is_used(desk: Desk, file: str) -> bool:
    """Return whether a run was made with a file: then it must stay as it is, so that the run can be repeated."""
    return bool(file) and any(f"'{file}'" in str(run.choices) for run in desk.bench.runs.of(desk.project))


routes = [
    Route("/hierarchy/edit", edit, methods=["POST"]),
    Route("/hierarchy/undo", undo, methods=["POST"]),
    Route("/hierarchy/work", work),
    Route("/hierarchy/work/part", work_part),
]
