"""Progress where there is no terminal: a line for each stage, with its seconds."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import IO

from shoal.visible import visible

WORTH_A_LINE = 1.0  # seconds of a stage that has had its line before
_running: list[Lines] = []  # at most one


class Lines:
    """Writes the lines. Call it with the name of the stage and the share that is done.

    A stage may come again, for instance if a search counts twice. What it takes then is added up, and gets another line
    when it has taken a second.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._stage = ""
        self._since = 0.0
        self._told: set[str] = set()
        self._open = False  # whether the line of the stage waits for its end
        self._closed = False
        self._untold: defaultdict[str, float] = defaultdict(float)
        self._rows: dict[str, int] = {}

    def __call__(self, stage: str, share: float) -> None:
        """Begin a stage, unless it is the current one or nothing is to be written any more."""
        if stage == self._stage or self._closed:
            return
        self.end()
        self._stage, self._since = stage, time.perf_counter()
        if stage not in self._told:
            self._told.add(stage)
            self._write(f"{visible(stage)} ...")
            self._open = True

    def rows(self, stage: str, rows: int) -> None:
        """Take the number of rows that a stage goes over, to tell how many it does in a second."""
        self._rows.setdefault(stage, rows)

    def end(self) -> None:
        """End the stage, and its line."""
        stage, self._stage = self._stage, ""
        seconds = time.perf_counter() - self._since
        if self._open:
            from shoal.progress import rows_per_second  # not at the top, as it loads numpy

            speed = rows_per_second(self._rows.get(stage, 0), seconds)
            self._write(f" {seconds:.1f} s{speed and f' ({speed})'}\n")
            self._open = False
        elif stage:
            self._untold[stage] += seconds
            if self._untold[stage] >= WORTH_A_LINE:
                self._write(f"{visible(stage)} again: {self._untold.pop(stage):.1f} s\n")

    def close(self) -> None:
        """Write nothing any more. If the work has failed, end the line without a time."""
        self._closed = True
        if self._open:
            self._write("\n")
            self._open = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def end_line() -> None:
    """End the line of the current stage, because something else is to be written."""
    for lines_ in _running:
        lines_.end()


@contextlib.contextmanager
def lines(stream: IO[str]) -> Iterator[Lines]:
    """Write a line such as ``verifying ... 0.2 s`` for each stage. A stage over many rows tells its speed."""
    progress = Lines(stream)
    _running[:] = [progress]
    try:
        yield progress
        progress.end()
    finally:
        progress.close()
        _running.clear()
