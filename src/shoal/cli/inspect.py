"""``shoal verify`` and ``shoal profile``: what can be said about a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal import hierarchies
from shoal.cli import console, foreign
from shoal.cli.foreign import SUPPRESSED, refuse_torn
from shoal.cli.options import FILE, choose, data_options, reading, spec_options, tell
from shoal.data.sensitive import lookalikes, spelling_notes
from shoal.data.table import Role
from shoal.errors import OptionError
from shoal.jobs.job import read_for
from shoal.options import names_of, say
from shoal.privacy import PrivacyModel, Verdict, Witness
from shoal.report.formatting import share, things
from shoal.report.wording import worded

as_json = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
with_workers = click.option("--workers", default=0, show_default=True, help="Threads; 0: one for each processor.")


@click.command()
@click.argument("file", type=FILE)
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@spec_options(PrivacyModel)
@click.option("--allow-missing", is_flag=True, help="Go on if a sensitive label is not in FILE (it may be misspelt).")
@click.option(
    "--hierarchy", type=FILE, help="The item hierarchy, if --sensitive names groups of it, or to check --codebook by."
)
@click.option("--hierarchy-format", help="Format of the hierarchy; default: by its name and content.")
@foreign.codebook_option("Labels of FILE must be in it, or items; witnesses name their items.")
@click.option(
    "--quasi-identifiers",
    metavar="A,B",
    help="For k, k-km, k-lm: the columns that an adversary may know; default: all beside the sets.",
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
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Check a guarantee on the published FILE alone.

    Exit code 0: it holds; 1: it is violated, with the witnesses printed; 2: it cannot be checked.
    """
    read_as = reading(given)
    [privacy] = choose({PrivacyModel: model}, given)
    data = _with_roles(tell(read_for(privacy, file, read_as)), privacy, quasi_identifiers)
    refuse_torn(data)
    tree = None if hierarchy is None else hierarchies.load(hierarchy, format=hierarchy_format)
    if tree is not None:
        privacy = privacy.spelled_out(tree, set(data.transactions.labels))
    missed = privacy.missed(data) if allow_missing else ()
    published = privacy.seen(data) if missed else privacy.view(data)
    if missed and published.sensitive is not None and not published.sensitive.values.labels:
        raise OptionError(f"Nothing that is sensitive is in {file}, so there is nothing to check: see the spelling.")
    book = None if codebook is None else foreign.codebook_of(codebook, file, data, (), tree)
    if book is not None:
        known = tree and tree.without_items(privacy.sensitive_labels)
        foreign.check_labels(published.rows.in_use().labels, book, known, data)
    with console.engine(workers) as engine:
        verdict = privacy.verify(published, engine)
    if missed:
        console.warn(f"Not in {file}, so not checked: {say(missed)}.")
    for label, other in lookalikes(privacy.sensitive_labels, published.rows.in_use().labels):
        console.warn(f"'{other}' looks like '{label}' but was not declared sensitive: taken as an item like any other.")
    if published.sensitive is not None:
        for note in spelling_notes(data, published.sensitive):
            console.warn(worded(note))
    for text in filter(None, [*map(worded, privacy.notes), privacy.unseen]):
        console.warn(text)
    if as_json:
        witnesses = [{**witness_facts(witness), **foreign.spelled(witness, book)} for witness in verdict.witnesses]
        facts: dict[str, Any] = {"holds": verdict.holds, "checked": verdict.checked, "violations": verdict.violations}
        console.show_json(
            {"model": {"name": privacy.name, **privacy.values()}, **facts, "not_found": missed, "witnesses": witnesses}
        )
    elif verdict.holds:
        checked = things(verdict.checked, *privacy.views)
        console.say(("Holds.", "bold green"), f" {privacy.describe()} ({checked} checked)")
    else:
        console.say(("Violated.", "bold red"), f" Not {privacy.title} with {_options(privacy)}.")
        show_witnesses(verdict)
        foreign.show_items(verdict, book)
        if any(SUPPRESSED in witness.labels for witness in verdict.witnesses):
            console.warn(
                f"'{SUPPRESSED}' was taken as an item: if it stands for what was suppressed, pass --drop-items "
                f"'{SUPPRESSED}'."
            )
        if privacy.relational and quasi_identifiers is None:
            console.warn("All columns were taken as known: name those that are with --quasi-identifiers.")
    context.exit(0 if verdict.holds else 1)


def _with_roles(data: shoal.Dataset, privacy: PrivacyModel, named: str | None) -> shoal.Dataset:
    """The data with their quasi-identifiers; none named: all columns that are not sensitive."""
    if named is None:
        return data
    if not privacy.relational:
        raise OptionError(f"--quasi-identifiers is for the models k, k-km and k-lm, not for {privacy.name}.")
    names = [name.strip() for name in names_of(named)]
    table = data.keep_columns(names).table
    assert table is not None
    assert data.table is not None
    left = [name for name in data.table.names if name not in names and name not in privacy.columns]
    if left:
        console.warn(f"Not looked at, as not named in --quasi-identifiers: {say(tuple(left))}.")
    roles = dict.fromkeys(data.table.names, Role.PLAIN) | dict.fromkeys(table.names, Role.QUASI_IDENTIFIER)
    return replace(data, table=replace(data.table, roles=roles))


def show_witnesses(verdict: Verdict) -> None:
    """The smallest things that an adversary may know and that tell too much."""
    worst = verdict.witnesses
    sizes = {len(witness.labels) + len(witness.absent) for witness in worst}
    size = "/".join(map(str, sorted(sizes)))
    found = things(verdict.violations, "single known item")
    if any(witness.absent for witness in worst):
        found = things(verdict.violations, f"combination of {size} known facts", f"combinations of {size} known facts")
    elif sizes != {1}:
        found = things(verdict.violations, f"set of {size} known items", f"sets of {size} known items")
    if all(witness.whole for witness in worst):
        found = things(verdict.violations, "different record")
    one = verdict.violations == 1
    more = "" if verdict.violations <= len(worst) else ", for instance"
    if all(witness.group is not None and witness.sensitive is None for witness in worst):
        console.table(
            f"{_who(verdict)} leave{'s' if one else ''} too few records{more}:",
            ["an adversary who knows the values", *(["and the items"] if sizes != {0} else []), "is left with records"],
            [
                (str(witness.group), *([witness.known] if sizes != {0} else []), str(witness.support))
                for witness in worst
            ],
        )
    elif all(witness.group is not None for witness in worst) and sizes != {0}:
        console.table(
            f"{_who(verdict)} tell{'s' if one else ''} too much{more}:",
            ["an adversary who knows the values", "and the items", "finds", "in records", "of", "share"],
            [(str(one.group), one.known, *_told(one)) for one in worst],
            right=3,
        )
    elif all(witness.group is not None for witness in worst):
        console.table(
            f"In {things(verdict.violations, 'case')} a sensitive item is too frequent in its group{more}:",
            ["group", "sensitive item", "records", "of", "share"],
            [(str(one.group), *_told(one)) for one in worst],
            right=2,
        )
    elif all(witness.whole for witness in worst):
        console.table(
            f"{found} occur{'s' if one else ''} too rarely{more}:",
            ["all that the record holds", "occurs in records"],
            [(witness.known, str(witness.support)) for witness in worst],
        )
    elif all(witness.sensitive is None for witness in worst):
        console.table(
            f"{found} leave{'s' if one else ''} too few records{more}:",
            ["an adversary who knows", "is left with records"],
            [(witness.known, str(witness.support)) for witness in worst],
        )
    else:
        console.table(
            f"{found} tell{'s' if one else ''} too much{more}:" if sizes != {0} else "Too much is told to everybody:",
            ["an adversary who knows", "finds", "in records", "of", "share"],
            [(one.known, *_told(one)) for one in worst],
            right=2,
        )


def _who(verdict: Verdict) -> str:
    """What is too much to know, where values of columns are known."""
    sizes = sorted({len(witness.labels) for witness in verdict.witnesses})
    if sizes == [0]:
        return things(verdict.violations, "combination of values", "combinations of values")
    items = f"{'/'.join(map(str, sizes))} item{'' if sizes == [1] else 's'}"
    return things(verdict.violations, f"combination of values and {items}", f"combinations of values and {items}")


def _told(witness: Witness) -> tuple[str, str, str, str]:
    """What is given away, in how many of how many records, and their share."""
    part = share(witness.holders / witness.support)
    return str(witness.sensitive), f"{witness.holders:,}", f"{witness.support:,}", part


def witness_facts(witness: Witness) -> dict[str, Any]:
    """A witness for machines."""
    facts: dict[str, Any] = {"labels": list(witness.labels), "support": witness.support}
    if witness.whole:
        facts["whole"] = True
    if witness.absent:
        facts["absent"] = list(witness.absent)
    if witness.sensitive is not None:
        facts |= {"sensitive": witness.sensitive, "holders": witness.holders}
    if witness.group is not None:
        facts["group"] = witness.group
    return facts


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--k", default=5, show_default=True, type=click.IntRange(min=2), help="Records that should share any known set."
)
@click.option(
    "--m", default=3, show_default=True, type=click.IntRange(min=1), help="The most items an adversary may know."
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
    data, beside = tell(shoal.read(file, **reading(given))), None
    rows = data.transactions
    with console.engine(workers) as engine:
        if quasi_identifiers is None:
            risk = shoal.Risk.of(rows, k, m, engine)
        else:
            both = shoal.KKmAnonymity(k=k, m=m)
            seen = both.seen(_with_roles(data, both, quasi_identifiers))
            beside, risk = shoal.KAnonymity(k=k).risk(seen), both.risk(seen, engine)
    sizes, supports = rows.sizes, rows.supports
    frequent = np.argsort(-supports, kind="stable")[:top]
    facts = {
        "records": len(rows),
        "empty_records": len(rows) - rows.non_empty,
        "items": len(rows.labels),
        "occurrences": len(rows.items),
        "mean_size": float(sizes.mean()) if len(sizes) else 0.0,
        "max_size": int(sizes.max(initial=0)),
        "items_in_fewer_than_k_records": int(np.count_nonzero(supports < k)),
    }
    if as_json:
        console.show_json(
            {
                **facts,
                "top_items": {rows.labels[code]: int(supports[code]) for code in frequent},
                "risk": [
                    {
                        "known_items": size,
                        "below_k": below,
                        "unique": unique,
                        "k": k,
                        "prosecutor": most,
                        "average": mean,
                    }
                    for size, (below, unique, most, mean) in enumerate(
                        zip(risk.below_k, risk.unique, risk.prosecutor, risk.average, strict=True), 1
                    )
                ],
                "risk_by_columns": beside and {"below_k": beside.below_k[0], "unique": beside.unique[0], "k": k},
            }
        )
        return
    console.table(
        str(file),
        ["", ""],
        [
            (name.replace("_", " "), f"{value:,.2f}" if isinstance(value, float) else f"{value:,}")
            for name, value in facts.items()
        ],
    )
    if len(frequent):
        console.say("")
        console.table(
            "most frequent items",
            ["item", "records", "share"],
            [
                (rows.labels[code], f"{supports[code]:,}", share(supports[code] / max(1, len(rows))))
                for code in frequent
            ],
        )
    console.say("")
    show_risk(risk, beside)


def show_risk(risk: shoal.Risk, beside: shoal.Risk | None = None) -> None:
    """How many records a few known items pin down; ``beside``: how many the columns do that are known as well."""
    also = "the columns and " if beside is not None else ""
    only = [] if beside is None else [("the columns", beside.below_k[0], beside.unique[0])]
    some = [
        (f"{also}up to {size} items" if size > 1 else f"{also}1 item", below, unique)
        for size, (below, unique) in enumerate(zip(risk.below_k, risk.unique, strict=True), 1)
    ]
    console.table(
        "records that an adversary can pin down",
        ["knowing", f"to fewer than {risk.k} records", "to exactly one"],
        [(who, _share(below, risk.rows), _share(unique, risk.rows)) for who, below, unique in [*only, *some]],
    )


def _share(count: int, rows: int) -> str:
    return f"{count:,} ({share(count / max(1, rows))})"


def _options(privacy: PrivacyModel) -> str:
    return ", ".join(f"{name}={say(value)}" for name, value in privacy.values().items() if value != ())
