"""``shoal recommend``: which algorithm to take for some data, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shoal.cli import console
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option, role_words
from shoal.cli.inspect import as_json
from shoal.cli.options import FILE, choose, data_options, spec_options, spec_options_of, tell
from shoal.evaluation.recommend import Recommendation, Trial, Wishes, figure, recommend
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.options import changed
from shoal.privacy import PrivacyModel
from shoal.report import sentences


@click.command("recommend")
@click.argument("data", type=FILE)
@hierarchy_option("The item hierarchy; default: an artificial one (--fanout), by frequency.")
@click.option("--fanout", default=5, show_default=True, type=click.IntRange(min=2), help="Children of a node of that.")
@click.option("--model", default="km", show_default=True, help="The privacy model (see: shoal models).")
@spec_options(PrivacyModel)
@spec_options_of(Wishes)
@click.option(
    "--loss", default="ncp", show_default=True, help="The information loss that searches minimise: ncp or lm."
)
@click.option("--seed", default=0, show_default=True, help="For the sample, and for methods that draw random numbers.")
@click.option("--workers", default=0, show_default=True, help="Runs at once; 0: one for each processor.")
@column_options
@as_json
@data_options
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
    """Recommend an algorithm for DATA: try all on a sample, confirm the best on all rows, and tell why.

    Every figure comes from a release that was made and verified; nothing is published.
    """
    hierarchy = given["hierarchy"]
    wishes = Wishes.parse({one.name: given.pop(one.name) for one in Wishes.options() if given[one.name] is not None})
    (privacy,) = choose({PrivacyModel: model}, given)
    beside = [*([f"--loss {loss}"] if loss != "ncp" else []), *([f"--seed {seed}"] if seed else []), *role_words(given)]
    spec = dataset_spec(data, given, label=data.stem)
    if "" not in spec.hierarchy:
        spec = replace(spec, fanout=fanout, order="frequency")
    spec.require_files()
    with console.engine(workers) as engine:
        found = recommend(
            spec, privacy, wishes, seed=seed, loss=loss, workers=workers, progress=engine.progress, on_read=tell
        )
    how = _command(found, spec, hierarchy, privacy, read_words(spec.reading), beside) if found.endorsed else []
    if as_json:
        console.show_json(_plain(found, how))
        return
    if found.endorsed:
        console.say((f"Take {found.pick.algorithm.name}.", "bold green"), f" The guarantee: {privacy.describe()}")
    else:
        console.say(
            ("No method can be recommended.", "bold red"),
            f" The best release that was found is nearly worthless. The guarantee: {privacy.describe()}",
        )
    for reason in found.reasons:
        console.say(f"- {reason}")
    part = ["all rows", "s"] if found.sampled < found.rows else []
    heads = ["method", f"{found.measure}, {found.sampled:,} rows", "s", *part, ""]
    console.table(None, heads, [_line(one, found) for one in found.trials])
    if how:
        console.say("Next:")
    for line in how:
        console.say(f"  {line}")


def _line(trial: Trial, found: Recommendation) -> list[str]:
    """A method in the table."""
    cells = [trial.algorithm.name]
    for row in (trial.sample, trial.whole) if found.sampled < found.rows else (trial.whole,):
        good = row is not None and row["status"] == "ok" and row["score"] is not None
        cells += [figure(row["score"]), f"{row['seconds']:.3g}"] if good and row is not None else ["", ""]
    kind = "removes items" if trial.algorithm.suppresses else "not truthful" if not trial.algorithm.truthful else ""
    kind = "nearly worthless" if trial.worthless else kind
    return [*cells, trial.said[:60] or kind]


def read_words(read_as: ReadOptions) -> list[str]:
    """The options that say how the data were read, as they are typed."""
    return [sentences.shell_word(word) for word in read_as.words()]


def _command(
    found: Recommendation,
    spec: DatasetSpec,
    hierarchy: Sequence[str],
    privacy: PrivacyModel,
    read_as: Sequence[str],
    beside: Sequence[str],
) -> list[str]:
    """How to publish what was recommended."""
    named, lines, shell = list(hierarchy), [], sentences.shell_word
    if spec.fanout and found.pick.algorithm.needs_hierarchy:
        tree = "hierarchy.csv"
        named.append(tree)
        build = [
            f"shoal hierarchy build {shell(spec.file)}",
            *read_as,
            f"--by frequency --fanout {spec.fanout} -o {tree}",
        ]
        lines.append(" ".join(build))
    options = [
        f"{one.flag} {shell(_text(value))}" for one in privacy.options() if (value := getattr(privacy, one.name))
    ]
    parts = [
        f"shoal anonymize {shell(spec.file)} -o {shell(_published(Path(spec.file)))}",
        *read_as,
        *(f"--hierarchy {shell(tree)}" for tree in named),
        f"--model {privacy.name}",
        *options,
        *beside,
        f"--algorithm {found.pick.algorithm.name}",
        *_limits(found),
        "--report report.html",
    ]
    return [*lines, " ".join(parts)]


def _limits(found: Recommendation) -> list[str]:
    """The time limit of a search that did not end by itself."""
    ended = (found.pick.whole or {}).get("ended")
    given = {} if ended in ("", None, "proven") else changed(found.pick.algorithm)
    return [f"--{name.replace('_', '-')} {value:g}" for name, value in given.items()]


def _published(data: Path) -> str:
    """A name like that of the data."""
    return "published" + "".join(
        data.suffixes[-2:] if data.suffix in (".gz", ".zst", ".bz2", ".xz") else data.suffixes[-1:]
    )


def _text(value: Any) -> str:
    return sentences.listed(value) if isinstance(value, tuple) else str(value)


def _plain(found: Recommendation, how: list[str]) -> dict[str, Any]:
    """Machine-readable."""
    names = ("status", "error", "score", "seconds", "peak_mb", "verified", "lower_bound", "worthless")

    def told(row: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if row is None else {name: row.get(name) for name in names}

    return {
        "algorithm": found.pick.algorithm.name if found.endorsed else None,
        "best_found": found.pick.algorithm.name,
        "worthless": found.pick.worthless or None,
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
