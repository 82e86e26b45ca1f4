"""The result of an algorithm: a recoding, a proof of how good it is, and statistics of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.data.note import Note
from shoal.recoding import Clustered, GlobalCut, Recoding

Ended = Literal["proven", "time limit", "interrupted", "no solver"]


@dataclass(frozen=True)
class Optimality:
    """A proof of how close a recoding is to the best of its kind.

    ``lower_bound`` is a lower bound on the loss of every cut of the searched hierarchy that satisfies the model. If
    siblings were grouped, that hierarchy contains the groups, and ``groupings_bound`` is a lower bound for every way to
    group siblings. All figures are in the loss that was minimised (weighted, if weights were given).

    >>> Optimality(loss=0.05, lower_bound=0.04, ended="time limit", rounds=3, clauses=10).gap
    0.2
    """

    loss: float
    lower_bound: float
    ended: Ended  # why the search ended
    rounds: int  # number of relaxed problems solved
    clauses: int  # number of known constraints on the cut
    groupings_bound: float | None = None

    @property
    def proven(self) -> bool:
        """Whether it is proved that no cut of the searched hierarchy loses less."""
        return self.ended == "proven" or self.lower_bound >= self.loss

    @property
    def best_grouping(self) -> bool:
        """Whether it is proved that no grouping of siblings loses less."""
        return self.groupings_bound is not None and self.groupings_bound >= self.loss

    @property
    def groupings_gap(self) -> float | None:
        """The share of the loss that another grouping of siblings might avoid, or None if there is no bound."""
        if self.groupings_bound is None:
            return None
        return 0.0 if self.best_grouping else round((self.loss - self.groupings_bound) / self.loss, 12)

    @property
    def gap(self) -> float:
        """The share of the loss that another cut might avoid."""
        return 0.0 if self.proven else round((self.loss - self.lower_bound) / self.loss, 12)


@dataclass(frozen=True, eq=False)
class Solution:
    """A recoding, with statistics and notes."""

    recoding: Recoding
    optimality: Optimality | None = None
    statistics: dict[str, float] = field(default_factory=dict)  # counts and seconds of the search, by name
    hierarchy: Hierarchy | None = None  # of the recoding, if groups of siblings were added
    notes: tuple[Note, ...] = ()  # decisions that the search made for the user


@dataclass(frozen=True)
class CutBound:
    """What the lower bound on the cost of cuts follows from: threats, in the nodes of the hierarchy of the solution."""

    cost: int  # no cut without a threat costs less
    threats: tuple[tuple[int, ...], ...]  # nodes that no safe cut splits together

    def moved(self, node_of: Codes) -> CutBound:
        """Return the same for another hierarchy, in which node u is ``node_of[u]``."""
        return CutBound(self.cost, tuple(tuple(int(node_of[node]) for node in threat) for threat in self.threats))


@dataclass(frozen=True, eq=False)
class CutSolution(Solution):
    """A cut for all rows, with statistics and a bound."""

    recoding: GlobalCut
    beats_aa: bool = False  # whether it is known to lose no more than the cut of AA on the same hierarchy
    bound: CutBound | None = None  # None: the bound does not follow from threats alone


@dataclass(frozen=True, eq=False)
class ClusteredSolution(Solution):
    """Clusters of records, with statistics."""

    recoding: Clustered
