"""The crew and its workers: whatever a task does, the page gets a result or a message.

Covers: web/crew.py, web/worker.py.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from shoal.web import crew as crew_module
from shoal.web.crew import Crew, Task, TaskError, Worker
from tests.web import probe
from tests.web.asgi import run

LIMIT = 700_000_000
Act = Callable[[Crew], Awaitable[None]]


def with_crew(folder: Path, act: Act, memory: int = 0, seconds: float = 60.0) -> None:
    """Let a crew work in a folder, and end it."""

    @asynccontextmanager
    async def crew() -> AsyncIterator[Crew]:
        found = Crew(folder, memory, seconds)
        try:
            yield found
        finally:
            await found.close()

    async def work() -> None:
        async with crew() as found:
            await asyncio.wait_for(act(found), 60)

    run(work())


@pytest.fixture(autouse=True)
def probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers have the tasks of this test."""
    monkeypatch.setattr(Worker, "program", ("-P", str(probe.__file__)))


async def error_of(task: Task) -> TaskError:
    """Return how a task failed."""
    with pytest.raises(TaskError) as caught:
        await task.work
    return caught.value


def ended(process: int) -> bool:
    """Wait until a process has ended."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


def test_what_fails_is_a_message(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        # One after the other in the worker of a project: after a crash, another one takes its place.
        crashed = await error_of(crew.ask("p", "probe.die", {"number": signal.SIGKILL}))
        assert (crashed.kind, "signal 9" in str(crashed), "out of memory" in str(crashed)) == ("crash", True, True)
        assert await crew.ask("p", "probe.kept", {}).work == 1
        refused = await error_of(crew.ask("p", "probe.refuse", {}))
        assert (refused.kind, str(refused)) == ("input", f"line 3: {probe.SECRET}")
        bug = await error_of(crew.ask("p", "probe.broken", {}))
        assert (bug.kind, "KeyError in probe.py:" in str(bug), probe.SECRET in str(bug)) == ("bug", True, False)
        full = await error_of(crew.ask("p", "probe.grow", {"size": 2 * LIMIT}))
        assert (full.kind, "--memory" in str(full)) == ("memory", True)
        assert await crew.ask("p", "probe.grow", {"size": LIMIT // 4}).work == LIMIT // 4
        assert await crew.ask("p", "probe.kept", {"x": 1}).wait(5)  # a wrong argument is a bug, too
        unknown = await error_of(crew.ask("p", "nothing.at_all", {}))
        assert unknown.kind == "bug"
        about = await crew.ask("p", "probe.whoami", {}).work
        assert about["folder"] == str(tmp_path)
        assert about["score"].strip() == "800"

    with_crew(tmp_path, act, memory=LIMIT)


def test_an_answer_that_is_too_long_ends_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "LINE", 1 << 20)

    async def act(crew: Crew) -> None:
        assert (await error_of(crew.ask("p", "probe.huge", {"size": 1 << 21}))).kind == "memory"
        assert await crew.ask("p", "probe.kept", {}).work == 1

    with_crew(tmp_path, act)


def test_equal_calls_are_carried_out_once(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        tasks = [crew.ask("p", "probe.add", {"first": 1, "second": 2}) for _ in range(20)]
        assert len({id(task) for task in tasks}) == 1
        assert [await task.work for task in tasks] == [3] * 20
        assert await crew.ask("p", "probe.add", {"second": 2, "first": 1}).work == 3
        assert (tmp_path / "calls").read_text() == "x"
        # What has failed is shown once, and tried again when it is asked for again.
        first = crew.ask("p", "probe.refuse", {})
        await error_of(first)
        assert crew.ask("p", "probe.refuse", {}) is first
        again = crew.ask("p", "probe.refuse", {})
        assert again is not first
        await error_of(again)

    with_crew(tmp_path, act)


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        await crew.ask("p", "probe.kept", {}).work
        crew.seconds = 0.3
        late = await error_of(crew.ask("p", "probe.nap", {"seconds": 60}))
        assert (late.kind, "time limit" in str(late)) == ("time", True)
        assert (tmp_path / "cleaned").exists()
        assert ended(int((tmp_path / "began").read_text()))

    with_crew(tmp_path, act)


def test_a_call_that_waited_for_one_that_was_ended_gets_no_answer_of_it(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        await crew.ask("p", "probe.kept", {}).work
        crew.seconds = 0.3
        first = crew.ask("p", "probe.nap", {"seconds": 60})
        await asyncio.sleep(0.1)
        second = crew.ask("p", "probe.add", {"first": 1, "second": 2})
        assert (await error_of(first)).kind == "time"
        assert "waited for other work" in str(await error_of(second))
        assert await crew.ask("p", "probe.add", {"first": 2, "second": 2}).work == 4

    with_crew(tmp_path, act)


def test_a_call_alone_can_be_cancelled(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        task = crew.alone("run", "probe.nap", {"seconds": 60})
        while not task.stage:
            await asyncio.sleep(0.01)
        assert crew.task("run") is task
        assert (task.stage, task.share, task.work.done()) == ("sleeping", 0.5, False)
        crew.cancel("run")
        crew.cancel("none")
        with pytest.raises(asyncio.CancelledError):
            await task.work
        with pytest.raises(TaskError, match="Cancelled"):
            task.result()
        assert (tmp_path / "cleaned").exists()
        assert ended(int((tmp_path / "began").read_text()))

    with_crew(tmp_path, act)


def test_a_worker_that_does_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "STOP", 0.3)

    async def act(crew: Crew) -> None:
        task = crew.alone("run", "probe.nap", {"seconds": 60, "ignore": True})
        while not task.stage:
            await asyncio.sleep(0.01)
        crew.cancel("run")
        await task.wait(10)
        assert ended(int((tmp_path / "began").read_text()))

    with_crew(tmp_path, act)


def test_closing_ends_everything(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        crew.prepare()
        tasks = [crew.ask("p", "probe.nap", {"seconds": 60}), crew.alone("a", "probe.nap", {"seconds": 61})]
        while not all(task.stage for task in tasks):
            await asyncio.sleep(0.01)
        start = time.monotonic()
        await crew.close()
        assert time.monotonic() - start < 5
        assert all(task.work.done() for task in tasks)
        assert (await error_of(crew.alone("b", "probe.kept", {}))).kind == "cancelled"

    with_crew(tmp_path, act)


def test_only_some_projects_keep_their_data_in_memory(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        assert await crew.ask("a", "probe.kept", {}).work == 1
        for name in ("b", "a", "b"):
            assert await crew.ask(name, "probe.add", {"first": 1, "second": 1}).work == 2
        for number in range(crew_module.LOOKERS):
            await crew.ask(f"other {number}", "probe.kept", {}).work
        assert await crew.ask("a", "probe.kept", {}).work == 1  # it would be 2 if anything were still known

    with_crew(tmp_path, act)


def test_no_module_of_the_current_folder_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of somebody else, in which the user starts the workbench, must not run code."""
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    for name in ("queue.py", "json.py", "numpy.py"):
        (tmp_path / name).write_text("open('loaded', 'w')")

    async def act(crew: Crew) -> None:
        assert (await error_of(crew.ask("p", "nothing.at_all", {}))).kind == "bug"

    with_crew(tmp_path, act)
    assert not (tmp_path / "loaded").exists()


def test_a_worker_that_cannot_start_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))

    async def act(crew: Crew) -> None:
        for _ in range(2):
            assert (await error_of(crew.ask("p", "probe.kept", {}))).kind == "crash"

    with_crew(tmp_path, act)


def test_a_worker_of_a_forgotten_project_serves_another_one_and_knows_nothing(tmp_path: Path) -> None:
    async def act(crew: Crew) -> None:
        first = await whoami(crew, "one")
        assert [await crew.ask("one", "probe.kept", {}, n).work for n in range(2)] == [1, 2]
        crew.forget("one")
        await asyncio.gather(*crew._ending)
        assert await whoami(crew, "two") == first
        assert await crew.ask("two", "probe.kept", {}, 0).work == 1

    async def whoami(crew: Crew, project: str) -> int:
        return int(await crew.ask(project, "probe.number", {}).work)

    with_crew(tmp_path, act)


def test_nothing_about_data_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async def act(crew: Crew) -> None:
        for name in ("probe.broken", "probe.refuse"):
            await crew.ask("p", name, {}).wait(20)
            await crew.alone("a", name, {}).wait(20)

    with caplog.at_level(logging.DEBUG):
        with_crew(tmp_path, act)
        gc.collect()  # where nobody asked for a result, asyncio tells now
    assert "never retrieved" not in caplog.text
    told = capfd.readouterr()
    assert probe.SECRET not in caplog.text + told.out + told.err
