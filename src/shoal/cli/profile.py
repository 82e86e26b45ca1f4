"""``shoal profile``: describe a file, and the risk of its records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console
from shoal.cli.help import DATA, GUARANTEE, OUTPUT, GroupedCommand, engine_options, json_option, option
from shoal.cli.options import INPUT, data_options, names, reading, tell
from shoal.data.persons import plural
from shoal.report.formatting import share


@click.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@option(
    "--k",
    default=5,
    type=click.IntRange(min=2),
    group=GUARANTEE,
    help="Count records (or persons) that share what an attacker knows with fewer than k.",
)
@option(
    "--m", default=3, type=click.IntRange(min=1), group=GUARANTEE, help="The largest number of items an attacker knows."
)
@data_options
@option(
    "--quasi-identifiers",
    metavar="A,B",
    group=DATA,
    help="Columns that an attacker knows as well. Default: an attacker knows items only.",
)
@option(
    "--top", default=10, type=click.IntRange(min=0), group=OUTPUT, help="How many of the most frequent items to list."
)
@engine_options
@json_option
def profile(
    file: Path, k: int, m: int, top: int, quasi_identifiers: str | None, as_json: bool, workers: int, **given: Any
) -> None:
    """Show what FILE holds, and how many records are unique.

    It counts the records that an attacker could single out by knowing a few of their items (and columns).

    \b
    shoal profile baskets.dat
    shoal profile people.csv --sets diagnoses --quasi-identifiers age,zip
    """
    data = tell(shoal.read(file, **reading(given)))
    with console.engine(workers) as engine:
        result = shoal.profile(data, k=k, m=m, top=top, quasi_identifiers=names(quasi_identifiers), engine=engine)
    console.notes(result.notes)
    if as_json:
        console.show_json("profile", result.as_dict())
        return
    console.table(str(file), ["", ""], result.rows())
    if result.top_items:
        console.say("")
        console.table(
            "most frequent items",
            ["item", "records", "share"],
            [
                (item, f"{records:,}", share(records / max(1, result.records)))
                for item, records in result.top_items.items()
            ],
        )
    console.say("")
    persons = result.persons
    show_risk(result.risk, result.risk_by_columns)
    if persons is not None:
        console.say("")
        show_risk(persons.risk, persons.risk_by_columns, persons.nouns)


def show_risk(risk: shoal.metrics.Risk, by_columns: shoal.metrics.Risk | None = None, found: str = "records") -> None:
    """Show how many records, or persons, a few known items pin down. ``by_columns``: how many the columns do."""
    also = "the columns and " if by_columns is not None else ""
    only = [] if by_columns is None else [("the columns", by_columns.below_k[0], by_columns.unique[0])]
    some = [
        (f"{also}up to {size} items" if size > 1 else f"{also}1 item", below, unique)
        for size, (below, unique) in enumerate(zip(risk.below_k, risk.unique, strict=True), 1)
    ]
    console.table(
        f"{found} that an attacker can pin down",
        ["knowing", f"to fewer than {risk.k} {plural(risk.person or 'record')}", "to exactly one"],
        [(who, _share(below, risk.rows), _share(unique, risk.rows)) for who, below, unique in [*only, *some]],
    )


def _share(count: int, rows: int) -> str:
    return f"{count:,} ({share(count / max(1, rows))})"
