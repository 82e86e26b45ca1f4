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
        self.path = path
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
        if isinstance(reading.get("column"), list):
            reading["column"] = tuple(reading["column"])
        tree = items.get("hierarchy", {})
        trees = tree if isinstance(tree, dict) else {"": tree}
        return Job(
            data=self._file(data, "file", "data"),
            output=self._file(output, "file", "output"),
            privacy=privacy,
            algorithm=algorithm,
            reading=reading,
            hierarchy={name: str(self._path(value, "items.hierarchy")) for name, value in trees.items()},
            hierarchy_format=items.get("hierarchy_format"),
            columns=columns,
            keep=output.get("columns"),
            loss=self._typed(run, "loss", "ncp", "run"),
            weights=self._path(items["weights"], "items.weights") if "weights" in items else None,
            unknown_items=self._typed(items, "unknown", "error", "items"),
            allow_missing=self._typed(items, "allow_missing", False, "items"),
            seed=self._typed(run, "seed", 0, "run"),
            reports=tuple(self._path(name, "output.reports") for name in output.get("reports", ())),
            explanations=self._typed(output, "explanations", True, "output"),
            output_format=output.get("format"),
            lists=(self.path,),
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
        cls: type[Spec] = discovery.get(f"shoal.{_PACKAGES[table]}", base, given.pop("name", default))
        known = {option.name for option in cls.options()}
        self._known(given, known, "option", table)
        hidden = [name for name, said in (columns or {}).items() if said.role is Role.SENSITIVE]
        if hidden:
            if "sensitive_column" not in known:
                raise OptionError(
                    f"{self.path}: [columns] declares '{hidden[0]}' sensitive, but the model {cls.name} protects no "
                    f"columns: choose lm, hkp or k-lm, or another role."
                )
            given.setdefault("sensitive_column", hidden)
        values = {name: self._value(value) for name, value in given.items()}
        try:
            return cls(**values)
        except OptionError as error:
            raise OptionError(f"{self.path}: [{table}] {error}") from None

    def _value(self, value: Any) -> Any:
        """Lists may be files of labels, named relative to the problem file."""
        if isinstance(value, str) and (self.path.parent / value).is_file():
            return labels_of(str(self.path.parent / value))
        return tuple(value) if isinstance(value, list) else value

    def _columns(self) -> dict[str, Column]:
        """What is said about each column."""
        known, found = [field.name for field in fields(Column)], {}
        for name, said in self._table("columns").items():
            if not isinstance(said, str | dict):
                raise OptionError(f"{self.path}: [columns] {name} must be a role or a table, got {said!r}.")
            given: dict[str, Any] = {"role": said} if isinstance(said, str) else dict(said)
            self._known(given, known, "key", f"columns.{name}")
            role = given.pop("role", None)
            roles = {one.value: one for one in Role}
            if role is not None and role not in roles:
                raise OptionError(
                    f"{self.path}: [columns] {name}: a role must be one of {', '.join(roles)}, got {role!r}"
                    f"{did_you_mean(str(role), roles)}."
                )
            tree = given.get("hierarchy")
            if isinstance(tree, str) and not intervals.is_spec(tree):
                given["hierarchy"] = self._path(tree, f"columns.{name}.hierarchy")
            given["missing"] = tuple(map(str, given.get("missing", ())))
            try:
                found[name] = Column(role=None if role is None else roles[role], **given)
            except OptionError as error:
                raise OptionError(f"{self.path}: [columns] {name}: {error}") from None
        return found


_PACKAGES = {"model": "privacy", "algorithm": "algorithms"}
