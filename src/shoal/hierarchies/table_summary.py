"""What was done about problems in a table that a hierarchy was made from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.data.hierarchy import Hierarchy
from shoal.errors import shorten

Problem = Literal[
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
    """A kind of problem in a table: how often it occurs, what was done about it, and up to three examples.

    Parameters
    ----------
    kind : str
        The kind of problem, such as ``"several parents"``.
    count : int
        How often it occurs.
    action : str
        A sentence without its end: the problem, and what was done about it.
    examples : tuple of str
        Up to three examples.

    Examples
    --------
    >>> print(Finding("unknown items", 2, "2 items of the data are not in the table", ("'a'", "'b'")))
    2 items of the data are not in the table: 'a'; 'b'.
    """

    kind: Problem
    count: int
    action: str
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one sentence."""
        return f"{self.action}: {'; '.join(self.examples)}." if self.examples else f"{self.action}."


@dataclass(frozen=True)
class TableSummary:
    """A hierarchy that was made from a table, and what was done about problems in the table.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy.
    levels : tuple of (str, int)
        The columns, items first, each with its number of nodes.
    findings : tuple of Finding
        One for each kind of problem.

    Examples
    --------
    >>> tree = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"]}})
    >>> print(TableSummary(tree, (("product", 2), ("aisle", 1)), ()).headline)
    2 items, height 2: 2 product, 1 aisle.
    """

    hierarchy: Hierarchy
    levels: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]

    @property
    def headline(self) -> str:
        """Return the size of the hierarchy, as a sentence."""
        sizes = ", ".join(f"{count:,} {shorten(name)}" for name, count in self.levels)
        return f"{count_of(self.hierarchy.n_leaves, 'item')}, height {self.hierarchy.height}: {sizes}."

    def sentences(self) -> list[str]:
        """Return the size of the hierarchy, then a sentence for each kind of problem."""
        return [self.headline, *map(str, self.findings)]

    def finding(self, kind: Problem) -> Finding | None:
        """Return the finding of a kind, or None."""
        return next((one for one in self.findings if one.kind == kind), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures without the hierarchy, for JSON."""
        return {"levels": dict(self.levels), "findings": [asdict(one) for one in self.findings]}


def count_of(count: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """Return a number with its noun, and with a verb in singular or plural.

    >>> count_of(1, "item", "has", "have"), count_of(92331, "item", "has", "have"), count_of(0, "row")
    ('1 item has', '92,331 items have', '0 rows')
    """
    return " ".join(filter(None, (f"{count:,}", noun + "s" * (count != 1), verb if count == 1 else verbs)))
