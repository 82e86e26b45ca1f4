"""``shoal run``: anonymize as a problem file describes."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli import dry_run as trial
from shoal.cli.anonymize import carry_out
from shoal.cli.help import GroupedCommand, engine_options, json_option
from shoal.cli.options import INPUT
from shoal.jobs import problem_file


@click.command(cls=GroupedCommand)
@click.argument("problem", type=INPUT)
@trial.dry_run_option
@engine_options
@json_option
def run(problem: Path, workers: int, dry_run: bool, as_json: bool) -> None:
    """Anonymize the data that the TOML file PROBLEM describes.

    The file names the data, the roles of its columns, the hierarchies, the model, the algorithm and the output.
    'shoal init DATA' writes a first version of it.
    """
    carry_out(problem_file.load(problem), workers, trial=dry_run, as_json=as_json, command="run")
