"""Progress on stderr: bars in a terminal; elsewhere one line for each stage, with the seconds that it took."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from shoal.visible import visible

if TYPE_CHECKING:  # rich is loaded when there is something to show
    from rich.console import Console
    from rich.progress import TaskID, TextColumn

Progress = Callable[[str, float], None]
_open: list[IO[str]] = []  # where the line of a stage waits for its end


def end_line() -> None:
    """End the line of a stage that is not done, because something else is to be written."""
    if _open:
        _open.pop().write("\n")


@contextlib.contextmanager
def lines(stream: IO[str]) -> Iterator[Progress]:
    """Write a line such as ``verifying ... 0.2 s`` for each stage, once."""
    started: dict[str, float] = {}

    def end() -> None:
        if started:
            name, since = list(started.items())[-1]
            took = f"{time.perf_counter() - since:.1f} s\n"
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

    try:
        yield progress
    except BaseException:
        end_line()
        raise
    end()


@contextlib.contextmanager
def bars(console: Console) -> Iterator[Progress]:
    """Draw a bar for each stage, and remove them in the end."""
    from rich.progress import BarColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    drawn = Bars(stage_column(), BarColumn(), TimeElapsedColumn(), console=console, transient=True)
    stages: dict[str, TaskID] = {}

    def progress(stage: str, share: float) -> None:
        if stage not in stages:
            for task in stages.values():
                drawn.update(task, completed=1.0)
            stages[stage] = drawn.add_task(visible(stage), total=1.0)
        drawn.update(stages[stage], completed=share)

    with drawn:
        yield progress


def stage_column() -> TextColumn:
    """What a bar of progress is about."""
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)
