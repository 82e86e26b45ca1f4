"""(k,l^m)-diversity (P2 s.5): (k,k^m)-anonymity, and what is sensitive is not learned either.

On what is not sensitive in a record it is (k,k^m)-anonymity. And inside each group of records with equal published
values of the quasi-identifying columns, no set of 0..m labels (0: who knows only the values) comes with a sensitive
value in more than 1 of l records.

The verifier groups the records by their published values and counts inside each group. Cost: that of k^m-anonymity and
of l^m-diversity; memory is proportional to the data.
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
    apart_by_class,
    beyond_m,
    common_caveats,
    known_items,
    name_of,
    rare_in_classes,
    risk_in_classes,
)
from shoal.models.sensitive import SensitiveValues
from shoal.models.witness import DisclosingInClass
from shoal.options import option
from shoal.published import Grouping, Published


@dataclass(frozen=True)
class KLm(RelationalModel, SensitiveValues, ItemsetModel):
    """As (k,k^m), and no more than 1 in l of the records that fit share a sensitive value.

    >>> import pyarrow as pa
    >>> import shoal
    >>> data = shoal.read(pa.table({"age": ["19"] * 4, "items": [["a", "HIV"], ["a"], ["a", "HIV"], ["a"]]}))
    >>> models = [KLm(k=2, l=l, m=1, sensitive=("HIV",)) for l in (2, 3)]
    >>> verdicts = [model.verify(model.validated_view(data)) for model in models]
    >>> verdicts[0].holds, str(verdicts[1].witnesses[0])
    (True, "2 of the 4 records of group age=19 have 'HIV'")
    """

    name = "k-lm"
    title = "(k,l^m)-diversity"
    protects = "Columns and sets: like k-km; a sensitive item has a chance of at most 1/l."
    paper = "P2 s.5"
    default_algorithm = "rmerge-rt"
    counts_persons = True
    views = ("attacker view", "attacker views")
    check_scope = (
        "every combination of published values of the quasi-identifying columns, alone and with every set of published "
        "labels that occurs with it and that an attacker may know, with the sensitive values that come with it"
    )

    k: int = option(
        25,
        low=2,
        help="records (persons, where given) that must share all quasi-identifying values and any known itemset",
    )
    l: int = option(
        2,
        low=2,
        help="at most 1 in l of the records that fit (and of persons, where given) may share a sensitive value",
    )
    m: int = option(2, low=1, help="items an attacker may know of a record")
    sensitive: tuple[str, ...] = option(
        (), help="what is not to be learned, items or groups: a file, one a line, or a,b,c"
    )
    sensitive_column: tuple[str, ...] = option((), help="other columns with values not to be learned: a,b")

    def __post_init__(self) -> None:
        """Something must be sensitive."""
        super().__post_init__()
        self.need_sensitive()

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count classes, label sets inside them, and what is sensitive in the same rows."""
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
        """Whether a set of 1..m labels of a class comes with a sensitive value too often, by records or by persons."""
        own, class_of, label_of = apart_by_class(rows.of_persons(persons), classes)
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
        """Who can be found by all values and a few items that are not sensitive."""
        rows, _ = self.both(published)
        return risk_in_classes(rows, self.classes(published), self.k, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Any m labels are in k records, of which at most 1 in l has the same sensitive value."""
        return Demand(self.k, min(self.m, int(rows.sizes.max(initial=0))), Fraction(1, self.l))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """A value is too frequent among those with any item."""
        return too_frequent(rows, values, self.l)

    @property
    def risk_caveat(self) -> str:
        """The figures are about finding a record."""
        return "The figures are about finding a record; the guarantee is also about what can be learned of it."

    def feasible(self, published: Published) -> None:
        """What no grouping of the records can change.

        By records, shares of all together are between those of the classes. By persons they are not: who has records
        in several classes counts in each. So all persons together may have too many of a value, and the classes not.
        """
        super().feasible(published)
        rows, values = self.both(published)
        if 0 < (full := with_items(rows)) < self.k:
            raise Infeasible(
                f"{self.title} with k={self.k} needs {needed(self.k, rows.persons)}, not counting sensitive items, got "
                f"{full}: choose a smaller k or more data."
            )
        refuse_too_frequent(self.title, self.l, rows, values, (None,))
        people = rows.count_persons()
        if people < self.l and len(values.items):  # a class with a sensitive value
            raise Infeasible(
                f"{self.title} with l={self.l} needs at least {counted(self.l, rows.persons)}, got {people}: only 1 of "
                f"{self.l} may have a sensitive value. Choose a smaller l or more data."
            )

    @property
    def short(self) -> str:
        """For instance (25,3^2)-diversity."""
        return f"({self.k},{self.l}^{self.m})-diversity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return (
            f"An attacker who knows the values of a record in all quasi-identifying columns and {known_items(self.m)} "
            f"of it that are not sensitive is left with at least {fitting(self.k, persons)}, or with none, and "
            f"finds each sensitive value in at most 1 of {self.l} of them."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return [
            *beyond_m(self.m),
            "It says nothing about an attacker who knows a sensitive value of a record: these are published as they "
            "are.",
            "Values that were not declared sensitive are not protected; nor are groups of values: to know that a "
            "record has one of several diseases can be as bad as to know which.",
            *common_caveats(persons),
        ]


def told_by_class(values: Transactions, classes: Grouping, limit: int, persons: Persons | None = None) -> Verdict:
    """Whether more than 1 of l (``limit``) records of a class, or of its persons where given, have a sensitive value.

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
