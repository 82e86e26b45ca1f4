"""A privacy model from outside: no published label is rare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.persons import Persons
from shoal.engines import LOCAL, Engine
from shoal.metrics.risk import Risk
from shoal.models.base import PrivacyModel, Verdict
from shoal.models.witness import RareSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class NoRareLabel(PrivacyModel):
    """Every published label is in at least k records."""

    name = "toy-model"
    title = "toy k-frequency"
    paper = "none"
    default_algorithm = "toy-method"
    check_scope = "every published label"

    k: int = option(2, low=2, help="records that each label must be in")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count labels."""
        rows = published.rows.in_use()
        rare = np.flatnonzero(rows.supports < self.k).tolist()
        witnesses = tuple(RareSet((rows.labels[code],), int(rows.supports[code])) for code in rare)
        return Verdict(not rare, len(rows.labels), len(rare), witnesses)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by one item."""
        return Risk.of(published.rows, self.k, 1, engine)

    def feasible(self, published: Published) -> None:
        """Always: everything can be removed."""

    @property
    def short(self) -> str:
        """For instance toy 2-frequency."""
        return f"toy {self.k}-frequency"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return f"Every published label is in at least {self.k} records."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return ["It is a toy."]
