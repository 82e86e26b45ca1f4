"""k^m-anonymity with negative knowledge (P3 s.5.1): the attacker may also know what a record does not hold.

Each of up to m facts says "has g" or "has not g", g a published label. Every combination of facts matches 0 or at least
k records, empty ones included. Not monotone: to lack a whole group says more than to lack one item of it, so a
coarser cut can break what a finer one kept.

The verifier counts by inclusion and exclusion: the records with P and without N are those with P, less those with one
more of N, plus those with two more, and so on. That does not hold for persons with several records: where these are
given, it counts them directly. A combination that fails while all smaller ones hold has only such
absent labels that occur with P, and enough of them to exclude all but k - 1 records with P: few are left to count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.kernels.verify.negative_itemsets import rare_negative_itemsets
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.people import about_people, fitting, needed, noun, with_items
from shoal.models.witness import RareSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class KmNegative(ItemsetModel):
    """Any m or fewer facts about a record, what it holds or does not hold, fit at least k records.

    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a"], ["b"], ["b"], [], []])
    >>> verdict = KmNegative(k=2, m=2).verify(Published.plain(rows))
    >>> verdict.holds, str(verdict.witnesses[0])
    (False, '{a, not b} is in 1 record')
    """

    name = "km-negative"
    title = "k^m-anonymity with negative knowledge"
    protects = "Sets: like km, if an attacker also knows items that a record lacks."
    paper = "P3 s.5.1"
    default_algorithm = "auto"
    counts_persons = True
    views = ("combination of facts", "combinations of facts")
    check_scope = (
        "every combination of what an attacker may know a record to hold and not to hold, but those that cannot fail "
        "as smaller ones hold"
    )

    k: int = option(5, low=2, help="records (persons, where given) that must share any known itemset")
    m: int = option(2, low=1, help="facts an attacker may know of a record: items that it has, or has not")

    @property
    def risk_caveat(self) -> str:
        """Risks are drawn for items that are there."""
        return "The figures are about items known to be there; the guarantee covers those known to be missing too."

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count all combinations of up to m facts that can fail."""
        rows = self.require_all_items(published)
        rare = rare_negative_itemsets(
            rows.indptr,
            rows.items,
            len(rows.labels),
            self.k,
            self.m,
            persons=rows.repeaters,
            threads=engine.threads,
            tick=engine.tick("verifying"),
        )
        witnesses = [
            RareSet(
                tuple(rows.labels[u] for u in present),
                count,
                tuple(rows.labels[u] for u in absent),
                person=noun(rows.persons),
            )
            for present, absent, count in rare.facts
        ]
        return Verdict(rare.violations == 0, rare.checked, rare.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by what is known to be there."""
        return Risk.of(published.rows, self.k, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Facts about any m labels that occur fit k records."""
        return Demand(self.k, min(self.m, int(np.count_nonzero(rows.supports))), absent=True)

    def feasible(self, published: Published) -> None:
        """A label needs k records that hold it. A few empty records need more labels than an attacker may know "
        "missing."""
        rows = published.rows
        full, labels = with_items(rows), int(np.count_nonzero(rows.supports))
        if 0 < full < self.k:
            raise Infeasible(
                f"k^m-anonymity with negative knowledge and k={self.k} needs no non-empty records, or "
                f"{needed(self.k, rows.persons)}, got {full}: choose a smaller k or add data."
            )
        if full and 0 < rows.count_persons(rows.sizes == 0) < self.k and labels <= self.m:
            raise Infeasible(self.unreachable(rows, Transactions.nothing(len(rows))))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Empty records are told by what they lack."""
        empty, persons = rows.count_persons(rows.sizes == 0), rows.persons
        few = "records are empty" if persons is None else f"{persons.nouns} have an empty record"
        return (
            f"k^m-anonymity with negative knowledge, k={self.k} and m={self.m}: fewer than {self.k} {few} "
            f"({empty}), and no generalization was found where {self.m} missing labels do not "
            f"tell them: choose a smaller k or m, remove these or add data."
        )

    @property
    def short(self) -> str:
        """For instance 5^2-anonymity with negative knowledge."""
        return f"{self.k}^{self.m}-anonymity with negative knowledge"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        known = "1 fact" if self.m == 1 else f"up to {self.m} facts"
        return (
            f"An attacker who knows {known} about a record, each an item that it has or has not, is left with at least "
            f"{fitting(self.k, persons)}, or with none."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        known = "1 fact" if self.m == 1 else f"{self.m} facts"
        return [
            f"It says nothing about an attacker who knows more than {known} about a record.",
            "It does not hide what all fitting records have in common. If every record that fits what an attacker "
            "knows also holds a certain other item, they learn that item without knowing which record it is.",
            "To know that one item of a published group is missing counts for nothing: only labels of the release "
            "are facts.",
            about_people(persons),
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
