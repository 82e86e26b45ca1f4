"""A problem in a small TOML file: what ``shoal run`` carries out.

::

    [data]
    file = "records.csv"           # paths are relative to this file
    column = "items"               # further keys: as the options of shoal anonymize that describe the data
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
    reports = ["report.html"]
    [run]
    seed = 7
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.columns import Column
from shoal.data.table import Role
from shoal.errors import InputError, OptionError, did_you_mean
from shoal.hierarchies import intervals
from shoal.io import files
from shoal.job import Job
from shoal.options import Spec, labels_of
from shoal.privacy import PrivacyModel

TABLES = ("data", "columns", "items", "model", "algorithm", "output", "run")
READING = (
    "format",
    "column",
    "item_delimiter",
    "delimiter",
    "id_column",
    "item_column",
    "multiset",
    "drop_items",
    "sets",
)


def load(path: str | Path) -> Job:
    """The job that a file describes; an error says what is wrong where."""
    return _File(Path(path)).job()


class _File:
    """One problem file while it is read."""

    def __init__(self, path: Path) -> None:
        self.path, self.lists = path, [path]  # the files that are read beside the data
        text = files.load(path).text()
        try:
            self.tables: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path} is not TOML: {error}.") from None
        self._known(self.tables, TABLES, "table")
        for name, table in self.tables.items():
            if not isinstance(table, dict):
                raise OptionError(f"{path}: '{name}' must be a table: write [{name}], then its keys.")

    def job(self) -> Job:
        """Everything, with defaults where nothing is said."""
        data, output, items, run = (self._table(name) for name in ("data", "output", "items", "run"))
        self._known(data, ("file", *READING), "key", "data")
        self._known(output, ("file", "reports", "explanations", "format", "columns"), "key", "output")
        self._known(items, ("hierarchy", "hierarchy_format", "unknown", "weights", "allow_missing"), "key", "items")
        self._known(run, ("seed", "loss"), "key", "run")
        columns = self._columns()
        privacy = self._spec("model", PrivacyModel, "km", columns)
        algorithm = self._spec("algorithm", Algorithm, privacy.default_algorithm)
        reading = {name: data[name] for name in READING if name in data}
        for name, value in reading.items():
            wanted = bool if name in ("multiset", "sets") else str
            listed = name in ("column", "item_delimiter", "drop_items")
            if not isinstance(value, wanted) and not (listed and _is_texts(value)):
                what = "true or false" if wanted is bool else "text or a list of texts" if listed else "text"
                raise OptionError(f"{self.path}: [data] {name} must be {what}, got {value!r}.")
            reading[name] = tuple(value) if isinstance(value, list) else value
        if isinstance(reading.get("drop_items"), str):
            reading["drop_items"] = self._labels(reading["drop_items"])
        tree = items.get("hierarchy", {})
        trees = tree if isinstance(tree, dict) else {"": tree}
        return Job(
            data=self._file(data, "file", "data"),
            output=self._file(output, "file", "output"),
            privacy=privacy,
            algorithm=algorithm,
            reading=reading,
            hierarchy={name: str(self._path(value, "items.hierarchy")) for name, value in trees.items()},
            hierarchy_format=self._typed(items, "hierarchy_format", "", "items") or None,
            columns=columns,
            keep=self._texts(output, "columns") if "columns" in output else None,
            loss=self._typed(run, "loss", "ncp", "run"),
            weights=self._path(items["weights"], "items.weights") if "weights" in items else None,
            unknown_items=self._typed(items, "unknown", "error", "items"),
            allow_missing=self._typed(items, "allow_missing", False, "items"),
            seed=self._typed(run, "seed", 0, "run"),
            reports=tuple(self._path(name, "output.reports") for name in self._texts(output, "reports")),
            explanations=self._typed(output, "explanations", True, "output"),
            output_format=self._typed(output, "format", "", "output") or None,
            lists=tuple(self.lists),
        )

    def _table(self, name: str) -> dict[str, Any]:
        """One table; empty, if it is not there."""
        found: dict[str, Any] = self.tables.get(name, {})
        return found

    def _known(self, given: Mapping[str, Any], known: Collection[str], what: str, table: str = "") -> None:
        """Refuse names that mean nothing."""
        for name in given:
            if name not in known:
                where = f"[{table}]: " if table else ""
                raise OptionError(
                    f"{self.path}: {where}unknown {what} '{name}'{did_you_mean(name, known)}: known are "
                    f"{', '.join(known)}."
                )

    def _typed(self, table: Mapping[str, Any], key: str, default: Any, name: str) -> Any:
        """A value of the type that its default has."""
        value = table.get(key, default)
        if type(value) is not type(default):
            wanted = {str: "text", int: "a whole number", bool: "true or false"}[type(default)]
            raise OptionError(f"{self.path}: [{name}] {key} must be {wanted}, got {value!r}.")
        return value

    def _texts(self, table: Mapping[str, Any], key: str) -> list[str]:
        """A list of texts; empty, if it is not there."""
        value = table.get(key, [])
        if not _is_texts(value):
            raise OptionError(f"{self.path}: [output] {key} must be a list of texts, got {value!r}.")
        found: list[str] = value
        return found

    def _file(self, table: Mapping[str, Any], key: str, name: str) -> Path:
        """A path that must be given."""
        if key not in table:
            raise OptionError(f'{self.path}: [{name}] must say which {key}: write {key} = "...".')
        return self._path(table[key], f"{name}.{key}")

    def _path(self, value: Any, what: str) -> Path:
        """Relative to the problem file."""
        if not isinstance(value, str) or not value:
            raise OptionError(f"{self.path}: {what} must be the name of a file, got {value!r}.")
        return self.path.parent / value

    def _spec(self, table: str, base: type[Any], default: str, columns: Mapping[str, Column] | None = None) -> Any:
        """The model or the algorithm; columns that are declared sensitive are the model's."""
        given = dict(self._table(table))
        cls: type[Spec] = discovery.get(f"shoal.{_PACKAGES[table]}", base, self._typed(given, "name", default, table))
        given.pop("name", None)
        known = {option.name: option for option in cls.options()}
        self._known(given, known, "option", table)
        hidden = [name for name, said in (columns or {}).items() if said.role is Role.SENSITIVE]
        if hidden:
            if "sensitive_column" not in known:
                raise OptionError(
                    f"{self.path}: [columns] declares '{hidden[0]}' sensitive, but the model {cls.name} protects no "
                    f"columns: choose lm, hkp or k-lm, or another role."
                )
            given.setdefault("sensitive_column", hidden)
        try:
            values = {
                name: self._labels(value) if known[name].type is tuple and isinstance(value, str) else value
                for name, value in given.items()
            }
            return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        except OptionError as error:
            raise OptionError(f"{self.path}: [{table}] {error}") from None

    def _labels(self, text: str) -> tuple[str, ...]:
        """A list may be a file of labels, named relative to the problem file, or ``a,b,c``."""
        self.lists.append(self.path.parent / text)
        return labels_of(text, self.path.parent)

    def _columns(self) -> dict[str, Column]:
        """What is said about each column."""
        known, found = [field.name for field in fields(Column)], {}
        for name, said in self._table("columns").items():
            if not isinstance(said, str | dict):
                raise OptionError(f"{self.path}: [columns] {name} must be a role or a table, got {said!r}.")
            given: dict[str, Any] = {"role": said} if isinstance(said, str) else dict(said)
            self._known(given, known, "key", f"columns.{name}")
            tree = given.get("hierarchy")
            if isinstance(tree, str) and not intervals.is_spec(tree):
                given["hierarchy"] = self._path(tree, f"columns.{name}.hierarchy")
            try:
                found[name] = Column(**given)
            except OptionError as error:
                raise OptionError(f"{self.path}: [columns] {name}: {error}") from None
        return found


def _is_texts(value: Any) -> bool:
    """Whether it is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_PACKAGES = {"model": "privacy", "algorithm": "algorithms"}
