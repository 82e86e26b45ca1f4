"""``shoal measure``: what a published file lost, or gained, against the original."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console, measure_output
from shoal.cli.columns import hierarchy_option, quasi_identifier_options, trees
from shoal.cli.inspect import as_json, with_workers
from shoal.cli.options import FILE, data_options, hierarchy_options, reading, tell
from shoal.cli.published import codebook_option, published_options, published_reading
from shoal.cli.workload import drawing_options, quasi_identifiers, query_options
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.measure import K, query_drawing
from shoal.metrics.ml2 import THRESHOLDS
from shoal.metrics.workload import Workload
from shoal.options import labels_of, names_of
from shoal.report.formatting import count_noun

_AS_GIVEN = ("codebook", "unknown_items", "weights", "group_column", "k", "known")  # as the library takes them
PERCENT = ",".join(f"{threshold:.0%}".rstrip("%") for threshold in THRESHOLDS)


@click.command()
@click.argument("original", type=FILE)
@click.argument("published", type=FILE)
@hierarchy_option("The hierarchy that PUBLISHED was made with; default: only the items of ORIGINAL.")
@hierarchy_options
@codebook_option("Default: PUBLISHED's own NAME.codebook.csv, if labels are in it that are in no hierarchy.")
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
@published_options
@as_json
@with_workers
@data_options
def measure(
    original: Path,
    published: Path,
    hierarchy: tuple[str, ...],
    hierarchy_format: str | None,
    sensitive: tuple[str, ...],
    mining: str | None,
    workload: Path | None,
    queries: int | None,
    suppressed: str | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Measure what PUBLISHED lost against ORIGINAL (same rows in the same order; any tool's files).

    Where no label represents several items, it also tells what was added and deleted; of columns that are named as
    quasi-identifiers, what their ranges and groups lose.
    """
    drawing = drawing_options(given)
    query_drawing(workload, queries, **drawing)  # what is wrong with it is said before anything is read
    thresholds = None if mining is None else _thresholds(mining)
    asked = Workload.load(workload) if workload else None
    named = quasi_identifiers(given, hierarchy)
    read_as = reading(given)
    before = tell(shoal.read(original, **{**read_as, "escaped_formulas": False}))
    after = tell(shoal.read(published, **published_reading(published, given, read_as)))
    if hierarchy_format is not None and not hierarchy:
        raise OptionError("--hierarchy-format is about --hierarchy: give that too, or leave it out.")
    spec = DatasetSpec(
        file=str(original),
        reading=ReadOptions(**read_as),
        hierarchy=trees(hierarchy),
        hierarchy_format=hierarchy_format,
    )
    with console.engine(workers) as engine:
        result = shoal.measure(
            before,
            after,
            hierarchy=spec.load_item_hierarchy(before),
            sensitive=[label for text in sensitive for label in labels_of(text)],
            quasi_identifiers=named,
            mining=thresholds,
            workload=asked,
            queries=queries,
            query_values=drawing["values"],
            query_items=drawing["items"],
            seed=drawing["seed"],
            suppressed=None if suppressed is None else names_of(suppressed) or (suppressed,),
            engine=engine,
            **{name: given[name] for name in _AS_GIVEN},
        )
    console.notes(result.notes)
    if result.uncovered_records:
        console.warn(
            f"In {count_noun(result.uncovered_records, 'record')} the published values do not cover the original ones: "
            f"they are untrue, were removed, or are those of rows in another order.",
            loud=True,
        )
    console.show_json(result.as_dict()) if as_json else measure_output.show(result)


def _thresholds(text: str) -> list[float]:
    """Percentages as shares: exact, as far as a decimal is."""
    try:
        thresholds = [float(Fraction(part.strip().removesuffix("%")) / 100) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        thresholds = []
    if not thresholds or not all(0 < threshold <= 1 for threshold in thresholds):
        raise OptionError(
            f"--mining must be percentages above 0 and up to 100 such as {PERCENT}, got '{text}' (without any, let "
            f"another option follow it, or nothing)."
        )
    return thresholds
