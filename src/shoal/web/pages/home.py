"""The first page: projects, files, uploads."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from shoal.errors import InputError, ShoalError
from shoal.web.draft import Draft
from shoal.web.forms import read_form
from shoal.web.page import go, is_about_keys, project_of, render, workbench
from shoal.web.uploads import receive
from shoal.web.workspace import Project


async def home(request: Request) -> Response:
    """Show the projects and the files."""
    bench = workbench(request)
    projects = [(one, data_of(one), bench.runs.of(one)) for one in bench.workspace.projects()]
    return render(
        "home.html",
        projects=projects,
        files=bench.workspace.input_files(),
        data=[one for one in bench.workspace.input_files() if not is_about_keys(one.name)],
        limits=bench.limits,
        workspace=str(bench.workspace.root),
    )


def data_of(project: Project) -> str:
    """Return the name of the file of a project, or what is wrong with the project."""
    try:
        return str(Draft.load(project).data["file"]).rpartition("/")[2]
    except ShoalError:
        return "damaged"


async def upload(request: Request) -> Response:
    """Write a file that was dropped, and return its name."""
    bench = workbench(request)
    try:
        return PlainTextResponse(await receive(request, bench.workspace, bench.limits.upload), 201)
    except ShoalError as error:
        return PlainTextResponse(str(error), 400)


async def new_project(request: Request) -> Response:
    """Begin a project with a file."""
    form, workspace = await read_form(request), workbench(request).workspace
    draft = Draft.of_file(workspace.input(form.text("file")))
    project = workspace.new_project(form.text("file"))
    draft.save(project)
    return go(request, f"/projects/{project.name}/data")


async def delete_project(request: Request) -> Response:
    """Delete a project with its runs, if the user has typed its name."""
    form, project, bench = await read_form(request), project_of(request), workbench(request)
    if form.text("name") != project.name:
        raise InputError(f"To delete this project with all its runs, type its name, {project.name}.")
    await bench.runs.delete_project(project)
    return go(request, "/")


async def delete_file(request: Request) -> Response:
    """Delete an input that no project and no run uses: each run can be repeated."""
    form, bench = await read_form(request), workbench(request)
    path = bench.workspace.input(form.text("file"))
    if (project := bench.user_of(path)) is not None:
        raise InputError(f"{path} is used by the project {project.name} or its runs: delete them first.")
    (bench.workspace.root / path).unlink()
    return go(request, "/")


routes = [
    Route("/", home),
    Route("/uploads", upload, methods=["POST"]),
    Route("/projects", new_project, methods=["POST"]),
    Route("/files/delete", delete_file, methods=["POST"]),
    Route("/projects/{project}/delete", delete_project, methods=["POST"]),
]
