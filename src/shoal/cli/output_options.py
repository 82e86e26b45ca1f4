"""Options of the commands that write a release: the published data, reports, certificate and code book."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from shoal.cli.help import OUTPUT, Command, option
from shoal.cli.keys import signing_options
from shoal.cli.options import FILE, OUTPUT_PATH, is_folder
from shoal.errors import OptionError
from shoal.io import LAYOUTS

REPORTED = ("reports", "public_reports", "threshold", "context", "max_loss", "explanations")  # fields of a job
FIELDS = (
    *REPORTED,
    "output",
    "certificate",
    "key",
    "output_format",
    "output_layout",
    "output_parts",
    "persons_out",
    "recoding",
    "escape_formulas",
)
REPORTS = (  # what a release tells of itself, and the loss that it may have
    option(
        "--report",
        "reports",
        multiple=True,
        type=FILE,
        group=OUTPUT,
        help="Also write the internal report: .html, .json or .md. Repeatable. Do not publish it.",
    ),
    option(
        "--public-report",
        "public_reports",
        multiple=True,
        type=FILE,
        group=OUTPUT,
        help="Also write the public report: .html, .json or .md. Repeatable. It may be published.",
    ),
    option(
        "--threshold",
        multiple=True,
        metavar="X|NAME",
        group=OUTPUT,
        help="A risk that reports compare with, such as 0.05 or ema. Repeatable.",
    ),
    option(
        "--context",
        type=FILE,
        group=OUTPUT,
        rare=True,
        help="A TOML file with what only people know about the release, for reports.",
    ),
    option(
        "--max-loss",
        type=float,
        group=OUTPUT,
        help="Write nothing (exit code 3) if the loss is above X, from 0 to 1.",
    ),
    option(
        "--explanations/--no-explanations",
        default=True,
        group=OUTPUT,
        rare=True,
        help="Whether reports name the rare sets of the original data that forced each group.",
    ),
)
OPTIONS = (
    option(
        "-o",
        "--output",
        required=True,
        type=OUTPUT_PATH,
        group=OUTPUT,
        help="The file to write. A name that ends in / is a folder of parts; - is standard output.",
    ),
    *REPORTS,
    signing_options,
    option(
        "--codebook",
        type=FILE,
        group=OUTPUT,
        rare=True,
        help="The file that says what each label represents: .csv or .json. Default: NAME.codebook.csv next to the "
        "output, if groups of siblings are published.",
    ),
    option("--no-codebook", is_flag=True, group=OUTPUT, rare=True, help="Write no code book."),
    option(
        "--output-format",
        metavar="NAME",
        group=OUTPUT,
        rare=True,
        help="The format to write. Default: by the name of the output, or that of the input.",
    ),
    option(
        "--output-layout",
        type=click.Choice(LAYOUTS),
        group=OUTPUT,
        rare=True,
        help="One row for each record (wide) or for each item (long). Default: that of the input.",
    ),
    option(
        "--output-parts",
        type=click.IntRange(min=1),
        metavar="N",
        group=OUTPUT,
        rare=True,
        help="Write a folder of N files. Default for an output that ends in /: one for every million records.",
    ),
    option(
        "--persons-out",
        type=FILE,
        group=OUTPUT,
        rare=True,
        help="With --person: write the person of each published record, for 'shoal verify --persons'. Do not publish "
        "it.",
    ),
    option(
        "--recoding",
        type=FILE,
        group=OUTPUT,
        help="Also write what was done to the items, for 'shoal apply' on other data. Do not publish it.",
    ),
    option(
        "--escape-formulas",
        is_flag=True,
        group=OUTPUT,
        rare=True,
        help="CSV: write a quote before cells that a spreadsheet would run as a formula (=, +, -, @).",
    ),
)


def output_options(command: Command) -> Command:
    """What to write, and how."""
    return _declared(command, OPTIONS)


def report_options(command: Command) -> Command:
    """What to report, for commands that choose the other files themselves."""
    return _declared(command, REPORTS)


def reported(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options about reports out of a command's arguments, as fields of a job."""
    return {name: given.pop(name) for name in REPORTED}


def _declared(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for add in reversed(options):
        command = add(command)
    return command


def outputs(given: dict[str, Any]) -> dict[str, Any]:
    """Take the output options out of a command's arguments, as fields of a job."""
    book, none = given.pop("codebook"), given.pop("no_codebook")
    if book is not None and none:
        raise OptionError("--codebook and --no-codebook contradict each other: leave one out.")
    found = {name: given.pop(name) for name in FIELDS}
    if found["output_parts"] is None and is_folder():
        found["output_parts"] = 0
    return {**found, "codebook": False if none else book}
