"""``shoal compare``: a grid of algorithms, options, data sets and seeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from shoal.cli import compared, console
from shoal.cli.columns import column_options, dataset_spec, hierarchy_option
from shoal.cli.help import (
    DATA,
    MEASURES,
    OUTPUT,
    RUNS,
    SEARCH,
    GroupedCommand,
    json_option,
    option,
    workers_option,
)
from shoal.cli.model_options import algorithm_option, loss_option, model_option
from shoal.cli.options import FILE, data_options, tell
from shoal.errors import OptionError, did_you_mean
from shoal.evaluation import grid_file, results, runner
from shoal.evaluation.compare import compare as run
from shoal.evaluation.compare import data_sets, grid_of, load_grid, table_in
from shoal.evaluation.grid import Extras, Grid
from shoal.io.read_options import ReadOptions
from shoal.progress import stage_column
from shoal.report.formatting import count_noun
from shoal.visible import visible


@click.command(cls=GroupedCommand)
@click.argument("what", nargs=-1)
@option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=FILE,
    group=OUTPUT,
    help="The folder for the results: results.csv, index.html, figures/, table.tex.",
)
@option("--list", "listed", is_flag=True, group=RUNS, help="List the experiments of papers that come with Shoal.")
@option(
    "--data-folder",
    metavar="FOLDER",
    type=FILE,
    group=RUNS,
    rare=True,
    help="The folder with the data of such an experiment. Default: $SHOAL_DATA.",
)
@data_options
@hierarchy_option("The hierarchy of the items. Default: built by --order.")
@option(
    "--fanout",
    default="5",
    metavar="N,N",
    group=DATA,
    rare=True,
    help="Children of each node of the hierarchy that is built.",
)
@option(
    "--order",
    default="frequency",
    metavar="NAME,NAME",
    group=DATA,
    rare=True,
    help="The order of items in the hierarchy that is built: label, frequency, or both.",
)
@column_options
@model_option()
@algorithm_option("-a", "--algorithm", "algorithms", multiple=True, help="An algorithm. Repeatable. Default: all.")
@option(
    "--vary",
    metavar="NAME=A,B",
    multiple=True,
    group=SEARCH,
    help="Values of an option (k=2,5,10 or lra.chunks=3,5), or numbers of rows (rows=1000,5000). Repeatable.",
)
@option("--seeds", default="0", metavar="N,N", group=SEARCH, help="The seeds to run each algorithm with.")
@loss_option()
@option("--queries", type=click.IntRange(min=1), group=MEASURES, help="Also measure ARE on N queries.")
@option(
    "--mining",
    metavar="T,T",
    group=MEASURES,
    help="Also measure ML2 and dML2 at these thresholds, in percent of records.",
)
@option(
    "--known",
    metavar="M",
    type=click.IntRange(min=1),
    group=MEASURES,
    help="Also measure the risk from an attacker who knows M items.",
)
@option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    group=RUNS,
    help="Seconds for each run. Default: 600, or what the TOML file says.",
)
@option("--again", is_flag=True, group=RUNS, help="Run everything again, even what the folder already holds.")
@option("--retry", is_flag=True, group=RUNS, help="Run again what failed or reached the limit.")
@workers_option("Runs at the same time")
@json_option
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
    as_json: bool,
    **given: Any,
) -> None:
    """Compare algorithms on data files, or run an experiment.

    WHAT is one or more data files, a TOML file that describes the runs, or the name of an experiment of a paper. Each
    run has its own process. If you interrupt the command, the same command continues. The exit code is 1 if every run
    fails.

    \b
    shoal compare baskets.dat -o lab --vary k=2,5,10 --vary m=1,2,3
    shoal compare grid.toml -o lab                   (see: docs/how-to/compare.md)
    shoal compare p0-fig8 -o lab
    """
    if listed:
        return _list(as_json=as_json)
    if not what:
        raise OptionError("Nothing to compare: name data files, a TOML file, or an experiment (see --list).")
    if output is None:
        raise OptionError("Where should the results go? Name a folder: -o lab.")
    grid = _grid(context, what, data_folder, given)
    with _progress(grid, output) as progress:
        comparison = run(
            grid, output, limit=limit, workers=workers, again=again, retry=retry, on_read=tell, progress=progress
        )
    if comparison.remark:
        console.warn(comparison.remark)
    if as_json:
        console.show_json("compare", compared.document(comparison))
    else:
        compared.show(comparison)
    context.exit(1 if comparison.failed == len(comparison.rows) else 0)


@contextmanager
def _progress(grid: Grid, output: Path) -> Iterator[Callable[[runner.Progress], None]]:
    """Show a progress bar on stderr, if that is a terminal."""
    bars = Progress(
        stage_column(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console.terminal(stderr=True),
        transient=True,
        disable=console.is_quiet() or not console.terminal(stderr=True).is_terminal,
    )
    with bars:
        task = bars.add_task("comparing", total=len(grid))

        def show(at: runner.Progress) -> None:
            bars.update(task, completed=at.done, description=visible(str(at.case)[:60]))
            if bars.disable and at.done * 10 // at.total > (at.done - 1) * 10 // at.total:  # for logs, a few lines
                console.log(f"{at.done:,} of {at.total:,} runs: {at.case}")

        try:
            yield show
        except KeyboardInterrupt:
            bars.stop()
            target = table_in(output)
            done = len(results.load(target)) if target.exists() else 0
            console.fail(
                f"Interrupted: {count_noun(done, 'run')} of {len(grid):,} are in {target}. Run the same command "
                f"again to continue.",
                130,
            )


def _grid(context: click.Context, what: tuple[str, ...], folder: Path | None, given: dict[str, Any]) -> Grid:
    """Return the grid to run."""
    first = what[0]
    if not grid_file.is_named(first) and not first.endswith(".toml"):
        for one in what:
            if not os.path.isfile(one):
                near = did_you_mean(one, grid_file.named())
                raise OptionError(f"'{one}' is neither a file nor a grid{near}: see shoal compare --list.")
        return _of_files([Path(one) for one in what], given)
    default = click.core.ParameterSource.DEFAULT
    unfit = [one for one in _ABOUT_FILES if context.get_parameter_source(one) is not default]
    if unfit:
        flag = {"algorithms": "algorithm"}.get(unfit[0], unfit[0]).replace("_", "-")
        raise OptionError(
            f"--{flag} is for data files, but {first} describes its own runs: leave the option out, or edit the file."
        )
    if len(what) > 1:
        raise OptionError(f"Only one grid can run at a time, got {len(what)}: run them one after the other.")
    return load_grid(first, folder)


_ABOUT_FILES = (
    *("quasi_identifiers", "categorical", "ordered", "missing", "column_weights", "plain", "identifiers"),
    *("hierarchy", "fanout", "order", "model", "algorithms", "vary", "seeds", "loss", "queries", "mining", "known"),
    *(one.name for one in ReadOptions.options()),
)


def _of_files(files: Sequence[Path], given: dict[str, Any]) -> Grid:
    """Return every combination of the options."""
    spec = dataset_spec(files[0], given)
    varied: dict[str, list[str]] = {}
    for name, values in map(_varied, given["vary"]):
        varied[name] = [*varied.get(name, ()), *values]
    axes: dict[str, Any] = {"rows": _numbers("vary rows", ",".join(varied.pop("rows")))} if "rows" in varied else {}
    if "" not in spec.hierarchy:
        axes |= {"fanout": _numbers("fanout", given["fanout"], low=2), "order": _texts(given["order"])}
    extras = Extras(
        queries=given["queries"] or 0, mining=tuple(_texts(given["mining"] or "")), known=given["known"] or 0
    )
    return grid_of(
        data_sets(files, spec, axes),
        given["model"],
        given["algorithms"],
        varied,
        seeds=_numbers("seeds", given["seeds"]),
        loss=given["loss"],
        extras=extras,
    )


def _varied(text: str) -> tuple[str, list[str]]:
    """Split ``k=2,5,10`` into the name and its values."""
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise OptionError(f"--vary must be a name and its values, such as k=2,5,10, got '{text}'.")
    return name.strip().replace("-", "_"), _texts(values)


def _texts(text: str) -> list[str]:
    """Split ``a,b`` into its values."""
    return [one.strip() for one in text.split(",")] if text else []


def _numbers(name: str, text: str, low: int = 0) -> list[int]:
    """Parse whole numbers such as ``0,1,2``."""
    try:
        numbers = [int(one) for one in text.split(",")]
    except ValueError:
        numbers = [low - 1]
    if min(numbers) < low:
        raise OptionError(f"--{name} must be whole numbers from {low} on, such as 2,3,5, got '{text}'.")
    return numbers


def _list(*, as_json: bool) -> None:
    """List the experiments of papers."""
    grids = [(name, grid_file.about(path)) for name, path in grid_file.named().items()]
    if as_json:
        console.show_json("compare-list", {"experiments": [{"name": name, "about": about} for name, about in grids]})
        return
    console.table(None, ["name", "experiment"], grids, right=9)
