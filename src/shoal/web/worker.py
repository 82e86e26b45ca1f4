"""A worker: a process that reads data and computes for the workbench, so that its pages never wait and never crash.

It gets calls on standard input and answers on standard output, one JSON document a line::

    {"call": "data.inspect", "arguments": {"file": "inputs/baskets.csv"}}
    {"progress": ["reading", 0.5]}
    {"result": {...}}    or    {"error": {"kind": "input", "message": "..."}}

The call ``data.inspect`` is the function ``inspect`` of :mod:`shoal.web.tasks.data`. When standard input ends, because
the user cancels or the server is gone, the worker interrupts what it does, as Ctrl-C would, and ends.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from shoal.errors import ShoalError
from shoal.web.words import bug, in_page

EVERY = 0.1  # seconds between two messages about progress
LOADED = ("shoal.jobs.anonymize", "shoal.jobs.job")  # before the first call
RESET = "reset"  # the call after which another project may use the process
GRACE = 5.0  # seconds that an interrupted task has to clean up
Arguments = dict[str, Any]


@dataclass
class Session:
    """What a worker keeps between calls: the data that it has read, and results that are asked for again."""

    memory: int = 0  # bytes for data; 0: half of what the machine has
    progress: Callable[[str, float], None] = lambda stage, share: None
    kept: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def keep(self, what: str, key: Any, make: Callable[[], Any]) -> Any:
        """Return the kept value, or make it anew if its key has changed."""
        text = _text(key)
        if what not in self.kept or self.kept[what][0] != text:
            self.kept.pop(what, None)
            self.kept[what] = (text, make())
        return self.kept[what][1]

    def rename(self, what: str, key: Any) -> None:
        """Give the kept value another key, by which it is asked for from now on."""
        self.kept[what] = (_text(key), self.kept[what][1])


def _text(key: Any) -> str:
    """Return a key as text."""
    return json.dumps(key, sort_keys=True, default=str)


def file_key(*paths: str | Path) -> list[Any]:
    """Return what changes when one of the files changes."""
    found = [(str(path), os.stat(path)) for path in paths if os.path.exists(path)]
    return [(name, about.st_mtime_ns, about.st_size) for name, about in found]


def main(*modules: str) -> None:
    """Load modules, and answer calls until standard input ends."""
    for name in modules:
        importlib.import_module(name)
    folder, memory = sys.argv[1], int(sys.argv[2])
    os.chdir(folder)  # paths of a workspace are relative, and so are those in messages
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints does not mix with answers
    _limit(memory)
    calls: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(calls,), daemon=True).start()
    session = Session(memory=memory // 2)
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT may be ignored, as under nohup
        signal.signal(number, signal.default_int_handler)
    while True:
        try:
            _answer(session, json.loads(calls.get()), answers)
        except KeyboardInterrupt:
            return


def _limit(memory: int) -> None:
    """Limit the memory of this process, where the system can."""
    with contextlib.suppress(OSError):  # where memory is short, Linux ends this process, not the server or the desktop
        Path("/proc/self/oom_score_adj").write_text("800", encoding="ascii")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold raw data


def _listen(calls: queue.Queue[str]) -> None:
    """Take calls. At the end of input, interrupt the main thread, and end the process if it does not react."""
    for line in sys.stdin:
        calls.put(line)
    for _ in range(int(GRACE)):  # a search ends at the first one with what it has found, and its job goes on
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    os._exit(1)


def _answer(session: Session, call: dict[str, Any], answers: IO[str]) -> None:
    """Carry out a call, and write its result or its error."""
    told: dict[str, float] = {}  # when each stage was told last

    def tell(stage: str, share: float) -> None:
        now = time.monotonic()
        if now - told.get(stage, 0) >= EVERY:
            told[stage] = now
            _write(answers, {"progress": [stage, round(share, 4)]})

    session.progress = tell
    try:
        if call["call"] == RESET:
            session.kept.clear()
            _write(answers, {"result": None})
            return
        module, _, function = call["call"].partition(".")
        task = getattr(importlib.import_module(f"shoal.web.tasks.{module}"), function)
        _write(answers, {"result": task(session, **call["arguments"])})
    except KeyboardInterrupt:
        _write(answers, {"error": {"kind": "cancelled", "message": "Cancelled: nothing was written."}})
        raise
    except ShoalError as error:
        _write(answers, {"error": {"kind": "input", "message": in_page(str(error))}})
    except MemoryError:
        message = "The memory limit of the workbench was reached: start it with a larger --memory, or use less data."
        _write(answers, {"error": {"kind": "memory", "message": message}})
    except Exception as error:  # its text could show data
        _write(answers, {"error": {"kind": "bug", "message": bug(error)}})


def _write(answers: IO[str], message: dict[str, Any]) -> None:
    """Write one line. If nobody reads any more, the task ends."""
    try:
        answers.write(json.dumps(message, allow_nan=False) + "\n")
        answers.flush()
    except BrokenPipeError:
        raise KeyboardInterrupt from None


if __name__ == "__main__":
    main(*LOADED)
