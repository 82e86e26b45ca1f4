"""``shoal recommend``: recommend an algorithm for some data, with reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shoal.cli import console
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option, keep_option
from shoal.cli.help import DATA, SEARCH, json_option, option, workers_option
from shoal.cli.model_options import ModelCommand, choose, loss_option, model_option, spec_options_of
from shoal.cli.options import INPUT, data_options, tell
from shoal.cli.spelling import as_options
from shoal.evaluation.recommend import Recommendation, Trial, Wishes, figure, recommend
from shoal.models.base import PrivacyModel


@click.command("recommend", cls=ModelCommand, specs=(PrivacyModel,))
@click.argument("data", type=INPUT)
@data_options
@hierarchy_option("The hierarchy of the items. Default: built by frequency.")
@option(
    "--fanout",
    default=5,
    type=click.IntRange(min=2),
    group=DATA,
    rare=True,
    help="Children of each node of the hierarchy that is built.",
)
@column_options
@keep_option
@model_option()
@spec_options_of(Wishes, SEARCH)
@loss_option()
@option(
    "--seed",
    default=0,
    group=SEARCH,
    rare=True,
    help="The seed of the sample, and of algorithms that draw random numbers.",
)
@workers_option("Algorithms that run at the same time")
@json_option
def command(
    data: Path,
    fanout: int,
    model: str,
    loss: str,
    seed: int,
    workers: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Recommend an algorithm for DATA.

    It tries all algorithms on a sample, and the best ones on all rows. Each result is verified; nothing is published.

    \b
    shoal recommend baskets.dat --k 5 --m 2 --hierarchy products.csv
    """
    wishes = Wishes.parse({one.name: given.pop(one.name) for one in Wishes.options() if given[one.name] is not None})
    (guarantee,) = choose({PrivacyModel: model}, given)
    spec = dataset_spec(data, given, label=data.stem)
    if "" not in spec.hierarchy:
        spec = replace(spec, fanout=fanout, order="frequency")
    with console.engine(workers) as engine:
        advice = recommend(
            spec,
            guarantee,
            **wishes.values(),
            seed=seed,
            loss=loss,
            workers=workers,
            progress=engine.progress,
            on_read=tell,
        )
    if as_json:
        console.show_json("recommend", _plain(advice))
        return
    if advice.endorsed:
        console.say((f"Take {advice.pick.algorithm.name}.", "bold green"), f" The guarantee: {guarantee.describe()}")
    else:
        console.say(
            ("No method can be recommended.", "bold red"),
            f" The best release that was found is nearly worthless. The guarantee: {guarantee.describe()}",
        )
    for reason in advice.reasons:
        console.say(f"- {as_options(reason)}")
    part = ["all rows", "seconds"] if advice.sampled < advice.rows else []
    heads = ["method", f"{advice.measure}, {advice.sampled:,} rows", "seconds", *part, ""]
    console.table(None, heads, [_line(one, advice) for one in advice.trials])
    if advice.commands:
        console.say("Next:")
    for line in advice.commands:
        console.say(f"  {line}")


def _line(trial: Trial, advice: Recommendation) -> list[str]:
    """Return the cells of a method."""
    cells = [trial.algorithm.name]
    for row in (trial.sample, trial.whole) if advice.sampled < advice.rows else (trial.whole,):
        good = row is not None and row["status"] == "ok" and row["score"] is not None
        cells += [figure(row["score"]), f"{row['seconds']:.3g}"] if good and row is not None else ["", ""]
    kind = "removes items" if trial.algorithm.suppresses else "not truthful" if not trial.algorithm.truthful else ""
    kind = "nearly worthless" if trial.worthless else kind
    return [*cells, trial.failure[:60] or kind]


def _plain(advice: Recommendation) -> dict[str, Any]:
    """Return the recommendation for JSON."""
    names = ("status", "error", "score", "seconds", "peak_mb", "verified", "lower_bound", "worthless")

    def told(row: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if row is None else {name: row.get(name) for name in names}

    return {
        "algorithm": advice.pick.algorithm.name if advice.endorsed else None,
        "best_found": advice.pick.algorithm.name,
        "worthless": advice.pick.worthless or None,
        "measure": advice.measure,
        "rows": advice.rows,
        "sampled_rows": advice.sampled,
        "reasons": [as_options(reason) for reason in advice.reasons],
        "commands": advice.commands,
        "trials": [
            {
                "algorithm": one.algorithm.name,
                "allowed": one.allowed,
                "sample": told(one.sample),
                "all": told(one.whole),
            }
            for one in advice.trials
        ],
    }
