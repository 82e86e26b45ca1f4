"""``shoal init``: write a problem file for a data file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import console
from shoal.cli.help import OUTPUT, GroupedCommand, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, reading
from shoal.errors import OptionError
from shoal.jobs.init import init as write_problem
from shoal.jobs.job import STDOUT


@click.command(cls=GroupedCommand)
@click.argument("data", type=INPUT)
@option(
    "-o",
    "--output",
    "path",
    type=FILE,
    default="problem.toml",
    group=OUTPUT,
    help="The problem file to write; - for standard output.",
)
@option(
    "--examples",
    is_flag=True,
    group=OUTPUT,
    help="Add common categories of columns as comments. They come from the data.",
)
@data_options
@json_option
def init(data: Path, path: Path, examples: bool, as_json: bool, **given: Any) -> None:
    """Write a commented problem file for DATA.

    The file says how to read DATA, what each column is and why, which model fits, and what to write. Read it, edit it,
    then run it.

    \b
    shoal init orders.csv -o problem.toml
    shoal run problem.toml
    """
    if str(path) == STDOUT:
        if as_json:
            raise OptionError("--json and the problem file both go to standard output: name a file with -o.")
        click.echo(write_problem(data, examples=examples, **reading(given)), nl=False)
        return
    write_problem(data, path, examples=examples, **reading(given))
    sentence = f"Written: {path}. Read it, edit it, then: shoal run {path}"
    console.written("init", sentence, {"file": str(path)}, as_json=as_json)
