"""``shoal generate``: synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal import hierarchies, io
from shoal.cli import console
from shoal.cli.options import FILE, spec_options_of
from shoal.data.transactions import Transactions
from shoal.files import all_or_none
from shoal.generators.quest import Quest
from shoal.generators.videos import Videos
from shoal.jobs.job import check_outputs


@click.group()
def generate() -> None:
    """Generate synthetic data."""


@generate.command()
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the data.")
@spec_options_of(Quest)
@click.option("--format", help="Format to write; default: by the output's name.")
@click.option("--hierarchy", "hierarchy_file", type=FILE, help="Also write a hierarchy to go with it.")
@click.option(
    "--fanout", default=5, show_default=True, type=click.IntRange(min=2), help="Children of a node of that hierarchy."
)
def quest(output: Path, format: str | None, hierarchy_file: Path | None, fanout: int, **given: Any) -> None:
    """IBM-Quest-style transactions (Agrawal and Srikant 1994): items bought in overlapping patterns.

    Written as a stream: 50 million rows need little memory.
    """
    generator = Quest.parse({name: value for name, value in given.items() if value is not None})
    check_outputs([], [path for path in (output, hierarchy_file) if path])
    labels = generator.labels()
    with all_or_none(), console.engine(1) as engine:
        if hierarchy_file:
            hierarchies.save(generator.hierarchy(fanout=fanout), hierarchy_file)
        tick = engine.tick("generating")
        with io.open_writer(output, format=format) as writer:
            for indptr, items in generator.batches():
                writer.write(Transactions(indptr, items, labels))
                tick(writer.rows / generator.rows)
    console.say(f"{writer.rows:,} rows over {len(labels):,} items: {output}")


@generate.command()
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the data.")
@spec_options_of(Videos)
@click.option("--format", help="Format to write, one with columns; default: by the output's name.")
@click.option("--hierarchy", "hierarchy_file", type=FILE, help="Also write a hierarchy of the items to go with it.")
@click.option(
    "--fanout", default=5, show_default=True, type=click.IntRange(min=2), help="Children of a node of that hierarchy."
)
def videos(output: Path, format: str | None, hierarchy_file: Path | None, fanout: int, **given: Any) -> None:
    """Columns and a set in each record, which depend on each other: the shape of P2's YouTube data."""
    generator = Videos.parse({name: value for name, value in given.items() if value is not None})
    check_outputs([], [path for path in (output, hierarchy_file) if path])
    data = generator.dataset()
    with all_or_none():
        if hierarchy_file:
            hierarchies.save(generator.hierarchy(fanout=fanout), hierarchy_file)
        io.write(data, output, format=format)
    names = ", ".join(data.table.names) if data.table else ""
    console.say(f"{len(data):,} rows with {names} and a set of {generator.items:,} items: {output}")
