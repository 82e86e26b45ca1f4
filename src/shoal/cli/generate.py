"""``shoal generate``: synthetic data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from shoal import hierarchies, io
from shoal.cli import console
from shoal.cli.options import FILE, spec_options_of
from shoal.cli.spelling import SpellingGroup
from shoal.data.dataset import Dataset
from shoal.data.transactions import Transactions
from shoal.errors import OutputError
from shoal.files import all_or_none
from shoal.generators.quest import Quest
from shoal.generators.shop import Shop
from shoal.generators.supermarket import product_hierarchy, supermarket
from shoal.generators.videos import Videos
from shoal.jobs.job import check_outputs

_ROWS = {"orders": "order lines", "products": "products", "customers": "customers"}  # what a row of each table is


@click.group(cls=SpellingGroup)
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


@generate.command(name="supermarket")
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the baskets.")
@click.option("--rows", default=20_000, show_default=True, type=click.IntRange(min=0), help="Baskets to make.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Equal seeds give equal data.")
@click.option("--format", help="Format to write; default: by the output's name.")
@click.option("--hierarchy", "hierarchy_file", type=FILE, help="Also write the hierarchy of the products.")
def baskets(output: Path, rows: int, seed: int, format: str | None, hierarchy_file: Path | None) -> None:
    """Supermarket baskets of products with names, as in shoal demo. No real person bought any of them."""
    check_outputs([], [path for path in (output, hierarchy_file) if path])
    tree = product_hierarchy()
    with all_or_none():
        if hierarchy_file:
            hierarchies.save(tree, hierarchy_file)
        io.write(Dataset(supermarket(rows=rows, seed=seed)), output, format=format)
    console.say(f"{rows:,} baskets of {tree.n_leaves:,} products: {output}")


@generate.command()
@click.option("-o", "--output", required=True, type=FILE, help="The folder to write to. It is created if it is new.")
@spec_options_of(Shop)
@click.option(
    "--format",
    default="csv",
    show_default=True,
    type=click.Choice(["csv", "tsv", "jsonl", "parquet", "feather"]),
    help="Format of the three files.",
)
def shop(output: Path, format: str, **given: Any) -> None:
    """Three tables of a shop: order lines, products and customers, as dirty as real ones.

    Writes orders, products and customers to a folder. docs/how-to/order-lines.md shows how to anonymize them.
    """
    generator = Shop.parse({name: value for name, value in given.items() if value is not None})
    targets = {name: output / f"{name}.{format}" for name in _ROWS}
    with _folder(output):
        check_outputs([], list(targets.values()))
        tables = generator.tables()
        with all_or_none():
            for name, path in targets.items():
                _write_table(tables[name], path, format)
    for name, path in targets.items():
        console.say(f"{tables[name].num_rows:,} {_ROWS[name]}: {path}")


def _write_table(table: Any, path: Path, format: str) -> None:
    """Write an Arrow table that has no sets; JSON has no dates, so they become texts there."""
    if format == "jsonl" and "date" in table.column_names:
        at = table.column_names.index("date")
        table = table.set_column(at, "date", table["date"].cast("string"))
    io.write(io.read(table, no_sets=True), path, format=format)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    """A folder to write to; one that is new goes away again if the block fails."""
    try:
        new = not path.exists()
        if not new and not path.is_dir():
            raise OutputError(f"{path} is a file: name a folder to write to.")
        path.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise OutputError(f"{path} cannot be made: the folder {path.parent} does not exist: create it first.") from None
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} cannot be made: {getattr(error, 'strerror', None) or error}.") from None
    try:
        yield
    except BaseException:
        if new:
            with suppress(OSError):
                path.rmdir()
        raise
