"""What the terminal shows: tables and results on stdout, progress and errors on stderr."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from shoal.engines import Engine

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def fail(message: str, code: int) -> NoReturn:
    """One sentence on stderr, and out."""
    complain(message)
    sys.exit(code)


def complain(message: str) -> None:
    """What is wrong, on stderr."""
    err.print(f"[bold red]Error:[/] {escape(message)}", soft_wrap=True)


def warn(message: str, *, loud: bool = False) -> None:
    """A remark on stderr; loud: a warning that nobody should miss."""
    mark = "[bold red]Warning:[/]" if loud else "[yellow]Note:[/]"
    err.print(f"{mark} {escape(message)}", soft_wrap=True)


def log(message: str) -> None:
    """A line of progress on stderr."""
    err.print(message, markup=False, soft_wrap=True)


def say(text: str) -> None:
    """A line of markup on stdout."""
    out.print(text, soft_wrap=True)


def show_json(value: Any) -> None:
    """Machine-readable output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def table(title: str | None, columns: Sequence[str], rows: Sequence[Sequence[object]], right: int = 1) -> None:
    """A table; columns from ``right`` on are numbers."""
    if title:
        say(f"[bold]{escape(title)}[/]")
    grid = Table(header_style="bold", box=None, pad_edge=False)
    grid.show_header = any(columns)
    for at, name in enumerate(columns):
        grid.add_column(name, justify="left" if at < right else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(escape(str(cell)) for cell in row))
    out.print(grid)


@contextlib.contextmanager
def engine(workers: int) -> Iterator[Engine]:
    """An engine whose progress is drawn on stderr, where that is a terminal."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    stages: dict[str, TaskID] = {}

    def progress(stage: str, share: float) -> None:
        if stage not in stages:
            for task in stages.values():
                bars.update(task, completed=1.0)
            stages[stage] = bars.add_task(stage, total=1.0)
        bars.update(stages[stage], completed=share)

    with bars:
        yield Engine(workers=workers, progress=progress)
