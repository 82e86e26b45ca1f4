"""k^m-anonymity: an attacker who knows up to m items of a record is left with at least k records.

Every set of 1..m published labels has support 0 or at least k. If persons are given, the support of a set is the number
of persons who have a record with it. (Terrovitis et al. 2008 say "more than k" once. Their examples use "at least k",
and so do we.) ``m="all"`` holds if and only if every different non-empty published row is contained in at least k rows.

The verifier counts the published rows and nothing else. It extends only frequent sets, so it takes the time of counting
them. Its memory is proportional to the data. Very many rows are counted part by part, in a table of all small sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.people import NOT_MISSING, about_people, fitting, needed, noun, with_items
from shoal.models.rare import rare_sets
from shoal.models.witness import RareSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class Km(ItemsetModel):
    """k^m-anonymity: any m or fewer items of a record occur together in at least k records.

    An attacker who knows up to m items of a record finds at least k records that fit, or none. If persons are given, it
    is k persons instead of k records.

    Parameters
    ----------
    k : int, default 5
        Records (or persons) that must share any m known items. At least 2.
    m : int or "all", default 2
        Items of a record that an attacker may know. At least 1.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.verify([["a", "b"], ["a", "b"], ["a", "c"]], shoal.Km(k=2, m=2))
    >>> print(result.holds, result.verdict.witnesses[0])
    False {c} is in 1 record
    """

    name = "km"
    title = "k^m-anonymity"
    protects = "Sets: any m known items of a record fit at least k records."
    promise = "Someone who knows up to m items of a record cannot narrow it down to fewer than k records."
    shares_searches = True
    suits = "Baskets, page visits, lists of codes: somebody may know a few items of a person."
    paper = "Terrovitis et al. 2008; Terrovitis et al. 2011"
    default_algorithm = "auto"
    counts_persons = True
    explainable = True
    check_scope = (
        "one for every set of published labels that occurs and that an attacker may know (or for every different "
        "published record, if that covers all such sets)"
    )

    k: int = option(5, low=2, help="Records (or persons, if given) that must share any m known items.")
    m: int | Literal["all"] = option(2, low=1, words=("all",), help="Items of a record an attacker may know, or 'all'.")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count all sets of up to m labels, and return the verdict."""
        rows = self.require_all_items(published)
        rare = rare_sets(rows, self.k, self.m, engine)
        witnesses = [
            RareSet(tuple(rows.labels[code] for code in codes), support, person=noun(rows.persons))
            for codes, support in rare.sets
        ]
        return Verdict(rare.violations == 0, rare.checked, rare.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records that a few known items single out."""
        return Risk.of(published.rows, self.k, DRAWN if self.m == "all" else min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask that any m labels, or all labels of a record, are in k records.

        >>> Km(m="all").demand(Transactions.from_sets([["a", "b"], ["c"]])).known
        2
        """
        longest = rows.longest
        return Demand(self.k, longest if self.m == "all" else min(self.m, longest), monotone=True)

    def feasible(self, published: Published) -> None:
        """Raise an error if some rows have items, but fewer than k (or rows of fewer than k persons)."""
        if 0 < (full := with_items(published.rows)) < self.k:
            raise Infeasible(
                f"k^m-anonymity with k={self.k} needs {needed(self.k, published.rows.persons)}, got {full}: choose a "
                f"smaller k, or add data."
            )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "5^2-anonymity"."""
        return f"{self.k}^{'infinity' if self.m == 'all' else self.m}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        known = "any number of items" if self.m == "all" else "1 item" if self.m == 1 else f"up to {self.m} items"
        left = f"is left with at least {fitting(self.k, persons)}, or with none"
        return f"An attacker who knows {known} of a record {left}."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        known = "more than 1 item" if self.m == 1 else f"more than {self.m} items"
        more = [] if self.m == "all" else [f"It says nothing about an attacker who knows {known} of a record."]
        return [
            *more,
            "It does not hide what all fitting records have in common. If every record that fits what an attacker "
            "knows also holds a certain other item, they learn that item without knowing which record it is.",
            NOT_MISSING,
            about_people(persons),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
