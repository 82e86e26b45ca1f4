"""``shoal verify`` and ``shoal profile``: check and describe a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import console, published
from shoal.cli.help import DATA, GUARANTEE, OUTPUT, GroupedCommand, engine_options, json_option, option
from shoal.cli.model_options import ModelCommand, choose, model_option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, reading, tell
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


@click.command(cls=ModelCommand, specs=(PrivacyModel,))
@click.argument("file", type=INPUT)
@model_option()
@data_options
@dataset_options("allow_missing")
@option(
    "--hierarchy",
    type=FILE,
    group=DATA,
    rare=True,
    help="The hierarchy of the items, if --sensitive names groups of it, or to check the code book.",
)
@dataset_options("hierarchy_format")
@published.codebook_option("Each label of FILE must be in it, or be an item.")
@option(
    "--quasi-identifiers",
    metavar="A,B",
    group=DATA,
    help="For k, k-km and k-lm: the columns that an attacker may know. Default: all except the sets.",
)
@option(
    "--persons",
    type=FILE,
    group=DATA,
    help="A file with the person of each record, one id a line, as --persons-out writes it. Persons are counted then.",
)
@engine_options
@json_option
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
    """Check whether the published FILE keeps a guarantee.

    It reads nothing but FILE. The exit code is 0 if the guarantee holds, 1 if it is violated, and 2 if it cannot be
    checked. If it is violated, it prints what an attacker could use.

    \b
    shoal verify out.dat --k 5 --m 2
    shoal verify out.csv --model k-km --k 10 --sets diagnoses --quasi-identifiers age,zip
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
        console.show_json("verify", result.as_dict())
    else:
        _show_verification(result, all_columns=quasi_identifiers is None)
    context.exit(0 if result.holds else 1)


def _read_published(spec: DatasetSpec, guarantee: PrivacyModel) -> Dataset:
    """Read the file. Explain an error about a person column: releases of Shoal have none."""
    try:
        return spec.read_for_model(guarantee)
    except InputError as error:
        if spec.reading.person is None or not any(name in str(error) for name in ("--person", "person=")):
            raise
        raise type(error)(
            f"{error} A published file does not name the persons of its records: pass --persons FILE instead, with the "
            f"file that 'shoal anonymize --persons-out FILE' wrote."
        ) from None


def _names(text: str | None) -> list[str] | None:
    """Return the columns that an option names, or None if it is not given."""
    return None if text is None else [name.strip() for name in names_of(text)]


def _show_verification(result: Verification, *, all_columns: bool) -> None:
    """Show whether the guarantee holds, or the witnesses. ``all_columns``: no quasi-identifiers were named."""
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
            f"The check counts '{SUPPRESSED}' as an item: if it represents suppressed items, pass --drop-items "
            f"'{SUPPRESSED}'."
        )
    if guarantee.relational and all_columns:
        console.warn(
            "The check assumes that an attacker knows all columns. If that is not so, name the known columns with "
            "--quasi-identifiers."
        )


def _show_items(verdict: Verdict, book: CodeBook) -> None:
    """Show what the labels of witnesses represent."""
    labels = dict.fromkeys(label for one in verdict.witnesses for label in one.named)
    rows = [(label, _some(book.items_of(label))) for label in labels if label in book]
    if rows:
        console.table("In the code book:", ["label", "represents"], rows, right=9)


def _some(items: Sequence[str]) -> str:
    """Name the first few items."""
    more = f" and {len(items) - SPELLED:,} more" if len(items) > SPELLED else ""
    return ", ".join(map(shorten, items[:SPELLED])) + more


def show_witnesses(verdict: Verdict) -> None:
    """Show the smallest sets of known labels that violate the guarantee."""
    title, columns, rows, right = verdict.table()
    texts = [[cell if isinstance(cell, str) else share(cell) for cell in row] for row in rows]
    console.table(title, columns, texts, right)


@click.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@option(
    "--k",
    default=5,
    type=click.IntRange(min=2),
    group=GUARANTEE,
    help="Count records (or persons) that share what an attacker knows with fewer than k.",
)
@option(
    "--m", default=3, type=click.IntRange(min=1), group=GUARANTEE, help="The largest number of items an attacker knows."
)
@data_options
@option(
    "--quasi-identifiers",
    metavar="A,B",
    group=DATA,
    help="Columns that an attacker knows as well. Default: an attacker knows items only.",
)
@option(
    "--top", default=10, type=click.IntRange(min=0), group=OUTPUT, help="How many of the most frequent items to list."
)
@engine_options
@json_option
def profile(
    file: Path, k: int, m: int, top: int, quasi_identifiers: str | None, as_json: bool, workers: int, **given: Any
) -> None:
    """Show what FILE holds, and how many records are unique.

    It counts the records that an attacker could single out by knowing a few of their items (and columns).

    \b
    shoal profile baskets.dat
    shoal profile people.csv --sets diagnoses --quasi-identifiers age,zip
    """
    data = tell(shoal.read(file, **reading(given)))
    with console.engine(workers) as engine:
        result = shoal.profile(data, k=k, m=m, top=top, quasi_identifiers=_names(quasi_identifiers), engine=engine)
    console.notes(result.notes)
    if as_json:
        console.show_json("profile", result.as_dict())
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


def show_risk(risk: shoal.metrics.Risk, by_columns: shoal.metrics.Risk | None = None, found: str = "records") -> None:
    """Show how many records, or persons, a few known items pin down. ``by_columns``: how many the columns do."""
    also = "the columns and " if by_columns is not None else ""
    only = [] if by_columns is None else [("the columns", by_columns.below_k[0], by_columns.unique[0])]
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
