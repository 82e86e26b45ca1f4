"""``shoal generate``: synthetic data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from shoal import hierarchies, io
from shoal.cli import console
from shoal.cli.help import DATA, OUTPUT, GroupedCommand, json_option, option
from shoal.cli.model_options import spec_options_of
from shoal.cli.options import FILE
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


@generate.command(cls=GroupedCommand)
@spec_options_of(Quest, DATA)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write.")
@option("--format", metavar="NAME", group=OUTPUT, help="The format to write. Default: by the name of the output.")
@option("--hierarchy", "hierarchy_file", type=FILE, group=OUTPUT, help="Also write a hierarchy of the items.")
@option("--fanout", default=5, type=click.IntRange(min=2), group=OUTPUT, help="Children of each node of the hierarchy.")
@json_option
def quest(
    output: Path, format: str | None, hierarchy_file: Path | None, fanout: int, as_json: bool, **given: Any
) -> None:
    """Generate transactions like the IBM Quest generator.

    Items come in overlapping patterns (Agrawal and Srikant 1994). It writes row by row: 50 million rows need little
    memory.

    \b
    shoal generate quest -o baskets.dat --rows 50000 --items 2000 --hierarchy hierarchy.csv
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
    told = _told(output, writer.rows, len(labels), hierarchy_file)
    console.written("generate-quest", f"{writer.rows:,} rows, {len(labels):,} items: {output}", told, as_json=as_json)


@generate.command(cls=GroupedCommand)
@spec_options_of(Videos, DATA)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write.")
@option(
    "--format",
    metavar="NAME",
    group=OUTPUT,
    help="The format to write; it must have columns. Default: by the name of the output.",
)
@option("--hierarchy", "hierarchy_file", type=FILE, group=OUTPUT, help="Also write a hierarchy of the items.")
@option("--fanout", default=5, type=click.IntRange(min=2), group=OUTPUT, help="Children of each node of the hierarchy.")
@json_option
def videos(
    output: Path, format: str | None, hierarchy_file: Path | None, fanout: int, as_json: bool, **given: Any
) -> None:
    """Generate records with columns and a set.

    The sets depend on the columns, as in the YouTube data of Poulis et al. 2013.

    \b
    shoal generate videos -o videos.csv --rows 10000 --hierarchy hierarchy.csv
    """
    generator = Videos.parse({name: value for name, value in given.items() if value is not None})
    check_outputs([], [path for path in (output, hierarchy_file) if path])
    data = generator.dataset()
    with all_or_none():
        if hierarchy_file:
            hierarchies.save(generator.hierarchy(fanout=fanout), hierarchy_file)
        io.write(data, output, format=format)
    names = ", ".join(data.table.names) if data.table else ""
    sentence = f"{len(data):,} rows with {names} and a set; {generator.items:,} items: {output}"
    told = _told(output, len(data), generator.items, hierarchy_file)
    console.written("generate-videos", sentence, told, as_json=as_json)


def _told(output: Path, rows: int, items: int, hierarchy: Path | None) -> dict[str, Any]:
    """Return what was generated, for JSON."""
    return {
        "file": str(output),
        "rows": rows,
        "items": items,
        "hierarchy": None if hierarchy is None else str(hierarchy),
    }


@generate.command(name="supermarket", cls=GroupedCommand)
@option("--rows", default=20_000, type=click.IntRange(min=0), group=DATA, help="How many baskets to generate.")
@option("--seed", default=0, type=click.IntRange(min=0), group=DATA, help="Equal seeds give equal data.")
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write.")
@option("--format", metavar="NAME", group=OUTPUT, help="The format to write. Default: by the name of the output.")
@option("--hierarchy", "hierarchy_file", type=FILE, group=OUTPUT, help="Also write the hierarchy of the products.")
@json_option
def baskets(output: Path, rows: int, seed: int, format: str | None, hierarchy_file: Path | None, as_json: bool) -> None:
    """Generate supermarket baskets of products with names.

    'shoal demo' uses the same baskets. They contain no data of real people.

    \b
    shoal generate supermarket -o baskets.basket --hierarchy products.csv
    """
    check_outputs([], [path for path in (output, hierarchy_file) if path])
    tree = product_hierarchy()
    with all_or_none():
        if hierarchy_file:
            hierarchies.save(tree, hierarchy_file)
        io.write(Dataset(supermarket(rows=rows, seed=seed)), output, format=format)
    told = _told(output, rows, tree.n_leaves, hierarchy_file)
    sentence = f"{rows:,} baskets of {tree.n_leaves:,} products: {output}"
    console.written("generate-supermarket", sentence, told, as_json=as_json)


@generate.command(cls=GroupedCommand)
@spec_options_of(Shop, DATA)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The folder to write to. It is made if needed.")
@option(
    "--format",
    default="csv",
    type=click.Choice(["csv", "tsv", "jsonl", "parquet", "feather"]),
    group=OUTPUT,
    help="The format of the three files.",
)
@json_option
def shop(output: Path, format: str, as_json: bool, **given: Any) -> None:
    """Generate the tables of a shop.

    They hold order lines, products and customers, with errors like those in real tables.
    docs/how-to/order-lines.md shows how to anonymize them.

    \b
    shoal generate shop -o shop
    """
    generator = Shop.parse({name: value for name, value in given.items() if value is not None})
    targets = {name: output / f"{name}.{format}" for name in _ROWS}
    with _folder(output):
        check_outputs([], list(targets.values()))
        tables = generator.tables()
        with all_or_none():
            for name, path in targets.items():
                _write_table(tables[name], path, format)
    if as_json:
        told = {name: {"file": str(path), "rows": tables[name].num_rows} for name, path in targets.items()}
        console.show_json("generate-shop", {"tables": told})
    for name, path in targets.items() if not as_json and not console.is_quiet() else ():
        console.say(f"{tables[name].num_rows:,} {_ROWS[name]}: {path}")


def _write_table(table: Any, path: Path, format: str) -> None:
    """Write an Arrow table without sets. In JSON, dates become texts."""
    if format == "jsonl" and "date" in table.column_names:
        at = table.column_names.index("date")
        table = table.set_column(at, "date", table["date"].cast("string"))
    io.write(io.read(table, no_sets=True), path, format=format)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    """Yield a folder to write to. A new folder is removed if the block fails."""
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
