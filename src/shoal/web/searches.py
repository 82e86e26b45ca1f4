"""Searches: what users search for, under random names.

A text that is searched for may be a label of the data. An address stays in the history of the browser, so addresses
hold the name of a search, and the text is kept here. It is gone when the workbench ends.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

MOST = 500  # searches that are remembered


@dataclass
class Searches:
    """The searches of all projects.

    >>> searches = Searches()
    >>> name = searches.keep("study", {"find": "insulin"})
    >>> searches.get("study", name), searches.get("another", name), searches.get("study", "unknown")
    ({'find': 'insulin'}, {}, {})
    """

    _kept: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)

    def keep(self, project: str, values: dict[str, Any]) -> str:
        """Remember a search of a project, and return its name."""
        name = secrets.token_urlsafe(9)
        self._kept[name] = (project, values)
        while len(self._kept) > MOST:
            self._kept.pop(next(iter(self._kept)))
        return name

    def get(self, project: str, name: str) -> dict[str, Any]:
        """Return a search of a project. One that is not known searches for nothing."""
        owner, values = self._kept.get(name, ("", {}))
        return dict(values) if owner == project else {}
