"""The queue of runs: one after the other, cancelled, recovered, deleted; what one run does never stops the next.

Covers: web/runs.py, web/limits.py.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from shoal.errors import InputError
from shoal.files.staging import _where
from shoal.web.crew import Worker
from shoal.web.draft import Draft
from shoal.web.limits import Limits
from shoal.web.page import Workbench
from shoal.web.runs import DAMAGED, INTERRUPTED, MESSAGE, Run
from shoal.web.workspace import Project, Workspace
from tests.web import probe
from tests.web.asgi import OWN, POSTED, aknock, app_of, knock
from tests.web.asgi import run as run_in_thread

WANTED = {"file": "release.csv"}
Act = Callable[[Workbench, Project], Awaitable[None]]


@pytest.fixture(autouse=True)
def probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers stand for runs."""
    monkeypatch.setattr(Worker, "program", ("-P", str(probe.__file__)))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project, with an input for each thing that a run can do."""
    place = Workspace.open(tmp_path / "ws")
    for what in ("done", "fail", "die", "wait"):
        (place.inputs / f"{what}.csv").write_text(what)
    found = place.new_project("a")
    Draft.of_file("inputs/done.csv").save(found)
    return found


def with_bench(project: Project, act: Act, **limits: Any) -> None:
    """Let a workbench carry out runs, and end it."""

    async def work() -> None:
        bench = Workbench(project.workspace, Limits(**limits))
        bench.runs.recover()
        bench.runs.start()
        try:
            await asyncio.wait_for(act(bench, project), 60)
        finally:
            await bench.runs.close()
            await bench.crew.close()

    run_in_thread(work())


def add(bench: Workbench, project: Project, what: str, **rest: Any) -> Run:
    """Put a run into the queue."""
    tables = {"data": {"file": f"inputs/{what}.csv"}, "model": {"name": "km", "k": 5}}
    return bench.runs.add(project, tables, WANTED, {"title": what}, **rest)


async def until(run: Run, *states: str) -> None:
    """Wait until a run is in a state."""
    while run.state not in states:
        await asyncio.sleep(0.01)


def on_disk(run: Run) -> str:
    """Return all that the files of a run hold."""
    return "\n".join(path.read_text() for path in run.folder.iterdir())


def test_runs_are_carried_out_one_after_the_other(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        runs = [add(bench, project, what) for what in ("wait", "fail", "die", "done")]
        assert [run.number for run in runs] == [1, 2, 3, 4]
        await until(runs[0], "running")
        assert [bench.runs.ahead_of(run) for run in runs[1:]] == [1, 2, 3]
        assert [run.state for run in bench.runs.of(project)] == ["queued", "queued", "queued", "running"]
        while not (runs[0].task and runs[0].task.stage):
            await asyncio.sleep(0.01)
        bench.runs.cancel(bench.runs.get(project, 1))
        await until(runs[3], "done")
        assert [run.state for run in runs] == ["cancelled", "failed", "failed", "done"]
        assert "signal 9" in runs[2].message
        assert (runs[3].outputs, runs[3].figures["seed"]) == (["release.csv"], 0)
        for run in runs[:3]:  # nothing stays of what did not reach its end
            assert sorted(os.listdir(run.folder)) == [MESSAGE, "problem.toml", "run.json"]

    with_bench(project, act)


def test_why_a_run_failed_is_kept_apart_from_its_state(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        run = add(bench, project, "fail")
        await until(run, "failed")
        await asyncio.sleep(0.05)
        assert probe.SECRET in bench.runs.get(project, 1).message
        (run.folder / MESSAGE).rename(project.folder / MESSAGE)
        assert probe.SECRET in (project.folder / MESSAGE).read_text(encoding="utf-8")
        assert probe.SECRET not in on_disk(run)

    with_bench(project, act)


def test_a_run_that_waits_can_be_cancelled(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        add(bench, project, "wait")
        second, third = add(bench, project, "done"), add(bench, project, "done")
        bench.runs.cancel(bench.runs.get(project, 2))
        assert bench.runs.get(project, second.number).state == "cancelled"
        bench.runs.cancel(bench.runs.get(project, 1))
        await until(third, "done")
        assert not (second.folder / "release.csv").exists()

    with_bench(project, act)


def test_the_queue_has_an_end(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        await until(add(bench, project, "wait"), "running")
        for _ in range(2):
            add(bench, project, "done")
        with pytest.raises(InputError, match="2 runs are waiting already"):
            add(bench, project, "done")
        assert len(list(project.runs())) == 3

    with_bench(project, act, queue=2)


def test_a_run_takes_no_longer_than_allowed(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        run = add(bench, project, "wait")
        await until(run, "failed")
        assert "time limit" in run.message
        assert sorted(os.listdir(run.folder)) == [MESSAGE, "problem.toml", "run.json"]

    with_bench(project, act, seconds=1.0)


def test_a_passphrase_is_written_nowhere(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        (project.workspace.inputs / "own.key").write_text("")
        run = add(bench, project, "done", key="inputs/own.key", passphrase="correct horse")
        await until(run, "done")
        assert (run.folder / "release.csv").read_text() == "done correct horse"  # the worker got it
        (run.folder / "release.csv").unlink()
        assert "correct horse" not in on_disk(run)

    with_bench(project, act)


def test_a_run_cannot_lead_out_of_the_workspace(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        for tables, wanted, key in (
            ({"data": {"file": "/etc/passwd"}}, WANTED, ""),
            ({"data": {"file": "inputs/done.csv"}}, {"file": "../../../../out.csv"}, ""),
            ({"data": {"file": "inputs/done.csv"}}, {"file": "a.csv", "reports": ["/tmp/report.html"]}, ""),
            ({"data": {"file": "inputs/done.csv"}}, WANTED, "/etc/shadow"),
        ):
            with pytest.raises(InputError, match="not one of the workspace"):
                bench.runs.add(project, tables, wanted, {}, key=key)
        assert not list(project.runs())

    with_bench(project, act)


def test_half_uploads_of_a_killed_workbench_are_removed(project: Project) -> None:
    left = project.workspace.inputs / f".shoal-999999999-{_where()}-x.part"
    left.write_text("Jane Doe")
    Workbench(project.workspace, Limits()).runs.recover()
    assert not left.exists()


def test_what_was_running_is_interrupted(project: Project, tmp_path: Path) -> None:
    runs = []
    for state in ("running", "queued", "done", "failed"):
        folder = project.new_run()
        run = Run(project, int(folder.name), {})
        tables = {"data": {"file": "inputs/a.csv"}}
        run.change(state=state, created=1.0, tables=tables, wanted=WANTED, about={}, figures=probe.FIGURES)
        (folder / "release.csv").write_text("half")
        (folder / ".shoal-1-00000000-x.part").write_text("half")
        runs.append(run)
    project.new_run()  # it ended before the run was written down
    bench = Workbench(project.workspace, Limits())
    assert bench.runs.recover() == 2
    assert [run.state for run in bench.runs.of(project)] == ["failed", "done", "interrupted", "interrupted"]
    assert bench.runs.get(project, 1).message == INTERRUPTED
    assert sorted(os.listdir(runs[0].folder)) == [MESSAGE, "run.json"]
    assert (runs[2].folder / "release.csv").exists()
    assert bench.runs.recover() == 0


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"layout": 99}', '{"layout": 1}', '{"layout": 1, "state": "done"}', "[" * 100_000,
     '{"layout": 1, "state": "nonsense", "created": 1, "tables": {}, "wanted": {}, "about": {}}',
     '{"layout": 1, "state": "running", "created": 1, "tables": [], "wanted": {}, "about": {}}'],
)  # fmt: skip
def test_a_damaged_run_hurts_itself_only(project: Project, content: str) -> None:
    folder = project.new_run()
    (folder / "run.json").write_text(content)
    bench = Workbench(project.workspace, Limits())
    assert bench.runs.recover() == 0
    run = bench.runs.get(project, 1)
    assert (run.state, run.message) == ("failed", DAMAGED)
    assert knock(app_of(project.workspace.root), headers=OWN).status == 200
    bench.runs.delete(run)
    assert not folder.exists()


def test_a_hostile_run_deletes_and_offers_nothing_elsewhere(project: Project, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    hostile = {
        "layout": 1, "state": "running", "created": 1, "tables": {"data": {"file": "inputs/a.csv"}}, "about": {},
        "wanted": {"file": str(tmp_path / "precious"), "reports": ["../../../../../precious"]},
        "outputs": ["../run.json", str(tmp_path / "precious"), "sub/file", "..", "release.csv"],
    }  # fmt: skip
    folder = project.new_run()
    (folder / "run.json").write_text(json.dumps(hostile))
    for name in ("link", MESSAGE):
        (folder / name).symlink_to(tmp_path / "precious")
    (project.new_run() / "run.json").symlink_to(folder / "run.json")
    bench = Workbench(project.workspace, Limits())
    assert "mine" not in bench.runs.get(project, 1).message
    bench.runs.recover()
    run = bench.runs.get(project, 1)
    assert (run.state, run.outputs, run.message) == ("failed", [], DAMAGED)
    assert bench.runs.get(project, 2).message == DAMAGED
    bench.runs.delete(run)
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize(
    "change",
    [
        {"tables": {"data": {"file": "/etc/passwd"}}},
        {"wanted": {"file": "../../../../../secret"}},
        {"link": "release.csv"},
        {"link": "problem.toml"},
        {"link": "result.json"},
        {"link": "order.npy"},
        {"figures": {}},
        {"figures": {**probe.FIGURES, "loss": 1}},
        {"created": "now"},
    ],
)  # fmt: skip
def test_a_run_that_was_edited_shows_nothing_of_other_files(
    project: Project, tmp_path: Path, change: dict[str, Any]
) -> None:
    (tmp_path / "secret").write_text("mine")
    content = {
        "layout": 1, "state": "done", "created": 1.0, "tables": {"data": {"file": "inputs/a.csv"}}, "about": {},
        "wanted": WANTED, "figures": probe.FIGURES, "outputs": ["release.csv"],
    }  # fmt: skip
    folder = project.new_run()
    (folder / "run.json").write_text(json.dumps(content))
    bench = Workbench(project.workspace, Limits())
    assert bench.runs.get(project, 1).state == "done"
    if "link" in change:
        (folder / str(change["link"])).symlink_to(tmp_path / "secret")
    (folder / "run.json").write_text(json.dumps({**content, **change}))
    assert bench.runs.get(project, 1).message == DAMAGED
    for page in ("runs", "result", "result/records", "take-away", "result/compare"):
        assert "mine" not in knock(app_of(project.workspace.root), path=f"/projects/a/{page}", headers=OWN).text


def test_odd_numbers_of_runs_are_not_found(project: Project) -> None:
    app = app_of(project.workspace.root)
    for number in ("9" * 400, "9" * 5000, "1e5", "-1", "٣"):
        assert knock(app, path=f"/projects/a/runs/{number}/progress", headers=OWN).status in (400, 404)


def test_a_run_that_goes_on_is_not_deleted(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        run = add(bench, project, "wait")
        with pytest.raises(InputError, match="cancel it first"):
            bench.runs.delete(run)
        await until(run, "running")
        with pytest.raises(InputError, match="cancel it first"):
            bench.runs.delete(bench.runs.get(project, 1))
        bench.runs.cancel(run)
        await until(run, "cancelled")
        bench.runs.delete(run)
        assert os.listdir(project.folder / "runs") == []
        assert add(bench, project, "done").number == 1

    with_bench(project, act)


def test_a_project_can_be_deleted_while_its_runs_go_on(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        from shoal.web.app import application
        from shoal.web.door import Door

        app = Door(application(bench), "t", port=8000)
        posted = {**POSTED, "cookie": "shoal-8000=t"}
        first = add(bench, project, "wait")
        add(bench, project, "done")
        await until(first, "running")
        wrong = await aknock(app, "POST", "/projects/a/delete", posted, b"name=b")
        assert (wrong.status, project.folder.exists()) == (400, True)
        reply = await aknock(app, "POST", "/projects/a/delete", posted, b"name=a")
        assert reply.status == 303
        assert os.listdir(project.workspace.root / "projects") == []
        other = project.workspace.new_project("b")
        run = add(bench, other, "done")
        await until(run, "done")

    with_bench(project, act)


def test_a_file_that_cannot_be_written_stops_no_other_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        first = add(bench, project, "done")
        change = first.change

        def full(**values: Any) -> None:
            if "outputs" in values:
                raise OSError(28, probe.SECRET)
            change(**values)

        monkeypatch.setattr(first, "change", full)
        second = add(bench, project, "done")
        await until(second, "done")
        assert "OSError" in first.message
        assert probe.SECRET not in first.message

    with_bench(project, act)


def test_closing_interrupts_what_goes_on(project: Project) -> None:
    async def act(bench: Workbench, project: Project) -> None:
        first = add(bench, project, "wait")
        add(bench, project, "done")
        while not (first.task and first.task.stage):
            await asyncio.sleep(0.01)

    with_bench(project, act)
    bench = Workbench(project.workspace, Limits())
    assert [run.state for run in bench.runs.of(project)] == ["interrupted", "interrupted"]
    assert sorted(os.listdir(project.folder / "runs" / "0001")) == [MESSAGE, "problem.toml", "run.json"]
