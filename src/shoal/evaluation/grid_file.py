"""A comparison in a small TOML file: what ``shoal compare`` runs.

::

    title = "AA and the optimum"

    [[data]]                          # one or more; names of files are relative to this file
    name = "groceries"
    file = "groceries.basket"         # further keys: as the options of shoal anonymize that describe the data
    hierarchy = "groceries.csv"
    rows = [2000, 5000, 0]            # a list anywhere means each of its values; 0: all rows
    [[data]]
    name = "generated"
    generate = "quest"                # or bms-pos, videos, supermarket
    generator = { rows = 10000, items = [100, 1000] }
    fanout = 5                        # an artificial hierarchy
    order = ["label", "frequency"]

    [[runs]]                          # one or more: every combination of what it names
    data = ["groceries"]              # default: all
    model = { name = "km", k = [2, 5, 10], m = [1, 2, 3] }
    algorithm = ["aa", { name = "optimal", time_limit = 60 }]
    seed = [0]

    [measures]                        # in addition to the losses; each takes time of its own
    queries = 100                     # of each kind, for ARE
    query_kinds = ["2+0", "0+2"]      # those that ask for 2 values of columns, and those that ask for 2 items
    [limits]
    seconds = 120                     # for each run
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.columns import Column
from shoal.errors import OptionError, did_you_mean
from shoal.evaluation.grid import Case, Extras, Grid, combinations, spread
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.toml_file import READING, TomlFile
from shoal.models.base import PrivacyModel
from shoal.options import Spec

TABLES = ("title", "about", "data", "runs", "measures", "limits")
NAMED = Path(__file__).parent / "grids"
AnySpec = TypeVar("AnySpec", bound=Spec)


def named() -> dict[str, Path]:
    """Return the grids that come with Shoal (the papers' experiments) by name."""
    return {path.stem: path for path in sorted(NAMED.glob("*.toml"))}


def is_named(what: str | Path) -> bool:
    """Return whether this is the name of such a grid, and not a file."""
    return str(what) in named() and not os.path.exists(what)


def load(path: str | Path, folder: Path | None = None) -> Grid:
    """Read the grid that a file describes. Paths are relative to it, or to ``folder`` if that is given."""
    return _File(Path(path), TABLES, folder).grid()


def about(path: Path) -> str:
    """Return the title of a grid, without reading its data."""
    return str(tomllib.loads(path.read_text(encoding="utf-8")).get("title", ""))


class _File(TomlFile):
    """A grid file that is being read."""

    def grid(self) -> Grid:
        """Return the grid, with defaults for missing keys."""
        limits = self.table("limits")
        self.reject_unknown(limits, ("seconds",), "key", "limits")
        seconds = limits.get("seconds", 600)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise OptionError(f"{self.path}: [limits] seconds must be a number above 0, got {seconds!r}.")
        known: dict[str, list[DatasetSpec]] = {}
        for table in self._tables("data"):
            data_sets = list(self._data_sets(table))
            label = data_sets[0].label
            if label in known:
                raise OptionError(f"{self.path}: two [[data]] are called '{label}': rename one.")
            known[label] = data_sets
        cases = [case for table in self._tables("runs") for case in self._cases(table, known)]
        title, about = (self.typed(self.tables, name, "", "file") for name in ("title", "about"))
        return Grid.of(cases, title or self.path.stem, about, float(seconds))

    def _tables(self, name: str) -> list[dict[str, Any]]:
        """Return a list of tables. An empty list is an error."""
        tables = self.tables.get(name)
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            raise OptionError(f"{self.path}: needs one or more tables [[{name}]].")
        return tables

    def _data_sets(self, table: Mapping[str, Any]) -> Iterator[DatasetSpec]:
        """Return the data sets that a table describes, one for each combination."""
        others = ("name", "hierarchy", "columns", "keep", "missing", "generator")
        declared = [option.name for option in DatasetSpec.options() if option.name != "label"]
        self.reject_unknown(table, (*declared, *others, *READING), "key", "data")
        name = self.typed(table, "name", "", "data")
        if not name:
            raise OptionError(f'{self.path}: every [[data]] needs a name: write name = "...".')
        fixed: dict[str, Any] = {
            "label": name,
            "columns": self.columns(self._inner(table, "columns"), "data.columns"),
            "keep": tuple(self.texts(table, "keep", "data")) if "keep" in table else None,
            "missing": tuple(self.texts(table, "missing", "data")),
            **self.dataset(table, table, "data"),
        }
        given = {key: value for key, value in table.items() if key in declared and key not in fixed}
        if "file" in given:
            given["file"] = str(self.file(table, "file", "data"))
        for values in spread(given):
            for options in spread(self._inner(table, "generator")):
                try:
                    yield DatasetSpec(**values, **fixed, generator=options).require_files()
                except OptionError as error:
                    raise OptionError(f"{self.path}: [data] {error}") from None

    def _inner(self, table: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return a table inside a table."""
        inner = table.get(name, {})
        if not isinstance(inner, dict):
            raise OptionError(f"{self.path}: [data] {name} must be a table, got {inner!r}.")
        return inner

    def _cases(self, table: Mapping[str, Any], data_sets: Mapping[str, list[DatasetSpec]]) -> list[Case]:
        """Yield all cases of a table [[runs]]."""
        self.reject_unknown(table, ("data", "model", "algorithm", "seed", "loss"), "key", "runs")
        names = table.get("data", list(data_sets))
        names = names if isinstance(names, list) else [names]
        for name in names:
            if name not in data_sets:
                raise OptionError(
                    f"{self.path}: [runs] names the data '{name}'{did_you_mean(str(name), data_sets)}, which no "
                    f"[[data]] describes: known are {', '.join(data_sets)}."
                )
        seeds = table.get("seed", 0)
        seeds = seeds if isinstance(seeds, list) else [seeds]
        if not seeds or not all(isinstance(seed, int) and seed >= 0 for seed in seeds):
            raise OptionError(f"{self.path}: [runs] seed must be whole numbers from 0 on, got {seeds!r}.")
        given = {
            key: [str(element) for element in value] if isinstance(value, list) else value
            for key, value in self.table("measures").items()
        }
        extras, loss = self.spec(Extras, given, "measures"), self.typed(table, "loss", "ncp", "runs")
        cases: list[Case] = []
        for name in names:
            chosen = data_sets[name]
            models = self._specs(
                table.get("model", "km"), PrivacyModel, "shoal.models", "runs.model", chosen[0].columns
            )
            default = models[0].default_algorithm
            methods = self._specs(table.get("algorithm", default), Algorithm, "shoal.algorithms", "runs.algorithm")
            try:
                cases += combinations(chosen, models, methods, seeds, loss, extras)
            except OptionError as error:
                raise OptionError(f"{self.path}: [runs] {error}") from None
        return cases

    def _specs(
        self, given: Any, base: type[AnySpec], package: str, where: str, columns: Mapping[str, Column] | None = None
    ) -> list[AnySpec]:
        """Return models or algorithms, given as names, tables with options, or a list of these."""
        specs: list[AnySpec] = []
        for entry in given if isinstance(given, list) else [given]:
            table = {"name": entry} if isinstance(entry, str) else entry
            if not isinstance(table, dict) or not isinstance(table.get("name"), str):
                raise OptionError(
                    f'{self.path}: [{where}] must be a name or a table such as {{name = "..."}}, got {entry!r}.'
                )
            cls = discovery.get(package, base, table["name"])
            options = {name: value for name, value in table.items() if name != "name"}
            lists = [option.name for option in cls.options() if option.type is tuple]
            specs += [self.spec(cls, values, where, columns) for values in spread(options, lists)]
        return specs
