"""k^m-anonymity (P0 Definition 1, P3): an attacker who knows up to m items of a record is left with at least k records.

Where persons are given, with records of at least k different persons: a set's support is the number of its persons.

Every set X of 1..m published labels has support 0 or at least k. (P0 says "more than k" once; its own examples use
"at least k", and so do we.) With ``m=all`` it holds iff every distinct non-empty published row is contained in at
least k rows.

The verifier counts the published rows and nothing else. Cost: it extends only frequent sets, so its time is that of
counting them; memory is proportional to the data.
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
from shoal.models.people import about_people, fitting, needed, noun, with_items
from shoal.models.rare import rare_sets
from shoal.models.witness import RareSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class Km(ItemsetModel):
    """Any m or fewer items of a record occur together in at least k records.

    >>> from shoal.data import Transactions
    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> verdict = Km(k=2, m=2).verify(Published.plain(rows))
    >>> verdict.holds, str(verdict.witnesses[0])
    (False, '{c} is in 1 record')
    """

    name = "km"
    title = "k^m-anonymity"
    protects = "Sets: any m known items of a record fit at least k records."
    paper = "P0, P3"
    default_algorithm = "auto"
    counts_persons = True
    explainable = True
    check_scope = (
        "every set of published labels that occurs and that an attacker may know or, where that settles all such sets "
        "at once, every different published record"
    )

    k: int = option(5, low=2, help="records (persons, where given) that must share any known itemset")
    m: int | Literal["all"] = option(2, low=1, words=("all",), help="items an attacker may know of a record, or 'all'")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count all sets of up to m labels."""
        rows = self.require_all_items(published)
        rare = rare_sets(rows, self.k, self.m, engine)
        witnesses = [
            RareSet(tuple(rows.labels[code] for code in codes), support, person=noun(rows.persons))
            for codes, support in rare.sets
        ]
        return Verdict(rare.violations == 0, rare.checked, rare.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found."""
        return Risk.of(published.rows, self.k, DRAWN if self.m == "all" else min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Any m labels, or all of a record, are in k records.

        >>> Km(m="all").demand(Transactions.from_sets([["a", "b"], ["c"]])).known
        2
        """
        longest = int(rows.sizes.max(initial=0))
        return Demand(self.k, longest if self.m == "all" else min(self.m, longest), monotone=True)

    def feasible(self, published: Published) -> None:
        """Generalization reaches k^m iff there are no non-empty rows or at least k persons with one."""
        if 0 < (full := with_items(published.rows)) < self.k:
            raise Infeasible(
                f"k^m-anonymity with k={self.k} needs {needed(self.k, published.rows.persons)}, got {full}: choose a "
                f"smaller k or more data."
            )

    @property
    def short(self) -> str:
        """For instance 5^2-anonymity."""
        return f"{self.k}^{'infinity' if self.m == 'all' else self.m}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        known = "any number of items" if self.m == "all" else "1 item" if self.m == 1 else f"up to {self.m} items"
        left = f"is left with at least {fitting(self.k, persons)}, or with none"
        return f"An attacker who knows {known} of a record {left}."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        known = "more than 1 item" if self.m == 1 else f"more than {self.m} items"
        more = [] if self.m == "all" else [f"It says nothing about an attacker who knows {known} of a record."]
        return [
            *more,
            "It does not hide what all fitting records have in common. If every record that fits what an attacker "
            "knows also holds a certain other item, they learn that item without knowing which record it is.",
            "It counts what an attacker knows to be in a record, not what they know to be missing from it.",
            about_people(persons),
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
