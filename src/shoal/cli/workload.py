"""``shoal workload``: queries drawn from data, to measure ARE by them; and the options that say how to draw them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console
from shoal.cli.columns import parse_column_specs, trees
from shoal.cli.columns import quasi_identifier_options as known_columns
from shoal.cli.options import FILE, Command, data_options, reading, tell
from shoal.errors import OptionError
from shoal.jobs.job import check_outputs
from shoal.metrics.workload import ASKED, QUERIES, VALUES
from shoal.options import labels_of
from shoal.report.formatting import count_noun


def query_options(command: Command) -> Command:
    """What such a query asks for."""
    for option in (
        click.option("--seed", type=click.IntRange(min=0), help="For drawing the queries; default: 0."),
        click.option(
            "--query-items",
            metavar="N|N,N",
            help="Items that such a query asks for, or several numbers: then so many queries are drawn of each; "
            f"default: {ASKED}, or fewer if no record has so many.",
        ),
        click.option(
            "--query-values",
            type=click.IntRange(min=0),
            help=f"Quasi-identifiers that such a query asks for; default: {VALUES}, or all if there are fewer.",
        ),
    ):
        command = option(command)
    return command


def drawing_options(given: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of a command's arguments; None: not given.

    >>> drawing_options({"query_values": None, "query_items": "1,2", "seed": 7})
    {'values': None, 'items': (1, 2), 'seed': 7}
    """
    values, items, seed = given.pop("query_values"), given.pop("query_items"), given.pop("seed")
    return {"values": values, "items": None if items is None else _numbers(items), "seed": seed}


def _numbers(text: str) -> tuple[int, ...]:
    """Such as 1,2,3."""
    try:
        numbers = tuple(map(int, text.split(",")))
    except ValueError:
        raise OptionError(f"--query-items must be a number, or several such as 1,2,3, got '{text}'.") from None
    if min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise OptionError(f"--query-items must be different numbers from 0 such as 1,2,3, got '{text}'.")
    return numbers


def quasi_identifiers(given: dict[str, Any], hierarchy: tuple[str, ...]) -> dict[str, shoal.Column]:
    """Take the options about columns out of a command's arguments: what is said of each quasi-identifier."""
    columns, missing = parse_column_specs(given)
    unnamed = [name for name, one in columns.items() if one.role is None]
    if unnamed or (missing and not columns):
        about = (
            f"--{'ordered' if columns[unnamed[0]].order else 'categorical'} is about '{unnamed[0]}', which is not"
            if unnamed
            else "--missing is about columns, of which none is"
        )
        raise OptionError(f"{about} named as a quasi-identifier: name it in --quasi-identifiers, or leave it out.")
    of = trees(hierarchy)
    return {name: replace(one, hierarchy=of.get(name), missing=missing) for name, one in columns.items()}


@click.command()
@click.argument("data", type=FILE)
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the queries: JSON lines.")
@click.option(
    "--queries", default=QUERIES, show_default=True, type=click.IntRange(min=1), help="How many queries to draw."
)
@query_options
@click.option(
    "--sensitive", metavar="FILE|A,B", multiple=True, help="Items that queries do not ask for, as they are sensitive."
)
@click.option(
    "--hierarchy",
    metavar="COLUMN=FILE",
    multiple=True,
    help="Of a quasi-identifying column, as 'shoal measure' takes it. Repeatable.",
)
@known_columns
@data_options
def workload(
    data: Path, output: Path, queries: int, sensitive: tuple[str, ...], hierarchy: tuple[str, ...], **given: Any
) -> None:
    """Draw queries from DATA that count records, and save them: 'shoal measure --workload' asks them.

    So releases are compared by the same questions, whatever they were drawn from. They name items and values of DATA:
    they are for the publisher, and not a part of what is published.
    """
    drawing = drawing_options(given)
    named = quasi_identifiers(given, hierarchy)
    read_as = reading(given)
    check_outputs([data], [output])
    dataset = tell(shoal.read(data, **read_as))
    hidden = [label for text in sensitive for label in labels_of(text)]
    seed = drawing.pop("seed") or 0
    drawn = shoal.workload(dataset, queries=queries, **drawing, seed=seed, sensitive=hidden, quasi_identifiers=named)
    drawn.save(output)
    console.say(f"{count_noun(len(drawn), 'query', 'queries')} about {count_noun(len(dataset), 'record')}: {output}")
