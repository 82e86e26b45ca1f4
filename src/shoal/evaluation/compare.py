"""Compare methods: run a grid, keep its rows in a folder, and draw the page of results.

``shoal compare`` and :func:`shoal.compare` are this. What runs the cases one by one is :mod:`shoal.evaluation.runner`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import OptionError, OutputError
from shoal.evaluation import grid_file, page, results, runner
from shoal.evaluation.grid import Extras, Grid, combinations, spread
from shoal.evaluation.results import Row
from shoal.jobs.dataset_spec import DatasetSpec, OnRead
from shoal.models.base import PrivacyModel

LEFT_OUT = ("auto", "oa")  # one chooses among others, one is for small data


@dataclass(frozen=True)
class MethodComparison:
    """What was measured: a row for each case of the grid, in its order, as they are in the folder."""

    grid: Grid
    rows: list[Row]
    folder: Path
    remark: str = ""  # why the page has no charts; empty: it has

    @property
    def failed(self) -> int:
        """How many cases have no release."""
        return sum(row["status"] != "ok" for row in self.rows)

    @property
    def page(self) -> Path:
        """The page of results."""
        return self.folder / "index.html"

    @property
    def table(self) -> Path:
        """The table of results."""
        return table_in(self.folder)


def compare(
    grid: Grid | str | Path,
    output: str | Path,
    *,
    data_folder: str | Path | None = None,
    limit: float | None = None,
    workers: int = 0,
    again: bool = False,
    retry: bool = False,
    on_read: OnRead = lambda data: data,
    progress: Callable[[runner.Progress], None] = lambda _: None,
) -> MethodComparison:
    """Run a grid, and write results.csv, results.parquet and index.html to a folder.

    Parameters
    ----------
    grid
        A grid, a TOML file that describes one, or the name of one that comes with Shoal.
    output
        The folder. What it holds already is not run again, so the same call goes on where it was interrupted.
    data_folder
        Where the data of a named grid are; default: ``$SHOAL_DATA``.
    limit
        Seconds for a run; default: the grid's.
    workers
        Runs at once; 0: one for each processor.
    again, retry
        Run everything anew, or what failed or was ended by the limit.
    on_read
        Is given the data of each file as read, before anything runs.
    progress
        Is told of each run that has ended.
    """
    folder = Path(output)
    grid = grid if isinstance(grid, Grid) else load_grid(grid, data_folder)
    if limit is not None:
        if not math.isfinite(limit):
            raise OptionError(f"--limit must be a number of seconds, got {limit:g}.")
        grid = replace(grid, limit=limit)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, but the results need a folder: name another.")
    check_readable(grid, on_read)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror or error}.") from None
    rows = runner.compare(grid, table_in(folder), workers=workers, again=again, retry=retry, progress=progress)
    results.to_parquet(rows, folder / "results.parquet")
    return MethodComparison(grid, rows, folder, page.write(grid, rows, folder / "index.html"))


def table_in(folder: Path) -> Path:
    """The table of results in a folder."""
    return folder / "results.csv"


def check_readable(grid: Grid, on_read: OnRead) -> None:
    """What cannot be read is said before anything runs; each file is tried once."""
    tried = {(case.data.file, str(case.data.hierarchy)): case for case in reversed(grid.cases)}
    for case in tried.values():
        if case.data.file:
            case.data.load(case.seed, case.model, on_read)


def load_grid(what: str | Path, data_folder: str | Path | None = None) -> Grid:
    """The grid that a TOML file describes, or the one of that name that comes with Shoal."""
    folder = None if data_folder is None else Path(data_folder)
    if not grid_file.is_named(what):
        return grid_file.load(what, folder)
    home = folder or (Path(os.environ["SHOAL_DATA"]) if "SHOAL_DATA" in os.environ else None)
    if home is None or not home.is_dir():
        where = f"{home} is no folder" if home else "none is named"
        raise OptionError(
            f"The grid {what} needs its data sets, but {where}: give --data-folder, or set SHOAL_DATA (see "
            f"docs/research/papers/README.md for what is in it)."
        )
    return grid_file.load(grid_file.named()[str(what)], home)


def data_sets(files: Sequence[Path], spec: DatasetSpec, axes: Mapping[str, Any]) -> list[DatasetSpec]:
    """Each file described like ``spec``, for every combination of values of some of its options."""
    return [
        replace(spec, label=label, file=str(path), **values).require_files()
        for path, label in zip(files, _labels(files), strict=True)
        for values in spread(axes)
    ]


def grid_of(
    data: Sequence[DatasetSpec],
    model: str,
    algorithms: Sequence[str] = (),
    vary: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: Sequence[int] = (0,),
    loss: str = "ncp",
    extras: Extras | None = None,
) -> Grid:
    """Every combination of data sets, methods (none: all) and values of options of the model and of methods.

    >>> toy = DatasetSpec(label="toy", generate="quest")
    >>> [str(case) for case in grid_of([toy], "km", ["aa"], {"k": ["2", "5"]}).cases]
    ['toy, km k=2 m=2, aa', 'toy, km k=5 m=2, aa']
    """
    protecting, varied = discovery.get("shoal.models", PrivacyModel, model), dict(vary or {})
    names = algorithms or [
        name
        for name, method in discovery.find("shoal.algorithms", Algorithm).items()
        if protecting in method.solves and name not in LEFT_OUT
    ]
    methods = [discovery.get("shoal.algorithms", Algorithm, name) for name in names]
    own = {option.name for option in protecting.options()}
    for name in varied:
        head, _, asked = name.rpartition(".")
        of = [method for method in methods if not head or method.name == head]
        if asked not in {option.name for method in of for option in method.options()} | (set() if head else own):
            raise OptionError(f"--vary {name}: none of {', '.join([model, *names])} has such an option.")
    lists = {option.name for cls in (protecting, *methods) for option in cls.options() if option.type is tuple}
    varied = {name: [",".join(map(str, values))] if name in lists else list(values) for name, values in varied.items()}
    models = [protecting.parse(values) for values in spread({name: varied[name] for name in varied if name in own})]
    chosen = []
    for cls in methods:
        others = [option.name for option in cls.options() if option.name not in own]
        values = {name: varied.get(f"{cls.name}.{name}", varied.get(name)) for name in others}
        chosen += [cls.parse(some) for some in spread({name: some for name, some in values.items() if some})]
    labels = ", ".join(dict.fromkeys(spec.label for spec in data))
    return Grid.of(combinations(data, models, chosen, seeds, loss, extras), f"{labels}: {protecting.title}")


def _labels(files: Sequence[Path]) -> list[str]:
    """Names of files as short as they can be: the file's, the folder's where those are the same, or all of it."""
    for names in ([path.stem for path in files], [path.resolve().parent.name for path in files]):
        if len(set(names)) == len(files):
            return names
    return [str(path) for path in files]
