"""``shoal init``: a problem file from what is found in the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import console
from shoal.cli.options import FILE, data_options, reading
from shoal.jobs.init import init as write_problem
from shoal.jobs.job import STDOUT


@click.command()
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    "path",
    type=FILE,
    default="problem.toml",
    show_default=True,
    help="The problem file to write; - for standard output.",
)
@click.option("--examples", is_flag=True, help="Also name common categories of columns. They come from the data.")
@data_options
def init(data: Path, path: Path, examples: bool, **given: Any) -> None:
    """Write a commented problem file for DATA, from what is found in it.

    It says how DATA is read, what each column is and why, a model that fits, and what to write. Read it, edit it, then
    run it: shoal run problem.toml.
    """
    if str(path) == STDOUT:
        click.echo(write_problem(data, examples=examples, **reading(given)), nl=False)
        return
    write_problem(data, path, examples=examples, **reading(given))
    console.say("Written: ", (str(path), "bold"), f". Read it, edit it, then: shoal run {path}")
