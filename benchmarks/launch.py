"""Run a command in a child process, and measure that child alone: CPU and wall seconds, peak memory, what it prints.

A launcher stands between the benchmark and the command: ``python -I -S benchmarks/launch.py FIGURES LIMIT WORD ..``. It
is needed because the peak memory of a process, as ``wait4`` tells it, is at least that of the process that started it.
The launcher takes some 10 MB, the benchmark may take hundreds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT = 7_200  # seconds after which a command is ended


@dataclass(frozen=True)
class Run:
    """What a command took and printed. ``error`` is empty if it succeeded."""

    cpu: float  # seconds, user and system, of all threads and of child processes that have ended
    wall: float
    peak_mb: float
    printed: str
    error: str


def run(words: Sequence[str], limit: int = LIMIT) -> Run:
    """Run a command to its end, or for ``limit`` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        launcher = [sys.executable, "-I", "-S", __file__, str(figures), str(limit)]
        done = subprocess.run([*launcher, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the launcher of {words[0]} failed: {done.stderr}")
        cpu, wall, peak, code = json.loads(figures.read_text(encoding="utf-8"))
    return Run(cpu, wall, peak / 1e6, done.stdout, _error(code, wall, limit, done.stderr))


def _error(code: int, wall: float, limit: int, told: str) -> str:
    """Say in one line why a command failed, or nothing."""
    if code == 0:
        return ""
    if code == -signal.SIGKILL and wall >= limit:
        return f"over {limit} s"
    lines = told.strip().splitlines()
    return lines[-1] if lines and code > 0 else f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def launch(figures: str, limit: int, words: list[str]) -> None:
    """Start a command, wait for it, and write what it took: CPU and wall seconds, peak memory in bytes, exit code."""
    start = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(limit)
    try:
        _, status, used = os.wait4(child, 0)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        raise
    wall = time.perf_counter() - start
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    code = os.waitstatus_to_exitcode(status)
    with open(figures, "w", encoding="utf-8") as file:
        json.dump([used.ru_utime + used.ru_stime, wall, peak, code], file)


if __name__ == "__main__":
    launch(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
