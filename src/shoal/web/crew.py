"""The crew: starts workers, gives them calls, and keeps an eye on their time.

A project has one *looker*, which keeps its data in memory and answers one call after another: what a file holds, what a
hierarchy looks like, which records fit a search. Each run and other long task gets a worker of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from shoal.web.worker import RESET

LINE = 1 << 27  # bytes of the longest answer
LOOKERS = 3  # projects whose data are kept in memory
STOP = 7.0  # seconds that a worker has to end before it is killed
CALLS = 400  # calls of a project whose results are remembered
AT_ONCE = 8  # long calls that are carried out at the same time; others wait
ENDED = 100  # long calls of all projects whose results are remembered


class TaskError(Exception):
    """A task failed. ``kind``: input, cancelled, memory, time, crash or bug."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Worker:
    """A worker process. It carries out one call at a time."""

    program: ClassVar[tuple[str, ...]] = ("-P", "-m", "shoal.web.worker")  # -P: never a module of the current folder

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()
        self._busy = False  # it has a call that it has not answered
        self._killed = False

    @classmethod
    async def start(cls, folder: Path, memory: int) -> Worker:
        """Start a process, which loads the library while it waits."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *cls.program, str(folder), str(memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # it could show data
            limit=LINE,
            env={**os.environ, "MIMALLOC_ARENA_RESERVE": "65536"},  # 64 MB; the usual 1 GB would count as used
            start_new_session=True,  # Ctrl-C in the terminal is for the server, which then ends its workers
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        """Whether it can take calls."""
        return self._process.returncode is None and not self._killed

    @property
    def idle(self) -> bool:
        """Whether it can take calls, and has none."""
        return self.alive and not self._busy and not self._turn.locked()

    async def call(self, name: str, arguments: dict[str, Any], progress: Callable[[str, float], None]) -> Any:
        """Carry out a call, and return its result."""
        assert self._process.stdin is not None
        async with self._turn:
            if self._busy:  # its answer would be taken for one to this call
                raise TaskError("cancelled", "This waited for other work, which was ended: try again.")
            self._busy = True
            with contextlib.suppress(ConnectionError):
                self._process.stdin.write(json.dumps({"call": name, "arguments": arguments}).encode() + b"\n")
                await self._process.stdin.drain()
            while line := await self._line():
                message = json.loads(line)
                if "progress" in message:
                    progress(*message["progress"])
                    continue
                self._busy = False
                if "error" in message:
                    raise TaskError(**message["error"])
                return message["result"]
            code = await self._process.wait()
            raise TaskError("crash", _crash(code))

    async def _line(self) -> bytes:
        """Return the next line that it writes, or nothing when it has ended, maybe in the middle of a line."""
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            return line if line.endswith(b"\n") else b""
        except ValueError:  # what is left of the line would be taken for other answers
            self.kill()
            raise TaskError("memory", f"The answer has more than {LINE >> 20} MB: ask for less at a time.") from None

    def kill(self) -> None:
        """End it at once."""
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def stop(self) -> None:
        """Interrupt what it does, and wait until it has cleaned up."""
        if not self._busy:
            self.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), STOP)
        except TimeoutError:
            self.kill()
            await self._process.wait()


def _crash(code: int) -> str:
    """Tell how a process ended.

    >>> _crash(-9)
    'The process that did this work ended unexpectedly (signal 9): probably, the computer ran out of memory. ...'
    """
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"The process that did this work ended unexpectedly ({how}): probably, the computer ran out of memory. Nothing "
        f"was written. Close other programs, or use less data."
    )


@dataclass
class Task:
    """A call and its state, for pages that ask how far it is."""

    name: str
    stage: str = ""
    share: float = 0.0
    began: float = field(default_factory=time.monotonic)
    stage_began: float = field(default_factory=time.monotonic)
    stages: dict[str, float] = field(default_factory=dict)  # those so far, with how far each has come
    cancelled: bool = False  # the user has cancelled it; its worker may still clean up
    work: asyncio.Future[Any] = field(init=False)

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Let it be carried out. If no page asks how it failed, nothing is logged: the reason could quote data."""
        self.work = asyncio.ensure_future(work)
        self.work.add_done_callback(lambda work: work.cancelled() or work.exception())

    def progress(self, stage: str, share: float) -> None:
        """Note how far it is."""
        self.stages[stage] = share
        if stage != self.stage:
            self.stage_began = time.monotonic()
        self.stage, self.share = stage, share

    @property
    def failed(self) -> bool:
        """Whether it has ended without a result."""
        return self.work.done() and (self.work.cancelled() or self.work.exception() is not None)

    @property
    def seconds(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the seconds that its stage still takes, or None."""
        gone = time.monotonic() - self.stage_began
        return gone * (1 - self.share) / self.share if self.share > 0.02 and gone > 1 else None

    async def wait(self, seconds: float) -> bool:
        """Wait a moment, and return whether it has ended."""
        await asyncio.wait({self.work}, timeout=seconds)
        return self.work.done()

    def result(self) -> Any:
        """Return the result, or raise a TaskError."""
        if self.work.cancelled():
            raise TaskError("cancelled", "Cancelled: nothing was written.")
        return self.work.result()


class Looker:
    """The worker of a project, which keeps its data in memory, and the calls that it was given."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._worker: asyncio.Task[Worker] | None = None
        self._tasks: dict[str, Task] = {}
        self._told: set[str] = set()  # failed calls that a page has shown: they are tried again when asked for again

    def ask(self, name: str, arguments: dict[str, Any], versions: Any) -> Task:
        """Return the task of a call. Equal calls are carried out once."""
        key = json.dumps([name, arguments, versions], sort_keys=True)
        task = self._tasks.pop(key, None)
        if task is not None and task.failed:
            task = None if key in self._told else task
            self._told ^= {key}
        if task is None:
            task = Task(name)
            task.begin(self._carry_out(task, arguments))
        self._tasks[key] = task
        while len(self._tasks) > CALLS:
            self._tasks.pop(next(iter(self._tasks)))
        return task

    async def _carry_out(self, task: Task, arguments: dict[str, Any]) -> Any:
        """Carry out a call in the worker of this project. If the worker has ended, another one takes its place."""
        if self._worker is not None and self._worker.done():
            broken = self._worker.cancelled() or self._worker.exception() is not None
            self._worker = None if broken or not self._worker.result().alive else self._worker
        if self._worker is None:
            self._worker = asyncio.ensure_future(self._crew.hire(used=True))
        worker = await asyncio.shield(self._worker)
        return await self._crew.in_time(worker, task, arguments)

    async def stop(self) -> None:
        """Give the worker back."""
        if self._worker is not None:
            with contextlib.suppress(OSError, TaskError):  # it could not start
                await self._crew.take_back(await self._worker)


class Crew:
    """All workers of a workbench.

    Parameters
    ----------
    folder
        The workspace.
    memory
        The bytes that a worker may use. 0: no limit.
    seconds
        How long a call may take.
    """

    def __init__(self, folder: Path, memory: int, seconds: float) -> None:
        self.folder, self.memory, self.seconds = folder, memory, seconds
        self._spare: asyncio.Task[Worker] | None = None
        self._idle: Worker | None = None  # one whose project was forgotten
        self._lookers: dict[str, Looker] = {}  # the one used last comes last
        self._alone: dict[str, Task] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False
        self._places = asyncio.Semaphore(AT_ONCE)

    def prepare(self) -> None:
        """Start a spare worker, so that the next one is ready at once."""
        if self._spare is None and not self._closed:
            self._spare = asyncio.ensure_future(Worker.start(self.folder, self.memory))

    async def take_back(self, worker: Worker) -> None:
        """Let another project use a worker that has nothing to do, or end it. To start one takes 0.3 s."""
        if worker.idle and self._idle is None and not self._closed:
            self._idle = worker
            with contextlib.suppress(TaskError):  # it is not alive, then
                await worker.call(RESET, {}, lambda stage, share: None)
        else:
            await worker.stop()

    async def hire(self, *, used: bool = False) -> Worker:
        """Return a worker that nobody uses, perhaps a ``used`` one. Runs need a new one: they report its memory."""
        if used and self._idle is not None:
            idle, self._idle = self._idle, None
            if idle.alive:
                return idle
        self.prepare()
        if self._spare is None:
            raise TaskError("cancelled", "The workbench has ended.")
        spare, self._spare = self._spare, None
        asyncio.get_running_loop().call_later(0.5, self.prepare)
        try:
            worker = await spare
            return worker if worker.alive else await Worker.start(self.folder, self.memory)
        except OSError as error:
            message = f"No process can be started for this work ({error.strerror}): close other programs."
            raise TaskError("crash", message) from None

    def ask(self, project: str, name: str, arguments: dict[str, Any], versions: Any = None) -> Task:
        """Give a call to the looker of a project. ``versions``: of what it reads. If they differ, it reads again."""
        looker = self._lookers.pop(project, None) or Looker(self)
        self._lookers[project] = looker
        while len(self._lookers) > LOOKERS:
            self.forget(next(iter(self._lookers)))
        return looker.ask(name, arguments, versions)

    def forget(self, project: str) -> None:
        """End the looker of a project. What it knew is read again when it is asked for."""
        looker = self._lookers.pop(project, None)
        if looker is not None:
            self._end(looker.stop())

    def alone(self, key: str, name: str, arguments: dict[str, Any]) -> Task:
        """Give a long call to a worker of its own. ``key`` names it for :meth:`task` and :meth:`cancel`."""
        task = Task(name)
        task.begin(self._carry_out(task, arguments))
        self._alone.pop(key, None)
        ended = [one for one, other in self._alone.items() if other.work.done()]
        for old in ended[: max(0, len(ended) - ENDED)]:
            del self._alone[old]
        self._alone[key] = task
        return task

    async def _carry_out(self, task: Task, arguments: dict[str, Any]) -> Any:
        """Carry out a call in a new worker, which ends with it."""
        async with self._places:
            worker = await self.hire()
            try:
                return await self.in_time(worker, task, arguments)
            finally:
                await asyncio.shield(worker.stop())

    async def in_time(self, worker: Worker, task: Task, arguments: dict[str, Any]) -> Any:
        """Carry out a call, but no longer than is allowed."""
        try:
            return await asyncio.wait_for(worker.call(task.name, arguments, task.progress), self.seconds)
        except TimeoutError:
            await worker.stop()
            raise TaskError(
                "time",
                f"This took longer than {self.seconds / 60:g} minutes, the time limit of the workbench, and was ended. "
                f"Nothing was written. Start the workbench with a larger --run-time, or use less data.",
            ) from None

    def task(self, key: str) -> Task | None:
        """Return a long call that goes on or has ended, or None."""
        return self._alone.get(key)

    def cancel(self, prefix: str) -> None:
        """Cancel the long calls whose names begin so. Their workers clean up and end."""
        for key, task in self._alone.items():
            if key.startswith(prefix):
                task.cancelled = True
                task.work.cancel()

    def drop(self, prefix: str) -> None:
        """Cancel and forget the long calls whose names begin so, because what they are about is deleted."""
        for key in [key for key in self._alone if key.startswith(prefix)]:
            self._end(self._cancelled(self._alone.pop(key)))

    def make_room(self, prefix: str, most: int) -> None:
        """Before another long call of a kind: cancel the one that goes on, and forget all but the latest results."""
        kept = [key for key in self._alone if key.startswith(prefix)]
        for at, key in enumerate(kept):
            if not self._alone[key].work.done():
                self._end(self._cancelled(self._alone.pop(key)))
            elif at < len(kept) - most:
                del self._alone[key]

    async def _cancelled(self, task: Task) -> None:
        """Cancel a call, and wait until its worker has ended."""
        task.work.cancel()
        await asyncio.gather(task.work, return_exceptions=True)

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        for task in self._alone.values():
            task.work.cancel()
        for project in list(self._lookers):
            self.forget(project)
        if self._spare is not None:
            with contextlib.suppress(OSError):
                self._end((await self._spare).stop())
            self._spare = None
        if self._idle is not None:
            self._end(self._idle.stop())
        waiting = [*self._ending, *(task.work for task in self._alone.values())]
        await asyncio.gather(*waiting, return_exceptions=True)

    def _end(self, stopping: Coroutine[Any, Any, None]) -> None:
        """Let a worker end in the background."""
        ending = asyncio.ensure_future(stopping)
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
