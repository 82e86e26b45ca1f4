"""Step 3, hierarchy: what stands above each item and each value, as a tree with counts and problems."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shoal.data.columns import TYPES
from shoal.web.crew import Task
from shoal.web.forms import read_form
from shoal.web.page import Desk, render, show, waiting
from shoal.web.pages import hierarchy_choice, hierarchy_edit
from shoal.web.pages.hierarchy_edit import about
from shoal.web.subject import RANGES, Subject
from shoal.web.workspace import project_name


async def page(request: Request) -> Response:
    """Show the step. Its parts are loaded as soon as the data are read."""
    desk = Desk.of(request)
    subjects = Subject.all(desk.draft)
    subject = Subject.of(desk.draft, request.query_params.get("of", "")) if subjects else None
    return show(request, "hierarchy", desk, subjects=subjects, subject=subject, query=request.url.query)


async def part(request: Request) -> Response:
    """Show the hierarchy of a subject, with its problems and what can be done."""
    desk, subject = _asked(request)
    at, start = number(request, "at", -1), number(request, "start", 0)
    task = look(desk, subject, "look", at=at, start=start)
    if shown := await waiting(request, task):
        return shown
    axis: dict[str, Any] = {}
    if subject.kind == "column":
        described = desk.ask("hierarchy.describe_axis", data=desk.draft.data, name=subject.name, spec=subject.spec)
        if shown := await waiting(request, described):
            return shown
        axis = described.result()
    history = desk.ask("hierarchy_change.history", file=subject.spec["file"], folder=hierarchy_edit.folder(desk))
    if shown := await waiting(request, history):
        return shown
    return render(
        "hierarchy_part.html",
        **about(desk, subject),
        seen=task.result(),
        axis=axis,
        history=history.result(),
        ranges=RANGES,
        types=TYPES,
        table=request.query_params.get("table", ""),
    )


async def children(request: Request) -> Response:
    """Show some children of a node, as entries of its list."""
    desk, subject = _asked(request)
    task = look(desk, subject, "children", parent=number(request, "parent", -1), start=number(request, "start", 0))
    if shown := await waiting(request, task):
        return shown
    return render(
        "hierarchy_children.html", **about(desk, subject), below=task.result(), at=-1, edits=number(request, "edits", 0)
    )


async def node(request: Request) -> Response:
    """Show what can be done with a node."""
    desk, subject = _asked(request)
    task = look(desk, subject, "node", at=number(request, "at", -1))
    if shown := await waiting(request, task):
        return shown
    return render("hierarchy_node.html", **about(desk, subject), node=task.result())


async def search(request: Request) -> Response:
    """Show the labels that contain a text. It is not in the address, which stays in the history of the browser."""
    if request.method == "POST":
        form = await read_form(request)
        desk = Desk.of(request)
        subject = Subject.of(desk.draft, form.text("of"))
        name = desk.keep_search(text=form.text("text")[:200])
        return RedirectResponse(f"{desk.base}/hierarchy/search?{urlencode({'of': subject.key, 'search': name})}", 303)
    desk, subject = _asked(request)
    text = desk.search(request).get("text", "")
    task = look(desk, subject, "search", text=text)
    if shown := await waiting(request, task):
        return shown
    return render("hierarchy_search.html", **about(desk, subject), **task.result(), text=text)


async def download(request: Request) -> Response:
    """Return the hierarchy as a CSV file."""
    desk, subject = _asked(request)
    task = look(desk, subject, "file_text")
    await task.wait(desk.bench.limits.seconds)
    stem = project_name(subject.spec["file"].rpartition("/")[2] or f"{subject.name or 'items'} hierarchy")
    return Response(
        task.result().encode(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename=\"{stem}.csv\"; filename*=UTF-8''{quote(stem)}.csv"},
    )


def _asked(request: Request) -> tuple[Desk, Subject]:
    """Return the desk, and the subject that the address names."""
    desk = Desk.of(request)
    return desk, Subject.of(desk.draft, request.query_params.get("of", ""))


def number(request: Request, name: str, default: int) -> int:
    """Return a whole number of the address."""
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else default


def look(desk: Desk, subject: Subject, call: str, **arguments: Any) -> Task:
    """Ask the worker about the hierarchy of a subject."""
    return desk.ask(f"hierarchy.{call}", data=desk.draft.data, of=subject.key, spec=subject.spec, **arguments)


routes = [
    Route("/hierarchy", page),
    Route("/hierarchy/part", part),
    Route("/hierarchy/children", children),
    Route("/hierarchy/node", node),
    Route("/hierarchy/search", search, methods=["GET", "POST"]),
    Route("/hierarchy/file.csv", download),
    *hierarchy_choice.routes,
    *hierarchy_edit.routes,
]
