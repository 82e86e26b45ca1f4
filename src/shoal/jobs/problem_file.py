"""A problem in a small TOML file: what ``shoal run`` carries out.

::

    [data]
    file = "records.csv"           # paths are relative to this file
    column = "items"               # further keys: as the options of shoal anonymize that describe the data
    header = true                  # the first line names the columns; default: guessed
    [columns]                      # what each column beside the sets is; none: see the model
    id = "identifier"
    age = { hierarchy = "width:5,10", weight = 0.5 }
    zip = { type = "category", hierarchy = "zip.csv", missing = ["?"] }
    notes = "plain"
    [items]
    hierarchy = "items.csv"
    [model]
    name = "k-km"
    k = 25
    [algorithm]
    name = "rmerge-rt"
    delta = 0.65
    [output]
    file = "published.csv"
    codebook = "labels.csv"        # false: none; default: beside the file, if groups of siblings are published
    reports = ["report.html"]
    [run]
    seed = 7
    max_loss = 0.2                 # write nothing if more than this is lost
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.data.columns import Column
from shoal.jobs.job import Job
from shoal.jobs.toml_file import READING, TomlFile
from shoal.options import Spec
from shoal.privacy import PrivacyModel

OUTPUT = ("file", "codebook", "reports", "explanations", "format", "escape_formulas", "columns")
TABLES = ("data", "columns", "items", "model", "algorithm", "output", "run")
Made = TypeVar("Made", bound=Spec)


def load(path: str | Path) -> Job:
    """The job that a file describes; an error says what is wrong where."""
    return _File(Path(path), TABLES).job()


class _File(TomlFile):
    """One problem file while it is read."""

    def job(self) -> Job:
        """Everything, with defaults where nothing is said."""
        data, output, items, run = (self.table(name) for name in ("data", "output", "items", "run"))
        self.known(data, ("file", *READING), "key", "data")
        self.known(output, OUTPUT, "key", "output")
        self.known(items, ("hierarchy", "hierarchy_format", "unknown", "weights", "allow_missing"), "key", "items")
        self.known(run, ("seed", "loss", "max_loss"), "key", "run")
        columns = self.columns(self.table("columns"))
        privacy = self._named("model", "shoal.privacy", PrivacyModel, "km", columns)
        algorithm = self._named("algorithm", "shoal.algorithms", Algorithm, privacy.default_algorithm)
        return Job(
            data=self.file(data, "file", "data"),
            output=self.file(output, "file", "output"),
            codebook=said
            if isinstance(said := output.get("codebook"), bool | None)
            else self.at(said, "output.codebook"),
            privacy=privacy,
            algorithm=algorithm,
            reading=self.reading(data),
            hierarchy=self.trees(items["hierarchy"], "items.hierarchy") if "hierarchy" in items else {},
            hierarchy_format=self.typed(items, "hierarchy_format", "", "items") or None,
            columns=columns,
            keep=self.texts(output, "columns", "output") if "columns" in output else None,
            loss=self.typed(run, "loss", "ncp", "run"),
            weights=self.at(items["weights"], "items.weights") if "weights" in items else None,
            unknown_items=self.typed(items, "unknown", "error", "items"),
            allow_missing=self.typed(items, "allow_missing", False, "items"),
            seed=self.typed(run, "seed", 0, "run"),
            reports=tuple(self.at(name, "output.reports") for name in self.texts(output, "reports", "output")),
            explanations=self.typed(output, "explanations", True, "output"),
            output_format=self.typed(output, "format", "", "output") or None,
            escape_formulas=self.typed(output, "escape_formulas", False, "output"),
            max_loss=run.get("max_loss"),
            lists=tuple(self.lists),
        )

    def _named(
        self, table: str, package: str, base: type[Made], default: str, columns: Mapping[str, Column] | None = None
    ) -> Made:
        """The model or the algorithm."""
        given = dict(self.table(table))
        cls = discovery.get(package, base, self.typed(given, "name", default, table))
        given.pop("name", None)
        return self.spec(cls, given, table, columns)
