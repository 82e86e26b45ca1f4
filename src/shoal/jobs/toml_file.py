"""Read the TOML files that people write: problems (``shoal run``) and comparisons (``shoal compare``)."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from shoal import files
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import InputError, OptionError, did_you_mean
from shoal.hierarchies import intervals
from shoal.io.read_options import ReadOptions
from shoal.options import Spec, labels_of

READING = tuple(option.name for option in ReadOptions.options())
AnySpec = TypeVar("AnySpec", bound=Spec)


def _parsed(path: Path) -> dict[str, Any]:
    """Return the tables of a file."""
    text = files.load(path).text()
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None


class TomlFile:
    """A TOML file while it is read. Its errors tell what is wrong and where."""

    def __init__(
        self,
        path: Path,
        known: Collection[str],
        folder: Path | None = None,
        tables: Mapping[str, Any] | None = None,  # the content, if there is no file
    ) -> None:
        self.path, self.folder = path, path.parent if folder is None else folder  # names of files are relative to it
        self.lists = [path]  # further files that are read
        self.tables: Mapping[str, Any] = _parsed(path) if tables is None else tables
        self.reject_unknown(self.tables, known, "table")

    def table(self, name: str) -> dict[str, Any]:
        """Return a table, or an empty one if the file has none of that name."""
        table: Any = self.tables.get(name, {})
        if not isinstance(table, dict):
            raise OptionError(f"{self.path}: '{name}' must be a table: write [{name}], then its keys.")
        return table

    def reject_unknown(self, given: Mapping[str, Any], known: Collection[str], what: str, table: str = "") -> None:
        """Refuse unknown keys."""
        for name in given:
            if name not in known:
                where = f"[{table}]: " if table else ""
                raise OptionError(
                    f"{self.path}: {where}unknown {what} '{name}'{did_you_mean(name, known)}: known are "
                    f"{', '.join(known)}."
                )

    def typed(self, table: Mapping[str, Any], key: str, default: Any, name: str) -> Any:
        """Return a value, which must have the type of its default."""
        value = table.get(key, default)
        if type(value) is not type(default):
            wanted = {str: "text", int: "a whole number", bool: "true or false"}[type(default)]
            raise OptionError(f"{self.path}: [{name}] {key} must be {wanted}, got {value!r}.")
        return value

    def texts(self, table: Mapping[str, Any], key: str, name: str) -> list[str]:
        """Return a list of texts, or an empty list."""
        texts: Any = table.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise OptionError(f"{self.path}: [{name}] {key} must be a list of texts, got {texts!r}.")
        return texts

    def file(self, table: Mapping[str, Any], key: str, name: str) -> Path:
        """Return a path that the file must name."""
        if key not in table:
            raise OptionError(f'{self.path}: [{name}] must say which {key}: write {key} = "...".')
        return self.resolve_path(table[key], f"{name}.{key}")

    def resolve_path(self, value: Any, what: str) -> Path:
        """Return the path of a file name, relative to the folder of this file."""
        if not isinstance(value, str) or not value or "\0" in value:
            raise OptionError(f"{self.path}: {what} must be the name of a file, got {value!r}.")
        return self.folder / value

    def labels(self, text: str) -> tuple[str, ...]:
        """Read a list, which may be a file of labels, or ``a,b,c``."""
        self.lists.append(self.folder / text)
        return labels_of(text, self.folder)

    def dataset(self, data: Mapping[str, Any], items: Mapping[str, Any], of_items: str) -> dict[str, Any]:
        """Return the reading options, hierarchies and weights, as fields of a DatasetSpec."""
        trees = items.get("hierarchy", {})
        return {
            "reading": self._reading({name: data[name] for name in READING if name in data}),
            "hierarchy": {
                name: str(self.resolve_path(tree, f"{of_items}.hierarchy"))
                for name, tree in (trees if isinstance(trees, dict) else {"": trees}).items()
            },
            "hierarchy_format": self.typed(items, "hierarchy_format", "", of_items) or None,
            "weights": str(self.file(items, "weights", of_items)) if "weights" in items else "",
        }

    def _reading(self, given: dict[str, Any]) -> ReadOptions:
        """Return the reading options. The files of joins are relative to this file."""
        reading = self.spec(ReadOptions, given, "data")
        joins = tuple(f"{self.folder / join.file}:{join.left}={join.right}" for join in reading.joins)
        return reading.changed(join=joins) if joins else reading

    def columns(self, table: Mapping[str, Any], where: str = "columns") -> dict[str, Column]:
        """Return the description of each column."""
        known, specs = [field.name for field in fields(Column)], {}
        for name, about in table.items():
            if not isinstance(about, str | dict):
                raise OptionError(f"{self.path}: [{where}] {name} must be a role or a table, got {about!r}.")
            given: dict[str, Any] = {"role": about} if isinstance(about, str) else dict(about)
            self.reject_unknown(given, known, "key", f"{where}.{name}")
            tree = given.get("hierarchy")
            if isinstance(tree, str) and not intervals.is_spec(tree):
                given["hierarchy"] = self.resolve_path(tree, f"{where}.{name}.hierarchy")
            try:
                specs[name] = Column(**given)
            except OptionError as error:
                raise OptionError(f"{self.path}: [{where}] {name}: {error}") from None
        return specs

    def spec(
        self, cls: type[AnySpec], given: Mapping[str, Any], table: str, columns: Mapping[str, Column] | None = None
    ) -> AnySpec:
        """Return a model, an algorithm or the like. A model gets the columns that are declared sensitive."""
        known = {option.name: option for option in cls.options()}
        self.reject_unknown(given, known, "option", table)
        values: dict[str, Any] = dict(given)
        hidden = [name for name, column in (columns or {}).items() if column.role is Role.SENSITIVE]
        if hidden:
            if "sensitive_column" not in known:
                raise OptionError(
                    f"{self.path}: [columns] declares '{hidden[0]}' sensitive, but the model {cls.name} protects no "
                    f"columns: choose lm, hkp or k-lm, or another role."
                )
            values.setdefault("sensitive_column", hidden)
        try:
            for name, value in values.items():
                if known[name].type is tuple and isinstance(value, str):
                    values[name] = self.labels(value)
                elif known[name].file and isinstance(value, str) and value not in known[name].words:
                    values[name] = str(self.resolve_path(value, f"{table}.{name}"))
            return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        except OptionError as error:
            raise OptionError(f"{self.path}: [{table}] {error}") from None
