"""``--dry-run``: what a job would do, and about how long it takes."""

from __future__ import annotations

import click

from shoal.cli import console
from shoal.cli.options import tell
from shoal.jobs.dry_run import dry_run
from shoal.jobs.job import Job

dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Read and check everything, estimate time and memory from samples of the rows, and write nothing.",
)


def show(job: Job, workers: int) -> None:
    """Carry out a dry run, and show what it found."""
    with console.engine(workers) as engine:
        found = dry_run(job, engine, tell)
    console.table(None, ["", ""], found.rows(), right=9)
    console.say(("Nothing was written.", "bold"), " Without --dry-run, this command runs.")
