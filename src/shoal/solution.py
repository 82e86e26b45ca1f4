"""What an algorithm returns: a recoding, what is proved about how good it is, and figures of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shoal.recoding import Recoding

Ended = Literal["proven", "time limit", "interrupted", "no solver"]


@dataclass(frozen=True)
class Optimality:
    """How close a recoding is to the best of its kind, certified.

    ``lower_bound`` holds for every global cut of the hierarchy that satisfies the model, whoever finds it. Both it and
    ``loss`` are in the loss that was minimised (weighted, if weights were given).

    >>> Optimality(loss=0.05, lower_bound=0.04, ended="time limit", rounds=3, clauses=10).gap
    0.2
    """

    loss: float
    lower_bound: float
    ended: Ended  # why the search stopped
    rounds: int  # relaxed problems solved
    clauses: int  # minimal sets of nodes known that must not all be expanded

    @property
    def proven(self) -> bool:
        """Whether nothing loses less."""
        return self.ended == "proven"

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
