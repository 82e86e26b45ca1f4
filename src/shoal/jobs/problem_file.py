"""Problem files: small TOML files that ``shoal run`` carries out.

::

    [data]
    file = "records.csv"           # paths are relative to this file
    sets = "items"                 # further keys: as the options of shoal anonymize that describe the data
    header = true                  # the first line names the columns; default: guessed
    [columns]                      # what each other column is; default: it depends on the model
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
    layout = "long"                # or "wide"; default: as the input is
    codebook = "labels.csv"        # false: none; default: next to the file, if groups of siblings are published
    reports = ["report.html"]
    persons = "persons.txt"        # with person in [data]: the person of each record; do not publish it
    certificate = "cert.json"      # for recipients
    key = "clinic.key"             # signs it; shoal keys new makes one
    public_reports = ["public.html"]  # reports that may be published
    threshold = ["ema"]            # risks that reports compare with: names or numbers
    context = "context.toml"       # what only people know, for reports
    recoding = "recoding.json"     # what was done to the items, for shoal apply; do not publish it
    proof = "proof.json"           # what the lower bound rests on, for shoal check-proof; do not publish it
    [run]
    seed = 7
    max_loss = 0.2                 # write nothing if the loss is higher
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.columns import Column
from shoal.files import names_folder
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.jobs.toml_file import READING, TomlFile
from shoal.models.base import PrivacyModel
from shoal.options import Spec

OUTPUT = (
    "file",
    "codebook",
    "reports",
    "explanations",
    "format",
    "layout",
    "parts",
    "escape_formulas",
    "columns",
    "persons",
    "certificate",
    "key",
    "public_reports",
    "threshold",
    "context",
    "recoding",
    "proof",
)
TABLES = ("data", "columns", "items", "model", "algorithm", "output", "run")
AnySpec = TypeVar("AnySpec", bound=Spec)


def load(path: str | Path) -> Job:
    """Return the job that a file describes. An error tells what is wrong and where."""
    return _File(Path(path), TABLES).job()


def of_tables(tables: Mapping[str, Any], name: str, folder: Path) -> Job:
    """Return the job that the tables of a problem file describe, without the file.

    ``name`` stands for the file in errors. Names of files are relative to the folder.
    """
    return _File(Path(name), TABLES, folder, tables).job()


class _File(TomlFile):
    """A problem file while it is read."""

    def job(self) -> Job:
        """Return the job, with defaults for everything that the file does not name."""
        data, output, items, run = (self.table(name) for name in ("data", "output", "items", "run"))
        self.reject_unknown(data, ("file", *READING), "key", "data")
        self.reject_unknown(output, OUTPUT, "key", "output")
        self.reject_unknown(
            items, ("hierarchy", "hierarchy_format", "unknown", "weights", "allow_missing"), "key", "items"
        )
        self.reject_unknown(run, ("seed", "loss", "max_loss"), "key", "run")
        columns = self.columns(self.table("columns"))
        model = self._named("model", "shoal.models", PrivacyModel, "km", columns)
        algorithm = self._named("algorithm", "shoal.algorithms", Algorithm, model.default_algorithm)
        book = output.get("codebook")
        return Job(
            data=DatasetSpec(
                file=str(self.file(data, "file", "data")),
                columns=columns,
                keep=tuple(self.texts(output, "columns", "output")) if "columns" in output else None,
                unknown_items=self.typed(items, "unknown", "error", "items"),
                allow_missing=self.typed(items, "allow_missing", False, "items"),
                **self.dataset(data, items, "items"),
            ),
            output=self.file(output, "file", "output"),
            codebook=book if isinstance(book, bool | None) else self.resolve_path(book, "output.codebook"),
            model=model,
            algorithm=algorithm,
            loss=self.typed(run, "loss", "ncp", "run"),
            seed=self.typed(run, "seed", 0, "run"),
            reports=tuple(
                self.resolve_path(name, "output.reports") for name in self.texts(output, "reports", "output")
            ),
            public_reports=tuple(
                self.resolve_path(name, "output.public_reports")
                for name in self.texts(output, "public_reports", "output")
            ),
            threshold=tuple(self.texts(output, "threshold", "output")),
            context=self.file(output, "context", "output") if "context" in output else None,
            explanations=self.typed(output, "explanations", True, "output"),
            output_format=self.typed(output, "format", "", "output") or None,
            output_layout=self.typed(output, "layout", "", "output") or None,
            output_parts=self._parts(output),
            persons_out=self.file(output, "persons", "output") if "persons" in output else None,
            certificate=self.file(output, "certificate", "output") if "certificate" in output else None,
            key=self.file(output, "key", "output") if "key" in output else None,
            recoding=self.file(output, "recoding", "output") if "recoding" in output else None,
            proof=self.file(output, "proof", "output") if "proof" in output else None,
            escape_formulas=self.typed(output, "escape_formulas", False, "output"),
            max_loss=run.get("max_loss"),
            lists=tuple(self.lists),
        )

    def _parts(self, output: Mapping[str, Any]) -> int | None:
        """Return the number of files of a folder, 0 if their size decides, or None for a single file."""
        if "parts" in output:
            return int(self.typed(output, "parts", 0, "output"))
        return 0 if names_folder(self.typed(output, "file", "", "output")) else None

    def _named(
        self, table: str, package: str, base: type[AnySpec], default: str, columns: Mapping[str, Column] | None = None
    ) -> AnySpec:
        """Return the model or the algorithm that a table names."""
        given = dict(self.table(table))
        cls = discovery.get(package, base, self.typed(given, "name", default, table))
        given.pop("name", None)
        return self.spec(cls, given, table, columns)
