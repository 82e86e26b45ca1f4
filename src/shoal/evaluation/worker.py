"""A process that runs cases, each in a process of its own: ``python -m shoal.evaluation.worker``.

It loads once what cases need, and forks for every case, so that a case starts at once, its peak memory is its own, and
a crash ends nothing but the case. Where processes cannot fork, it ends after each case and another is started.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
from io import BufferedReader
from typing import IO, Any

import numpy as np

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import OptionError
from shoal.evaluation.grid import Case
from shoal.evaluation.run_case import run_case
from shoal.metrics.base import Measure
from shoal.models.base import PrivacyModel
from shoal.search import solver

_SIZE = struct.Struct("!Q")
_FORKS = hasattr(os, "fork")


class Worker:
    """The caller's side: sends cases one at a time, and waits for their rows."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def run(self, case: Case, limit: float) -> dict[str, Any]:
        """Return the row of a case. A case that exceeds the limit is killed."""
        process = self._started()
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._end(process)

        timer = threading.Timer(limit, expire)
        timer.start()
        try:
            row = _answer(process, case, self.threads)
        finally:
            timer.cancel()
        if row is not None:
            if not _FORKS:
                self._end(process)
            return row
        self._end(process)
        if expired.is_set():
            return {"status": "time limit", "error": f"over {limit:g} s"}
        return {"status": "error", "error": "the process ended without an answer"}

    def close(self) -> None:
        """End the running process for good."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            self._end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        """Return the process. Start one if there is none."""
        with self._lock:
            if self._closed:
                raise KeyboardInterrupt
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "shoal.evaluation.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for the one who waits; it ends the whole group
                    env={
                        **os.environ,
                        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),  # finds what we find
                        "OPENBLAS_NUM_THREADS": "1",  # no threads before a fork
                    },
                )
                assert self._process.stdout is not None
                self._process.stdout.readline()  # it is ready: loading does not count for the limit
            return self._process

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        """Kill the process and the case that it runs."""
        if _FORKS:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not read any more
                    pipe.close()


def _answer(process: subprocess.Popen[bytes], case: Case, threads: int) -> dict[str, Any] | None:
    """Return the answer of the process about a case, or None if it ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    request = pickle.dumps((case, threads))
    try:
        process.stdin.write(_SIZE.pack(len(request)) + request)
        process.stdin.flush()
        line = process.stdout.readline()
    except (BrokenPipeError, ValueError):
        return None
    if not line.endswith(b"\n"):
        return None
    row: dict[str, Any] = json.loads(line)
    return row


def _serve(requests: BufferedReader, answers: IO[bytes]) -> None:
    """Run case after case until the input ends."""
    _tell(answers, {})
    while size := requests.read(_SIZE.size):
        case, threads = pickle.loads(requests.read(_SIZE.unpack(size)[0]))
        if not _FORKS:
            _tell(answers, run_case(case, threads))
            return
        alive, held = os.pipe()  # closes when the child ends, however it does
        child = os.fork()
        if not child:
            os.close(alive)
            _tell(answers, run_case(case, threads))
            os._exit(0)
        os.close(held)
        ready, _, _ = select.select([requests.fileno(), alive], [], [])
        os.close(alive)
        if requests.fileno() in ready and not requests.peek(1):  # not the next case, but the end: who asked is gone
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code:
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
            _tell(answers, {"status": "error", "error": f"the process ended {how}"})


def _tell(answers: IO[bytes], row: dict[str, Any]) -> None:
    answers.write(json.dumps(row).encode() + b"\n")
    answers.flush()


def _preload() -> None:
    """Load once what every case needs: all methods, Arrow, and the solver if it is installed."""
    import pyarrow.compute

    for package, base in (("algorithms", Algorithm), ("models", PrivacyModel), ("metrics", Measure)):
        discovery.find(f"shoal.{package}", base)
    with contextlib.suppress(OptionError):
        solver.load()
    pyarrow.array(np.zeros(1))  # with its first array, Arrow also looks for pandas


def _main() -> None:
    """Reserve the output stream for rows. Anything else that is printed is discarded."""
    if _FORKS:
        _preload()
    answers = os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    with os.fdopen(os.dup(0), "rb") as requests:
        _serve(requests, answers)


if __name__ == "__main__":
    _main()
