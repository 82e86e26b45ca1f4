"""``shoal measure``: compare a published file with the original."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console, measure_output
from shoal.cli.columns import hierarchy_option, quasi_identifier_options, trees
from shoal.cli.help import DATA, MEASURES, GroupedCommand, engine_options, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, hierarchy_options, reading, tell
from shoal.cli.published import codebook_option, published_options, published_reading
from shoal.cli.workload import drawing_options, quasi_identifiers, query_options
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.measure import K, query_drawing
from shoal.metrics.ml2 import THRESHOLDS
from shoal.metrics.patterns import MOST, RULES, SETS
from shoal.metrics.workload import Workload
from shoal.options import labels_of, names_of
from shoal.report.formatting import count_noun

_AS_GIVEN = ("codebook", "unknown_items", "weights", "group_column", "k", "known")  # as the library takes them
DEFAULT = "default"  # what --mining says if it is given alone
PERCENT = ",".join(f"{threshold:.0%}".rstrip("%") for threshold in THRESHOLDS)


@click.command(cls=GroupedCommand)
@click.argument("original", type=INPUT)
@click.argument("published", type=INPUT)
@data_options
@hierarchy_option("The hierarchy that PUBLISHED was made with.")
@hierarchy_options
@codebook_option("Default: NAME.codebook.csv next to PUBLISHED, if it is needed.")
@dataset_options("weights")
@option(
    "--sensitive",
    metavar="FILE|A,B",
    multiple=True,
    group=DATA,
    help="The sensitive items, or groups of them. NCP and LM leave them out; changes of them are counted separately.",
)
@option(
    "--group-column",
    metavar="A",
    group=DATA,
    rare=True,
    help="The column of PUBLISHED with the group of each record. Default: equal records are a group.",
)
@quasi_identifier_options
@published_options
@option(
    "--k",
    type=click.IntRange(min=1),
    group=MEASURES,
    help=f"The k of PUBLISHED, for the privacy value and --known. Default: the smallest group; for --known: {K}.",
)
@option(
    "--known",
    metavar="M",
    type=click.IntRange(min=1),
    group=MEASURES,
    help="Also compare the risk before and after, for an attacker who knows 1 to M items of a record.",
)
@option(
    "--mining",
    metavar="[T,T,..]",
    is_flag=False,
    flag_value=DEFAULT,
    group=MEASURES,
    help=f"Also look for the most frequent sets of items, and with --hierarchy for all frequent ones at thresholds in "
    f"percent (ML2, dML2; alone: {PERCENT}).",
)
@option("--rules", is_flag=True, group=MEASURES, help="Also look for the association rules with the highest lift.")
@option(
    "--top",
    type=click.IntRange(1, MOST),
    group=MEASURES,
    help=f"How many sets and rules --mining and --rules look for. Default: {SETS}.",
)
@option(
    "--workload",
    type=FILE,
    group=MEASURES,
    help="Also measure ARE, the average relative error of queries, on the queries of this file (see: shoal workload).",
)
@option(
    "--queries", type=click.IntRange(min=1), group=MEASURES, help="Also measure ARE on N queries drawn from ORIGINAL."
)
@query_options
@engine_options
@json_option
def measure(
    original: Path,
    published: Path,
    hierarchy: tuple[str, ...],
    hierarchy_format: str | None,
    sensitive: tuple[str, ...],
    mining: str | None,
    rules: bool,
    top: int | None,
    workload: Path | None,
    queries: int | None,
    suppressed: str | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Measure how much PUBLISHED lost against ORIGINAL.

    The files may come from any tool. Their rows must stand in the same order.

    \b
    shoal measure baskets.dat out.dat --hierarchy products.csv
    shoal measure baskets.dat out.dat --hierarchy products.csv --mining --rules
    shoal measure people.csv out.csv --sets diagnoses --quasi-identifiers age,zip --queries 100
    """
    drawing = drawing_options(given)
    query_drawing(workload, queries, **drawing)  # refuse wrong options before reading anything
    thresholds, wanted = _thresholds(mining, hierarchy), _wanted(mining, rules=rules, top=top)
    asked = Workload.load(workload) if workload else None
    named = quasi_identifiers(given, hierarchy)
    read_as = reading(given)
    before = tell(shoal.read(original, **{**read_as, "escaped_formulas": False}))
    after = tell(shoal.read(published, **published_reading(published, given, read_as)))
    if hierarchy_format is not None and not hierarchy:
        raise OptionError("--hierarchy-format needs --hierarchy: add it, or leave --hierarchy-format out.")
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
            **wanted,
            **{name: given[name] for name in _AS_GIVEN},
        )
    console.notes(result.notes)
    if result.uncovered_records:
        console.warn(
            f"In {count_noun(result.uncovered_records, 'record')} the published values do not cover the original ones: "
            f"they are untrue, were removed, or are those of rows in another order.",
            loud=True,
        )
    console.show_json("measure", result.as_dict()) if as_json else measure_output.show(result)


def _wanted(mining: str | None, *, rules: bool, top: int | None) -> dict[str, Any]:
    """Return how many sets and rules are looked for, as the library takes them."""
    if top is not None and mining is None and not rules:
        raise OptionError("--top needs --mining or --rules: add one of them, or leave --top out.")
    wanted = {} if mining is None else {"top_sets": top or SETS}
    return {**wanted, "rules": top or RULES} if rules else wanted


def _thresholds(text: str | None, hierarchy: tuple[str, ...]) -> list[float] | None:
    """Parse percentages into shares, as exact as a float can be. Without a hierarchy there are no default ones."""
    if text is None or (text == DEFAULT and not hierarchy):
        return None
    text = PERCENT if text == DEFAULT else text
    try:
        thresholds = [float(Fraction(part.strip().removesuffix("%")) / 100) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        thresholds = []
    if not thresholds or not all(0 < threshold <= 1 for threshold in thresholds):
        raise OptionError(
            f"--mining must be percentages above 0 and up to 100 such as {PERCENT}, got '{text}' (to use the "
            f"default, put --mining last or before another option)."
        )
    return thresholds
