"""Step 7, take away: what may be published and what not, the certificate, and the commands that repeat a run."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import InputError
from shoal.report.sentences import shell_word
from shoal.web.forms import read_form
from shoal.web.outputs import CERTIFICATE, PERSONS, release_of
from shoal.web.page import Desk, go, render, show, waiting
from shoal.web.pages.packing import Parcel, download, zipped
from shoal.web.runs import OPEN, Run
from shoal.web.workspace import plain_name

PRIVATE, PUBLIC = ".key", ".pub"  # the suffixes of keys
DOWNLOADS = {"command": "anonymize.sh", "script": "anonymize.py", "problem": "problem.toml"}


def chosen(desk: Desk, number: str) -> Run | None:
    """Return the run of a number, or the latest one that is done."""
    done = [one for one in desk.bench.runs.of(desk.project) if one.state == "done"]
    if not number:
        return done[0] if done else None
    for run in done:
        if str(run.number) == number:
            return run
    raise InputError(f"Run {number[:10]} of this project has not ended with a release: choose one of the list.")


def run_of(desk: Desk, request: Request) -> Run:
    """Return the run that the address names after ``?run=``."""
    run = chosen(desk, request.query_params.get("run", ""))
    if run is None:
        raise HTTPException(404)
    return run


async def page(request: Request) -> Response:
    """Show the step."""
    desk = Desk.of(request)
    runs = desk.bench.runs.of(desk.project)
    run = chosen(desk, request.query_params.get("run", ""))
    return show(
        request,
        "take-away",
        desk,
        run=run,
        runs=[one for one in runs if one.state == "done"],
        going=[one for one in runs if one.state in OPEN],
        parcel=None if run is None else Parcel.of(run),
        certificate=CERTIFICATE,
        checked="checked" in request.query_params,
        made=request.query_params.get("made", ""),
    )


def keys_of(desk: Desk) -> list[str]:
    """Return the files of keys in the workspace."""
    return [one for one in desk.files() if one.endswith((PRIVATE, PUBLIC))]


async def evidence_of(desk: Desk, run: Run) -> Any:
    """Return the task that describes the certificate and the keys."""
    before = str(run.content.get("about", {}).get("signs", ""))
    earlier = next((one for one in desk.bench.runs.of(desk.project) if str(one.number) == before), None)
    return desk.ask(
        "take_away.evidence",
        run=run,
        reads=[*keys_of(desk), *([] if earlier is None else [certificate_of(earlier)])],
        certificate=certificate_of(run),
        earlier="" if earlier is None else certificate_of(earlier),
        keys=keys_of(desk),
    )


def certificate_of(run: Run) -> str:
    """Return the certificate of a run, or an empty text."""
    return f"{run.path}/{CERTIFICATE}" if CERTIFICATE in run.outputs else ""


async def certificate(request: Request) -> Response:
    """Show who signed the certificate, and what can be done with it."""
    desk = Desk.of(request)
    run = run_of(desk, request)
    task = await evidence_of(desk, run)
    if shown := await waiting(request, task):
        return shown
    return render(
        "take_away_certificate.html",
        base=desk.base,
        run=run,
        before=run.content.get("about", {}).get("signs"),
        timed=ended_by_time(run),
        **task.result(),
    )


def ended_by_time(run: Run) -> bool:
    """Return whether the time limit ended the search, so that another run may find another release."""
    return (run.figures.get("optimality") or {}).get("ended") == "time limit"


async def commands(request: Request) -> Response:
    """Show the commands that repeat the run."""
    desk = Desk.of(request)
    run = run_of(desk, request)
    task = desk.ask("take_away.commands", run=run, tables=run.tables, folder=run.path)
    if shown := await waiting(request, task):
        return shown
    return render(
        "take_away_commands.html",
        base=desk.base,
        run=run,
        files=DOWNLOADS,
        folder=shell_word(str(desk.bench.workspace.root)),
        timed=ended_by_time(run),
        **task.result(),
    )


async def command_file(request: Request) -> Response:
    """Return one of the commands as a file."""
    desk = Desk.of(request)
    run = run_of(desk, request)
    names = {file: name for name, file in DOWNLOADS.items()}
    name = request.path_params["name"]
    if name not in names:
        raise HTTPException(404)
    task = desk.ask("take_away.commands", run=run, tables=run.tables, folder=run.path)
    await task.work
    text = str(task.result()[names[name]])
    return download((text if text.endswith("\n") else f"{text}\n").encode(), name)


async def published(request: Request) -> Response:
    """Return all that may be published as one file."""
    desk = Desk.of(request)
    run = run_of(desk, request)
    task = await evidence_of(desk, run)
    await task.work
    return zipped(
        Parcel.of(run), desk.bench.workspace.root, task.result()["public_key"], f"{desk.project.name}-run-{run.number}"
    )


async def public_key(request: Request) -> Response:
    """Return a public key. A private one is never sent."""
    desk = Desk.of(request)
    name = plain_name(request.path_params["name"])
    if not name.endswith(PUBLIC):
        raise HTTPException(404)
    content = (desk.bench.workspace.root / desk.bench.workspace.input(name)).read_bytes()
    if not content.startswith(b"-----BEGIN PUBLIC KEY-----") or b"PRIVATE" in content:
        raise InputError(f"{name} holds no public key: choose another file.")
    return download(content, name)


def place_of_check(desk: Desk, run: Run) -> str:
    """Return the name of the check of a run. It changes with the files of the run and with the keys."""
    outputs = [f"{run.path}/{name}" for name in run.outputs]
    versions = [run.stamp, *desk.bench.workspace.versions(run.tables, *outputs, *keys_of(desk))]
    return f"{run.path}/check/{hashlib.sha256(json.dumps(versions).encode()).hexdigest()[:20]}"


async def check(request: Request) -> Response:
    """Begin to check the release with its certificate."""
    form, desk = await read_form(request), Desk.of(request)
    run = chosen(desk, form.text("run"))
    key = form.text("key")
    if run is None or not certificate_of(run):
        raise InputError("This run has no certificate to check: run it again with one.")
    if key and (key not in desk.files() or not key.endswith(PUBLIC)):
        raise InputError("Choose a public key of the list, or none.")
    desk.bench.crew.cancel(f"{run.path}/check")  # one that goes on, perhaps with another key
    desk.bench.crew.alone(
        place_of_check(desk, run),
        "take_away.check",
        {
            "release": f"{run.path}/{release_of(run.outputs)}",
            "certificate": certificate_of(run),
            "public_key": key,
            "persons": f"{run.path}/{PERSONS}" if PERSONS in run.outputs else "",
        },
    )
    return go(request, f"{desk.base}/take-away?run={run.number}&checked=1#check")


async def checked(request: Request) -> Response:
    """Show what was checked."""
    desk = Desk.of(request)
    run = run_of(desk, request)
    task = desk.bench.crew.task(place_of_check(desk, run))
    if task is None:  # the workbench was started anew, or a file has changed
        return render("message.html", message="There is no result for the files as they are now: check again.")
    if shown := await waiting(request, task):
        return shown
    return render("take_away_checked.html", run=run, **task.result())


async def sign(request: Request) -> Response:
    """Carry out a run again, with a key that signs its certificate."""
    form, desk = await read_form(request), Desk.of(request)
    run, key, passphrase = chosen(desk, form.text("run")), form.text("key"), form.text("passphrase")
    if run is None:
        raise InputError("There is no run to sign: run the project first.")
    if key and (key not in desk.files() or not key.endswith(PRIVATE)):
        raise InputError("Choose a key of the list.")
    if key:
        place = f"{desk.project.path}/key"
        await desk.bench.crew.alone(place, "run.check_key", {"key": key, "passphrase": passphrase}).work
    about = {**run.content.get("about", {}), "signs": run.number}
    wanted = {**run.content["wanted"], "certificate": CERTIFICATE}
    desk.bench.runs.add(desk.project, run.choices, wanted, about, key, passphrase)
    return go(request, f"{desk.base}/runs")


async def make_keys(request: Request) -> Response:
    """Make a pair of keys in the workspace."""
    form, desk = await read_form(request), Desk.of(request)
    name, passphrase = form.text("name").strip(), form.text("passphrase")
    if passphrase != form.text("again"):
        raise InputError("The two passphrases differ: type the same one twice.")
    workspace = desk.bench.workspace
    for suffix in (PRIVATE, PUBLIC):
        workspace.new_input(plain_name(f"{name}{suffix}" if name else ""))
    place = f"{desk.project.path}/key"
    arguments = {"name": f"{workspace.inputs.name}/{name}", "passphrase": passphrase}
    await desk.bench.crew.alone(place, "take_away.make_keys", arguments).work
    number = form.text("run")
    run = f"run={number}&" if number.isdecimal() else ""
    return go(request, f"{desk.base}/take-away?{run}made=1#keys")


routes = [
    Route("/take-away", page),
    Route("/take-away/certificate", certificate),
    Route("/take-away/commands", commands),
    Route("/take-away/commands/{name}", command_file),
    Route("/take-away/published.zip", published),
    Route("/take-away/public-keys/{name}", public_key),
    Route("/take-away/check", check, methods=["POST"]),
    Route("/take-away/checked", checked),
    Route("/take-away/sign", sign, methods=["POST"]),
    Route("/take-away/keys", make_keys, methods=["POST"]),
]
