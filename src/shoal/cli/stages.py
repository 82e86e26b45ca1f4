"""Progress where there is no terminal: one line for each stage, with its seconds."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import IO

from shoal.visible import visible

Progress = Callable[[str, float], None]
_open: list[IO[str]] = []  # where the line of a stage waits for its end


def end_line() -> None:
    """End the line of a stage that is not done, because something else is to be written."""
    if _open:
        _open.pop().write("\n")


@contextlib.contextmanager
def lines(stream: IO[str]) -> Iterator[Progress]:
    """Write a line such as ``verifying ... 0.2 s`` for each stage, once. A stage over many rows tells its speed."""
    started: dict[str, float] = {}
    rows: dict[str, int] = {}

    def end() -> None:
        if started:
            name, since = list(started.items())[-1]
            from shoal.progress import rows_per_second  # not at the top, as it loads numpy

            seconds = time.perf_counter() - since
            speed = rows_per_second(rows.get(name, 0), seconds)
            took = f"{seconds:.1f} s{speed and f' ({speed})'}\n"
            stream.write(f" {took}" if _open else f"{visible(name)}: {took}")
            _open.clear()
            stream.flush()

    def progress(stage: str, share: float) -> None:
        if stage not in started:
            end()
            started[stage] = time.perf_counter()
            stream.write(f"{visible(stage)} ...")
            stream.flush()
            _open[:] = [stream]

    progress.rows = rows.setdefault  # type: ignore[attr-defined]
    try:
        yield progress
    except BaseException:
        end_line()
        raise
    end()
