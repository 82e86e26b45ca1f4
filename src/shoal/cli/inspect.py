"""``shoal verify`` and ``shoal profile``: what can be said about a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import console, published
from shoal.cli.options import FILE, ModelCommand, choose, data_options, reading, tell
from shoal.cli.spelling import as_options
from shoal.data import Dataset
from shoal.data.persons import plural
from shoal.errors import InputError, shorten
from shoal.hierarchies.codebook import CodeBook
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.published_file import SUPPRESSED
from shoal.jobs.verify import Verification
from shoal.models.base import PrivacyModel, Verdict
from shoal.options import format_value, names_of
from shoal.report.formatting import count_noun, share

SPELLED = 12  # items that are named for a label

as_json = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
with_workers = click.option("--workers", default=0, show_default=True, help="Threads; 0: one for each processor.")


@click.command(cls=ModelCommand, specs=(PrivacyModel,))
@click.argument("file", type=FILE)
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@click.option("--allow-missing", is_flag=True, help="Go on if a sensitive label is not in FILE (it may be misspelt).")
@click.option(
    "--hierarchy", type=FILE, help="The item hierarchy, if --sensitive names groups of it, or to check --codebook by."
)
@click.option("--hierarchy-format", help="Format of the hierarchy; default: by its name and content.")
@published.codebook_option("Labels of FILE must be in it, or items; witnesses name their items.")
@click.option(
    "--quasi-identifiers",
    metavar="A,B",
    help="For k, k-km, k-lm: the columns that an attacker may know; default: all but the sets.",
)
@click.option(
    "--persons",
    type=FILE,
    help="Whose each record of FILE is, one id a line, as --persons-out wrote it: persons are counted.",
)
@as_json
@with_workers
@data_options
@click.pass_context
def verify(
    context: click.Context,
    /,
    file: Path,
    model: str,
    allow_missing: bool,
    hierarchy: Path | None,
    hierarchy_format: str | None,
    codebook: Path | None,
    quasi_identifiers: str | None,
    persons: Path | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Check a guarantee on the published FILE alone.

    Exit code 0: it holds; 1: it is violated, with the witnesses printed; 2: it cannot be checked.
    """
    read_as = reading(given)
    [guarantee] = choose({PrivacyModel: model}, given)
    data = tell(_read_published(DatasetSpec(file=str(file), reading=ReadOptions(**read_as)), guarantee))
    tree = None if hierarchy is None else hierarchies.load(hierarchy, format=hierarchy_format)
    with console.engine(workers) as engine:
        result = shoal.verify(
            data,
            guarantee,
            hierarchy=tree,
            codebook=codebook,
            quasi_identifiers=_names(quasi_identifiers),
            allow_missing=allow_missing,
            persons=persons,
            engine=engine,
        )
    console.notes(result.notes)
    if as_json:
        console.show_json(result.as_dict())
    else:
        _show_verification(result, all_columns=quasi_identifiers is None)
    context.exit(0 if result.holds else 1)


def _read_published(spec: DatasetSpec, guarantee: PrivacyModel) -> Dataset:
    """Read the file; an error about its person column, which no release of Shoal has, tells the way out."""
    try:
        return spec.read_for_model(guarantee)
    except InputError as error:
        if spec.reading.person is None or "person=" not in str(error):
            raise
        raise type(error)(
            f"{error} A published file does not tell whose its records are: pass --persons FILE instead, the file that "
            f"'shoal anonymize --persons-out FILE' wrote."
        ) from None


def _names(text: str | None) -> list[str] | None:
    """The columns that an option names; None: it is not given."""
    return None if text is None else [name.strip() for name in names_of(text)]


def _show_verification(result: Verification, *, all_columns: bool) -> None:
    """Whether the guarantee holds; if not, the witnesses. ``all_columns``: no quasi-identifiers were named."""
    guarantee, verdict = result.model, result.verdict
    if verdict.holds:
        checked = count_noun(verdict.checked, *guarantee.views)
        console.say(("Holds.", "bold green"), f" {guarantee.describe(result.people)} ({checked} checked)")
        if result.unchecked:
            console.say(as_options(result.unchecked))
        return
    options = ", ".join(f"{name}={format_value(value)}" for name, value in guarantee.values().items() if value != ())
    console.say(("Violated.", "bold red"), f" Not {guarantee.title} with {options}.")
    show_witnesses(verdict)
    if result.codebook is not None:
        _show_items(verdict, result.codebook)
    if any(SUPPRESSED in witness.labels for witness in verdict.witnesses):
        console.warn(
            f"'{SUPPRESSED}' was taken as an item: if it represents what was suppressed, pass --drop-items "
            f"'{SUPPRESSED}'."
        )
    if guarantee.relational and all_columns:
        console.warn("All columns were taken as known: name those that are with --quasi-identifiers.")


def _show_items(verdict: Verdict, book: CodeBook) -> None:
    """What the labels of witnesses represent."""
    labels = dict.fromkeys(label for one in verdict.witnesses for label in one.named)
    rows = [(label, _some(book.items_of(label))) for label in labels if label in book]
    if rows:
        console.table("In the code book:", ["label", "represents"], rows, right=9)


def _some(items: Sequence[str]) -> str:
    """Some items by name."""
    more = f" and {len(items) - SPELLED:,} more" if len(items) > SPELLED else ""
    return ", ".join(map(shorten, items[:SPELLED])) + more


def show_witnesses(verdict: Verdict) -> None:
    """The smallest things that an attacker may know and that tell too much."""
    title, columns, rows, right = verdict.table()
    texts = [[cell if isinstance(cell, str) else share(cell) for cell in row] for row in rows]
    console.table(title, columns, texts, right)


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--k",
    default=5,
    show_default=True,
    type=click.IntRange(min=2),
    help="Records (persons, where given) that should share any known set.",
)
@click.option(
    "--m", default=3, show_default=True, type=click.IntRange(min=1), help="The most items an attacker may know."
)
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="Most frequent items to list.")
@click.option(
    "--quasi-identifiers", metavar="A,B", help="Columns whose values are known as well; default: nothing but items is."
)
@as_json
@with_workers
@data_options
def profile(
    file: Path, k: int, m: int, top: int, quasi_identifiers: str | None, as_json: bool, workers: int, **given: Any
) -> None:
    """Describe FILE: sizes, item frequencies, and how many records a few known items (and columns) pin down."""
    data = tell(shoal.read(file, **reading(given)))
    with console.engine(workers) as engine:
        result = shoal.profile(data, k=k, m=m, top=top, quasi_identifiers=_names(quasi_identifiers), engine=engine)
    console.notes(result.notes)
    if as_json:
        console.show_json(result.as_dict())
        return
    console.table(str(file), ["", ""], result.rows())
    if result.top_items:
        console.say("")
        console.table(
            "most frequent items",
            ["item", "records", "share"],
            [
                (item, f"{records:,}", share(records / max(1, result.records)))
                for item, records in result.top_items.items()
            ],
        )
    console.say("")
    persons = result.persons
    show_risk(result.risk, result.risk_by_columns)
    if persons is not None:
        console.say("")
        show_risk(persons.risk, persons.risk_by_columns, persons.nouns)


def show_risk(risk: shoal.metrics.Risk, beside: shoal.metrics.Risk | None = None, found: str = "records") -> None:
    """How many records, or persons, a few known items pin down; ``beside``: how many the known columns do."""
    also = "the columns and " if beside is not None else ""
    only = [] if beside is None else [("the columns", beside.below_k[0], beside.unique[0])]
    some = [
        (f"{also}up to {size} items" if size > 1 else f"{also}1 item", below, unique)
        for size, (below, unique) in enumerate(zip(risk.below_k, risk.unique, strict=True), 1)
    ]
    console.table(
        f"{found} that an attacker can pin down",
        ["knowing", f"to fewer than {risk.k} {plural(risk.person or 'record')}", "to exactly one"],
        [(who, _share(below, risk.rows), _share(unique, risk.rows)) for who, below, unique in [*only, *some]],
    )


def _share(count: int, rows: int) -> str:
    return f"{count:,} ({share(count / max(1, rows))})"
