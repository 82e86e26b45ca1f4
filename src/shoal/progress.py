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
    from rich.progress import Progress, TaskID, TextColumn


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
        if not isinstance(engine, Engine):
            raise OptionError(
                f"engine= must be a shoal.engines.Engine, or for anonymize and run a distributed.Client, got "
                f"{engine!r}. For a Dask cluster on this machine: client = distributed.Client(), then engine=client."
            )
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
        if not str(work_dir):
            raise OptionError("work_dir= must name a folder, got an empty text.")
        folder = Path(work_dir)
        open_scratch(folder).close()
        engine = replace(engine, work_dir=folder)
    return engine


@contextmanager
def bars(console: Console | None = None) -> Iterator[Callable[[str, float], None]]:
    """Draw a bar for each stage, and yield the function that moves them. They are gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn, TimeRemainingColumn

    console = console or Console(stderr=True)
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn(), speed_column())
    with Progress(stage_column(), *columns, console=console, transient=True) as shown:
        yield Bars(shown)


class Bars:
    """The bars of a run. Call it with the name of the stage and the share that is done."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._stage = ""
        self._stages: dict[str, TaskID] = {}
        self._rows: dict[str, int] = {}

    def __call__(self, stage: str, share: float) -> None:
        """Move the bar of a stage. The bar of a stage that comes again begins anew."""
        if stage != self._stage:
            for task in self._stages.values():
                self._shown.update(task, completed=1.0)
            if stage in self._stages:
                self._shown.reset(self._stages[stage], speed="")
            else:
                self._stages[stage] = self._shown.add_task(visible(stage), total=1.0, speed="")
            self._stage = stage
        task = self._stages[stage]
        seconds = next((one.elapsed for one in self._shown.tasks if one.id == task), None)
        speed = rows_per_second(self._rows.get(stage, 0) * share, seconds or 0.0)
        self._shown.update(task, completed=share, speed=speed)

    def rows(self, stage: str, rows: int) -> None:
        """Take the number of rows that a stage goes over, to show how many it does in a second."""
        self._rows.setdefault(stage, rows)


def rows_per_second(rows: float, seconds: float) -> str:
    """Return a speed in words; empty if it is not known.

    >>> rows_per_second(3_000_000, 2.0), rows_per_second(0, 2.0)
    ('1,500,000 rows/s', '')
    """
    return f"{rows / seconds:,.0f} rows/s" if rows and seconds > 0 else ""


def speed_column() -> TextColumn:
    """Return the column of a bar with the rows that are done in a second."""
    from rich.progress import TextColumn

    return TextColumn("{task.fields[speed]}", markup=False)


def stage_column() -> TextColumn:
    """Return the column of a bar that names its stage."""
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)
