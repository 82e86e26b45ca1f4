"""What all pages have in common: the project and its draft, templates, and tasks that are waited for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal._version import __version__
from shoal.errors import ShoalError
from shoal.jobs.problem_paths import paths_of
from shoal.report.formatting import count_noun, label, share
from shoal.report.html import powers
from shoal.web.crew import Crew, Task, TaskError
from shoal.web.draft import Draft
from shoal.web.limits import Limits
from shoal.web.runs import Run, Runs
from shoal.web.searches import Searches
from shoal.web.words import in_page
from shoal.web.workspace import Project, Workspace

HERE = Path(__file__).parent
AT_ONCE = 0.08  # seconds that a page waits for a task before it shows that it goes on
STEPS = (
    ("data", "Data"),
    ("risk", "Risk"),
    ("hierarchy", "Hierarchy"),
    ("promise", "Promise"),
    ("runs", "Run"),
    ("result", "Result"),
    ("take-away", "Take away"),
)


@dataclass
class Workbench:
    """What the server holds: the workspace, the workers, the queue of runs."""

    workspace: Workspace
    limits: Limits
    crew: Crew = field(init=False)
    runs: Runs = field(init=False)
    searches: Searches = field(default_factory=Searches)

    def user_of(self, path: str) -> Project | None:
        """Return a project that names a file, itself or in one of its runs, or None: each run can be repeated."""
        for project in self.workspace.projects():
            used = [run.tables for run in self.runs.of(project)]
            with suppress(ShoalError):  # a damaged project uses nothing
                used.append(Draft.load(project).tables)
            if any(path in paths_of(tables) for tables in used):
                return project
        return None

    def __post_init__(self) -> None:
        """Set up the workers and the queue."""
        self.crew = Crew(self.workspace.root, self.limits.memory, self.limits.seconds)
        self.runs = Runs(self.workspace, self.crew, self.limits.queue)


def is_about_keys(path: str) -> bool:
    """Return whether a file is a key by its name, so that it is not offered as data."""
    return path.lower().endswith((".key", ".pub"))


def workbench(request: Request) -> Workbench:
    """Return the workbench that a request is for."""
    found: Workbench = request.app.state.workbench
    return found


def project_of(request: Request) -> Project:
    """Return the project that the address names."""
    return workbench(request).workspace.project(request.path_params["project"])


@dataclass
class Desk:
    """A project on the user's desk: the project, its draft, and the workbench around it."""

    bench: Workbench
    project: Project
    draft: Draft

    @classmethod
    def of(cls, request: Request) -> Desk:
        """Return the desk of a request."""
        project = project_of(request)
        desk = cls(workbench(request), project, Draft.load(project))
        if desk.draft.found.get("versions") != desk.data_versions():
            desk.draft.found = {}  # the files have changed: what was found in them no longer holds
        return desk

    @property
    def base(self) -> str:
        """The address of the project."""
        return f"/projects/{self.project.name}"

    def ask(self, call: str, *, run: Run | None = None, reads: Sequence[str] = (), **arguments: Any) -> Task:
        """Give a call to the project's worker, which keeps its data in memory.

        Equal calls are carried out once, until a file changes: one that the draft names, one of the run that the call
        belongs to, or one that it ``reads``.
        """
        versions = self.versions(*reads)
        if run is not None:
            versions += [run.stamp, *self.bench.workspace.versions(run.tables)]
        return self.bench.crew.ask(self.project.name, call, arguments, versions)

    @property
    def choices(self) -> str:
        """A text that changes with the choices of the draft: forms send it, to notice what another tab has changed."""
        return hashlib.sha256(json.dumps(self.draft.tables, sort_keys=True).encode()).hexdigest()[:16]

    def keep_search(self, **values: Any) -> str:
        """Remember what is searched for, and return the name by which addresses call it."""
        return self.bench.searches.keep(self.project.name, values)

    def search(self, request: Request) -> dict[str, Any]:
        """Return what is searched for, by the name in the address."""
        return self.bench.searches.get(self.project.name, request.query_params.get("search", ""))

    def versions(self, *paths: str) -> list[Any]:
        """Return what changes when a file changes that the draft names, or one of ``paths``."""
        return list(self.bench.workspace.versions(self.draft.tables, *paths))

    def data_versions(self) -> list[Any]:
        """Return what changes when the data change, or a table that is joined with them."""
        return list(self.bench.workspace.versions({"data": self.draft.data}))

    def save(self) -> None:
        """Write the draft."""
        self.draft.save(self.project)

    def files(self) -> list[str]:
        """List the files that can be chosen, below the workspace."""
        inputs = [f"inputs/{one.name}" for one in self.bench.workspace.input_files()]
        return inputs + self.project.hierarchies()


@cache
def templates() -> jinja2.Environment:
    """Return the templates. All values are escaped; a name that a template misspells is an error."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {"steps": STEPS, "version": __version__}
    found.filters |= {
        "share": share,
        "size": size,
        "count": count_noun,
        "duration": duration,
        "powers": powers,
        "label": label,
    }
    return found


def duration(seconds: float) -> str:
    """Return a time for people.

    >>> duration(0.4), duration(60), duration(75), duration(4000)
    ('less than a second', '1 min', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def size(number: float) -> str:
    """Return a number of bytes for people.

    >>> size(900), size(4_000_000_000), size(1536)
    ('900 B', '4 GB', '1.5 kB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= unit:
            return f"{number / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{number:.0f} B"


def render(name: str, status: int = 200, **context: Any) -> Response:
    """Return a page or a part of one."""
    return HTMLResponse(templates().get_template(name).render(context), status_code=status)


def show(request: Request, step: str, desk: Desk, **context: Any) -> Response:
    """Return the page of a step."""
    return render(
        f"{step}.html",
        step=step,
        desk=desk,
        project=desk.project,
        draft=desk.draft,
        base=desk.base,
        **context,
    )


async def waiting(request: Request, task: Task, failed: str = "failed.html", **context: Any) -> Response | None:
    """Return what a page shows as long as a task has no result: how far it is, or why it failed. None: it is done.

    While the task goes on, the browser asks for the same address again. ``failed``: the template for a failure.
    """
    if not await task.wait(AT_ONCE):
        again = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return render("waiting.html", task=task, address=again, stage=stage_text(task.stage))
    try:
        task.result()
    except TaskError as error:
        return render(failed, error=error, **context)
    return None


def stage_text(stage: str) -> str:
    """Return the name of a stage as the beginning of a sentence.

    >>> stage_text("verifying"), stage_text("")
    ('Verifying', 'Starting')
    """
    return stage[:1].upper() + stage[1:] or "Starting"


def go(request: Request, address: str) -> Response:
    """Send the browser to another page after a form was carried out."""
    if request.headers.get("hx-request"):
        return Response(status_code=204, headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=303)


def failed(request: Request, message: str, status: int) -> Response:
    """Tell what is wrong: within the page if htmx asked, or as a page of its own."""
    message = in_page(message)
    if request.headers.get("hx-request"):
        return render("message.html", status, message=message)
    came_from, own = request.headers.get("referer", ""), f"{request.url.scheme}://{request.headers.get('host')}/"
    back = came_from if came_from.startswith(f"{own}projects/") else "/"
    return render("error.html", status, message=message, back=back)
