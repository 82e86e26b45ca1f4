"""Options about a published file that any tool may have made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal import io
from shoal.cli.help import DATA, Command, option
from shoal.cli.options import FILE
from shoal.jobs.published_file import ORIGINAL_ONLY, SUPPRESSED


def published_options(command: Command) -> Command:
    """Options to read a published file that is not written like the original."""
    for add in reversed(
        [
            option("--published-format", metavar="NAME", group=DATA, rare=True, help="--format, for PUBLISHED."),
            option("--published-delimiter", metavar="TEXT", group=DATA, rare=True, help="--delimiter, for PUBLISHED."),
            option(
                "--published-sets",
                metavar="A|A,B",
                multiple=True,
                group=DATA,
                rare=True,
                help="--sets, for PUBLISHED.",
            ),
            option(
                "--published-item-delimiter",
                metavar="TEXT",
                multiple=True,
                group=DATA,
                rare=True,
                help="--item-delimiter, for PUBLISHED.",
            ),
            option(
                "--suppressed",
                metavar="A,B",
                group=DATA,
                rare=True,
                help=f"Labels of PUBLISHED that represent suppressed items or records. Default: '{SUPPRESSED}', unless "
                "it is an item or in the hierarchy.",
            ),
        ]
    ):
        command = add(command)
    return command


def codebook_option(about: str) -> Callable[[Command], Command]:
    """The option for the code book of a published file."""
    return option(
        "--codebook",
        type=FILE,
        group=DATA,
        help=f"The code book of the release: what its labels represent. {about}",
    )


def published_reading(published: Path, given: dict[str, Any], read_as: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of a command's arguments: how to read the published file, as :func:`shoal.read` does.

    Its rows are joined and filtered already, its labels carry their counts, and it may be wide where the original is
    long.
    """
    chosen = {name: value for name, value in read_as.items() if name not in ORIGINAL_ONLY}
    for name in ("format", "delimiter", "sets", "item_delimiter"):
        value = given.pop(f"published_{name}", None)
        if isinstance(value, tuple):
            value = value if len(value) > 1 else value[0] if value else None
        if value is not None:
            chosen[name] = value
    is_long = chosen["id_column"] or chosen["item_column"]
    if is_long and (chosen["sets"] or chosen["item_column"] not in (None, *io.column_names(published, **chosen))):
        chosen |= {"id_column": None, "item_column": None}
    return chosen
