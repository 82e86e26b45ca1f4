"""``shoal workload``: draw queries from data to measure ARE, and the options for drawing them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console
from shoal.cli.columns import parse_column_specs, trees
from shoal.cli.columns import quasi_identifier_options as known_columns
from shoal.cli.help import DATA, MEASURES, OUTPUT, Command, GroupedCommand, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, reading, tell
from shoal.errors import OptionError
from shoal.jobs.job import check_outputs
from shoal.metrics.workload import ASKED, QUERIES, VALUES
from shoal.options import labels_of
from shoal.report.formatting import count_noun


def query_options(command: Command) -> Command:
    """Options for what a query asks for."""
    for add in (
        option(
            "--seed", type=click.IntRange(min=0), group=MEASURES, rare=True, help="The seed of the queries. Default: 0."
        ),
        option(
            "--query-items",
            metavar="N|N,N",
            group=MEASURES,
            rare=True,
            help="How many items each query asks for. Several numbers draw the same number of queries each. Default: "
            f"{ASKED}.",
        ),
        option(
            "--query-values",
            type=click.IntRange(min=0),
            group=MEASURES,
            rare=True,
            help=f"How many quasi-identifiers each query asks for. Default: {VALUES}, or all if there are fewer.",
        ),
    ):
        command = add(command)
    return command


def drawing_options(given: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of a command's arguments. None means not given.

    >>> drawing_options({"query_values": None, "query_items": "1,2", "seed": 7})
    {'values': None, 'items': (1, 2), 'seed': 7}
    """
    values, items, seed = given.pop("query_values"), given.pop("query_items"), given.pop("seed")
    return {"values": values, "items": None if items is None else _numbers(items), "seed": seed}


def _numbers(text: str) -> tuple[int, ...]:
    """Parse numbers such as 1,2,3."""
    try:
        numbers = tuple(map(int, text.split(",")))
    except ValueError:
        raise OptionError(f"--query-items must be a number, or several such as 1,2,3, got '{text}'.") from None
    if min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise OptionError(f"--query-items must be different numbers from 0 such as 1,2,3, got '{text}'.")
    return numbers


def quasi_identifiers(given: dict[str, Any], hierarchy: tuple[str, ...]) -> dict[str, shoal.Column]:
    """Take the options about columns out of a command's arguments: the description of each quasi-identifier."""
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


@click.command(cls=GroupedCommand)
@click.argument("data", type=INPUT)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write: one query a line, as JSON.")
@option("--queries", default=QUERIES, type=click.IntRange(min=1), group=MEASURES, help="How many queries to draw.")
@query_options
@data_options
@option(
    "--sensitive",
    metavar="FILE|A,B",
    multiple=True,
    group=DATA,
    help="Sensitive items. Queries do not ask for them.",
)
@option(
    "--hierarchy",
    metavar="COLUMN=FILE",
    multiple=True,
    group=DATA,
    help="The hierarchy of a quasi-identifier, as for 'shoal measure'. Repeatable.",
)
@known_columns
@json_option
def workload(
    data: Path,
    output: Path,
    queries: int,
    sensitive: tuple[str, ...],
    hierarchy: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Draw queries from DATA, to compare releases by them.

    Each query counts records. 'shoal measure --workload FILE' answers the queries on a release. The file names items
    and values of DATA: do not publish it.

    \b
    shoal workload baskets.dat -o queries.jsonl
    shoal measure baskets.dat out.dat --hierarchy products.csv --workload queries.jsonl
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
    sentence = f"{count_noun(len(drawn), 'query', 'queries')} drawn from {count_noun(len(dataset), 'record')}: {output}"
    told = {"queries": len(drawn), "records": len(dataset), "file": str(output)}
    console.written("workload", sentence, told, as_json=as_json)
