"""(k,k^m)-anonymity: an attacker who knows all columns and up to m items of a record is left with k records.

Group the published rows by equal values of the quasi-identifying columns. Every group has at least k rows, and the sets
of every group are k^m-anonymous. This is more than k-anonymity of the columns and k^m-anonymity of the sets: both can
hold while a value and an item together single out one record.

The verifier groups the records by their published values and counts all sets of up to m labels inside each group. It
takes the time of k^m-anonymity. Its memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.km import Km
from shoal.models.people import fitting, needed, with_items
from shoal.models.relational import (
    RelationalModel,
    beyond_m,
    common_caveats,
    known_items,
    rare_in_classes,
    risk_in_classes,
)
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class KKm(RelationalModel, ItemsetModel):
    """(k,k^m)-anonymity: all quasi-identifying values and any m or fewer items of a record fit at least k records.

    An attacker who knows the values of a record in all quasi-identifying columns and up to m of its items finds at
    least k records that fit, or none. If persons are given, it is k persons instead of k records.

    Parameters
    ----------
    k : int, default 25
        Records (or persons) that must share all quasi-identifying values and any m known items. At least 2.
    m : int or "all", default 2
        Items of a record that an attacker may know. At least 1.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> ages, sets = ["[19:22]", "[19:22]", "70", "70"], [["a"], ["b"], ["a"], ["b"]]
    >>> result = shoal.verify(pd.DataFrame({"age": ages, "items": sets}), shoal.KKm(k=2, m=2))
    >>> print(result.holds, result.verdict.witnesses[0])
    False {a} is in 1 record of those with age=[19:22]
    """

    name = "k-km"
    title = "(k,k^m)-anonymity"
    protects = "Columns and sets: quasi-identifiers and m known items fit at least k records."
    promise = (
        "Someone who knows the quasi-identifiers of a record, such as age and place, and up to m of its items "
        "cannot narrow it down to fewer than k records."
    )
    suits = "Patients with diagnoses, customers with purchases: both columns and items may be known."
    paper = "Poulis et al. 2013"
    default_algorithm = "rmerge-rt"
    counts_persons = True
    views = ("combination of values and items", "combinations of values and items")
    check_scope = (
        "one for every combination of published values of the quasi-identifying columns, alone and with every set of "
        "labels that occurs with it and that an attacker may know"
    )

    k: int = option(
        25,
        low=2,
        help="Records (or persons, if given) that must share all quasi-identifying values and any m known items.",
    )
    m: int | Literal["all"] = option(2, low=1, words=("all",), help="Items of a record an attacker may know, or 'all'.")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count the records of each class and all sets of up to m labels inside it, and return the verdict."""
        classes = self.classes(published)
        sizes = self.too_small(classes, published.rows.persons)
        if not sizes.holds:
            return sizes
        rare = rare_in_classes(self.require_all_items(published), classes, self.k, self.m, engine)
        return replace(rare, checked=rare.checked + sizes.checked)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records that all values and a few items single out."""
        m = DRAWN if self.m == "all" else min(self.m, DRAWN)
        return risk_in_classes(published.rows, self.classes(published), self.k, m, engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask the same as k^m-anonymity."""
        return Km(self.k, self.m).demand(rows)

    def feasible(self, published: Published) -> None:
        """Raise an error if there are too few records, or too few with items."""
        super().feasible(published)
        if 0 < (full := with_items(published.rows)) < self.k:
            raise Infeasible(
                f"{self.title} with k={self.k} needs {needed(self.k, published.rows.persons)}, got {full}: choose a "
                f"smaller k, or add data."
            )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "(25,25^2)-anonymity"."""
        return f"({self.k},{self.k}^{'infinity' if self.m == 'all' else self.m})-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return (
            f"An attacker who knows the values of a record in all quasi-identifying columns and {known_items(self.m)} "
            f"of it is left with at least {fitting(self.k, persons)}, or with none."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            *beyond_m(self.m),
            "It does not hide what all fitting records have in common. If every record that fits what an attacker "
            "knows also holds a certain other item, or the same value of another column, they learn that without "
            "knowing which record it is.",
            *common_caveats(persons),
        ]
