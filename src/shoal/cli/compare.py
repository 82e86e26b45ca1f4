"""``shoal compare``: a grid of algorithms, options, data sets and seeds."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.cli import compared, console
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option
from shoal.cli.options import FILE, data_options, tell
from shoal.errors import OptionError, OutputError, did_you_mean
from shoal.evaluation import grid_file, page, results, runner
from shoal.evaluation.grid import Extras, Grid, combinations, spread
from shoal.io.read_options import ReadOptions
from shoal.privacy import PrivacyModel
from shoal.report.formatting import things
from shoal.visible import visible


@click.command()
@click.argument("what", nargs=-1)
@click.option("-o", "--output", type=FILE, help="The folder for the results: results.csv, results.parquet, index.html.")
@click.option("--list", "listed", is_flag=True, help="List the grids that come with Shoal: the papers' experiments.")
@click.option("--data-folder", type=FILE, help="Where the data of such a grid are; default: $SHOAL_DATA.")
@hierarchy_option("Data files: the item hierarchy; default: an artificial one (--fanout).")
@click.option("--fanout", default="5", show_default=True, help="Data files: children of a node of the artificial one.")
@click.option(
    "--order", default="frequency", show_default=True, help="... and its order: label, frequency, or both: a,b."
)
@click.option("--model", default="km", show_default=True, help="Data files: the privacy model.")
@click.option(
    "-a", "--algorithm", "algorithms", multiple=True, help="Data files: an algorithm; repeatable; default: all."
)
@click.option(
    "--vary",
    metavar="NAME=A,B",
    multiple=True,
    help="Values of an option of the model or of algorithms (k=2,5,10 or lra.chunks=3,5), or of 'rows'; repeatable.",
)
@click.option("--seeds", default="0", show_default=True, help="Data files: seeds, such as 0,1,2.")
@click.option("--loss", default="ncp", show_default=True, help="Data files: the loss that searches minimise.")
@click.option("--queries", type=click.IntRange(min=1), help="Data files: also measure ARE by so many queries.")
@click.option("--mining", metavar="T,T", help="Data files: also measure ML2 and dML2 at these thresholds, in percent.")
@click.option(
    "--known", type=click.IntRange(min=1), help="Data files: also measure the risk, if so many items may be known."
)
@click.option(
    "--limit", type=click.FloatRange(min=0, min_open=True), help="Seconds for a run; default: 600, or the file's."
)
@click.option(
    "--workers",
    default=0,
    type=click.IntRange(min=0),
    show_default=True,
    help="Runs at once; 0: one for each processor.",
)
@click.option("--again", is_flag=True, help="Run everything anew, even what the folder holds already.")
@click.option("--retry", is_flag=True, help="Run anew what failed or was ended by the limit.")
@column_options
@data_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    what: tuple[str, ...],
    output: Path | None,
    listed: bool,
    data_folder: Path | None,
    limit: float | None,
    workers: int,
    again: bool,
    retry: bool,
    **given: Any,
) -> None:
    """Run WHAT: a grid in a TOML file, the name of one that comes with Shoal, or data files.

    \b
    shoal compare grid.toml -o lab                   the file says all (see: docs/compare.md)
    shoal compare baskets.dat -o lab --vary k=2,5,10 --vary m=1,2,3
    shoal compare p0-fig8 -o lab                     an experiment of a paper

    Each run has a process of its own; what fails is a row with its error. The same command goes on where it was
    interrupted. The exit code is 1 if there is no release at all.
    """
    if listed:
        return _list()
    if not what:
        raise OptionError("Nothing to compare: name a TOML file, a grid (see --list), or data files.")
    if output is None:
        raise OptionError("Where should the results go? Name a folder: -o lab.")
    grid = _grid(context, what, data_folder, given)
    if limit is not None:
        if not math.isfinite(limit):
            raise OptionError(f"--limit must be a number of seconds, got {limit:g}.")
        grid = Grid(grid.cases, grid.title, grid.about, limit)
    if output.exists() and not output.is_dir():
        raise OutputError(f"{output} is a file, but the results need a folder: name another.")
    _readable(grid)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output} cannot be made: {error.strerror or error}.") from None
    rows = _run(grid, output / "results.csv", workers, again=again, retry=retry)
    results.to_parquet(rows, output / "results.parquet")
    if missing := page.write(grid, rows, output / "index.html"):
        console.warn(missing)
    compared.show(rows, output)
    context.exit(0 if any(row["status"] == "ok" for row in rows) else 1)


def _readable(grid: Grid) -> None:
    """What cannot be read is said before anything runs; each file is tried once."""
    tried = {(case.data.file, str(case.data.hierarchy)): case for case in reversed(grid.cases)}
    for case in tried.values():
        if case.data.file:
            case.data.load(case.seed, case.privacy, tell)


def _run(grid: Grid, target: Path, workers: int, *, again: bool, retry: bool) -> list[results.Row]:
    """With a bar on stderr, where that is a terminal."""
    bars = Progress(
        console.stage_column(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console.terminal(stderr=True),
        transient=True,
        disable=not console.terminal(stderr=True).is_terminal,
    )
    with bars:
        task = bars.add_task("comparing", total=len(grid))

        def tell(at: runner.Progress) -> None:
            bars.update(task, completed=at.done, description=visible(str(at.case)[:60]))
            if bars.disable and at.done * 10 // at.total > (at.done - 1) * 10 // at.total:  # for logs, a few lines
                console.log(f"{at.done:,} of {at.total:,} runs: {at.case}")

        try:
            return runner.compare(grid, target, workers=workers, again=again, retry=retry, progress=tell)
        except KeyboardInterrupt:
            bars.stop()
            done = len(results.load(target)) if target.exists() else 0
            console.fail(
                f"Interrupted: {things(done, 'run')} of {len(grid):,} are in {target}; the same command goes on from "
                f"there.",
                130,
            )


def _grid(context: click.Context, what: tuple[str, ...], folder: Path | None, given: dict[str, Any]) -> Grid:
    """What is to be run."""
    first, known = what[0], grid_file.named()
    ours = first in known and not os.path.exists(first)
    if not ours and not first.endswith(".toml"):
        for one in what:
            if not os.path.isfile(one):
                raise OptionError(
                    f"'{one}' is neither a file nor a grid{did_you_mean(one, known)}: see shoal compare --list."
                )
        return _of_files([Path(one) for one in what], given)
    default = click.core.ParameterSource.DEFAULT
    said = [one for one in _ABOUT_FILES if context.get_parameter_source(one) is not default]
    if said:
        flag = {"algorithms": "algorithm"}.get(said[0], said[0]).replace("_", "-")
        raise OptionError(
            f"--{flag} is for data files, but {first} says itself what is run: leave it out, or edit that."
        )
    if len(what) > 1:
        raise OptionError(f"One grid at a time, got {len(what)}: run them one after the other.")
    if not ours:
        return grid_file.load(first, folder)
    home = folder or (Path(os.environ["SHOAL_DATA"]) if "SHOAL_DATA" in os.environ else None)
    if home is None or not home.is_dir():
        where = f"{home} is no folder" if home else "none is named"
        raise OptionError(
            f"The grid {first} needs its data sets, but {where}: give --data-folder, or set SHOAL_DATA (see "
            f"docs/papers/README.md for what is in it)."
        )
    return grid_file.load(known[first], home)


_ABOUT_FILES = (
    *("quasi_identifiers", "categorical", "missing", "column_weights", "plain", "identifiers"),
    *("hierarchy", "fanout", "order", "model", "algorithms", "vary", "seeds", "loss", "queries", "mining", "known"),
    *(one.name for one in ReadOptions.options()),
)


def _of_files(files: Sequence[Path], given: dict[str, Any]) -> Grid:
    """Every combination of what the options name."""
    spec = dataset_spec(files[0], given)
    model = discovery.get("shoal.privacy", PrivacyModel, given["model"])
    varied: dict[str, list[str]] = {}
    for name, values in map(_varied, given["vary"]):
        varied[name] = [*varied.get(name, ()), *values]
    methods = given["algorithms"] or [
        name
        for name, one in discovery.find("shoal.algorithms", Algorithm).items()
        if model in one.solves and name not in ("auto", "oa")  # one chooses among others, one is for small data
    ]
    classes = [discovery.get("shoal.algorithms", Algorithm, name) for name in methods]
    own = {option.name for option in model.options()}
    for name in varied:
        head, _, option = name.rpartition(".")
        of = [one for one in classes if not head or one.name == head]
        known = {option.name for one in of for option in one.options()} | (set() if head else own | {"rows"})
        if option not in known:
            raise OptionError(f"--vary {name}: none of {', '.join([given['model'], *methods])} has such an option.")
    lists = {option.name for one in (model, *classes) for option in one.options() if option.type is tuple}
    varied = {name: [",".join(values)] if name in lists else values for name, values in varied.items()}
    made: dict[str, Any] = {"rows": _numbers("vary rows", ",".join(varied["rows"]))} if "rows" in varied else {}
    if "" not in spec.hierarchy:
        fanouts = _numbers("fanout", given["fanout"], low=2)
        made |= {"fanout": fanouts, "order": [one.strip() for one in given["order"].split(",")]}
    data_sets = [
        replace(spec, label=label, file=str(path), **values).require_files()
        for path, label in zip(files, _labels(files), strict=True)
        for values in spread(made)
    ]
    models = _spread(model, {name: values for name, values in varied.items() if name in own})
    chosen = []
    for cls in classes:
        told = {
            name: varied.get(f"{cls.name}.{name}", varied.get(name)) for name in (one.name for one in cls.options())
        }
        chosen += _spread(cls, {name: values for name, values in told.items() if values and name not in own})
    mined = tuple(one.strip() for one in given["mining"].split(",")) if given["mining"] else ()
    extras = Extras(queries=given["queries"] or 0, mining=mined, known=given["known"] or 0)
    seeds = _numbers("seeds", given["seeds"])
    names = ", ".join(dict.fromkeys(one.label for one in data_sets))
    return Grid.of(combinations(data_sets, models, chosen, seeds, given["loss"], extras), f"{names}: {model.title}")


def _labels(files: Sequence[Path]) -> list[str]:
    """Names of files as short as they can be: the file's, the folder's where those are the same, or all of it."""
    for names in ([path.stem for path in files], [path.resolve().parent.name for path in files]):
        if len(set(names)) == len(files):
            return names
    return [str(path) for path in files]


def _spread(cls: type[Any], varied: dict[str, list[str]]) -> list[Any]:
    """One for each combination of values."""
    return [cls.parse(values) for values in spread(varied)]


def _varied(text: str) -> tuple[str, list[str]]:
    """The name and the values of k=2,5,10."""
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise OptionError(f"--vary must be such as k=2,5,10, got '{text}'.")
    return name.strip().replace("-", "_"), [one.strip() for one in values.split(",")]


def _numbers(name: str, text: str, low: int = 0) -> list[int]:
    """Whole numbers such as 0,1,2."""
    try:
        found = [int(one) for one in text.split(",")]
    except ValueError:
        found = [low - 1]
    if min(found) < low:
        raise OptionError(f"--{name} must be whole numbers from {low} on, such as 2,3,5, got '{text}'.")
    return found


def _list() -> None:
    """The named grids."""
    found = [(name, grid_file.about(path)) for name, path in grid_file.named().items()]
    console.table(None, ["grid", "what it is"], found, right=9)
