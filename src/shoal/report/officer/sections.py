"""The parts of an officer's report as dataclasses. The JSON reports have the same fields in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Table:
    """A table of figures: the cells are texts. ``groups`` are headings above columns: their titles and widths."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    groups: tuple[tuple[str, int], ...] = ()

    @property
    def names(self) -> list[str]:
        """The name of each column with that of its group."""
        above = [title for title, width in self.groups for _ in range(width)] or [""] * len(self.columns)
        return [", ".join(filter(None, pair)) for pair in zip(above, self.columns, strict=True)]


@dataclass(frozen=True)
class Question:
    """A question of the Article 29 Working Party, with the answer in words and figures."""

    name: Literal["singling out", "linkability", "inference"]
    asks: str
    answers: tuple[str, ...]  # sentences
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Entry:
    """What a report says under a heading of a regulator."""

    heading: str
    told: str  # the answer; for an open entry the question
    source: Literal["figures", "people", "open"]


@dataclass(frozen=True)
class Regulator:
    """The headings of one regulator or standard."""

    name: str
    document: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class OfficerFacts:
    """The part of a report for officers."""

    headline: str
    known: str  # how many items the guarantee assumes to be known: a number, or "all"
    thresholds: tuple[float, ...]  # the chosen ones
    questions: tuple[Question, ...]
    not_promised: tuple[str, ...]
    regulators: tuple[Regulator, ...]
    risk: dict[str, Any]  # all figures, before and after
