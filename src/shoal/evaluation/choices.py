"""Choices of k and m with their costs: as figures, in a table and in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.data.persons import plural
from shoal.models.base import DRAWN
from shoal.report.formatting import count_noun, share

NEARLY = 0.9  # a stricter choice that keeps this share of the unchanged items makes a weaker one pointless
MOST_OF_COLUMNS = 0.9  # columns that lose more say nothing
SOME = 0.01  # a share of unchanged items


@dataclass(frozen=True)
class Choice:
    """One choice of k and m (and delta), with its loss and its risk."""

    k: int
    m: int
    delta: float | None  # the largest loss that the columns may have; None: the model covers no columns
    loss: float  # of the items
    columns_loss: float | None  # NCP of the columns
    unchanged: float  # share of the items of records that are published as themselves
    labels: int
    proven: bool  # whether no other recoding of its kind loses less
    lower_bound: float | None  # every recoding of its kind loses at least this; None: not known
    highest_chance: float  # to pick the right record, for an attacker who knows m of its items (at most DRAWN)
    average_chance: float  # the same for an attacker who knows DRAWN items, mean over all records
    found: float  # share of the records that an attacker who knows DRAWN items finds
    worthless: bool  # whether hardly anything can be read
    checked: int  # attacker views that the verifier has counted
    ended: str  # how the search ended; empty: it has no limit
    seconds: float

    @property
    def name(self) -> str:
        """Name the choice, for instance ``k=5, m=2``."""
        return f"k={self.k}, m={self.m}" + ("" if self.delta is None else f", delta={self.delta:g}")

    def covers(self, other: Choice) -> bool:
        """Return whether every release for this choice also satisfies the other."""
        return self.k >= other.k and self.m >= other.m and (self.delta or 0) <= (other.delta or 0)


@dataclass(frozen=True)
class Frontier:
    """All choices, sorted by m, then k, then delta."""

    choices: tuple[Choice, ...]
    data: str
    records: int
    measure: str  # the loss of the items, for people
    kind: str  # what proofs and bounds are about, for people; empty: there are none
    asked: int  # choices that were asked for; more than there are, if the user has interrupted
    person: str = ""  # whom a guarantee counts, such as "household"; empty: records
    persons: int = 0  # how many there are

    @property
    def size(self) -> str:
        """The number of records, and of persons if these are counted."""
        of = f" of {self.persons:,} {plural(self.person, self.persons)}" if self.person else ""
        return f"{count_noun(self.records, 'record')}{of}"

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted the search."""
        return len(self.choices) < self.asked

    @property
    def sensible(self) -> tuple[Choice, ...]:
        """Choices worth considering: not worthless, and no stricter one keeps nearly as many items unchanged.

        If some choice keeps items unchanged, choices that keep hardly any are left out.
        """
        least = SOME if any(one.unchanged >= SOME for one in self.choices) else 0.0
        return tuple(
            one
            for one in self.choices
            if not one.worthless
            and one.unchanged >= least
            and (one.columns_loss or 0.0) <= MOST_OF_COLUMNS
            and not any(
                other is not one and other.covers(one) and other.unchanged >= NEARLY * one.unchanged
                for other in self.choices
            )
        )

    @property
    def sentences(self) -> list[str]:
        """One plain sentence for each sensible choice, or the reason why there is none."""
        if self.choices and not self.sensible:
            return ["Every choice is nearly worthless: allow groups of siblings, or remove items (shoal recommend)."]
        return [_sentence(one, self.measure, self.person) for one in self.sensible]

    def __getitem__(self, at: tuple[int, int] | tuple[int, int, float]) -> Choice:
        """Return the choice for (k, m), or for (k, m, delta)."""
        for one in self.choices:
            if (one.k, one.m) == at or (one.k, one.m, one.delta) == at:
                return one
        raise KeyError(at)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal frontier --json`` prints."""
        return {
            "data": self.data,
            "records": self.records,
            "counts": plural(self.person or "record"),
            "measure": self.measure,
            "bounds_hold_for": self.kind,
            "known_items": DRAWN,
            "choices": [asdict(one) for one in self.choices],
            "sentences": self.sentences,
        }

    def save(self, path: str | Path) -> str:
        """Write all choices as a page (.html), a chart (.png) or a table (.csv). Return a text on what is missing."""
        from shoal.evaluation import frontier_page

        return frontier_page.write(self, Path(path))


def _sentence(one: Choice, measure: str, person: str) -> str:
    """Describe a choice in a sentence."""
    left = plural(person or "record")
    columns = "" if one.columns_loss is None else f"; the columns lose {share(one.columns_loss)}"
    known = f"the columns and {count_noun(one.m, 'item')}" if columns else count_noun(one.m, "item")
    best = ", proved best" if one.proven else ""
    beyond = f", and one who knows {DRAWN} finds {share(one.found)} of the records" if one.m < DRAWN else ""
    return (
        f"{one.name} publishes {share(one.unchanged)} of the items unchanged ({measure} {figure(one.loss)}{best})"
        f"{columns}; an attacker who knows {known} is left with at least {one.k} {left}{beyond}."
    )


def figure(loss: float) -> str:
    """Format a loss with three significant digits.

    >>> figure(0.0), figure(0.008733), figure(0.1374), figure(0.00003684), figure(1.0)
    ('0', '0.00873', '0.137', '3.7e-05', '1.000')
    """
    if loss < 1e-4:
        return f"{loss:.1e}" if loss else "0"
    return f"{loss:.{max(3, 2 - math.floor(math.log10(loss)))}f}"


def bound_text(one: Choice) -> str:
    """Return what is proved about the loss."""
    if one.proven:
        return "best"
    return "" if one.lower_bound is None else f"≥{figure(one.lower_bound)}"


def listed(choices: Sequence[Choice]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of the table of choices."""
    columns = any(one.columns_loss is not None for one in choices)
    own = ["delta", "loss of columns", "loss of items"] if columns else ["loss of items", "bound", "labels"]
    head = ["k", "m", *own, "unchanged", "highest chance", f"mean, {DRAWN} known", f"found by {DRAWN}"]
    lines = []
    for one in choices:
        own = [figure(one.loss), bound_text(one), f"{one.labels:,}"]
        if one.columns_loss is not None:
            own = [f"{one.delta:g}", figure(one.columns_loss), figure(one.loss)]
        risks = (one.highest_chance, one.average_chance, one.found)
        lines.append([str(one.k), str(one.m), *own, share(one.unchanged), *map(share, risks)])
    return head, lines
