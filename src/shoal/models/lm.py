"""l^m-diversity (P3 s.5.2): an attacker who knows up to m items of a record cannot tell its sensitive values.

Items are either sensitive or may be known; only the latter are generalized. For every set c of 0..m published labels
that occurs (with c = {} the attacker knows nothing) and every sensitive value s, at most 1 in l of the records with c
has s. A combination of sensitive values is never more frequent than the values in it, so single values settle it.

It is not monotone: a coarser cut can break what a finer one kept. Nor do safe sets make safe larger ones, so every
size is looked at. The verifier counts the published rows and nothing else.

Where persons are given, it holds by records and by persons: of those who have a record with c, at most 1 in l has one
with c and s. Neither implies the other.

Cost: time to enumerate the sets of up to m labels in records that have a sensitive value; memory that of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.kernels.verify.disclosing_sets import disclosing_sets
from shoal.metrics.risk import Disclosure
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.people import about_people, holders, noun
from shoal.models.sensitive import SensitiveValues
from shoal.models.witness import DisclosingSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class Lm(SensitiveValues, ItemsetModel):
    """Knowing m or fewer items of a record, or none, tells no sensitive value of it with a probability above 1/l.

    >>> rows = Transactions.from_sets([["a", "HIV"], ["a"], ["b"], ["b"]])
    >>> verdict = Lm(l=3, m=1, sensitive=("HIV",)).verify(Published.plain(rows))
    >>> verdict.holds, str(verdict.witnesses[0])
    (False, "1 of the 2 records with {a} has 'HIV'")
    """

    name = "lm"
    title = "l^m-diversity"
    protects = "Sets: m known items reveal a sensitive item with a chance of at most 1/l."
    paper = "P3 s.5.2"
    default_algorithm = "auto"
    counts_persons = True
    check_scope = (
        "every set of published labels that an attacker may know of a record with a sensitive value, with the values "
        "that come with it"
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
        """Count all sets of up to m labels with what is sensitive in the same rows."""
        rows, values = self.both(published)
        checked = 0
        for persons in views(rows.persons):
            verdict = self._told(rows.of_persons(persons), values, engine)
            checked += verdict.checked
            if not verdict.holds:
                break
        return replace(verdict, checked=checked)

    def _told(self, rows: Transactions, values: Transactions, engine: Engine) -> Verdict:
        """By records; or by persons, if the rows have them."""
        told = disclosing_sets(
            rows.indptr,
            rows.items,
            len(rows.labels),
            values.indptr,
            values.items,
            len(values.labels),
            (1, self.l),
            range(self.m + 1),
            persons=rows.repeaters,
            threads=engine.threads,
            tick=engine.tick("verifying"),
        )
        witnesses = [
            DisclosingSet(
                tuple(rows.labels[code] for code in codes),
                count,
                values.labels[value],
                holders,
                person=noun(rows.persons),
            )
            for codes, value, count, holders in told.sets
        ]
        return Verdict(told.violations == 0, told.checked, told.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Disclosure:
        """What can be learned."""
        return Disclosure.of(*self.both(published), self.l, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """At most 1 in l of the records with any m labels has the same sensitive value."""
        return Demand(1, min(self.m, int(rows.sizes.max(initial=0))), Fraction(1, self.l))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """A value is too frequent among those with any item."""
        return too_frequent(rows, values, self.l)

    def feasible(self, published: Published) -> None:
        """An attacker who knows nothing must not be able to tell: that is the same for every generalization."""
        rows, values = self.both(published)
        refuse_too_frequent("l^m-diversity", self.l, rows, values, views(rows.persons))

    @property
    def short(self) -> str:
        """For instance 3^2-diversity."""
        return f"{self.l}^{self.m}-diversity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        known = "an item" if self.m == 1 else f"up to {self.m} items"
        also = "" if persons is None else f", and with at most 1 of {self.l} of the {persons.nouns} that they are of"
        return (
            f"An attacker who knows {known} of a record, or nothing, finds each sensitive value in at most "
            f"1 of {self.l} of the records that fit{also}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        known = "1 item" if self.m == 1 else f"{self.m} items"
        return [
            f"It says nothing about an attacker who knows more than {known} of a record.",
            "It says nothing about an attacker who knows a sensitive value of a record: these are published as they "
            "are.",
            "It does not keep anybody from finding a record, only from learning its sensitive values: few records, "
            "or even one without a sensitive value, may fit what is known.",
            "Values that were not declared sensitive are not protected; nor are groups of values: to know that a "
            "record has one of several diseases can be as bad as to know which.",
            "It counts what an attacker knows to be in a record, not what they know to be missing from it.",
            about_people(persons),
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]


def views(persons: Persons | None) -> tuple[Persons | None, ...]:
    """By what shares are counted: by records, and by persons where some have several records."""
    return (None,) if persons is None or not len(persons.repeaters) else (None, persons)


def refuse_too_frequent(
    title: str, l: int, rows: Transactions, values: Transactions, counted_by: Sequence[Persons | None]
) -> None:
    """Refuse a value that more than 1 in l of all have: no generalization changes that. None: by records."""
    less = "choose a smaller l, or do not declare it sensitive" if l > 2 else "do not declare it sensitive"
    for persons in counted_by:
        all_of_them = rows.of_persons(persons).count_persons()
        of, has = ("records", "is in") if persons is None else (persons.nouns, "is in records of")
        for code, count in enumerate(holders(values, persons).tolist()):
            if count * l > all_of_them:
                raise Infeasible(
                    f"{title} with l={l} allows a sensitive value in at most 1 of {l} {of}, but "
                    f"'{values.labels[code]}' {has} {count:,} of {all_of_them:,} ({count / all_of_them:.1%}): {less} "
                    f"(of a column, --sensitive column=value names those that are)."
                )


def too_frequent(rows: Transactions, values: Transactions, l: int) -> str:
    """Why no generalization helps: not even the root, that is, all rows that hold anything."""
    full = np.flatnonzero(rows.sizes)
    rows, values = rows.take(full), values.take(full)

    def share(persons: Persons | None) -> float:
        return int(holders(values, persons).max(initial=0)) / max(1, rows.of_persons(persons).count_persons())

    persons = max(views(rows.persons), key=share)  # by what it is too frequent
    having, all_of_them = holders(values, persons), rows.of_persons(persons).count_persons()
    worst = int(np.argmax(having))
    of = "records" if persons is None else f"{persons.nouns} who have records"
    return (
        f"No generalization was found that is l^m-diverse with l={l}: of the {all_of_them:,} {of} with any item "
        f"that is not sensitive, {having[worst]:,} have '{values.labels[worst]}' ({share(persons):.1%}), more than 1 "
        f"of {l}, so no group is large enough to hide it: choose a smaller l, or do not declare it sensitive."
    )
