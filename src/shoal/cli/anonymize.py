"""``shoal anonymize``."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import console, dry_run
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option, keep_option
from shoal.cli.options import FILE, ModelCommand, choose, data_options, dataset_options, hierarchy_options, tell
from shoal.errors import OptionError
from shoal.hierarchies.codebook import beside
from shoal.io import LAYOUTS
from shoal.jobs.job import STDOUT, Job
from shoal.models.base import PrivacyModel
from shoal.models.people import class_sizes
from shoal.published import Grouping
from shoal.report import Story, formatting, headline, proofs
from shoal.report.flips import flips
from shoal.report.formatting import count_noun, share
from shoal.report.sections import Headline
from shoal.report.wording import worded


@click.command(cls=ModelCommand, specs=(PrivacyModel, Algorithm))
@click.argument("data", type=FILE)
@click.option(
    "-o", "--output", required=True, type=FILE, help="Where to write the published data; - for standard output."
)
@hierarchy_option("The item hierarchy (ARX, Amnesia, or parent-child file); some methods need none.")
@hierarchy_options
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@click.option("--algorithm", help="The algorithm (see: shoal algorithms); default: the model's, for km 'auto'.")
@click.option(
    "--loss", default="ncp", show_default=True, help="The information loss that a search minimises: ncp or lm."
)
@dataset_options("weights", "allow_missing")
@click.option("--seed", default=0, show_default=True, help="For algorithms that draw random numbers.")
@click.option(
    "--report", "reports", multiple=True, type=FILE, help="Also write a report: .html, .json or .md; repeatable."
)
@click.option(
    "--explanations/--no-explanations",
    default=True,
    show_default=True,
    help="Whether reports name the rare sets of the raw data that forced each group.",
)
@click.option(
    "--codebook",
    type=FILE,
    help="Where to write what each label represents: .csv or .json; default: beside the output, as NAME.codebook.csv, "
    "if groups of siblings are published.",
)
@click.option("--no-codebook", is_flag=True, help="Write no code book.")
@click.option(
    "--max-loss",
    type=float,
    metavar="X",
    help="Write nothing (exit code 3) if the loss that is minimised is above this, from 0 to 1.",
)
@column_options
@keep_option
@click.option("--output-format", help="Format to write; default: as the input, or by the output's name.")
@click.option(
    "--output-layout",
    type=click.Choice(LAYOUTS),
    help="One record a row (wide), or one item a row (long); default: as the input.",
)
@click.option(
    "--persons-out",
    type=FILE,
    help="With --person: also write whose each published record is, one id a line, for 'shoal verify --persons'. Do "
    "not publish it.",
)
@click.option(
    "--escape-formulas",
    is_flag=True,
    help="CSV: write a quote before cells that a spreadsheet would take for formulas (=, +, -, @).",
)
@click.option("--workers", default=0, show_default=True, help="Threads; 0: one for each processor. Changes no result.")
@dry_run.dry_run_option
@data_options
def anonymize(
    data: Path, model: str, algorithm: str | None, codebook: Path | None, no_codebook: bool, workers: int, **given: Any
) -> None:
    """Anonymize DATA: search, apply, verify, and only then write."""
    if codebook is not None and no_codebook:
        raise OptionError("--codebook and --no-codebook contradict each other: leave one out.")
    algorithm = algorithm or discovery.get("shoal.models", PrivacyModel, model).default_algorithm
    trial = given.pop("dry_run")
    spec = dataset_spec(data, given)
    plain = {one.name: given.pop(one.name) for one in fields(Job) if one.name in given}
    guarantee, method = choose({PrivacyModel: model, Algorithm: algorithm}, given)
    lists = tuple(Path(text) for texts in given.values() if isinstance(texts, tuple) for text in texts)
    book = False if no_codebook else codebook
    job = Job(data=spec, model=guarantee, algorithm=method, codebook=book, lists=lists, **plain)
    if trial:
        return dry_run.show(job, workers)
    if job.to_stdout:
        console.leave_stdout()
    with console.engine(workers) as engine:
        story = job.run(engine, tell)
    show(story, job.output, job.reports)


def show(story: Story, output: Path, reports: tuple[Path, ...]) -> None:
    """The result in a few lines."""
    release = story.release
    changed = flips(release, named=False)
    verdict, losses, cut = release.verdict, release.losses, release.summary
    checked = count_noun(verdict.checked, *release.problem.model.views)
    poor = headline.worthless(story)
    if poor is not None:
        _warn_first(release, poor)
    mark = "bold green" if poor is None else "bold"
    console.say(("Verified:", mark), f" {release.problem.model.describe(release.problem.persons)} ({checked} checked)")
    of_deletions = "" if release.algorithm.truthful else " (of deletions only)"
    before, after = (np.count_nonzero(rows.supports) for rows in (release.problem.items, release.published.rows))
    rows = [
        ("records", formatting.records_of(len(release.published.rows), release.problem.persons)),
        *([("labels", f"{before:,} items -> {after:,}")] if release.problem.model.covers_sets else []),
        *((("chunks of records", f"{cut.chunks:,}"),) if cut.chunks is not None else ()),
        *((("different records", f"{cut.different_records:,}"),) if cut.different_records is not None else ()),
        *_readable(release),
        *((("items suppressed", gone),) if (gone := _suppressed(release)) else ()),
        *([] if changed is None or release.change is None else changed.rows(release.change)),
        *_columns(release),
        *_of_sets(release, of_deletions),
        *(
            (f"loss, {name[9:].upper()} weighted", f"{value:.6f}")
            for name, value in losses.items()
            if name.startswith("weighted_") and name != "weighted_ul"
        ),
        *((("optimality", proofs.optimality(release)),) if release.optimality else ()),
        ("time", f"{sum(release.timings.values()):.2f} s (search {release.timings['solve']:.2f} s)"),
        ("written", "standard output" if str(output) == STDOUT else str(output)),
        *((("code book", release.provenance["codebook"]["name"]),) if release.provenance.get("codebook") else ()),
        *((("persons, not to be published", inside),) if (inside := _persons_file(release)) else ()),
        *(("report", str(path)) for path in reports),
    ]
    console.table(None, ["", ""], rows, right=9)
    if release.optimality and release.optimality.ended == "interrupted":
        console.warn("Interrupted: the best that was found so far was written, verified.")
    if str(output) == STDOUT and release.needs_codebook and not release.provenance.get("codebook"):
        console.warn("labels of groups need the code book: pass --codebook FILE to write it beside standard output.")
    stale = beside(output)
    if stale.is_file() and (release.provenance.get("codebook") or {}).get("name") != stale.name:
        console.warn(f"{stale} is not the code book of this release, but of an earlier one: remove it.")
    for note in release.notes:
        console.warn(worded(note), loud=note.untrue)


def _persons_file(release: shoal.Release) -> str:
    """The file that tells whose the records are; empty, if none was written."""
    return (release.provenance["persons"] or {}).get("file") or ""


def _warn_first(release: shoal.Release, poor: Headline) -> None:
    """What nobody should miss: the release is nearly worthless, why, and what does better."""
    console.say((f"{poor.title}:", "bold red"), f" {poor.why}")
    if poor.forced_by:
        console.say(f"What forced it: {poor.forced_by.sentence}")
    for at, one in enumerate(poor.better):
        console.say(f"{'Or' if at else 'This does better'}: {headline.sentence(release, one)}")
        console.say(f"  {one.command}")
    if poor.otherwise:
        console.say(poor.otherwise)


def _readable(release: shoal.Release) -> list[tuple[str, str]]:
    """How much of the items can still be read."""
    usefulness = release.usefulness
    if not release.algorithm.truthful or not release.problem.model.covers_sets or not usefulness.items:
        return []
    always = f"{usefulness.always_unchanged:,} of {count_noun(usefulness.different_items, 'item')} always"
    rows = [("items published unchanged", f"{share(usefulness.unchanged_share)} ({always})")]
    return rows + (
        [] if usefulness.median_items is None else [("median items behind a label", f"{usefulness.median_items:,}")]
    )


def _columns(release: shoal.Release) -> list[tuple[str, str]]:
    """What became of the columns, for models that are about them."""
    cut, losses = release.summary, release.losses
    if cut.classes is None:
        return []
    each = {name.partition(":")[2]: loss for name, loss in losses.items() if name.startswith("relational_ncp:")}
    raw = release.problem.relational
    assert raw is not None
    kinds = {one.name: f"{one.kind}s".replace("ys", "ies") for one in raw.attributes}
    return [
        (
            "classes of equal values",
            f"{cut.classes:,} (the smallest of {count_noun(cut.smallest_class or 0, 'record')}, the largest of "
            f"{cut.largest_class:,}{_persons_in_classes(release)})",
        ),
        ("loss of the columns, NCP", f"{losses['relational_ncp']:.6f}"),
        *((f"  {name}, {kinds[name]}", f"{loss:.6f}") for name, loss in each.items()),
        *((("bound on that loss", bound),) if (bound := _bound(release)) else ()),
    ]


def _persons_in_classes(release: shoal.Release) -> str:
    """The fewest persons of a class, where persons are given."""
    persons, published = release.problem.persons, release.published.relational
    if persons is None or published is None:
        return ""
    return f"; each of at least {persons.name(int(class_sizes(Grouping(published.classes, 1), persons).min()))}"


def _bound(release: shoal.Release) -> str:
    """Delta, for methods that bound the loss of the columns, and the least that would have done."""
    statistics = release.solution.statistics
    if "least_rum" not in statistics:
        return ""
    return f"delta {statistics['delta']:g}; the first clusters have {statistics['least_rum']:.4f}"


def _of_sets(release: shoal.Release, of_deletions: str) -> list[tuple[str, str]]:
    """What the sets lost, if the model is about them."""
    if not release.problem.model.covers_sets:
        return []
    names: tuple[str, ...] = ("ncp", "lm")
    if release.published.relational is not None:
        names = ("ul", "ncp", "lm")
    of = "loss of the sets" if release.published.relational is not None else "loss"
    return [(f"{of}, {name.upper()}{of_deletions}", f"{release.losses[name]:.6f}") for name in names]


def _suppressed(release: shoal.Release) -> str:
    """What was suppressed; empty: nothing, or it is told as deletions."""
    if not release.algorithm.truthful:
        return ""
    outcome = release.comparison.outcome
    if not outcome.suppressed:
        return ""
    part = f"{outcome.suppressed / outcome.items:.3%}".replace("%", " %")
    return f"{len(outcome.suppressed_items):,} ({count_noun(outcome.suppressed, 'time')}, {part})"
