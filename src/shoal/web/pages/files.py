"""The files of a run: those that it wrote, and no others."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from shoal.web.door import REPORT_POLICY
from shoal.web.page import project_of, workbench
from shoal.web.runs import Run
from shoal.web.workspace import LAST


def run_of(request: Request) -> Run:
    """Return the run that the address names."""
    number = request.path_params["number"]
    if not number.isdecimal() or len(number) > len(str(LAST)):
        raise HTTPException(404)
    return workbench(request).runs.get(project_of(request), int(number))


def output_of(run: Run, name: str) -> str:
    """Return a file that a run wrote, if it is a plain file in the run's own folder. All else is not found."""
    path = run.folder / name
    if name not in run.outputs or run.folder.resolve() != run.folder or path.is_symlink() or not path.is_file():
        raise HTTPException(404)
    return f"{run.path}/{name}"


async def file(request: Request) -> Response:
    """Return a file of a run: a report as a page that can do nothing, everything else as a download.

    ``?download`` returns a report as a download, too.
    """
    path = workbench(request).workspace.root / output_of(run_of(request), request.path_params["name"])
    shown = path.suffix == ".html" and "download" not in request.query_params
    headers = {"Cache-Control": "no-store"}
    if shown:
        headers["Content-Security-Policy"] = REPORT_POLICY
    return FileResponse(
        path,
        headers=headers,
        media_type="text/html" if shown else "application/octet-stream",
        filename=None if shown else path.name,
    )


routes = [Route("/runs/{number}/files/{name}", file)]
