"""The application: all routes of the workbench behind its door."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route

from shoal import report
from shoal.errors import InputError, ShoalError
from shoal.web.crew import TaskError
from shoal.web.page import HERE, Workbench, failed
from shoal.web.pages import compare, data, files, hierarchy, home, promise, result, risk, runs, take_away
from shoal.web.words import bug

STATIC = {
    "htmx.js": HERE / "static" / "htmx.min.js",
    "workbench.js": HERE / "static" / "workbench.js",
    "icon.svg": HERE / "static" / "icon.svg",
    "workbench.css": HERE / "static" / "workbench.css",
    "report.css": Path(report.__file__).parent / "report.css",
}
PAGES = (data, risk, hierarchy, promise, runs, compare, result, files, take_away)
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def application(bench: Workbench) -> Starlette:
    """Return the application without its door, which :func:`shoal.web.server.serve` puts in front."""

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        bench.runs.recover()
        bench.runs.start()
        bench.crew.prepare()
        yield
        await bench.runs.close()
        await bench.crew.close()

    steps = [route for page in PAGES for route in page.routes]
    app = Starlette(
        routes=[
            *home.routes,
            Mount("/projects/{project}", routes=steps),
            Route("/static/{name}", static),
        ],
        exception_handlers={
            InputError: refuse,
            ShoalError: refuse,
            TaskError: refuse,
            HTTPException: missing,
            Exception: broken,
        },
        lifespan=living,
    )
    app.state.workbench = bench
    return app


async def static(request: Request) -> Response:
    """Return a script or a style sheet. Nothing else can be named."""
    path = STATIC.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return FileResponse(path, media_type=TYPES[path.suffix], headers={"Cache-Control": "no-cache"})


def refuse(request: Request, error: Exception) -> Response:
    """Tell the user what is wrong with the input."""
    return failed(request, str(error), 400)


def missing(request: Request, error: Exception) -> Response:
    """Tell the user that there is no such page."""
    assert isinstance(error, HTTPException)
    return failed(request, "There is no such page: go back to the projects.", error.status_code)


def broken(request: Request, error: Exception) -> Response:
    """Tell the user about a bug, without a trace: it could show data."""
    return failed(request, bug(error), 500)
