"""``shoal frontier``: show what each choice of k and m costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal import discovery
from shoal.cli import console
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option, keep_option
from shoal.cli.help import GUARANTEE, OUTPUT, SEARCH, GroupedCommand, engine_options, json_option, option
from shoal.cli.model_options import loss_option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, hierarchy_options, seconds, tell
from shoal.errors import OptionError
from shoal.evaluation.choices import Frontier, listed
from shoal.evaluation.frontier import TIME_LIMIT, frontier
from shoal.jobs.job import check_outputs
from shoal.models.base import PrivacyModel
from shoal.report.formatting import share

WIDTH = 20  # characters of a full bar


@click.command("frontier", cls=GroupedCommand)
@click.argument("data", type=INPUT)
@data_options
@hierarchy_option("The hierarchy of the items. Default: all items are siblings.")
@hierarchy_options
@column_options
@keep_option
@dataset_options("weights", "allow_missing")
@option(
    "--model",
    default="km",
    type=click.Choice(["km", "k-km"]),
    group=GUARANTEE,
    help="The privacy model: for sets (km), or for columns and sets (k-km).",
)
@option("-k", "--k", metavar="N,N", group=GUARANTEE, help="Values of k.", show_default="2,3,5,10,25; for k-km: 25")
@option("-m", "--m", metavar="N,N", group=GUARANTEE, help="Values of m.", show_default="1,2,3; for k-km: 2")
@option(
    "--delta",
    metavar="X,X",
    group=SEARCH,
    help="For k-km: the largest loss that the columns may have.",
    show_default="five values from the smallest possible on",
)
@option(
    "--siblings",
    default="best",
    metavar="WORD|FILE",
    group=SEARCH,
    rare=True,
    help="The groups of siblings that may be published: none, label, frequency, best, or those of a file.",
)
@option(
    "--time-limit",
    default=f"{TIME_LIMIT:g}",
    metavar="X|none",
    group=SEARCH,
    help="Seconds for all searches together. First safe results may take longer.",
)
@loss_option()
@option("--seed", default=0, group=SEARCH, rare=True, help="The seed of searches that draw random numbers.")
@option(
    "-o",
    "--output",
    type=FILE,
    group=OUTPUT,
    help="Also write a page (.html), the charts (.png) or the table (.csv).",
)
@engine_options
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    data: Path,
    model: str,
    k: str | None,
    m: str | None,
    delta: str | None,
    siblings: str,
    output: Path | None,
    loss: str,
    time_limit: str,
    seed: int,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Show how much each choice of k and m costs on DATA.

    For each choice: the loss, the items published unchanged, and the remaining risk. Each result is verified; nothing
    is published.

    \b
    shoal frontier baskets.dat --hierarchy h.csv
    shoal frontier baskets.dat --hierarchy h.csv --k 5,10 --m 2,3 -o frontier.html
    shoal frontier people.csv --model k-km --quasi-identifiers age,zip --k 10
    """
    from shoal.evaluation import frontier_page

    ks, ms = _numbers("k", k), _numbers("m", m)
    spec = dataset_spec(data, given, label=data.stem)
    if output is not None:
        frontier_page.check(output)
        check_outputs([Path(one) for one in spec.files], [output])
    guarantee = discovery.get("shoal.models", PrivacyModel, model)()
    with console.engine(workers) as engine:
        result = frontier(
            spec,
            guarantee,
            k=ks,
            m=ms,
            delta=_shares("delta", delta),
            siblings=siblings,
            time_limit=seconds(time_limit, "--time-limit"),
            loss=loss,
            seed=seed,
            engine=engine,
            on_read=tell,
        )
    if as_json:
        console.show_json("frontier", result.as_dict())
    else:
        show(result)
    if result.interrupted:
        console.complain(
            f"Interrupted: {len(result.choices)} of {result.asked} choices are shown; nothing was written."
        )
        context.exit(130)
    if output is not None:
        if lacks := result.save(output):
            console.warn(lacks)
        console.log(f"Written: {output}")


def show(result: Frontier) -> None:
    """Show the table, the chart, and a sentence for each sensible choice."""
    console.table(f"{result.data}: {result.size}", *listed(result.choices), right=0)
    if result.kind:
        console.say(
            f"Bound: every {result.kind} loses at least that much; 'best' means that none loses less. Loss: "
            f"{result.measure}."
        )
    console.say("")
    _chart(result)
    console.say("")
    for sentence in result.sentences:
        console.say(f"- {sentence}")


def _chart(result: Frontier) -> None:
    """Show a bar for the items that each choice publishes unchanged, one column for each m."""
    known = sorted({one.m for one in result.choices})
    lines: dict[str, dict[int, float]] = {}
    for one in sorted(result.choices, key=lambda one: (one.k, one.delta or 0)):
        name = f"k={one.k}" + ("" if one.delta is None else f", delta={one.delta:g}")
        lines.setdefault(name, {})[one.m] = one.unchanged
    rows = [[name, *(f"{_bar(of[m])} {share(of[m])}" if m in of else "" for m in known)] for name, of in lines.items()]
    console.table("items published unchanged", ["", *(f"m={m}" for m in known)], rows, right=9)


def _bar(part: float) -> str:
    """Return a bar of this share of its full length.

    >>> _bar(0.5), _bar(0.01), _bar(0)
    ('██████████', '▎', '')
    """
    eighths = max(1 if part else 0, round(part * WIDTH * 8))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _numbers(name: str, text: str | None) -> list[int]:
    """Parse whole numbers such as 2,3,5. The library checks their range."""
    try:
        return [] if text is None else [int(one) for one in text.split(",")]
    except ValueError:
        raise OptionError(f"--{name} must be whole numbers such as 2,3,5, got '{text}'.") from None


def _shares(name: str, text: str | None) -> list[float]:
    """Parse numbers such as 0.2,0.5."""
    try:
        return [] if text is None else [float(one) for one in text.split(",")]
    except ValueError:
        raise OptionError(f"--{name} must be numbers such as 0.2,0.5, got '{text}'.") from None
