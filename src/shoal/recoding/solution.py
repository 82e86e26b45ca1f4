"""What an algorithm returns: a recoding, what is proved about how good it is, and figures of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shoal.data.hierarchy import Hierarchy
from shoal.data.note import Note
from shoal.recoding import Clustered, GlobalCut, Recoding

Ended = Literal["proven", "time limit", "interrupted", "no solver"]


@dataclass(frozen=True)
class Optimality:
    """How close a recoding is to the best of its kind, proved.

    ``lower_bound`` holds for every global cut of the hierarchy that was searched and satisfies the model,
    whatever finds it. If siblings were grouped, that hierarchy has groups between siblings, and ``groupings_bound``
    holds for every way to group siblings. All are in the loss that was minimised (weighted, if weights were given).

    >>> Optimality(loss=0.05, lower_bound=0.04, ended="time limit", rounds=3, clauses=10).gap
    0.2
    """

    loss: float
    lower_bound: float
    ended: Ended  # why the search stopped
    rounds: int  # relaxed problems solved
    clauses: int  # minimal sets of nodes known that must not all be expanded
    groupings_bound: float | None = None

    @property
    def proven(self) -> bool:
        """Whether no cut of the hierarchy that was searched loses less."""
        return self.ended == "proven"

    @property
    def best_grouping(self) -> bool:
        """Whether no grouping of siblings loses less."""
        return self.groupings_bound is not None and self.groupings_bound >= self.loss

    @property
    def groupings_gap(self) -> float | None:
        """The share of the loss that is not proved to be unavoidable, however siblings are grouped."""
        if self.groupings_bound is None:
            return None
        return 0.0 if self.best_grouping else round((self.loss - self.groupings_bound) / self.loss, 12)

    @property
    def gap(self) -> float:
        """The share of the loss that is not proved to be unavoidable."""
        return 0.0 if self.proven else round((self.loss - self.lower_bound) / self.loss, 12)


@dataclass(frozen=True, eq=False)
class Solution:
    """A recoding and what is known about it."""

    recoding: Recoding
    optimality: Optimality | None = None
    statistics: dict[str, float] = field(default_factory=dict)  # counts and seconds of the search, by name
    hierarchy: Hierarchy | None = None  # that the recoding is about, if it is not that of the problem: with groups
    notes: tuple[Note, ...] = ()  # what the search decided for the publisher


@dataclass(frozen=True, eq=False)
class CutSolution(Solution):
    """A global cut and what is known about it."""

    recoding: GlobalCut


@dataclass(frozen=True, eq=False)
class ClusteredSolution(Solution):
    """Clusters of records and what is known about them."""

    recoding: Clustered
