"""k^m-anonymity with negative knowledge: the attacker may also know which items a record lacks.

Each of up to m facts says "has g" or "does not have g", where g is a published label. Every combination of facts fits 0
or at least k records, including empty ones. The model is not monotone: to lack a whole group says more than to lack one
item of it. So generalizing further can violate a guarantee that held before.

The verifier uses inclusion and exclusion: the records with P and without N are those with P, minus those with one more
of N, plus those with two more, and so on. This does not work for persons with several records, so these are counted
directly. If a combination fails and all smaller ones hold, all its absent labels occur with P and exclude all but k - 1
records with P. Few such combinations remain to be counted.
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
from shoal.models.set_counting import count_facts, facts_by_table
from shoal.models.witness import RareSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class KmNegative(ItemsetModel):
    """k^m-anonymity with negative knowledge: any m or fewer facts about a record fit at least k records.

    A fact is an item that the record has, or an item that it does not have. If persons are given, it is k persons
    instead of k records.

    Parameters
    ----------
    k : int, default 5
        Records (or persons) that must fit any m known facts. At least 2.
    m : int, default 2
        Facts that an attacker may know about a record. At least 1.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. The VLDB
    Journal 20(1), 2011, section 5.1.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.verify([["a", "b"], ["a", "b"], ["a"], ["b"], ["b"], [], []], shoal.models.KmNegative(k=2, m=2))
    >>> print(result.holds, result.verdict.witnesses[0])
    False {a, not b} is in 1 record
    """

    name = "km-negative"
    title = "k^m-anonymity with negative knowledge"
    protects = "Sets: like km, if an attacker also knows items that a record lacks."
    promise = (
        "Someone who knows up to m facts about a record, items that it has or lacks, cannot narrow it down to "
        "fewer than k records."
    )
    suits = "Somebody may also know what a person never buys or does not have. It costs more detail."
    paper = "Terrovitis et al. 2011, s.5.1"
    default_algorithm = "auto"
    counts_persons = True
    views = ("combination of facts", "combinations of facts")
    check_scope = (
        "one for every combination of items that an attacker may know to be in a record or missing from it, except "
        "combinations that cannot fail because smaller ones hold"
    )

    k: int = option(5, low=2, help="Records (or persons, if given) that must fit any m known facts.")
    m: int = option(2, low=1, help="Facts an attacker may know about a record: items it has or lacks.")

    @property
    def risk_caveat(self) -> str:
        """Say that the risk figures leave out missing items."""
        return "The charts count items known to be in a record. The guarantee also covers items known to be missing."

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count all combinations of up to m facts that can fail, and return the verdict."""
        rows = self.require_all_items(published)
        if facts_by_table(rows, self.m, engine):
            checked, violations = count_facts(rows, self.k, self.m, engine)
            if not violations:  # else the other way names them
                return Verdict(True, checked)
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
        """Count the records that a few known items single out."""
        return Risk.of(published.rows, self.k, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask that facts about any m labels that occur fit k records."""
        return Demand(self.k, min(self.m, int(np.count_nonzero(rows.supports))), absent=True)

    def feasible(self, published: Published) -> None:
        """Raise an error if fewer than k records have items, or if m missing labels single out the empty records."""
        rows = published.rows
        full, labels = with_items(rows), int(np.count_nonzero(rows.supports))
        if 0 < full < self.k:
            raise Infeasible(
                f"k^m-anonymity with negative knowledge and k={self.k} needs no non-empty records, or "
                f"{needed(self.k, rows.persons)}, got {full}: choose a smaller k, or add data."
            )
        if full and 0 < rows.count_persons(rows.sizes == 0) < self.k and labels <= self.m:
            raise Infeasible(self.unreachable(rows, Transactions.nothing(len(rows))))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Explain that missing labels single out the empty records."""
        empty, persons = rows.count_persons(rows.sizes == 0), rows.persons
        told = "1 missing label singles" if self.m == 1 else f"{self.m} missing labels single"
        few = "records are empty" if persons is None else f"{persons.nouns} have an empty record"
        return (
            f"k^m-anonymity with negative knowledge, k={self.k} and m={self.m}: fewer than {self.k} {few} "
            f"({empty}), and in every generalization that was tried, {told} them out: choose a smaller k or m, remove "
            f"these records, or add data."
        )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "5^2-anonymity with negative knowledge"."""
        return f"{self.k}^{self.m}-anonymity with negative knowledge"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        known = "1 fact" if self.m == 1 else f"up to {self.m} facts"
        return (
            f"An attacker who knows {known} about a record (items that it has or does not have) is left with at least "
            f"{fitting(self.k, persons)}, or with none."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        known = "1 fact" if self.m == 1 else f"{self.m} facts"
        return [
            f"It says nothing about an attacker who knows more than {known} about a record.",
            "It does not hide what all fitting records have in common. If every record that fits what an attacker "
            "knows also holds a certain other item, they learn that item without knowing which record it is.",
            "It does not cover an attacker who knows that one item of a published group is missing. Only published "
            "labels count as facts.",
            about_people(persons),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
