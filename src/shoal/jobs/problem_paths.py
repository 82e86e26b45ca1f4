"""The paths in the tables of a problem file, wherever they are."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.hierarchies import intervals
from shoal.models.base import PrivacyModel
from shoal.options import Spec

OUTPUTS = (
    "file",
    "codebook",
    "reports",
    "public_reports",
    "certificate",
    "key",
    "context",
    "persons",
    "recoding",
    "proof",
)
Change = Callable[[str], str]


def with_paths(tables: Mapping[str, Mapping[str, Any]], change: Change) -> dict[str, dict[str, Any]]:
    """Return the tables of a problem file with other paths.

    Parameters
    ----------
    tables
        The tables, such as ``{"data": {"file": "a.csv"}}``.
    change
        A function that returns the new path for each path.

    Examples
    --------
    >>> tables = {"data": {"file": "a.csv", "join": "b.csv:id"}, "columns": {"age": {"hierarchy": "width:5"}}}
    >>> with_paths(tables, lambda path: f"in/{path}")
    {'data': {'file': 'in/a.csv', 'join': 'in/b.csv:id'}, 'columns': {'age': {'hierarchy': 'width:5'}}}
    """
    found = copy.deepcopy({name: dict(table) for name, table in tables.items()})
    for table, names in (("data", ("file",)), ("items", ("hierarchy", "weights")), ("output", OUTPUTS)):
        for name in names:
            if name in found.get(table, {}):
                found[table][name] = _changed(found[table][name], change)
    if "join" in found.get("data", {}):
        found["data"]["join"] = _changed(found["data"]["join"], lambda join: _joined(join, change))
    for about in found.get("columns", {}).values():
        tree = about.get("hierarchy") if isinstance(about, dict) else None
        if tree is not None and not intervals.is_spec(tree):
            about["hierarchy"] = change(tree)
    for table, package, base in (("model", "shoal.models", PrivacyModel), ("algorithm", "shoal.algorithms", Algorithm)):
        chosen = found.get(table, {})
        cls: type[Spec] | None = discovery.get(package, base, chosen["name"]) if "name" in chosen else None
        for one in () if cls is None else cls.options():
            if one.file and one.name in chosen and chosen[one.name] not in one.words:
                chosen[one.name] = change(chosen[one.name])
    return found


def paths_of(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the paths in the tables of a problem file.

    >>> paths_of({"data": {"file": "a.csv", "join": "b.csv:id"}, "items": {"hierarchy": "c.csv"}})
    ['a.csv', 'c.csv', 'b.csv']
    """
    paths: list[str] = []

    def take(path: str) -> str:
        paths.append(path)
        return path

    with_paths(tables, take)
    return paths


def _changed(value: Any, change: Change) -> Any:
    """Return a value with other paths: a text, a list of texts, or a table of texts. Other values are no paths."""
    if isinstance(value, list):
        return [change(one) for one in value]
    if isinstance(value, dict):
        return {name: change(one) for name, one in value.items()}
    return change(value) if isinstance(value, str) else value


def _joined(join: str, change: Change) -> str:
    """Return a join, FILE:KEY, with another path."""
    file, colon, keys = join.rpartition(":")
    return f"{change(file)}{colon}{keys}"
