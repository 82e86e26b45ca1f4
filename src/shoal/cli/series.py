"""``shoal series start | add | check | show``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from shoal.algorithms.base import Algorithm
from shoal.cli import console, release_json, series_output
from shoal.cli.anonymize import job_of, problem_options, show_result
from shoal.cli.apply import next_data, next_data_options
from shoal.cli.help import DATA, GUARANTEE, SEARCH, GroupedCommand, engine_options, json_option, option
from shoal.cli.keys import ask_passphrase, key_option
from shoal.cli.model_options import ModelCommand
from shoal.cli.options import FILE, INPUT, names, seconds, tell
from shoal.cli.output_options import report_options, reported
from shoal.cli.spelling import SpellingGroup
from shoal.errors import SeriesBroken
from shoal.models.base import PrivacyModel
from shoal.series import Added, Series
from shoal.series.document import RULES

WAYS = ("auto", "position", "none")


@click.group(cls=SpellingGroup)
def series() -> None:
    """Publish again and again, and check it all together."""


@series.command(cls=ModelCommand, specs=(PrivacyModel, Algorithm))
@click.argument("folder", metavar="SERIES", type=FILE)
@click.argument("name")
@click.argument("data", type=INPUT)
@option(
    "--rule",
    type=click.Choice(RULES),
    default=RULES[0],
    group=GUARANTEE,
    help="What a later release may do: group items as before, or more; or hold new records only.",
)
@option(
    "--record-id",
    metavar="A",
    group=DATA,
    help="The column with an id for each record. It is not published. The series keeps keyed hashes of the ids.",
)
@report_options
@key_option
@problem_options
@engine_options
@json_option
def start(
    folder: Path,
    name: str,
    data: Path,
    rule: str,
    record_id: str | None,
    model: str,
    algorithm: str | None,
    key: Path | None,
    workers: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Start a series with its first release.

    SERIES is a new folder. NAME is the name of the release, such as 2026-01.

    \b
    shoal series start shop 2026-01 january.csv --hierarchy products.csv --k 5 --m 2 --record-id basket
    shoal series add shop 2026-02 february.csv
    shoal series check shop
    """
    job = job_of(data, model, algorithm, given, output=Path(), key=key, passphrase=ask_passphrase, **reported(given))
    with console.engine(workers) as engine:
        added = Series.start_with(folder, name, job, rule=rule, record_id=record_id, engine=engine, on_read=tell)
    _show(added, as_json=as_json, command="series-start")


@series.command(cls=GroupedCommand)
@click.argument("folder", metavar="SERIES", type=INPUT)
@click.argument("name")
@click.argument("data", type=INPUT)
@report_options
@key_option
@next_data_options
@option(
    "--assume-new",
    is_flag=True,
    group=DATA,
    help="Rule new-records without record ids: you know that no record of DATA was published before.",
)
@option(
    "--hide-new",
    is_flag=True,
    group=SEARCH,
    help="Rule same-recoding with record ids: generalize further, until records that are in no earlier release hide "
    "among each other.",
)
@engine_options
@json_option
def add(
    folder: Path,
    name: str,
    data: Path,
    assume_new: bool,
    hide_new: bool,
    time_limit: str,
    key: Path | None,
    workers: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Publish DATA as the next release.

    NAME is its name. The rule of SERIES says how items are grouped, and which records it may hold. If it would break
    the promise together with an earlier release, nothing is published (exit code 1).

    \b
    shoal series add shop 2026-02 february.csv
    """
    limit: float | Literal["none"] = seconds(time_limit, "--time-limit")
    known = Series.open(folder)
    written, told = reported(given), next_data(given)
    lists = () if told["hierarchy"] is None else (told["hierarchy"],)
    job = known.next_job(data, told, time_limit=limit, key=key, lists=lists, **written)
    job = replace(job, passphrase=ask_passphrase)
    with console.engine(workers) as engine:
        try:
            added = known.add_with(name, job, assume_new=assume_new, hide_new=hide_new, engine=engine, on_read=tell)
        except SeriesBroken as error:
            if as_json:
                found = error.found.as_dict()
                console.show_json("series-add", {"series": known.as_dict(), "release": None, "check": found})
            else:
                series_output.show(error.found, refused=True)
            raise
    _show(added, as_json=as_json, command="series-add")


@series.command(cls=GroupedCommand)
@click.argument("folder", metavar="SERIES", type=INPUT)
@option(
    "--link",
    default="auto",
    metavar="auto|position|none|A,B",
    group=GUARANTEE,
    help="How an attacker links records: auto (by id, or by position if rows fit each other), by position, not at all, "
    "or by columns.",
)
@option(
    "--public-key",
    type=INPUT,
    group=GUARANTEE,
    help="The key that all certificates must be signed with. Without it, signatures are not checked.",
)
@option("--seed", default=0, group=SEARCH, rare=True, help="The seed of random draws, for very large data.")
@engine_options
@json_option
def check(folder: Path, link: str, public_key: Path | None, seed: int, workers: int, as_json: bool) -> None:
    """Show what all releases tell together.

    The exit code is 1 if somebody could narrow a record down to a smaller crowd than promised.

    \b
    shoal series check shop
    shoal series check shop --link card_number
    """
    known = Series.open(folder)
    how: Any = link if link in WAYS else names(link)
    with console.engine(workers) as engine:
        found = known.check(link=how, public_key=public_key, seed=seed, engine=engine)
    if as_json:
        console.show_json("series-check", found.as_dict())
    else:
        series_output.show(found)
    if not found.holds:
        raise click.exceptions.Exit(1)


@series.command(cls=GroupedCommand)
@click.argument("folder", metavar="SERIES", type=INPUT)
@json_option
def show(folder: Path, as_json: bool) -> None:
    """List the releases."""
    known = Series.open(folder)
    if as_json:
        console.show_json("series-show", known.as_dict())
    else:
        series_output.show_releases(known)


def _show(added: Added, *, as_json: bool, command: str) -> None:
    """Show the release that was published."""
    if as_json:
        release = release_json.document(added.story, added.job)
        found = {} if added.found is None else {"check": added.found.as_dict()}
        console.show_json(command, {"series": added.series.as_dict(), "release": release, **found})
    elif not console.is_quiet():
        show_result(added.story, added.job, as_json=False, command=command)
        console.notes(added.notes)
