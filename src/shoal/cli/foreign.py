"""Reading a published file that any tool may have made: other delimiters and names, marks for what was suppressed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np

import shoal
from shoal.cli import console
from shoal.cli.options import Command
from shoal.data.labels import set_members
from shoal.data.transactions import Transactions
from shoal.errors import DataError, OptionError, cut, did_you_mean
from shoal.report.plain import things

SUPPRESSED = "*"  # what ARX and Amnesia write


def published_options(command: Command) -> Command:
    """How to read the published file where it is not written like the original."""
    for option in reversed(
        [
            click.option("--published-format", help="Format of PUBLISHED, if that is not --format."),
            click.option(
                "--published-delimiter",
                metavar="TEXT",
                help="What separates columns, or the items of a basket line, in PUBLISHED, if not --delimiter.",
            ),
            click.option(
                "--published-column",
                metavar="A|A,B",
                multiple=True,
                help="The column that holds the sets in PUBLISHED, if it is not called as --column says; or several.",
            ),
            click.option(
                "--published-item-delimiter",
                metavar="TEXT",
                multiple=True,
                help="What separates items in PUBLISHED, if not --item-delimiter; of several columns, one for each.",
            ),
            click.option(
                "--suppressed",
                metavar="A,B",
                help="Labels of PUBLISHED that stand for what was suppressed, items or whole records; default: "
                f"'{SUPPRESSED}', unless it is an item or in the hierarchy (a root can be named here).",
            ),
        ]
    ):
        command = option(command)
    return command


def published_reading(given: dict[str, Any], read_as: dict[str, Any]) -> dict[str, Any]:
    """Take these options out of a command's arguments: how to read the published file, as :func:`shoal.read` does."""
    chosen = {**read_as, "multiset": False, "drop_items": ()}  # its labels carry their counts already
    for name in ("format", "delimiter", "column", "item_delimiter"):
        said = given.pop(f"published_{name}")
        if isinstance(said, tuple):
            said = said if len(said) > 1 else said[0] if said else None
        if said is not None:
            chosen[name] = said
    return chosen


def without_suppressed(
    after: shoal.Dataset, said: str | None, items: Collection[str], tree: shoal.Hierarchy | None
) -> shoal.Dataset:
    """The published data without labels that stand for what was suppressed, with a note that says how many."""
    rows = after.transactions
    marks = (SUPPRESSED,) if said is None else tuple(said.split(","))
    for mark in marks:
        root = tree is not None and mark == tree.labels[-1]
        known = mark in items or (tree is not None and mark in tree.code_of and not root)
        if said is not None and (known or mark not in rows.labels):
            why = "is an item, or a group of the hierarchy" if known else f"is in no record of {after.origin.name}"
            raise OptionError(f"--suppressed '{cut(mark)}' {why}: leave it out of that option.")
        if known or mark not in rows.labels:
            continue
        if root and said is None:
            console.warn(
                f"'{mark}' is in {things(int(rows.supports[rows.labels.index(mark)]), 'record')} of "
                f"{after.origin.name}: taken as the root of the hierarchy, some item. If it stands for what was "
                f"suppressed, add --suppressed '{mark}'."
            )
            continue
        code = rows.labels.index(mark)
        times = int(rows.supports[code])
        if said is None and times:
            console.warn(
                f"'{mark}' is in {things(times, 'record')} of {after.origin.name}, and is neither an item nor a group: "
                f"taken as what was suppressed."
            )
        codes = np.arange(len(rows.labels), dtype=np.int32)
        codes[code] = -1
        rows = rows.recode(codes, rows.labels)
    return replace(after, transactions=rows)


def refuse_torn(data: shoal.Dataset) -> None:
    """Refuse pieces of sets such as (a,b) that were split where their items are, as they would count as labels."""
    rows = data.transactions
    supports = rows.supports
    used = [
        (code, label)
        for code, label in enumerate(rows.labels)
        if supports[code] and label.count("(") != label.count(")")
    ]
    opened = [(code, label) for code, label in used if label.startswith("(") and ")" not in label]
    if opened and any(label.endswith(")") and "(" not in label for _, label in used):
        code, label = opened[0]
        raise DataError(
            f"Label '{cut(label)}' ({data.first_use(code)}) looks like a piece of a set such as (a,b): what separates "
            f"items also stands inside the sets. Quote them ('\"(a,b)\"'), or separate items by another mark."
        )


def places(data: shoal.Dataset, rows: Transactions) -> Callable[[int], str]:
    """Where a label of rows made from the data is first used."""
    code_of = {label: code for code, label in enumerate(data.transactions.labels)}
    return lambda code: data.first_use(code_of[rows.labels[code]])


def only_items(after: shoal.Dataset, before: shoal.Dataset) -> None:
    """Without a hierarchy, every published label must be an item."""
    items, rows = set(before.transactions.labels), after.transactions
    for code in np.flatnonzero(rows.supports).tolist():
        label = rows.labels[code]
        if label not in items and not items.issuperset(set_members(label) or [label]):
            raise DataError(
                f"Published label '{cut(label)}' ({after.first_use(code)}) is not an item of {before.origin.name}"
                f"{did_you_mean(label, items)}: if it is a group, give the hierarchy that it comes from (--hierarchy)."
            )


def items_of(label: str, tree: shoal.Hierarchy, data: shoal.Dataset) -> Sequence[str]:
    """What a label that is said to be sensitive names: an item, or all items of a group."""
    items, below = data.transactions.labels, tree.items_of(label)
    if label not in items and label not in tree.code_of:
        near = did_you_mean(label, (*items, *tree.labels))
        raise OptionError(f"Sensitive '{label}'{near} is not in {data.origin.name}: correct or remove it.")
    if label in items and label not in below:
        raise OptionError(f"'{label}' is an item of the data and a group in {tree.name}: rename one of them.")
    return below
