"""Step 1, data: how the file is read, what it holds, and what each column is."""

from __future__ import annotations

from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.data.columns import Type
from shoal.errors import InputError
from shoal.io.read_options import ReadOptions
from shoal.web import forms
from shoal.web.draft import ROLES
from shoal.web.forms import read_form
from shoal.web.page import Desk, go, is_about_keys, render, show, waiting

JOIN = ("join",)  # reading options that the page asks for in another way


async def page(request: Request) -> Response:
    """Show the step."""
    desk = Desk.of(request)
    files = [one for one in desk.files() if one != desk.draft.data["file"] and not is_about_keys(one)]
    return show(
        request,
        "data",
        desk,
        fields=forms.fields(ReadOptions, desk.draft.data, without=JOIN),
        files=files,
        limits=desk.bench.limits,
        joining="joining" in request.query_params,
        joined=[one.split(":") for one in _joins(desk)],
    )


async def found(request: Request) -> Response:
    """Show what the file holds, as soon as it is read."""
    desk = Desk.of(request)
    if not desk.draft.found:
        versions, asked = desk.data_versions(), desk.draft.data
        task = desk.ask("data.inspect", data=asked)
        if shown := await waiting(request, task, "data_failed.html", base=desk.base):
            return shown
        desk = Desk.of(request)  # another form may have changed it meanwhile
        if desk.draft.data != asked:
            return await found(request)
        if not desk.draft.found:
            desk.draft.read(task.result(), versions)
            desk.save()
    task = desk.ask("data.preview", data=desk.draft.data)
    if shown := await waiting(request, task):
        return shown
    return render(
        "data_found.html", result=task.result(), draft=desk.draft, roles=ROLES, types=get_args(Type), base=desk.base
    )


async def remedies(request: Request) -> Response:
    """Show what can be done about a file that cannot be read."""
    desk = Desk.of(request)
    task = desk.ask("data_remedies.is_windows_text", file=desk.draft.data["file"])
    if shown := await waiting(request, task):
        return shown
    return render("data_remedies.html", base=desk.base, windows=task.result())


async def convert(request: Request) -> Response:
    """Go on with a copy of the file that is UTF-8."""
    await read_form(request)
    desk = Desk.of(request)
    file = desk.draft.data["file"]
    stem, dot, suffixes = file.rpartition("/")[2].partition(".")
    path = desk.bench.workspace.new_input(f"{stem}-utf8{dot}{suffixes}")
    target = f"{desk.bench.workspace.inputs.name}/{path.name}"
    await desk.bench.crew.alone(
        f"{desk.project.path}/convert", "data_remedies.to_utf8", {"file": file, "target": target}
    ).work
    desk = Desk.of(request)
    desk.draft.data["file"], desk.draft.found = target, {}
    desk.save()
    return go(request, f"{desk.base}/data")


async def discard(request: Request) -> Response:
    """Delete a project without runs, and its file if nothing else uses it."""
    await read_form(request)
    desk = Desk.of(request)
    if any(desk.bench.runs.of(desk.project)):
        raise InputError("This project has runs: delete it on the first page, and then its file.")
    file = desk.draft.data["file"]
    await desk.bench.runs.delete_project(desk.project)
    if desk.bench.user_of(file) is None:
        (desk.bench.workspace.root / file).unlink(missing_ok=True)
    return go(request, "/")


async def roles(request: Request) -> Response:
    """Give columns their roles. Only another way to read the file needs the page anew."""
    form, desk = await read_form(request), Desk.of(request)
    changed = []
    for name, role in zip(form.texts("column"), form.texts("role"), strict=False):
        if role and role not in ROLES:
            raise InputError(f"A column cannot be '{role[:40]}': choose one of {', '.join(ROLES)}.")
        if role and role != desk.draft.role(name):
            desk.draft.give_role(name, role)
            changed.append((name, role))
    desk.save()
    if request.headers.get("hx-request") and desk.draft.found:
        return render("data_saved.html", changed=changed, roles=ROLES)
    return go(request, f"{desk.base}/data")


async def values(request: Request) -> Response:
    """Say how the values of columns are read."""
    form, desk = await read_form(request), Desk.of(request)
    for name, kind, missing, order, weight in zip(
        *(form.texts(one) for one in ("column", "type", "missing", "order", "weight")), strict=False
    ):
        if name not in desk.draft.tables["columns"]:
            raise InputError(f"There is no column '{name[:40]}': reload the page.")
        desk.draft.describe(
            name,
            type=kind if kind != "auto" else None,
            missing=_lines(missing),
            order=_lines(order),
            weight=_number(weight, f"The weight of {name}"),
        )
    desk.draft.job()  # raises what does not fit together
    desk.save()
    return go(request, f"{desk.base}/data")


def _lines(text: str) -> list[str] | None:
    """Return the lines of a text field, or None if there are none."""
    return [line.strip() for line in text.split("\n") if line.strip()] or None


def _number(text: str, what: str) -> float | None:
    """Return the number in a field, or None if it is empty."""
    try:
        return float(text) if text.strip() else None
    except ValueError:
        raise InputError(f"{what} must be a number from 0 to 1, got '{text[:40]}'.") from None


async def reading(request: Request) -> Response:
    """Change how the file is read."""
    form, desk = await read_form(request), Desk.of(request)
    options = forms.parse(ReadOptions, form, without=JOIN)
    kept = {name: value for name, value in desk.draft.data.items() if name in ("file", *JOIN)}
    desk.draft.tables["data"] = {**kept, **options}
    desk.draft.found = {}
    desk.save()
    return go(request, f"{desk.base}/data")


async def join(request: Request) -> Response:
    """Join another table by a key, or leave a joined one out."""
    form, desk = await read_form(request), Desk.of(request)
    joins = _joins(desk)
    if "remove" in form:
        joins = [one for one in joins if one != form.text("remove")]
    else:
        file, key = form.text("file"), form.text("key")
        if file not in desk.files():
            raise InputError("Choose the file of the table to join from the list.")
        if not key.strip():
            raise InputError("Name the column that both tables have in common, or LEFT=RIGHT if its names differ.")
        joins.append(f"{file}:{key}")
    desk.draft.data.pop("join", None)
    if joins:
        desk.draft.data["join"] = joins
    desk.draft.found = {}
    desk.save()
    return go(request, f"{desk.base}/data")


async def again(request: Request) -> Response:
    """Read the file again, and forget what was found in it."""
    desk = Desk.of(request)
    desk.draft.tables["data"] = {"file": desk.draft.data["file"]}
    desk.draft.tables["columns"], desk.draft.found = {}, {}
    desk.save()
    desk.bench.crew.forget(desk.project.name)
    return go(request, f"{desk.base}/data")


def _joins(desk: Desk) -> list[str]:
    """Return the joins of a draft."""
    given = desk.draft.data.get("join", [])
    return [given] if isinstance(given, str) else list(given)


routes = [
    Route("/data", page),
    Route("/data/found", found),
    Route("/data/remedies", remedies),
    Route("/data/convert", convert, methods=["POST"]),
    Route("/data/discard", discard, methods=["POST"]),
    Route("/data/roles", roles, methods=["POST"]),
    Route("/data/values", values, methods=["POST"]),
    Route("/data/reading", reading, methods=["POST"]),
    Route("/data/join", join, methods=["POST"]),
    Route("/data/again", again, methods=["POST"]),
]
