"""Step 5 of the workbench: what a run will do, its progress, and the list of runs.

Covers web/outputs.py, web/pages/runs.py, web/runs.py and web/tasks/run.py.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from shoal.errors import OptionError
from shoal.evidence.keys import new_keys
from shoal.web import outputs
from shoal.web.crew import Crew, TaskError, Worker
from shoal.web.draft import TABLES, Draft
from shoal.web.runs import Run, Runs
from shoal.web.tasks.run import check_key
from shoal.web.worker import Session
from shoal.web.workspace import Project, Workspace
from tests.web.client import PATIENCE, Client

Result = TypeVar("Result")
PASSPHRASE = "open sesame 7"
BASKETS = b"milk,tea\nmilk,rice\ntea,rice\nmilk,tea\nmilk,rice\nbeer,tea\n"
TREE = b"milk;DRINKS;ALL\ntea;DRINKS;ALL\nbeer;DRINKS;ALL\nrice;FOOD;ALL\n"


def draft_of(**tables: dict[str, object]) -> Draft:
    """A draft with some tables."""
    return Draft({**{name: {} for name in TABLES}, "data": {"file": "inputs/a.csv"}, **tables})


def project_with(client: Client, name: str, content: bytes, **tables: dict[str, Any]) -> str:
    """A project whose later steps were made, as the tables of its draft."""
    base = client.project(name, content)
    file = client.workspace / base.lstrip("/") / "project.json"
    project = json.loads(file.read_text())
    for table, values in tables.items():
        project["tables"].setdefault(table, {}).update(values)
    file.write_text(json.dumps(project))
    return base


def small(client: Client, name: str) -> str:
    """A project that is ready to run."""
    (client.workspace / "inputs" / "tree.csv").write_bytes(TREE)
    tree = {"hierarchy": "inputs/tree.csv"}
    return project_with(client, name, BASKETS, items=tree, model={"name": "km", "k": 2, "m": 2})


@cache
def finished(client: Client) -> str:
    """A project with a run that is done, and whose certificate is signed. Tests share it."""
    new_keys(client.workspace / "inputs" / "clinic", PASSPHRASE)
    base = small(client, "finished.basket")
    sent = {"certificate": "yes", "key": "inputs/clinic.key", "passphrase": PASSPHRASE}
    assert client.post(f"{base}/runs", explanations="yes", proof="yes", **sent).status == 303
    ended(client, base, 1)
    return base


def slow(client: Client, name: str) -> str:
    """A project whose run takes a while."""
    return project_with(client, name, slow_baskets(), model={"name": "km", "k": 20, "m": 3})


def slow_baskets() -> bytes:
    """Data that keep the search busy for some seconds."""
    draw = random.Random(1)
    rows = (draw.sample(range(1500), draw.randint(6, 14)) for _ in range(8000))
    return "\n".join(",".join(f"i{item}" for item in row) for row in rows).encode()


def run_of(client: Client, base: str, number: int) -> dict[str, Any]:
    """The state of a run, as its file has it."""
    content: dict[str, Any] = json.loads((folder_of(client, base, number) / "run.json").read_text())
    return content


def folder_of(client: Client, base: str, number: int) -> Path:
    """The folder of a run."""
    return client.workspace / base.lstrip("/") / "runs" / f"{number:04d}"


def ended(client: Client, base: str, number: int) -> dict[str, Any]:
    """The state of a run when it has ended."""
    until = time.monotonic() + PATIENCE
    while (found := run_of(client, base, number))["state"] in ("queued", "running"):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return found


# -- what is written ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "name"), [("a.basket", "basket"), ("a.dat.gz", "dat.gz"), ("a b.Parquet", "parquet"), ("x.txt", "txt")]
)
def test_a_release_has_the_format_and_compression_of_its_input(source: str, name: str) -> None:
    assert outputs.release_name(f"inputs/{source}") == f"release.{name}"


def test_a_run_writes_what_its_choices_allow() -> None:
    plain = outputs.wanted(draft_of(output={"format": "jsonl"}), proof=True)
    assert (plain["file"], plain["certificate"]) == ("release.jsonl", "certificate.json")
    assert plain["proof"] == "proof.json"
    assert "persons" not in plain
    one = draft_of(data={"file": "inputs/a.csv", "person": "id"}, model={"name": "k", "k": 2})
    told = outputs.wanted(one, certificate=False, proof=True)
    assert told["persons"] == "persons.txt"
    assert not {"certificate", "proof"} & set(told)
    assert outputs.public(["persons.txt", "public.html", "release.csv", "order.npy"]) == ["release.csv", "public.html"]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="must be one of"):
        outputs.wanted(draft_of(output={"format": "exe"}))


# -- the page ----------------------------------------------------------------------------------------------------------


def test_a_run_is_described_and_checked_before_it_begins(client: Client) -> None:
    base = small(client, "described.basket")
    page = client.get(f"{base}/runs").text
    assert "up to 2 items of a record is left with at least 2 records" in page
    assert "tree.csv" in page
    assert "Ready." in client.settled(f"{base}/runs/check").text


def test_a_run_writes_all_files_and_notes_no_data(client: Client) -> None:
    base = finished(client)
    run = run_of(client, base, 1)
    assert run["state"] == "done"
    wanted = {"release.basket", "report.html", "report.json", "public.html", "certificate.json", "proof.json"}
    assert wanted <= set(run["outputs"])
    assert not {"run.json", "result.json", "problem.toml"} & set(run["outputs"])
    assert "See the result" in client.get(f"{base}/runs/list").text
    noted = (folder_of(client, base, 1) / "run.json").read_text()
    assert not [item for item in ("milk", "beer", "rice") if item in noted]


def test_what_contradicts_itself_is_said_before_the_run(client: Client) -> None:
    base = project_with(client, "wrong.basket", BASKETS, model={"name": "km", "k": 0})
    page = client.get(f"{base}/runs").text
    assert "must be settled" in page
    assert "<button disabled>" in page
    assert client.post(f"{base}/runs").status == 400
    missing = project_with(client, "missing.basket", BASKETS, items={"hierarchy": "inputs/none.csv"})
    assert "none.csv" in client.settled(f"{missing}/runs/check").text
    answer = client.post(f"{missing}/runs", explanations="yes")
    assert answer.status == 400
    assert "none.csv" in answer.text


def test_choices_of_the_form_are_kept_and_wrong_ones_refused(client: Client) -> None:
    base = small(client, "form.basket")
    choices = {"format": "csv", "layout": "long", "threshold": "ema", "max_loss": "90", "explanations": "yes"}
    assert client.post(f"{base}/runs", **choices).status == 303
    run = ended(client, base, 1)
    assert run["state"] == "done"
    assert "release.csv" in run["outputs"]
    assert run["tables"]["run"]["max_loss"] == 0.9
    assert "certificate.json" not in run["outputs"]
    for name, value in {
        "format": "exe",
        "threshold": "7",
        "max_loss": "half",
        "layout": "x",
        "context": "/etc",
    }.items():
        assert client.post(f"{base}/runs", **{name: value}).status == 400, name


def test_a_run_of_other_choices_than_those_shown_is_refused(client: Client) -> None:
    base = small(client, "two tabs.basket")
    page = client.get(f"{base}/runs").text
    shown = re.search(r'name="choices" value="(\w+)"', page)
    assert shown is not None
    client.post(f"{base}/promise/settings", of="km", k="3", m="1")  # in another tab
    refused = client.post(f"{base}/runs", choices=shown[1])
    assert (refused.status, "changed in another tab" in refused.text) == (400, True)
    assert "None yet" in client.get(f"{base}/runs/list").text


def test_runs_wait_for_each_other_and_can_be_cancelled(client: Client) -> None:
    first, second = slow(client, "slow.basket"), small(client, "quick.basket")
    client.post(f"{first}/runs")
    client.post(f"{second}/runs")
    until = time.monotonic() + PATIENCE
    while '"progress"' in client.get(f"{first}/runs/1/progress?state=running").text:
        answer = client.get(f"{first}/runs/1/progress?state=running")
        if "<progress" in answer.text and "Starting" not in answer.text:
            break
        assert time.monotonic() < until
    assert "1 run comes first" in client.get(f"{second}/runs").text
    assert "Waiting" in client.get(f"{second}/runs/1/progress?state=queued").text
    assert "so far" in client.get(f"{first}/runs").text  # after the tab was closed and opened again
    client.post(f"{second}/runs/1/cancel")
    assert run_of(client, second, 1)["state"] == "cancelled"
    client.post(f"{first}/runs/1/cancel")
    assert ended(client, first, 1)["state"] == "cancelled"
    assert {one.name for one in folder_of(client, first, 1).iterdir()} == {"run.json", "problem.toml", "message.txt"}
    assert client.get(f"{first}/runs/1/progress?state=running").headers["hx-trigger"] == "runs-changed"
    client.post(f"{second}/runs/1/again")
    assert ended(client, second, 2)["state"] == "done"


def test_a_failed_run_gives_its_message_and_can_go_back_or_go(client: Client) -> None:
    base = small(client, "failing.basket")
    assert client.post(f"{base}/runs", max_loss="0", explanations="yes").status == 303
    run = ended(client, base, 1)
    assert run["state"] == "failed"
    message = (folder_of(client, base, 1) / "message.txt").read_text()
    assert "max_loss" in message
    assert message[:40] in client.get(f"{base}/runs").text.replace("&#39;", "'")
    file = client.workspace / base.lstrip("/") / "project.json"
    project = json.loads(file.read_text())
    project["tables"]["model"]["k"] = 6
    file.write_text(json.dumps(project))
    assert client.post(f"{base}/runs/1/choices").status == 303
    assert json.loads(file.read_text())["tables"]["model"]["k"] == 2
    assert client.post(f"{base}/runs/1/delete").status == 303
    assert not folder_of(client, base, 1).exists()
    assert client.get(f"{base}/runs/1/progress").status == 400


def test_a_key_signs_and_its_passphrase_is_never_written(client: Client) -> None:
    base = finished(client)
    wrong = client.post(f"{base}/runs", certificate="yes", key="inputs/clinic.key", passphrase="nothing")
    assert wrong.status == 400
    assert client.post(f"{base}/runs", certificate="yes", key="/etc/passwd").status == 400
    assert "signatures" in (folder_of(client, base, 1) / "certificate.json").read_text()
    for file in client.workspace.rglob("*"):
        assert not file.is_file() or PASSPHRASE.encode() not in file.read_bytes()
    assert 'type="password" autocomplete="off"' in client.get(f"{base}/runs").text


def test_an_encrypted_key_asks_for_its_passphrase(tmp_path: Path) -> None:
    new_keys(tmp_path / "clinic", "secret")
    with pytest.raises(OptionError, match=r"clinic\.key is encrypted: type its passphrase"):
        check_key(Session(), str(tmp_path / "clinic.key"), "")


# -- the queue ---------------------------------------------------------------------------------------------------------


def queue_of(tmp_path: Path) -> tuple[Runs, Project]:
    """A queue of runs, and a project with data."""
    workspace = Workspace.open(tmp_path / "workspace")
    (workspace.inputs / "a.basket").write_bytes(slow_baskets())
    project = workspace.new_project("a")
    Draft.of_file("inputs/a.basket").save(project)
    return Runs(workspace, Crew(workspace.root, 0, 60.0), 2), project


def driven(drive: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """The result of a coroutine, in a thread of its own: the browser of other tests keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(drive())).result()


def added(runs: Runs, project: Project) -> Run:
    """A run of the project."""
    tables = {"data": {"file": "inputs/a.basket"}, "model": {"name": "km", "k": 20, "m": 3}}
    return runs.add(project, tables, {"file": "release.basket", "reports": ["report.json"]}, {})


def carried_out(runs: Runs, project: Project, disturb: Callable[[Run, Worker], None], patch: pytest.MonkeyPatch) -> Run:
    """Begin a run, disturb it when it searches, and return it when it has ended."""
    hired: list[Worker] = []
    hire = runs.crew.hire

    async def noting() -> Worker:
        hired.append(await hire())
        return hired[-1]

    patch.setattr(runs.crew, "hire", noting)

    async def drive() -> Run:
        runs.start()
        run = added(runs, project)
        while run.task is None or not run.task.stage:
            await asyncio.sleep(0.02)
        (run.folder / "release.basket").write_text("half written")
        disturb(run, hired[-1])
        while run.state == "running" and run.folder.is_dir():
            await asyncio.sleep(0.02)
        await runs.close()
        await runs.crew.close()
        return run

    return driven(drive)


def test_a_crash_of_the_worker_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, project = queue_of(tmp_path)
    run = carried_out(runs, project, lambda run, worker: worker._process.kill(), monkeypatch)
    assert run.state == "failed"
    assert "ended unexpectedly (signal 9)" in run.message
    assert not (run.folder / "release.basket").exists()


def test_a_project_that_is_deleted_does_not_stop_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, project = queue_of(tmp_path)

    def delete(run: Run, worker: Worker) -> None:
        runs.cancel(run)
        project.delete()

    carried_out(runs, project, delete, monkeypatch)
    assert not project.folder.exists()
    assert runs._work is not None
    assert runs._work.cancelled()  # by close, and not by an error before


def test_an_unfinished_run_is_interrupted_and_leaves_no_files(tmp_path: Path) -> None:
    runs, project = queue_of(tmp_path)
    run = added(runs, project)
    run.change(state="running", started=time.time())
    for name in ("release.basket", "release.codebook.csv", "result.json"):
        (run.folder / name).write_text("half written")
    assert runs.recover() == 1
    found = Run.load(project, run.folder)
    assert found.state == "interrupted"
    assert "Run it again" in found.message
    assert {one.name for one in run.folder.iterdir()} == {"run.json", "problem.toml", "message.txt"}


def test_checks_of_other_choices_end_the_one_before(tmp_path: Path) -> None:
    runs, project = queue_of(tmp_path)
    tables = {"data": {"file": "inputs/a.basket"}, "model": {"name": "km"}, "output": {"file": "release.basket"}}

    async def drive() -> None:
        one = runs.check(project, tables)
        assert runs.check(project, tables) is one
        other = runs.check(project, {**tables, "model": {"name": "km", "k": 3}})
        assert other is not one
        await asyncio.wait({one.work})
        assert one.work.cancelled()
        runs.end_check(project)
        bad = runs.check(project, {**tables, "items": {"hierarchy": "inputs/none.csv"}})
        await asyncio.wait({bad.work})
        with pytest.raises(TaskError, match=r"none\.csv"):
            runs.end_check(project)
        await runs.crew.close()

    driven(drive)
