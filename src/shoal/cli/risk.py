"""``shoal risk``: the risk in a file, in the words of those who must judge it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

import shoal
from shoal.cli import console, risk_output
from shoal.cli.help import DATA, GUARANTEE, MEASURES, RUNS, GroupedCommand, engine_options, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, reading, tell
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.risk import reader
from shoal.options import labels_of, names_of
from shoal.risk import PRESETS, threshold


@click.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@option(
    "--m",
    default="2",
    metavar="M",
    group=GUARANTEE,
    help="How many items of a record an attacker may know, or 'all'. M + 1, M + 2 and all items are shown as well.",
)
@option(
    "--threshold",
    "thresholds",
    metavar="NAME|X",
    multiple=True,
    group=MEASURES,
    help=f"Also show how many records have a risk above it: a number such as 0.05, or {', '.join(PRESETS)}.",
)
@data_options
@option(
    "--quasi-identifiers",
    metavar="A,B",
    group=DATA,
    help="Columns that an attacker may know. Default: an attacker knows items only.",
)
@option(
    "--sensitive",
    metavar="FILE|A,B",
    multiple=True,
    group=DATA,
    help="Sensitive items, or column=value: show what an attacker learns of them.",
)
@option("--sensitive-column", metavar="A,B", group=DATA, help="The same for all values of other columns.")
@option(
    "--persons",
    type=FILE,
    group=DATA,
    help="A file with the person of each record, one id a line, as --persons-out writes it. Persons are counted then.",
)
@option(
    "--population",
    type=FILE,
    group=DATA,
    help="The records of the whole population, which FILE is a part of, in the same form. Adds the journalist risk.",
)
@option(
    "--original",
    type=FILE,
    group=DATA,
    help="The original data: show their risk beside that of FILE, in the same form.",
)
@option("--seed", default=0, type=click.IntRange(min=0), group=RUNS, help="The seed of random draws.")
@engine_options
@json_option
def risk(
    file: Path,
    m: str,
    thresholds: tuple[str, ...],
    quasi_identifiers: str | None,
    sensitive: tuple[str, ...],
    sensitive_column: str | None,
    persons: Path | None,
    population: Path | None,
    original: Path | None,
    seed: int,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Show what an attacker could find or learn in FILE.

    FILE may hold raw or published data of any tool. The command shows how many records fit what an attacker knows, how
    likely a record is found, and what is learned of sensitive values. The exit code is 0, whatever the risk is.

    \b
    shoal risk baskets.dat
    shoal risk out.csv --sets diagnoses --quasi-identifiers age,zip --threshold ema --original people.csv
    """
    number = _number(m)
    limits = [threshold(one) for one in thresholds]  # refuse wrong ones before reading anything
    read_as = ReadOptions(**reading(given))
    known = None if quasi_identifiers is None else [name.strip() for name in names_of(quasi_identifiers)]
    data, others, before = (
        None if source is None else tell(DatasetSpec(file=str(source), reading=read_as).read_for_model(reader(known)))
        for source in (file, population, original)
    )
    with console.engine(workers) as engine:
        result = shoal.assess_risk(
            data,
            m=number,
            thresholds=limits,
            quasi_identifiers=known,
            sensitive=[label for text in sensitive for label in labels_of(text)],
            sensitive_column=names_of(sensitive_column or ""),
            population=others,
            original=before,
            persons=persons,
            seed=seed,
            engine=engine,
        )
    console.notes(result.notes)
    if as_json:
        console.show_json("risk", result.as_dict())
    else:
        risk_output.show(result)


def _number(text: str) -> int | Literal["all"]:
    """Return how many items may be known."""
    if text == "all":
        return "all"
    if not text.isdecimal() or not int(text):
        raise OptionError(f"risk: m must be a number from 1 on, or 'all', got '{text}'.")
    return int(text)
