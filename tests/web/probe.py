"""A worker with tasks for tests: ``python probe.py FOLDER MEMORY`` instead of ``python -m shoal.web.worker``."""

from __future__ import annotations

import os
import signal
import sys
import time
import types
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.web import worker
from shoal.web.worker import Session

SECRET = "Jane Doe, HIV"
FIGURES = {
    "promise": "It counts.",
    "model": {"name": "probe", "options": {}},
    "algorithm": {"title": "probe"},
    "loss": {"value": 0.0, "measure": "NCP"},
    "risk": {"before": {}, "after": {}},
    "reading": {},
    "input": {"sha256": "", "joined": []},
}


def add(session: Session, first: int, second: int) -> int:
    """Add two numbers, and note that this was done."""
    with Path("calls").open("a") as file:
        file.write("x")
    return first + second


def kept(session: Session) -> int:
    """Return how often this was asked for in this process."""
    session.kept["count"] = ("", int(session.kept.get("count", ("", 0))[1]) + 1)
    return int(session.kept["count"][1])


def number(session: Session) -> int:
    """Return the number of this process."""
    return os.getpid()


def nap(session: Session, seconds: float, ignore: bool = False) -> str:
    """Wait, and clean up when interrupted."""
    Path("began").write_text(str(os.getpid()))
    if ignore:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        session.progress("sleeping", 0.5)
        time.sleep(seconds)
    finally:
        Path("cleaned").touch()
    return "slept"


def die(session: Session, number: int) -> None:
    """End as a crash or the system would end it."""
    os.kill(os.getpid(), number)


def grow(session: Session, size: int) -> int:
    """Take memory."""
    return len(bytearray(size))


def refuse(session: Session) -> None:
    """Raise an error of the user."""
    raise InputError(f"line 3: {SECRET}")


def broken(session: Session) -> None:
    """Raise a bug whose text shows data, and print some."""
    sys.stdout.write(SECRET)
    sys.stderr.write(SECRET)
    raise KeyError(SECRET)


def huge(session: Session, size: int) -> str:
    """Return a long answer."""
    return "x" * size


def whoami(session: Session) -> dict[str, Any]:
    """Return what the process is."""
    import shoal

    return {
        "folder": os.getcwd(),
        "path": sys.path,
        "shoal": shoal.__file__,
        "score": Path("/proc/self/oom_score_adj").read_text(),
    }


def run(session: Session, tables: dict[str, Any], folder: str, passphrase: str = "") -> dict[str, Any]:
    """Stand for a run: the input file says what happens."""
    what, place = Path(tables["data"]["file"]).read_text(), Path(folder)
    (place / "release.csv").write_text(f"{what} {passphrase}")
    if what == "fail":
        refuse(session)
    if what == "die":
        die(session, signal.SIGKILL)
    if what == "wait":
        (place / ".shoal-1-00000000-x.part").write_text(SECRET)
        nap(session, 60)
    return {"outputs": ["release.csv"], "figures": {**FIGURES, "seed": tables.get("run", {}).get("seed", 0)}}


if __name__ == "__main__":
    tasks: Any = types.ModuleType("shoal.web.tasks.probe")
    for task in (add, kept, number, nap, die, grow, refuse, broken, huge, whoami):
        setattr(tasks, task.__name__, task)
    sys.modules["shoal.web.tasks.probe"] = tasks
    runs: Any = types.ModuleType("shoal.web.tasks.run")
    runs.run = run
    sys.modules["shoal.web.tasks.run"] = runs
    worker.main()
