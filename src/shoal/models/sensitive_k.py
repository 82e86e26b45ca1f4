"""Sensitive k-anonymity (P1): every record with a sensitive item has k - 1 others just like it.

Items are either sensitive or quasi-identifiers (QID). A published row with at least one sensitive item must be equal,
in all its items, to at least k - 1 other published rows. Rows without sensitive items carry no requirement.

The verifier counts equal rows among those with a sensitive item and nothing else: a row without one is equal to none
of them. Cost: one pass; memory is proportional to these rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.persons import Persons
from shoal.data.sensitive import merged
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Verdict
from shoal.models.equal import equal_rows
from shoal.models.sensitive import SensitiveItems
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class SensitiveK(SensitiveItems):
    """Each record with a sensitive item occurs at least k times, exactly so; the others are free.

    >>> from shoal.data import Transactions
    >>> rows = Transactions.from_sets([["a", "HIV"], ["a", "HIV"], ["b", "HIV"], ["a", "b"]])
    >>> verdict = SensitiveK(k=2, sensitive=("HIV",)).verify(Published.plain(rows))
    >>> verdict.holds, verdict.checked, str(verdict.witnesses[0])
    (False, 2, 'the exact record {b, HIV} occurs 1 time')
    """

    name = "sensitive-k"
    title = "sensitive k-anonymity"
    protects = "Sets: records with a sensitive item equal k - 1 others. Changes the data."
    paper = "P1"
    default_algorithm = "stn"
    views = ("different record with sensitive items", "different records with sensitive items")
    check_scope = "every different published record that holds a sensitive item, as a whole"
    risk_caveat = (
        "The figures are about records with a sensitive item; the guarantee is about no others. It covers any number "
        "of known items, items known to be missing, and even an attacker who knows the whole record as it is published."
    )

    k: int = option(5, low=2, help="records that must be exactly the same")
    sensitive: tuple[str, ...] = option(
        (), help="what is not to be learned, items or groups: a file, one a line, or a,b,c"
    )
    qid: tuple[str, ...] = option((), help="items an attacker may know; any other item in the data is an error")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count equal rows with a sensitive item."""
        rows, items = self.both(published, "items")
        return equal_rows(merged(rows.in_use(), items).take(np.flatnonzero(items.sizes)), self.k, engine)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who, of those with a sensitive item, can be found by a few items of any kind."""
        rows, items = self.both(published, "items")
        return Risk.of(merged(rows.in_use(), items), self.k, DRAWN, engine, items.sizes > 0)

    def feasible(self, published: Published) -> None:
        """Records cannot be made of nothing."""
        _, values = self.both(published)
        if values.non_empty and len(values) < self.k:
            raise Infeasible(
                f"Sensitive k-anonymity with k={self.k} needs no records with sensitive items, or at least {self.k} "
                f"records in all, got {len(values)}: choose a smaller k or add data."
            )

    @property
    def short(self) -> str:
        """For instance sensitive 5-anonymity."""
        return f"sensitive {self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return (
            f"Every record with a sensitive item is exactly the same as at least {self.k - 1} "
            f"other{'' if self.k == 2 else 's'}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return [
            "It says nothing about records that are published without a sensitive item: these are as they were, and "
            "may be found.",
            "It does not hide what the records of a group have in common. An attacker who knows that a person is among "
            "them knows the sensitive items that are published for the group, true or added.",
            "Records may have been changed to reach it, so an attacker who looks for what a record really held may "
            "find other records, or none; the guarantee counts what is published.",
            "Items that were not declared sensitive are not protected.",
            "It counts records, not people. If one person is behind several records, fewer people may fit.",
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
