"""Transactional k-anonymity (He and Naughton 2009): every record is equal to at least k - 1 others.

Every published row, as a set of labels, occurs at least k times. Empty rows count, too. Whatever an attacker knows
about the items that a record has or lacks fits at least k records, or none. So the model implies k^m-anonymity for
every m, also with negative knowledge.

The verifier counts equal published rows and nothing else. It takes one pass, and memory proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.persons import Persons
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, PrivacyModel, Verdict
from shoal.models.equal import equal_rows
from shoal.models.people import about_people
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class TransactionalK(PrivacyModel):
    """Transactional k-anonymity: each published record occurs at least k times, exactly the same.

    An attacker who knows any part of a record, or all of it, finds at least k records that fit, or none.

    Parameters
    ----------
    k : int, default 5
        Records that must be equal. At least 2.

    References
    ----------
    Y. He, J. F. Naughton: Anonymization of set-valued data via top-down, local generalization. PVLDB 2(1), 2009.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.verify([["a", "b"], ["a", "b"], ["a"], ["a"], []], shoal.models.TransactionalK(k=2))
    >>> print(result.holds, result.verdict.witnesses[0])
    False the empty record occurs 1 time
    """

    name = "transactional-k"
    title = "transactional k-anonymity"
    protects = "Sets: each published record equals at least k - 1 others."
    promise = "Every record looks exactly like at least k - 1 others, so that it does not help to know more items."
    suits = "Somebody may know a whole record. It costs the most detail."
    paper = "He and Naughton 2009"
    default_algorithm = "partition"
    views = ("different record", "different records")
    check_scope = "one for every different published record"
    risk_caveat = (
        "The guarantee goes further than the charts: it covers any number of known items, items known to be missing, "
        "and even an attacker who knows the whole record."
    )

    k: int = option(5, low=2, help="Records that must be exactly the same.")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count equal rows, and return the verdict."""
        return equal_rows(self.require_all_items(published), self.k, engine)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records that a few known items single out."""
        return Risk.of(published.rows, self.k, DRAWN, engine)

    def feasible(self, published: Published) -> None:
        """Raise an error if there are empty records, or records with items, but fewer than k of them."""
        full = published.rows.non_empty
        for count, kind in ((full, "non-empty"), (len(published.rows) - full, "empty")):
            if 0 < count < self.k:
                raise Infeasible(
                    f"Transactional k-anonymity with k={self.k} needs no {kind} records or at least {self.k}, got "
                    f"{count}, and no generalization makes empty and non-empty records equal: choose a smaller k"
                    f"{'' if kind == 'non-empty' else ', remove these records'}, or add data."
                )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "transactional 5-anonymity"."""
        return f"transactional {self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return (
            f"Every record is exactly the same as at least {self.k - 1} other{'' if self.k == 2 else 's'}: an attacker "
            f"who knows any part of a record, or all of it, is left with at least {self.k} records that fit, or with "
            f"none."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            "It does not hide what all fitting records have in common. Equal records have the same labels, so an "
            "attacker who knows that a person is among them learns these labels (which may be false if a method adds "
            "or deletes items).",
            about_people(None),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
