"""Transactional k-anonymity (He and Naughton 2009; P3 s.6.2.2, P4 "LG"): every record has k - 1 others just like it.

Every published row, taken as a set of labels, occurs at least k times; empty rows are rows too. Whatever an attacker
knows of a record, what it holds and what it lacks, up to the whole of it, fits at least k records or none. So it
includes k^m-anonymity for every m, with negative knowledge too.

The verifier counts equal published rows and nothing else. Cost: one pass; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.persons import Persons
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, PrivacyModel, Verdict
from shoal.models.equal import equal_rows
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class TransactionalK(PrivacyModel):
    """Each published record occurs at least k times, exactly so.

    >>> from shoal.data import Transactions
    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a"], ["a"], ["a"], []])
    >>> verdict = TransactionalK(k=2).verify(Published.plain(rows))
    >>> verdict.holds, verdict.checked, str(verdict.witnesses[0])
    (False, 3, 'the empty record occurs 1 time')
    """

    name = "transactional-k"
    title = "transactional k-anonymity"
    protects = "Sets: each published record equals at least k - 1 others."
    paper = "He and Naughton; P3 s.6.2.2, P4"
    default_algorithm = "partition"
    views = ("different record", "different records")
    check_scope = "every different published record, as a whole"
    risk_caveat = (
        "The guarantee goes further than the figures: it covers any number of known items, items known to be missing, "
        "and even an attacker who knows the whole record."
    )

    k: int = option(5, low=2, help="records that must be exactly the same")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count equal rows."""
        return equal_rows(self.require_all_items(published), self.k, engine)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by a few items."""
        return Risk.of(published.rows, self.k, DRAWN, engine)

    def feasible(self, published: Published) -> None:
        """With everything at the root there are two kinds of records: empty ones and others."""
        full = published.rows.non_empty
        for count, kind in ((full, "non-empty"), (len(published.rows) - full, "empty")):
            if 0 < count < self.k:
                raise Infeasible(
                    f"Transactional k-anonymity with k={self.k} needs no {kind} records or at least {self.k}, got "
                    f"{count}, and no generalization makes empty and non-empty ones equal: choose a smaller k"
                    f"{'' if kind == 'non-empty' else ', remove these'} or add data."
                )

    @property
    def short(self) -> str:
        """For instance transactional 5-anonymity."""
        return f"transactional {self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return (
            f"Every record is exactly the same as at least {self.k - 1} other{'' if self.k == 2 else 's'}: an attacker "
            f"who knows any part of a record, or all of it, is left with at least {self.k} records that fit, or with "
            f"none."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return [
            "It does not hide what all fitting records have in common. Records that are the same give away whatever "
            "they hold: an attacker who knows that a person is among them knows their labels (which need not be true "
            "where a method adds or deletes items).",
            "It counts records, not people. If one person is behind several records, fewer people may fit.",
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
