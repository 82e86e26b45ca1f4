"""l^m-diversity: an attacker who knows up to m items of a record cannot infer its sensitive values.

An item is either sensitive, or an attacker may know it. Only the latter are generalized. For every set c of 0..m
published labels that occurs (c = {}: the attacker knows nothing) and every sensitive value s, at most 1 in l of the
records with c have s. A combination of sensitive values is never more frequent than its values, so it is enough to
check single values.

The model is not monotone: generalizing further can violate a guarantee that held before. A safe set can have unsafe
supersets, so the verifier checks every size. It counts the published rows and nothing else.

If persons are given, the guarantee holds by records and by persons: of the persons who have a record with c, at most 1
in l have a record with c and s. Neither implies the other.

Time: that of enumerating the sets of up to m labels in records with a sensitive value. Memory is proportional to the
data.
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
from shoal.models.people import NOT_MISSING, about_people, holders, noun
from shoal.models.sensitive import SensitiveValues
from shoal.models.set_counting import count_shares, counts_by_table
from shoal.models.witness import DisclosingSet
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class Lm(SensitiveValues, ItemsetModel):
    """l^m-diversity: m or fewer known items of a record reveal no sensitive value with a probability above 1/l.

    Each sensitive value is in at most 1 in l of the records that fit what the attacker knows. The model protects
    sensitive values. It does not keep an attacker from finding a record.

    Parameters
    ----------
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
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. The VLDB
    Journal 20(1), 2011, section 5.2.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.verify([["a", "HIV"], ["a"], ["b"], ["b"]], shoal.Lm(l=3, m=1, sensitive=("HIV",)))
    >>> print(result.holds, result.verdict.witnesses[0])
    False 1 of the 2 records with {a} has 'HIV'
    """

    name = "lm"
    title = "l^m-diversity"
    protects = "Sets: m known items reveal a sensitive item with a chance of at most 1/l."
    promise = (
        "Someone who knows up to m items of a record has a chance of at most 1 in l to learn each sensitive value of "
        "it."
    )
    suits = "Some items must stay secret, but it does no harm if somebody finds the record."
    paper = "Terrovitis et al. 2011, s.5.2"
    default_algorithm = "auto"
    counts_persons = True
    check_scope = (
        "one for every set of published labels that an attacker may know of a record with a sensitive value, and every "
        "sensitive value that occurs with it"
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
        """Count all sets of up to m labels with the sensitive values of the same rows, and return the verdict."""
        rows, values = self.both(published)
        checked = 0
        for persons in views(rows.persons):
            verdict = self._told(rows.of_persons(persons), values, engine)
            checked += verdict.checked
            if not verdict.holds:
                break
        return replace(verdict, checked=checked)

    def _told(self, rows: Transactions, values: Transactions, engine: Engine) -> Verdict:
        """Check by records, or by persons if the rows have them."""
        if counts_by_table(rows, self.m, engine):
            checked, violations = count_shares(rows, values, (1, self.l), self.m, engine)
            everyone, most = rows.count_persons(), int(holders(values, rows.persons).max(initial=0))
            if not violations and most * self.l <= everyone:  # else the other way names them
                return Verdict(True, checked + bool(len(rows)))  # with the empty set
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
        """Count the records whose sensitive value a few known items reveal."""
        return Disclosure.of(*self.both(published), self.l, min(self.m, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask that at most 1 in l of the records with any m labels has the same sensitive value."""
        return Demand(1, min(self.m, rows.longest), Fraction(1, self.l))

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Explain that a value is too frequent among the records with items."""
        return too_frequent(rows, values, self.l)

    def feasible(self, published: Published) -> None:
        """Raise an error if a value is too frequent in all records, which no generalization changes."""
        rows, values = self.both(published)
        refuse_too_frequent("l^m-diversity", self.l, rows, values, views(rows.persons))

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "3^2-diversity"."""
        return f"{self.l}^{self.m}-diversity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        known = "an item" if self.m == 1 else f"up to {self.m} items"
        also = "" if persons is None else f", and for at most 1 of {self.l} of the {persons.nouns} behind them"
        return (
            f"An attacker who knows {known} of a record, or nothing, finds each sensitive value in at most "
            f"1 of {self.l} of the records that fit{also}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        known = "1 item" if self.m == 1 else f"{self.m} items"
        return [
            f"It says nothing about an attacker who knows more than {known} of a record.",
            "It says nothing about an attacker who knows a sensitive value of a record. These values are published "
            "unchanged.",
            "It does not keep an attacker from finding a record, only from learning its sensitive values. Few records, "
            "or even a single one without a sensitive value, may fit what an attacker knows.",
            "It does not protect values that were not declared sensitive, nor groups of values. To know that a record "
            "has one of several diseases can be as bad as to know which one.",
            NOT_MISSING,
            about_people(persons),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]


def views(persons: Persons | None) -> tuple[Persons | None, ...]:
    """Return the ways to count shares: by records, and by persons if some have several records."""
    return (None,) if persons is None or not len(persons.repeaters) else (None, persons)


def refuse_too_frequent(
    title: str, l: int, rows: Transactions, values: Transactions, counted_by: Sequence[Persons | None]
) -> None:
    """Raise an error if more than 1 in l of all records, or persons, have the same value. None: count records."""
    less = "choose a smaller l, or do not declare it sensitive" if l > 2 else "do not declare it sensitive"
    for persons in counted_by:
        all_of_them = rows.of_persons(persons).count_persons()
        of, has = ("records", "is in") if persons is None else (persons.nouns, "is in records of")
        for code, count in enumerate(holders(values, persons).tolist()):
            if count * l > all_of_them:
                raise Infeasible(
                    f"{title} with l={l} allows a sensitive value in at most 1 of {l} {of}, but "
                    f"'{values.labels[code]}' {has} {count:,} of {all_of_them:,} ({count / all_of_them:.1%}): {less} "
                    f"(sensitive='column=value' declares single values of a column)."
                )


def too_frequent(rows: Transactions, values: Transactions, l: int) -> str:
    """Explain why no generalization helps, not even the root: all rows with items together."""
    full = np.flatnonzero(rows.sizes)
    rows, values = rows.take(full), values.take(full)

    def share(persons: Persons | None) -> float:
        return int(holders(values, persons).max(initial=0)) / max(1, rows.of_persons(persons).count_persons())

    persons = max(views(rows.persons), key=share)  # the way of counting by which it is too frequent
    having, all_of_them = holders(values, persons), rows.of_persons(persons).count_persons()
    worst = int(np.argmax(having))
    of = "records" if persons is None else f"{persons.nouns} who have records"
    return (
        f"No generalization was found that is l^m-diverse with l={l}: of the {all_of_them:,} {of} with any item "
        f"that is not sensitive, {having[worst]:,} have '{values.labels[worst]}' ({share(persons):.1%}). This is more "
        f"than 1 of {l}, so no group is large enough to hide it: choose a smaller l, or do not declare it sensitive."
    )
