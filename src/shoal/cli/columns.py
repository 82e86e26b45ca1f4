"""Options about columns other than the sets, for commands that take quasi-identifiers."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from shoal.cli.help import DATA, Command, option
from shoal.cli.options import reading
from shoal.data.columns import Column
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.column_specs import column_specs
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.options import names_of


def hierarchy_option(help: str) -> Callable[[Command], Command]:
    """Hierarchies of the items and of columns."""
    return option("--hierarchy", metavar="[COLUMN=]FILE", multiple=True, group=DATA, help=f"{help} {OF_COLUMNS}")


OF_COLUMNS = "For a column: COLUMN=FILE or COLUMN=width:5,10. Repeatable."


def quasi_identifier_options(command: Command) -> Command:
    """Options for the columns that an attacker may know, and their types."""
    for add in reversed(
        [
            option(
                "--quasi-identifiers",
                metavar="A,B",
                group=DATA,
                help="Columns that an attacker may know, besides the sets.",
            ),
            option(
                "--categorical",
                metavar="A,B",
                group=DATA,
                rare=True,
                help="Quasi-identifiers that look like numbers or dates but hold categories.",
            ),
            option(
                "--ordered",
                metavar="COLUMN=A,B,C",
                multiple=True,
                group=DATA,
                rare=True,
                help="The values of a quasi-identifier in order, smallest first. Repeatable.",
            ),
            option(
                "--missing",
                metavar="A,B",
                group=DATA,
                rare=True,
                help="Values of quasi-identifiers that mean 'unknown'. Blank cells always mean that.",
            ),
        ]
    ):
        command = add(command)
    return command


def column_options(command: Command) -> Command:
    """Options for the role of each column."""
    for add in (
        option("--plain", metavar="A,B", group=DATA, rare=True, help="Columns that are published unchanged."),
        option("--identifiers", metavar="A,B", group=DATA, help="Columns that name a person. They are not published."),
        option(
            "--column-weights",
            metavar="A=X,B=Y",
            group=DATA,
            rare=True,
            help="How much the loss of each quasi-identifier counts, from 0 to 1. Default: 1/n each.",
        ),
    ):
        command = add(command)
    return quasi_identifier_options(command)


keep_option = option(
    "--columns",
    metavar="A,B",
    group=DATA,
    help="The columns to publish beside the sets, quasi-identifiers included, or 'none'. Default: all.",
)


def parse_column_specs(given: dict[str, Any]) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Take these options out of a command's arguments: the description of each column, and the missing values.

    >>> parse_column_specs({"quasi_identifiers": "age,zip", "categorical": "zip", "missing": "?", "plain": "note"})
    ({'age': Column(role=<Role.QUASI_IDENTIFIER: 'quasi-identifier'>, type='auto', ...),
      'zip': Column(..., type='category', ...), 'note': Column(role=<Role.PLAIN: 'plain'>, ...)}, ('?',))
    """
    names = ("quasi_identifiers", "identifiers", "plain", "categorical")
    missing = _listed(given.pop("missing", None))
    lists = {name: _listed(given.pop(name, None)) for name in names}
    ordered = dict(_values_of(text) for text in given.pop("ordered", None) or ())
    weights = dict(_weight_of(text) for text in _listed(given.pop("column_weights", None)))
    return column_specs(**lists, ordered=ordered, column_weights=weights), missing


def _values_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Split ``size=small,large`` into the column and its values."""
    name, _, values = text.partition("=")
    if not values:
        raise OptionError(f"--ordered must be a column and its values, such as size=small,medium,large, got '{text}'.")
    return name, _listed(values)


def _weight_of(text: str) -> tuple[str, float]:
    """Split ``age=0.5`` into the column and its weight."""
    name, _, weight = text.partition("=")
    try:
        return name, float(weight)
    except ValueError:
        raise OptionError(
            f"--column-weights must be numbers from 0 to 1, such as age=0.5,zip=0.2, got '{text}'."
        ) from None


def dataset_spec(file: Path, given: dict[str, Any], **options: Any) -> DatasetSpec:
    """Take all options that describe the data out of a command's arguments; ``options`` are further fields."""
    read_as = ReadOptions(**reading(given))
    columns, missing = parse_column_specs(given)
    keep = given.pop("columns", None)
    taken = ("hierarchy_format", "unknown_items", "allow_missing")
    return DatasetSpec(
        file=str(file),
        reading=read_as,
        columns=columns,
        missing=missing,
        keep=None if keep is None else () if keep == "none" else _listed(keep),
        hierarchy=trees(given.pop("hierarchy")),
        weights=str(given.pop("weights", None) or ""),
        **{name: given.pop(name) for name in taken if name in given},
        **options,
    )


def _listed(text: str | None) -> tuple[str, ...]:
    """Return the names or values of an option such as ``a,b,"c, d"``, without blank ones."""
    return tuple(dict.fromkeys(name.strip() for name in names_of(text or "")))


def trees(texts: Collection[str]) -> dict[str, str]:
    """Map each column that ``--hierarchy`` names to its hierarchy. The key "" is for the items.

    >>> trees(["items.csv", "age=width:5,10"])
    {'': 'items.csv', 'age': 'width:5,10'}
    """
    named: dict[str, str] = {}
    for text in texts:
        name, _, hierarchy = text.partition("=")
        if not hierarchy or os.path.exists(text):
            name, hierarchy = "", text
        if name in named:
            of = f"column '{name}'" if name else "the items"
            raise OptionError(f"--hierarchy names two hierarchies of {of}: leave one out.")
        named[name] = hierarchy
    return named
