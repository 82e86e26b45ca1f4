"""(k,k^m)-anonymity (P2): who knows all relational values and up to m items of a record is left with k records.

Group the published rows by equal values of the quasi-identifying columns: every group has at least k rows, and inside
every group the sets are k^m-anonymous (P2 Definition 1 with no items, and with up to m). This is more than k-anonymity
of the columns and k^m-anonymity of the sets: both can hold while a value and an item together pin down one record.

The verifier groups the records by their published values and counts all sets of up to m labels inside each group.
Cost: that of k^m-anonymity; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shoal import kernels
from shoal.data.arrays import Counts
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import Infeasible
from shoal.options import option
from shoal.privacy import DRAWN, Verdict, Witness
from shoal.privacy.rare import rare_sets
from shoal.privacy.relational import RelationalModel, apart_by_class, name_of
from shoal.published import Grouping, Published
from shoal.risk import Risk


@dataclass(frozen=True)
class KKmAnonymity(RelationalModel):
    """The values of all quasi-identifying columns and any m or fewer items of a record fit at least k records.

    >>> import pyarrow as pa
    >>> import shoal
    >>> sets = [["a"], ["b"], ["a"], ["b"]]
    >>> data = shoal.read(pa.table({"age": ["[19:22]", "[19:22]", "70", "70"], "items": sets}))
    >>> model = KKmAnonymity(k=2, m=2)
    >>> verdict = model.verify(model.view(data))
    >>> verdict.holds, str(verdict.witnesses[0])
    (False, '{a} is in 1 record of those with age=[19:22]')
    """

    name = "k-km"
    title = "(k,k^m)-anonymity"
    paper = "P2"
    default_algorithm = "rmerge-rt"
    views = ("view of an adversary", "views of adversaries")
    examined = (
        "every combination of published values of the quasi-identifying columns, alone and with every set of published "
        "labels that occurs with it and that somebody may know"
    )

    k: int = option(25, low=2, help="records that must share all quasi-identifying values and any known itemset")
    m: int | Literal["all"] = option(2, low=1, words=("all",), help="items an adversary may know of a record, or 'all'")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count the records of each class, then all sets of up to m labels inside each."""
        classes = self.classes(published)
        sizes = self.too_small(classes)
        if not sizes.holds:
            return sizes
        found = rare_in_classes(self.whole(published), classes, self.k, self.m, engine)
        return replace(found, checked=found.checked + sizes.checked)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by all values and a few items."""
        m = DRAWN if self.m == "all" else min(self.m, DRAWN)
        return risk_in_classes(published.rows, self.classes(published), self.k, m, engine)

    def feasible(self, published: Published) -> None:
        """Generalization can make all records equal, but for which of them hold anything."""
        super().feasible(published)
        if 0 < published.rows.non_empty < self.k:
            raise Infeasible(
                f"{self.title} with k={self.k} needs at least {self.k} records with items, got "
                f"{published.rows.non_empty}: choose a smaller k or more data."
            )

    @property
    def short(self) -> str:
        """For instance (25,25^2)-anonymity."""
        return f"({self.k},{self.k}^{'infinity' if self.m == 'all' else self.m})-anonymity"

    def describe(self) -> str:
        """In plain words."""
        return (
            f"Whoever knows the values of a record in all quasi-identifying columns and {known_items(self.m)} of it is "
            f"left with at least {self.k} records that fit, or with none."
        )

    def limits(self) -> list[str]:
        """In plain words."""
        return [
            *beyond_m(self.m),
            "It does not hide what all fitting records have in common. If every record that fits what somebody knows "
            "also holds a certain other item, or the same value of another column, they learn that without knowing "
            "which record it is.",
            *COMMON,
        ]


COMMON = (
    "Records are published in the order in which they were: if that is the order of some value, it tells about it.",
    "Where a number is published as a range of any ends, both ends are true values of some records.",
    "Columns that were not declared as quasi-identifiers are published as they are: whoever knows their values may "
    "find a record.",
    "It counts what somebody knows to be in a record, not what they know to be missing from it.",
    "It counts records, not people. If one person is behind several records, fewer people may fit.",
    "It is about this release alone. Publishing the same records again in another form can undo it.",
)


def known_items(m: int | Literal["all"]) -> str:
    """How much somebody may know of a set, for people."""
    return "any number of items" if m == "all" else "1 item" if m == 1 else f"up to {m} items"


def beyond_m(m: int | Literal["all"]) -> list[str]:
    """Whom the guarantee says nothing about."""
    if m == "all":
        return []
    return [f"It says nothing about somebody who knows more than {'1 item' if m == 1 else f'{m} items'} of a record."]


def rare_in_classes(rows: Transactions, classes: Grouping, k: int, m: int | Literal["all"], engine: Engine) -> Verdict:
    """Whether all sets of up to m labels that occur in a class are in k of its rows."""
    own, class_of, label_of = apart_by_class(rows, classes)
    found = rare_sets(own, k, m, engine)
    witnesses = [
        Witness(
            tuple(rows.labels[label_of[code]] for code in codes), support, group=name_of(classes, class_of[codes[0]])
        )
        for codes, support in found.sets
    ]
    return Verdict(found.violations == 0, found.checked, found.violations, tuple(witnesses))


def risk_in_classes(rows: Transactions, classes: Grouping, k: int, m: int, engine: Engine) -> Risk:
    """How many records all values and up to 1, 2, .. m items pin down."""
    own, _, _ = apart_by_class(rows, classes)
    longest = max(1, int(own.sizes.max(initial=0)))
    sizes = classes.sizes[classes.of]
    exposed: list[tuple[int, ...]] = []
    for limit in (k, 2):
        smallest: Counts = kernels.smallest_rare(
            own.indptr,
            own.items,
            len(own.labels),
            limit,
            min(m, longest),
            threads=engine.threads,
            tick=engine.tick("risk"),
        )
        first = np.where(sizes < limit, 1, np.where(smallest > 0, smallest, m + 1))
        exposed.append(tuple(int(np.count_nonzero(first <= size)) for size in range(1, m + 1)))
    return Risk(k, len(sizes), exposed[0], exposed[1])
