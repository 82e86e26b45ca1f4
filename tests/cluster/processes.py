"""A Dask scheduler and workers as real processes, and releases that are made on them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIMIT = 60.0


@dataclass
class Processes:
    """A scheduler, and workers that a nanny starts again if they are killed."""

    folder: Path
    words: Sequence[str] = ()  # options of all workers
    nanny: bool = True
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""

    def start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"{len(self.started)}.log", "wb")  # noqa: SIM115
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        log.close()
        self.started.append(process)
        return process

    def scheduler(self, *words: str) -> None:
        file = self.folder / "scheduler.json"
        self.start(
            "dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(file),
            *words,
        )
        import json

        until(lambda: file.exists() and file.read_text() != "")
        self.address = json.loads(file.read_text())["address"]

    def workers(self, number: int, *words: str) -> None:
        nanny = "--nanny" if self.nanny else "--no-nanny"
        for _ in range(number):
            self.start("dask_worker", self.address, "--nthreads", "1", nanny, "--no-dashboard", *self.words, *words)

    def stop(self) -> None:
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @property
    def logs(self) -> str:
        return "".join(file.read_text(errors="replace") for file in self.folder.glob("*.log"))


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2, *words: str, nanny: bool = True) -> Iterator[Processes]:
    processes = Processes(folder, words, nanny)
    try:
        processes.scheduler()
        processes.workers(workers)
        yield processes
    finally:
        processes.stop()


def until(done: Callable[[], Any], limit: float = LIMIT) -> None:
    """Wait until something is so."""
    end = time.monotonic() + limit
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def split(lines: Sequence[str], parts: int, folder: Path, suffix: str, head: Sequence[str] = ()) -> Path:
    """Write lines as files of a folder, each with the same first lines."""
    folder.mkdir()
    for at in range(parts):
        some = lines[at * len(lines) // parts : (at + 1) * len(lines) // parts]
        (folder / f"part-{at}{suffix}").write_text("".join(f"{line}\n" for line in (*head, *some)), encoding="utf-8")
    return folder
