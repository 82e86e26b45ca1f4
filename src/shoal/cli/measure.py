"""``shoal measure``: what a published file lost, or gained, against the original."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal.cli import console, foreign
from shoal.cli.columns import hierarchy_option, quasi_identifier_options, trees
from shoal.cli.inspect import as_json, with_workers
from shoal.cli.measure_output import Measured
from shoal.cli.options import FILE, data_options, hierarchy_options, reading, tell
from shoal.cli.workload import drawing, quasi_identifiers, query_options
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.relational import Relational
from shoal.data.sensitive import take_apart
from shoal.errors import OptionError
from shoal.hierarchies import axes
from shoal.jobs.job import items_tree
from shoal.metrics import Comparison
from shoal.metrics.are import are
from shoal.metrics.ml2 import THRESHOLDS, mining_loss, summed_up
from shoal.metrics.workload import Workload
from shoal.options import labels_of
from shoal.published import Grouping
from shoal.release.pipeline import measure_all
from shoal.report.formatting import things

K = 5  # for the risk, if none is given
PERCENT = ",".join(f"{threshold:.0%}".rstrip("%") for threshold in THRESHOLDS)


@click.command()
@click.argument("original", type=FILE)
@click.argument("published", type=FILE)
@hierarchy_option("The hierarchy that PUBLISHED was made with; default: only the items of ORIGINAL.")
@hierarchy_options
@foreign.codebook_option("Default: PUBLISHED's own NAME.codebook.csv, if labels are in it that are in no hierarchy.")
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
    help=f"The k it was made with, for the privacy value (default: the smallest group) and for --known (default: {K}).",
)
@click.option(
    "--known",
    metavar="M",
    type=click.IntRange(min=1),
    help="Compare the risk before and after, if 1, 2, .. M items of a record are known, up to the longest record.",
)
@click.option(
    "--mining",
    metavar="[T,T,..]",
    is_flag=False,
    flag_value=PERCENT,
    help=f"Compare the frequent itemsets (ML2, dML2) at these thresholds, in percent of the records ({PERCENT} if none "
    "are named). Needs --hierarchy.",
)
@quasi_identifier_options
@click.option(
    "--workload",
    type=FILE,
    help='Queries to measure ARE by: JSON lines such as {"age": "[20:30]", "items": ["a"]} (see: shoal workload).',
)
@click.option(
    "--queries", type=click.IntRange(min=1), help="Measure ARE by so many queries, drawn from ORIGINAL (100 is common)."
)
@query_options
@foreign.published_options
@as_json
@with_workers
@data_options
def measure(
    original: Path,
    published: Path,
    hierarchy: tuple[str, ...],
    hierarchy_format: str | None,
    unknown_items: str,
    codebook: Path | None,
    weights: Path | None,
    sensitive: tuple[str, ...],
    group_column: str | None,
    k: int | None,
    known: int | None,
    mining: str | None,
    workload: Path | None,
    queries: int | None,
    suppressed: str | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Measure what PUBLISHED lost against ORIGINAL (same rows in the same order; any tool's files).

    Where no label stands for several items, it also tells what was added and deleted; of columns that are named as
    quasi-identifiers, what their ranges and groups lose.
    """
    drawn = _drawn(given, workload, queries)
    thresholds = None if mining is None else _thresholds(mining)
    own = Workload.load(workload) if workload else None
    may_be_known = quasi_identifiers(given, hierarchy)
    read_as = reading(given)
    before = tell(shoal.read(original, **{**read_as, "escaped_formulas": False}))
    after = tell(shoal.read(published, **foreign.published_reading(given, read_as)))
    if hierarchy_format is not None and not hierarchy:
        raise OptionError("--hierarchy-format is about --hierarchy: give that too, or leave it out.")
    tree = items_tree(before, trees(hierarchy), format=hierarchy_format, multiset=read_as["multiset"])
    alone = tree.name == NO_HIERARCHY
    own_items = set(before.transactions.labels)
    book = foreign.codebook_of(codebook, published, after, own_items, None if alone else tree)
    if alone and book is not None:
        tree = book.flat(tree.items)
    if alone and thresholds is not None:
        raise OptionError("--mining needs --hierarchy: itemsets are mined at each of its levels.")
    after = foreign.without_suppressed(after, suppressed, own_items, None if alone else tree, book)
    foreign.refuse_torn(after)
    if alone:
        foreign.only_items(after, before, book)
    hidden = [item for text in sensitive for label in labels_of(text) for item in foreign.items_of(label, tree, before)]
    tree = tree.without_items(hidden)
    (left, was), (shown, now) = (take_apart(data, hidden) for data in (before, after))
    if unknown_items == "root":
        tree = tree.with_items_under_root(left.in_use().labels)
    items = tree.encode(left, before.first_use)
    counted = shoal.Weights.load(weights).per_item(tree, hidden) if weights else None
    shown = shown.in_use()
    resolved = replace(shoal.Published.resolve(shown, tree, foreign.places(after, shown), book), sensitive=now)
    resolved = _grouped(resolved, after, group_column, k, all_rows=not hidden, used=known is not None)
    columns_were, columns_are = _columns(before, after, may_be_known)
    raw = replace(shoal.Published.plain(items, was), relational=columns_were)
    resolved = replace(resolved, relational=columns_are)
    compared = Comparison(raw, resolved)
    losses = measure_all(compared, counted)
    found = Measured(losses, {})
    asked = own if drawn is None else Workload.generated(raw, **drawn)
    if asked is not None:
        found.asked = are(raw, resolved, asked)
        losses["are"] = found.asked.mean
    with console.engine(workers) as engine:
        if thresholds is not None:
            found.mined = mining_loss(raw, resolved, tree, thresholds, engine)
            losses |= summed_up(found.mined)
        if known is not None:
            before_after = (raw.rows, resolved.rows)
            longest = max(int(rows.sizes.max(initial=1)) for rows in before_after)  # nobody can know more
            found.risks = tuple(shoal.Risk.of(rows, k or K, min(known, longest), engine) for rows in before_after)
    found.counts = {
        **_outcome(compared),
        **_uncovered(columns_were, columns_are),
        **({} if asked is None else {"queries": len(asked)}),
    }
    found.show_json() if as_json else found.show()


def _drawn(given: dict[str, Any], workload: Path | None, queries: int | None) -> dict[str, Any] | None:
    """How to draw queries, as :meth:`Workload.generated` wants it; nothing, if none are to be drawn."""
    options = drawing(given)
    if workload is not None and (queries is not None or options):
        raise OptionError(
            "--workload names the queries, so none are drawn: leave it out, or --queries and its options."
        )
    if queries is None:
        for name in options:
            flag = {"values": "--query-values", "items": "--query-items"}.get(name, "--seed")
            raise OptionError(f"{flag} is about --queries: give that too, or leave it out.")
        return None
    return {"queries": queries, **options}


def _thresholds(text: str) -> list[float]:
    """Percentages as shares: exact, as far as a decimal is."""
    try:
        found = [float(Fraction(part.strip().removesuffix("%")) / 100) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        found = []
    if not found or not all(0 < threshold <= 1 for threshold in found):
        raise OptionError(
            f"--mining must be percentages above 0 and up to 100 such as {PERCENT}, got '{text}' (without any, let "
            f"another option follow it, or nothing)."
        )
    return found


def _outcome(compared: Comparison) -> dict[str, int]:
    """What became of the occurrences."""
    made, items, published = compared.outcome, compared.original.rows, compared.published
    gone, times = made.suppressed_items, made.suppressed_counts
    if not published.generalized:  # then items may have been deleted here and there: only those that vanished count
        vanished = times == items.supports[gone]
        gone, times = gone[vanished], times[vanished]
    return {
        "occurrences": made.occurrences,
        "intact_occurrences": made.intact,
        "suppressed_occurrences": int(times.sum()),
        "suppressed_items": len(gone),
        "emptied_records": made.emptied,
    }


def _columns(
    before: shoal.Dataset, after: shoal.Dataset, named: dict[str, shoal.Column]
) -> tuple[Relational | None, Relational | None]:
    """The quasi-identifiers, original and published; nothing, if none are named."""
    if not named:
        return None, None
    for data in (before, after):
        data.keep_columns(list(named))  # they must be there
    were = axes.relational(before, named)
    return were, axes.resolved(after, were, named)


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


def _grouped(
    published: shoal.Published, data: shoal.Dataset, column: str | None, k: int | None, *, all_rows: bool, used: bool
) -> shoal.Published:
    """With the groups of rows that were changed together, unless labels hide what was changed.

    ``used``: k says something else too.
    """
    grouping = None if column is None else Grouping.of_column(data, column, 1)
    if grouping is not None:
        grouping = Grouping(grouping.of, int(grouping.sizes.min(initial=len(data))))
    if published.generalized:
        if column is not None or (k is not None and not used):
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
