"""``shoal recommend``: which algorithm to take for some data, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import console
from shoal.cli.inspect import as_json
from shoal.cli.options import FILE, choose, data_options, reading, spec_options, spec_options_of
from shoal.evaluation.material import Material
from shoal.evaluation.recommend import Recommendation, Trial, Wishes, figure, recommend
from shoal.options import changed
from shoal.privacy import PrivacyModel
from shoal.report import words


@click.command("recommend")
@click.argument("data", type=FILE)
@click.option("--hierarchy", type=FILE, help="The item hierarchy; default: an artificial one (--fanout), by frequency.")
@click.option("--fanout", default=5, show_default=True, type=click.IntRange(min=2), help="Children of a node of that.")
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@spec_options(PrivacyModel)
@spec_options_of(Wishes)
@click.option(
    "--loss", default="ncp", show_default=True, help="The information loss that searches minimise: ncp or lm."
)
@click.option("--seed", default=0, show_default=True, help="For the sample, and for methods that draw random numbers.")
@click.option("--workers", default=0, show_default=True, help="Runs at once; 0: one for each processor.")
@as_json
@data_options
def command(
    data: Path,
    hierarchy: Path | None,
    fanout: int,
    model: str,
    loss: str,
    seed: int,
    workers: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Recommend an algorithm for DATA: try all on a sample, confirm the best on all rows, and tell why.

    Every figure comes from a release that was made and verified; nothing is published.
    """
    read_as = reading(given)
    wishes = Wishes.parse({one.name: given.pop(one.name) for one in Wishes.options() if given[one.name] is not None})
    (privacy,) = choose({PrivacyModel: model}, given)
    tree: dict[str, Any] = (
        {"hierarchy": {"": str(hierarchy)}} if hierarchy else {"fanout": fanout, "order": "frequency"}
    )
    material = Material(label=data.stem, file=str(data), reading=read_as, **tree)
    with console.engine(workers) as engine:
        found = recommend(material, privacy, wishes, seed=seed, loss=loss, workers=workers, progress=engine.progress)
    how = _command(found, data, hierarchy, fanout, privacy)
    if as_json:
        console.show_json(_plain(found, how))
        return
    console.say(f"[bold green]Take {found.pick.algorithm.name}[/] for {privacy.describe()}")
    for reason in found.reasons:
        console.say(f"- {reason}")
    heads = ["method", f"{found.measure}, {found.sampled:,} rows", "s", "all rows", "s", ""]
    console.table(None, heads, [_line(one, found) for one in found.trials])
    console.say("Next:")
    for line in how:
        console.say(f"  {line}")


def _line(trial: Trial, found: Recommendation) -> list[str]:
    """A method in the table."""
    cells = [trial.algorithm.name]
    for row in (trial.sample, trial.whole if found.sampled < found.rows else None):
        good = row is not None and row["status"] == "ok"
        cells += [figure(row["score"]), f"{row['seconds']:.3g}"] if good and row is not None else ["", ""]
    kind = "removes items" if trial.algorithm.suppresses else "not truthful" if not trial.algorithm.truthful else ""
    return [*cells, trial.said[:60] or kind]


def _command(
    found: Recommendation, data: Path, hierarchy: Path | None, fanout: int, privacy: PrivacyModel
) -> list[str]:
    """How to publish what was recommended."""
    tree, lines, shell = hierarchy, [], words.shell_word
    if hierarchy is None and found.pick.algorithm.needs_hierarchy:
        tree = Path("hierarchy.csv")
        lines.append(f"shoal hierarchy build {shell(str(data))} --by frequency --fanout {fanout} -o {tree}")
    options = [
        f"{one.flag} {shell(_text(value))}" for one in privacy.options() if (value := getattr(privacy, one.name))
    ]
    parts = [
        f"shoal anonymize {shell(str(data))} -o published{data.suffix}",
        *([f"--hierarchy {shell(str(tree))}"] if tree else []),
        f"--model {privacy.name}",
        *options,
        f"--algorithm {found.pick.algorithm.name}",
        *(f"--{name.replace('_', '-')} {value:g}" for name, value in changed(found.pick.algorithm).items()),
        "--report report.html",
    ]
    return [*lines, " ".join(parts)]


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _plain(found: Recommendation, how: list[str]) -> dict[str, Any]:
    """Machine-readable."""
    names = ("status", "error", "score", "seconds", "peak_mb", "verified", "lower_bound")

    def told(row: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if row is None else {name: row.get(name) for name in names}

    return {
        "algorithm": found.pick.algorithm.name,
        "measure": found.measure,
        "rows": found.rows,
        "sampled_rows": found.sampled,
        "reasons": found.reasons,
        "commands": how,
        "trials": [
            {
                "algorithm": one.algorithm.name,
                "allowed": one.allowed,
                "sample": told(one.sample),
                "all": told(one.whole),
            }
            for one in found.trials
        ],
    }
