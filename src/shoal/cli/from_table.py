"""``shoal hierarchy from-table``: a hierarchy from the category columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from shoal import hierarchies, io
from shoal.cli import console
from shoal.cli.options import FILE
from shoal.errors import DataError, OptionError, shorten
from shoal.hierarchies.from_table import SeveralParents, UnknownItems, check_levels
from shoal.jobs.job import check_outputs
from shoal.quoting import cells


@click.command("from-table")
@click.argument("table", type=FILE)
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the hierarchy.")
@click.option("--levels", required=True, help="Columns, the items first, then their groups up to the widest: a,b,c.")
@click.option("--items", metavar="FILE:COLUMN", help="Items of the data: parents they use more often are preferred.")
@click.option(
    "--several-parents",
    default="most-frequent",
    type=click.Choice(get_args(SeveralParents)),
    show_default=True,
    help="A group with several parents: keep the most frequent, split the group, or stop.",
)
@click.option("--only-used", is_flag=True, help="Leave out what the data of --items do not use.")
@click.option(
    "--unknown-items",
    default="group",
    type=click.Choice(get_args(UnknownItems)),
    show_default=True,
    help="Items of the data that TABLE lacks: put them below a group such as '(no department)', or directly below the "
    "root, or only list them.",
)
@click.option("--root", default="*", show_default=True, help="Label of the root.")
@click.option(
    "--to", "to_format", help=f"Format to write: {', '.join(hierarchies.FORMATS)}; default: by the output's name."
)
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
) -> None:
    """Build a hierarchy from category columns of TABLE, such as product_id,product_type,department.

    Real tables are dirty: types stand under several categories, cells are blank, labels come twice. The result is a
    tree in any case, and notes tell what was done about each kind of dirt. See docs/reference/hierarchies.md.
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
    console.say(f"{summary.headline.rstrip('.')}: {output}")
    console.notes([str(finding) for finding in summary.findings])
    if only_used:
        console.warn("this hierarchy tells which items occur in the data: anyone who sees it learns that.")
    elif unknown_items != "list" and any(one.kind == "unknown items" for one in summary.findings):
        console.warn(
            "this hierarchy names items that only the data have: anyone who sees it learns that these occur "
            "(--unknown-items list keeps them out)."
        )


def read_table(path: Path, columns: Sequence[str], flag: str) -> Any:
    """Columns of a file as a pyarrow.Table; an error if one is missing."""
    try:
        return io.read_table(path, columns)
    except DataError as error:
        raise DataError(f"{flag}: {error}") from None


def _level_names(text: str) -> list[str]:
    """The columns of --levels.

    >>> _level_names('id, "type, fine",department')
    ['id', 'type, fine', 'department']
    """
    names = [name for name in cells(text) if name.strip()]
    check_levels(names, "--levels")
    return names


def _file_and_column(text: str) -> tuple[Path, str]:
    """The file and the column of --items; both may hold a colon, so what is there decides.

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
