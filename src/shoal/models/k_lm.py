"""(k,l^m)-diversity: (k,k^m)-anonymity that also protects sensitive values.

The items that are not sensitive satisfy (k,k^m)-anonymity. In addition, inside each group of records with equal
published values of the quasi-identifying columns, no set of 0..m labels occurs with the same sensitive value in more
than 1 of l records. (0 labels: the attacker knows the values only.)

The verifier groups the records by their published values and counts inside each group. It takes the time of
k^m-anonymity and of l^m-diversity. Its memory is proportional to the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from shoal.data.arrays import row_ids
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.kernels.verify.disclosing_sets import disclosing_sets
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.lm import refuse_too_frequent, too_frequent, views
from shoal.models.people import class_sizes, counted, fitting, needed, noun, with_items
from shoal.models.relational import (
    SHOWN,
    RelationalModel,
    beyond_m,
    common_caveats,
    known_items,
    name_of,
    rare_in_classes,
    risk_in_classes,
    split_by_class,
)
from shoal.models.sensitive import SensitiveValues
from shoal.models.witness import DisclosingInClass
from shoal.options import option
from shoal.published import Grouping, Published


@dataclass(frozen=True)
class KLm(RelationalModel, SensitiveValues, ItemsetModel):
    """(k,l^m)-diversity: (k,k^m)-anonymity, and at most 1 in l of the records that fit share a sensitive value.

    An attacker who knows the values of a record in all quasi-identifying columns and up to m items that are not
    sensitive finds at least k records that fit, or none. Each sensitive value is in at most 1 in l of them.

    Parameters
    ----------
    k : int, default 25
        Records (or persons, if given) that must share all quasi-identifying values and any m known items. At least 2.
    l : int, default 2
        At most 1 in l of the records that fit may have the same sensitive value. At least 2.
    m : int, default 2
        Items of a record that an attacker may know. At least 1.
    sensitive : tuple of str
        Sensitive items, groups of the hierarchy, or values of a column such as ``"disease=HIV"``.
    sensitive_column : tuple of str
        Columns whose values are all sensitive.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> visits = pd.DataFrame({"age": ["19"] * 4, "items": [["a", "HIV"], ["a"], ["a", "HIV"], ["a"]]})
    >>> shoal.verify(visits, shoal.KLm(k=2, l=2, m=1, sensitive=("HIV",))).holds
    True
    >>> print(shoal.verify(visits, shoal.KLm(k=2, l=3, m=1, sensitive=("HIV",))).verdict.witnesses[0])
    2 of the 4 records of group age=19 have 'HIV'
    """

    name = "k-lm"
    title = "(k,l^m)-diversity"
    protects = "Columns and sets: like k-km; a sensitive item has a chance of at most 1/l."
    promise = (
        "Someone who knows the quasi-identifiers of a record, such as age and place, and up to m items cannot "
        "narrow it down to fewer than k records, and has a chance of at most 1 in l to learn each sensitive value."
    )
    suits = "Both columns and items may be known, and some items or values must stay secret."
    paper = "Poulis et al. 2013, s.5"
    default_algorithm = "rmerge-rt"
    counts_persons = True
    views = ("combination of values and items", "combinations of values and items")
    check_scope = (
        "one for every combination of published values of the quasi-identifying columns, alone and with every set of "
        "labels that occurs with it and that an attacker may know, and one for each sensitive value in these records"
    )

    k: int = option(
        25,
        low=2,
        help="Records (or persons, if given) that must share all quasi-identifying values and any m known items.",
    )
    l: int = option(
        2,
        low=2,
        help="At most 1 in l of the records that fit (and of persons, if given) may share a sensitive value.",
    )
    m: int = option(2, low=1, help="Items of a record that an attacker may know.")
    sensitive: tuple[str, ...] = option(
        (), help="Items or groups that must not be learned: a,b,c or a file with one a line."
    )
    sensitive_column: tuple[str, ...] = option((), help="Other columns whose values must not be learned: a,b.")

    def __post_init__(self) -> None:
        """Raise an error if nothing is sensitive."""
        super().__post_init__()
        self.need_sensitive()

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count classes, the label sets inside them and their sensitive values, and return the verdict."""
        rows, values = self.both(published)
        classes = self.classes(published)
        steps: tuple[Callable[[], Verdict], ...] = (
            lambda: self.too_small(classes, rows.persons),
            lambda: rare_in_classes(rows, classes, self.k, self.m, engine),
            *(partial(told_by_class, values, classes, self.l, view) for view in views(rows.persons)),
            *(partial(self._told_by_labels, rows, values, classes, view, engine) for view in views(rows.persons)),
        )
        checked, verdict = 0, Verdict(True, 0)
        for step in steps:
            verdict = step()
            checked += verdict.checked
            if not verdict.holds:
                break
        return replace(verdict, checked=checked)

    def _told_by_labels(
        self, rows: Transactions, values: Transactions, classes: Grouping, persons: Persons | None, engine: Engine
    ) -> Verdict:
        """Check whether a set of 1..m labels of a class occurs with a sensitive value too often."""
        own, class_of, label_of = split_by_class(rows.of_persons(persons), classes)
        told = disclosing_sets(
            own.indptr,
            own.items,
            len(own.labels),
            values.indptr,
            values.items,
            len(values.labels),
            (1, self.l),
            range(1, self.m + 1),
            persons=own.repeaters,
            threads=engine.threads,
            tick=engine.tick("verifying"),
        )
        witnesses = [
            DisclosingInClass(
                tuple(rows.labels[label_of[code]] for code in codes),
                count,
                sensitive=values.labels[value],
                holders=holders,
                group=name_of(classes, class_of[codes[0]]),
                person=noun(persons),
            )
            for codes, value, count, holders in told.sets
        ]
        return Verdict(told.violations == 0, told.checked, told.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records that all values and a few items that are not sensitive single out."""
        rows, _ = self.both(published)
        return risk_in_classes(rows, self.classes(published), self.k, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask that any m labels are in k records, and at most 1 in l of these has the same sensitive value."""
        return Demand(self.k, min(self.m, rows.longest), Fraction(1, self.l))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Explain that a value is too frequent among the records with items."""
        return too_frequent(rows, values, self.l)

    @property
    def risk_caveat(self) -> str:
        """Say that the risk figures leave out sensitive values."""
        return "The charts show the risk of finding a record. The guarantee also limits what is learned about it."

    def feasible(self, published: Published) -> None:
        """Raise an error if no grouping of the records can satisfy the model.

        By records, the share of a value in all records lies between its shares in the classes. By persons it does not,
        because a person with records in several classes counts in each. So a value may be too frequent among all
        persons, but not in any class.
        """
        super().feasible(published)
        rows, values = self.both(published)
        if 0 < (full := with_items(rows)) < self.k:
            raise Infeasible(
                f"{self.title} with k={self.k} needs {needed(self.k, rows.persons)}, not counting sensitive items, got "
                f"{full}: choose a smaller k, or add data."
            )
        refuse_too_frequent(self.title, self.l, rows, values, (None,))
        people = rows.count_persons()
        if people < self.l and len(values.items):  # a class with a sensitive value
            raise Infeasible(
                f"{self.title} with l={self.l} needs at least {counted(self.l, rows.persons)}, got {people}: only 1 of "
                f"{self.l} may have the same sensitive value. Choose a smaller l, or add data."
            )

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "(25,3^2)-diversity"."""
        return f"({self.k},{self.l}^{self.m})-diversity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return (
            f"An attacker who knows the values of a record in all quasi-identifying columns and {known_items(self.m)} "
            f"of it that are not sensitive is left with at least {fitting(self.k, persons)}, or with none, and "
            f"finds each sensitive value in at most 1 of {self.l} of them."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            *beyond_m(self.m),
            "It says nothing about an attacker who knows a sensitive value of a record. These values are published "
            "unchanged.",
            "It does not protect values that were not declared sensitive, nor groups of values. To know that a record "
            "has one of several diseases can be as bad as to know which one.",
            *common_caveats(persons),
        ]


def told_by_class(values: Transactions, classes: Grouping, limit: int, persons: Persons | None = None) -> Verdict:
    """Check whether more than 1 in ``limit`` records (or persons, if given) of a class have the same sensitive value.

    >>> values = Transactions.from_sets([["HIV"], [], ["HIV"]])
    >>> told_by_class(values, Grouping(np.array([0, 0, 1]), 1), 2).witnesses[0].holders
    1
    """
    width, ids = max(1, len(values.labels)), row_ids(values.indptr)
    told = classes.of[ids] * width + values.items
    if persons is not None:  # each person once
        people = np.int64(persons.of.max(initial=0)) + 1
        told = np.unique(told * people + persons.of[ids]) // people
    pairs, holders = np.unique(told, return_counts=True)
    groups, codes = np.divmod(pairs, width)
    sizes = class_sizes(classes, persons)[groups]
    wrong = np.flatnonzero(holders * limit > sizes)
    worst = wrong[np.lexsort((codes[wrong], groups[wrong], -(holders[wrong] / sizes[wrong])))][:SHOWN].tolist()
    witnesses = [
        DisclosingInClass(
            (),
            int(sizes[at]),
            sensitive=values.labels[codes[at]],
            holders=int(holders[at]),
            group=name_of(classes, int(groups[at])),
            person=noun(persons),
        )
        for at in worst
    ]
    return Verdict(not len(wrong), len(pairs), len(wrong), tuple(witnesses))
