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
from shoal.evaluation import exports, grid_file, page, results, runner
from shoal.evaluation.grid import Extras, Grid, combinations, spread
from shoal.evaluation.results import Row
from shoal.jobs.arguments import describe_data
from shoal.jobs.column_specs import names_in
from shoal.jobs.dataset_spec import DatasetSpec, OnRead
from shoal.models.base import PrivacyModel
from shoal.progress import bars

LEFT_OUT = ("auto", "oa")  # one chooses among others, one is for small data


@dataclass(frozen=True)
class MethodComparison:
    """The results of a comparison: a row for each case of the grid, in its order, as in the folder."""

    grid: Grid
    rows: list[Row]
    folder: Path
    remark: str = ""  # why the page has no charts; empty: it has

    @property
    def failed(self) -> int:
        """The number of cases without a release."""
        return sum(row["status"] != "ok" for row in self.rows)

    @property
    def page(self) -> Path:
        """The page of results."""
        return self.folder / "index.html"

    @property
    def table(self) -> Path:
        """The table of results."""
        return table_in(self.folder)

    @property
    def figures(self) -> Path | None:
        """The folder of charts; None, if there are none."""
        return None if self.remark else self.folder / exports.FOLDER


def compare(
    what: Any,
    output: str | Path,
    *,
    model: str = "km",
    algorithms: str | Sequence[str] = (),
    vary: Mapping[str, Sequence[Any]] | None = None,
    fanout: int | Sequence[int] = 5,
    order: str | Sequence[str] = "frequency",
    seeds: Sequence[int] = (0,),
    loss: str = "ncp",
    queries: int = 0,
    mining: Sequence[float] = (),
    known: int = 0,
    data_folder: str | Path | None = None,
    limit: float | None = None,
    workers: int = 0,
    again: bool = False,
    retry: bool = False,
    progress: bool | Callable[[runner.Progress], None] = False,
    on_read: OnRead = lambda data: data,
    **described: Any,
) -> MethodComparison:
    """Compare methods, options, data sets and seeds, and write the results with charts to a folder.

    The files are results.csv and results.parquet (a row for each run), index.html, figures/ (each chart as SVG and
    PDF), table.tex and table.csv (which method lost least).

    Parameters
    ----------
    what
        A TOML file that describes a grid, the name of a grid that comes with Shoal, or data as
        :func:`shoal.anonymize` takes them.
    output
        The folder. Runs that it already holds are not repeated, so the same call continues after an interruption.
    model, algorithms
        For data: the name of the model, and the names of the algorithms. Default: all that solve it.
    vary
        For data: values of options of the model or of algorithms, such as ``{"k": [2, 5], "lra.chunks": [3, 5]}``, or
        of ``rows``.
    fanout, order
        For data without a hierarchy: one is built with so many children of a node, and with the items in this order.
        Several values are compared.
    seeds, loss
        For data: the seeds, and the loss that searches minimise.
    queries, mining, known
        For data: also measure the error of so many queries, the frequent itemsets at these thresholds in percent, and
        the risk from so many known items.
    data_folder
        The folder with the data of a named grid. Default: ``$SHOAL_DATA``.
    limit
        Seconds for a run. Default: 600, or that of the grid.
    workers
        The number of runs at once. 0 means one for each processor.
    again, retry
        Run everything again, or only the runs that failed or reached the limit.
    progress
        True draws a bar. A function is called after each run.
    on_read
        A function that gets the data of each file as read, before anything runs.
    **described
        For data: what :func:`shoal.anonymize` takes about them, such as ``hierarchy``, ``sets`` or ``id_column``.

    Returns
    -------
    MethodComparison
        The rows of the table, and the paths of what was written.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> baskets = [["ale", "rye"], ["ale", "rye"], ["stout", "rye"], ["ale", "bun"]] * 5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = shoal.compare(baskets, folder, algorithms=["aa"], vary={"k": [2, 5]}, fanout=2)
    >>> [(row["k"], row["status"]) for row in result.rows]
    [(2, 'ok'), (5, 'ok')]
    """
    folder = Path(output)
    is_grid = isinstance(what, str | Path) and (grid_file.is_named(what) or str(what).endswith(".toml"))
    if isinstance(what, Grid):
        grid = what
    elif is_grid:
        grid = load_grid(what, data_folder)
    else:
        if not isinstance(model, str):
            raise OptionError(
                "model= must be the name of a model, such as 'km'; its options go to vary=, as {'k': [5]}."
            )
        extras = Extras(queries=queries, mining=tuple(f"{one:g}" for one in mining), known=known)
        spec, varied = describe_data(what, **described), dict(vary or {})
        axes: dict[str, Any] = {"rows": varied.pop("rows")} if "rows" in varied else {}
        if "" not in spec.hierarchy:
            axes |= {"fanout": _several(fanout), "order": _several(order)}
        data = [replace(spec, **values).require_files() for values in spread(axes)]
        grid = grid_of(data, model, names_in(algorithms), varied, seeds=seeds, loss=loss, extras=extras)
    if progress is True:
        with bars() as show:
            told: Callable[[runner.Progress], None] = lambda at: show("comparing", at.done / at.total)  # noqa: E731
            return _compare(grid, folder, limit, workers, again, retry, on_read, told)
    told = progress if callable(progress) else lambda _: None
    return _compare(grid, folder, limit, workers, again, retry, on_read, told)


def _several(value: Any) -> list[Any]:
    """Return the values of an argument that may be one value or several."""
    return [value] if isinstance(value, int | str) else list(value)


def _compare(
    grid: Grid,
    folder: Path,
    limit: float | None,
    workers: int,
    again: bool,
    retry: bool,
    on_read: OnRead,
    progress: Callable[[runner.Progress], None],
) -> MethodComparison:
    """Run the grid, and write the results."""
    if limit is not None:
        if not math.isfinite(limit):
            raise OptionError(f"limit= must be a number of seconds, got {limit:g}.")
        grid = replace(grid, limit=limit)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, but the results need a folder: name a folder.")
    check_readable(grid, on_read)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror or error}.") from None
    rows = runner.compare(grid, table_in(folder), workers=workers, again=again, retry=retry, progress=progress)
    results.to_parquet(rows, folder / "results.parquet")
    return MethodComparison(grid, rows, folder, page.write(grid, rows, folder / "index.html"))


def table_in(folder: Path) -> Path:
    """Return the path of the table of results in a folder."""
    return folder / "results.csv"


def check_readable(grid: Grid, on_read: OnRead) -> None:
    """Read each file once, so that errors are raised before anything runs."""
    tried = {(case.data.file, str(case.data.hierarchy)): case for case in reversed(grid.cases)}
    for case in tried.values():
        if case.data.file:
            case.data.load(case.seed, case.model, on_read)


def load_grid(what: str | Path, data_folder: str | Path | None = None) -> Grid:
    """Return the grid that a TOML file describes, or the one of that name that comes with Shoal."""
    folder = None if data_folder is None else Path(data_folder)
    if not grid_file.is_named(what):
        return grid_file.load(what, folder)
    home = folder or (Path(os.environ["SHOAL_DATA"]) if "SHOAL_DATA" in os.environ else None)
    if home is None or not home.is_dir():
        where = f"{home} is not a folder" if home else "no folder is named"
        raise OptionError(
            f"The grid {what} needs its data sets, but {where}: pass data_folder=, or set SHOAL_DATA (see "
            f"docs/research/papers/README.md for what is in it)."
        )
    return grid_file.load(grid_file.named()[str(what)], home)


def data_sets(files: Sequence[Path], spec: DatasetSpec, axes: Mapping[str, Any]) -> list[DatasetSpec]:
    """Describe each file like ``spec``, for every combination of values of some of its options."""
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
            raise OptionError(f"vary= names '{name}': none of {', '.join([model, *names])} has such an option.")
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
    """Return short names of files: the file name, the folder if file names are equal, or the whole path."""
    for names in ([path.stem for path in files], [path.resolve().parent.name for path in files]):
        if len(set(names)) == len(files):
            return names
    return [str(path) for path in files]
