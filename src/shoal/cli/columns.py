"""Options about the columns beside the sets, for the commands that know quasi-identifiers."""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import click

from shoal.cli.options import Command
from shoal.columns import Column
from shoal.errors import OptionError, did_you_mean


def quasi_identifier_options(command: Command) -> Command:
    """Which columns may be known, and what they are."""
    for option in reversed(
        [
            click.option(
                "--quasi-identifiers", metavar="A,B", help="Columns beside the sets that an adversary may know."
            ),
            click.option(
                "--categorical",
                metavar="A,B",
                help="Those of them that hold categories though they look like numbers or dates.",
            ),
            click.option(
                "--column-hierarchy",
                metavar="COLUMN=FILE|RANGES",
                multiple=True,
                help="The hierarchy of such a column: a file, or for numbers and dates ranges such as width:5,10, "
                "quantiles:8, breaks:18,65 or calendar:month,year; default: any range, for categories no groups. "
                "Repeatable.",
            ),
            click.option(
                "--missing", metavar="A,B", help="Values of these columns that mean 'not known', beside blanks."
            ),
        ]
    ):
        command = option(command)
    return command


def column_options(command: Command) -> Command:
    """What each column is: quasi-identifiers, and the others."""
    for option in (
        click.option("--plain", metavar="A,B", help="Columns that are published as they are."),
        click.option("--identifiers", metavar="A,B", help="Columns that name a person: left out of what is published."),
    ):
        command = option(command)
    return quasi_identifier_options(command)


def said(given: dict[str, Any], default: Collection[str] = ()) -> dict[str, Column | str]:
    """Take these options out of a command's arguments: what they say about each column they name.

    ``default`` are the columns that are quasi-identifiers if none is named (other than those with another role).

    >>> said({"quasi_identifiers": "age,zip", "categorical": "zip", "missing": "?", "plain": "note"})
    {'age': Column(..., type='auto', ..., missing=('?',), ...), 'zip': Column(..., type='category', ...),
     'note': 'plain'}
    """
    named, categorical, missing, *others = (
        _listed(given.pop(name, None)) for name in ("quasi_identifiers", "categorical", "missing", *_ROLES)
    )
    hierarchies = _hierarchies(given.pop("column_hierarchy", ()))
    roles: dict[str, Column | str] = {}
    for role, names in zip(_ROLES.values(), others, strict=True):
        for name in names:
            if name in roles or name in named:
                raise OptionError(f"Column '{name}' is given two roles: name it in one of the options only.")
            roles[name] = role
    known = {name: Column(missing=missing) for name in named or [name for name in default if name not in roles]}
    for flag, names in (("--categorical", categorical), ("--column-hierarchy", tuple(hierarchies))):
        for name in names:
            if name not in known:
                raise OptionError(
                    f"{flag} is about '{name}'{did_you_mean(name, known)}, which is no quasi-identifier: name it in "
                    f"--quasi-identifiers too."
                )
    if missing and not known:
        raise OptionError("--missing is about quasi-identifiers: name them with --quasi-identifiers, or leave it out.")
    for name in categorical:
        known[name] = replace(known[name], type="category")
    for name, hierarchy in hierarchies.items():
        known[name] = replace(known[name], hierarchy=hierarchy)
    return {**known, **roles}


_ROLES = {"identifiers": "identifier", "plain": "plain"}  # option -> the role of its columns


def _listed(text: str | None) -> tuple[str, ...]:
    """The names or values of an option such as ``a,b,"c, d"``; blanks are none."""
    lines = csv.reader([text or ""], skipinitialspace=True)
    return tuple(dict.fromkeys(part.strip() for line in lines for part in line if part.strip()))


def _hierarchies(texts: Collection[str]) -> dict[str, str]:
    """Column -> hierarchy."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, hierarchy = text.partition("=")
        if not name or not hierarchy:
            raise OptionError(
                f"--column-hierarchy must name a column and its hierarchy, such as age=width:5,10, got '{text}'."
            )
        if name in found:
            raise OptionError(f"--column-hierarchy names two hierarchies of column '{name}': leave one out.")
        found[name] = hierarchy
    return found
