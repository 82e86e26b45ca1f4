"""``shoal explain``: why each group of a published file is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

import shoal
from shoal.cli import console, foreign
from shoal.cli.columns import hierarchy_option, trees
from shoal.cli.inspect import as_json, with_workers
from shoal.cli.options import FILE, choose, data_options, hierarchy_options, reading, spec_options, tell
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.errors import OptionError, did_you_mean
from shoal.jobs.job import items_tree
from shoal.privacy import PrivacyModel
from shoal.report.explanations import cut_of
from shoal.report.facts import plain
from shoal.report.formatting import things
from shoal.report.sentences import EXPLAINED


@click.command()
@click.argument("original", type=FILE)
@click.argument("published", type=FILE)
@hierarchy_option("The hierarchy that PUBLISHED was made with; not needed with a code book.")
@hierarchy_options
@foreign.codebook_option("Default: PUBLISHED's own NAME.codebook.csv, if labels are in it that are in no hierarchy.")
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@spec_options(PrivacyModel)
@click.option("--label", help="Explain only what this item, or group, was published as.")
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=0), help="Groups in the table; 0: all.")
@as_json
@with_workers
@data_options
def explain(
    original: Path,
    published: Path,
    hierarchy: tuple[str, ...],
    hierarchy_format: str | None,
    unknown_items: Any,
    codebook: Path | None,
    model: str,
    label: str | None,
    top: int,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Tell why each group in PUBLISHED is needed: a set that would be too rare in ORIGINAL if it were split.

    Likewise for each item that is suppressed: if it were published. Works on the files of any tool that replaces items
    by groups of a hierarchy or suppresses them, the same everywhere. A group of the code book is split into the
    siblings that it is made of. Names sets of the raw data that fewer than k records hold: not for publication.
    """
    read_as = reading(given)
    [privacy] = choose({PrivacyModel: model}, given)
    if not isinstance(privacy, shoal.KmAnonymity):
        raise OptionError(f"Only cuts for the model km can be explained, not for {privacy.name}.")
    before = tell(shoal.read(original, **{**read_as, "escaped_formulas": False}))
    after = tell(shoal.read(published, **{**read_as, "multiset": False}))
    tree = items_tree(before, trees(hierarchy), format=hierarchy_format, multiset=read_as["multiset"])
    alone, items = tree.name == NO_HIERARCHY, set(before.transactions.labels)
    book = foreign.codebook_of(codebook, published, after, items, None if alone else tree)
    if alone and book is None:
        raise OptionError(
            "explain needs --hierarchy FILE, the hierarchy that PUBLISHED was made with, or --codebook FILE, the code "
            "book of the release: give one of them."
        )
    if alone and book is not None:
        tree = book.flat(tree.items)
    problem = shoal.Problem(before, tree, privacy, unknown_items=unknown_items)
    if book is not None and len(book):
        problem = problem.on(book.tree(problem.hierarchy))
    resolved = shoal.Published.resolve(after.transactions, problem.hierarchy)
    cut = cut_of(problem, resolved)
    published_labels = {resolved.rows.labels[code] for code in np.flatnonzero(resolved.rows.supports)}
    with console.engine(workers) as engine:
        verdict = privacy.verify(resolved, engine)
        if not verdict.holds:
            raise OptionError(
                f"{published} does not have {privacy.title} with these options ({verdict.witnesses[0]}): give those "
                f"that it was made with, or see 'shoal verify'."
            )
        found = shoal.explain(problem, cut, engine)
    if label is not None:
        found = [one for one in found if one.group == _group(label, problem.hierarchy, cut)]
        if not found and not as_json:
            occurs = label in published_labels
            console.say(f"'{label}' is published as it is." if occurs else f"'{label}' does not occur.")
            return
    if as_json:
        console.show_json(plain(found))
        return
    if not found:
        console.say("Every item that occurs is published as it is: there is nothing to explain.")
        return
    shown = found[: top or None]
    more = "" if len(shown) == len(found) else f", the first {len(shown)}; --top 0 lists all"
    or_published = " (or published)" if any(one.suppressed for one in found) else ""
    console.table(
        f"{_counted(found)}{more}",
        [
            "group",
            f"if it were split{or_published}, these labels together",
            "would be in records",
        ],
        [_row(one) for one in shown],
        right=2,
    )
    if not all(one.witness for one in found):
        console.warn(
            "What could be split or published is not needed for these options. Was the file made with others? If not, "
            "--algorithm auto, or optimal-suppress if items may be suppressed, loses less."
        )
    console.warn(EXPLAINED)


def _counted(found: Sequence[shoal.Explanation]) -> str:
    """How much is explained."""
    gone = sum(one.suppressed for one in found)
    kinds = ((len(found) - gone, "group"), (gone, "suppressed label"))
    return " and ".join(things(number, kind) for number, kind in kinds if number)


def _row(one: shoal.Explanation) -> tuple[str, str, object]:
    """A row of the table."""
    name = f"{one.group} (suppressed)" if one.suppressed else one.group
    if one.witness is None:
        return name, f"(could be {'published' if one.suppressed else 'split'})", ""
    return name, ", ".join(one.witness.labels), one.witness.support


def _group(label: str, hierarchy: shoal.Hierarchy, cut: shoal.GlobalCut) -> str:
    """The label of the cut at or above a node."""
    if label not in hierarchy.code_of:
        raise OptionError(
            f"'{label}' is neither an item nor a group of the hierarchy {hierarchy.name}"
            f"{did_you_mean(label, hierarchy.labels)}."
        )
    node = hierarchy.code_of[label]
    above = [int(one) for one in cut.nodes if hierarchy.covers(int(one), node)]
    if not above:
        raise OptionError(f"'{label}' was split: ask for one of the items below it.")
    return hierarchy.labels[above[0]]
