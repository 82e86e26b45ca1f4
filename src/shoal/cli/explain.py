"""``shoal explain``: why each group of a published file is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import shoal
from shoal.cli import console
from shoal.cli.columns import hierarchy_option, trees
from shoal.cli.help import OUTPUT, engine_options, json_option, option
from shoal.cli.model_options import ModelCommand, choose, model_option
from shoal.cli.options import INPUT, data_options, hierarchy_options, reading, tell
from shoal.cli.published import codebook_option, published_reading
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.explain import Explanations, explainable
from shoal.models.base import PrivacyModel
from shoal.report.formatting import count_noun
from shoal.report.sentences import explained, rare_in


@click.command(cls=ModelCommand, specs=(PrivacyModel,))
@click.argument("original", type=INPUT)
@click.argument("published", type=INPUT)
@data_options
@hierarchy_option("The hierarchy that PUBLISHED was made with. Not needed with a code book.")
@hierarchy_options
@codebook_option("Default: NAME.codebook.csv next to PUBLISHED, if it is needed.")
@model_option()
@option("--label", metavar="LABEL", group=OUTPUT, help="Explain only how this item, or group, was published.")
@option("--top", default=20, type=click.IntRange(min=0), group=OUTPUT, help="How many groups to list; 0: all.")
@engine_options
@json_option
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
    """Explain why each group in PUBLISHED is needed.

    For each group, it names a set that would be too rare in ORIGINAL if the group were split; for each suppressed
    item, one that would be too rare if the item were published. The files may come from any tool that generalizes or
    suppresses an item in the same way everywhere. The output names rare sets of ORIGINAL: do not publish it.

    \b
    shoal explain baskets.dat out.dat --hierarchy products.csv --k 5 --m 2
    """
    read_as = reading(given)
    [guarantee] = choose({PrivacyModel: model}, given)
    explainable(guarantee)  # refuse a model that cannot be explained before reading anything
    before = tell(shoal.read(original, **{**read_as, "escaped_formulas": False}))
    after = tell(shoal.read(published, **published_reading(published, {}, read_as)))
    spec = DatasetSpec(
        file=str(original),
        reading=ReadOptions(**read_as),
        hierarchy=trees(hierarchy),
        hierarchy_format=hierarchy_format,
    )
    tree = spec.load_item_hierarchy(before)
    with console.engine(workers) as engine:
        result = shoal.explain(
            before,
            after,
            hierarchy=tree,
            model=guarantee,
            codebook=codebook,
            unknown_items=unknown_items,
            label=label,
            engine=engine,
        )
    console.notes(result.notes)
    if as_json:
        console.show_json("explain", {"groups": result.as_dicts(), "notes": list(result.notes)})
    elif not result.groups:
        console.say(_nothing(label, result))
    else:
        persons = before.transactions.persons
        _show(result.groups, top, "records" if persons is None else persons.nouns)


def _nothing(label: str | None, result: Explanations) -> str:
    """Return why there is nothing to explain."""
    if label is None:
        return "Every item is published unchanged: there is nothing to explain."
    return f"'{label}' is published unchanged." if label in result.published_labels else f"'{label}' does not occur."


def _show(groups: Sequence[shoal.report.explanations.Explanation], top: int, counted: str) -> None:
    """Show the groups and the sets that force them. ``counted`` is the unit of support."""
    shown = groups[: top or None]
    more = "" if len(shown) == len(groups) else f", the first {len(shown)}; --top 0 lists all"
    or_published = " (or published)" if any(one.suppressed for one in groups) else ""
    console.table(
        f"{_counted(groups)}{more}",
        ["group", f"if it were split{or_published}, these labels together", rare_in(counted)],
        [_row(one) for one in shown],
        right=2,
    )
    if not all(one.witness for one in groups):
        console.warn(
            "Groups that could be split are not needed for this guarantee. Was the file made with other options? If "
            "not, --algorithm auto (or optimal-suppress, which suppresses items) loses less."
        )
    console.warn(explained(counted))


def _counted(groups: Sequence[shoal.report.explanations.Explanation]) -> str:
    """Count the explained groups and suppressed labels."""
    gone = sum(one.suppressed for one in groups)
    kinds = ((len(groups) - gone, "group"), (gone, "suppressed label"))
    return " and ".join(count_noun(number, kind) for number, kind in kinds if number)


def _row(one: shoal.report.explanations.Explanation) -> tuple[str, str, object]:
    """Return a row of the table."""
    name = f"{one.group} (suppressed)" if one.suppressed else one.group
    if one.witness is None:
        return name, f"(could be {'published' if one.suppressed else 'split'})", ""
    return name, ", ".join(one.witness.labels), one.witness.support
