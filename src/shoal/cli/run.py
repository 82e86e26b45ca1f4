"""``shoal run``: anonymize as a problem file describes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli import dry_run as trial
from shoal.cli.anonymize import carry_out
from shoal.cli.help import GroupedCommand, cluster_options, engine_options, json_option
from shoal.cli.options import INPUT
from shoal.jobs import problem_file

if TYPE_CHECKING:
    from shoal.engines.cluster import Cluster


@click.command(cls=GroupedCommand)
@click.argument("problem", type=INPUT)
@trial.dry_run_option
@engine_options
@cluster_options
@json_option
def run(problem: Path, workers: int, dry_run: bool, as_json: bool, cluster: Cluster | None) -> None:
    """Anonymize the data that the TOML file PROBLEM describes.

    The file names the data, the roles of its columns, the hierarchies, the model, the algorithm and the output.
    'shoal init DATA' writes a first version of it.
    """
    job = problem_file.load(problem)
    carry_out(job, workers, trial=dry_run, as_json=as_json, command="run", cluster=cluster)
