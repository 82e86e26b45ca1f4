"""``shoal anonymize``."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import console, dry_run, release_json
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option, keep_option
from shoal.cli.help import OUTPUT, SEARCH, Command, cluster_options, engine_options, json_option, option
from shoal.cli.keys import ask_passphrase
from shoal.cli.model_options import ModelCommand, algorithm_option, choose, loss_option, model_option
from shoal.cli.options import (
    FILE,
    INPUT,
    data_options,
    dataset_options,
    hierarchy_options,
    tell,
)
from shoal.cli.output_options import output_options, outputs
from shoal.errors import OptionError
from shoal.hierarchies.codebook import codebook_path
from shoal.jobs.job import STDOUT, Job
from shoal.models.base import PrivacyModel
from shoal.models.people import class_sizes
from shoal.published import Grouping
from shoal.report import Story, formatting, headline, proofs
from shoal.report.flips import flips
from shoal.report.formatting import count_noun, share
from shoal.report.sections import Headline
from shoal.report.wording import worded

if TYPE_CHECKING:
    from shoal.engines.cluster import Cluster


def problem_options(command: Command) -> Command:
    """What to anonymize, and how."""
    for add in reversed(PROBLEM):
        command = add(command)
    return command


PROBLEM = (
    data_options,
    hierarchy_option("The hierarchy of the items."),
    hierarchy_options,
    column_options,
    keep_option,
    dataset_options("weights", "allow_missing"),
    model_option(),
    algorithm_option(
        "--algorithm", help="The algorithm (see: shoal algorithms).", show_default="that of the model; for km: auto"
    ),
    loss_option(),
    option("--seed", default=0, group=SEARCH, rare=True, help="The seed of algorithms that draw random numbers."),
)


@click.command(cls=ModelCommand, specs=(PrivacyModel, Algorithm))
@click.argument("data", type=INPUT)
@output_options
@option(
    "--proof",
    type=FILE,
    group=OUTPUT,
    rare=True,
    help="km by optimal or auto: write what the lower bound rests on, for 'shoal check-proof'. Do not publish it.",
)
@problem_options
@dry_run.dry_run_option
@engine_options
@cluster_options
@json_option
def anonymize(
    data: Path,
    model: str,
    algorithm: str | None,
    workers: int,
    as_json: bool,
    cluster: Cluster | None,
    **given: Any,
) -> None:
    """Anonymize DATA, verify the result, and only then write it.

    \b
    shoal anonymize baskets.dat -o out.dat --k 5 --m 2 --hierarchy products.csv
    shoal anonymize baskets.dat -o out.dat --model lm --l 4 --sensitive HIV,cancer --report report.html
    shoal anonymize people.csv -o out.csv --model k-km --k 10 --sets diagnoses --quasi-identifiers age,zip
    """
    trial = given.pop("dry_run")
    job = job_of(data, model, algorithm, given, **outputs(given))
    carry_out(job, workers, trial=trial, as_json=as_json, command="anonymize", cluster=cluster)


def job_of(data: Path, model: str, algorithm: str | None, given: dict[str, Any], **written: Any) -> Job:
    """Return the job that a command's arguments describe. ``written``: fields about what is written."""
    algorithm = algorithm or discovery.get("shoal.models", PrivacyModel, model).default_algorithm
    spec = dataset_spec(data, given)
    plain = {one.name: given.pop(one.name) for one in fields(Job) if one.name in given}
    guarantee, method = choose({PrivacyModel: model, Algorithm: algorithm}, given)
    lists = tuple(Path(text) for texts in given.values() if isinstance(texts, tuple) for text in texts)
    return Job(data=spec, model=guarantee, algorithm=method, lists=lists, **plain, **written)


def carry_out(
    job: Job, workers: int, *, trial: bool, as_json: bool, command: str, cluster: Cluster | None = None
) -> None:
    """Run a job and show its result, or do a dry run."""
    if trial and cluster is not None:
        raise OptionError(
            "--dry-run reads the data and tries samples on this machine: leave out --engine, or leave out --dry-run."
        )
    if trial:
        return dry_run.show(job, workers, as_json=as_json)
    job = replace(job, passphrase=ask_passphrase)
    if job.to_stdout:
        if as_json:
            raise OptionError("--json and the published data both go to standard output: name a file with -o.")
        console.leave_stdout()
    if cluster is not None:
        return _carry_out_on_cluster(job, cluster, workers, as_json=as_json, command=command)
    with console.engine(workers) as engine:
        story = job.run(engine, tell)
    show_result(story, job, as_json=as_json, command=command)


def show_result(story: Story, job: Job, *, as_json: bool, command: str) -> None:
    """Show what came out, as the options ask."""
    if as_json:
        console.show_json(command, release_json.document(story, job))
    elif not console.is_quiet():
        show(story, job.output_name, _other_files(job))


def _carry_out_on_cluster(job: Job, cluster: Cluster, workers: int, *, as_json: bool, command: str) -> None:
    """Run a job on a cluster. What is shown is made there, for the terminal here."""
    from shoal.jobs.on_cluster import run_on_cluster

    render = functools.partial(_rendered, job=job, as_json=as_json, command=command, looks=console.looks())
    with console.engine(workers) as engine:
        shown = run_on_cluster(job, cluster, engine, render, console.log)
    if as_json or not console.is_quiet():
        console.replay(shown)


def _rendered(story: Story, *, job: Job, as_json: bool, command: str, looks: console.Looks) -> list[console.Piece]:
    """Return what is shown of a result, on a worker."""
    with console.recorded(looks) as pieces:
        show_result(story, job, as_json=as_json, command=command)
    return pieces


def show(story: Story, output: str, more: Sequence[tuple[str, str]]) -> None:
    """Show the result in a few lines. ``more``: what other files hold, and their paths."""
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
        ("written", "standard output" if output == STDOUT else output),
        *((("code book", release.provenance["codebook"]["name"]),) if release.provenance.get("codebook") else ()),
        *((("persons, not to be published", inside),) if (inside := _persons_file(release)) else ()),
        *((("certificate", _certificate(release)),) if "certificate" in release.provenance else ()),
        *((("recoding, not to be published", _recoding(release)),) if "recoding" in release.provenance else ()),
        *more,
    ]
    console.table(None, ["", ""], rows, right=9)
    if release.optimality and release.optimality.ended == "interrupted":
        console.warn("Interrupted: the best release found so far was verified and written.")
    if output == STDOUT and release.needs_codebook and not release.provenance.get("codebook"):
        console.warn("The labels of groups need the code book: pass --codebook FILE to write it.")
    stale = codebook_path(output)
    if stale.is_file() and (release.provenance.get("codebook") or {}).get("name") != stale.name:
        console.warn(f"{stale} is the code book of an earlier release, not of this one: remove it.")
    for note in release.note_values:
        console.warn(worded(note), loud=note.untrue)


def _other_files(job: Job) -> list[tuple[str, str]]:
    """Return what the other files of a job hold, and their paths."""
    proofs = [] if job.proof is None else [job.proof]
    kinds = {"proof, not to be published": proofs, "report": job.reports, "public report": job.public_reports}
    return [(kind, str(path)) for kind, paths in kinds.items() for path in paths]


def _persons_file(release: shoal.Release) -> str:
    """Return the file that names the person of each record; empty if none was written."""
    return (release.provenance["persons"] or {}).get("file") or ""


def _certificate(release: shoal.Release) -> str:
    """Return the file of the certificate, and whether it is signed."""
    entry = release.provenance["certificate"]
    return f"{entry['name']} ({'signed' if entry['signer'] else 'not signed'})"


def _recoding(release: shoal.Release) -> str:
    """Return the file that says what was done to the items."""
    return str(release.provenance["recoding"]["name"])


def _warn_first(release: shoal.Release, poor: Headline) -> None:
    """Warn that the release is nearly worthless: show why, and what would do better."""
    console.say((f"{poor.title}:", "bold red"), f" {poor.why}")
    if poor.forced_by:
        console.say(f"What forced it: {poor.forced_by.sentence}")
    for at, one in enumerate(poor.better):
        console.say(f"{'Or' if at else 'This does better'}: {headline.sentence(release, one)}")
        console.say(f"  {one.command}")
    if poor.otherwise:
        console.say(poor.otherwise)


def _readable(release: shoal.Release) -> list[tuple[str, str]]:
    """Add how many items are still readable."""
    usefulness = release.usefulness
    if not release.algorithm.truthful or not release.problem.model.covers_sets or not usefulness.items:
        return []
    always = f"{usefulness.always_unchanged:,} of {count_noun(usefulness.different_items, 'item')} always"
    rows = [("items published unchanged", f"{share(usefulness.unchanged_share)} ({always})")]
    return rows + (
        [] if usefulness.median_items is None else [("median items behind a label", f"{usefulness.median_items:,}")]
    )


def _columns(release: shoal.Release) -> list[tuple[str, str]]:
    """Add how the columns changed, for models that cover columns."""
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
    """Return the smallest number of persons in a class, if the data name persons."""
    persons, published = release.problem.persons, release.published.relational
    if persons is None or published is None:
        return ""
    return f"; each of at least {persons.name(int(class_sizes(Grouping(published.classes, 1), persons).min()))}"


def _bound(release: shoal.Release) -> str:
    """Add delta and the smallest delta possible, for methods that bound the loss of the columns."""
    statistics = release.solution.statistics
    if "least_rum" not in statistics:
        return ""
    return f"delta {statistics['delta']:g}; the first clusters have {statistics['least_rum']:.4f}"


def _of_sets(release: shoal.Release, of_deletions: str) -> list[tuple[str, str]]:
    """Add the loss of the sets, if the model covers them."""
    if not release.problem.model.covers_sets:
        return []
    names: tuple[str, ...] = ("ncp", "lm")
    if release.published.relational is not None:
        names = ("ul", "ncp", "lm")
    of = "loss of the sets" if release.published.relational is not None else "loss"
    return [(f"{of}, {name.upper()}{of_deletions}", f"{release.losses[name]:.6f}") for name in names]


def _suppressed(release: shoal.Release) -> str:
    """Return what was suppressed; empty if nothing was, or if it counts as deletions."""
    if not release.algorithm.truthful:
        return ""
    outcome = release.comparison.outcome
    if not outcome.suppressed:
        return ""
    part = f"{outcome.suppressed / outcome.items:.3%}".replace("%", " %")
    return f"{len(outcome.suppressed_items):,} ({count_noun(outcome.suppressed, 'time')}, {part})"
