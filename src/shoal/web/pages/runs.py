"""Step 5, run: what will be done, its progress, and the list of runs."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import InputError, OptionError, ShoalError
from shoal.io import LAYOUTS
from shoal.io.detect import FORMATS, format_named
from shoal.jobs.job import Job
from shoal.jobs.problem_paths import with_paths
from shoal.risk import PRESETS, threshold
from shoal.web.draft import ROLES, Draft
from shoal.web.forms import Form, read_form
from shoal.web.outputs import provable, wanted
from shoal.web.page import Desk, go, render, show, stage_text, waiting
from shoal.web.pages.files import run_of
from shoal.web.runs import OPEN, Run

KEY = ".key"  # the suffix of private keys
CONTEXT = ".toml"
UNREAD = "The data were not read yet, or have changed: open the step Data first."


async def page(request: Request) -> Response:
    """Show what will be done, and the runs so far."""
    desk = Desk.of(request)
    job, problem = planned(desk)
    if job is not None:
        desk.bench.runs.check(desk.project, checked_tables(desk), again=True)
    return show(
        request,
        "runs",
        desk,
        job=job,
        problem=problem,
        promise="" if job is None else desk.draft.promise(job),
        roles=columns_by_role(desk),
        keys=[one for one in desk.files() if one.endswith(KEY)],
        contexts=[one for one in desk.files() if one.endswith(CONTEXT)],
        formats=formats(desk),
        layouts=LAYOUTS if desk.draft.found.get("columns") or "id_column" in desk.draft.data else (),
        presets=PRESETS.values(),
        provable=job is not None and provable(desk.draft),
        last=next((one.content for one in desk.bench.runs.of(desk.project)), None),
        stage_text=stage_text,
        **runs_of(desk),
    )


def planned(desk: Desk) -> tuple[Job | None, str]:
    """Return the job that the choices describe, or what is missing or contradicts itself."""
    if not desk.draft.found:
        return None, UNREAD
    try:
        return desk.draft.job(), ""
    except ShoalError as error:
        return None, str(error)


def checked_tables(desk: Desk) -> dict[str, dict[str, Any]]:
    """Return the tables of a job that would write into the project's folder, to check them."""
    outputs = with_paths({"output": wanted(desk.draft)}, lambda name: f"{desk.project.path}/{name}")["output"]
    return {**desk.draft.tables, "output": {**desk.draft.tables["output"], **outputs}}


def columns_by_role(desk: Desk) -> dict[str, list[str]]:
    """Return the columns of each role that some have."""
    names = {role: [one for one in desk.draft.tables["columns"] if desk.draft.role(one) == role] for role in ROLES}
    return {role: found for role, found in names.items() if found}


def formats(desk: Desk) -> dict[str, str]:
    """Return the formats that can hold the release, with what they are."""
    tabular = bool(desk.draft.found.get("columns"))
    return {name: about for name, about in FORMATS.items() if format_named(name).tabular or not tabular}


def runs_of(desk: Desk) -> dict[str, Any]:
    """Return the runs of a project, for templates."""
    runs = desk.bench.runs
    found = runs.of(desk.project)
    going = [one for one in found if one.state in OPEN]
    return {
        "going": sorted(going, key=lambda one: one.number),
        "ended": [one for one in found if one.state not in OPEN],
        "ahead": {one.number: runs.ahead_of(one) for one in going},
    }


async def checks(request: Request) -> Response:
    """Show whether the job can be carried out, and how long it takes."""
    desk = Desk.of(request)
    job, problem = planned(desk)
    if job is None:
        return render("message.html", message=problem)
    task = desk.bench.runs.check(desk.project, checked_tables(desk))
    if shown := await waiting(request, task):
        return shown
    return render("runs_check.html", result=task.result(), base=desk.base)


async def listed(request: Request) -> Response:
    """Show the runs so far."""
    desk = Desk.of(request)
    return render("runs_list.html", base=desk.base, stage_text=stage_text, **runs_of(desk))


async def progress(request: Request) -> Response:
    """Show how far a run is. When it begins or ends, the list of runs is to be shown anew."""
    desk, run = Desk.of(request), run_of(request)
    answer = render(
        "runs_progress.html", run=run, ahead=desk.bench.runs.ahead_of(run), base=desk.base, stage_text=stage_text
    )
    if run.state != request.query_params.get("state"):
        answer.headers["HX-Trigger"] = "runs-changed"
    return answer


async def begin(request: Request) -> Response:
    """Put a run into the queue."""
    form, desk = await read_form(request), Desk.of(request)
    if form.text("choices", desk.choices) != desk.choices:
        raise InputError("These choices were changed in another tab: reload the page, and check what will be done.")
    choose(desk, form)
    desk.save()
    job, problem = planned(desk)
    if job is None:
        raise InputError(problem)
    desk.bench.runs.end_check(desk.project)
    chosen = wanted(desk.draft, certificate="certificate" in form, proof="proof" in form)
    key = await signing(desk, form) if "certificate" in form else ""
    run = add(desk, desk.draft, chosen, job, key, form.text("passphrase"))
    return go(request, f"{desk.base}/runs?begun={run.number}#runs")  # htmx would not leave for the same page


def choose(desk: Desk, form: Form) -> None:
    """Take the choices of the form into the draft."""
    output, run = desk.draft.tables["output"], desk.draft.tables["run"]
    allowed = {"format": [*FORMATS], "layout": [*LAYOUTS], "context": desk.files()}
    for name, values in allowed.items():
        output.pop(name, None)
        if text := form.text(name):
            if text not in values:
                raise OptionError(f"{name}: choose one of the list, got '{text[:80]}'.")
            output[name] = text
    output.pop("threshold", None)
    if text := form.text("threshold"):
        threshold(text)
        output["threshold"] = [text]
    for name, usual in (("escape_formulas", False), ("explanations", True)):
        output.pop(name, None)
        if (name in form) is not usual:
            output[name] = not usual
    run.pop("max_loss", None)
    if text := form.text("max_loss"):
        run["max_loss"] = _share(text)


def _share(text: str) -> float:
    """Return a share that was typed in percent."""
    try:
        percent = float(text)
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:
        raise OptionError(f"The largest loss must be a number from 0 to 100 percent, got '{text[:40]}'.")
    return percent / 100


async def signing(desk: Desk, form: Form) -> str:
    """Return the file of the key that signs, once it is known that it can."""
    key = form.text("key")
    if not key:
        return ""
    if key not in desk.files() or not key.endswith(KEY):
        raise OptionError(f"Choose a key of the list, got '{key[:80]}'.")
    arguments = {"key": key, "passphrase": form.text("passphrase")}
    await desk.bench.crew.alone(f"{desk.project.path}/key", "run.check_key", arguments).work
    return key


def add(desk: Desk, draft: Draft, chosen: dict[str, Any], job: Job, key: str = "", passphrase: str = "") -> Run:
    """Put a run into the queue, with what the list shows of it before there are figures."""
    about = {
        "promise": draft.promise(job),
        "method": job.algorithm.title,
        "data": job.data.file.rpartition("/")[2],
        "found": {**draft.found, "notes": []},  # notes may quote the data
    }
    return desk.bench.runs.add(desk.project, draft.tables, chosen, about, key, passphrase)


async def again(request: Request) -> Response:
    """Carry out the same choices once more."""
    form, desk, run = await read_form(request), Desk.of(request), run_of(request)
    draft = Draft.of_tables(run.choices)
    key, passphrase = str(run.content.get("key", "")), form.text("passphrase")
    if key:
        await signing(desk, Form({"key": [key], "passphrase": [passphrase]}))
    draft.found = dict(run.content["about"].get("found", {}))
    add(desk, draft, dict(run.content["wanted"]), draft.job(), key, passphrase)
    return go(request, f"{desk.base}/runs#runs")


async def choices(request: Request) -> Response:
    """Go back to the choices of a run: they become those of the project."""
    desk, run = Desk.of(request), run_of(request)
    draft = Draft.of_tables(run.choices)
    draft.found = dict(run.content["about"].get("found", {}))
    draft.save(desk.project)
    return go(request, f"{desk.base}/runs")


async def cancel(request: Request) -> Response:
    """Cancel a run."""
    desk, run = Desk.of(request), run_of(request)
    desk.bench.runs.cancel(run)
    return go(request, f"{desk.base}/runs#runs")


async def delete(request: Request) -> Response:
    """Delete a run with its files."""
    desk, run = Desk.of(request), run_of(request)
    desk.bench.runs.delete(run)
    return go(request, f"{desk.base}/runs#runs")


routes = [
    Route("/runs", page),
    Route("/runs", begin, methods=["POST"]),
    Route("/runs/check", checks),
    Route("/runs/list", listed),
    Route("/runs/{number}/progress", progress),
    Route("/runs/{number}/again", again, methods=["POST"]),
    Route("/runs/{number}/choices", choices, methods=["POST"]),
    Route("/runs/{number}/cancel", cancel, methods=["POST"]),
    Route("/runs/{number}/delete", delete, methods=["POST"]),
]
