"""``shoal hierarchy from-table``: a hierarchy from the category columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from shoal import hierarchies, io
from shoal.cli import console
from shoal.cli.help import DATA, HIERARCHY, OUTPUT, GroupedCommand, json_option, option
from shoal.cli.options import FILE, INPUT
from shoal.errors import DataError, OptionError, shorten
from shoal.hierarchies.from_table import SeveralParents, UnknownItems, check_levels
from shoal.jobs.job import check_outputs
from shoal.quoting import cells


@click.command("from-table", cls=GroupedCommand)
@click.argument("table", type=INPUT)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write.")
@option(
    "--levels",
    metavar="A,B,C",
    required=True,
    group=HIERARCHY,
    help="The columns: first the items, then their groups, up to the widest.",
)
@option(
    "--items",
    metavar="FILE:COLUMN",
    group=DATA,
    help="The items of your data. If a group has several parents, the one that they use most is kept.",
)
@option(
    "--several-parents",
    default="most-frequent",
    type=click.Choice(get_args(SeveralParents)),
    group=HIERARCHY,
    help="What to do with a group that has several parents: keep the most frequent parent, split the group, or stop.",
)
@option("--only-used", is_flag=True, group=HIERARCHY, help="Leave out items that do not occur in the data of --items.")
@option(
    "--unknown-items",
    default="group",
    type=click.Choice(get_args(UnknownItems)),
    group=HIERARCHY,
    help="Where to put items of your data that TABLE lacks: in groups of their own, below the root, or nowhere (list).",
)
@option("--root", default="*", metavar="LABEL", group=HIERARCHY, help="The label of the root.")
@option(
    "--to",
    "to_format",
    metavar="NAME",
    group=OUTPUT,
    help=f"The format to write: {', '.join(hierarchies.FORMATS)}. Default: by the name of the output.",
)
@json_option
def from_table(
    table: Path,
    output: Path,
    levels: str,
    items: str | None,
    several_parents: Any,
    only_used: bool,
    unknown_items: Any,
    root: str,
    to_format: str | None,
    as_json: bool,
) -> None:
    """Build a hierarchy from the category columns of TABLE.

    Real tables are dirty: a type has several categories, cells are blank, labels occur twice. The result is always a
    tree, and notes say what was done about each problem. See docs/reference/hierarchies.md.

    \b
    shoal hierarchy from-table products.csv -o hierarchy.csv --levels product_id,product_type,department
    """
    columns = _level_names(levels)
    file, column = _file_and_column(items) if items else (None, "")
    if only_used and not items:
        raise OptionError("--only-used needs the items of the data: add --items FILE:COLUMN.")
    check_outputs([path for path in (table, file) if path], [output])
    hierarchies.format_to_write(output, to_format)
    summary = hierarchies.from_table_with_summary(
        read_table(table, columns, "--levels"),
        columns,
        several_parents=several_parents,
        items=read_table(file, [column], "--items").column(column) if file else None,
        only_used=only_used,
        unknown_items=unknown_items,
        root=root,
        name=str(table),
    )
    hierarchies.save(summary.hierarchy, output, format=to_format)
    sentence = f"{summary.headline.rstrip('.')}: {output}"
    console.written("hierarchy-from-table", sentence, {"file": str(output), **summary.as_dict()}, as_json=as_json)
    console.notes([str(finding) for finding in summary.findings])
    if only_used:
        console.warn("Anyone who sees this hierarchy learns which items occur in the data.")
    elif unknown_items != "list" and any(one.kind == "unknown items" for one in summary.findings):
        console.warn(
            "This hierarchy names items that only the data have: anyone who sees it learns that these occur "
            "(--unknown-items list keeps them out)."
        )


def read_table(path: Path, columns: Sequence[str], flag: str) -> Any:
    """Read columns of a file as a pyarrow.Table. A missing column is an error."""
    try:
        return io.read_table(path, columns)
    except DataError as error:
        raise DataError(f"{flag}: {error}") from None


def _level_names(text: str) -> list[str]:
    """Split the value of --levels into columns.

    >>> _level_names('id, "type, fine",department')
    ['id', 'type, fine', 'department']
    """
    names = [name for name in cells(text) if name.strip()]
    check_levels(names, "--levels")
    return names


def _file_and_column(text: str) -> tuple[Path, str]:
    """Split the value of --items into a file and a column. Both may hold a colon, so the file that exists decides.

    >>> _file_and_column("C:/orders.csv:product_id")[1]
    'product_id'
    """
    colons = [at for at, character in enumerate(text) if character == ":" and text[:at] and text[at + 1 :]]
    if not colons or Path(text).exists():
        raise OptionError(
            f"--items must be a file, a colon and the name of a column, such as orders.csv:product_id, got "
            f"'{shorten(text)}': add the column."
        )
    at = next((colon for colon in reversed(colons) if Path(text[:colon]).exists()), colons[-1])
    return Path(text[:at]), text[at + 1 :]
