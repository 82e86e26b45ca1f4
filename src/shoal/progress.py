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
from typing import TYPE_CHECKING

from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.visible import visible

if TYPE_CHECKING:  # rich is loaded when there is something to show
    from rich.console import Console
    from rich.progress import TaskID, TextColumn


@contextmanager
def engine_with(
    *, progress: bool | Callable[[str, float], None] = False, workers: int = 0, engine: Engine | None = None
) -> Iterator[Engine]:
    """Yield the engine that a call runs on.

    Parameters
    ----------
    progress
        True draws bars. A function is called with the name of the stage and the share that is done.
    workers
        The number of threads. 0 means one for each processor.
    engine
        An engine of your own. It replaces the two other arguments.
    """
    if engine is not None:
        if workers or progress:
            raise OptionError("engine= brings its own workers= and progress=: leave them out.")
        yield engine
    elif progress is True:
        with bars() as show:
            yield Engine(workers=workers, progress=show)
    elif callable(progress):
        yield Engine(workers=workers, progress=progress)
    else:
        yield Engine(workers=workers)


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
