"""Write TOML: values, keys and whole problem files, for people to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes


def toml_key(name: str) -> str:
    """Return a key, quoted if needed.

    >>> toml_key("age"), toml_key("zip code")
    ('age', '"zip code"')
    """
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    r"""Format a value as TOML.

    >>> toml_value({"role": "plain", "order": ["a\n", 1, True]})
    '{ role = "plain", order = ["a\\U0000000a", 1, true] }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(name)} = {toml_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value) if not isinstance(value, str) else f'"{"".join(map(_character, value))}"'


def _character(one: str) -> str:
    """Return a character of a text, escaped unless it is safe to print. (JSON's escapes are not all TOML's.)"""
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else f"\\U{ord(one):08x}"


def problem_text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a problem file with these tables.

    >>> print(problem_text({"data": {"file": "a.csv"}, "columns": {}, "model": {"k": 5}}), end="")
    [data]
    file = "a.csv"
    <BLANKLINE>
    [model]
    k = 5
    """
    return "\n".join("".join(f"{line}\n" for line in _lines(name, table)) for name, table in tables.items() if table)


def _lines(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"[{name}]"
    yield from (f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items())
