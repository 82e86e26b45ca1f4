"""``--dry-run``: show what a job would do, and about how long it takes."""

from __future__ import annotations

from shoal.cli import console
from shoal.cli.help import OUTPUT, option
from shoal.cli.options import tell
from shoal.jobs.dry_run import dry_run
from shoal.jobs.job import Job

dry_run_option = option(
    "--dry-run",
    is_flag=True,
    group=OUTPUT,
    help="Read and check everything, estimate the time and the memory, and write nothing.",
)


def show(job: Job, workers: int, *, as_json: bool) -> None:
    """Carry out a dry run, and show what it found."""
    with console.engine(workers) as engine:
        found = dry_run(job, engine, tell)
    if as_json:
        console.show_json("dry-run", found.as_dict())
        return
    console.table(None, ["", ""], found.rows(), right=9)
    console.say(("Nothing was written.", "bold"), " Run the command without --dry-run to anonymize the data.")
