"""``shoal verify``: check a published file, with a guarantee of your choice or with its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import certificates, console, published
from shoal.cli.help import DATA, engine_options, json_option, option
from shoal.cli.model_options import ModelCommand, choose, model_option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, names, reading, tell
from shoal.cli.spelling import as_options
from shoal.cli.witnesses import show_witnesses
from shoal.data import Dataset
from shoal.errors import InputError, OptionError, shorten
from shoal.hierarchies.codebook import CodeBook
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.published_file import SUPPRESSED
from shoal.jobs.verify import Verification
from shoal.models.base import PrivacyModel, Verdict
from shoal.options import format_value
from shoal.report.formatting import count_noun

SPELLED = 12  # items that are named for a label


@click.command(cls=ModelCommand, specs=(PrivacyModel,))
@click.argument("file", type=INPUT)
@option(
    "--certificate",
    type=FILE,
    group=DATA,
    help="The certificate of FILE. It names the guarantee.",
)
@option(
    "--public-key",
    type=FILE,
    group=DATA,
    help="The publisher's key, which you trust, for the signature of the certificate.",
)
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
    certificate: Path | None,
    public_key: Path | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Check whether the published FILE keeps a guarantee.

    It reads nothing but FILE, and its certificate if you name one. The exit code is 0 if everything holds, 1 if the
    guarantee, a hash or the signature does not, and 2 if it cannot be checked. It prints what is wrong.

    \b
    shoal verify out.dat --k 5 --m 2
    shoal verify out.csv --model k-km --k 10 --sets diagnoses --quasi-identifiers age,zip
    shoal verify out.csv --certificate out.cert.json --public-key clinic.pub
    """
    if certificate is not None:
        certificates.refuse_other_options(context)
        with console.engine(workers) as engine:
            check = shoal.verify_certificate(
                file, certificate, public_key=public_key, codebook=codebook, persons=persons, engine=engine
            )
        certificates.show(check, as_json=as_json)
        context.exit(0 if check.holds else 1)
    if public_key is not None:
        raise OptionError("--public-key checks the signature of a certificate: name it with --certificate.")
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
            quasi_identifiers=names(quasi_identifiers),
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
