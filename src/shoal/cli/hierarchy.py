"""``shoal hierarchy build | check | convert | from-table | show``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import console
from shoal.cli.from_table import from_table
from shoal.cli.options import FILE, data_options, reading, tell
from shoal.cli.spelling import SpellingGroup
from shoal.errors import OptionError
from shoal.hierarchies.check import SHOWN, some_problems
from shoal.jobs.job import check_outputs


@click.group(cls=SpellingGroup)
def hierarchy() -> None:
    """Build, check, convert and show item hierarchies."""


hierarchy.add_command(from_table)

to_format = click.option(
    "--to", "to_format", help=f"Format to write: {', '.join(hierarchies.FORMATS)}; default: by its name."
)
from_format = click.option("--from", "from_format", help="Format of the hierarchy; default: by its name and content.")


@hierarchy.command()
@click.argument("data", type=FILE)
@click.option("-o", "--output", required=True, type=FILE, help="Where to write the hierarchy.")
@click.option(
    "--by",
    default="frequency",
    type=click.Choice(["frequency", "random", "label", "prefix"]),
    show_default=True,
    help="Group items that are about equally common, items at random, neighbours by label, or codes by their prefixes.",
)
@click.option("--seed", type=click.IntRange(min=0), help="For --by random; default: 0.")
@click.option("--fanout", default=5, show_default=True, type=click.IntRange(min=2), help="Children of a node.")
@click.option("--lengths", help="With --by prefix: prefix lengths to group by, such as 1,3.")
@click.option("--root", help="Label of the root; default: *, or for several columns of sets A+B.")
@to_format
@data_options
def build(
    data: Path,
    output: Path,
    by: Any,
    seed: int | None,
    fanout: int,
    lengths: str | None,
    root: str | None,
    to_format: str | None,
    **given: Any,
) -> None:
    """Build a hierarchy over the items of DATA.

    By frequency it mostly loses less than by label, but it is made from the data: anyone who sees its groups learns
    which items are about equally common. At random, by label or by prefix it tells only which items there are; at
    random it mostly loses less than by label.
    See docs/reference/hierarchies.md.
    """
    check_outputs([data], [output])
    if lengths and by != "prefix":
        raise OptionError("--lengths goes with --by prefix: leave it out, or add that.")
    if seed is not None and by != "random":
        raise OptionError("--seed goes with --by random: leave it out, or add that.")
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
    console.say(f"{tree.n_leaves:,} items, {len(tree) - tree.n_leaves:,} groups, height {tree.height}: {output}")
    if by == "frequency" and not tree.is_flat:
        console.warn(
            "this hierarchy was made from the data: anyone who sees its groups learns which items are about equally "
            "common; if that must not be known, build it with --by random, or by label."
        )


@hierarchy.command()
@click.argument("file", type=FILE)
@click.argument("data", type=FILE, required=False)
@click.option("--all", "everything", is_flag=True, help="List every problem; default: ten of each kind, and how many.")
@from_format
@data_options
@click.pass_context
def check(
    context: click.Context, /, file: Path, data: Path | None, everything: bool, from_format: str | None, **given: Any
) -> None:
    """Check the hierarchy FILE, and how it covers DATA.

    Exit code 1: the hierarchy lacks items of DATA. Exit code 2: FILE holds no hierarchy.
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
    console.table(str(file), ["", ""], checked.rows(None if everything else SHOWN))
    context.exit(0 if checked.ok else 1)


@hierarchy.command()
@click.argument("file", type=FILE)
@click.argument("output", type=FILE)
@from_format
@to_format
def convert(file: Path, output: Path, from_format: str | None, to_format: str | None) -> None:
    """Convert a hierarchy between formats, without loss."""
    check_outputs([file], [output])
    hierarchies.save(hierarchies.load(file, format=from_format), output, format=to_format)
    console.say(f"written: {output}")


@hierarchy.command()
@click.argument("file", type=FILE)
@click.option("--depth", type=click.IntRange(min=0), help="Levels to show; default: all.")
@from_format
def show(file: Path, depth: int | None, from_format: str | None) -> None:
    """Draw the hierarchy as a tree."""
    for line in hierarchies.show(hierarchies.load(file, format=from_format), depth=depth).split("\n"):
        console.say(line)


def _lengths(text: str) -> tuple[int, ...]:
    """Prefix lengths such as "1,3"."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise OptionError(f"--lengths must be whole numbers above 0, separated by commas, got '{text}'.")
    return tuple(int(part) for part in parts)
