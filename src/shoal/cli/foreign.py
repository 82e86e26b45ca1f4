"""Reading a published file that any tool may have made: other delimiters and names, marks for what was suppressed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal.cli import console
from shoal.cli.options import FILE, Command
from shoal.data.labels import set_members
from shoal.data.transactions import Transactions
from shoal.errors import DataError, OptionError, cut, did_you_mean
from shoal.hierarchies.codebook import CodeBook, beside
from shoal.options import names_of
from shoal.privacy import Verdict, Witness
from shoal.report.formatting import things

SUPPRESSED = "*"  # what ARX and Amnesia write
SPELLED = 12  # items that are named for a label
GROUP = re.compile(r"\bgroup[ -]\d+[ -]of[ -]\d+")  # how Shoal names groups of siblings


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


def codebook_option(about: str) -> Callable[[Command], Command]:
    """The code book of a published file."""
    return click.option(
        "--codebook", type=FILE, help=f"The code book of the release: what its labels stand for. {about}"
    )


def codebook_of(
    given: Path | None, published: Path, after: shoal.Dataset, known: Collection[str], tree: shoal.Hierarchy | None
) -> CodeBook | None:
    """The code book that is given, or the one beside the published file if that tells labels nothing else knows."""
    rows = after.transactions
    used = [rows.labels[code] for code in np.flatnonzero(rows.supports)]
    if given is not None:
        book = CodeBook.load(given)
        book.check(used, after.origin.name)
        return book
    path = beside(published)
    unknown = [label for label in used if label not in known and (tree is None or label not in tree.code_of)]
    if not unknown or not path.is_file():
        return None
    book = CodeBook.load(path)
    if not any(label in book for label in unknown):
        return None
    console.warn(f"Labels are looked up in {path}, which lies beside {published.name}.")
    return book


def check_labels(labels: Sequence[str], book: CodeBook, tree: shoal.Hierarchy | None, data: shoal.Dataset) -> None:
    """Every published label must be an item or in the code book. Without a hierarchy, all others pass for items.

    With one, the code book must agree with it.
    """
    code_of = {label: code for code, label in enumerate(data.transactions.labels)}
    if tree is not None:
        rows = Transactions.from_sets([labels])
        shoal.Published.resolve(rows, tree, lambda code: data.first_use(code_of[rows.labels[code]]), book)
        return
    inside = set(book.items)
    for label in labels:
        if label in book or label in inside:
            continue
        if GROUP.search(label):
            raise DataError(
                f"Published label '{cut(label)}' ({data.first_use(code_of[label])}) is named like a group, but is not "
                f"in the code book {book.name}{did_you_mean(label, book.labels)}: give the one that was written with "
                f"the data, or --hierarchy if it is a node or an item there."
            )


def spelled(witness: Witness, book: CodeBook | None) -> dict[str, Any]:
    """What the labels of a witness stand for, for machines; nothing without a code book."""
    if book is None:
        return {}
    return {"items": {label: list(book.items_of(label)) for label in witness.named if label in book}}


def show_items(verdict: Verdict, book: CodeBook | None) -> None:
    """What the labels of witnesses stand for."""
    named = {label: None for one in verdict.witnesses for label in one.named}
    rows = [(label, _listed(book.items_of(label))) for label in named if book is not None and label in book]
    if rows:
        console.table("In the code book:", ["label", "stands for"], rows, right=9)


def _listed(items: Sequence[str]) -> str:
    """Some items by name."""
    more = f" and {len(items) - SPELLED:,} more" if len(items) > SPELLED else ""
    return ", ".join(map(cut, items[:SPELLED])) + more


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
    after: shoal.Dataset,
    said: str | None,
    items: Collection[str],
    tree: shoal.Hierarchy | None,
    book: CodeBook | None = None,
) -> shoal.Dataset:
    """The published data without labels that stand for what was suppressed, with a note that says how many."""
    rows = after.transactions
    marks = (SUPPRESSED,) if said is None else names_of(said) or (said,)
    for mark in marks:
        root = tree is not None and mark == tree.labels[-1]
        known = mark in items or (tree is not None and mark in tree.code_of and not root)
        known = known or (book is not None and mark in book and (said is None or not root))
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


def only_items(after: shoal.Dataset, before: shoal.Dataset, book: CodeBook | None = None) -> None:
    """Without a hierarchy, every published label must be an item, or in the code book."""
    items, rows = set(before.transactions.labels), after.transactions
    if book is not None:
        items |= {*book.labels, *book.items}
    for code in np.flatnonzero(rows.supports).tolist():
        label = rows.labels[code]
        if label not in items and not items.issuperset(set_members(label) or [label]):
            raise DataError(
                f"Published label '{cut(label)}' ({after.first_use(code)}) is not an item of {before.origin.name}"
                f"{did_you_mean(label, items)}: if it is a group, give the hierarchy that it comes from (--hierarchy), "
                f"or the code book of the release (--codebook)."
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
