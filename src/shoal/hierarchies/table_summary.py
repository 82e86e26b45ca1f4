"""What was done about the dirt in a table that a hierarchy was made from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.data.hierarchy import Hierarchy
from shoal.errors import shorten

Dirt = Literal[
    "several parents",
    "items under several parents",
    "blank levels",
    "nothing above",
    "same label twice",
    "levels out of order",
    "whole numbers as floats",
    "rows without an item",
    "items not used",
    "unknown items",
]


@dataclass(frozen=True)
class Finding:
    """A kind of dirt: how often it occurs, what was done about it, and three examples."""

    kind: Dirt
    count: int
    action: str  # what there is, and what was done about it
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One sentence.

        >>> print(Finding("unknown items", 2, "2 items of the data are not in the table", ("'a'", "'b'")))
        2 items of the data are not in the table: 'a'; 'b'.
        """
        return f"{self.action}: {'; '.join(self.examples)}." if self.examples else f"{self.action}."


@dataclass(frozen=True)
class TableSummary:
    """A hierarchy that was made from a table, and what was done about dirt there."""

    hierarchy: Hierarchy
    levels: tuple[tuple[str, int], ...]  # the columns, items first, and how many nodes each gave
    findings: tuple[Finding, ...]  # one for each kind of dirt that there is

    @property
    def headline(self) -> str:
        """The size of the hierarchy, as a sentence."""
        sizes = ", ".join(f"{count:,} {shorten(name)}" for name, count in self.levels)
        return f"{count_of(self.hierarchy.n_leaves, 'item')}, height {self.hierarchy.height}: {sizes}."

    def sentences(self) -> list[str]:
        """The size of the hierarchy, then a sentence for each kind of dirt."""
        return [self.headline, *map(str, self.findings)]

    def finding(self, kind: Dirt) -> Finding | None:
        """What there is of a kind of dirt; None: nothing."""
        return next((one for one in self.findings if one.kind == kind), None)

    def as_dict(self) -> dict[str, Any]:
        """The figures without the hierarchy, for JSON."""
        return {"levels": dict(self.levels), "findings": [asdict(one) for one in self.findings]}


def count_of(count: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """A number with its noun, and with a verb for one or for several.

    >>> count_of(1, "item", "has", "have"), count_of(92331, "item", "has", "have"), count_of(0, "row")
    ('1 item has', '92,331 items have', '0 rows')
    """
    return " ".join(filter(None, (f"{count:,}", noun + "s" * (count != 1), verb if count == 1 else verbs)))
