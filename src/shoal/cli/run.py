"""``shoal run``: what a problem file describes."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli import console
from shoal.cli import dry_run as trial
from shoal.cli.anonymize import show
from shoal.cli.options import FILE, tell
from shoal.jobs import problem_file


@click.command()
@click.argument("problem", type=FILE)
@click.option("--workers", default=0, show_default=True, help="Threads; 0: one for each processor. Changes no result.")
@trial.dry_run_option
def run(problem: Path, workers: int, dry_run: bool) -> None:
    """Anonymize what the TOML file PROBLEM describes: data, roles of columns, hierarchies, model, algorithm, output."""
    job = problem_file.load(problem)
    if dry_run:
        return trial.show(job, workers)
    with console.engine(workers) as engine:
        story = job.run(engine, tell)
    show(story, job.output, job.reports)
