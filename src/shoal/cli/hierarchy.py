"""``shoal hierarchy build | check | convert | from-table | show``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import console
from shoal.cli.from_table import from_table
from shoal.cli.help import DATA, HIERARCHY, OUTPUT, GroupedCommand, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, reading, tell
from shoal.cli.spelling import SpellingGroup
from shoal.data.hierarchy import Hierarchy
from shoal.errors import OptionError
from shoal.hierarchies.check import SHOWN, some_problems
from shoal.jobs.job import check_outputs


@click.group(cls=SpellingGroup)
def hierarchy() -> None:
    """Build, check, convert and show hierarchies of items."""


hierarchy.add_command(from_table)

to_format = option(
    "--to",
    "to_format",
    metavar="NAME",
    group=OUTPUT,
    help=f"The format to write: {', '.join(hierarchies.FORMATS)}. Default: by the name of the output.",
)
from_format = option(
    "--from",
    "from_format",
    metavar="NAME",
    group=DATA,
    help="The format of the hierarchy, if its name and content do not tell.",
)


@hierarchy.command(cls=GroupedCommand)
@click.argument("data", type=INPUT)
@option("-o", "--output", required=True, type=FILE, group=OUTPUT, help="The file to write.")
@option(
    "--by",
    default="frequency",
    type=click.Choice(["frequency", "random", "label", "prefix"]),
    group=HIERARCHY,
    help="How items are grouped: by similar frequency, at random, by similar labels, or codes by common prefix.",
)
@option("--seed", type=click.IntRange(min=0), group=HIERARCHY, help="The seed of --by random. Default: 0.")
@option("--fanout", default=5, type=click.IntRange(min=2), group=HIERARCHY, help="Children of each node.")
@option("--lengths", metavar="N,N", group=HIERARCHY, help="For --by prefix: the lengths of the prefixes, such as 1,3.")
@option(
    "--root",
    metavar="LABEL",
    group=HIERARCHY,
    help="The label of the root. Default: *, or A+B for the columns of sets A and B.",
)
@to_format
@data_options
@json_option
def build(
    data: Path,
    output: Path,
    by: Any,
    seed: int | None,
    fanout: int,
    lengths: str | None,
    root: str | None,
    to_format: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Build a hierarchy of the items of DATA.

    --by frequency usually loses the least, but its groups reveal which items are about equally frequent. The others
    reveal only which items there are. See docs/reference/hierarchies.md.

    \b
    shoal hierarchy build baskets.dat -o hierarchy.csv
    shoal hierarchy build diagnoses.dat -o hierarchy.csv --by prefix --lengths 1,3
    """
    check_outputs([data], [output])
    if lengths and by != "prefix":
        raise OptionError("--lengths needs --by prefix: add it, or leave --lengths out.")
    if seed is not None and by != "random":
        raise OptionError("--seed needs --by random: add it, or leave --seed out.")
    tree = hierarchies.build(
        tell(shoal.read(data, **reading(given))),
        by=by,
        fanout=fanout,
        seed=seed or 0,
        lengths=_lengths(lengths) if lengths else None,
        root=root,
        marks=" " if hierarchies.format_to_write(output, to_format) == "amnesia" else "",
    )
    hierarchies.save(tree, output, format=to_format)
    sentence = f"{tree.n_leaves:,} items, {len(tree) - tree.n_leaves:,} groups, height {tree.height}: {output}"
    console.written("hierarchy-build", sentence, _told(tree, output), as_json=as_json)
    if by == "frequency" and not tree.is_flat:
        console.warn(
            "This hierarchy was made from the data: anyone who sees its groups learns which items are about equally "
            "frequent. If nobody may know that, build it with --by random or --by label."
        )


@hierarchy.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@click.argument("data", type=INPUT, required=False)
@option(
    "--all",
    "everything",
    is_flag=True,
    group=OUTPUT,
    help="List every problem. By default, ten of each kind and their number.",
)
@from_format
@data_options
@json_option
@click.pass_context
def check(
    context: click.Context,
    /,
    file: Path,
    data: Path | None,
    everything: bool,
    from_format: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Check the hierarchy FILE, and whether DATA fits it.

    The exit code is 0 if all is well, 1 if items of DATA are missing, and 2 if FILE is not a hierarchy.

    \b
    shoal hierarchy check products.csv baskets.dat
    """
    read_as = reading(given)
    problems = hierarchies.problems(file, format=from_format)
    if problems:
        shown, more = (problems, []) if everything else some_problems(problems)
        for problem in shown:
            console.complain(problem)
        for line in more:
            console.warn(f"{line}: --all lists every one.")
        context.exit(2)
    rows = tell(shoal.read(data, **read_as)).transactions if data else None
    checked = hierarchies.check(hierarchies.load(file, format=from_format), rows)
    if as_json:
        console.show_json("hierarchy-check", {"ok": checked.ok, **asdict(checked)})
    else:
        console.table(str(file), ["", ""], checked.rows(None if everything else SHOWN))
    context.exit(0 if checked.ok else 1)


@hierarchy.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@click.argument("output", type=FILE)
@from_format
@to_format
@json_option
def convert(file: Path, output: Path, from_format: str | None, to_format: str | None, as_json: bool) -> None:
    """Convert the hierarchy FILE to another format.

    \b
    shoal hierarchy convert products.csv products.json
    """
    check_outputs([file], [output])
    tree = hierarchies.load(file, format=from_format)
    hierarchies.save(tree, output, format=to_format)
    console.written("hierarchy-convert", f"Written: {output}", _told(tree, output), as_json=as_json)


@hierarchy.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@option("--depth", type=click.IntRange(min=0), group=OUTPUT, help="How many levels to show. Default: all.")
@from_format
@json_option
def show(file: Path, depth: int | None, from_format: str | None, as_json: bool) -> None:
    """Draw the hierarchy FILE as a tree.

    \b
    shoal hierarchy show products.csv --depth 2
    """
    tree = hierarchies.load(file, format=from_format)
    if as_json:
        console.show_json("hierarchy-show", {"height": tree.height, "nodes": _nodes(tree, depth)})
        return
    for line in hierarchies.show(tree, depth=depth).split("\n"):
        console.say(line)


def _nodes(tree: Hierarchy, depth: int | None) -> list[dict[str, Any]]:
    """Return the nodes from the root down, each with its parent and the number of items below it, for JSON."""
    shown = [node for node in range(len(tree)) if depth is None or tree.depth[node] <= depth]
    shown.sort(key=lambda node: (int(tree.depth[node]), node))
    parents = {node: None if node == tree.root else tree.labels[int(tree.parent[node])] for node in shown}
    return [{"label": tree.labels[node], "parent": parents[node], "items": int(tree.leaves[node])} for node in shown]


def _told(tree: Hierarchy, output: Path) -> dict[str, Any]:
    """Describe a written hierarchy, for JSON."""
    groups = len(tree) - tree.n_leaves
    return {"file": str(output), "items": tree.n_leaves, "groups": groups, "height": tree.height}


def _lengths(text: str) -> tuple[int, ...]:
    """Parse prefix lengths such as "1,3"."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise OptionError(f"--lengths must be whole numbers above 0, separated by commas, got '{text}'.")
    return tuple(int(part) for part in parts)
