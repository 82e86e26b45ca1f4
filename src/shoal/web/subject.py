"""Subject: what a hierarchy is for: the items, one of several columns of sets, or a quasi-identifying column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError
from shoal.hierarchies import intervals
from shoal.visible import visible
from shoal.web.draft import Draft

RANGES = {
    "width": "of equal width",
    "quantiles": "with about the same number of records",
    "breaks": "that start at given values",
    "calendar": "of the calendar",
}


@dataclass(frozen=True)
class Subject:
    """A subject and what the draft says about it.

    >>> draft = Draft({"items": {}, "columns": {"age": {"role": "quasi-identifier", "hierarchy": "width:5"}},
    ...     "data": {}, "output": {}, "model": {}}, {"without_sets": True, "columns": [{"name": "age"}]})
    >>> [(one.key, one.title, one.spec["levels"]) for one in Subject.all(draft)]
    [('column.age', 'age', 'width:5')]
    """

    draft: Draft
    kind: str  # items, set, column
    name: str = ""

    @classmethod
    def all(cls, draft: Draft) -> list[Subject]:
        """List the subjects of a draft whose data have been read."""
        if not draft.found:
            return []
        sets = draft.found.get("sets", [])
        found = [] if draft.found.get("without_sets") else [cls(draft, "items")]
        found += [cls(draft, "set", name) for name in sets if len(sets) > 1]
        names = [one["name"] for one in draft.found.get("columns", [])]
        return found + [cls(draft, "column", name) for name in names if draft.role(name) == "quasi-identifier"]

    @classmethod
    def of(cls, draft: Draft, key: str) -> Subject:
        """Return a subject by its key. No key: the first."""
        known = cls.all(draft)
        if not known:
            raise InputError("Nothing of these data is generalized: give a column the role of a quasi-identifier.")
        for one in known:
            if key in ("", one.key):
                return one
        raise InputError(f"'{visible(key[:60])}' is not generalized: give the column the role of a quasi-identifier.")

    @property
    def key(self) -> str:
        """What addresses call it."""
        return f"{self.kind}.{self.name}" if self.name else self.kind

    @property
    def title(self) -> str:
        """What people call it."""
        return self.name or ("All items" if len(self.draft.found.get("sets", [])) > 1 else "Items")

    @property
    def noun(self) -> str:
        """What its leaves are."""
        return "value" if self.kind == "column" else "item"

    @property
    def chosen(self) -> str:
        """The file or the levels that were chosen, or an empty text."""
        if self.kind == "column":
            return str(self._about.get("hierarchy", ""))
        given = self.draft.tables["items"].get("hierarchy", "")
        if isinstance(given, dict):
            return str(given.get(self.name, ""))
        return "" if self.kind == "set" else str(given)

    @property
    def _about(self) -> dict[str, Any]:
        """What the draft says about the column."""
        return self.draft.about(self.name)

    @property
    def called(self) -> str:
        """The name of what was chosen, for people."""
        kind, _, rest = self.chosen.partition(":")
        if self.spec["levels"]:
            return f"{RANGES[kind]}: {rest.replace(',', ', ')}"
        return self.chosen.rpartition("/")[2]

    @property
    def spec(self) -> dict[str, Any]:
        """What tasks need to know."""
        levels = self.chosen if self.kind == "column" and intervals.is_spec(self.chosen) else ""
        spec: dict[str, Any] = {"file": "" if levels else self.chosen, "levels": levels}
        if self.kind == "column":
            kept = {name: self._about[name] for name in ("type", "missing", "order") if self._about.get(name)}
            return {**spec, **kept}
        sensitive = self.draft.tables["model"].get("sensitive", [])
        spec["format"] = self.draft.tables["items"].get("hierarchy_format", "")
        spec["sensitive"] = sorted(sensitive) if isinstance(sensitive, list) else []
        given = self.draft.tables["items"].get("hierarchy")
        spec["sets"] = given if self.kind == "items" and isinstance(given, dict) else {}
        return spec

    def choose(self, file: str, format: str = "") -> None:
        """Use a file or levels, or nothing."""
        if self.kind == "column":
            self.draft.describe(self.name, hierarchy=file or None)
            if file:
                self.draft.describe(self.name, order=None)
            return
        items = self.draft.tables["items"]
        given = items.pop("hierarchy", None)
        items.pop("hierarchy_format", None)
        if self.kind == "set":
            trees = {**(given if isinstance(given, dict) else {}), self.name: file}
            trees = {name: path for name, path in trees.items() if path}
            if trees:
                items["hierarchy"] = trees
        elif file:
            items["hierarchy"] = file
        if file and format:
            items["hierarchy_format"] = format

    def read_as(self, type: str) -> None:
        """Say how the values of a column are read."""
        self.draft.describe(self.name, type=None if type == "auto" else type, order=None)
