"""Sensitive k-anonymity: every record with a sensitive item is equal to at least k - 1 others.

Items are either sensitive or quasi-identifiers (QID). A published row with at least one sensitive item must be equal,
in all its items, to at least k - 1 other published rows. Rows without sensitive items may be anything.

The verifier counts equal rows among those with a sensitive item. A row without one cannot be equal to them. It takes
one pass, and memory proportional to these rows.
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
from shoal.models.people import about_people
from shoal.models.sensitive import SensitiveItems
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class SensitiveK(SensitiveItems):
    """Sensitive k-anonymity: each record with a sensitive item occurs at least k times, exactly the same.

    Records without a sensitive item are not protected. The algorithms for this model add and delete items, so published
    records may contain false statements.

    Parameters
    ----------
    k : int, default 5
        Records with a sensitive item that must be equal. At least 2.
    sensitive : tuple of str
        Sensitive items, or groups of the hierarchy.
    qid : tuple of str
        Items that an attacker may know. If given, any other item in the data is an error.

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence, 2014.

    Examples
    --------
    >>> import shoal
    >>> rows = [["a", "HIV"], ["a", "HIV"], ["b", "HIV"], ["a", "b"]]
    >>> result = shoal.verify(rows, shoal.models.SensitiveK(k=2, sensitive=("HIV",)))
    >>> print(result.holds, result.verdict.witnesses[0])
    False the exact record {b, HIV} occurs 1 time
    """

    name = "sensitive-k"
    title = "sensitive k-anonymity"
    protects = "Sets: records with a sensitive item equal k - 1 others. Changes the data."
    promise = (
        "Every record with a sensitive item looks exactly like at least k - 1 others, so that knowing more items "
        "does not help."
    )
    suits = "Few records are sensitive, and readers accept that some items are added or deleted."
    paper = "Wang et al. 2014"
    default_algorithm = "stn"
    views = ("different record with sensitive items", "different records with sensitive items")
    check_scope = "one for every different published record that holds a sensitive item"
    risk_caveat = (
        "The charts count records with a sensitive item, because the guarantee covers no others. It covers any number "
        "of known items, items known to be missing, and even an attacker who knows the whole published record."
    )

    k: int = option(5, low=2, help="Records with a sensitive item that must be exactly the same.")
    sensitive: tuple[str, ...] = option(
        (), help="Items or groups that must not be learned: a,b,c or a file with one a line."
    )
    qid: tuple[str, ...] = option((), help="Items an attacker may know. Any other item in the data is an error.")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count equal rows with a sensitive item, and return the verdict."""
        rows, items = self.both(published, "items")
        return equal_rows(merged(rows.in_use(), items).take(np.flatnonzero(items.sizes)), self.k, engine)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records with a sensitive item that a few items of any kind single out."""
        rows, items = self.both(published, "items")
        return Risk.of(merged(rows.in_use(), items), self.k, DRAWN, engine, items.sizes > 0)

    def feasible(self, published: Published) -> None:
        """Raise an error if there are sensitive items, but fewer than k records."""
        _, values = self.both(published)
        if values.non_empty and len(values) < self.k:
            raise Infeasible(
                f"Sensitive k-anonymity with k={self.k} needs no records with sensitive items, or at least {self.k} "
                f"records in all, got {len(values)}: choose a smaller k, or add data."
            )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "sensitive 5-anonymity"."""
        return f"sensitive {self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return (
            f"Every record with a sensitive item is exactly the same as at least {self.k - 1} "
            f"other{'' if self.k == 2 else 's'}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            "It does not protect records that are published without a sensitive item. An attacker may find them.",
            "It does not hide what the records of a group have in common. An attacker who knows that a person is among "
            "them learns the sensitive items that are published for the group, whether they are true or were added.",
            "It counts published records. These may have been changed, so an attacker who looks for what a record "
            "really held may find other records, or none.",
            "It does not protect items that were not declared sensitive.",
            about_people(None),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
