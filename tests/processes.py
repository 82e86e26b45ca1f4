"""Processes that tests start: without a terminal, with signals as a shell gives them, ended whatever happens.

Whoever runs the tests under ``nohup`` or in the background ignores SIGINT or SIGHUP, and so would the processes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LIMIT = 120.0  # seconds after which a test fails rather than hang
_SIGNALS = (
    "import signal\n"
    "for _name in ('SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGPIPE'):\n"
    "    signal.signal(getattr(signal, _name), signal.SIG_IGN if _name == 'SIGPIPE' else signal.SIG_DFL)\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
)


@contextlib.contextmanager
def signals_of_a_shell() -> Iterator[None]:
    """Signals in this process as a program has them that was started from a shell; afterwards as before."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    before = {
        number: signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def python(code: str, *words: str, cwd: Path, **env: str) -> Iterator[subprocess.Popen[str]]:
    """Python that runs the code; killed with all its children when the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SIGNALS + code, *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1", **env},
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Return when it has happened; the process must be running until then."""
    until = time.monotonic() + LIMIT
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)


SHELL = """
import sys
from shoal.cli import main
for line in sys.stdin:
    sys.argv = ["shoal", *line.split()]
    try:
        main()
    except SystemExit as done:
        print("exit", done.code or 0, flush=True)
"""  # runs the commands on its stdin in one process, and prints their exit codes
