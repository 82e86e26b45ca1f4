"""Runs: a queue of anonymizations, each a process of its own, with its state in a file.

A run gets the number of its folder. Its state is ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``. A run
that was queued or running when the workbench ended is ``interrupted``: nothing of it was published.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import os
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import InputError, OutputError, ShoalError
from shoal.files import atomic_output
from shoal.files.lock import exclusive_lock
from shoal.files.staging import remove_leftovers
from shoal.jobs.problem_paths import with_paths
from shoal.jobs.toml_text import problem_text
from shoal.web.confine import check_paths
from shoal.web.crew import STOP, Crew, Task, TaskError
from shoal.web.workspace import Project, Workspace, delete_folder, is_own, read_json, write_json

OPEN = ("queued", "running")
DAMAGED = "run.json cannot be read: it is damaged. Restore it, or delete this run."
SHAPE = {  # of run.json: what pages rely on
    "state": str,
    "created": float,
    "tables": {"data": {"file": str}},
    "wanted": {},
    "about": {"promise": str, "data": str, "method": str, "found": {}},
}
ABOUT: dict[str, Any] = {"promise": "", "data": "", "method": "", "found": {}}
DAMAGED_ONE: dict[str, Any] = {  # what is shown of a run whose file is damaged
    "state": "failed",
    "message": DAMAGED,
    "created": 0.0,
    "tables": {},
    "wanted": {},
    "about": ABOUT,
}
FIGURES = {  # of a run that is done
    "promise": str,
    "model": {"name": str, "options": {}},
    "algorithm": {"title": str},
    "loss": {"measure": str},
    "risk": {"before": {}, "after": {}},
    "reading": {},
    "input": {"joined": list},
}
STATES = (*OPEN, "done", "failed", "cancelled", "interrupted")
MESSAGE = "message.txt"  # why a run failed; unlike run.json, it may name a label or a row
KEPT = ("run.json", "problem.toml", MESSAGE)  # files of a run that did not reach its end
INTERRUPTED = "The workbench ended before this run did: nothing of it was written. Run it again."


def fits(value: Any, shape: Any) -> bool:
    """Return whether a value has the types of a shape, and for a table at least its entries.

    >>> fits({"a": 1, "b": {"c": "x"}}, {"a": float, "b": {"c": str}}), fits({"b": 5}, {"b": {}})
    (True, False)
    """
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(fits(value.get(name), one) for name, one in shape.items())
    return isinstance(value, (int, float) if shape is float else shape)


@dataclass
class Run:
    """A run of a project."""

    project: Project
    number: int
    content: dict[str, Any]  # of run.json
    task: Task | None = None  # while it is running
    cancelling: bool = False  # it was cancelled, but has not ended yet

    @classmethod
    def load(cls, project: Project, folder: Path) -> Run:
        """Read a run from its folder. One whose file is damaged has failed."""
        try:
            content = read_json(folder / "run.json") if is_own(folder / "run.json") else {}
        except InputError:
            content = {}
        run = cls(project, int(folder.name), content)
        try:
            content["about"] = {**ABOUT, **content.get("about", {})}
            sound = fits(content, SHAPE) and content["state"] in STATES
            if not sound or (content["state"] == "done" and not fits(content.get("figures"), FIGURES)):
                raise InputError(DAMAGED)
            if any(one.is_symlink() for one in folder.iterdir()):  # also of files that the workbench itself writes
                raise InputError(DAMAGED)
            check_paths(run.tables, project)
        except (InputError, TypeError):
            run.content = copy.deepcopy(DAMAGED_ONE)
        return run

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.project.folder / "runs" / f"{self.number:04d}"

    @property
    def path(self) -> str:
        """The folder, below the workspace."""
        return f"{self.project.path}/runs/{self.number:04d}"

    @property
    def key(self) -> str:
        """The name of its task."""
        return f"{self.path}/run"

    @property
    def state(self) -> str:
        """queued, running, done, failed, cancelled or interrupted."""
        return str(self.content["state"])

    @property
    def outputs(self) -> list[str]:
        """The names of the files that it wrote."""
        names = map(str, self.content.get("outputs", []))
        return [name for name in names if name == Path(name).name != ".."]

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of a run that is done."""
        return dict(self.content.get("figures", {}))

    def change(self, **values: Any) -> None:
        """Change the state, and write it."""
        self.content.update(values)
        write_json(self.folder / "run.json", {name: one for name, one in self.content.items() if name != "layout"})

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that it was made with, as the tables of a draft."""
        return dict(self.content["tables"])

    @property
    def tables(self) -> dict[str, Any]:
        """The tables of its problem file, with paths relative to the workspace."""
        outputs = with_paths({"output": self.content["wanted"]}, lambda name: f"{self.path}/{name}")["output"]
        if key := self.content.get("key"):
            outputs["key"] = key
        return {**self.choices, "output": {**self.choices.get("output", {}), **outputs}}

    @property
    def message(self) -> str:
        """Why it has ended without a result, or an empty text."""
        path = self.folder / MESSAGE
        with contextlib.suppress(OSError, ValueError):
            if is_own(path):
                return path.read_text(encoding="utf-8")
        return str(self.content.get("message", ""))

    @property
    def stamp(self) -> float:
        """When it was made. It tells a run from a deleted one that had its number."""
        return float(self.content["created"])

    @property
    def seconds(self) -> float | None:
        """How long it took, or has taken so far."""
        if self.content.get("started") is None:
            return None
        return float(self.content.get("ended") or time.time()) - float(self.content["started"])

    def clear(self) -> None:
        """Delete all that it wrote, because it did not reach its end."""
        remove_leftovers(self.folder)
        for path in self.folder.iterdir():
            if path.is_symlink() or (path.name not in KEPT and not path.is_dir()):  # a link would be written through
                path.unlink(missing_ok=True)

    def end(self, state: str, message: str) -> None:
        """Note that it has ended without a result. If its folder was deleted meanwhile, there is nothing to note."""
        if self.folder.is_dir():
            self.clear()
            with atomic_output(self.folder / MESSAGE, private=True) as file:
                file.write(message.encode())
            self.change(state=state, ended=time.time())


@dataclass
class Runs:
    """The queue. One run is carried out at a time, because a run uses all processors."""

    workspace: Workspace
    crew: Crew
    most: int
    _waiting: deque[tuple[Run, str]] = field(default_factory=deque)
    _current: Run | None = None
    _work: asyncio.Task[None] | None = None
    _pending: asyncio.Event = field(default_factory=asyncio.Event)
    _leaving: set[str] = field(default_factory=set)  # projects that are being deleted
    _checks: dict[str, tuple[str, Task]] = field(default_factory=dict)  # of a project: its choices, and the task

    def recover(self) -> int:
        """Mark the runs that an earlier workbench left unfinished. Return how many there are."""
        count = 0
        self.workspace.finish_deleting()
        remove_leftovers(self.workspace.inputs)  # of uploads
        for project in self.workspace.projects():
            for folder in project.runs():
                if not (folder / "run.json").is_file():  # it ended before the run was written down
                    with contextlib.suppress(OSError):
                        folder.rmdir()
                    continue
                run = Run.load(project, folder)
                if run.state in OPEN:
                    _wait_until_left(folder)
                    run.end("interrupted", INTERRUPTED)  # it may have written files just before that was noted
                    count += 1
        return count

    def start(self) -> None:
        """Begin to carry out runs."""
        self._work = asyncio.ensure_future(self._carry_out_all())

    async def close(self) -> None:
        """End the current run. It and those that wait are interrupted."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
        for run in [*([self._current] if self._current else []), *(run for run, _ in self._waiting)]:
            if run.state in OPEN:
                run.end("interrupted", INTERRUPTED)
        for _, check in self._checks.values():
            check.work.cancel()

    def add(
        self,
        project: Project,
        tables: dict[str, Any],
        wanted: dict[str, Any],
        about: dict[str, Any],
        key: str = "",
        passphrase: str = "",
    ) -> Run:
        """Put a run into the queue.

        Parameters
        ----------
        project
            The project.
        tables
            The choices, as the tables of a draft.
        wanted
            What is to be written, as the table [output] of a problem file, with names of files in the run's folder.
        about
            What the list of runs shows before there are figures.
        key, passphrase
            The file of the key that signs the certificate, and its passphrase, which is never written down.
        """
        if project.name in self._leaving:
            raise InputError(f"Project {project.name} is being deleted.")
        if len(self._waiting) >= self.most:
            raise InputError(f"{self.most} runs are waiting already: wait until one has ended, or cancel one.")
        folder = project.new_run()
        run = Run(project, int(folder.name), {"tables": copy.deepcopy(tables), "wanted": wanted, "key": key})
        try:
            check_paths(run.tables, project)
        except InputError:
            folder.rmdir()
            raise
        run.change(state="queued", created=time.time(), about=about)
        here = with_paths(run.tables, lambda path: Path(os.path.relpath(path, run.path)).as_posix())
        with atomic_output(folder / "problem.toml", private=True) as file:
            file.write(problem_text(here).encode())
        self._waiting.append((run, passphrase))
        self._pending.set()
        return run

    def get(self, project: Project, number: int) -> Run:
        """Return a run, with its task while it is running."""
        if self._current is not None and (self._current.project.name, self._current.number) == (project.name, number):
            return self._current
        return Run.load(project, project.run(number))

    def of(self, project: Project) -> list[Run]:
        """List the runs of a project, the latest first."""
        return [self.get(project, int(one.name)) for one in project.runs() if (one / "run.json").is_file()]

    def ahead_of(self, run: Run) -> int:
        """Return how many runs come first."""
        places = [one.path for one, _ in self._waiting]
        return (places.index(run.path) if run.path in places else 0) + (self._current is not None)

    def cancel(self, run: Run) -> None:
        """Cancel a run that waits or goes on."""
        for entry in list(self._waiting):
            if entry[0].path == run.path:
                self._waiting.remove(entry)
                run.end("cancelled", "Cancelled before it began.")
        if self._current is not None and self._current.path == run.path:
            self._current.cancelling = True
            self.crew.cancel(run.key)

    def delete(self, run: Run) -> None:
        """Delete a run with all its files."""
        if run.state in OPEN:
            raise InputError(f"Run {run.number} has not ended: cancel it first.")
        delete_folder(run.folder)
        self.crew.drop(f"{run.path}/")  # another run may get its number

    async def delete_project(self, project: Project) -> None:
        """Cancel all runs of a project, wait until they have ended, and delete it."""
        self._leaving.add(project.name)
        try:
            for run in self.of(project):
                self.cancel(run)
            if (check := self._checks.pop(project.path, None)) is not None:
                check[1].work.cancel()
            while self._current is not None and self._current.project.name == project.name:
                await asyncio.sleep(0.02)
            self.crew.drop(f"{project.path}/")
            self.crew.forget(project.name)
            project.delete()
        finally:
            self._leaving.discard(project.name)

    async def _carry_out_all(self) -> None:
        """Carry out one run after another."""
        while True:
            while not self._waiting:
                self._pending.clear()
                await self._pending.wait()
            run, passphrase = self._waiting.popleft()
            self._current = run
            try:
                await self._carry_out(run, passphrase)
            except Exception as error:  # the next run must not wait for ever; its text could show data
                with contextlib.suppress(ShoalError, OSError):
                    run.end("failed", f"This is a bug in Shoal ({type(error).__name__}): nothing was published.")
            self._current = None

    async def _carry_out(self, run: Run, passphrase: str) -> None:
        """Carry out one run."""
        if not run.folder.is_dir():  # its project was deleted
            return
        run.change(state="running", started=time.time())
        run.task = self.crew.alone(
            run.key, "run.run", {"tables": run.tables, "folder": run.path, "passphrase": passphrase}
        )
        try:
            result = await run.task.work
            if run.folder.is_dir():
                run.change(state="done", ended=time.time(), **result)
        except TaskError as error:
            run.end("cancelled" if error.kind == "cancelled" else "failed", str(error))
        except asyncio.CancelledError:
            if self._work is not None and self._work.cancelling():  # the workbench ends
                self.crew.cancel(run.key)
                raise
            run.end("cancelled", "Cancelled: nothing was written.")
        finally:
            run.task = None

    def check(self, project: Project, tables: dict[str, Any], *, again: bool = False) -> Task:
        """Return the task that checks a job and estimates its time. It is carried out once for the same choices.

        ``again``: try once more what has failed.
        """
        key = f"{project.path}/check"
        choices = json.dumps([tables, self.workspace.versions(tables)], sort_keys=True)
        known = self._checks.get(project.path)
        if known is not None and known[0] == choices and not (again and known[1].failed):
            return known[1]
        if known is not None:
            known[1].work.cancel()
        task = self.crew.alone(key, "run.check", {"tables": tables})
        self._checks[project.path] = (choices, task)
        return task

    def end_check(self, project: Project) -> None:
        """End the check of a project, because its run begins. If it has found that the run cannot be, raise why."""
        known = self._checks.pop(project.path, None)
        if known is not None:
            if known[1].failed and not known[1].work.cancelled():
                known[1].result()
            known[1].work.cancel()


def _wait_until_left(folder: Path) -> None:
    """Wait until the worker of a workbench that was killed has left the folder of its run."""
    until = time.monotonic() + STOP
    while time.monotonic() < until:
        try:
            with exclusive_lock(folder, ""):
                return
        except OutputError:
            time.sleep(0.05)
