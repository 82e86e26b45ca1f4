"""``shoal measure``: what a published file lost, or gained, against the original."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal import columns
from shoal.anonymize import measure_all
from shoal.cli import console
from shoal.cli.columns import hierarchy_option, quasi_identifier_options, said, trees
from shoal.cli.inspect import as_json
from shoal.cli.options import FILE, data_options, hierarchy_options, reading
from shoal.data.labels import set_members
from shoal.data.relational import Relational
from shoal.data.sensitive import take_apart
from shoal.errors import DataError, OptionError, cut, did_you_mean
from shoal.evaluation.workload import ASKED, VALUES, Workload
from shoal.job import items_tree
from shoal.metrics import Outcome
from shoal.metrics.are import ARE
from shoal.options import labels_of
from shoal.published import Grouping
from shoal.report import words
from shoal.report.plain import things
from shoal.report.words import NO_HIERARCHY


@click.command()
@click.argument("original", type=FILE)
@click.argument("published", type=FILE)
@hierarchy_option("The hierarchy that PUBLISHED was made with; default: only the items of ORIGINAL.")
@hierarchy_options
@click.option("--weights", type=FILE, help="How much the loss of items or groups counts; adds the weighted losses.")
@click.option(
    "--sensitive",
    metavar="FILE|A,B",
    multiple=True,
    help="Items that were sensitive, or groups of them: NCP and LM leave them out, operations count them apart.",
)
@click.option(
    "--group-column",
    metavar="NAME",
    help="The column of PUBLISHED that tells which records were changed together (blank: none); default: equal records "
    "are a group; with --sensitive, only those with a sensitive item. (Two groups that became equal count as one then, "
    "so KL divergence and privacy value may differ from those of the report.)",
)
@click.option(
    "--k",
    type=click.IntRange(min=1),
    help="For the privacy value: the k it was made with; default: the smallest group.",
)
@quasi_identifier_options
@click.option(
    "--workload", type=FILE, help='Queries to measure ARE by: JSON lines such as {"age": "[20:30]", "items": ["a"]}.'
)
@click.option(
    "--queries", type=click.IntRange(min=1), help="Measure ARE by so many queries, drawn from ORIGINAL (100 is common)."
)
@click.option(
    "--query-values",
    type=click.IntRange(min=0),
    help=f"Quasi-identifiers that such a query asks for; default: {VALUES}, or all if there are fewer.",
)
@click.option(
    "--query-items",
    type=click.IntRange(min=0),
    help=f"Items that such a query asks for; default: {ASKED}, or fewer if no record has so many.",
)
@click.option("--seed", type=click.IntRange(min=0), help="For drawing the queries; default: 0.")
@click.option(
    "--published-item-delimiter",
    metavar="TEXT",
    multiple=True,
    help="What separates items in PUBLISHED, if that is not --item-delimiter; of several columns, one for each.",
)
@as_json
@data_options
def measure(
    original: Path,
    published: Path,
    hierarchy: tuple[str, ...],
    hierarchy_format: str | None,
    unknown_items: str,
    weights: Path | None,
    sensitive: tuple[str, ...],
    group_column: str | None,
    k: int | None,
    workload: Path | None,
    queries: int | None,
    published_item_delimiter: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Measure what PUBLISHED lost against ORIGINAL (same rows in the same order; any tool's files).

    Where no label stands for several items, it also tells what was added and deleted; of columns that are named as
    quasi-identifiers, what their ranges and groups lose.
    """
    read_as = reading(given)
    drawn = _drawn(given, workload, queries)
    own = Workload.load(workload) if workload else None
    named, missing = said(given)
    given_trees = trees(hierarchy)
    unnamed = [name for name, one in named.items() if isinstance(one, shoal.Column) and one.role is None]
    if unnamed or (missing and not named):
        about = (
            f"--categorical is about '{unnamed[0]}', which is not"
            if unnamed
            else "--missing is about columns, of which none is"
        )
        raise OptionError(f"{about} named as a quasi-identifier: name it in --quasi-identifiers, or leave it out.")
    before = shoal.read(original, **read_as)
    as_published = {**read_as, "multiset": False, "drop_items": ()}  # its labels carry their counts already
    if published_item_delimiter:
        marks = published_item_delimiter
        as_published["item_delimiter"] = marks if len(marks) > 1 else marks[0]
    after = shoal.read(published, **as_published)
    if hierarchy_format is not None and not hierarchy:
        raise OptionError("--hierarchy-format is about --hierarchy: give that too, or leave it out.")
    tree = items_tree(before, given_trees, format=hierarchy_format, multiset=read_as["multiset"])
    if tree.name == NO_HIERARCHY:
        _only_items(after, before)
    hidden = [item for text in sensitive for label in labels_of(text) for item in _items_of(label, tree, before)]
    tree = tree.without_items(hidden)
    (known, was), (shown, now) = (take_apart(data, hidden) for data in (before, after))
    if unknown_items == "root":
        tree = tree.with_items_under_root(known.in_use().labels)
    items = tree.encode(known, before.first_use)
    counted = shoal.Weights.load(weights).per_item(tree) if weights else None
    resolved = replace(shoal.Published.resolve(shown.in_use(), tree), sensitive=now)
    resolved = _grouped(resolved, after, group_column, k, all_rows=not hidden)
    may_be_known = {
        name: replace(one, hierarchy=given_trees.get(name), missing=missing)
        for name, one in named.items()
        if isinstance(one, shoal.Column)
    }
    columns_were, columns_are = _columns(before, after, may_be_known)
    raw = replace(shoal.Published.plain(items, was), relational=columns_were)
    resolved = replace(resolved, relational=columns_are)
    losses = measure_all(raw, resolved, counted)
    asked = Workload.generated(raw, **drawn) if drawn else own
    losses |= ARE(asked).of(raw, resolved)
    made = Outcome.of(items, resolved)
    gone, times = made.suppressed_items, made.suppressed_counts
    if not resolved.generalized:  # then items may have been deleted here and there: only those that vanished count
        vanished = times == items.supports[gone]
        gone, times = gone[vanished], times[vanished]
    counts = {
        "occurrences": made.occurrences,
        "intact_occurrences": made.intact,
        "suppressed_occurrences": int(times.sum()),
        "suppressed_items": len(gone),
        "emptied_records": made.emptied,
        **_uncovered(columns_were, columns_are),
        **({} if asked is None else {"queries": len(asked)}),
    }
    if as_json:
        console.show_json({name: value if math.isfinite(value) else None for name, value in (losses | counts).items()})
    else:
        figures = [(name, _figure(name, value)) for name, value in losses.items()]
        figures += [(name.replace("_", " "), f"{value:,}") for name, value in counts.items()]
        console.table(None, ["measure", "value"], figures)


def _drawn(given: dict[str, Any], workload: Path | None, queries: int | None) -> dict[str, int]:
    """How to draw queries, as :meth:`Workload.generated` wants it; nothing, if none are to be drawn."""
    texts = {"values": "query_values", "items": "query_items", "seed": "seed"}
    options = {name: value for name, option in texts.items() if (value := given.pop(option)) is not None}
    if workload is not None and (queries is not None or options):
        raise OptionError(
            "--workload names the queries, so none are drawn: leave it out, or --queries and its options."
        )
    if queries is None:
        for name in options:
            flag = "--" + texts[name].replace("_", "-")
            raise OptionError(f"{flag} is about --queries: give that too, or leave it out.")
        return {}
    return {"queries": queries, **options}


def _columns(
    before: shoal.Dataset, after: shoal.Dataset, named: dict[str, shoal.Column]
) -> tuple[Relational | None, Relational | None]:
    """The quasi-identifiers, original and published; nothing, if none are named."""
    if not named:
        return None, None
    for data in (before, after):
        data.keep_columns(list(named))  # they must be there
    were = columns.relational(before, named)
    return were, columns.resolved(after, were, named)


def _uncovered(were: Relational | None, are: Relational | None) -> dict[str, int]:
    """In how many records the published values do not cover the original ones; a warning, if there are any."""
    if were is None or are is None:
        return {}
    wrong = int(np.count_nonzero(~are.covers(were)))
    if wrong:
        console.warn(
            f"In {things(wrong, 'record')} the published values do not cover the original ones: they are untrue, were "
            f"removed, or are those of rows in another order.",
            loud=True,
        )
    return {"uncovered_records": wrong}


def _only_items(after: shoal.Dataset, before: shoal.Dataset) -> None:
    """Without a hierarchy, every published label must be an item."""
    items, rows = set(before.transactions.labels), after.transactions
    for code in np.flatnonzero(rows.supports).tolist():
        label = rows.labels[code]
        if label not in items and not items.issuperset(set_members(label) or [label]):
            raise DataError(
                f"Published label '{cut(label)}' ({after.first_use(code)}) is not an item of {before.origin.name}"
                f"{did_you_mean(label, items)}: if it is a group, give the hierarchy that it comes from (--hierarchy)."
            )


def _items_of(label: str, tree: shoal.Hierarchy, data: shoal.Dataset) -> tuple[str, ...]:
    """What a label that is said to be sensitive names: an item, or all items of a group."""
    items, below = data.transactions.labels, tree.items_of(label)
    if label not in items and label not in tree.code_of:
        near = did_you_mean(label, (*items, *tree.labels))
        raise OptionError(f"Sensitive '{label}'{near} is not in {data.origin.name}: correct or remove it.")
    if label in items and label not in below:
        raise OptionError(f"'{label}' is an item of the data and a group in {tree.name}: rename one of them.")
    return below


def _grouped(
    published: shoal.Published, data: shoal.Dataset, column: str | None, k: int | None, *, all_rows: bool
) -> shoal.Published:
    """With the groups of rows that were changed together, unless labels hide what was changed."""
    grouping = None if column is None else Grouping.of_column(data, column, 1)
    if grouping is not None:
        grouping = Grouping(grouping.of, int(grouping.sizes.min(initial=len(data))))
    if published.generalized:
        if column is not None or k is not None:
            console.warn(
                "Some labels stand for several items, so what was added or deleted cannot be told: --group-column and "
                "--k change nothing."
            )
        return published
    if grouping is None:
        hidden = published.sensitive
        some = hidden.items.sizes > 0 if hidden is not None and not all_rows else np.ones(len(data), dtype=np.bool_)
        grouping = Grouping.of_equal_rows(published.as_written, some)
    if k is not None:
        if len(grouping) and k > grouping.sizes.min():
            console.warn(f"The smallest group has {things(int(grouping.sizes.min()), 'record')}, below --k {k}.")
        grouping = Grouping(grouping.of, k)
    return replace(published, grouping=grouping)


def _figure(name: str, value: float) -> str:
    """A measured value with all the digits that a comparison may need."""
    if name == "privacy_value" or isinstance(value, int) or not math.isfinite(value):
        return words.loss(name, value)
    return f"{value:.6f}"
