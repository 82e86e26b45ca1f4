"""The folder of the workbench: nothing leads out of it, damage stays where it is, and only its owner reads it.

Covers: web/workspace.py, web/confine.py.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from shoal.errors import InputError, OutputError
from shoal.web.confine import check_paths
from shoal.web.draft import Draft
from shoal.web.workspace import LAYOUT, Project, Workspace, plain_name
from tests.web.asgi import OWN, app_of, knock

OUTSIDE = "/etc/passwd"


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """Return a workspace with an input."""
    found = Workspace.open(tmp_path / "ws")
    (found.inputs / "a.csv").write_text("id,age\n1,2\n")
    (tmp_path / "secret.csv").write_text("name\nJane\n")
    return found


@pytest.fixture
def project(place: Workspace) -> Project:
    """Return a project with that input."""
    found = place.new_project("a.csv")
    Draft.of_file("inputs/a.csv").save(found)
    return found


@pytest.mark.parametrize(
    "name", ["a.csv", "Orders 2024 (final).csv", "données.parquet", "日本.csv", "a[1].dat.gz", "x" * 120]
)
def test_plain_names(name: str) -> None:
    assert plain_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".hidden",
        "../a.csv",
        "..\\a.csv",
        "a/b.csv",
        "/etc/passwd",
        "C:\\a.csv",
        "C:a.csv",
        "\\\\server\\share",
        "a\0.csv",
        "a\n.csv",
        "a\r\nSet-Cookie: x.csv",
        "a\x1b[31m.csv",
        "a\u202etxt.csv",  # shown as a.csvtxt reversed
        "a\u200b.csv",
        " a.csv",
        "a.csv ",
        "a.csv.",
        "-rf",
        "~root",
        "a*.csv",
        "a?.csv",
        'a".csv',
        "a|b",
        "a<b>",
        "con",
        "NUL.csv",
        "com1.csv",
        "LPT9",
        "aux .csv",
        "x" * 121,
        "日" * 100,
        "\udc80.csv".encode("utf-8", "surrogatepass").decode("utf-8", "replace") + "\0",
    ],
)
def test_names_that_are_none(place: Workspace, name: str) -> None:
    for call in (plain_name, place.input, place.new_input):
        with pytest.raises(InputError, match="cannot be the name of a file here"):
            call(name)


def test_inputs_are_files_of_the_folder(place: Workspace, tmp_path: Path) -> None:
    (place.inputs / "out.csv").symlink_to(tmp_path / "secret.csv")
    (place.inputs / "loop.csv").symlink_to("loop.csv")
    (place.inputs / "near.csv").symlink_to("a.csv")
    (place.inputs / "folder").mkdir()
    os.mkfifo(place.inputs / "pipe")
    assert [one.name for one in place.input_files()] == ["a.csv", "near.csv"]
    assert place.input("a.csv") == "inputs/a.csv"
    for name in ("out.csv", "loop.csv", "folder", "pipe", "none.csv"):
        with pytest.raises(InputError, match="There is no file"):
            place.input(name)


def test_an_input_is_never_replaced(place: Workspace) -> None:
    (place.inputs / "gone.csv").symlink_to("nowhere")
    (place.inputs / "Straße é.csv").write_text("")
    for name in ("a.csv", "A.CSV", "gone.csv", "STRASSE é.csv", "straße e\u0301.csv"):
        with pytest.raises(InputError, match="already"):
            place.new_input(name)


def test_only_the_owner_reads(tmp_path: Path) -> None:
    root = tmp_path / "new" / "ws"
    found = Workspace.open(root)
    project = found.new_project("a")
    project.save({"tables": {}})
    for path in (root, root / "inputs", root / "projects"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(project.file.stat().st_mode) == 0o600
    (root / "inputs").chmod(0o755)
    Workspace.open(root)
    assert stat.S_IMODE((root / "inputs").stat().st_mode) == 0o700


def test_a_folder_of_others_is_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(OutputError, match="All users"):
        Workspace.open(open_to_all)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(OutputError, match="another user"):
        Workspace.open(tmp_path / "theirs")


def test_what_cannot_be_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to("nowhere")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "inputs").symlink_to(tmp_path)
    for name in ("file", "dangling", "linked", "file/below"):
        with pytest.raises(OutputError, match=r"cannot be a workspace|link to another place"):
            Workspace.open(tmp_path / name)


def test_a_workspace_may_be_a_link(place: Workspace, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place.root)
    assert Workspace.open(tmp_path / "link") == place
    assert Workspace.open(tmp_path / "link").input("a.csv")


def test_projects_are_folders_of_the_workspace(project: Project, tmp_path: Path) -> None:
    place = project.workspace
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "project.json").write_text(json.dumps({"layout": LAYOUT}))
    (place.root / "projects" / "link").symlink_to(elsewhere)
    half = place.new_project("half")
    half.file.symlink_to(elsewhere / "project.json")
    assert [one.name for one in place.projects()] == ["a"]
    for name in ("link", "half", "none", "..", ".", "", "A", "a/../a", "a\n", "-a", "a" * 61):
        with pytest.raises(InputError, match="There is no project"):
            place.project(name)


def test_runs_and_hierarchies_are_in_the_project(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "run.json").write_text("{}")
    runs, trees = project.folder / "runs", project.folder / "hierarchies"
    (runs / "0001").symlink_to(elsewhere)
    (runs / "0002").mkdir()
    (runs / "٠٠٠٣").mkdir()
    (runs / ".deleted-1").mkdir()
    (trees / "out.csv").symlink_to(tmp_path / "secret.csv")
    (trees / "own.csv").write_text("")
    assert [one.name for one in project.runs()] == ["0002"]
    assert project.hierarchies() == ["projects/a/hierarchies/own.csv"]
    for number in (1, 2, 3, -1):
        with pytest.raises(InputError, match="has no run"):
            project.run(number)
    (runs / "0002").rmdir()
    for path in (runs, trees):
        for one in path.iterdir():
            one.rmdir() if one.is_dir() and not one.is_symlink() else one.unlink()
        path.rmdir()
        path.symlink_to(elsewhere)
    assert (list(project.runs()), project.hierarchies()) == ([], [])


def test_a_deleted_project_is_gone_with_all_its_files(project: Project, tmp_path: Path) -> None:
    (project.folder / "runs" / "link").symlink_to(tmp_path / "secret.csv")
    project.delete()
    assert not list((project.workspace.root / "projects").iterdir())
    assert (tmp_path / "secret.csv").exists()
    left = project.workspace.root / "projects" / ".deleted-1"
    left.mkdir()
    project.workspace.finish_deleting()
    assert not left.exists()


def table(name: str, /, **values: Any) -> dict[str, Any]:
    """Return tables that are sound but for one of them."""
    return {"data": {"file": "inputs/a.csv"}, name: values}


@pytest.mark.parametrize(
    "path",
    [
        OUTSIDE,
        "../secret.csv",
        "inputs/../../secret.csv",
        "inputs/out.csv",
        "inputs/",
        "inputs",
        "",
        ".",
        "-",
        "inputs/*",
        "inputs/[o]ut.csv",
        "inputs/sub/a.csv",
        "projects/b/hierarchies/x.csv",
        "projects/a/project.json",
        "projects/a/hierarchies/../../../inputs/a.csv",
        "http://evil.example/a.csv",
        "inputs/a\0.csv",
    ],
)
def test_no_option_leads_out_of_the_workspace(project: Project, tmp_path: Path, path: str) -> None:
    (project.workspace.inputs / "out.csv").symlink_to(tmp_path / "secret.csv")
    everywhere = [
        table("data", file=path),
        table("data", file="inputs/a.csv", join=f"{path}:id"),
        table("data", file="inputs/a.csv", join=["inputs/a.csv:id", f"{path}:id=key"]),
        table("columns", age={"role": "quasi-identifier", "hierarchy": path}),
        table("items", hierarchy=path),
        table("items", hierarchy={"": "inputs/a.csv", "codes": path}),
        table("items", weights=path),
        table("algorithm", siblings=path),
        table("algorithm", name="aa", siblings=path),
        *(table("output", **{name: path}) for name in ("file", "codebook", "key", "context", "persons", "proof")),
        *(table("output", **{name: [path]}) for name in ("reports", "public_reports")),
    ]
    for tables in everywhere:
        with pytest.raises(InputError, match="not one of the workspace"):
            check_paths(tables, project)


@pytest.mark.parametrize("name", ["runs", "hierarchies"])
def test_nothing_is_written_through_a_folder_that_is_a_link(project: Project, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = project.folder / name
    folder.rmdir()
    folder.symlink_to(tmp_path / "elsewhere")
    if name == "runs":
        with pytest.raises(OutputError, match="link to another place"):
            project.new_run()
    path = f"{project.path}/{name}/{'0001/release.csv' if name == 'runs' else 'new.csv'}"
    with pytest.raises(InputError, match="not one of the workspace"):
        check_paths(table("output", file=path), project)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_new_workspace_writes_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "README.txt").symlink_to(tmp_path / "elsewhere.txt")
    Workspace.open(tmp_path / "ws")
    assert not (tmp_path / "elsewhere.txt").exists()


def test_a_group_cannot_swap_the_folders(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    root.chmod(0o775)
    Workspace.open(root)
    assert stat.S_IMODE(root.stat().st_mode) == 0o755


def test_what_stays_in_the_workspace_may_be_named(project: Project) -> None:
    check_paths(
        {
            "data": {"file": "inputs/a.csv", "join": "inputs/b.csv:id", "drop_items": ["/etc/passwd"]},
            "columns": {"age": {"hierarchy": "width:5,10"}, "zip": {"hierarchy": "inputs/zip.csv"}, "x": "plain"},
            "items": {"hierarchy": "projects/a/hierarchies/items.csv", "weights": "inputs/weights.csv"},
            "model": {"name": "lm", "sensitive": ["/etc/passwd"]},
            "algorithm": {"siblings": "none"},
            "output": {"file": "projects/a/runs/0001/release.csv", "codebook": False, "key": "inputs/own.key"},
        },
        project,
    )
    check_paths({"data": {"file": "inputs/a.csv"}, "output": {"file": "projects/a/runs/0001/parts/"}}, project)


def test_labels_are_no_files_of_labels(project: Project) -> None:
    for tables in (
        table("model", name="lm", sensitive=OUTSIDE),
        table("data", file="inputs/a.csv", drop_items="inputs/a.csv"),
    ):
        with pytest.raises(InputError, match="must be a list of labels"):
            check_paths(tables, project)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"layout": 99}',
        "[" * 100_000,
        '{"layout": 1, "tables": []}',
        '{"layout": 1, "tables": {"data": 1}}',
        '{"layout": 1, "tables": {"data": {}}}',
        '{"layout": 1, "tables": {"data": {"file": 5}}}',
        '{"layout": 1, "tables": {"data": {"file": "inputs/a.csv"}}, "found": []}',
        '{"layout": 1, "tables": {"data": {"file": "inputs/a.csv"}, "columns": {"a": {"hierarchy": 5}}}}',
        '{"layout": 1, "tables": {"data": {"file": "inputs/a.csv"}, "model": {"name": "none"}}}',
        '{"layout": 1, "tables": {"data": {"file": "/etc/passwd"}}}',
        '{"layout": 1, "tables": {"data": {"file": "inputs/a.csv", "join": {"a": {}}}}}',
    ],
)  # fmt: skip
def test_a_damaged_project_hurts_itself_only(project: Project, content: str) -> None:
    project.file.write_text(content)
    with pytest.raises(InputError):
        Draft.load(project)
    app = app_of(project.workspace.root)
    assert knock(app, path="/", headers=OWN).status == 200
    reply = knock(app, path="/projects/a/data", headers=OWN)
    assert reply.status == 400
    assert "root:" not in reply.text
    project.delete()


def test_a_draft_that_leads_out_is_not_saved(project: Project) -> None:
    draft, before = Draft.load(project), project.file.read_bytes()
    draft.tables["items"]["hierarchy"] = OUTSIDE
    with pytest.raises(InputError, match="not one of the workspace"):
        draft.save(project)
    assert project.file.read_bytes() == before
