"""A problem as plain values: it can be written to a JSON file, made smaller, and run again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

Rows = list[list[str]]
Parents = dict[str, str | None]  # item or group -> the group above it; the root has none


@dataclass(frozen=True)
class Case:
    """What to anonymize and how. Options are written as the library takes them, lists in place of tuples."""

    sets: dict[str, Rows]  # column of sets -> the items of each record; more than one column: items are tagged
    model: str
    algorithm: str
    parents: Parents | None = None  # None: no hierarchy
    model_options: dict[str, Any] = field(default_factory=dict)
    algorithm_options: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, list[str | None]] = field(default_factory=dict)  # beside the sets
    roles: dict[str, dict[str, Any]] = field(default_factory=dict)  # column -> what is said of it, as shoal.Column
    loss: str = "ncp"
    weights: dict[str, float] | None = None
    multiset: bool = False
    allow_missing: bool = False  # go on if what is sensitive is not in the data
    seed: int = 0
    memory: str = "list"  # the kind of object that the library is given
    format: str | None = None  # of the file that the command line is given; None: the library alone
    tree_format: str = "parents"
    perturb: int = 0  # the seed of the changes that verdicts are tried on
    persons: list[int] | None = None  # whose each record is; None: nobody said

    @property
    def n_rows(self) -> int:
        """The number of records."""
        return max((len(rows) for rows in self.sets.values()), default=0)

    @property
    def key(self) -> str:
        """A short name, the same for the same case."""
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode()).hexdigest()[:10]

    def as_json(self) -> dict[str, Any]:
        """The case as JSON values; defaults are left out."""
        plain = Case({}, "", "")
        return {name: value for name, value in asdict(self).items() if value != getattr(plain, name) or name == "sets"}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Case:
        """The inverse of :meth:`as_json`."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True)
class Failure:
    """Something that is wrong. ``kind`` stays the same while a case is made smaller; ``detail`` may change."""

    kind: str
    detail: str = ""

    def __str__(self) -> str:
        """For people."""
        return f"{self.kind}: {self.detail}" if self.detail else self.kind
