"""Output on the terminal: tables and results on stdout, progress and errors on stderr.

Labels come from the data and may hold control characters, so all text goes through :func:`_line`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import json
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

from shoal.cli import stages
from shoal.cli.spelling import as_options
from shoal.visible import visible, visible_json

if TYPE_CHECKING:  # rich is loaded when there is something to show
    from rich.console import Console
    from rich.text import Text

    from shoal.engines import Engine


def reader_gone() -> NoReturn:
    """Exit with 141, as a shell reports a program ended by SIGPIPE, because the reader of the output is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):  # it is closed, or none of the system's
            os.dup2(nowhere, stream.fileno())  # takes what is left in the buffer
    sys.exit(141)


_left_stdout = False  # stdout is for data
_quiet = False


def start() -> None:
    """Begin a command: reset --quiet, and send results to stdout."""
    global _left_stdout, _quiet  # noqa: PLW0603
    _left_stdout = _quiet = False


def leave_stdout() -> None:
    """Send results to stderr, because the data go to stdout."""
    global _left_stdout  # noqa: PLW0603
    _left_stdout = True


def be_quiet() -> None:
    """Show only errors and requested results: no notes, no progress, no lists of written files."""
    global _quiet  # noqa: PLW0603
    _quiet = True


def is_quiet() -> bool:
    """Return whether --quiet was given."""
    return _quiet


def terminal(*, stderr: bool = False) -> Console:
    """Return the console for results: stdout or stderr."""
    recording = _recording.get()
    return _terminal(stderr or _left_stdout) if recording is None else recording[stderr]


Piece = tuple[bool, str]  # whether it is for stderr, and the text
Looks = tuple[dict[str, Any], dict[str, Any]]  # of stdout and stderr
_recording: ContextVar[tuple[Console, Console] | None] = ContextVar("recording", default=None)


def looks() -> Looks:
    """Return what another process needs to know to write for the terminals here."""
    out, err = (
        {"width": one.width, "force_terminal": one.is_terminal, "color_system": one.color_system}
        for one in (terminal(), terminal(stderr=True))
    )
    return out, err


class _Recorder(io.StringIO):
    """Keeps what is written, with the stream that it is for."""

    def __init__(self, pieces: list[Piece], stderr: bool) -> None:
        super().__init__()
        self._pieces, self._stderr = pieces, stderr

    def write(self, text: str) -> int:
        self._pieces.append((self._stderr, text))
        return len(text)


@contextlib.contextmanager
def recorded(looks: Looks) -> Iterator[list[Piece]]:
    """Record what the block shows, as it would look elsewhere. :func:`replay` shows it there."""
    from rich.console import Console

    pieces: list[Piece] = []
    out, err = (
        Console(file=_Recorder(pieces, bool(stderr)), highlight=False, **look) for stderr, look in enumerate(looks)
    )
    token = _recording.set((out, err))
    try:
        yield pieces
    finally:
        _recording.reset(token)


def replay(pieces: Sequence[Piece]) -> None:
    """Show what was recorded elsewhere."""
    stages.end_line()
    for stderr, text in pieces:
        file = terminal(stderr=stderr).file
        file.write(as_options(text) if stderr else text)
        file.flush()


@functools.cache
def _terminal(stderr: bool) -> Console:
    """Return the console of a stream. Each stream has one."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            reader_gone()

    return Terminal(stderr=stderr, highlight=False)


def fail(message: str, code: int) -> NoReturn:
    """Print an error on stderr and exit."""
    complain(message)
    sys.exit(code)


def complain(message: str) -> None:
    """Print an error on stderr."""
    _to_stderr(("Error:", "bold red"), f" {as_options(message)}")


def warn(message: str, *, loud: bool = False) -> None:
    """Print a note on stderr, or with ``loud`` a warning."""
    if not _quiet:
        _to_stderr(("Warning:", "bold red") if loud else ("Note:", "yellow"), f" {as_options(message)}")


def _to_stderr(*parts: str | tuple[str, str]) -> None:
    """Print a line on stderr, after ending the line of an unfinished stage."""
    stages.end_line()
    terminal(stderr=True).print(_line(*parts), soft_wrap=True)


def notes(sentences: Sequence[str]) -> None:
    """Print the notes of a job."""
    for sentence in sentences:
        warn(sentence)


def log(message: str) -> None:
    """Print a line of progress on stderr."""
    if not _quiet:
        _to_stderr(message)


def say(*parts: str | tuple[str, str]) -> None:
    """Print a line of plain and styled texts on stdout: ``say(("Holds.", "bold green"), " 4 records")``."""
    terminal().print(_line(*parts), soft_wrap=True)


def paragraph(text: str, indent: int) -> None:
    """Print a text on stdout, in lines that fit the terminal."""
    for line in textwrap.wrap(visible(text), max(20, terminal().width - indent), break_on_hyphens=False):
        say(" " * indent + line)


def show_json(command: str, result: Mapping[str, Any]) -> None:
    """Print a result as JSON. Its first key names the schema in docs/reference/json."""
    file, value = terminal().file, {"schema": f"shoal/{command}/1", **result}
    file.write(visible_json(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)) + "\n")
    file.flush()


def written(command: str, sentence: str, result: Mapping[str, Any], *, as_json: bool) -> None:
    """Tell which files a command wrote: as JSON, in a sentence, or not at all if --quiet was given."""
    if as_json:
        show_json(command, result)
    elif not _quiet:
        say(sentence)


def table(title: str | None, columns: Sequence[str], rows: Sequence[Sequence[object]], right: int = 1) -> None:
    """Print a table. Columns from ``right`` on hold numbers."""
    from rich.table import Table

    if title:
        say((title, "bold"))
    widths = _widths([columns, *rows], terminal().width)
    if not widths and len(columns) > 2:
        _stacked(columns, rows)
        return
    grid = Table(header_style="bold", box=None, pad_edge=False)
    grid.show_header = any(columns)
    for at, name in enumerate(columns):
        width = widths[at] if widths else None
        grid.add_column(_line(name), justify="left" if at < right else "right", overflow="fold", width=width)
    for row in rows:
        grid.add_row(*(_line(str(cell)) for cell in row))
    terminal().print(grid)


def _widths(lines: Sequence[Sequence[object]], most: int) -> list[int]:
    """Return column widths that fit the terminal without breaking a word; empty if that is impossible.

    >>> lines = [["k", "loss of items"], [2, "0.227"]]
    >>> _widths(lines, 80), _widths(lines, 12), _widths(lines, 9)
    ([1, 13], [1, 7], [])
    """
    texts = [[visible(str(cell)) for cell in line] for line in lines]
    full = [[max(map(len, column)) for column in zip(*some, strict=True)] for some in (texts[1:] or texts, texts)]
    widths = [max(len(word) for text in column for word in [*text.split(), ""]) for column in zip(*texts, strict=True)]
    spare = most - sum(widths) - 2 * len(widths)
    for at, wanted in itertools.chain(*map(enumerate, full)):  # first the cells, then the titles of columns
        more = max(0, min(wanted - widths[at], spare))
        widths[at], spare = widths[at] + more, spare - more
    return [] if spare < 0 else widths


def _stacked(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table for a narrow terminal: each row as lines of a name and a value."""
    for row in rows:
        for at, (name, cell) in enumerate(zip(columns, row, strict=True)):
            if str(cell):
                paragraph(f"{name}: {cell}" if name else str(cell), indent=2 if at else 0)


def _line(*parts: str | tuple[str, str]) -> Text:
    """Return text on one line and without markup, whatever the labels in it hold."""
    from rich.text import Text

    texts = [(part, "") if isinstance(part, str) else part for part in parts]
    return Text.assemble(*((visible(text), style) for text, style in texts))


@contextlib.contextmanager
def engine(workers: int) -> Iterator[Engine]:
    """Yield an engine that shows progress on stderr: bars in a terminal, otherwise a line for each stage."""
    from shoal.progress import bars, engine_with

    if _quiet:
        with engine_with(workers=workers) as running:
            yield running
    elif not terminal(stderr=True).is_terminal:
        with (
            stages.lines(terminal(stderr=True).file) as progress,
            engine_with(workers=workers, progress=progress) as running,
        ):
            yield running
    else:
        with bars(terminal(stderr=True)) as show, engine_with(workers=workers, progress=show) as running:
            yield running
