"""Lost workers change nothing. Lost clusters and changed files end in a clear error, and nothing is published.

Covers: engines/cluster.py engines/lead.py.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.engines import Engine
from shoal.engines import cluster as module
from shoal.engines import lead as lead_module
from shoal.engines.cluster import Cluster
from shoal.errors import ClusterError, DataError
from shoal.jobs.arguments import describe_data
from shoal.jobs.generate import generate
from shoal.jobs.job import Job
from shoal.jobs.on_cluster import run_on_cluster
from shoal.report import Story
from tests.cluster.processes import Processes, cluster, split, until

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

KILLED: list[str] = []  # workers
STAGES = ["reading", "counting items", "counting sets", "verifying", "measuring", "writing"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many rows that every stage takes a moment."""
    made = generate("quest", rows=300_000, items=200, mean_size=8, seed=3).transactions
    lines = [" ".join(made.labels[code] for code in row) for row in made]
    return split(lines, 5, tmp_path_factory.mktemp("data") / "parts", ".dat")


@pytest.fixture(scope="module")
def expected(data: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    output = tmp_path_factory.mktemp("local") / "public.dat"
    job_of(data, output).run(Engine(workers=2))
    return output.read_bytes()


def job_of(data: Path, output: Path) -> Job:
    return Job(data=describe_data(data), output=output, model=shoal.Km(k=5, m=2), algorithm=shoal.algorithms.AA())


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Processes]:
    """A cluster that a test may harm."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder) as running:
        yield running


def connected(processes: Processes, workers: int = 2) -> Any:
    from distributed import Client

    client = Client(processes.address, timeout=30, set_as_default=False)
    client.wait_for_workers(workers, timeout=60)
    return client


def at_stage(stage: str, act: Callable[[], None]) -> Callable[[str, float], None]:
    """A progress that acts once, when a stage has begun."""
    done: list[str] = []

    def progress(now: str, share: float) -> None:
        if now == stage and not done:
            done.append(now)
            act()

    progress.done = done  # type: ignore[attr-defined]
    return progress


def kill_worker(client: Any, *, lead: bool) -> None:
    """Kill the worker of the lead, or the other one, as the system does if memory runs out."""
    pids, tasks = client.run(os.getpid), client.processing()
    leading = [name for name, keys in tasks.items() if any(str(key).startswith("shoal-lead") for key in keys)]
    names = leading if lead else [name for name in pids if name not in leading]
    for name in names[:1]:  # the run may have ended meanwhile
        os.kill(pids[name], signal.SIGKILL)
        KILLED.append(name)


@pytest.mark.parametrize("lead", [True, False], ids=["lead", "other"])
def test_a_killed_worker_changes_nothing(own: Processes, data: Path, expected: bytes, out: Path, lead: bool) -> None:
    KILLED.clear()
    with connected(own) as client:
        for stage in STAGES:
            client.wait_for_workers(2, timeout=60)
            progress = at_stage(stage, lambda: kill_worker(client, lead=lead))
            output = out / f"{stage}.dat"
            run_on_cluster(job_of(data, output), Cluster(client=client), Engine(progress=progress), str)
            assert progress.done == [stage]  # type: ignore[attr-defined]
            assert output.read_bytes() == expected, stage
    assert len(KILLED) >= len(STAGES) - 2
    assert {file.suffix for file in out.iterdir()} == {".dat"}  # nothing else is left


def die_once(story: Story, mark: Path) -> str:
    """Kill the process of the lead, the first time, after all files were written."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return str(story)


def test_a_lead_that_is_lost_after_it_has_written(own: Processes, data: Path, tmp_path: Path, out: Path) -> None:
    """The next one writes all files again. What the first one wrote is gone."""
    job = replace(job_of(data, out / "public"), output_parts=2, reports=(out / "report.md",))
    before = set(Path(tempfile.gettempdir()).iterdir())
    with connected(own) as client:
        run_on_cluster(job, Cluster(client=client), Engine(), partial(die_once, mark=tmp_path / "mark"))
    assert sorted(file.name for file in out.iterdir()) == ["public", "report.md"]
    assert sorted(file.name for file in (out / "public").iterdir()) == ["part-00000.dat", "part-00001.dat"]
    left = {path for path in Path(tempfile.gettempdir()).iterdir() if path.name.startswith(".shoal")} - before
    assert not left


@pytest.mark.parametrize("workers", [1, 2])
def test_two_runs_at_once(tmp_path: Path, data: Path, expected: bytes, out: Path, workers: int) -> None:
    """They share the workers, but wait for each other only as long as tasks take. One that fails ends no other."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    tree = tmp_path / "tree.csv"
    tree.write_text("other;ALL\n")
    bad = replace(job_of(data, out / "bad.dat"), data=describe_data(data, hierarchy=str(tree)))
    done: list[bytes | str] = []

    def run(number: int) -> None:
        with connected(running, workers) as client:
            for turn in range(2):
                output = out / f"{number}-{turn}.dat"
                run_on_cluster(job_of(data, output), Cluster(client=client), Engine(), str)
                done.append(output.read_bytes())

    def fail() -> None:
        with connected(running, workers) as client, contextlib.suppress(DataError):
            for _ in range(4):
                run_on_cluster(bad, Cluster(client=client), Engine(), str)

    with cluster(folder, workers) as running:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
        threads.append(threading.Thread(target=fail))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
            assert not thread.is_alive()
        assert "AssertionError" not in running.logs
    assert done == [expected] * 4
    assert not (out / "bad.dat").exists()


def test_all_workers_gone(tmp_path: Path, data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lead_module, "NO_WORKERS", 3.0)
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, nanny=False) as running, connected(running) as client:

        def kill_all() -> None:
            for process in running.started[1:]:
                os.killpg(process.pid, signal.SIGKILL)

        started = time.monotonic()
        engine = Engine(progress=at_stage("counting sets", kill_all))
        with pytest.raises(ClusterError, match="no workers"):
            run_on_cluster(job_of(data, out / "x.dat"), Cluster(client=client), engine, str)
        assert time.monotonic() - started < 60
    assert not list(out.iterdir())


def test_the_scheduler_is_killed(own: Processes, data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lead_module, "ANSWER", 3.0)
    client = connected(own)

    def kill() -> None:
        os.killpg(own.started[0].pid, signal.SIGKILL)

    engine = Engine(progress=at_stage("counting sets", kill))
    with pytest.raises(ClusterError, match="scheduler"):
        run_on_cluster(job_of(data, out / "x.dat"), Cluster(client=client), engine, str)
    assert not list(out.iterdir())
    client.close(timeout=1)


@pytest.mark.parametrize("change", ["removed", "changed"])
def test_a_part_that_changes_in_the_middle(own: Processes, data: Path, tmp_path: Path, out: Path, change: str) -> None:
    """A lost worker's parts are read again. If they are not what they were, nothing is published."""
    copied = tmp_path / "copied"
    copied.mkdir()
    for file in data.iterdir():
        (copied / file.name).write_bytes(file.read_bytes())
    with connected(own) as client:

        def act() -> None:
            for file in copied.iterdir():
                if change == "removed":
                    file.unlink()
                else:
                    file.write_bytes(file.read_bytes() + b"1 2 3\n")
            kill_worker(client, lead=False)

        engine = Engine(progress=at_stage("counting sets", act))
        with pytest.raises(DataError, match=r"does not exist|changed while it was read"):
            run_on_cluster(job_of(copied, out / "x.dat"), Cluster(client=client), engine, str)
    assert not list(out.iterdir())


@pytest.mark.parametrize("memory", ["190MB", "230MB", "300MB"])
def test_too_little_memory(
    tmp_path: Path, data: Path, expected: bytes, out: Path, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that takes too much pauses, or the nanny ends it. The same bytes come out, or a clear error."""
    monkeypatch.setattr(lead_module, "PAUSED", 5.0)
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, 2, "--memory-limit", memory) as running, connected(running) as client:
        output = out / "x.dat"
        message = ""
        try:
            run_on_cluster(job_of(data, output), Cluster(client=client), Engine(), str)
        except ClusterError as error:
            message = str(error)
        if message:
            assert "memory" in message
            assert not list(out.iterdir())
        else:
            assert output.read_bytes() == expected


COMMAND = ["-m", "shoal.cli", "anonymize"]


def shell(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *COMMAND, *words], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def disturbed(words: Sequence[str], cwd: Path, act: Callable[[subprocess.Popen[str]], None], *, code: int) -> str:
    """Run a command, act when it counts items, and return what it tells afterwards."""
    with subprocess.Popen(
        [sys.executable, *COMMAND, *words], cwd=cwd, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as command:
        assert command.stderr is not None
        for line in command.stderr:
            if "counting items" in line:
                break
        act(command)
        left = command.stderr.read()
        assert command.wait(60) == code, left
    return left


def test_ctrl_c_leaves_nothing_behind(processes: Processes, client: Any, data: Path, out: Path) -> None:
    words = [str(data), "-o", "x.dat", "--engine", "dask", "--cluster", processes.address, "--algorithm", "aa"]
    left = disturbed(words, out, lambda command: command.send_signal(signal.SIGINT), code=130)
    assert "Interrupted: nothing was written" in left
    assert not list(out.iterdir())
    until(lambda: not any(client.processing().values()), 20)
    until(lambda: not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)), 20)


def test_ctrl_c_of_a_terminal(data: Path, out: Path) -> None:
    """It goes to all processes of the command, also to those of a cluster on this machine."""
    words = [str(data), "-o", "x.dat", "--engine", "dask", "--algorithm", "aa"]
    left = disturbed(words, out, lambda command: os.killpg(command.pid, signal.SIGINT), code=130)
    assert "Interrupted: nothing was written" in left
    assert "Traceback" not in left
    assert not list(out.iterdir())


def test_the_scheduler_is_killed_under_a_command(own: Processes, data: Path, out: Path) -> None:
    """The error is told once, without what Dask tells."""
    words = [str(data), "-o", "x.dat", "--engine", "dask", "--cluster", own.address, "--algorithm", "aa"]
    left = disturbed(words, out, lambda command: os.killpg(own.started[0].pid, signal.SIGKILL), code=2)
    assert "connection to the scheduler of the cluster was lost" in left
    assert "Traceback" not in left
    assert not list(out.iterdir())


def test_notes_name_options_and_the_cluster(processes: Processes, tmp_path: Path, out: Path) -> None:
    lines = tmp_path / "lines"
    lines.mkdir()
    for at in range(2):
        (lines / f"{at}.csv").write_text("basket,item,household_id\n" + f"{at}1,a{at},7\n{at}2,b{at},8\n" * 3)
    words = ["--id-column", "basket", "--item-column", "item", "--k", "2", "--m", "1"]
    there = ["--engine", "dask", "--cluster", processes.address]
    local, found = (shell(str(lines), "-o", "x.csv", *words, *more, cwd=out) for more in ([], there))
    notes = [[line for line in done.stderr.splitlines() if line.startswith("Note:")] for done in (local, found)]
    assert notes[0] == notes[1]
    assert any("--id-column" in note or "--identifiers" in note for note in notes[0])
    sets = split(["1 2", "3 4", "1", "2", "3", "4"], 2, tmp_path / "sets", ".dat")
    refused = shell(str(sets), "-o", "y/", "--k", "2", "--max-loss", "0.0001", *there, cwd=out)
    assert refused.returncode == 3
    assert f"shoal anonymize {sets} -o y/ --max-loss 0.0001 {' '.join(there)} --model km" in refused.stderr


def test_the_command_line(processes: Processes, data: Path, expected: bytes, out: Path) -> None:
    words = ["--engine", "dask", "--cluster", processes.address]
    done = shell(str(data), "-o", "x.dat", "--algorithm", "aa", *words, cwd=out)
    assert done.returncode == 0, done.stderr
    assert "Verified:" in done.stdout
    assert "Read parts: 300,000 records" in done.stderr
    assert (out / "x.dat").read_bytes() == expected
    told = shell(str(data), "-o", "-", "--algorithm", "aa", *words, cwd=out)
    assert told.stdout.encode() == expected
    bad = shell(str(data), "-o", "y.dat", "--k", "999999", *words, cwd=out)
    assert bad.returncode == 2
    assert "needs at least 999999 non-empty records" in bad.stderr
    assert not (out / "y.dat").exists()


def test_no_raw_data_in_logs_or_names(processes: Processes, client: Any, tmp_path: Path, out: Path) -> None:
    """Neither a run that ends well nor one that fails writes labels into logs, or names tasks by them."""
    lines = ["SECRETITEM other"] * 50 + ["SECRETRARE other"]
    folder = split(lines, 2, tmp_path / "data", ".dat")
    seen: list[str] = []

    def names(stage: str, share: float) -> None:
        seen.extend(client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks))))

    engine = Engine(progress=names)
    run_on_cluster(job_of(folder, out / "x.dat"), Cluster(client=client), engine, str)
    tree = tmp_path / "tree.csv"
    tree.write_text("other;ALL\n")
    job = Job(
        data=describe_data(folder, hierarchy=str(tree)),
        output=out / "y.dat",
        model=shoal.Km(),
        algorithm=shoal.algorithms.AA(),
    )
    with pytest.raises(DataError, match="SECRET"):  # the client may know
        run_on_cluster(job, Cluster(client=client), engine, str)
    assert any("shoal-lead" in name for name in seen)
    assert "SECRET" not in "".join(seen)
    assert "SECRET" not in processes.logs
    assert "AssertionError" not in processes.logs  # the scheduler is unharmed by a run that failed
    events = client.run_on_scheduler(
        lambda dask_scheduler: str(dict(dask_scheduler._broker._topics)) if hasattr(dask_scheduler, "_broker") else ""
    )
    assert "SECRET" not in events


def test_no_rows_reach_the_client(client: Any, data: Path, out: Path) -> None:
    """What the client receives is small: not the rows, and not the published data, which the lead writes itself."""
    received: dict[str, int] = {}
    gather = type(client)._gather_remote

    async def counting(self: Any, direct: bool, local_worker: bool) -> Any:
        found = await gather(self, direct, local_worker)
        for key, value in found["data"].items():
            received[str(key)] = received.get(str(key), 0) + value.__sizeof__()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(client), "_gather_remote", counting)
        run_on_cluster(job_of(data, out / "x.dat"), Cluster(client=client), Engine(), str)
    size = (out / "x.dat").stat().st_size
    assert size > 5_000_000
    assert [key for key in received if not key.startswith("shoal-result-")] == []
    assert 0 < sum(received.values()) < 50_000


def test_a_scheduler_that_does_not_answer(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER", 1.0)
    with pytest.raises(ClusterError, match="No Dask scheduler answered"), Cluster("tcp://127.0.0.1:9").connect():
        pass
