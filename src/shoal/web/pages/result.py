"""Step 6, result: what a run made of the data, with records before and after."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import InputError
from shoal.web.crew import Task, TaskError
from shoal.web.draft import Draft
from shoal.web.forms import Form, read_form
from shoal.web.outputs import codebook_of, public, release_of
from shoal.web.page import AT_ONCE, Desk, go, render, show, waiting
from shoal.web.pages.files import output_of, run_of
from shoal.web.runs import Run

PATIENCE = 30.0  # seconds that a form waits for the project's worker
LONGEST = 200  # characters of a search
WHERE = {"either": "before or after", "before": "before", "after": "published"}
PARTS = {  # of the result: the address, its name, and its template
    "": ("Overview", "result_overview.html"),
    "records": ("Records before and after", "result_records.html"),
    "groups": ("What became of groups", "result_groups.html"),
    "codebook": ("Code book", "result_codebook.html"),
}


def done(desk: Desk) -> list[Run]:
    """Return the runs with a result, the latest first."""
    return [one for one in desk.bench.runs.of(desk.project) if one.state == "done"]


def chosen(request: Request, runs: list[Run]) -> Run | None:
    """Return the run that the address asks for, or the latest one. None: there is none yet."""
    asked = request.query_params.get("run", "")
    if not asked:
        return runs[0] if runs else None
    found = next((one for one in runs if str(one.number) == asked), None)
    if found is None:
        raise InputError("There is no result of this run: choose one of the list in the step Run.")
    return found


def part_of(request: Request) -> str:
    """Return the part of the result that the address names."""
    part = str(request.path_params.get("part", "")).removeprefix("overview")
    if part not in PARTS:
        raise HTTPException(404)
    return part


def query(request: Request, desk: Desk) -> dict[str, Any]:
    """Return what a page of records or groups is asked for."""
    page = request.query_params.get("page", "1")
    return {
        "find": "",
        "where": "either",
        "changed": False,
        **desk.search(request),
        "page": int(page) if page.isdecimal() and len(page) < 10 else 1,
    }


async def search(request: Request) -> Response:
    """Search a part of a result. What is searched for may be a label, which must not be in an address."""
    form, desk, part = await read_form(request), Desk.of(request), part_of(request)
    where = form.text("where", "either")
    if where not in WHERE:
        raise InputError(f"There is no such side: choose one of {', '.join(WHERE.values())}.")
    name = desk.keep_search(find=form.text("find").strip()[:LONGEST], where=where, changed="changed" in form)
    return go(request, f"{desk.base}/result/{part}?{urlencode({'run': form.number('run'), 'search': name})}")


def asked(desk: Desk, run: Run, part: str, wanted: dict[str, Any]) -> Task | None:
    """Give the call behind a part of the result to the project's worker. None: the run has no such part."""
    searched = {"find": wanted["find"], "page": wanted["page"]}
    if part == "codebook":
        book = codebook_of(run.outputs)
        return None if book is None else desk.ask("result.codebook", run=run, file=output_of(run, book), **searched)
    if part == "groups":
        return desk.ask("result.groups", run=run, folder=run.path, **searched)
    if part == "records":
        return desk.ask(
            "result.records",
            run=run,
            data=run.choices["data"],
            input=run.figures["input"],
            folder=run.path,
            release=output_of(run, str(release_of(run.outputs))),
            reading=run.figures["reading"],
            **wanted,
        )
    return desk.ask("result.overview", run=run, folder=run.path)


async def page(request: Request) -> Response:
    """Show a part of a result, at once if it is there within a moment."""
    desk, part = Desk.of(request), part_of(request)
    wanted = query(request, desk)
    runs = done(desk)
    run = chosen(request, runs)
    task = None if run is None else asked(desk, run, part, wanted)
    result, error = None, None
    if task is not None and await task.wait(AT_ONCE):
        try:
            result = task.result()
        except TaskError as failure:
            error = failure
    return show(
        request,
        "result",
        desk,
        run=run,
        runs=runs,
        part=part,
        parts={
            name: title
            for name, (title, _) in PARTS.items()
            if run and (name != "codebook" or codebook_of(run.outputs))
        },
        template=PARTS[part][1],
        missing=task is None,
        error=error,
        address=str(request.url.query),
        **_shown(request, run, wanted, result),
    )


async def fragment(request: Request) -> Response:
    """Show a part of a result as soon as it is there."""
    desk, part = Desk.of(request), part_of(request)
    wanted = query(request, desk)
    run = chosen(request, done(desk))
    task = None if run is None else asked(desk, run, part, wanted)
    if run is None or task is None:
        raise InputError("There is no result yet: start a run.")
    if shown := await waiting(request, task):
        return shown
    return render(PARTS[part][1], base=desk.base, run=run, **_shown(request, run, wanted, task.result()))


def _shown(request: Request, run: Run | None, wanted: dict[str, Any], result: Any) -> dict[str, Any]:
    """Return what the templates of all parts use."""

    def link(page: int) -> str:
        """Return the query of another page of the same search."""
        given = {"run": run.number if run else "", "search": request.query_params.get("search", ""), "page": page}
        return urlencode({name: value for name, value in given.items() if value})

    return {
        "result": result,
        "wanted": wanted,
        "where": WHERE,
        "link": link,
        "public": public([] if run is None else run.outputs),
    }


async def better(request: Request) -> Response:
    """Take over choices that lose less than those of a nearly worthless run."""
    form, desk, run = await read_form(request), Desk.of(request), run_of(request)
    task = desk.ask("result.overview", run=run, folder=run.path)
    if not await task.wait(PATIENCE):
        raise InputError("The workbench is still reading this project's data: try again in a moment.")
    ways = (task.result()["worthless"] or {}).get("better", [])
    take(desk, run, ways, form)
    return go(request, f"{desk.base}/runs")


def take(desk: Desk, run: Run, ways: list[dict[str, Any]], form: Form) -> None:
    """Put the choices of a run, changed in one of some ways, into the draft."""
    at = form.number("way")
    if not 0 <= at < len(ways):
        raise InputError("There is no such alternative: reload the page.")
    draft = Draft.of_tables(run.choices)
    draft.found = dict(run.content["about"].get("found", {}))
    draft.tables["algorithm"] = dict(ways[at]["algorithm"])
    draft.tables["model"] |= ways[at]["model"]
    draft.save(desk.project)


routes = [
    Route("/result", page),
    Route("/result/{part}", page),
    Route("/result/{part}/search", search, methods=["POST"]),
    Route("/result/{part}/shown", fragment),
    Route("/runs/{number}/better", better, methods=["POST"]),
]
