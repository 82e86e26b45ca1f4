"""Progress bars for scripts and notebooks.

The library shows nothing by default. ``progress=True`` draws a bar for each stage, on standard error in a script and
below the cell in a notebook.

>>> from shoal.engines import Engine
>>> with engine_with(progress=False, workers=1) as engine:
...     engine.threads
1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines import Engine, current, open_scratch
from shoal.errors import OptionError
from shoal.files import bytes_of
from shoal.visible import visible

if TYPE_CHECKING:  # rich is loaded when there is something to show
    from rich.console import Console
    from rich.progress import TaskID, TextColumn


LEAST_MEMORY = 16_000_000  # bytes: less would only make everything slow


@contextmanager
def engine_with(
    *,
    progress: bool | Callable[[str, float], None] = False,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    engine: Engine | None = None,
) -> Iterator[Engine]:
    """Yield the engine that a call runs on. It is in use inside the block.

    Parameters
    ----------
    progress
        True draws bars. A function is called with the name of the stage and the share that is done.
    workers
        The number of threads. 0 means one for each processor.
    memory
        The memory for data: a number of bytes, or a text such as ``"2G"``. None: as the engine in use, or half of what
        the machine has.
    work_dir
        The folder for data that do not fit into memory. None: the system's temporary folder.
    engine
        An engine of your own. It replaces all other arguments.
    """
    if engine is not None:
        if workers or progress or memory is not None or work_dir is not None:
            raise OptionError("engine= brings its own workers=, memory=, work_dir= and progress=: leave them out.")
        with engine.in_use():
            yield engine
        return
    own = sized_engine(replace(current(), workers=workers), memory, work_dir)
    if progress is True:
        with bars() as show, replace(own, progress=show).in_use() as running:
            yield running
    else:
        with (replace(own, progress=progress) if callable(progress) else own).in_use() as running:
            yield running


def sized_engine(engine: Engine, memory: int | str | None, work_dir: str | Path | None) -> Engine:
    """Return an engine with this memory and work folder. Raise an error if it cannot use them."""
    if memory is not None:
        size = bytes_of(memory, "memory")
        if size < LEAST_MEMORY:
            raise OptionError(f"memory= must be at least {LEAST_MEMORY // 10**6}M, got '{memory}'.")
        engine = replace(engine, memory=size)
    if work_dir is not None:
        folder = Path(work_dir)
        open_scratch(folder).close()
        engine = replace(engine, work_dir=folder)
    return engine


@contextmanager
def bars(console: Console | None = None) -> Iterator[Callable[[str, float], None]]:
    """Draw a bar for each stage, and yield the function that moves them. They are gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn

    console = console or Console(stderr=True)
    shown = Progress(stage_column(), BarColumn(), TimeElapsedColumn(), console=console, transient=True)
    stages: dict[str, TaskID] = {}

    def progress(stage: str, share: float) -> None:
        if stage not in stages:
            for task in stages.values():
                shown.update(task, completed=1.0)
            stages[stage] = shown.add_task(visible(stage), total=1.0)
        shown.update(stages[stage], completed=share)

    with shown:
        yield progress


def stage_column() -> TextColumn:
    """Return the column of a bar that names its stage."""
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)
