"""The command line: thin, over the library. One module for each command or small family.

Exit codes: 0 done (or: the guarantee holds), 1 the guarantee is violated, 2 bad input or nothing can be done, 3
nothing was written, because the loss is above --max-loss or because of a bug in Shoal, 130 interrupted, 141 whoever
read the output went away.
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import signal
import sys
import traceback
import warnings
from collections import UserDict
from pathlib import Path
from typing import Any, NoReturn

import click

from shoal._version import __version__
from shoal.cli.console import fail, notes, reader_gone, warn
from shoal.cli.spelling import SpellingGroup
from shoal.errors import OutputError, ShoalError
from shoal.files.staging import record


class OnDemand(UserDict[str, Any]):
    """Commands by name, imported when asked for: ``module:attribute`` of this package, and the start of its help."""

    def __getitem__(self, name: str) -> click.Command:
        """Import the command."""
        module, attribute = self.data[name][0].split(":")
        command: click.Command = getattr(importlib.import_module(f"shoal.cli.{module}"), attribute)
        return command

    def short_help(self, name: str, limit: int) -> str:
        """What a list of commands says of one, in so many characters. Nothing is imported."""
        return click.Command(name, help=self.data[name][1]).get_short_help_str(limit)


COMMANDS = OnDemand(
    {
        "anonymize": ("anonymize:anonymize", "Anonymize DATA: search, apply, verify, and only then write."),
        "run": (
            "run:run",
            "Anonymize what the TOML file PROBLEM describes: data, roles of columns, hierarchies, model, algorithm, "
            "output.",
        ),
        "init": ("init:init", "Write a commented problem file for DATA, from what is found in it."),
        "verify": ("inspect:verify", "Check a guarantee on the published FILE alone."),
        "profile": (
            "inspect:profile",
            "Describe FILE: sizes, item frequencies, and how many records a few known items (and columns) pin down.",
        ),
        "measure": (
            "measure:measure",
            "Measure what PUBLISHED lost against ORIGINAL (same rows in the same order; any tool's files).",
        ),
        "compare": (
            "compare:compare",
            "Run WHAT: a grid in a TOML file, the name of one that comes with Shoal, or data files.",
        ),
        "recommend": (
            "recommend:command",
            "Recommend an algorithm for DATA: try all on a sample, confirm the best on all rows, and tell why.",
        ),
        "frontier": (
            "frontier:command",
            "Show what each choice of k and m costs on DATA: loss, items unchanged, and the risk that is left.",
        ),
        "workload": (
            "workload:workload",
            "Draw queries from DATA that count records, and save them: 'shoal measure --workload' asks them.",
        ),
        "explain": (
            "explain:explain",
            "Tell why each group in PUBLISHED is needed: a set that would be too rare in ORIGINAL if it were split.",
        ),
        "hierarchy": ("hierarchy:hierarchy", "Build, check, convert and show item hierarchies."),
        "generate": ("generate:generate", "Generate synthetic data."),
        "algorithms": (
            "catalogue:algorithms",
            "List the algorithms with the models they solve and their options.",
        ),
        "models": ("catalogue:models", "List the privacy models with their options."),
        "demo": (
            "demo:demo",
            "Generate supermarket baskets, show who could be singled out, anonymize, verify, measure, report.",
        ),
    }
)


class Commands(SpellingGroup):
    """Commands that end with 141 when their reader goes away. Click ends them with 1, which says "violated"."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, as click does, but import none."""
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names))
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS.short_help(name, limit)) for name in names])

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Prints the help, if that is asked for."""
        try:
            return super().make_context(*words, **more)
        except BrokenPipeError:
            reader_gone()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            reader_gone()


@click.group(
    cls=Commands,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="shoal")
def cli() -> None:
    """Anonymize data about people whose records are sets: baskets, diagnoses, clicks, queries.

    \b
    Start here:
      shoal demo                               watch a whole anonymization of generated baskets
      shoal profile baskets.dat                who could be singled out in the raw data
      shoal hierarchy build baskets.dat -o h.csv
      shoal anonymize baskets.dat -o out.dat --hierarchy h.csv --k 5 --m 2 --report report.html
      shoal verify out.dat --k 5 --m 2         the proof, on the published file alone
      shoal explain baskets.dat out.dat --hierarchy h.csv --k 5 --m 2
      shoal run problem.toml                   all of it from one file: data, roles of columns, model, algorithm
      shoal frontier baskets.dat               what each choice of k and m costs, to choose with open eyes
      shoal recommend baskets.dat --k 5 --m 2  which algorithm to take, tried on your data
      shoal compare baskets.dat -o lab --vary k=2,5,10       algorithms side by side, with charts
    """


def main() -> None:
    """The ``shoal`` command."""
    warnings.showwarning = lambda message, *_: warn(str(message))
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):  # clean up as on Ctrl-C; what nohup ignores stays so
        if (number := getattr(signal, name, None)) and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a label that the terminal cannot show is no reason to fail
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts its threads when loaded; our own do the work
    gc.set_threshold(50_000)  # while modules are loaded, the default looks for garbage hundreds of times in vain
    with record() as written:
        _run(written)


def _run(written: list[Path]) -> NoReturn:
    """Run the command; ``written``: the files that appeared so far, for whatever ends it."""
    try:
        code = cli(standalone_mode=False) or 0
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # it is, where it was closed
                stream.flush()
        sys.exit(code)
    except OutputError as error:
        fail(f"{error} {_there(written).capitalize()}." if written else str(error), error.exit_code)
    except ShoalError as error:
        notes(getattr(error, "__notes__", ()))  # that the job took before
        fail(str(error), error.exit_code)
    except click.ClickException as error:
        fail(f"{error.format_message().rstrip('.')}: see --help.", error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        fail(f"Interrupted: {_there(written)}.", 130)
    except MemoryError:
        fail(f"Out of memory: {_there(written)}; use a smaller m, fewer rows, or a machine with more memory.", 2)
    except BrokenPipeError:
        reader_gone()
    except Exception as error:  # the message may hold raw data: it is shown only when asked for
        if os.environ.get("SHOAL_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO) and error.filename is None:
            fail(f"The output cannot be shown: {error.strerror}; {_there(written)}.", 2)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        fail(
            f"A bug in Shoal: {type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}; "
            f"{_there(written)}. Please report it; SHOAL_DEBUG=1 shows the details, which may include your data.",
            3,
        )


def _there(written: list[Path]) -> str:
    """What is there now.

    >>> _there([]), _there([Path("out.dat"), Path("report.html")])
    ('nothing was written', 'these files were written before: out.dat, report.html')
    """
    return f"these files were written before: {', '.join(map(str, written))}" if written else "nothing was written"
