"""``shoal apply``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from shoal.cli import console, release_json
from shoal.cli.anonymize import carry_out
from shoal.cli.help import DATA, SEARCH, Command, GroupedCommand, engine_options, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, reading, seconds
from shoal.cli.output_options import output_options, outputs
from shoal.cli.witnesses import show_witnesses
from shoal.errors import RecodingFails
from shoal.io.read_options import ReadOptions
from shoal.jobs.apply import ApplyJob, spec_for
from shoal.jobs.next_data import SETTLED, is_settled
from shoal.release import recoding_file as recoding_files


def next_data_options(command: Command) -> Command:
    """What is said of data that follow an earlier release, and how long a repair may take."""
    for add in reversed(NEXT_DATA):
        command = add(command)
    command.settled = _settled  # type: ignore[attr-defined]  # for the error about an unknown option
    return command


def _settled(flag: str) -> str:
    """Return why there is no such option, if the earlier release settled it."""
    return SETTLED if is_settled(flag.lstrip("-").replace("-", "_")) else ""


NEXT_DATA = (
    data_options,
    option(
        "--hierarchy",
        type=FILE,
        group=DATA,
        help="A hierarchy with more items than that of the earlier release. It says which group each new item belongs "
        "to.",
    ),
    option(
        "--unknown-items",
        type=click.Choice(["error", "root"]),
        group=DATA,
        rare=True,
        help="What to do with items that the hierarchy lacks: stop, or put them directly below the root. Default: as "
        "in the earlier release.",
    ),
    dataset_options("weights", "allow_missing"),
    option(
        "--time-limit",
        default="60",
        metavar="X",
        group=SEARCH,
        rare=True,
        help="Seconds for the search of a repair, or none.",
    ),
)


def next_data(given: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of a command's arguments, as :func:`shoal.jobs.apply.spec_for` wants them."""
    taken = {name: given.pop(name) for name in ("hierarchy", "unknown_items", "allow_missing")}
    weights = given.pop("weights")
    return {**taken, "weights": str(weights or ""), "reading": ReadOptions(**reading(given))}


@click.command(cls=GroupedCommand)
@click.argument("recoding_file", metavar="RECODING", type=INPUT)
@click.argument("data", type=INPUT)
@output_options
@option(
    "--repair",
    is_flag=True,
    group=SEARCH,
    help="If the guarantee does not hold on DATA, generalize further, as little as possible.",
)
@next_data_options
@engine_options
@json_option
def apply(
    recoding_file: Path,
    data: Path,
    repair: bool,
    time_limit: str,
    workers: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Do to DATA what RECODING did to an earlier release.

    RECODING is the file that --recoding wrote. The result is verified before it is written. The same data give the
    same release. If the guarantee does not hold, nothing is written (exit code 1), unless you pass --repair.

    \b
    shoal anonymize january.dat -o jan.dat --k 5 --m 2 --hierarchy products.csv --recoding products.json
    shoal apply products.json february.dat -o feb.dat
    shoal apply products.json february.dat -o feb.dat --repair --recoding products-2.json
    """
    limit: float | Literal["none"] = seconds(time_limit, "--time-limit")
    saved = recoding_files.load(recoding_file)
    told = next_data(given)
    lists = tuple(path for path in (recoding_file, told["hierarchy"]) if path is not None)
    job = ApplyJob.of(
        saved, spec_for(saved, data, **told), lists=lists, repair=repair, time_limit=limit, **outputs(given)
    )
    try:
        carry_out(job, workers, trial=False, as_json=as_json, command="apply")
    except RecodingFails as error:
        if as_json:
            console.show_json("apply", release_json.refusal(saved.model, error.verdict))
        else:
            show_witnesses(error.verdict)
        raise
