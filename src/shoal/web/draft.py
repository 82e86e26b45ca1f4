"""The draft of a project: the choices that a person has made so far, as the tables of a problem file.

Paths are relative to the workspace. A draft holds no data: names of files and columns, and labels that the user chose.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.jobs import problem_file
from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel
from shoal.web.confine import check_paths
from shoal.web.workspace import Project

TABLES = ("data", "columns", "items", "model", "algorithm", "output", "run")
ROLES = {  # of a column, with what they mean
    "identifier": "Names a person. Not published.",
    "quasi-identifier": "An attacker may know it. It is generalized.",
    "sensitive": "An attacker must not learn it.",
    "plain": "Published as it is.",
    "set": "Holds the items.",
    "record": "Tells which rows belong to one record.",
    "person": "Tells whose a record is. Not published.",
    "drop": "Left out.",
}
OF_RECORDS = ("set", "record", "person")  # roles that change how the file is read


@dataclass
class Draft:
    """The choices of a project.

    >>> draft = Draft({"data": {"file": "inputs/a.csv", "sets": "items"}, "columns": {"age": "quasi-identifier"}})
    >>> draft.role("items"), draft.role("age"), draft.role("name")
    ('set', 'quasi-identifier', '')
    """

    tables: dict[str, dict[str, Any]]
    found: dict[str, Any] = field(default_factory=dict)  # what the file holds, once it was read: no values

    def __post_init__(self) -> None:
        """Have all tables, empty or not."""
        self.tables = {name: self.tables.get(name, {}) for name in TABLES}

    @classmethod
    def load(cls, project: Project) -> Draft:
        """Read the draft of a project."""
        content = project.load()
        tables, found = content.get("tables", {}), content.get("found", {})
        sound = (
            isinstance(found, dict)
            and isinstance(tables, dict)
            and all(isinstance(one, dict) for one in tables.values())
        )
        if not sound or not isinstance(tables.get("data", {}).get("file"), str):
            raise InputError(f"{project.file} is damaged: restore it, or delete the project.")
        draft = cls(tables, found)
        check_paths(draft.tables, project)
        return draft

    @classmethod
    def of_file(cls, path: str) -> Draft:
        """Return the draft of a new project."""
        return cls({"data": {"file": path}})

    @classmethod
    def of_tables(cls, tables: dict[str, Any]) -> Draft:
        """Return a draft with these choices, which it may change."""
        return cls({name: copy.deepcopy(tables.get(name, {})) for name in TABLES})

    def save(self, project: Project) -> None:
        """Write the draft."""
        check_paths(self.tables, project)
        project.save({"tables": {name: table for name, table in self.tables.items() if table}, "found": self.found})

    def job(self, output: str = "release") -> Job:
        """Return the job that the draft describes, with paths relative to the workspace, or raise what is wrong."""
        tables = copy.deepcopy(self.tables)
        tables["output"].setdefault("file", output)
        return problem_file.of_tables(tables, "This project", Path())

    @property
    def model(self) -> PrivacyModel:
        """The privacy model with its parameters."""
        return self.job().model

    def promise(self, job: Job) -> str:
        """Return the promise of a job in one sentence: to persons, if the data have some and the model counts them."""
        persons = self.found.get("persons")
        if not persons or not job.model.counts_persons:
            return job.model.describe()
        from shoal.data.persons import Persons

        return job.model.describe(Persons.by_id(["one"], persons["noun"]))

    @property
    def data(self) -> dict[str, Any]:
        """What is said about the file."""
        return self.tables["data"]

    @property
    def layout(self) -> str:
        """Tell in a sentence how the file holds its records.

        >>> Draft({"data": {"file": "a.csv", "id_column": "order", "item_column": "product"}}).layout
        'One item a row: order tells the record, product the item.'
        """
        reading = self.data
        sets = _names(reading.get("sets"))
        if reading.get("no_sets"):
            return "One record a row, without sets."
        if reading.get("item_column"):
            return f"One item a row: {' and '.join(_names(reading.get('id_column')))} tells the record, " + (
                f"{reading['item_column']} the item."
            )
        if sets:
            return f"One record a row, with its items in {' and '.join(sets)}."
        return "One record a line."

    def read(self, found: dict[str, Any], versions: list[Any]) -> None:
        """Take what was found in the file, and start with the suggestions for what is not decided yet.

        ``versions``: of the files that were read. If others are there later, what was found no longer holds.
        """
        self.found = {**{name: value for name, value in found.items() if name != "options"}, "versions": versions}
        self.tables["data"] = {"file": self.data["file"], **found["options"]}
        decided, kept = self.tables["columns"], self.tables["output"].get("columns")
        columns = [one["name"] for one in found["columns"]]
        suggested = {
            one["name"]: {"role": one["role"], "type": one["type"]} if one["type"] else one["role"]
            for one in found["columns"]
        }
        self.tables["columns"] = {name: decided.get(name, suggested[name]) for name in columns}
        if kept is not None:
            self.tables["output"]["columns"] = [name for name in columns if name in kept or name not in decided]
        if found["model"] and not self.tables["model"]:
            self.tables["model"] = dict(found["model"])

    def role(self, column: str) -> str:
        """Return the role of a column, or an empty text."""
        reading = self.data
        if column in _names(reading.get("sets")) or column == reading.get("item_column"):
            return "set"
        if column in _names(reading.get("id_column")):
            return "record"
        if column == reading.get("person"):
            return "person"
        kept = self.tables["output"].get("columns")
        if kept is not None and column not in kept and column in self.tables["columns"]:
            return "drop"
        return str(self.about(column).get("role", ""))

    def give_role(self, column: str, role: str) -> None:
        """Give a column another role. If the file is to be read in another way, what was found no longer holds."""
        old, reading = self.role(column), self.data
        if OF_RECORDS.count(old):
            self._take_from_records(column)
        if role in OF_RECORDS:
            self._give_to_records(column, role)
        if role in OF_RECORDS or old in OF_RECORDS:
            self.found = {}
            self.tables["columns"].pop(column, None)
        if role in ("set", "record"):
            reading.pop("no_sets", None)
        elif old == "set" and not {"sets", "item_column", "id_column"} & set(reading):
            reading["no_sets"] = True  # otherwise, the column would be found to hold sets again
        if role == "drop":
            self.tables["columns"].setdefault(column, "plain")
            names = self.tables["output"].get("columns", list(self.tables["columns"]))
            self.tables["output"]["columns"] = [name for name in names if name != column]
        elif role not in OF_RECORDS:
            self.describe(column, role=role)
            kept = self.tables["output"].get("columns")
            if kept is not None and column not in kept:
                kept.append(column)
                if set(kept) >= set(self.tables["columns"]):
                    self.tables["output"].pop("columns")

    def about(self, column: str) -> dict[str, Any]:
        """Return what is said about a column of the table."""
        told = self.tables["columns"].get(column, {})
        return dict(told) if isinstance(told, dict) else {"role": told}

    def describe(self, column: str, **values: Any) -> None:
        """Say something about a column of the table. None takes it back."""
        told = {name: value for name, value in {**self.about(column), **values}.items() if value is not None}
        self.tables["columns"][column] = told["role"] if set(told) == {"role"} else told

    def _take_from_records(self, column: str) -> None:
        """Take a column out of what says how records are read."""
        reading = self.data
        for name in ("sets", "id_column"):
            left = [one for one in _names(reading.get(name)) if one != column]
            if column in _names(reading.get(name)):
                reading.pop(name)
                if left:
                    reading[name] = left if len(left) > 1 else left[0]
                elif name == "sets":
                    reading.pop("item_delimiter", None)
        for name in ("item_column", "person"):
            if reading.get(name) == column:
                reading.pop(name)

    def _give_to_records(self, column: str, role: str) -> None:
        """Let a column say how records are read."""
        reading = self.data
        if role == "person":
            reading["person"] = column
        elif role == "record":
            names = [*_names(reading.get("id_column")), column]
            reading["id_column"] = names if len(names) > 1 else column
            if "sets" in reading and "item_column" not in reading:
                reading["item_column"] = _names(reading.pop("sets"))[0]
                reading.pop("item_delimiter", None)
        elif reading.get("id_column"):
            reading["item_column"] = column
        else:
            names = [*_names(reading.get("sets")), column]
            reading["sets"] = names if len(names) > 1 else column


def _names(value: Any) -> list[str]:
    """Return names that are given as one text or as a list."""
    return [value] if isinstance(value, str) else list(value or [])
