"""The command line: a thin layer over the library, with one module for each command or small family of commands.

Exit codes: 0 done (or: the guarantee holds), 1 the guarantee is violated, 2 wrong input or nothing can be done, 3
nothing was written because the loss is above --max-loss or because of a bug in Shoal, 130 interrupted, 141 the reader
of the output is gone. docs/reference/command-line.md has the table.
"""

from __future__ import annotations

import atexit
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
from shoal.cli import console
from shoal.cli.console import fail, notes, reader_gone, warn
from shoal.cli.help import quiet_option, write_sections
from shoal.cli.spelling import SpellingGroup
from shoal.errors import OutputError, ShoalError
from shoal.files.staging import record


class OnDemand(UserDict[str, Any]):
    """Maps each command to ``module:attribute`` of this package and its summary. A command is imported on first use."""

    def __getitem__(self, name: str) -> click.Command:
        """Import the command."""
        module, attribute = self.data[name][0].split(":")
        command: click.Command = getattr(importlib.import_module(f"shoal.cli.{module}"), attribute)
        return command

    def short_help(self, name: str, limit: int) -> str:
        """Return the summary, shortened to ``limit`` characters, without importing the command."""
        return click.Command(name, help=self.data[name][1]).get_short_help_str(limit)


COMMANDS = OnDemand(
    {
        "anonymize": ("anonymize:anonymize", "Anonymize DATA, verify the result, and only then write it."),
        "run": ("run:run", "Anonymize the data that the TOML file PROBLEM describes."),
        "apply": ("apply:apply", "Do to DATA what RECODING did to an earlier release."),
        "series": ("series:series", "Publish again and again, and check it all together."),
        "init": ("init:init", "Write a commented problem file for DATA."),
        "serve": ("serve:serve", "Open the workbench: anonymize in the browser."),
        "verify": ("verify:verify", "Check whether the published FILE keeps a guarantee."),
        "check-proof": ("check_proof:command", "Check the PROOF that no other release of DATA loses less."),
        "profile": (
            "profile:profile",
            "Show what FILE holds, and how many records are unique.",
        ),
        "risk": ("risk:risk", "Show what an attacker could find or learn in FILE."),
        "keys": ("keys:keys", "Make and show the keys that sign certificates."),
        "measure": ("measure:measure", "Measure how much PUBLISHED lost against ORIGINAL."),
        "compare": ("compare:compare", "Compare algorithms on data files, or run an experiment."),
        "recommend": ("recommend:command", "Recommend an algorithm for DATA."),
        "frontier": ("frontier:command", "Show how much each choice of k and m costs on DATA."),
        "workload": ("workload:workload", "Draw queries from DATA, to compare releases by them."),
        "explain": ("explain:explain", "Explain why each group in PUBLISHED is needed."),
        "hierarchy": ("hierarchy:hierarchy", "Build, check, convert and show hierarchies of items."),
        "generate": ("generate:generate", "Generate synthetic data."),
        "algorithms": ("catalogue:algorithms", "List the algorithms, their models and their options."),
        "models": ("catalogue:models", "List the privacy models and their options."),
        "completion": ("completion:completion", "Print the script that completes commands in your shell."),
        "demo": ("demo:demo", "Show a whole anonymization of generated baskets."),
    }
)
SECTIONS = {  # in which the help lists the commands
    "Anonymize": ("demo", "serve", "init", "anonymize", "apply", "series", "run"),
    "Check": ("verify", "risk", "check-proof", "keys"),
    "Prepare": ("profile", "hierarchy", "frontier", "recommend"),
    "Evaluate": ("measure", "explain", "workload", "compare"),
}


class Commands(SpellingGroup):
    """Commands that end with 141 when their reader goes away. Click ends them with 1, which says "violated"."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in sections, and import none."""
        names = self.list_commands(ctx)
        listed = {name for section in SECTIONS.values() for name in section}
        sections = {**SECTIONS, "More": tuple(name for name in names if name not in listed)}
        limit = formatter.width - 6 - max(map(len, names))
        rows = {name: (name, COMMANDS.short_help(name, limit)) for name in names}
        write_sections(formatter, {title: [rows[one] for one in of if one in rows] for title, of in sections.items()})

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Print the help, if the user asked for it."""
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


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Print the version of Shoal, or with ``--verbose`` the versions of everything."""
    if value and not ctx.resilient_parsing:
        click.echo(f"shoal, version {__version__}")
        if "--verbose" in sys.argv:
            from shoal.cli import environment

            click.echo(environment.describe())
        ctx.exit()


@click.group(
    cls=Commands,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    params=[quiet_option()],
    epilog="Exit codes: 0 done or the guarantee holds; 1 the guarantee is violated; 2 wrong input; 3 nothing was "
    "written (loss above --max-loss, or a bug); 130 interrupted; 141 the reader of the output is gone.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.option("--verbose", is_flag=True, expose_value=False, help="With --version: also show what a bug report needs.")
def cli() -> None:
    """Anonymize data about people whose records are sets: baskets, diagnoses, clicks, queries.

    \b
    shoal demo                                            a first look
    shoal profile baskets.dat                             how many people an attacker could single out
    shoal hierarchy build baskets.dat -o products.csv     a hierarchy, if you have none
    shoal anonymize baskets.dat -o out.dat --hierarchy products.csv --k 5 --m 2 --report report.html
    shoal verify out.dat --k 5 --m 2                      check the guarantee on the published file
    """


def main() -> None:
    """The ``shoal`` command."""
    console.start()
    warnings.showwarning = lambda message, *_: warn(str(message))
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):  # clean up as on Ctrl-C; what nohup ignores stays so
        if (number := getattr(signal, name, None)) and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a label that the terminal cannot show is no reason to fail
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts its threads when loaded; our own do the work
    gc.set_threshold(50_000)  # while modules are loaded, the default looks for garbage hundreds of times in vain
    atexit.register(_ignore_interrupts)
    with record() as written:
        _run(written)


def _ignore_interrupts() -> None:
    """Let Ctrl-C change nothing any more: the command has ended, and only Python shuts down."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(written: list[Path]) -> NoReturn:
    """Run the command. ``written`` collects the files written so far, so that an error can name them."""
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
        if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2: a group without a command shows its help
            click.echo(error.format_message(), err=True)
            sys.exit(error.exit_code)
        message = " ".join(error.format_message().split()).rstrip(".")  # click lists choices in lines
        fail(f"{message}{' See' if message.endswith('?') else ': see'} --help.", error.exit_code)
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
    """Say which files were written.

    >>> _there([]), _there([Path("out.dat"), Path("report.html")])
    ('nothing was written', 'these files were written before: out.dat, report.html')
    """
    return f"these files were written before: {', '.join(map(str, written))}" if written else "nothing was written"
